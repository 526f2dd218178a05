package ieg

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"parley/characters"
	"parley/eval/stat"
)

// Counts are what two sets have in common and what not: found and true, found and not true, true and
// not found.
type Counts struct{ TP, FP, FN int }

func (c *Counts) add(d Counts) { c.TP, c.FP, c.FN = c.TP+d.TP, c.FP+d.FP, c.FN+d.FN }

// F is the F1 score from 0 to 100, 100*2TP/(2TP+FP+FN). It does not exist where there was nothing to
// find and nothing was found.
func (c Counts) F() stat.Value {
	return share(2*c.TP, 2*c.TP+c.FP+c.FN, "nothing to find, and nothing found")
}

// Precision is the share of what was found that is true, from 0 to 100.
func (c Counts) Precision() stat.Value { return share(c.TP, c.TP+c.FP, "nothing was found") }

// Recall is the share of what is true that was found, from 0 to 100.
func (c Counts) Recall() stat.Value { return share(c.TP, c.TP+c.FN, "there is nothing to find") }

func share(n, of int, none string) stat.Value {
	if of == 0 {
		return stat.Undefined(none)
	}
	return stat.Number(100 * float64(n) / float64(of))
}

// window is the F1 score of one window: a prediction of nothing where there is nothing is right.
func (c Counts) window() float64 {
	if f := c.F(); f.OK() {
		return f.V
	}
	return 100
}

// Mark compares a prediction for one interaction with the truth. One without a set is counted, and takes no
// part in any F-score: it is neither an empty set nor a wrong one.
type Mark struct {
	Group  string
	Reason string // why it is unscored; empty: it is scored
	// Characters compares who acts, whatever the skill. Intentions compares (character, skill).
	Characters, Intentions Counts
	// Skills splits Intentions by skill. Actors is Characters again, under each skill that is truly
	// tried in this interaction.
	Skills, Actors map[characters.Skill]Counts
}

// Score compares a prediction with the truth, as sets: order and repetition do not count.
func Score(x *Interaction, p Prediction) Mark {
	m := Mark{Group: x.Group, Reason: p.Reason}
	if p.Reason != "" {
		return m
	}
	who := func(set []Intention) []string {
		names := make([]string, len(set))
		for i := range set {
			names[i] = set[i].Character
		}
		return names
	}
	m.Skills, m.Actors = map[characters.Skill]Counts{}, map[characters.Skill]Counts{}
	m.Characters = compare(who(x.Intentions), who(p.Intentions), nil)
	m.Intentions = compare(x.Intentions, p.Intentions, func(i Intention, c Counts) {
		sum := m.Skills[i.Skill]
		sum.add(c)
		m.Skills[i.Skill] = sum
	})
	for _, i := range x.Intentions {
		m.Actors[i.Skill] = m.Characters
	}
	return m
}

// compare holds two lists against each other as sets, and tells each about every element.
func compare[E comparable](truth, found []E, each func(E, Counts)) (sum Counts) {
	tell := func(e E, c Counts) {
		sum.add(c)
		if each != nil {
			each(e, c)
		}
	}
	for i, e := range found {
		switch {
		case slices.Contains(found[:i], e):
		case slices.Contains(truth, e):
			tell(e, Counts{TP: 1})
		default:
			tell(e, Counts{FP: 1})
		}
	}
	for i, e := range truth {
		if !slices.Contains(truth[:i], e) && !slices.Contains(found, e) {
			tell(e, Counts{FN: 1})
		}
	}
	return sum
}

// Evaluate asks the predictor about every interaction, at most workers at a time (0 means 1), and
// returns the marks in the order of the interactions.
func Evaluate(ctx context.Context, p Predictor, xs []Interaction, workers int) ([]Mark, error) {
	marks := make([]Mark, len(xs))
	err := each(ctx, len(xs), workers, func(ctx context.Context, i int) error {
		got, err := p.Predict(ctx, &xs[i])
		marks[i] = Score(&xs[i], got)
		return err
	})
	if err != nil {
		return nil, err
	}
	return marks, nil
}

// each does 0 to n-1, at most workers at a time, until the first error, and returns that.
func each(ctx context.Context, n, workers int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range max(workers, 1) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}
