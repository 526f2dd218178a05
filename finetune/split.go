package finetune

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// divide gives every example that is kept its split. What is split together, a group or all groups of
// a scenario, goes where its own hash and the seed say: it stays there when data is added. Groups that
// have a scenario in common, and scenarios that have a group in common, stay together.
func (b *builder) divide() error {
	type pair struct{ group, key uint64 }
	pairs := make([]pair, 0, len(b.entries))
	for i := range b.entries {
		e := &b.entries[i]
		key := e.group
		if b.o.By == "scenario" && e.scenario != 0 {
			key = e.scenario
		}
		pairs = append(pairs, pair{e.group, key})
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.key, b.key))
	})
	pairs = slices.Compact(pairs)
	parent := map[uint64]uint64{} // of keys that belong to a smaller one
	root := func(key uint64) uint64 {
		for {
			p, ok := parent[key]
			if !ok {
				return key
			}
			key = p
		}
	}
	for i := 1; i < len(pairs); i++ {
		if pairs[i].group != pairs[i-1].group {
			continue
		}
		if x, y := root(pairs[i-1].key), root(pairs[i].key); x != y {
			parent[max(x, y)] = min(x, y)
		}
	}
	keyOf := func(e *entry) uint64 {
		at, _ := slices.BinarySearchFunc(pairs, e.group, func(p pair, g uint64) int { return cmp.Compare(p.group, g) })
		return root(pairs[at].key)
	}
	given := map[uint64]int{} // by key: the first entry whose source says a split
	for i := range b.entries {
		e := &b.entries[i]
		if !e.given {
			continue
		}
		b.report.Given++
		key := keyOf(e)
		if first, ok := given[key]; !ok {
			given[key] = i
		} else if b.entries[first].split != e.split {
			return b.conflict(first, i)
		}
	}
	for i := range b.entries {
		e := &b.entries[i]
		if key := keyOf(e); e.given {
			continue
		} else if first, ok := given[key]; ok {
			e.split = b.entries[first].split
		} else {
			e.split = b.draw(key)
		}
	}
	return b.apart()
}

// draw is the split of a key by the shares.
func (b *builder) draw(key uint64) (split uint8) {
	total := b.o.Shares[0] + b.o.Shares[1] + b.o.Shares[2]
	x, sum := draw(b.o.Seed, key)*total, 0.0
	for s, share := range b.o.Shares {
		if share > 0 {
			if split, sum = uint8(s), sum+share; x < sum {
				break
			}
		}
	}
	return split
}

// conflict is the error of two examples that belong together and are put into different splits.
func (b *builder) conflict(i, j int) error {
	x, err := b.one(i)
	if err != nil {
		return err
	}
	y, err := b.one(j)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("are of the group %q", x.Group)
	if x.Group != y.Group {
		what = fmt.Sprintf("belong together by their scenarios %q and %q", x.Scenario, y.Scenario)
	}
	return fmt.Errorf("the examples %s and %s %s, but their sources put them into %s and %s; correct the sources, or take their splits out", x.ID, y.ID, what, x.Split, y.Split)
}

// apart holds against the finished splits what they promise.
func (b *builder) apart() error {
	type side struct {
		name  uint64
		split uint8
	}
	check := func(what string, of func(*entry) uint64) error {
		sides := make([]side, 0, len(b.entries))
		for i := range b.entries {
			if name := of(&b.entries[i]); name != 0 {
				sides = append(sides, side{name, b.entries[i].split})
			}
		}
		slices.SortFunc(sides, func(a, b side) int { return cmp.Compare(a.name, b.name) })
		for i := 1; i < len(sides); i++ {
			if sides[i].name == sides[i-1].name && sides[i].split != sides[i-1].split {
				return fmt.Errorf("a %s stands in two splits, which is a fault of the program", what)
			}
		}
		return nil
	}
	if err := check("group", func(e *entry) uint64 { return e.group }); err != nil || b.o.By != "scenario" {
		return err
	}
	return check("scenario", func(e *entry) uint64 { return e.scenario })
}

// check says what is wrong with options.
func (o *Options) check() error {
	if o.By != "" && o.By != "group" && o.By != "scenario" {
		return fmt.Errorf("a dataset is split by group or by scenario, not by %q", o.By)
	}
	for _, s := range o.Shares {
		if !(s >= 0) || s > 1e9 {
			return fmt.Errorf("a split's share is a number from 0 on, not %v", s)
		}
	}
	if o.Shares != [3]float64{} && o.Shares[0] == 0 {
		return errors.New("train gets no share of the split, and there would be nothing to learn from; give for example 90/5/5")
	}
	if o.MaxTokens < 0 {
		return fmt.Errorf("the most tokens of an example are a number from 0 on, not %d", o.MaxTokens)
	}
	return nil
}
