package iep_test

import (
	"context"
	"errors"
	"maps"
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

// rates lets the built-in judge match cases and prints what it accepts of each kind: of "true" what it
// rejects.
func rates(t *testing.T, name string, cases []iep.Case) map[string]float64 {
	t.Helper()
	check, _, err := iep.CheckJudge(context.Background(), lexical(), cases, 1)
	if err != nil || len(check.Missing) > 0 {
		t.Fatal(err, check.Missing)
	}
	out := map[string]float64{}
	for _, arm := range slices.Sorted(maps.Keys(check.Accepted)) {
		hits := 0
		for _, a := range check.Accepted[arm] {
			if a != (arm == iep.ArmTrue) {
				hits++
			}
		}
		n := len(check.Accepted[arm])
		i := stat.Wilson(hits, n, 0.95)
		out[arm] = 100 * *i.Value
		verb := "accepted"
		if arm == iep.ArmTrue {
			verb = "rejected"
		}
		t.Logf("%s, %s: %.0f %% of %d %s (%.0f to %.0f)", name, arm, out[arm], n, verb, 100**i.Low, 100**i.High)
	}
	return out
}

// The README's table: the first half of the cases was looked at while the judge was made, the second
// was not.
func TestPublishedJudgeCheck(t *testing.T) {
	all := iep.Cases()
	most := map[string]float64{"number": 5, "name": 10, "negation": 5, "antonym": 15, "cause": 30, "time": 30, "role": 30, "fluff": 5, "true": 40}
	check := func(name string, got, most map[string]float64) {
		for kind, limit := range most {
			if v, ok := got[kind]; !ok || v > limit {
				t.Errorf("%s, %s: %.1f %%, of which at most %.0f may be", name, kind, v, limit)
			}
		}
	}
	check("all", rates(t, "all", all), most)
	rates(t, "first half", all[:len(all)/2])
	rates(t, "second half", all[len(all)/2:])
	mechanical := iep.Mechanical(scenarios.Library().Knowledge, 40, sim.Rand(1))
	check("mechanical", rates(t, "mechanical", mechanical),
		map[string]float64{"question": 5, "hedge": 5, "negation": 5, "other": 5, "recital": 5, "vocabulary": 5})
}
