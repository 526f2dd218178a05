package ieg_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/eval"
	"parley/eval/ieg"
	"parley/eval/run"
	"parley/eval/run/runtest"
)

// small is the configuration of a study that is soon done.
func small(t *testing.T) *ieg.Config {
	t.Helper()
	s := study()
	s.RealTrain, s.RealVal, s.RealTest, s.Generated, s.Seeds = play("real", 60, 0.8, 1), nil, play("test", 40, 0.8, 3), []ieg.Source{{"clear", play("clear", 60, 0.8, 4)}}, 2
	c, err := s.Keep(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c.Settings = run.Settings{Seed: 1, Jobs: 2}
	return c
}

// A study holds to what holds for every kind of run.
func TestPlan(t *testing.T) {
	c := small(t)
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

// What a run holds beside the predictions that its study makes is an error, and the page says what was compared.
func TestResultsOfForeignPredictions(t *testing.T) {
	type row struct {
		Session    string   `json:"session"`
		Window     string   `json:"window"`
		Characters []string `json:"characters"`
		Skills     []string `json:"skills"`
		Reason     string   `json:"reason"`
	}
	p, dir := ieg.New(small(t), train), filepath.Join(t.TempDir(), "run")
	m, err := run.Run(t.Context(), dir, p, run.Options{Kinds: run.Kinds{ieg.Kind: ieg.Decode(train)}, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	var trainings []string
	type training struct {
		ID      string `json:"id" parquet:"id"`
		Arm     string `json:"arm" parquet:"arm"`
		Control string `json:"control" parquet:"control"`
		Seed    int    `json:"seed" parquet:"seed"`
		Train   int    `json:"train" parquet:"train"`
	}
	for r, err := range (run.Rows[training]{Name: "trainings"}).Read(dir) {
		if err != nil {
			t.Fatal(err)
		}
		trainings = append(trainings, fmt.Sprintf("%s %s %s %d", r.ID, r.Arm, r.Control, r.Seed))
	}
	if got := strings.Join(trainings[:3], ", "); len(trainings) != 14 || got != "seed001-001 real  1, seed001-002 real mute 1, seed001-003 clear  1" {
		t.Errorf("%d trainings: %s", len(trainings), got)
	}
	if err := os.Remove(filepath.Join(dir, "predictions.parquet")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason string
		row    row
		fails  bool
	}{
		{"a prediction", row{"seed001-001", "test:1", []string{"Ann"}, []string{"Stealth"}, ""}, false},
		{"none, for a reason", row{"seed001-001", "test:1", nil, nil, "cut"}, false},
		{"of no training", row{"seed009-001", "test:1", nil, nil, ""}, true},
		{"of no window", row{"seed001-001", "real:1", nil, nil, ""}, true},
		{"a character without a skill", row{"seed001-001", "test:1", []string{"Ann"}, nil, ""}, true},
	} {
		line, err := json.Marshal(test.row)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "predictions.jsonl"), append(line, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := p.Results(dir, m)
		if (err != nil) != test.fails {
			t.Errorf("%s: %v", test.reason, err)
		}
		if f := "79 x unscored: the run holds no prediction"; err == nil && !strings.Contains(valueOf(t, got, "f_c", "real", "").Reason, f) {
			t.Errorf("%s: %+v, want %s", test.reason, valueOf(t, got, "f_c", "real", ""), f)
		}
	}
	var page strings.Builder
	if err := p.Report(dir, m, &page); err != nil || !strings.Contains(page.String(), "1 sources of generated play against real play, 2 virtual DMs of each kind, seed 1.") {
		t.Errorf("%v, %.300s", err, page.String())
	}
}

// Windows that are kept are those of the study again.
func TestKeep(t *testing.T) {
	s, dir := study(), t.TempDir()
	s.RealVal, s.Seeds = nil, 3
	c, err := s.Keep(dir)
	if err != nil || c.Seeds != 3 || c.RealVal != "" || len(c.Generated) != 3 || c.Generated[1].Name != "hazy" || c.Generated[1].File != filepath.Join(dir, "generated-2.jsonl") {
		t.Fatalf("%+v, %v", c, err)
	}
	for path, want := range map[string][]ieg.Interaction{c.RealTrain: s.RealTrain, c.RealTest: s.RealTest, c.Generated[2].File: s.Generated[2].Interactions} {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if got, err := readAll(f); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s holds %d windows, %v", path, len(got), err)
		}
	}
	s.RealTest[0].ID = ""
	if _, err := s.Keep(dir); err == nil {
		t.Error("a window without an id is kept")
	}
}

// What should be there and is not, baselines and gaps of no meaning aside.
func TestMissing(t *testing.T) {
	v := 1.0
	var wordless string
	_, list := standard()
	for _, r := range list {
		if r.Value == nil && strings.HasPrefix(r.Metric, "G_c") {
			wordless = r.Reason
		}
	}
	for _, test := range []struct {
		r    eval.Result
		want int
	}{
		{eval.Result{Metric: "f_o", Reason: "x"}, 1}, {eval.Result{Metric: "G_o", Reason: "x"}, 1}, {eval.Result{Metric: "words_o", Reason: "x"}, 0},
		{eval.Result{Metric: "f_o", Value: &v}, 0}, {eval.Result{Metric: "f_o", Control: ieg.Baseline, Reason: "x"}, 0}, {eval.Result{Metric: "G_c", Reason: wordless}, map[bool]int{true: 0, false: 1}[wordless != ""]},
	} {
		if got := ieg.Missing([]eval.Result{test.r}); got != test.want {
			t.Errorf("%+v: %d", test.r, got)
		}
	}
}
