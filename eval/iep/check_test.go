package iep_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/eval/iep"
	"parley/eval/stat"
	"parley/scenarios"
	"parley/sim"
)

func TestReadCases(t *testing.T) {
	good := `{"id": "a", "facts": ["x", "y", "z"], "debrief": "x.", "tells": [0], "lies": [{"fact": 1, "kind": "name"}], "partial": [2]}`
	if list, err := iep.ReadCases(strings.NewReader(good+"\n\n"+good), "f"); err != nil || len(list) != 2 || list[1].Lies[0].Kind != "name" {
		t.Errorf("%+v, %v", list, err)
	}
	for text, want := range map[string]string{
		"":           "no case",
		good + "\n{": "f:2:",
		`{"id": "a", "facts": ["x"], "debrief": "x", "more": 1}`: `f:1: json: unknown field "more"`,
		`{"id": "a"}`:                                                        "no facts",
		`{"id": "a", "facts": ["x"]}`:                                        "no debrief",
		`{"id": "a", "facts": ["x"], "tells": [1]}`:                          "no fact 1 of 1",
		`{"id": "a", "facts": ["x"], "partial": [-1]}`:                       "no fact -1",
		`{"id": "a", "facts": ["x"], "lies": [{"fact": 0, "kind": ""}]}`:     "no kind",
		`{"id": "a", "facts": ["x"], "lies": [{"fact": 0, "kind": "true"}]}`: "no kind",
	} {
		if _, err := iep.ReadCases(strings.NewReader(text), "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// What is counted, and as what, is told by a judge whose verdict is known.
func TestCheckJudgeCounts(t *testing.T) {
	c := iep.Case{ID: "a", Facts: []string{"0", "1", "2", "3", "4", "5"}, Tells: []int{0, 1},
		Lies: []iep.Lie{{Fact: 2, Kind: "name"}, {Fact: 3, Kind: "number"}}, Partial: []int{4}}
	j := fixed{verdict: iep.Verdict{Points: []string{"a", "b", "c"}, Matches: []iep.Match{{Gold: 0, Said: 0}, {Gold: 3, Said: 1}, {Gold: 4, Said: 2}}}}
	check, calls, err := iep.CheckJudge(context.Background(), j, []iep.Case{c}, 1)
	want := map[string][]bool{"true": {true, false}, "name": {false}, "number": {true}, "fluff": {false}}
	if err != nil || len(calls) != 1 || !maps.EqualFunc(check.Accepted, want, slices.Equal) {
		t.Errorf("%+v, %v", check, err)
	}
	j.err = errors.New("no verdict")
	if check, _, err = iep.CheckJudge(context.Background(), j, []iep.Case{c, c}, 1); err != nil || len(check.Accepted) != 0 || check.Missing["no verdict"] != 2 {
		t.Errorf("a judge without verdicts: %+v, %v", check, err)
	}
}

// accepted returns by kind whether the built-in judge accepts each lie and each fact that is told.
func accepted(t *testing.T, cases []iep.Case) map[string][]bool {
	t.Helper()
	check, _, err := iep.CheckJudge(context.Background(), lexical(), cases, 1)
	if err != nil || len(check.Missing) > 0 {
		t.Fatal(err, check.Missing)
	}
	return check.Accepted
}

// percent is what is accepted of lies, and rejected of what is told, with Wilson's interval.
func percent(verdicts map[string][]bool) map[string][3]float64 {
	out := map[string][3]float64{}
	for arm, accepted := range verdicts {
		hits := 0
		for _, a := range accepted {
			if a != (arm == iep.ArmTrue) {
				hits++
			}
		}
		i := stat.Wilson(hits, len(accepted), 0.95)
		out[arm] = [3]float64{100 * *i.Value, 100 * *i.Low, 100 * *i.High}
	}
	return out
}

// published fails where the project's README does not have a text, line breaks apart.
func published(t *testing.T, text string) {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(text)
	if !strings.Contains(strings.Join(strings.Fields(string(readme)), " "), text) {
		t.Errorf("the README does not say: %s", text)
	}
}

// The README's table of what the built-in judge gets wrong, and the limits that it keeps.
func TestPublishedJudgeCheck(t *testing.T) {
	all := iep.Cases()
	var parts []map[string][3]float64
	whole := map[string][]bool{}
	for _, part := range [][]iep.Case{all[:40], all[40:80], all[80:]} {
		verdicts := accepted(t, part)
		parts = append(parts, percent(verdicts))
		for arm, list := range verdicts {
			whole[arm] = append(whole[arm], list...)
		}
	}
	parts = append(parts, percent(whole))
	for _, row := range []struct {
		arm, title string
		most       float64
	}{
		{iep.ArmTrue, "told, and rejected", 40},
		{"number", "lie about a number, accepted", 5},
		{"name", "a name", 5},
		{"negation", "a negation", 5},
		{"antonym", "an antonym", 15},
		{"time", "a time", 30},
		{"cause", "a cause", 30},
		{"role", "who did what", 30},
		{"swap", "halves of two facts", 30},
		{iep.ArmFluff, "not touched, accepted", 5},
	} {
		line := "| " + row.title
		for _, part := range parts {
			line += fmt.Sprintf(" | %.0f (%.0f to %.0f)", part[row.arm][0], part[row.arm][1], part[row.arm][2])
		}
		published(t, line+" |")
		if v := parts[3][row.arm][0]; v > row.most {
			t.Errorf("%s: %.1f %%, of which at most %.0f may be", row.arm, v, row.most)
		}
	}
	mechanical, most := percent(accepted(t, iep.Mechanical(scenarios.Library().Knowledge, 40, sim.Rand(1)))), 0.0
	for kind, v := range mechanical {
		if kind != "recital" {
			most = max(most, v[0])
		}
		if v[0] > 5 {
			t.Errorf("mechanical, %s: %.1f %% accepted", kind, v[0])
		}
	}
	published(t, fmt.Sprintf("it accepts at most %.1f %% of 381 each; of the whole library recited, %.1f %%.", most, mechanical["recital"][0]))
}
