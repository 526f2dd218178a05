package ieg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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
// share of its own groups for it: no virtual DM of generated play sees real play.
//
// The windows of a source are weighted, so that their skills, the distances of the moves from the windows' ends
// and their numbers of intentions have real play's shares (see weights); stretches of play keep the last two. Sizes are
// matched in pairs: the virtual DM of real play that a source is compared with learned from as many windows as the
// source's are worth by their weights, so that a small source does not shrink the others.
//
// Controls go with it: the noise floor, which is the gap between virtual DMs of two disjoint halves of the
// real play's groups; the gap to real play whose skills were dealt out anew; and, for real play and every
// source, the virtual DM of the same windows without their words, over which words have to add something.
type Study struct {
	Train                        Trainer
	RealTrain, RealVal, RealTest []Interaction
	Generated                    []Source
	Stretches                    bool               // windows are stretches of play, and not cut at moves: their shapes are not matched
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
	Note    string   // how these are weighted
	Marks   [][]Mark // by seed, then by interaction of the test
	Reason  string   // why there are no marks
}

// Report holds the marks of all virtual DMs of a study.
type Report struct {
	Real      Panel
	Generated []Panel
	Matched   []Panel  // by source: real play of the source's size; without marks where Real has that size
	Mute      []Panel  // real play, then each source, without words
	Halves    [2]Panel // of the real play: the noise floor
	Shuffled  Panel    // real play, its skills dealt out anew
	Baselines []Panel
}

