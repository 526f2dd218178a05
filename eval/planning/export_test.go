package planning

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"parley/eval/planning/pddl"
)

// Words puts items into words, each with a paraphrase of its own.
func (w *World) Words(task Task, items []string, seed uint64) []string {
	rng := rand.New(rand.NewPCG(seed, 9))
	out := []string{}
	for _, s := range items {
		out = append(out, w.tell(s, task.Actions(), Words, rng.IntN))
	}
	return out
}

// CountStates draws Blocksworld states and counts each.
func CountStates(blocks, n int, seed uint64) map[string]int {
	rng := rand.New(rand.NewPCG(seed, 0))
	counts := map[string]int{}
	for range n {
		towers := uniformTowers(blocks, rng)
		slices.SortFunc(towers, func(a, b []int) int { return a[0] - b[0] })
		counts[fmt.Sprint(towers)]++
	}
	return counts
}

// ReadAction reads the one action that a text tells, in words or in PDDL.
func (w *World) ReadAction(text string) (pddl.Atom, error) {
	got := w.Reader().Read(Plan, text, false)
	if len(got.Items) != 1 || got.Items[0].Class != Valid {
		return pddl.Atom{}, fmt.Errorf("%q: want one action, read %v", text, got.Items)
	}
	return pddl.ParseAtom(got.Items[0].Item), nil
}

// Effects returns what an action makes true and false in the initial state, sorted.
func (w *World) Effects(action pddl.Atom) (positive, negative []string, err error) {
	op := w.Task.Find(action)
	if op < 0 || !w.Task.Applicable(w.Task.Init, op) {
		return nil, nil, fmt.Errorf("problem %s: action %s does not apply", w.ID, action)
	}
	end := slices.Clone(w.Task.Init)
	w.Task.Apply(end, end, op)
	positive, negative = w.difference(end)
	return positive, negative, nil
}
