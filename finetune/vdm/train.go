package vdm

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"parley/characters"
	"parley/eval/ieg"
)

// How the heads are trained, chosen by cross-validation on real play.
var (
	actorPace = pace{epochs: 5, least: 3, rate: 0.1, start: 0.1}
	skillPace = pace{epochs: 6, least: 2, rate: 1, start: 0.3}
)

// Train makes a linear virtual DM. Who acts and which skill is tried are learned from train. The
// thresholds, which say how sure it has to be, are tuned on val; where that is empty, on train itself,
// by cross-validation over its groups.
func Train(ctx context.Context, c Config, train, val []ieg.Interaction) (*Linear, error) {
	if len(train) == 0 {
		return nil, errors.New("there are no windows to learn from")
	}
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	annotations := read(ctx, c.Workers, train)
	l := &Linear{about: About{Seed: c.Seed, Windows: len(train), Tuned: "nothing: too few groups"}, limits: defaultLimits}
	groups := map[string]int{}
	for i := range train {
		if _, there := groups[train[i].Group]; !there {
			groups[train[i].Group] = len(groups)
		}
		l.about.Intentions += len(train[i].Intentions)
	}
	l.about.Groups = len(groups)
	for i := range annotations {
		for _, r := range annotations[i].truth {
			l.about.Learned += len(r)
		}
	}
	l.actor, l.skill = fit(ctx, c, annotations, c.Seed)
	var beliefs []belief
	switch {
	case len(val) > 0:
		l.about.Tuned, l.about.TunedWindows = "validation windows", len(val)
		beliefs = l.beliefs(ctx, c.Workers, read(ctx, c.Workers, val))
	case len(groups) > 1:
		l.about.Tuned, l.about.TunedWindows = "cross-validation by group", len(train)
		beliefs = crossValidate(ctx, c, annotations, train, groups)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if len(beliefs) > 0 {
		l.limits = tune(beliefs)
	}
	return l, nil
}

// annotation is a window with its answers.
type annotation struct {
	table *table
	truth [][]int // skills by member of the cast
	// What the heads learn from: how each member of the cast behaves, and, of those who act, the words.
	actor, skill [][]feature
	hints        []*[skills][hints]float32
}

// read makes annotations of windows, in their order. An intention of one who is not of the cast
// cannot be learned.
func read(ctx context.Context, workers int, xs []ieg.Interaction) []annotation {
	out := make([]annotation, len(xs))
	share(workers, len(xs), func(i int) {
		if ctx.Err() == nil {
			out[i] = newAnnotation(&xs[i])
		}
	})
	return out
}

func newAnnotation(x *ieg.Interaction) annotation {
	t := newTable(x)
	n := len(t.cast)
	l := annotation{table: t, truth: make([][]int, n), actor: make([][]feature, n), skill: make([][]feature, n), hints: make([]*[skills][hints]float32, n)}
	for _, in := range x.Intentions {
		k, known := skillAt[in.Skill]
		who := t.member(in.Character)
		if known && who >= 0 {
			l.truth[who] = append(l.truth[who], k)
		}
	}
	for c := range t.cast {
		l.actor[c] = t.actorFeatures(c)
		if len(l.truth[c]) > 0 {
			l.skill[c], l.hints[c] = t.skillFeatures(c), t.hintsOf(c)
		}
	}
	return l
}

// share does 0 to n-1 on several goroutines.
func share(workers, n int, do func(i int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range max(1, min(workers, n)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wait.Wait()
}

// fit trains both heads. The order of the samples of each follows from the seed.
func fit(ctx context.Context, c Config, annotations []annotation, seed uint64) (actor, skill *head) {
	var acts, tries []sample
	for i := range annotations {
		l := &annotations[i]
		for who, truth := range l.truth {
			acts = append(acts, sample{features: l.actor[who], want: []float32{float32(bit(len(truth) > 0))}})
			if len(truth) == 0 {
				continue
			}
			want := make([]float32, skills)
			for _, k := range truth {
				want[k] += 1 / float32(len(truth))
			}
			tries = append(tries, sample{features: l.skill[who], hints: l.hints[who], want: want})
		}
	}
	share(c.Workers, 2, func(i int) {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		if i == 0 {
			skill = newHead(skills, tries, skillPace.least)
			skill.Hint = make([]float32, hints)
			skill.fit(ctx, tries, skillPace, r)
			return
		}
		actor = newHead(1, acts, actorPace.least)
		actor.fit(ctx, acts, actorPace, r)
	})
	return actor, skill
}

// crossValidate says what heads that were trained on other groups believe of every window.
func crossValidate(ctx context.Context, c Config, annotations []annotation, xs []ieg.Interaction, groups map[string]int) (out []belief) {
	folds := min(folds, len(groups))
	place := rand.New(rand.NewPCG(c.Seed, 2)).Perm(len(groups))
	for fold := range folds {
		var rest, part []annotation
		for i := range annotations {
			if place[groups[xs[i].Group]]%folds == fold {
				part = append(part, annotations[i])
			} else {
				rest = append(rest, annotations[i])
			}
		}
		var l Linear
		l.actor, l.skill = fit(ctx, c, rest, c.Seed)
		out = append(out, l.beliefs(ctx, c.Workers, part)...)
	}
	return out
}

// Linear is a virtual DM of two linear classifiers: who of the cast acts, each judged by its own
// behaviour and words, and which skill the one who acts tries. Names mean nothing to it beyond
// telling who is who, so it knows no character and takes any.
type Linear struct {
	actor, skill *head
	limits       limits
	about        About
}

// About says what a linear virtual DM learned from.
type About struct {
	Seed         uint64 `json:"seed"`
	Windows      int    `json:"windows"`
	Groups       int    `json:"groups"`
	Intentions   int    `json:"intentions"`
	Learned      int    `json:"learned"` // intentions of members of the cast
	Tuned        string `json:"tuned"`   // what the thresholds were tuned on
	TunedWindows int    `json:"tuned_windows"`
	Features     int    `json:"features"`
}

// About returns what the virtual DM learned from.
func (l *Linear) About() About {
	a := l.about
	a.Features = len(l.actor.Keys) + len(l.skill.Keys)
	return a
}

// Thresholds returns how sure it has to be: of one who acts beside others, of the likeliest one
// alone, and of a second skill of one character. They are probabilities.
func (l *Linear) Thresholds() (beside, alone, second float64) {
	return float64(l.limits.Beside), float64(l.limits.Alone), float64(l.limits.Second)
}

// Name returns "linear".
func (l *Linear) Name() string { return "linear" }

// Predict names who tries which skill. It never fails but for a cancelled context.
func (l *Linear) Predict(ctx context.Context, x *ieg.Interaction) (ieg.Prediction, error) {
	if err := ctx.Err(); err != nil {
		return ieg.Prediction{}, err
	}
	t := newTable(x)
	b := l.believe(t, func(c int) []feature { return t.actorFeatures(c) }, l.limits.wary())
	var p ieg.Prediction
	all := characters.Skills()
	for c := range t.cast {
		for _, k := range l.limits.choose(&b, c) {
			p.Intentions = append(p.Intentions, ieg.Intention{Character: x.Cast[c], Skill: all[k]})
		}
	}
	return p, nil
}
