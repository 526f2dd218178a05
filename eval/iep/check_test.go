package iep_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"parley/eval/iep"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/llm"
)

func share(hits []bool) float64 {
	n := 0
	for _, h := range hits {
		if h {
			n++
		}
	}
	return float64(n) / float64(len(hits))
}

// The lexical judge counts the facts of planted debriefs right to within one in nine of ten cases,
// whichever they are.
func TestLexicalOnPlantedDebriefs(t *testing.T) {
	for seed := range uint64(5) {
		c, _, err := iep.CheckJudge(context.Background(), lexical(), scenarios.Library().Knowledge, 100, sim.Rand(seed))
		if err != nil || len(c.Missing) > 0 {
			t.Fatal(err, c.Missing)
		}
		var bias float64
		for _, b := range c.Bias {
			bias += b / 100
		}
		t.Logf("seed %d: exact %.2f, within one %.2f, bias %+.2f, flip %.2f", seed, share(c.Exact), share(c.Within1), bias, share(c.Flip))
		if share(c.Within1) < 0.9 || bias < -0.5 || bias > 0.5 || share(c.Flip) > 0 {
			t.Errorf("seed %d: within one in %.2f, bias %+.2f, flips %.2f", seed, share(c.Within1), bias, share(c.Flip))
		}
	}
}

func rng() *rand.Rand { return sim.Rand(4) }

// judge2many matches one gold point more than there is reason to.
type judge2many struct{ *iep.Lexical }

func (j judge2many) Match(ctx context.Context, a iep.Ask, k *scenarios.Knowledge, gold []string, answer string) (iep.Verdict, []llm.Call, error) {
	v, calls, err := j.Lexical.Match(ctx, a, k, gold, answer)
	used := map[int]bool{}
	for _, m := range v.Matches {
		used[m.Gold] = true
	}
	for g := range gold {
		if !used[g] {
			v.Points = append(v.Points, "made up")
			v.Matches = append(v.Matches, iep.Match{Gold: g, Said: len(v.Points) - 1})
			break
		}
	}
	return v, calls, err
}
