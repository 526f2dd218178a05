package stat_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"parley/eval/stat"
)

func TestLinkage(t *testing.T) {
	at := []float64{0, 1, 10, 11, 30}
	alike := func(i, j int) float64 { return 1 / (1 + math.Abs(at[i]-at[j])) }
	for _, c := range []struct {
		reason string
		tau    float64
		want   string
	}{
		{"nothing is so alike", 0.6, "[[0] [1] [2] [3] [4]]"},
		{"pairs", 0.5, "[[0 1] [2 3] [4]]"},
		{"the pairs are alike on average", 0.09, "[[0 1 2 3] [4]]"},
		{"all", 0, "[[0 1 2 3 4]]"},
	} {
		if have := fmt.Sprint(stat.Linkage(len(at), alike, c.tau)); have != c.want {
			t.Errorf("%s: %s, want %s", c.reason, have, c.want)
		}
	}
}

// Of equals the first become a group, of others the most alike, whichever come first.
func TestLinkageInOrder(t *testing.T) {
	for _, c := range []struct {
		alike map[[2]int]float64
		want  string
	}{
		{map[[2]int]float64{{1, 0}: 0.8, {2, 0}: 0.8}, "[[0 1] [2]]"},
		{map[[2]int]float64{{1, 0}: 0.6, {2, 1}: 0.9}, "[[0] [1 2]]"},
		{map[[2]int]float64{{1, 0}: 0.5}, "[[0 1] [2]]"},
	} {
		if have := fmt.Sprint(stat.Linkage(3, func(i, j int) float64 { return c.alike[[2]int{i, j}] }, 0.5)); have != c.want {
			t.Errorf("%v: %s, want %s", c.alike, have, c.want)
		}
	}
}

// Three kinds, one that all sources have and two that one each has, give 1 + 2n/4 on average.
func TestRarefaction(t *testing.T) {
	list := stat.Rarefaction([][]int{{0, 1, 2, 3}, {2}, {3, 9, 4, -1}, {7}}, 4, rand.New(rand.NewPCG(1, 1)))
	for i, r := range list {
		if want := 1 + 0.5*float64(i+1); r.Sources != i+1 || math.Abs(r.Mean-want) > 0.1 || r.Low > r.Mean || r.High < r.Mean {
			t.Errorf("%+v, want a mean of %v", r, want)
		}
	}
	if last := list[3]; last.Low != 3 || last.High != 3 {
		t.Errorf("with all sources: %+v", last)
	}
}
