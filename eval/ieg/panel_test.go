package ieg_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/characters"
	"parley/eval"
	"parley/eval/ieg"
	"parley/eval/run/runtest"
)

// lines are results, one a line.
func lines(results []eval.Result) string {
	var b strings.Builder
	for _, r := range results {
		fmt.Fprintf(&b, "%s | %s | %s | %s | %d of %d %s | %s\n", r.Metric, r.Arm, r.Control, interval(r), r.N, r.Of, r.Unit, r.Reason)
	}
	return b.String()
}

// marked scores predictions for windows. Each is written as group: truth > prediction, of intentions such as Ann/Stealth, or
// as group: !reason.
func marked(windows ...string) (marks []ieg.Mark) {
	set := func(text string) (list []ieg.Intention) {
		for _, one := range strings.Fields(text) {
			who, skill, _ := strings.Cut(one, "/")
			list = append(list, tries(who, characters.Skill(skill)))
		}
		return list
	}
	for _, w := range windows {
		group, sets, _ := strings.Cut(w, ":")
		truth, found, _ := strings.Cut(sets, ">")
		p := ieg.Prediction{Intentions: set(found)}
		if why, none := strings.CutPrefix(strings.TrimSpace(sets), "!"); none {
			truth, p = "", ieg.Prediction{Reason: why}
		}
		x := window(set(truth)...)
		x.Group = group
		marks = append(marks, ieg.Score(x, p))
	}
	return marks
}

// The numbers of panels that are small enough to be counted by hand.
func TestPanels(t *testing.T) {
	right, none := "a: Ann/Stealth > Ann/Stealth", "a: >"
	var b strings.Builder
	for _, test := range []struct {
		reason string
		seeds  [][]ieg.Mark
	}{
		{"one right window", [][]ieg.Mark{marked(right)}},
		{"one window in which nothing is, and nothing is found", [][]ieg.Mark{marked(none)}},
		{"nothing was scored", [][]ieg.Mark{marked("a: !cut")}},
		{"nothing is there, and something is found", [][]ieg.Mark{marked("a: > Ann/Stealth")}},
		{"nothing is found", [][]ieg.Mark{marked("a: Ann/Stealth >")}},
		{"two skills, one of them wrong", [][]ieg.Mark{marked(right, "a: Bob/Arcana > Bob/Stealth", "a: Ann/Arcana > Bob/Insight")}},
		{"half of the time one skill", [][]ieg.Mark{marked(right, "a: Bob/Arcana > Bob/Stealth")}},
		{"one seed without a value", [][]ieg.Mark{marked(none, right), marked("a: !cut", "a: !cut")}},
		{"two seeds are averaged, and their counts added", [][]ieg.Mark{marked(right, right), marked(right, "a: Ann/Stealth > Bob/Stealth")}},
		{"three reasons", [][]ieg.Mark{marked(right, "a: !b", "a: !c", "a: !d", "a: !d")}},
		{"five reasons, the most frequent first", [][]ieg.Mark{marked(right, "a: !b", "a: !c", "a: !d", "a: !e", "a: !f", "a: !e", "a: !f", "a: !f")}},
		{"three groups", [][]ieg.Mark{marked(right, "b: Ann/Stealth > Bob/Arcana", "c: Ann/Arcana Bob/Stealth > Ann/Arcana", "b: >")}},
	} {
		fmt.Fprintf(&b, "# %s\n%s", test.reason, lines((&ieg.Panel{Name: "x", Train: 3, Of: 4, Marks: test.seeds}).Results(ieg.Bootstrap{})))
	}
	runtest.Golden(t, "panels.golden", b.String())
}

// counted are marks with so many right, wrong and missing characters and intentions, a group each.
func counted(groups ...[3]int) ieg.Panel {
	var marks []ieg.Mark
	for i, n := range groups {
		c := ieg.Counts{TP: n[0], FP: n[1], FN: n[2]}
		marks = append(marks, ieg.Mark{Group: fmt.Sprint(i), Characters: c, Intentions: c})
	}
	return ieg.Panel{Marks: [][]ieg.Mark{marks}}
}

