package agent_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"parley/characters"
	"parley/sim/agent"
)

// rowsOf reads a JSONL file of the shared data, and skips the test where it is not there.
func rowsOf[T any](t *testing.T, path string) (rows []T) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Skipf("the shared data is not there: %v", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil || len(rows) == 0 {
		t.Fatalf("%s: %d rows, %v", path, len(rows), err)
	}
	return rows
}

// bag counts the words of a text, wherever they stand.
func bag(text string) map[string]int {
	words := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"*“”.,!?", r) }) {
		words[w]++
	}
	return words
}

func sameWords(a, b string) bool {
	x, y := bag(a), bag(b)
	for w, n := range y {
		if x[w] != n {
			return false
		}
	}
	return len(x) == len(y)
}

func castOf(names []string) (cast []characters.Public) {
	for _, name := range names {
		cast = append(cast, characters.Public{ID: characters.Slug(name), Name: name})
	}
	return cast
}

// outcome is one of the ways in which a reply may be read.
type outcome struct{ Outcome, Text, Deed, Kind string }

// replyCase is a reply with the ways in which it may be read, and with what may never be played of it.
type replyCase struct {
	ID, Actor, Form, Reply, Flag, Note string
	Cast, Never                        []string
	OK                                 []outcome
}

// replyCases returns the given cases of failures that users reported, and those of the same kinds in other words.
func replyCases(t *testing.T) (all []replyCase) {
	t.Helper()
	all = rowsOf[replyCase](t, "testdata/cases.jsonl")
	if _, err := os.Stat("../../../shared/data/cases"); err != nil {
		t.Logf("without the shared data: %v", err)
		return all
	}
	for _, r := range rowsOf[replyCase](t, "../../../shared/data/cases/replies.jsonl") {
		if r.Form != "wire" { // the adapters' tests have it
			all = append(all, r)
		}
	}
	return all
}

// wrong says what is wrong with how a reply was read; empty: nothing.
func (r *replyCase) wrong(speech, deed, fault string) string {
	played := speech + deed
	for _, never := range r.Never {
		if strings.Contains(played, never) {
			return fmt.Sprintf("%q is played", never)
		}
	}
	if r.Flag != "" && fault != r.Flag {
		return fmt.Sprintf("counted as %q, want %q", fault, r.Flag)
	}
	for _, ok := range r.OK {
		switch {
		case ok.Outcome == "played" && played != "" && sameWords(speech+" "+deed, ok.Text+" "+ok.Deed),
			ok.Outcome == "pass" && played == "" && fault == "",
			ok.Outcome == "malformed" && played == "" && fault != "" && (ok.Kind == "" || fault == ok.Kind),
			fault != "" && played == "" && fault == ok.Outcome:
			return ""
		}
	}
	return fmt.Sprintf("read as %q, %q with kind %q, want %v", speech, deed, fault, r.OK)
}

// TestCases reads each case, and each in every place where the words of a plain reply may be.
func TestCases(t *testing.T) {
	all, bad := 0, 0
	for _, r := range replyCases(t) {
		for name, raw := range map[string]string{"": r.Reply, " behind reasoning": "<think>Hm.</think>" + r.Reply, " with an end token": r.Reply + "<|im_end|>"} {
			if name != "" && strings.ContainsAny(r.Reply, "<◁") || name == " behind reasoning" && slices.Contains(marked, r.ID) {
				continue
			}
			m := agent.Parse(raw, characters.Slug(r.Actor), castOf(r.Cast))
			all++
			if wrong := r.wrong(m.Speech, m.Deed, m.Fault); wrong != "" {
				bad++
				t.Errorf("%s%s: %.200q: %s", r.ID, name, raw, wrong)
			}
		}
	}
	t.Logf("%d of %d are read as noted", all-bad, all)
}

// marked are the cases whose reasoning has other marks than <think>: no model writes both.
var marked = []string{"r6", "r12", "r13", "r18", "r19", "r20", "r21", "r24", "r33", "r34", "z19", "z24", "z29", "z33"}
