package reference

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
)

// NPC answers what it is asked to the point: for each of its facts it made up its mind before the
// play, with probability Share, whether it will give it out. A question put in a whisper is answered
// in a whisper.
type NPC struct{ Share float64 }

// pending holds the questions of one asker, or of the table together.
type pending struct {
	to        []characters.ID // nil: asked openly
	questions []question
}

// Act answers the questions that wait.
func (n NPC) Act(_ context.Context, v *sim.View) (sim.Decision, error) {
	r := sim.Rand(v.Seed)
	if v.Knowledge == nil || len(v.Knowledge.Facts) == 0 {
		return sim.Decision{Speech: pick(r, texts().SmallTalk)}, nil
	}
	p, given := waiting(v)
	if p == nil {
		if r.IntN(3) == 0 {
			return sim.Decision{Deed: pick(r, texts().IdleDeeds)}, nil
		}
		return sim.Decision{Speech: pick(r, texts().NPCIdle)}, nil
	}
	facts, refused := n.answer(v, p.questions, given)
	d := sim.Decision{To: p.to, Facts: facts}
	var b strings.Builder
	switch {
	case len(facts) > 0:
		b.WriteString(pick(r, texts().AnswerOpeners))
		for i, f := range facts {
			b.WriteByte(' ')
			if i > 0 && r.IntN(2) == 0 {
				b.WriteString(pick(r, texts().AnswerLinks))
				b.WriteByte(' ')
			}
			b.WriteString(sentence(v.Knowledge.Facts[f].Text))
		}
		if refused && r.IntN(2) == 0 {
			b.WriteByte(' ')
			b.WriteString(pick(r, texts().HoldBacks))
		}
	case refused:
		b.WriteString(pick(r, texts().Refusals))
	default:
		b.WriteString(pick(r, texts().Ignorance))
	}
	d.Speech = b.String()
	if r.IntN(3) == 0 {
		d.Deed = pick(r, texts().IdleDeeds)
	}
	return d, nil
}

// Debrief says that an NPC is not asked.
func (n NPC) Debrief(context.Context, *sim.View, []string) (sim.Answer, error) {
	return sim.Answer{Text: "I told what I chose to tell."}, nil
}

// waiting returns the questions to be answered next and the facts that those who asked were given
// already. What was asked openly goes before whispers only where it was asked before them.
func waiting(v *sim.View) (*pending, []int) {
	var queue []pending
	for _, e := range v.Events {
		if e.Kind != sim.KindAct {
			continue
		}
		if e.Actor == v.Self.ID {
			queue = slices.DeleteFunc(queue, func(p pending) bool {
				return len(e.Audience) == 0 && p.to == nil || p.to != nil && slices.Contains(e.Audience, p.to[0])
			})
			continue
		}
		asked := questions(e.Speech)
		if len(asked) == 0 {
			continue
		}
		var to []characters.ID
		if len(e.Audience) > 0 {
			to = []characters.ID{e.Actor}
		}
		at := slices.IndexFunc(queue, func(p pending) bool { return slices.Equal(p.to, to) })
		if at < 0 {
			queue, at = append(queue, pending{to: to}), len(queue)
		}
		queue[at].questions = append(queue[at].questions, asked...)
	}
	if len(queue) == 0 {
		return nil, nil
	}
	next := &queue[0]
	var given []int
	for _, e := range v.Events {
		if e.Actor == v.Self.ID && (len(e.Audience) == 0 || next.to != nil && slices.Contains(e.Audience, next.to[0])) {
			given = append(given, e.Facts...)
		}
	}
	return next, given
}

// answer returns the facts that the questions bring out, and whether any was held back.
func (n NPC) answer(v *sim.View, asked []question, given []int) (facts []int, refused bool) {
	try := func(f int) {
		switch {
		case slices.Contains(given, f) || slices.Contains(facts, f):
		case n.willing(v, f):
			facts = append(facts, f)
		default:
			refused = true
		}
	}
	for _, q := range asked {
		for f := range v.Knowledge.Facts {
			fact := &v.Knowledge.Facts[f]
			switch q.aspect {
			case "": // one of what is left, the first
				if len(facts) == 0 {
					try(f)
				}
			case "none":
				if mentions(q.text, fact.Text, v.Knowledge.Title) {
					try(f)
				}
			default:
				if aspect(fact) == q.aspect {
					try(f)
				}
			}
		}
	}
	return facts, refused
}

// willing is decided once a session and fact.
func (n NPC) willing(v *sim.View, fact int) bool {
	return rand.New(rand.NewPCG(v.Root, uint64(fact))).Float64() < n.Share
}

// aspect is the fact's own, or the one that its words suggest.
func aspect(f *scenarios.Fact) scenarios.Aspect {
	if f.Aspect != "" {
		return f.Aspect
	}
	return scenarios.AspectOf(f.Text)
}

// mentions reports whether a question names at least two things that the fact is about besides the
// subject itself.
func mentions(q, fact, title string) bool {
	n := 0
	seen := map[string]bool{}
	for _, w := range words(title) {
		seen[w] = true
	}
	inFact := map[string]bool{}
	for _, w := range words(fact) {
		inFact[w] = true
	}
	for _, w := range words(q) {
		if len(w) > 3 && !seen[w] && inFact[w] {
			seen[w] = true
			n++
		}
	}
	return n >= 2
}

func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// sentence makes sure that a fact ends like a sentence.
func sentence(s string) string {
	if s == "" || strings.ContainsRune(".!?", rune(s[len(s)-1])) {
		return s
	}
	return s + "."
}
