package ieg_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"parley/characters"
	"parley/eval/ieg"
)

func window(truth ...ieg.Intention) *ieg.Interaction {
	return &ieg.Interaction{ID: "w", Group: "g", Cast: []string{"Ann", "Bob", "Cid"}, Intentions: truth}
}

func tries(name string, skill characters.Skill) ieg.Intention {
	return ieg.Intention{Character: name, Skill: skill}
}

func TestScore(t *testing.T) {
	for _, test := range []struct {
		name                   string
		truth, found           []ieg.Intention
		unscored               string
		characters, intentions ieg.Counts
		reason                 string
	}{
		{name: "right", truth: []ieg.Intention{tries("Ann", "Stealth")}, found: []ieg.Intention{tries("Ann", "Stealth")},
			characters: ieg.Counts{TP: 1}, intentions: ieg.Counts{TP: 1}},
		{name: "who, not how", truth: []ieg.Intention{tries("Ann", "Stealth")}, found: []ieg.Intention{tries("Ann", "Arcana")},
			characters: ieg.Counts{TP: 1}, intentions: ieg.Counts{FP: 1, FN: 1}},
		{name: "how, not who", truth: []ieg.Intention{tries("Ann", "Stealth")}, found: []ieg.Intention{tries("Bob", "Stealth")},
			characters: ieg.Counts{FP: 1, FN: 1}, intentions: ieg.Counts{FP: 1, FN: 1}},
		{name: "one of two", truth: []ieg.Intention{tries("Ann", "Stealth"), tries("Bob", "Insight")}, found: []ieg.Intention{tries("Bob", "Insight")},
			characters: ieg.Counts{TP: 1, FN: 1}, intentions: ieg.Counts{TP: 1, FN: 1}},
		{name: "one character, two skills", truth: []ieg.Intention{tries("Ann", "Stealth"), tries("Ann", "Insight")}, found: []ieg.Intention{tries("Ann", "Insight")},
			characters: ieg.Counts{TP: 1}, intentions: ieg.Counts{TP: 1, FN: 1}, reason: "a character is named once"},
		{name: "said twice", truth: []ieg.Intention{tries("Ann", "Stealth")}, found: []ieg.Intention{tries("Ann", "Stealth"), tries("Ann", "Stealth")},
			characters: ieg.Counts{TP: 1}, intentions: ieg.Counts{TP: 1}, reason: "sets"},
		{name: "wrong twice", truth: []ieg.Intention{tries("Ann", "Stealth")}, found: []ieg.Intention{tries("Bob", "Arcana"), tries("Bob", "Arcana")},
			characters: ieg.Counts{FP: 1, FN: 1}, intentions: ieg.Counts{FP: 1, FN: 1}, reason: "sets"},
		{name: "true twice", truth: []ieg.Intention{tries("Ann", "Stealth"), tries("Ann", "Stealth")},
			characters: ieg.Counts{FN: 1}, intentions: ieg.Counts{FN: 1}, reason: "sets"},
		{name: "nothing where nothing is"},
		{name: "something where nothing is", found: []ieg.Intention{tries("Ann", "Stealth")},
			characters: ieg.Counts{FP: 1}, intentions: ieg.Counts{FP: 1}},
		{name: "no set", truth: []ieg.Intention{tries("Ann", "Stealth")}, unscored: "the reply was cut",
			reason: "unscored is no empty set: it misses nothing"},
	} {
		m := ieg.Score(window(test.truth...), ieg.Prediction{Intentions: test.found, Reason: test.unscored})
		if m.Characters != test.characters || m.Intentions != test.intentions || m.Reason != test.unscored || m.Group != "g" {
			t.Errorf("%s: %+v, want %+v and %+v %s", test.name, m, test.characters, test.intentions, test.reason)
		}
		var split ieg.Counts
		for _, c := range m.Skills {
			split.TP, split.FP, split.FN = split.TP+c.TP, split.FP+c.FP, split.FN+c.FN
		}
		if split != m.Intentions {
			t.Errorf("%s: by skill %+v, in all %+v", test.name, split, m.Intentions)
		}
	}
}

// Order and repetition of a set, on either side, change nothing.
func TestScoreIsOfSets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	skills, names := characters.Skills(), []string{"Ann", "Bob", "Cid"}
	draw := func() (set []ieg.Intention) {
		for range r.IntN(5) {
			set = append(set, tries(names[r.IntN(3)], skills[r.IntN(4)]))
		}
		return set
	}
	mixed := func(set []ieg.Intention) []ieg.Intention {
		out := append([]ieg.Intention(nil), set...)
		if len(set) > 0 {
			out = append(out, set[r.IntN(len(set))])
		}
		r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		return out
	}
	for range 2000 {
		truth, found := draw(), draw()
		a := ieg.Score(window(truth...), ieg.Prediction{Intentions: found})
		b := ieg.Score(window(mixed(truth)...), ieg.Prediction{Intentions: mixed(found)})
		if a.Characters != b.Characters || a.Intentions != b.Intentions {
			t.Fatalf("%v against %v: %+v, and mixed %+v", found, truth, a, b)
		}
		swapped := ieg.Score(window(found...), ieg.Prediction{Intentions: truth})
		if f, g := a.Intentions.F(), swapped.Intentions.F(); f != g {
			t.Fatalf("F of %v against %v is %v, the other way round %v", found, truth, f, g)
		}
		if a.Characters.TP < min(1, a.Intentions.TP) {
			t.Fatalf("%v against %v: a right intention has no right character", found, truth)
		}
	}
}

