package vdm_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/eval/ieg"
	"parley/finetune/vdm"
)

const shared = "../../../shared/data/crd3"

// windows reads real people's play, which does not belong to this project.
func windows(t testing.TB, split string) (xs []ieg.Interaction) {
	t.Helper()
	name := filepath.Join(shared, "windows_"+split+".jsonl")
	f, err := os.Open(name)
	if os.IsNotExist(err) {
		t.Skipf("there is no %s", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for x, err := range ieg.Read(f, name) {
		if err != nil {
			t.Fatal(err)
		}
		xs = append(xs, x)
	}
	return xs
}

// f returns the micro F1 of characters and of (character, skill), in percent.
func f(t testing.TB, p ieg.Predictor, xs []ieg.Interaction) (c, o float64) {
	t.Helper()
	marks, err := ieg.Evaluate(context.Background(), p, xs, 2)
	if err != nil {
		t.Fatal(err)
	}
	var cs, os ieg.Counts
	for _, m := range marks {
		if m.Reason != "" {
			t.Fatalf("%s: unscored: %s", p.Name(), m.Reason)
		}
		cs = ieg.Counts{TP: cs.TP + m.Characters.TP, FP: cs.FP + m.Characters.FP, FN: cs.FN + m.Characters.FN}
		os = ieg.Counts{TP: os.TP + m.Intentions.TP, FP: os.FP + m.Intentions.FP, FN: os.FN + m.Intentions.FN}
	}
	return cs.F().V, os.F().V
}

// published fails where the project's README does not have a text, line breaks apart.
func published(t *testing.T, text string) {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(text)
	if !strings.Contains(strings.Join(strings.Fields(string(readme)), " "), strings.Join(strings.Fields(text), " ")) {
		t.Errorf("the README does not say: %s", text)
	}
}

// The floors are those that the linear virtual DM has to hold on real play, as means over seeds.
func TestPublishedRealPlay(t *testing.T) {
	if raced {
		t.Skip("ten trainings take minutes under the race detector, which has nothing to look for in them; .ci/run has them without it")
	}
	train, val, test := windows(t, "train"), windows(t, "val"), windows(t, "test")
	var bestC, bestO float64
	for _, b := range ieg.Baselines(train) {
		c, o := f(t, b, test)
		bestC, bestO = max(bestC, c), max(bestO, o)
		t.Logf("%-14s f_c %.2f f_o %.2f", b.Name(), c, o)
	}
	const seeds = 5
	for _, tuning := range []struct {
		name string
		val  []ieg.Interaction
	}{{"validation", val}, {"cross-validation", nil}} {
		var sumC, sumO float64
		for seed := range uint64(seeds) {
			start := time.Now()
			l, err := vdm.Train(context.Background(), vdm.Config{Seed: seed}, train, tuning.val)
			if err != nil {
				t.Fatal(err)
			}
			took := time.Since(start)
			c, o := f(t, l, test)
			vc, vo := f(t, l, val)
			sumC, sumO = sumC+c/seeds, sumO+o/seeds
			beside, alone, second := l.Thresholds()
			t.Logf("%s seed %d: test f_c %.2f f_o %.2f, val f_c %.2f f_o %.2f, thresholds %.3f %.2f %.2f, %v", tuning.name, seed, c, o, vc, vo, beside, alone, second, took)
		}
		t.Logf("%s: test f_c %.2f f_o %.2f", tuning.name, sumC, sumO)
		if said := fmt.Sprintf("it reaches f_c %.1f and f_o %.1f over 5 seeds; last speaker plus most common skill reaches %.1f and %.1f", sumC, sumO, bestC, bestO); tuning.val != nil {
			published(t, said)
		}
		if sumO < 33 || sumC < 76 || sumO < bestO+8 || sumC < bestC {
			t.Errorf("%s: f_c %.2f and f_o %.2f are below what was reached before, or too near the baselines' %.2f and %.2f", tuning.name, sumC, sumO, bestC, bestO)
		}
	}
}

func BenchmarkTrain(b *testing.B) {
	train, val := windows(b, "train"), windows(b, "val")
	for b.Loop() {
		if _, err := vdm.Train(context.Background(), vdm.Config{Seed: 1}, train, val); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPredict(b *testing.B) {
	train, test := windows(b, "train"), windows(b, "test")
	l, err := vdm.Train(context.Background(), vdm.Config{Seed: 1}, train[:400], nil)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		if _, err := l.Predict(context.Background(), &test[i%len(test)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	l, err := vdm.Train(context.Background(), vdm.Config{Seed: 1}, windows(b, "train"), windows(b, "val"))
	if err != nil {
		b.Fatal(err)
	}
	var file bytes.Buffer
	if err := l.Save(&file); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(file.Len()))
	for b.Loop() {
		if _, err := vdm.Load(bytes.NewReader(file.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}