// A gap of who acts is no result where the same windows without words have hardly one, and an F-score under a trivial
// rule says so.
func TestGapsAgainstMute(t *testing.T) {
	several := func(n [3]int) ieg.Panel { return counted(n, n, n, n, n, n, n, n) }
	for _, test := range []struct {
		reason           string
		real, play, mute ieg.Panel
		rule             ieg.Panel
		want             string
	}{
		{"mute play 5 from real play", counted([3]int{42, 8, 8}), counted([3]int{9, 8, 8}), counted([3]int{38, 12, 12}), counted([3]int{9, 8, 8}), "G_c 22.68, f_c 52.94"},
		{"mute play nearer than 5", counted([3]int{42, 8, 8}), counted([3]int{9, 8, 8}), counted([3]int{39, 11, 11}), counted([3]int{9, 8, 7}), "G_c without words, f_c 52.94 under the rule"},
		{"mute play above real play by 5", counted([3]int{38, 12, 12}), counted([3]int{9, 8, 8}), counted([3]int{42, 8, 8}), counted([3]int{9, 8, 9}), "G_c 17.88, f_c 52.94"},
		{"mute play apart in every group", several([3]int{42, 8, 8}), several([3]int{9, 8, 8}), several([3]int{30, 20, 20}), several([3]int{9, 8, 9}), "G_c 22.68, f_c 52.94"},
		{"mute play on either side of real play", counted(slices.Repeat([][3]int{{9, 1, 1}, {1, 9, 9}}, 4)...), several([3]int{9, 8, 8}), counted(slices.Repeat([][3]int{{1, 9, 9}, {6, 4, 4}}, 4)...), several([3]int{9, 8, 9}), "G_c without words, f_c 52.94"},
		{"mute play below real play in all groups", counted(slices.Repeat([][3]int{{9, 1, 1}, {8, 2, 2}}, 4)...), several([3]int{9, 8, 8}), counted(slices.Repeat([][3]int{{2, 8, 8}, {3, 7, 7}}, 4)...), several([3]int{9, 8, 9}), "G_c 23.24, f_c 52.94"},
		{"mute play apart in one group of eight", several([3]int{9, 1, 1}), several([3]int{9, 8, 8}), counted(append(slices.Repeat([][3]int{{9, 1, 1}}, 7), [3]int{10, 90, 90})...), several([3]int{9, 8, 9}), "G_c without words, f_c 52.94"},
		{"no mute play", counted([3]int{42, 8, 8}), counted([3]int{9, 8, 8}), ieg.Panel{Reason: "none"}, counted([3]int{9, 8, 9}), "G_c 22.68, f_c 52.94"},
	} {
		test.play.Name, test.mute.Name, test.rule.Name, test.rule.Control = "x", "x", "rule", ieg.Baseline
		test.mute.Control = ieg.Mute
		r := ieg.Report{Real: test.real, Generated: []ieg.Panel{test.play}, Matched: make([]ieg.Panel, 1), Mute: []ieg.Panel{{Reason: "none"}, test.mute},
			Halves: [2]ieg.Panel{{Reason: "none"}, {Reason: "none"}}, Shuffled: ieg.Panel{Reason: "none"}, Baselines: []ieg.Panel{test.rule}}
		results := r.Results(ieg.Bootstrap{})
		gap, f := valueOf(t, results, "G_c", "x", ""), valueOf(t, results, "f_c", "x", "")
		got := "G_c without words"
		if gap.Low != nil && (*gap.Low < 0 || *gap.High > 100) {
			t.Errorf("%s: G_c from %v to %v", test.reason, *gap.Low, *gap.High)
		}
		if gap.Value != nil {
			got = fmt.Sprintf("G_c %.2f", *gap.Value)
		} else if !strings.Contains(gap.Reason, "without its words") {
			t.Errorf("%s: %+v", test.reason, gap)
		}
		got += fmt.Sprintf(", f_c %.2f", *f.Value)
		if strings.Contains(f.Reason, "under the trivial rule rule (") {
			got += " under the rule"
		}
		if want := strings.TrimSuffix(test.want, ""); got != want {
			t.Errorf("%s: %s, want %s", test.reason, got, want)
		}
	}
}

// Groups of a single window are set aside, and halved, one by one.
func TestStudyOfSingleWindows(t *testing.T) {
	single := func(name string, n int, seed uint64) []ieg.Interaction {
		xs := play(name, n, 1, seed)
		for i := range xs {
			xs[i].Group = xs[i].ID
		}
		return xs
	}
	for _, test := range []struct {
		reason                     string
		train, val, windows, aside int
	}{
		{"a fifth of the real play is for validation", 80, 20, 100, 20},
		{"less than a window in a hundred", 200, 1, 100, 1},
		{"none for validation", 81, 0, 100, 0},
	} {
		s := ieg.Study{Train: train, Seeds: 1, RealTrain: single("real", test.train, 1), RealVal: single("val", test.val, 2), RealTest: single("test", 20, 3),
			Generated: []ieg.Source{{"x", single("x", test.windows, 4)}}}
		r := report(t, s)
		if p := r.Generated[0]; p.Of != test.windows-test.aside || p.Val > test.aside || (p.Val > 0) != (test.aside > 0) {
			t.Errorf("%s: drawn from %d, %d for validation", test.reason, p.Of, p.Val)
		}
		if h := r.Halves; h[0].Train != h[1].Train || h[0].Train > test.train/2 || h[0].Train < min(r.Real.Train, test.train/2) {
			t.Errorf("%s: halves of %d and %d windows of %d", test.reason, h[0].Train, h[1].Train, r.Real.Train)
		}
	}
}
