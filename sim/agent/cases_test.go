package agent_test

import (
	"bufio"
	"encoding/json"
	"os"
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

// TestCases reads the cases of failures that users of such systems reported, each in every place where the
// words of a plain reply may stand.
func TestCases(t *testing.T) {
	type outcome struct{ Outcome, Text, Deed, Kind string }
	type row struct {
		ID, Actor, Form, Reply, Flag, Note string
		Cast, Never                        []string
		OK                                 []outcome
	}
	for _, r := range rowsOf[row](t, "../../../shared/data/cases/replies.jsonl") {
		if r.Form == "wire" {
			continue // the adapters' tests have it
		}
		for name, raw := range map[string]string{"": r.Reply, " behind reasoning": "<think>Hm.</think>" + r.Reply, " with an end token": r.Reply + "<|im_end|>"} {
			if name != "" && strings.ContainsAny(r.Reply, "<") {
				continue
			}
			t.Run(r.ID+name, func(t *testing.T) {
				got := agent.Parse(raw, characters.Slug(r.Actor), castOf(r.Cast))
				played := got.Speech + got.Deed
				for _, never := range r.Never {
					if strings.Contains(played, never) {
						t.Errorf("%q is played of %q", never, raw)
					}
				}
				if r.Flag != "" && got.Fault != r.Flag {
					t.Errorf("counted as %q, want %q", got.Fault, r.Flag)
				}
				for _, ok := range r.OK {
					switch {
					case ok.Outcome == "played" && played != "" && sameWords(got.Speech+" "+got.Deed, ok.Text+" "+ok.Deed),
						ok.Outcome == "malformed" && played == "" && (ok.Kind == "" || got.Fault == ok.Kind),
						ok.Outcome != "played" && ok.Outcome != "malformed" && played == "" && got.Fault == ok.Outcome:
						return
					}
				}
				t.Errorf("%.200q\nis read as %+v\nwant %+v; %s", raw, got, r.OK, r.Note)
			})
		}
	}
}
