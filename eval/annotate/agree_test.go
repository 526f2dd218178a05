package annotate_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/eval"
	"parley/eval/annotate"
	"parley/eval/run"
	"parley/eval/session"
)

// played returns a run of two arms of reference players with both controls: four sessions, and of each 4 debriefs of
// play, told and no conversation.
func played(t *testing.T) string {
	t.Helper()
	c := session.Default()
	c.Sessions, c.Turns = 2, 8
	c.Player = []session.Arm{{Model: "reference:diligent"}, {Model: "reference:silent"}}
	if err := c.Complete(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := run.Run(t.Context(), dir, session.New(c), run.Options{Kinds: run.Kinds{session.Kind: session.Decode}, Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDebriefs(t *testing.T) {
	dir := played(t)
	all, key, err := annotate.Debriefs(dir, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(key.Items) != len(all) || len(all) < 24 || key.Run != dir {
		t.Fatalf("%d items, %d of them in the key of %s", len(all), len(key.Items), key.Run)
	}
	order := ""
	for i, item := range all {
		at, known := key.Items[item.ID]
		if !known || item.ID != fmt.Sprintf("item-%02d", i+1) || item.Subject != "" {
			t.Errorf("item %d is %q of %q", i+1, item.ID, item.Subject)
		}
		order += at.Arm + at.Control + "\n"
		facts, answer, _ := strings.Cut(strings.TrimPrefix(item.Text, "KEY FACTS\n1. "), "\n\nANSWER\n")
		if n := strings.Count(facts, "\n") + 1; n != at.Of || !strings.Contains(facts, fmt.Sprintf("\n%d. ", n)) || answer == "" {
			t.Errorf("of %d facts the sheet shows %d:\n%s", at.Of, n, item.Text)
		}
		if !strings.Contains(string(item.Offered), fmt.Sprintf(`"minimum":0,"maximum":%d,`, at.Of)) {
			t.Errorf("%d facts may be told as %s", at.Of, item.Offered)
		}
	}
	if sorted := slices.Sorted(strings.Lines(order)); strings.Join(sorted, "") == order {
		t.Error("the debriefs come arm by arm")
	}
	again, _, err := annotate.Debriefs(dir, 0, 1)
	if other, _, _ := annotate.Debriefs(dir, 0, 2); err != nil || !reflect.DeepEqual(again, all) || reflect.DeepEqual(other, all) {
		t.Errorf("the order does not follow from the seed: %v", err)
	}
	for _, test := range []struct {
		sample, want, least, most int // of each arm and control
		reason                    string
	}{
		{1, 1, 1, 1, "a single one"}, {6, 6, 1, 1, "one of each"},
		{9, 9, 1, 2, "no stratum is two ahead of another"},
		{1000, len(all), len(all) / 6, len(all) / 6, "no more than there are"},
	} {
		items, key, err := annotate.Debriefs(dir, test.sample, 1)
		if err != nil {
			t.Fatal(err)
		}
		strata := map[string]int{}
		for _, at := range key.Items {
			strata[at.Arm+"/"+at.Control]++
		}
		counts := slices.Sorted(maps.Values(strata))
		if len(items) != test.want || len(counts) != min(6, test.want) || counts[0] < test.least || counts[len(counts)-1] > test.most {
			t.Errorf("%s: a sample of %d has %d: %v", test.reason, test.sample, len(items), strata)
		}
	}
	if _, _, err := annotate.Debriefs(t.TempDir(), 0, 1); err == nil {
		t.Error("an empty directory has debriefs")
	}
}

// Two people and a judge over hand-made scores: every number can be worked out on paper.
func TestAgree(t *testing.T) {
	dir := t.TempDir()
	key := &annotate.Key{Items: map[string]annotate.Origin{}}
	var people []annotate.Human
	say := func(who, item, value string) {
		h := annotate.Human{ID: item, Annotator: who, Status: eval.Scored, Value: json.RawMessage(value)}
		if value == "" {
			h.Status, h.Value = eval.Failed, nil
		}
		people = append(people, h)
	}
	// Of 4 facts each: what the judge counts (in percent), Ann, Ben. s1 has two items, s2 and s3 one.
	for _, row := range []struct {
		id, session, control string
		judge                float64
		ann, ben             string
	}{
		{"a", "s1", "", 100, "3", "3"}, {"b", "s1", "told", 75, "2", "2"}, {"c", "s2", "", 50, "2", "1"}, {"d", "s3", "", 25, "1", ""},
		{"e", "s4", "", -1, "1", "1"}, // without a score of the judge
	} {
		key.Items[row.id] = annotate.Origin{Session: row.session, Subject: "p", Arm: "x", Control: row.control, Of: 4}
		say("ann", row.id, row.ann)
		say("ben", row.id, row.ben)
		for _, s := range []eval.Score{
			{Metric: "iep", Subject: "p", Value: ptr(0.0)}, // by an earlier method
			{Metric: "iep", Subject: "p", Value: ptr(row.judge)},
			{Metric: "iep", Subject: "p"},
			{Metric: "iep", Subject: "f", Value: ptr(1.0)},
			{Metric: "heard", Subject: "p", Value: ptr(2.0)},
		} {
			s.Session, s.Control, s.Scorer = row.session, row.control, "iep"
			if row.judge >= 0 {
				if err := appendScore(dir, s); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	say("cid", "nowhere", "1")
	say("cid", "f", "1")
	key.Items["f"] = annotate.Origin{Session: "s1", Subject: "f"} // of no facts
	a, err := annotate.Agree(dir, people, key)
	if err != nil {
		t.Fatal(err)
	}
	if a.Items != 5 || a.Unjudged != 1 || a.Unknown != 1 || a.Unreadable != 2 || strings.Join(a.People, " ") != "ann ben cid" {
		t.Errorf("%+v", a)
	}
	byName := map[string]eval.Result{}
	for _, r := range a.Results() {
		byName[r.Metric] = r
	}
	// The judge is above the mean of the people by 25, 25; 12.5; 0: by session 25, 12.5, 0.
	for _, want := range []struct {
		metric, arm string
		value       float64
		n, of       int
	}{
		{"same", "people", 75, 4, 4}, {"spearman", "judge and people", 1, 4, 5}, {"alpha", "people", 0.8205, 5, 5},
		{"difference", "judge - people", 62.5 / 4, 4, 5}, {"distance", "judge - people", 62.5 / 4, 4, 5},
	} {
		r := byName[want.metric]
		if r.Value == nil || math.Abs(*r.Value-want.value) > 0.001 || r.N != want.n || r.Of != want.of || r.Arm != want.arm {
			t.Errorf("%s: %v of %s, %d of %d, want %v", want.metric, r.Value, r.Arm, r.N, r.Of, want.value)
		}
	}
	if r := byName["difference"]; r.Low == nil || *r.Low >= 0 || *r.High <= 25 {
		t.Errorf("three sessions say more than they can: %+v", r)
	}
	if err := a.Keep(dir); err != nil {
		t.Fatal(err)
	}
	var kept []eval.Result
	if data, err := os.ReadFile(filepath.Join(dir, session.AnnotationsName)); err != nil || json.Unmarshal(data, &kept) != nil || len(kept) != 5 {
		t.Errorf("%d results are kept: %v", len(kept), err)
	}
	for i := range people { // one person alone has no agreement
		people[i].Annotator = "ann"
	}
	alone, err := annotate.Agree(dir, people[:1], key)
	if err != nil {
		t.Fatal(err)
	}
	if r := alone.Results()[1]; r.Metric != "same" || r.Value != nil || !strings.Contains(r.Reason, "two people") {
		t.Errorf("%+v", r)
	}
}

// The judge that counts less is below the people, whatever the distance.
func TestAgreeSign(t *testing.T) {
	dir := t.TempDir()
	key := &annotate.Key{Items: map[string]annotate.Origin{}}
	var people []annotate.Human
	for i, judge := range []float64{25, 100, 0} {
		id := fmt.Sprint(i)
		key.Items[id] = annotate.Origin{Session: id, Subject: "p", Of: 2}
		people = append(people, annotate.Human{ID: id, Annotator: "ann", Status: eval.Scored, Value: json.RawMessage("1")})
		if err := appendScore(dir, eval.Score{Session: id, Subject: "p", Scorer: "iep", Metric: "iep", Value: &judge}); err != nil {
			t.Fatal(err)
		}
	}
	a, err := annotate.Agree(dir, people, key)
	if err != nil {
		t.Fatal(err)
	}
	got := a.Results()
	if d, distance := got[3], got[4]; math.Abs(*d.Value+25.0/3) > 1e-9 || math.Abs(*distance.Value-125.0/3) > 1e-9 {
		t.Errorf("difference %v, distance %v", *d.Value, *distance.Value)
	}
}

func ptr(v float64) *float64 { return &v }

// appendScore adds a row to the scores of a run.
func appendScore(dir string, s eval.Score) error {
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, run.Scores.Name+".jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

func TestReadKey(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{"run":"r","items":{"1":{"session":"s","subject":"p","arm":"a","control":"","of":4}}}`, ""},
		{`{"run":"r","items":{}}`, "k.json has no items"},
		{`{"run":"r","things":{}}`, "k.json is no key of a sheet"},
		{`id,value`, "k.json is no key of a sheet"},
	} {
		k, err := annotate.ReadKey(strings.NewReader(test.text), "k.json")
		if test.want == "" && (err != nil || k.Items["1"].Of != 4) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.text, err, test.want)
		}
	}
}

func TestSheetRefuses(t *testing.T) {
	sheet := annotate.NewSheet(&bytes.Buffer{}, "ann")
	good := json.RawMessage(`{"enum":["x"]}`)
	for _, test := range []struct {
		item annotate.Item
		want string
	}{
		{annotate.Item{ID: "1", Offered: good}, ""},
		{annotate.Item{ID: "1", Offered: good}, "two items have the id 1"},
		{annotate.Item{Offered: good}, "an item has no id"},
		{annotate.Item{ID: "2", Offered: json.RawMessage(`{"enum":`)}, "item 2: "},
	} {
		if err := sheet.Add(test.item); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.item, err, test.want)
		}
	}
}

// A spreadsheet runs no text, and texts that it would not run stay as they are.
func TestSheetGuards(t *testing.T) {
	for text, want := range map[string]string{"=1": "'=1", "+1": "'+1", "-1": "'-1", "@a": "'@a", "\t=1": "'\t=1", "": "", "a=1": "a=1", "'=1": "'=1"} {
		var b bytes.Buffer
		if err := annotate.NewSheet(&b, "ann").Add(annotate.Item{ID: "1", Text: text, Offered: json.RawMessage(`{"enum":["x"]}`)}); err != nil {
			t.Fatal(err)
		}
		if rows, err := csv.NewReader(&b).ReadAll(); err != nil || rows[1][3] != want {
			t.Errorf("%q is written as %q (%v), want %q", text, rows[1][3], err, want)
		}
	}
}

// Rows with fewer fields, empty rows and columns in another order are what spreadsheets write.
func TestReadSheetOfASpreadsheet(t *testing.T) {
	const sheet = "\ufeffOffered, Value ,KEY,annotator,id,note\n" +
		"\"{\"\"enum\"\":[\"\"x\"\",\"\"y\"\"]}\",x,, ann ,1, sure \n" + ",,,,,\n" +
		"\"{\"\"enum\"\":[\"\"x\"\",\"\"y\"\"]}\",y,,ben,1\n"
	var got []string
	err := annotate.ReadSheet(strings.NewReader(sheet), "s.csv", func(h annotate.Human) error {
		got = append(got, fmt.Sprintf("%s %s %s %q", h.ID, h.Annotator, h.Value, h.Note))
		return nil
	})
	if want := `1 ann "x" "sure"|1 ben "y" ""`; err != nil || strings.Join(got, "|") != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}
