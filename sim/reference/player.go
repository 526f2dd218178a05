package reference

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/prose"
)

// asker draws out the NPC aspect by aspect, asking what was not asked in its hearing. Not alone, it
// asks openly and passes on what only it was told.
type asker struct{ alone bool }

// Act asks the next question, or passes on what the others do not know.
func (a asker) Act(_ context.Context, v *sim.View) (sim.Decision, error) {
	r := sim.Rand(v.Seed)
	if !a.alone {
		if facts, text := untold(v); text != "" {
			return sim.Decision{Speech: pick(r, texts().ShareOpeners) + " " + text, Facts: facts}, nil
		}
	}
	d := sim.Decision{}
	aspects := unasked(v)
	switch {
	case len(aspects) == 0:
		d.Speech = about(r, v) + " " + pick(r, texts().AskAnything)
	default:
		t := &texts().Topics[aspects[r.IntN(len(aspects))]]
		d.Speech = about(r, v) + " " + pick(r, t.Ask)
	}
	if a.alone && v.NPC != "" {
		d.To = []characters.ID{v.NPC}
	}
	if r.IntN(4) == 0 {
		d.Deed = pick(r, texts().AskDeeds)
	}
	return d, nil
}

// about says what the question is about, so that "it" is plain.
func about(r *rand.Rand, v *sim.View) string {
	s := pick(r, texts().AskOpeners)
	npc := ""
	for i := range v.Cast {
		if v.Cast[i].ID == v.NPC {
			npc, _, _ = strings.Cut(v.Cast[i].Name, " ")
		}
	}
	return capital(strings.NewReplacer("NPC", npc, "SUBJECT", subject(v)).Replace(s))
}

// subject names the subject of the scenario, in the middle of a sentence.
func subject(v *sim.View) string {
	if low, found := strings.CutPrefix(v.Title, "The "); found {
		return "the " + low
	}
	if v.Title == "" {
		return "this matter"
	}
	return v.Title
}

// capital makes the first letter a capital.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// unasked returns the topics that were not asked for in this player's hearing.
func unasked(v *sim.View) []int {
	asked := map[scenarios.Aspect]bool{}
	for _, e := range v.Events {
		if e.Kind == sim.KindAct && e.Actor != v.NPC {
			for _, q := range questions(e.Speech) {
				asked[q.aspect] = true
			}
		}
	}
	var open []int
	for i := range texts().Topics {
		if !asked[texts().Topics[i].Aspect] {
			open = append(open, i)
		}
	}
	return open
}

// untold returns what this player was told in a whisper and has not passed on yet: at most two facts.
func untold(v *sim.View) (facts []int, text string) {
	var told []int
	for _, e := range v.Events {
		if len(e.Audience) == 0 {
			told = append(told, e.Facts...)
		}
	}
	var said []string
	for _, e := range v.Events {
		if e.Actor == v.Self.ID || len(e.Audience) == 0 || len(e.Facts) == 0 {
			continue
		}
		lines := telling(e)
		for i, f := range e.Facts {
			if i < len(lines) && len(facts) < 2 && !slices.Contains(told, f) && !slices.Contains(facts, f) {
				facts, said = append(facts, f), append(said, lines[i])
			}
		}
	}
	return facts, strings.Join(said, " ")
}

// Debrief repeats what the player was told, sentence by sentence.
func (a asker) Debrief(_ context.Context, v *sim.View, _ []string) (sim.Answer, error) {
	r := sim.Rand(v.Seed)
	var known []string
	keep := func(s string) {
		if !slices.Contains(known, s) {
			known = append(known, s)
		}
	}
	if v.Knowledge != nil {
		for _, f := range v.Knowledge.Facts {
			keep(sentence(f.Text))
		}
	} else {
		for _, e := range v.Events {
			switch {
			case e.Kind != sim.KindAct || e.Actor == v.Self.ID:
			case len(e.Facts) > 0:
				for _, s := range telling(e) {
					keep(s)
				}
			case e.Actor == v.NPC && len(e.Calls) > 0: // a model's NPC does not say which sentences count
				for _, s := range prose.Sentences(e.Speech) {
					if !strings.HasSuffix(s, "?") && strings.Count(s, " ") >= 6 && len(known) < 40 {
						keep(s)
					}
				}
			}
		}
	}
	if len(known) == 0 {
		return sim.Answer{Text: pick(r, texts().LearnedNothing)}, nil
	}
	return sim.Answer{Text: pick(r, texts().RecountOpeners) + "\n" + strings.Join(known, "\n")}, nil
}

// telling returns the sentences of a speech that carry its facts: as many as there are facts, the
// ones with the most words, in the order in which they were said.
func telling(e *sim.Event) []string {
	all := prose.Sentences(e.Speech)
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Count(all[b], " ") - strings.Count(all[a], " ") })
	order = order[:min(len(e.Facts), len(order))]
	slices.Sort(order)
	var kept []string
	for _, i := range order {
		kept = append(kept, all[i])
	}
	return kept
}

// talker talks about nothing.
type talker struct{}

// Act says something that means nothing.
func (talker) Act(_ context.Context, v *sim.View) (sim.Decision, error) {
	return chat(sim.Rand(v.Seed)), nil
}

// Debrief says that there was nothing.
func (talker) Debrief(_ context.Context, v *sim.View, _ []string) (sim.Answer, error) {
	return nothing(v), nil
}

func chat(r *rand.Rand) sim.Decision {
	d := sim.Decision{Speech: pick(r, texts().SmallTalk)}
	if r.IntN(4) == 0 {
		d.Deed = pick(r, texts().IdleDeeds)
	}
	return d
}

// nothing is the debrief of a player who did not listen; with the knowledge in hand, it reads it out.
func nothing(v *sim.View) sim.Answer {
	if v.Knowledge != nil {
		a, _ := asker{}.Debrief(context.Background(), v, nil)
		return a
	}
	return sim.Answer{Text: pick(sim.Rand(v.Seed), texts().LearnedNothing)}
}

// silent passes.
type silent struct{}

// Act passes.
func (silent) Act(context.Context, *sim.View) (sim.Decision, error) { return sim.Decision{}, nil }

// Debrief says that there was nothing.
func (silent) Debrief(_ context.Context, v *sim.View, _ []string) (sim.Answer, error) {
	return nothing(v), nil
}
