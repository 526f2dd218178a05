package finetune_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/finetune"
)

func TestSplits(t *testing.T) {
	for _, by := range []string{"group", "scenario"} {
		t.Run(by, func(t *testing.T) {
			xs := many(300, 2)
			for i := range xs {
				xs[i].Scenario = fmt.Sprintf("s%d", i/2%150)
			}
			xs[10].Scenario = ""
			o := finetune.Options{Shares: [3]float64{80, 10, 10}, By: by, Seed: 3}
			where := func(b *finetune.Built) map[string]finetune.Split {
				at := map[string]finetune.Split{}
				groups, scenarios := map[string]finetune.Split{}, map[string]finetune.Split{}
				for _, s := range finetune.Splits() {
					for _, x := range read(t, b, s) {
						at[x.ID] = s
						if o, ok := groups[x.Group]; ok && o != s {
							t.Errorf("the group %s is torn apart", x.Group)
						}
						groups[x.Group] = s
						if o, ok := scenarios[x.Scenario]; by == "scenario" && x.Scenario != "" && ok && o != s {
							t.Errorf("the scenario %s is torn apart", x.Scenario)
						}
						scenarios[x.Scenario] = s
					}
				}
				return at
			}
			all := build(t, stream(xs...), o)
			for i, share := range o.Shares {
				if n := float64(all.Report().Splits[i].Examples) / 6; n < share/2 || n > 1.5*share {
					t.Errorf("%s has %.0f %%, and %v were asked for", finetune.Splits()[i], n, share)
				}
			}
			whole, part := where(all), where(build(t, stream(xs[:200]...), o))
			for id, s := range part {
				if whole[id] != s {
					t.Errorf("%s moves from %s to %s when data is added", id, s, whole[id])
				}
			}
			o.Seed = 4
			if cmp.Equal(whole, where(build(t, stream(xs...), o))) {
				t.Error("another seed makes the same splits")
			}
		})
	}
}

// A source may say where its examples go.
func TestGivenSplits(t *testing.T) {
	xs := many(30, 2)
	for i := range xs {
		if i < 20 {
			xs[i].Split = finetune.Test
		}
	}
	xs[1].Split = "" // goes with its group
	o := finetune.Options{Shares: [3]float64{1, 1, 0}}
	b := build(t, stream(xs...), o)
	if got := read(t, b, finetune.Test); len(got) != 20 || b.Report().Given != 19 {
		t.Errorf("test has %d examples, of %d given, want 20 and 19", len(got), b.Report().Given)
	}
	xs[2].Split, xs[3].Split = finetune.Train, finetune.Test
	if _, err := finetune.Build(t.Context(), stream(xs...), o); err == nil || !strings.Contains(err.Error(), `"g1"`) {
		t.Errorf("a torn group is answered with %v", err)
	}
}

// A group whose examples belong to two scenarios ties them together.
func TestSplitTies(t *testing.T) {
	for seed := range uint64(20) {
		var xs []finetune.Example
		for i, s := range []string{"a", "b", "b", "c", "d"} {
			x := example(fmt.Sprint(i), fmt.Sprintf("g%d", i/2), prose(uint64(i), 30))
			x.Scenario = s
			xs = append(xs, x)
		}
		b, err := finetune.Build(t.Context(), stream(xs...), finetune.Options{By: "scenario", Shares: [3]float64{50, 50, 0}, Seed: seed})
		if err != nil {
			continue // all in validation
		}
		if n := len(read(t, b, finetune.Train)); n != 4 && n != 1 && n != 5 {
			t.Errorf("seed %d: train has %d examples; the first four are tied", seed, n)
		}
	}
}