// The names of the controls.
const (
	NoiseFloor = "noise-floor"
	Shuffled   = "shuffled"
	Mute       = "mute"
	Matched    = "real"
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
	var tested []Interaction
	tested = append(append(tested, s.RealTest...), s.RealVal...)
	for _, g := range s.Generated {
		if copied := overlaps(g.Interactions, tested); len(copied) > 0 {
			return fmt.Errorf("%s repeats text of the real test or validation (%d words in a row): %s: leave these windows out", g.Name, grams, strings.Join(copied, ", "))
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
	r := &Report{}
	kinds := s.kinds(r)
	seeds := cmp.Or(s.Seeds, Seeds)
	trained := make([]Trained, seeds*len(kinds))
	var mu sync.Mutex
	done := 0
	err := each(ctx, len(trained), s.Workers, func(ctx context.Context, job int) error {
		marks, err := s.one(ctx, kinds[job%len(kinds)].draw, s.seed(job/len(kinds)))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		trained[job] = Trained{Marks: marks}
		if err != nil {
			trained[job].Reason = err.Error()
		}
		mu.Lock()
		defer mu.Unlock()
		if done++; s.Progress != nil {
			s.Progress(done, len(trained))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r, s.fill(ctx, r, kinds, trained)
}

// Trained holds the marks of one virtual DM, or why there are none.
type Trained struct {
	Marks  []Mark
	Reason string
}

// fill puts what came of the trainings, all kinds of one seed after another, into the report.
func (s *Study) fill(ctx context.Context, r *Report, kinds []kind, trained []Trained) error {
	for job := range trained {
		p := kinds[job%len(kinds)].panel
		p.Marks = append(p.Marks, trained[job].Marks)
		p.Reason = cmp.Or(p.Reason, trained[job].Reason)
	}
	for _, k := range kinds {
		if k.panel.Reason != "" {
			k.panel.Marks = nil
		}
	}
	for _, b := range Baselines(s.RealTrain) {
		marks, err := Evaluate(ctx, b, s.RealTest, 1)
		if err != nil {
			return err
		}
		r.Baselines = append(r.Baselines, Panel{Name: b.Name(), Control: Baseline, Marks: [][]Mark{marks}})
	}
	return nil
}

// seed is that of the n-th virtual DM of every kind.
func (s *Study) seed(n int) uint64 { return rand.New(rand.NewPCG(s.Seed, uint64(n))).Uint64() }

// one trains and tests one virtual DM.
func (s *Study) one(ctx context.Context, draw func(uint64) ([]Interaction, []Interaction, error), seed uint64) ([]Mark, error) {
	predicted, err := s.predict(ctx, draw, seed)
	if err != nil {
		return nil, err
	}
	marks := make([]Mark, len(predicted))
	for i := range predicted {
		marks[i] = Score(&s.RealTest[i], predicted[i])
	}
	return marks, nil
}

// predict trains one virtual DM and returns what it predicts for the test.
func (s *Study) predict(ctx context.Context, draw func(uint64) ([]Interaction, []Interaction, error), seed uint64) ([]Prediction, error) {
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
	out := make([]Prediction, len(s.RealTest))
	for i := range s.RealTest {
		if out[i], err = p.Predict(ctx, &s.RealTest[i]); err != nil {
			return nil, fmt.Errorf("test %s: %w", p.Name(), err)
		}
	}
	return out, nil
}

// What draws are for: each has its own stream of random numbers. All sources share one, so that
// their order and their company do not matter.
const (
	drawTrain = iota + 1
	drawVal
	drawAside
	drawHalves
	drawSkills
	drawShapes
)

func source(seed, purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, purpose)) }

// MinWindows is the fewest windows that a source needs for its virtual DM to be worth comparing.
const MinWindows = 30

// corpus is play that virtual DMs of a kind learn from, with how often each window counts; nil: all alike.
type corpus struct {
	train, val               []Interaction
	trainWeights, valWeights []float64
	note                     string // about the weights
	err                      error
}

// draw returns a function that draws n windows, and nval for validation.
func (c corpus) draw(n, nval int) func(uint64) ([]Interaction, []Interaction, error) {
	return func(seed uint64) ([]Interaction, []Interaction, error) {
		if c.err != nil {
			return nil, nil, c.err
		}
		return sample(c.train, c.trainWeights, n, source(seed, drawTrain)), sample(c.val, c.valWeights, nval, source(seed, drawVal)), nil
	}
}

// size is how many windows there are to draw: equally weighted ones that are worth as much.
func (c corpus) size() (train, val int) { return effective(c.trainWeights), effective(c.valWeights) }

// corpora returns what each source's virtual DMs learn from.
func (s *Study) corpora() []corpus {
	var out []corpus
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
		c.trainWeights, c.valWeights = weights(c.train, s.RealTrain, !s.Stretches), weights(c.val, s.RealTrain, !s.Stretches)
		c.note = weighing(c.train, s.RealTrain, c.trainWeights, !s.Stretches)
		if n, _ := c.size(); c.err == nil && n < MinWindows {
			c.err = fmt.Errorf("too few windows to learn from: %s, and %d are needed", c.note, MinWindows)
		}
		out = append(out, c)
	}
	return out
}

// kinds lists what is trained and fixes on how many windows: a source and the real play that it is compared
// with on as many as the smaller of the two has. The main virtual DM of real play has the size of the
// largest pair.
func (s *Study) kinds(r *Report) []kind {
	n, nval := 0, 0
	sources := s.corpora()
	sizes := make([][2]int, len(sources))
	for i, c := range sources {
		if c.err == nil {
			train, val := c.size()
			sizes[i] = [2]int{min(len(s.RealTrain), train), min(len(s.RealVal), val)}
			n, nval = max(n, sizes[i][0]), max(nval, sizes[i][1])
		}
	}
	if n == 0 {
		n, nval = len(s.RealTrain), len(s.RealVal)
	}
	real := corpus{train: s.RealTrain, val: s.RealVal}
	var kinds []kind
	add := func(p *Panel, control, name string, c corpus, n, nval int) {
		*p = Panel{Name: name, Control: control, Train: n, Val: nval, Of: len(c.train), Note: c.note}
		draw := c.draw(n, nval)
		kinds = append(kinds, kind{p, func(seed uint64) ([]Interaction, []Interaction, error) {
			train, val, err := draw(seed)
			if control == Mute {
				train, val = muted(train), muted(val)
			}
			return train, val, err
		}})
	}
	r.Generated, r.Matched = make([]Panel, len(sources)), make([]Panel, len(sources))
	r.Mute = make([]Panel, len(sources)+1)
	add(&r.Real, "", "real", real, n, nval)
	add(&r.Mute[0], Mute, "real", real, n, nval)
	for i, c := range sources {
		name, size := s.Generated[i].Name, sizes[i]
		if c.err != nil {
			size = [2]int{n, nval}
		}
		add(&r.Generated[i], "", name, c, size[0], size[1])
		add(&r.Mute[i+1], Mute, name, c, size[0], size[1])
		if size != [2]int{n, nval} {
			add(&r.Matched[i], Matched, name, real, size[0], size[1])
		}
	}
	return append(kinds, s.controls(r, kinds[0].draw, n, nval)...)
}

// controls lists the noise floor and the shuffled skills.
func (s *Study) controls(r *Report, real func(uint64) ([]Interaction, []Interaction, error), n, nval int) (kinds []kind) {
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
			return sample(part, nil, half, source(seed, drawTrain)), sample(s.RealVal, nil, nval, source(seed, drawVal)), nil
		}})
	}
	return kinds
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
	first, more := map[string]bool{}, 0 // windows that the first half has more than the second
	groups := groupsOf(xs)
	for _, g := range r.Perm(len(groups)) {
		if more <= 0 {
			first[xs[groups[g][0]].Group] = true
			more += len(groups[g])
		} else {
			more -= len(groups[g])
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

// silent is the text of a line without words.
const silent = "."

// muted returns windows with who speaks when, and without words.
func muted(xs []Interaction) []Interaction {
	out := slices.Clone(xs)
	for i := range out {
		out[i].Lines = slices.Clone(out[i].Lines)
		for k := range out[i].Lines {
			out[i].Lines[k].Text = silent
		}
	}
	return out
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
