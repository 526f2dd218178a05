package vdm

import (
	"math"
	"slices"
)

// feature is a sparse input: its hash and its weight.
type feature struct {
	key   uint32
	value float32
}

// Who says a word, seen from the candidate.
const (
	own    = iota + 1 // the candidate
	master            // the Dungeon Master
	other             // anybody else
	anyone            // whoever says it
)

// Features that no word makes.
const (
	me       = 7
	somebody = 8
	asks     = 1001
)

const (
	skillReach = 9 // turns back that say which skill
	ownReach   = 4 // own turns back that say who acts
)

// speaker says who speaks a turn, seen from candidate c.
func (t *turn) speaker(c int) uint32 {
	switch {
	case slices.Contains(t.by, c):
		return own
	case t.dm:
		return master
	}
	return other
}

// seen is the word's hash, seen from candidate c: names are me or somebody else of the cast.
func (w *word) seen(c int) uint32 {
	switch {
	case w.who < 0:
		return w.hash
	case w.who == c:
		return me
	}
	return somebody
}

// grams adds the words of a turn, their beginnings and, where wanted, pairs of neighbours, as spoken
// by who.
func (t *turn) grams(c int, who uint32, weight float32, pairs bool, out []feature) []feature {
	for i := range t.words {
		w := &t.words[i]
		h := mix(who, w.seen(c))
		out = append(out, feature{h, weight})
		if w.stem != 0 && w.who < 0 {
			out = append(out, feature{mix(who, w.stem), weight})
		}
		if pairs && !w.end && i+1 < len(t.words) {
			out = append(out, feature{mix(h, t.words[i+1].seen(c)), weight})
		}
	}
	return out
}

// skillFeatures are the words around candidate c, by who says them and how lately.
func (t *table) skillFeatures(c int) []feature {
	var out []feature
	last := len(t.turns) - 1
	for i := max(0, last-skillReach+1); i <= last; i++ {
		turn := &t.turns[i]
		who := turn.speaker(c)
		weight := float32(math.Exp(float64(i-last) / 6))
		if who != own {
			weight *= 0.6
		}
		out = turn.grams(c, who, weight, who == own, out)
		out = turn.grams(c, anyone, weight, false, out)
		if turn.question {
			out = append(out, feature{mix(who, asks), weight})
		}
	}
	return merged(out)
}

// hints is how many ways a skill can be named outright: by whom (the candidate, the Dungeon Master,
// others), in the last turns or before.
const hints = 6

// hintsOf says for each skill how it was named. Its weights are shared by all skills, so that a
// skill that was seldom seen in training profits from the others.
func (t *table) hintsOf(c int) *[skills][hints]float32 {
	out := new([skills][hints]float32)
	const late = 4 // turns
	for i := range t.turns {
		k := int(t.turns[i].speaker(c)) - 1
		if len(t.turns)-1-i >= late {
			k += 3
		}
		for _, s := range t.turns[i].skills {
			out[s][k] = 1
		}
	}
	return out
}

// conduct is how a candidate behaves in the talk. Distances count turns back from the end.
type conduct struct {
	since, rank uint32 // distance of its last turn, and how many others spoke after it
	deed        uint32 // distance of its last turn that says I
	master      uint32 // distance of the Dungeon Master's last turn
	turns       [3]uint32
	words       uint32 // lately
	numbers     uint32 // replies to checks that are over
	named       uint32 // by other players: bit 0 lately, bit 1 just now
	called      uint32 // the same by the Dungeon Master
}

const never = 99

// spans are the turns back in which a candidate's turns are counted.
var spans = [3]int{5, 10, 30}

// conductOf watches candidate c.
func (t *table) conductOf(c int) conduct {
	k := conduct{since: never, rank: never, deed: never, master: never}
	after := map[int]bool{}
	for i := len(t.turns) - 1; i >= 0; i-- {
		turn, dist := &t.turns[i], len(t.turns)-1-i
		who, back := turn.speaker(c), uint32(dist)
		if who == own {
			if k.since == never {
				k.since, k.rank = back, uint32(len(after))
			}
			if turn.first {
				k.deed = min(k.deed, back)
			}
			for s, span := range spans {
				k.turns[s] += bit(dist < span)
			}
			k.numbers += bit(turn.number && dist < 10)
			if dist < 10 {
				k.words += uint32(len(turn.words))
			}
		}
		for _, b := range turn.by {
			if b != c {
				after[b] = true
			}
		}
		if turn.dm {
			k.master = min(k.master, back)
		}
		if who == own || dist >= 8 || !slices.ContainsFunc(turn.words, func(w word) bool { return w.who == c }) {
			continue
		}
		by := &k.named
		if who == master {
			by = &k.called
		}
		*by |= 1 << bit(dist < 3)
	}
	return k
}

// actorFeatures are how candidate c behaves in the talk, and the words of its last turns.
func (t *table) actorFeatures(c int) []feature {
	var out []feature
	flag := func(kind, value uint32) { out = append(out, feature{mix(mix(900, kind), value), 1}) }
	k := t.conductOf(c)
	flag(1, min(k.since, 12))
	flag(2, min(k.rank, 6))
	flag(3, min(k.turns[0], 4))
	flag(4, min(k.turns[1], 8))
	flag(5, min(k.turns[2], 15))
	flag(6, min(k.words, 160)/10)
	flag(7, k.named)
	flag(8, k.called)
	flag(9, min(k.numbers, 2))
	flag(10, min(k.deed, 9))
	flag(11, min(k.master, 6))
	flag(12, min(k.since, 8)<<4|min(k.rank, 3)<<2|k.called)
	flag(13, min(k.since, 8)<<4|min(k.master, 8))
	flag(14, min(uint32(len(t.cast)), 10))
	flag(15, min(k.since, 4)<<4|min(k.turns[1], 6))
	last, said := len(t.turns)-1, 0
	for i := last; i >= 0 && said < ownReach; i-- {
		turn := &t.turns[i]
		if turn.speaker(c) != own {
			continue
		}
		weight := float32(math.Exp(float64(i-last) / 5))
		out = turn.grams(c, own, weight, true, out)
		if said++; said > 1 {
			continue
		}
		out = turn.grams(c, anyone, weight, true, out) // the last words once more, by themselves
		flag(21, min(uint32(len(turn.words)), 40)/4)
		flag(22, bit(turn.question)<<1|bit(turn.first))
		flag(23, bit(len(turn.skills) > 0))
		flag(24, bit(turn.number))
		if i > 0 {
			flag(25, t.turns[i-1].speaker(c)<<1|bit(t.turns[i-1].question))
		}
		if i < last {
			flag(26, t.turns[i+1].speaker(c)<<1|bit(t.turns[i+1].question))
		}
	}
	return merged(out)
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// merged sums the features that are the same and sorts them.
func merged(fs []feature) []feature {
	packed := make([]uint64, len(fs))
	for i, f := range fs {
		packed[i] = uint64(f.key)<<32 | uint64(math.Float32bits(f.value)) // positive floats sort as their bits do
	}
	slices.Sort(packed)
	n := 0
	for _, p := range packed {
		f := feature{uint32(p >> 32), math.Float32frombits(uint32(p))}
		if n > 0 && fs[n-1].key == f.key {
			fs[n-1].value += f.value
			continue
		}
		fs[n] = f
		n++
	}
	return fs[:n]
}
