package finetune

import (
	"cmp"
	"slices"
)

// formulas puts the formulas that most groups have into the report.
func (b *builder) formulas(count *census, common []uint64, with []int) error {
	var list []int
	for i := range common {
		if count.common[i] > 0 && with[i] >= 0 {
			list = append(list, i)
		}
	}
	b.report.Leaks.Formulas = len(list)
	slices.SortFunc(list, func(x, y int) int {
		return cmp.Or(cmp.Compare(count.common[y], count.common[x]), cmp.Compare(with[x], with[y]), cmp.Compare(common[x], common[y]))
	})
	for _, i := range list[:min(len(list), shownFormulas)] {
		_, body, err := b.other(with[i])
		if err != nil {
			return err
		}
		b.report.Leaks.Shown = append(b.report.Leaks.Shown, Count{Name: passage(body, leakWords, common[i]), N: int(count.common[i])})
	}
	return nil
}

// census counts in how many groups each gram stands.
type census struct {
	b         *builder
	groups    []uint64          // all, sorted
	scenarios []uint64          // of each group; 0 where it has none
	of        map[uint64]uint32 // groups of each scenario
	pairs     []gramIn
	room      int
	common    []uint32 // groups of each formula; 0 for the others
	local     []localGram
}

type gramIn struct{ gram, group uint32 }

// localGram is a gram that is a formula of a scenario.
type localGram struct {
	gram     uint32
	scenario uint64
}

func (b *builder) newCensus(grams int) *census {
	c := &census{b: b, common: make([]uint32, grams), of: make(map[uint64]uint32), room: sortFrom}
	for i := range b.entries {
		if b.entries[i].fate == kept {
			c.groups = append(c.groups, b.entries[i].group)
		}
	}
	for i := range b.held {
		c.groups = append(c.groups, b.held[i].group)
	}
	slices.Sort(c.groups)
	c.groups = slices.Compact(c.groups)
	c.scenarios = make([]uint64, len(c.groups))
	put := func(group, scenario uint64) {
		if at, _ := slices.BinarySearch(c.groups, group); scenario != 0 && c.scenarios[at] == 0 {
			c.scenarios[at] = scenario
			c.of[scenario]++
		}
	}
	for i := range b.entries {
		if b.entries[i].fate == kept {
			put(b.entries[i].group, b.entries[i].scenario)
		}
	}
	for i := range b.held {
		put(b.held[i].group, b.held[i].scenario)
	}
	return c
}

// group is the index of a play's group.
func (c *census) group(index int) int {
	hash := uint64(0)
	if n := len(c.b.entries); index < n {
		hash = c.b.entries[index].group
	} else {
		hash = c.b.held[index-n].group
	}
	at, _ := slices.BinarySearch(c.groups, hash)
	return at
}

func (c *census) add(gram, index int) {
	if c.common[gram] > 0 {
		return
	}
	if c.pairs = append(c.pairs, gramIn{uint32(gram), uint32(c.group(index))}); len(c.pairs) > c.room {
		c.compact()
		c.room = max(sortFrom, 2*len(c.pairs))
	}
}

// compact counts what is there and lets go of what is known to be a formula.
func (c *census) compact() {
	slices.SortFunc(c.pairs, func(a, b gramIn) int {
		return cmp.Or(cmp.Compare(a.gram, b.gram), cmp.Compare(a.group, b.group))
	})
	c.pairs = slices.Compact(c.pairs)
	left := c.pairs[:0]
	for from := 0; from < len(c.pairs); {
		to := from
		for to < len(c.pairs) && c.pairs[to].gram == c.pairs[from].gram {
			to++
		}
		if n := to - from; n >= formulaGroups && n*formulaShare > len(c.groups) {
			c.common[c.pairs[from].gram] = uint32(n)
		} else {
			left = append(left, c.pairs[from:to]...)
		}
		from = to
	}
	c.pairs = left
}

// finish finds the formulas of single scenarios as well.
func (c *census) finish() {
	c.compact()
	var here []localGram
	for _, p := range c.pairs {
		if s := c.scenarios[p.group]; s != 0 {
			here = append(here, localGram{p.gram, s})
		}
	}
	compare := func(a, b localGram) int {
		return cmp.Or(cmp.Compare(a.gram, b.gram), cmp.Compare(a.scenario, b.scenario))
	}
	slices.SortFunc(here, compare)
	for from := 0; from < len(here); {
		to := from
		for to < len(here) && here[to] == here[from] {
			to++
		}
		if n := to - from; n >= scenarioGroups && n*scenarioShare > int(c.of[here[from].scenario]) {
			c.local = append(c.local, here[from])
		}
		from = to
	}
	c.pairs = nil
}

// formula says whether a gram is one, in the group of an example.
func (c *census) formula(gram, index int) bool {
	if c.common[gram] > 0 {
		return true
	}
	s := c.scenarios[c.group(index)]
	_, ok := slices.BinarySearchFunc(c.local, localGram{uint32(gram), s}, func(a, b localGram) int {
		return cmp.Or(cmp.Compare(a.gram, b.gram), cmp.Compare(a.scenario, b.scenario))
	})
	return ok
}
