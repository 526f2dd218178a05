package finetune

import (
	"cmp"
	"context"
	"runtime"
	"slices"
)

// Contamination is a run of twelve words of an example's Body that an example of train has in common
// with one of evaluation. A run that many groups have is a formula and no leak: one that at least five
// groups and more than one in fifty have, or at least three groups and more than half of those that
// play the same scenario, as a scenario's own text does where it is on both sides of a split.
const (
	leakWords = 12

	formulaGroups  = 5  // at least, and
	formulaShare   = 50 // more than one in so many of all groups
	scenarioGroups = 3  // at least, and
	scenarioShare  = 2  // more than one in so many of the scenario's groups
	maxFormulas    = 3  // that the report shows
)

// passages counts the runs of words that train and evaluation have in common.
type passages struct {
	groups    map[string]int    // index of each group
	scenarios []string          // of each group; empty: none
	size      map[string]int    // groups of each scenario
	index     map[uint64]uint32 // of each common gram
	first     []*entry          // evaluation example that has each common gram first
	seen      []sighting
	count     []int // groups of each formula; 0: no formula
	local     map[localFormula]bool
}

// sighting is a common gram in a group.
type sighting struct{ gram, group uint32 }

// localFormula is a gram that is a formula of a scenario.
type localFormula struct {
	gram     uint32
	scenario string
}

// leaks drops the examples of train that share a passage with evaluation.
func (b *builder) leaks(ctx context.Context) error {
	var train, tested []*entry
	for i := range b.entries {
		if e := &b.entries[i]; e.kept() && e.x.Split == Train {
			train = append(train, e)
		} else if e.kept() {
			tested = append(tested, e)
		}
	}
	for i := range b.held {
		tested = append(tested, &b.held[i])
	}
	if len(tested) == 0 {
		return nil
	}
	for i, e := range tested {
		e.rank = i
	}
	b.begin("leaks", len(train)+2*len(tested))
	inEvaluation, err := b.firsts(ctx, tested)
	if err != nil {
		return err
	}
	p := b.newPassages(train, tested)
	type suspect struct {
		*entry
		grams []uint64
	}
	var suspects []suspect
	evaluated := func(g uint64) bool { return inEvaluation[g] != nil }
	err = b.search(ctx, train, evaluated, func(e *entry, grams []uint64) {
		if len(grams) > 0 {
			suspects = append(suspects, suspect{e, grams})
			for _, g := range grams {
				p.add(g, e, inEvaluation[g])
			}
		}
	})
	if err != nil {
		return err
	}
	common := func(g uint64) bool { _, ok := p.index[g]; return ok }
	err = b.search(ctx, tested, common, func(e *entry, grams []uint64) {
		for _, g := range grams {
			p.add(g, e, inEvaluation[g])
		}
	})
	if err != nil {
		return err
	}
	p.findFormulas()
	for _, s := range suspects {
		var gram uint64
		var with *entry
		for _, g := range s.grams {
			i := p.index[g]
			if !p.formula(i, s.entry) && (with == nil || p.first[i].rank < with.rank) {
				gram, with = g, p.first[i]
			}
		}
		if with != nil {
			b.drop(s.entry, Contaminated, "shares with evaluation: "+passage(bodyOf(&s.x), leakWords, gram), &with.x)
		}
	}
	b.report.Leaks.Formulas, b.report.Leaks.Shown = p.formulas()
	return nil
}

// firsts returns the example of evaluation that has each gram first.
func (b *builder) firsts(ctx context.Context, tested []*entry) (map[uint64]*entry, error) {
	first := map[uint64]*entry{}
	err := b.search(ctx, tested, nil, func(e *entry, grams []uint64) {
		for _, g := range grams {
			if first[g] == nil {
				first[g] = e
			}
		}
	})
	return first, err
}

