package ieg_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/eval/ieg"
	"parley/eval/run"
	"parley/eval/run/runtest"
)

// A study holds to what holds for every kind of run.
func TestPlan(t *testing.T) {
	s := study()
	s.RealTrain, s.RealVal, s.RealTest, s.Generated, s.Seeds = play("real", 60, 0.8, 1), nil, play("test", 40, 0.8, 3), []ieg.Source{{"clear", play("clear", 60, 0.8, 4)}}, 2
	c, err := s.Keep(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c.Settings = run.Settings{Seed: 1, Jobs: 2}
	var got []string
	for _, m := range ieg.New(c, train).Metrics() {
		got = append(got, fmt.Sprintf("%s %v to %v %t", m.Name, m.Low, m.High, m.Higher))
	}
	if want := "words_o -100 to 100 true, words_c -100 to 100 true, G_o 0 to 100 false, G_c 0 to 100 false, signed_o -100 to 100 false, signed_c -100 to 100 false, f_o 0 to 100 true, f_c 0 to 100 true"; strings.Join(got, ", ") != want {
		t.Errorf("metrics %q", got)
	}
	runtest.TestPlan(t, runtest.Case{
		New:     func() run.Plan { c := *c; return ieg.New(&c, train) },
		Options: run.Options{Kinds: run.Kinds{ieg.Kind: ieg.Decode(train)}, Secret: []byte("0123456789abcdef")},
		Stops:   2,
	})
}
