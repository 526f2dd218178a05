package finetune

import (
	"context"
	"iter"
	"slices"
)

// Contamination is a run of twelve words of an example's Body that an example of train has in common
// with one of evaluation. A run that stands in many groups is a formula and no leak: one that at least
// five groups and more than one in fifty have, or at least three groups and more than half of those
// that play the same scenario, as a scenario's own text does where it stands on both sides of a split.
const (
	leakWords = 12

	formulaGroups  = 5  // at least, and
	formulaShare   = 50 // more than one in so many of all groups
	scenarioGroups = 3  // at least, and
	scenarioShare  = 2  // more than one in so many of the scenario's groups
	shownFormulas  = 3

	sortFrom = 1 << 20 // hashes that are gathered before they are sorted and each kept once
)

// play is the Body of an example, kept or held out, on its way through the search.
type play struct {
	index int // of the entry, or behind the entries that of the holdout
	body  string
}

// found are the grams of a play that matter in a pass.
type found struct {
	index int
	grams []uint64
}

// leak is the passage for which an example is dropped.
type leak struct {
	gram uint64
	with int // as play.index
}

// bloom is a set of hashes that now and then takes one for a member which is none.
type bloom struct {
	bits []uint64
	mask uint64
}

// newBloom has 16 bits for a hash, but 256 MiB at most.
func newBloom(hashes int) *bloom {
	size := uint64(1 << 12)
	for size < uint64(hashes)*16 && size < 1<<31 {
		size *= 2
	}
	return &bloom{bits: make([]uint64, size/64), mask: size - 1}
}

func (f *bloom) add(h uint64) {
	step := mix(h) | 1
	for range 4 {
		f.bits[h&f.mask/64] |= 1 << (h & 63)
		h += step
	}
}

func (f *bloom) has(h uint64) bool {
	step := mix(h) | 1
	for range 4 {
		if f.bits[h&f.mask/64]&(1<<(h&63)) == 0 {
			return false
		}
		h += step
	}
	return true
}

// plays reads the bodies of some entries and, if wanted, of the holdout.
func (b *builder) plays(want func(i int) bool, holdout bool) iter.Seq2[play, error] {
	return func(yield func(play, error) bool) {
		in := b.spool.reader()
		for i := range b.entries {
			if !want(i) {
				continue
			}
			x, err := b.read(in, i)
			if !yield(play{i, bodyOf(&x)}, err) || err != nil {
				return
			}
		}
		if !holdout {
			return
		}
		in = b.holdout.reader()
		for i := range b.held {
			record, err := in.record(b.held[i].at)
			var x Example
			if err == nil {
				x, err = decode(record)
			}
			if !yield(play{len(b.entries) + i, x.Body}, err) || err != nil {
				return
			}
		}
	}
}

// search runs over plays and takes of each those grams that are wanted, each once.
func (b *builder) search(ctx context.Context, plays iter.Seq2[play, error], want func(gram uint64) bool, take func(found) error) error {
	type scratch struct{ grams []uint64 }
	return ordered(ctx, plays, func(p play, s *scratch) (found, error) {
		s.grams, _ = grams(s.grams[:0], p.body, leakWords)
		out := found{index: p.index}
		for _, g := range s.grams {
			if want(g) {
				out.grams = append(out.grams, g)
			}
		}
		slices.Sort(out.grams)
		out.grams = slices.Compact(out.grams)
		return out, nil
	}, take)
}

// leaks drops the examples of train that share a passage with evaluation, where the splits are known.
func (b *builder) leaks(ctx context.Context) error {
	test := func(i int) bool { return b.entries[i].fate == kept && b.entries[i].split != 0 }
	train := func(i int) bool { return b.entries[i].fate == kept && b.entries[i].split == 0 }
	words, reads := 0, len(b.held)
	for i := range b.entries {
		if b.entries[i].fate == kept {
			reads++
		}
		if test(i) {
			words += int(b.entries[i].words)
		}
	}
	for i := range b.held {
		words += b.held[i].words
	}
	if words == 0 {
		return nil
	}
	// What may be common: grams of train that evaluation seems to have.
	tested := newBloom(words)
	all := func(uint64) bool { return true }
	b.begin("leaks", reads)
	done := int64(0)
	step := func() {
		if done++; done%1024 == 0 {
			b.progress(done)
		}
	}
	err := b.search(ctx, b.plays(test, true), all, func(f found) error {
		for _, g := range f.grams {
			tested.add(g)
		}
		step()
		return nil
	})
	if err != nil {
		return err
	}
	var common []uint64
	suspect := make(map[int]bool)
	room := sortFrom
	err = b.search(ctx, b.plays(train, false), tested.has, func(f found) error {
		step()
		if len(f.grams) > 0 {
			suspect[f.index] = true
			if common = append(common, f.grams...); len(common) > room {
				slices.Sort(common)
				common = slices.Compact(common)
				room = max(sortFrom, 2*len(common))
			}
		}
		return nil
	})
	if err != nil || len(common) == 0 {
		return err
	}
	slices.Sort(common)
	common = slices.Compact(common)
	// What is common, and with whom first.
	maybe := newBloom(len(common))
	for _, g := range common {
		maybe.add(g)
	}
	with := make([]int, len(common))
	for i := range with {
		with[i] = -1
	}
	find := func(g uint64) int {
		if i, ok := slices.BinarySearch(common, g); ok {
			return i
		}
		return -1
	}
	count := b.newCensus(len(common))
	err = b.search(ctx, b.plays(test, true), func(g uint64) bool { return maybe.has(g) && find(g) >= 0 }, func(f found) error {
		for _, g := range f.grams {
			i := find(g)
			if with[i] < 0 {
				with[i] = f.index
			}
			count.add(i, f.index)
		}
		return nil
	})
	if err != nil {
		return err
	}
	truly := func(g uint64) bool {
		if !maybe.has(g) {
			return false
		}
		i := find(g)
		return i >= 0 && with[i] >= 0
	}
	suspects := func(i int) bool { return suspect[i] }
	err = b.search(ctx, b.plays(suspects, false), truly, func(f found) error {
		for _, g := range f.grams {
			count.add(find(g), f.index)
		}
		return nil
	})
	if err != nil {
		return err
	}
	count.finish()
	err = b.search(ctx, b.plays(suspects, false), truly, func(f found) error {
		best := leak{with: -1}
		for _, g := range f.grams {
			i := find(g)
			if !count.formula(i, f.index) && (best.with < 0 || with[i] < best.with) {
				best = leak{gram: g, with: with[i]}
			}
		}
		if best.with >= 0 {
			b.entries[f.index].fate = contaminated
			b.leaked[f.index] = best
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.formulas(count, common, with)
}
