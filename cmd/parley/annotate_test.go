package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/eval"
	"parley/eval/annotate"
)

// A sheet tells nothing of arm and control, takes as many debriefs of each, and people who judge as the judge does
// agree with it; who tells one fact more differs by that.
func TestAnnotateBlind(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	sheet := filepath.Join(t.TempDir(), "sheet.csv")
	runParley(t, exitOK, "run", "--sessions", "4", "--turns", "8", "--player", "reference:diligent", "--player", "reference:silent", "--out", dir)
	runParley(t, exitOK, "eval", "annotate", dir, "--sample", "12", "--annotator", "ann", "--annotator", "ben", "--out", sheet)
	text, err := os.ReadFile(sheet)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"reference:", "diligent", "no-conversation", "told,", "a01-"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the sheet tells %q", secret)
		}
	}
	var key annotate.Key
	data, err := os.ReadFile(sheet + ".key.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &key); err != nil {
		t.Fatal(err)
	}
	strata, told := map[string]int{}, map[string]int{}
	for id, at := range key.Items {
		strata[at.Arm+"/"+at.Control]++
		for _, s := range collect[eval.Score](t, dir, "scores") {
			if s.Metric == "iep" && s.Session == at.Session && s.Subject == at.Subject && s.Control == at.Control && s.Value != nil {
				told[id] = int(math.Round(*s.Value * float64(at.Of) / 100))
			}
		}
	}
	if len(strata) != 6 || len(key.Items) != 12 {
		t.Errorf("%d debriefs from %v", len(key.Items), strata)
	}
	for stratum, n := range strata {
		if n != 2 {
			t.Errorf("%d debriefs of %s", n, stratum)
		}
	}
	for _, same := range []bool{true, false} {
		rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		off := 0.0 // mean of what the two people tell less, in percent
		for _, row := range rows[1:] {
			n := told[row[0]]
			if !same && row[2] == "ben" && n > 0 {
				n--
				off += 100 / float64(key.Items[row[0]].Of) / 24
			}
			row[6] = fmt.Sprint(n)
		}
		var filled bytes.Buffer
		if err := csv.NewWriter(&filled).WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		writeFile(t, sheet, filled.Bytes())
		out, _ := runParley(t, exitOK, "eval", "annotate", sheet, "--agree", dir, "--json")
		var got answer
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		for _, r := range got.Results {
			want, known := map[string]float64{"difference": off, "distance": off}[r.Metric]
			if same && r.Metric == "alpha" {
				want, known = 1, true
			}
			if known && (r.Value == nil || math.Abs(*r.Value-want) > 0.01) {
				t.Errorf("same %t: %s is %v, want %.2f", same, r.Metric, r.Value, want)
			}
		}
	}
	if out, _ := runParley(t, exitOK, "report", dir, "--out", "-"); !strings.Contains(out, "People and the judge") {
		t.Error("the page does not show the agreement")
	}
	runParley(t, exitOK, "verify", dir)
}
