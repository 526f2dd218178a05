package vdm_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
