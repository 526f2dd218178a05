package session

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"parley/characters"
	"parley/eval"
	"parley/eval/iep"
	"parley/scenarios"
	"parley/sim"
)

// Said is a stretch of an event that bears on a piece of a score's evidence.
type Said struct {
	Evidence int // index in the score's list
	Seq      int // of the event
	Words    string
}

// lexicon is the built-in judge, which finds where a key point was said. Making it takes half a second.
var lexicon = sync.OnceValue(func() *iep.Lexical { return iep.NewLexical(LibraryFacts()) })

// PrepareTrace makes what Trace needs, so that the first one is as quick as the others.
func PrepareTrace() { lexicon() }

// Trace finds where the evidence of a score was said: what was found for it, word for word in the subject's answer
// or else in the play; and, where the NPC held knowledge, the turns in which others told the subject
// what was looked for, by the facts that a move is known to give away and by the built-in judge, sentence by sentence.
func (t *Transcript) Trace(s *eval.Score) []Said {
	var found []Said
	for i, e := range s.Evidence {
		if e.Got == "" {
			continue
		}
		at := slices.IndexFunc(t.Events, func(ev sim.Event) bool {
			return ev.Kind == sim.KindDebrief && string(ev.Actor) == s.Subject && ev.Control == s.Control && strings.Contains(ev.Text, e.Got)
		})
		if at < 0 {
			at = slices.IndexFunc(t.Events, func(ev sim.Event) bool {
				return ev.Kind != sim.KindDebrief && (strings.Contains(ev.Speech, e.Got) || strings.Contains(ev.Deed, e.Got) || strings.Contains(ev.Text, e.Got))
			})
		}
		if at >= 0 {
			found = append(found, Said{i, t.Events[at].Seq, e.Got})
		}
	}
	if k := t.knowledge(); k != nil && s.Control == "" && len(s.Evidence) > 0 {
		found = append(found, t.told(s, k)...)
	}
	return found
}

// knowledge returns what the NPC of the session alone held; nil where there is none that can be read.
func (t *Transcript) knowledge() *scenarios.Knowledge {
	var s scenarios.Scenario
	if t.Row == nil || json.Unmarshal([]byte(t.Row.Scenario), &s) != nil {
		return nil
	}
	return s.Knowledge
}

// told finds the sentences of others that tell the subject of a score a key point.
func (t *Transcript) told(s *eval.Score, k *scenarios.Knowledge) (found []Said) {
	gold := make([]string, len(s.Evidence))
	authored := len(gold) == len(k.Facts)
	for i := range gold {
		gold[i] = s.Evidence[i].Want
		authored = authored && gold[i] == k.Facts[i].Text
	}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind != sim.KindAct && e.Kind != sim.KindNarration || string(e.Actor) == s.Subject {
			continue
		}
		if len(e.Audience) > 0 && !slices.ContainsFunc(e.Audience, func(id characters.ID) bool { return string(id) == s.Subject }) {
			continue
		}
		given := map[int]bool{}
		for _, text := range []string{e.Speech, e.Deed, e.Text} {
			for _, sentence := range iep.Sentences(text) {
				heard, _, err := lexicon().Heard(context.Background(), iep.Ask{}, k, gold, []string{sentence})
				for point, said := range heard {
					if err == nil && said {
						given[point] = true
						found = append(found, Said{point, e.Seq, sentence})
					}
				}
			}
		}
		for _, fact := range e.Facts {
			if authored && fact >= 0 && fact < len(gold) && !given[fact] {
				found = append(found, Said{fact, e.Seq, strings.TrimSpace(e.Speech)})
			}
		}
	}
	return found
}