// search hands the grams of examples that are wanted, sorted and each once, to a function; nil wants all.
func (b *builder) search(ctx context.Context, list []*entry, want func(uint64) bool, take func(*entry, []uint64)) error {
	i := 0
	for found, err := range parallel(ctx, 4*runtime.GOMAXPROCS(0), all(list), func(_ context.Context, e *entry) ([]uint64, error) {
		found, _ := grams(bodyOf(&e.x), leakWords)
		if want != nil {
			found = slices.DeleteFunc(found, func(g uint64) bool { return !want(g) })
		}
		slices.Sort(found)
		return slices.Compact(found), nil
	}) {
		if err == nil {
			err = b.step(ctx)
		}
		if err != nil {
			return err
		}
		take(list[i], found)
		i++
	}
	return nil
}

func (b *builder) newPassages(lists ...[]*entry) *passages {
	p := &passages{groups: map[string]int{}, size: map[string]int{}, index: map[uint64]uint32{}, local: map[localFormula]bool{}}
	for _, e := range slices.Concat(lists...) {
		i, known := p.groups[e.x.Group]
		if !known {
			i = len(p.groups)
			p.groups[e.x.Group] = i
			p.scenarios = append(p.scenarios, "")
		}
		if s := e.x.Scenario; s != "" && p.scenarios[i] == "" {
			p.scenarios[i] = s
			p.size[s]++
		}
	}
	return p
}

// add counts a gram of an example. first is the evaluation example that has it first.
func (p *passages) add(gram uint64, e, first *entry) {
	i, known := p.index[gram]
	if !known {
		i = uint32(len(p.first))
		p.index[gram], p.first = i, append(p.first, first)
	}
	p.seen = append(p.seen, sighting{i, uint32(p.groups[e.x.Group])})
}

// findFormulas finds the formulas of all play and of single scenarios.
func (p *passages) findFormulas() {
	slices.SortFunc(p.seen, func(a, b sighting) int {
		return cmp.Or(cmp.Compare(a.gram, b.gram), cmp.Compare(a.group, b.group))
	})
	p.count = make([]int, len(p.first))
	for same := range chunks(slices.Compact(p.seen)) {
		if n := len(same); n >= formulaGroups && n*formulaShare > len(p.groups) {
			p.count[same[0].gram] = n
			continue
		}
		here := map[string]int{}
		for _, s := range same {
			if name := p.scenarios[s.group]; name != "" {
				here[name]++
			}
		}
		for name, n := range here {
			if n >= scenarioGroups && n*scenarioShare > p.size[name] {
				p.local[localFormula{same[0].gram, name}] = true
			}
		}
	}
	p.seen = nil
}

// chunks yields the sightings of each gram, which are neighbours.
func chunks(list []sighting) func(yield func([]sighting) bool) {
	return func(yield func([]sighting) bool) {
		for from := 0; from < len(list); {
			to := from
			for to < len(list) && list[to].gram == list[from].gram {
				to++
			}
			if !yield(list[from:to]) {
				return
			}
			from = to
		}
	}
}

// formula reports whether a gram is a formula in the group of an example.
func (p *passages) formula(gram uint32, e *entry) bool {
	return p.count[gram] > 0 || p.local[localFormula{gram, p.scenarios[p.groups[e.x.Group]]}]
}

// formulas returns the number of formulas of all play, and those of the most groups.
func (p *passages) formulas() (n int, shown []Count) {
	list := make([]uint64, 0, len(p.index))
	for gram, i := range p.index {
		if p.count[i] > 0 {
			list = append(list, gram)
		}
	}
	slices.SortFunc(list, func(x, y uint64) int {
		i, j := p.index[x], p.index[y]
		return cmp.Or(cmp.Compare(p.count[j], p.count[i]), cmp.Compare(p.first[i].rank, p.first[j].rank), cmp.Compare(x, y))
	})
	for _, gram := range list[:min(len(list), maxFormulas)] {
		i := p.index[gram]
		shown = append(shown, Count{Name: passage(bodyOf(&p.first[i].x), leakWords, gram), N: p.count[i]})
	}
	return len(list), shown
}
