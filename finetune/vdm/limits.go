package vdm

import (
	"context"
	"slices"
)

// limits are how sure a linear virtual DM has to be, as probabilities.
type limits struct {
	Beside float32 `json:"beside"` // of one who acts beside others
	Alone  float32 `json:"alone"`  // of the likeliest one, where none reaches Beside
	Second float32 `json:"second"` // of a character's second skill, that it acts and tries this
}

var defaultLimits = limits{Beside: 0.5, Alone: 0.3, Second: 0.2}

func (l limits) wary() float32 { return min(l.Beside, l.Alone) }

// belief is how likely everybody of a cast acts, and tries each skill if so.
type belief struct {
	actor []float32
	best  int // the likeliest actor; -1 in an empty cast
	skill [][]float32
	truth [][]int // nil where it is not known
}

// believe asks the heads about a window. Skills are asked for only of those who may be chosen.
func (l *Linear) believe(t *table, features func(c int) []feature, least float32) belief {
	n := len(t.cast)
	b := belief{actor: make([]float32, n), skill: make([][]float32, n), best: -1}
	for c := range n {
		v := l.actor.vector(features(c), nil)
		l.actor.scores(&v, b.actor[c:c+1])
		if b.best < 0 || b.actor[c] > b.actor[b.best] {
			b.best = c
		}
	}
	for c := range n {
		if b.actor[c] < least && c != b.best {
			continue
		}
		v := l.skill.vector(t.skillFeatures(c), t.hintsOf(c))
		b.skill[c] = make([]float32, skills)
		l.skill.scores(&v, b.skill[c])
	}
	return b
}

// leastBeside is the lowest threshold that is tried for one who acts beside others.
const leastBeside = 0.2

func (l *Linear) beliefs(ctx context.Context, workers int, annotations []annotation) []belief {
	out := make([]belief, len(annotations))
	share(workers, len(annotations), func(i int) {
		if ctx.Err() != nil {
			return
		}
		x := &annotations[i]
		out[i] = l.believe(x.table, func(c int) []feature { return x.actor[c] }, leastBeside)
		out[i].truth = x.truth
	})
	return out
}

// acts says whether c is taken for one who acts.
func (l limits) acts(b *belief, c int) bool {
	return b.actor[c] >= l.Beside || c == b.best && b.actor[c] >= l.Alone
}

// choose returns the skills that c is taken to try: none where it does not act, else the likeliest
// one and others that are likely enough.
func (l limits) choose(b *belief, c int) (chosen []int) {
	if !l.acts(b, c) {
		return nil
	}
	top := 0
	for k, p := range b.skill[c] {
		if p > b.skill[c][top] {
			top = k
		}
	}
	for k, p := range b.skill[c] {
		if k == top || p*b.actor[c] >= l.Second {
			chosen = append(chosen, k)
		}
	}
	return chosen
}

// tune finds the limits with the best F-scores: of characters for who acts, then of (character,
// skill) for second skills.
func tune(beliefs []belief) limits {
	best := defaultLimits
	beside := grid(leastBeside, 0.9, 0.025)
	alone := grid(0, 0.5, 0.05)
	top := -1.0
	for _, a := range alone {
		scores := make([]float64, len(beside))
		for i, b := range beside {
			scores[i] = f1(beliefs, limits{Beside: b, Alone: a}.characters)
		}
		if i, score := summit(scores); score > top {
			top, best.Beside, best.Alone = score, beside[i], a
		}
	}
	second := grid(0.05, 0.5, 0.01)
	scores := make([]float64, len(second))
	for i, s := range second {
		scores[i] = f1(beliefs, limits{Beside: best.Beside, Alone: best.Alone, Second: s}.intentions)
	}
	i, _ := summit(scores)
	best.Second = second[i]
	return best
}

func grid(from, to, step float32) (out []float32) {
	for i := 0; from+float32(i)*step <= to; i++ {
		out = append(out, from+float32(i)*step)
	}
	return out
}

// summit finds the highest point of a curve after smoothing it, so that a lucky spike is not taken
// for one. Of equals it takes the middle.
func summit(scores []float64) (at int, score float64) {
	const width = 2 // to each side
	var even []int
	for i := range scores {
		part := scores[max(0, i-width):min(len(scores), i+width+1)]
		sum := 0.0
		for _, s := range part {
			sum += s
		}
		switch mean := sum / float64(len(part)); {
		case len(even) == 0 || mean > score:
			score, even = mean, append(even[:0], i)
		case mean == score:
			even = append(even, i)
		}
	}
	return even[len(even)/2], score
}

// characters counts whether c is rightly or wrongly taken for one who acts.
func (l limits) characters(b *belief, c int) (hits, wrong int) {
	found, is := l.acts(b, c), len(b.truth[c]) > 0
	return int(bit(found && is)), int(bit(found != is))
}

// intentions counts the skills that c is rightly or wrongly taken to try, or not to.
func (l limits) intentions(b *belief, c int) (hits, wrong int) {
	chosen := l.choose(b, c)
	for _, k := range chosen {
		hits += int(bit(slices.Contains(b.truth[c], k)))
	}
	return hits, len(chosen) + len(b.truth[c]) - 2*hits
}

// f1 is the micro F1 over everybody of every window; 1 where there is nothing to find and nothing found.
func f1(beliefs []belief, count func(b *belief, c int) (hits, wrong int)) float64 {
	all, amiss := 0, 0
	for i := range beliefs {
		for c := range beliefs[i].actor {
			hits, wrong := count(&beliefs[i], c)
			all, amiss = all+hits, amiss+wrong
		}
	}
	if all+amiss == 0 {
		return 1
	}
	return 2 * float64(all) / float64(2*all+amiss)
}