func TestCounts(t *testing.T) {
	c := ieg.Counts{TP: 3, FP: 1, FN: 2}
	for name, got := range map[string]float64{"F": c.F().V - 100*6.0/9, "precision": c.Precision().V - 75, "recall": c.Recall().V - 60} {
		if math.Abs(got) > 1e-12 {
			t.Errorf("%s is off by %v", name, got)
		}
	}
	if f := (ieg.Counts{}).F(); f.OK() {
		t.Errorf("F of nothing is %v", f)
	}
	if f := (ieg.Counts{FN: 2}).F(); !f.OK() || f.V != 0 {
		t.Errorf("F of nothing found is %v, want 0", f)
	}
	if p := (ieg.Counts{FN: 2}).Precision(); p.OK() {
		t.Errorf("precision of nothing found is %v", p)
	}
}

func TestGap(t *testing.T) {
	for _, test := range []struct {
		real, generated, want float64
		blank                 bool
	}{
		{real: 39.73, generated: 4.96, want: 77.80},
		{real: 30.61, generated: 0.02, want: 99.87},
		{real: 50, generated: 50, want: 0},
		{real: 50, generated: 0, want: 100},
		{real: 0, generated: 0, want: 0, blank: true},
	} {
		got, blank := ieg.Gap(test.real, test.generated)
		if math.Abs(got-test.want) > 0.005 || blank != test.blank {
			t.Errorf("Gap(%v, %v) = %v, %v, want %v, %v", test.real, test.generated, got, blank, test.want, test.blank)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		a, b, scale := 100*r.Float64(), 100*r.Float64(), 0.01+r.Float64()
		g, _ := ieg.Gap(a, b)
		back, _ := ieg.Gap(b, a)
		scaled, _ := ieg.Gap(scale*a, scale*b)
		if g != back || g < 0 || g > 100 || math.Abs(g-scaled) > 1e-9 {
			t.Fatalf("Gap(%v, %v) = %v, swapped %v, scaled %v", a, b, g, back, scaled)
		}
	}
}

func TestBaselines(t *testing.T) {
	train := []ieg.Interaction{
		{Intentions: []ieg.Intention{tries("Bob", "Stealth"), tries("Ann", "Stealth")}},
		{Intentions: []ieg.Intention{tries("Bob", "Insight")}},
	}
	x := window()
	x.Lines = []ieg.Line{{"Ann", "Hm."}, {"Cid", "I go first."}, {"Guest", "Ha."}, {ieg.DM, "Do you?"}}
	want := map[string][]ieg.Intention{
		"last-speaker": {tries("Cid", "Stealth")}, // guests and the DM try nothing
		"majority":     {tries("Bob", "Stealth")},
		"nobody":       nil,
	}
	if got, err := ieg.Baselines(nil)[1].Predict(t.Context(), x); err != nil || len(got.Intentions) != 1 || got.Intentions[0] != tries("Ann", characters.Skills()[0]) {
		t.Errorf("among equals the first counts: %+v, %v", got, err)
	}
	list := ieg.Baselines(train)
	if len(list) != len(want) {
		t.Fatalf("%d baselines", len(list))
	}
	for _, p := range list {
		got, err := p.Predict(t.Context(), x)
		if err != nil || got.Reason != "" || len(got.Intentions) != len(want[p.Name()]) || len(got.Intentions) > 0 && got.Intentions[0] != want[p.Name()][0] {
			t.Errorf("%s: %+v, %v, want %v", p.Name(), got, err, want[p.Name()])
		}
		if got, err := p.Predict(t.Context(), &ieg.Interaction{}); err != nil || len(got.Intentions) != 0 {
			t.Errorf("%s of an empty interaction: %+v, %v", p.Name(), got, err)
		}
	}
}

// fixed predicts by a function.
type fixed func(x *ieg.Interaction) (ieg.Prediction, error)

func (fixed) Name() string { return "fixed" }
func (f fixed) Predict(_ context.Context, x *ieg.Interaction) (ieg.Prediction, error) {
	return f(x)
}

func TestEvaluate(t *testing.T) {
	xs := make([]ieg.Interaction, 50)
	for i := range xs {
		xs[i] = *window(tries("Ann", characters.Skills()[i%18]))
		xs[i].Group = string(rune('a' + i%7))
	}
	oracle := fixed(func(x *ieg.Interaction) (ieg.Prediction, error) {
		return ieg.Prediction{Intentions: x.Intentions}, nil
	})
	for _, workers := range []int{0, 1, 8, 100} {
		marks, err := ieg.Evaluate(t.Context(), oracle, xs, workers)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range marks {
			if m.Group != xs[i].Group || m.Intentions != (ieg.Counts{TP: 1}) {
				t.Fatalf("%d workers: mark %d is %+v", workers, i, m)
			}
		}
	}
	broken := errors.New("the model is gone")
	if _, err := ieg.Evaluate(t.Context(), fixed(func(*ieg.Interaction) (ieg.Prediction, error) { return ieg.Prediction{}, broken }), xs, 4); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ieg.Evaluate(ctx, oracle, xs, 4); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want a cancelled context", err)
	}
}
