package planning

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/eval/planning/pddl"
)

// maxWalk bounds the random walks that vary problems.
const maxWalk = 30

// Vary makes n problems of the domain of some given ones, for domains without a generator: first the
// given ones, then variations of them, whose initial state is a random walk away from a given one and
// whose goal has as many atoms, of the same predicates, of a state another walk away. As in Generate,
// none is there twice, is solved at once, or is unsolved within the limits.
func Vary(ctx context.Context, given []*World, n int, seed uint64, o pddl.Options, progress func(done int)) ([]*World, error) {
	rng := rand.New(rand.NewPCG(seed, 0x76617279))
	i := -1
	return collect(ctx, n, o, progress, func(done int) (*World, error) {
		i++
		w := given[i%len(given)]
		if i < len(given) {
			return w, nil
		}
		p, err := w.vary(rng, fmt.Sprintf("%s-%d-%04d", w.ID, seed, done+1))
		if err != nil {
			return nil, err
		}
		return p.Open()
	})
}

// vary writes a variation of a problem.
func (w *World) vary(rng *rand.Rand, id string) (Problem, error) {
	p := *w.Task.Problem
	if p.Priced {
		return Problem{}, fmt.Errorf("problem %s: problems with action costs are not varied; give %s more of them", w.ID, w.Domain)
	}
	start := w.wander(w.Task.Init, 1+rng.IntN(maxWalk), rng)
	end := w.wander(start, 1+rng.IntN(maxWalk), rng)
	p.Init = w.Task.Atoms(start, true)
	var pool []pddl.Literal
	for _, a := range w.Task.Atoms(end, false) {
		if slices.ContainsFunc(w.Task.Problem.Goal, func(l pddl.Literal) bool { return l.Name == a.Name }) {
			pool = append(pool, pddl.Literal{Atom: a})
		}
	}
	rng.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	p.Goal = pool[:min(len(pool), len(p.Goal))]
	slices.SortFunc(p.Goal, func(a, b pddl.Literal) int { return strings.Compare(a.String(), b.String()) })
	task := *w.Task
	task.Problem = &p
	told := (&World{Task: &task}).factsPDDL(true)
	return Problem{ID: id, Rules: w.Rules, PDDL: fmt.Sprintf("(define (problem varied)\n(:domain %s)\n%s)\n", w.Domain, told)}, nil
}

// wander returns the state after random applicable actions.
func (w *World) wander(from pddl.State, steps int, rng *rand.Rand) pddl.State {
	s := slices.Clone(from)
	for range steps {
		apply := w.Task.AllApplicable(s)
		if len(apply) == 0 {
			break
		}
		w.Task.Apply(s, s, apply[rng.IntN(len(apply))])
	}
	return s
}
