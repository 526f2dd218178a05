package finetune

import (
	"context"
	"fmt"
	"slices"
)

// Near duplicates are found by MinHash over runs of five words of an example's Body: 112 hashes in 14
// bands of 8. Two bodies that share s of their runs (Jaccard) have a band in common with probability
// 1-(1-s^8)^14, which is a half near 0.69 and 0.92 at 0.8; those that have are compared by all their
// hashes and are near duplicates from 0.72 on, give or take 0.04, the estimate's standard error.
const (
	nearWords  = 5
	nearBands  = 14
	nearRows   = 8
	nearHashes = nearBands * nearRows
	minNear    = 0.72
	maxCrowd   = 64 // examples that are compared by one band, the earliest
)

// sketch is the MinHash of a text.
type sketch [nearHashes]uint32

// nearSeeds are the multipliers and offsets of the hashes.
var nearSeeds = func() (seeds [nearHashes][2]uint64) {
	for i := range seeds {
		seeds[i] = [2]uint64{mix(uint64(2*i)+hashStart) | 1, mix(uint64(2*i+1) + hashStart)}
	}
	return seeds
}()

func newSketch(grams []uint64) (s sketch) {
	for i := range s {
		s[i] = 1<<32 - 1
	}
	for _, g := range grams {
		for i := range s {
			s[i] = min(s[i], uint32((nearSeeds[i][0]*g+nearSeeds[i][1])>>32))
		}
	}
	return s
}

// jaccard estimates the share of their grams that two texts have in common.
func (s *sketch) jaccard(o *sketch) float64 {
	n := 0
	for i := range s {
		if s[i] == o[i] {
			n++
		}
	}
	return float64(n) / nearHashes
}

// band returns the hash of a band.
func (s *sketch) band(n int) uint64 {
	h := uint64(n + 1)
	for i := n * nearRows; i < (n+1)*nearRows; i += 2 {
		h = mix(h*hashPrime ^ (uint64(s[i]) | uint64(s[i+1])<<32))
	}
	return h
}

// near drops the examples that are nearly the same as an earlier one that is kept. Within a group,
// where windows overlap and one turn follows the other, an example is a near duplicate only if it
// teaches the same.
func (b *builder) near(ctx context.Context) error {
	b.begin("compare", len(b.entries))
	table := map[uint64][]int32{} // by band: the examples that are kept
	for i := range b.entries {
		e := &b.entries[i]
		if err := b.step(ctx); err != nil {
			return err
		}
		if !e.kept() || e.words < nearWords {
			continue
		}
		var bands [nearBands]uint64
		var candidates []int32
		for n := range bands {
			bands[n] = e.sketch.band(n)
			candidates = append(candidates, table[bands[n]]...)
		}
		slices.Sort(candidates)
		for _, j := range slices.Compact(candidates) {
			o := &b.entries[j]
			if o.x.Group == e.x.Group && o.answer != e.answer {
				continue
			}
			if s := e.sketch.jaccard(&o.sketch); s >= minNear {
				b.drop(e, NearDuplicate, fmt.Sprintf("shares about %.0f %% of its runs of %d words", 100*s, nearWords), &o.x)
				break
			}
		}
		if !e.kept() {
			continue
		}
		for _, h := range bands {
			if len(table[h]) < maxCrowd {
				table[h] = append(table[h], int32(i))
			}
		}
	}
	return nil
}
