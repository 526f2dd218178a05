//go:build !race

package finetune_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"parley/eval/ieg"
	"parley/finetune"
)

// Real people's play keeps its own splits, in which no episode stands twice.
func TestWindowsOfRealPlay(t *testing.T) {
	var all []finetune.Example
	for _, split := range []string{"train", "val", "test"} {
		name := filepath.Join("..", "..", "shared", "data", "crd3", "windows_"+split+".jsonl")
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			t.Skipf("there is no %s", name)
		}
		if err != nil {
			t.Fatal(err)
		}
		for x, err := range ieg.Read(f, name) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, finetune.FromWindow(&x))
		}
		f.Close()
	}
	b := build(t, stream(all...), finetune.Options{Task: finetune.DM, Shares: [3]float64{1, 1, 1}})
	r := b.Report()
	if r.Kept < len(all)*9/10 {
		t.Errorf("%d of %d windows are kept: %+v", r.Kept, len(all), r.Dropped)
	}
	split := map[string]finetune.Split{}
	for i := range all {
		split[all[i].ID] = all[i].Split
	}
	for _, s := range finetune.Splits() {
		xs := read(t, b, s)
		if len(xs) == 0 {
			t.Errorf("%s is empty", s)
		}
		for i := range xs {
			if split[xs[i].ID] != s {
				t.Fatalf("window %s belongs to %s and is in %s", xs[i].ID, split[xs[i].ID], s)
			}
		}
	}
}
