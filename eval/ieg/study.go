package ieg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"parley/eval/stat"
)

// Trainer makes a virtual DM out of interactions. Without val it has to do without, or set some of
// train aside. The same arguments make the same virtual DM. It is safe for concurrent use and leaves
// the interactions as they are.
type Trainer func(ctx context.Context, train, val []Interaction, seed uint64) (Predictor, error)

// Seeds is how many virtual DMs of a kind are trained where nothing else is asked.
const Seeds = 5

// Source is generated play under a name.
type Source struct {
	Name         string
	Interactions []Interaction
}

// Study measures sources of generated play. For every seed it trains one virtual DM on real play and
// one on the play of every source, each on equally many windows drawn anew, and tests all of them on
// the same real play, of which none of them saw anything.
//
// With RealVal the virtual DM of real play has a validation set. Each source then sets aside the same
// share of its own groups for it: no virtual DM that stands for generated play sees real play.
//
// Two controls go with it: the noise floor, which is the gap between virtual DMs of two disjoint
// halves of the real play's groups, and the gap to real play whose skills were dealt out anew.
type Study struct {
	Train                        Trainer
	RealTrain, RealVal, RealTest []Interaction
	Generated                    []Source
	Seeds                        int                // 0 means 5
	Seed                         uint64             // of every draw
	Workers                      int                // trainings at a time; 0 means 1. It changes no result
	Progress                     func(done, of int) // trainings; not called by two at a time
}

// Panel is the virtual DMs of one kind, one a seed, with their marks on the same test.
type Panel struct {
	Name    string
	Control string   // empty: no control
	Train   int      // windows that each was trained on
	Val     int      // windows that each was validated on
	Of      int      // windows that the first number was drawn from
	Marks   [][]Mark // by seed, then by interaction of the test
	Reason  string   // why there are no marks
}

// Report is what a study found.
type Report struct {
	Real      Panel
	Generated []Panel
	Halves    [2]Panel // of the real play: the noise floor
	Shuffled  Panel    // real play, its skills dealt out anew
	Baselines []Panel
}

// The names of the controls.
const (
	NoiseFloor = "noise-floor"
	Shuffled   = "shuffled"
	Baseline   = "baseline"
)

// Validate says what makes a study impossible.
func (s *Study) Validate() error {
	switch {
	case s.Train == nil:
		return errors.New("a study needs a trainer")
	case len(s.RealTrain) == 0:
		return errors.New("there is no real play to train on")
	case len(s.RealTest) == 0:
		return errors.New("there is no real play to test on")
	case s.Seeds < 0:
		return fmt.Errorf("%d seeds are too few", s.Seeds)
	}
	groups := map[string]bool{}
	for i := range s.RealTest {
		groups[s.RealTest[i].Group] = s.RealTest[i].Group != ""
	}
	parts := append([]Source{{"the real play to train on", s.RealTrain}, {"the real play to validate on", s.RealVal}}, s.Generated...)
	for n, part := range parts {
		for i := range part.Interactions {
			if g := part.Interactions[i].Group; groups[g] {
				return fmt.Errorf("group %q stands in %s and in the test: split by group, so that nothing is tested that was learned", g, part.Name)
			}
		}
		if n < 2 {
			continue
		}
		if part.Name == "" {
			return errors.New("a source of generated play has no name")
		}
		if slices.ContainsFunc(parts[2:n], func(p Source) bool { return p.Name == part.Name }) {
			return fmt.Errorf("two sources of generated play are called %q: give each its own name", part.Name)
		}
	}
	return nil
}

// kind is a panel in the making: what each seed trains on.
type kind struct {
	panel *Panel
	draw  func(seed uint64) (train, val []Interaction, err error)
}

// Run trains and tests. What cannot be trained is a panel with its reason; an error means that
// there is no report at all.
func (s *Study) Run(ctx context.Context) (*Report, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	r := &Report{Generated: make([]Panel, len(s.Generated))}
	kinds := s.kinds(r)
	seeds := cmp.Or(s.Seeds, Seeds)
	reasons := make([][]string, len(kinds))
	for k := range kinds {
		kinds[k].panel.Marks = make([][]Mark, seeds)
		reasons[k] = make([]string, seeds)
	}
	var mu sync.Mutex
	done := 0
	err := each(ctx, seeds*len(kinds), s.Workers, func(ctx context.Context, job int) error {
		n, k := job/len(kinds), job%len(kinds)
		marks, err := s.one(ctx, kinds[k].draw, s.seed(n))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		kinds[k].panel.Marks[n] = marks
		if err != nil {
			reasons[k][n] = err.Error()
		}
		mu.Lock()
		defer mu.Unlock()
		if done++; s.Progress != nil {
			s.Progress(done, seeds*len(kinds))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for k := range kinds {
		if i := slices.IndexFunc(reasons[k], func(why string) bool { return why != "" }); i >= 0 {
			kinds[k].panel.Reason, kinds[k].panel.Marks = reasons[k][i], nil
		}
	}
	for _, b := range Baselines(s.RealTrain) {
		marks, err := Evaluate(ctx, b, s.RealTest, 1)
		if err != nil {
			return nil, err
		}
		r.Baselines = append(r.Baselines, Panel{Name: b.Name(), Control: Baseline, Marks: [][]Mark{marks}})
	}
	return r, nil
}

// seed is that of the n-th virtual DM of every kind.
func (s *Study) seed(n int) uint64 { return rand.New(rand.NewPCG(s.Seed, uint64(n))).Uint64() }

// one trains and tests one virtual DM.
func (s *Study) one(ctx context.Context, draw func(uint64) ([]Interaction, []Interaction, error), seed uint64) ([]Mark, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	train, val, err := draw(seed)
	if err != nil {
		return nil, err
	}
	p, err := s.Train(ctx, train, val, seed)
	if err != nil {
		return nil, fmt.Errorf("train a virtual DM: %w", err)
	}
	marks, err := Evaluate(ctx, p, s.RealTest, 1)
	if err != nil {
		return nil, fmt.Errorf("test %s: %w", p.Name(), err)
	}
	return marks, nil
}

// What draws are for: each has its own stream of random numbers. All sources share one, so that
// their order and their company do not matter.
const (
	drawTrain = iota + 1
	drawVal
	drawAside
	drawHalves
	drawSkills
)

func source(seed, purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, purpose)) }

// kinds fixes how many windows each virtual DM is trained on: as many as the smallest corpus has.
func (s *Study) kinds(r *Report) []kind {
	type corpus struct {
		train, val []Interaction
		err        error
	}
	corpora := []corpus{{train: s.RealTrain, val: s.RealVal}}
	for i := range s.Generated {
		c := corpus{train: s.Generated[i].Interactions}
		switch {
		case len(c.train) == 0:
			c.err = errors.New("there is no play")
		case len(s.RealVal) > 0:
			aside := len(c.train) * len(s.RealVal) / (len(s.RealTrain) + len(s.RealVal))
			if c.val, c.train = setAside(c.train, max(aside, 1), source(s.Seed, drawAside)); len(c.train) == 0 {
				c.err = errors.New("the play is of a single group, and none can be set aside for validation")
			}
		}
		corpora = append(corpora, c)
	}
	n, nval := len(s.RealTrain), len(s.RealVal)
	for _, c := range corpora {
		if c.err == nil {
			n, nval = min(n, len(c.train)), min(nval, len(c.val))
		}
	}
	var kinds []kind
	for i := range corpora {
		c, p := corpora[i], &r.Real
		p.Name = "real"
		if i > 0 {
			p = &r.Generated[i-1]
			p.Name = s.Generated[i-1].Name
		}
		p.Train, p.Val, p.Of = n, nval, len(c.train)
		kinds = append(kinds, kind{p, func(seed uint64) ([]Interaction, []Interaction, error) {
			if c.err != nil {
				return nil, nil, c.err
			}
			return sample(c.train, n, source(seed, drawTrain)), sample(c.val, nval, source(seed, drawVal)), nil
		}})
	}
	real := kinds[0].draw
	r.Shuffled = Panel{Name: "real", Control: Shuffled, Train: n, Val: nval, Of: len(s.RealTrain)}
	kinds = append(kinds, kind{&r.Shuffled, func(seed uint64) ([]Interaction, []Interaction, error) {
		train, val, err := real(seed)
		rnd := source(seed, drawSkills)
		return shuffled(train, rnd), shuffled(val, rnd), err
	}})
	half := n
	for k := range cmp.Or(s.Seeds, Seeds) {
		a, b := halves(s.RealTrain, source(s.seed(k), drawHalves))
		half = min(half, len(a), len(b))
	}
	for side := range r.Halves {
		r.Halves[side] = Panel{Name: []string{"half 1", "half 2"}[side], Control: NoiseFloor, Train: half, Val: nval, Of: len(s.RealTrain)}
		kinds = append(kinds, kind{&r.Halves[side], func(seed uint64) ([]Interaction, []Interaction, error) {
			if half == 0 {
				return nil, nil, errors.New("the real play to train on is of a single group, which has no halves")
			}
			a, b := halves(s.RealTrain, source(seed, drawHalves))
			part := [][]Interaction{a, b}[side]
			return sample(part, half, source(seed, drawTrain)), sample(s.RealVal, nval, source(seed, drawVal)), nil
		}})
	}
	return kinds
}

// sample draws n windows, which keep their order. All of them are all of them.
func sample(xs []Interaction, n int, r *rand.Rand) []Interaction {
	if n >= len(xs) {
		return xs
	}
	at := r.Perm(len(xs))[:n]
	slices.Sort(at)
	out := make([]Interaction, n)
	for i, k := range at {
		out[i] = xs[k]
	}
	return out
}

// setAside takes whole groups until at least n windows are aside. The groups come in a random order.
func setAside(xs []Interaction, n int, r *rand.Rand) (aside, rest []Interaction) {
	taken, out := 0, map[string]bool{}
	groups := groupsOf(xs)
	for _, g := range r.Perm(len(groups)) {
		if taken < n {
			taken += len(groups[g])
			out[xs[groups[g][0]].Group] = true
		}
	}
	return split(xs, out)
}

// halves splits by group, each group in random order to the half that has fewer windows.
func halves(xs []Interaction, r *rand.Rand) (a, b []Interaction) {
	first, na, nb := map[string]bool{}, 0, 0
	groups := groupsOf(xs)
	for _, g := range r.Perm(len(groups)) {
		if na <= nb {
			first[xs[groups[g][0]].Group] = true
			na += len(groups[g])
		} else {
			nb += len(groups[g])
		}
	}
	return split(xs, first)
}

func split(xs []Interaction, groups map[string]bool) (in, out []Interaction) {
	for i := range xs {
		if groups[xs[i].Group] {
			in = append(in, xs[i])
		} else {
			out = append(out, xs[i])
		}
	}
	return in, out
}

func groupsOf(xs []Interaction) [][]int {
	ids := make([]string, len(xs))
	for i := range xs {
		ids[i] = xs[i].Group
	}
	return stat.Clusters(ids)
}

// shuffled deals all skills out anew, whoever tries them: how often each is tried stays, what was said
// has nothing to do with it any more. A character that is dealt a skill twice in a window tries it once.
func shuffled(xs []Interaction, r *rand.Rand) []Interaction {
	out := slices.Clone(xs)
	var all []*Intention
	for i := range out {
		out[i].Intentions = slices.Clone(out[i].Intentions)
		for k := range out[i].Intentions {
			all = append(all, &out[i].Intentions[k])
		}
	}
	r.Shuffle(len(all), func(i, j int) { all[i].Skill, all[j].Skill = all[j].Skill, all[i].Skill })
	for i := range out {
		var set []Intention
		for _, in := range out[i].Intentions {
			if !slices.Contains(set, in) {
				set = append(set, in)
			}
		}
		out[i].Intentions = set
	}
	return out
}
