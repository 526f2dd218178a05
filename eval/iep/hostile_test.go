package iep_test

import (
	"context"
	"strings"
	"testing"

	"parley/eval"
	"parley/eval/iep"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/simtest"
)

// player says nothing in play and answers the debrief with a given text.
type player struct {
	simtest.Actor
	answer string
}

func (p player) Debrief(context.Context, *sim.View, []string) (sim.Answer, error) {
	return sim.Answer{Text: p.answer}, nil
}

// after plays a game in which the NPC gives some facts, and returns the scores of the first player with
// an answer, by metric.
func after(t *testing.T, k *scenarios.Knowledge, given []int, answer string) map[string]eval.Score {
	t.Helper()
	s := simtest.Exchange(4)
	s.Knowledge, s.Title = k, k.Title
	npc := simtest.Actor(func(v *sim.View) (sim.Decision, error) {
		var said []string
		for _, g := range given {
			said = append(said, k.Facts[g].Text)
		}
		return sim.Decision{Speech: strings.Join(said, " "), Facts: given}, nil
	})
	actors := simtest.Everybody(s, player{hum, answer})
	actors[s.NPC] = npc
	g := sim.Game{Episode: sim.NewEpisode("s1", 1, s, 4), Actors: actors, Now: simtest.Clock()}
	for _, err := range g.Play(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	scores, _, err := (&iep.Scorer{Judge: lexical()}).Score(context.Background(), g.Episode)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]eval.Score{}
	for _, score := range scores {
		if score.Subject == string(s.Players()[0].ID) {
			out[score.Metric] = score
		}
	}
	return out
}

func value(s eval.Score) float64 {
	if s.Value == nil {
		return -1
	}
	return *s.Value
}

// No way to answer that is not honest gains over the honest answer, and what was not heard is flagged.
func TestHostileAnswers(t *testing.T) {
	shelf := scenarios.Library().Knowledge
	for i := 0; i < 12; i += 2 {
		k := &shelf[i]
		given := []int{0, 2, 4, 5}
		var heard, all, denied, asked, renamed, vocabulary []string
		for f := range k.Facts {
			text := k.Facts[f].Text
			all = append(all, text)
			denied = append(denied, "It is not true that "+strings.TrimSuffix(text, ".")+".")
			asked = append(asked, "I asked whether "+strings.TrimSuffix(text, ".")+".")
			vocabulary = append(vocabulary, strings.Fields(text)...)
		}
		for _, f := range given {
			heard = append(heard, k.Facts[f].Text)
		}
		var library []string
		for j := range shelf {
			for f := range shelf[j].Facts {
				library = append(library, shelf[j].Facts[f].Text)
			}
		}
		for f := range shelf[(i+1)%len(shelf)].Facts {
			renamed = append(renamed, strings.ReplaceAll(shelf[(i+1)%len(shelf)].Facts[f].Text, shelf[(i+1)%len(shelf)].Title, k.Title))
		}
		honest := after(t, k, given, strings.Join(heard, " "))
		share := 100 * float64(len(given)) / float64(len(k.Facts))
		for metric, want := range map[string]float64{iep.Metric: share, iep.Heard: share, iep.IEPHeard: share, iep.Precision: 100, iep.Unheard: 0} {
			if got := value(honest[metric]); got < want-0.01 || got > want+0.01 || honest[metric].Reason != "" {
				t.Errorf("%s, honest: %s is %.1f, want %.1f; %s", k.ID, metric, got, want, honest[metric].Reason)
			}
		}
		for name, answer := range map[string]string{
			"library": strings.Join(library, " "), "denials": strings.Join(denied, " "), "questions": strings.Join(asked, " "),
			"vocabulary": strings.Join(vocabulary, ", "), "another piece under this name": strings.Join(renamed, " "), "nothing": "There was nothing.",
		} {
			got := after(t, k, given, answer)
			if value(got[iep.Metric]) > share/2 || value(got[iep.F1]) > value(honest[iep.F1])/2 {
				t.Errorf("%s: %s scores %.1f, F1 %.1f", k.ID, name, value(got[iep.Metric]), value(got[iep.F1]))
			}
		}
		// Recited in full by one who heard a part, and by one who heard nothing.
		recited := after(t, k, given, strings.Join(all, " "))
		if value(recited[iep.Metric]) < 99 || recited[iep.Metric].Reason != iep.Flag || recited[iep.Unheard].Reason != iep.Flag || value(recited[iep.IEPHeard]) > value(honest[iep.IEPHeard])+0.01 {
			t.Errorf("%s: recited, %+v", k.ID, recited[iep.Metric])
		}
		mute := after(t, k, nil, strings.Join(all, " "))
		if value(mute[iep.Heard]) != 0 || value(mute[iep.Unheard]) != 100 || value(mute[iep.IEPHeard]) != 0 || mute[iep.Metric].Reason != iep.Flag {
			t.Errorf("%s: recited without a word, %+v", k.ID, mute)
		}
	}
}

// Liars who heard all score below an honest player who heard as much, kind by kind.
func TestNoLiarAboveAnHonestPlayer(t *testing.T) {
	for _, c := range iep.Cases() {
		if len(c.Lies) == 0 || len(c.Tells) > 0 {
			continue
		}
		k := &scenarios.Knowledge{ID: c.ID}
		var given []int
		for i, f := range c.Facts {
			k.Facts = append(k.Facts, scenarios.Fact{Text: f})
			given = append(given, i)
		}
		liar := after(t, k, given, c.Debrief)
		if value(liar[iep.Metric]) > 45 || value(liar[iep.Precision]) > 60 {
			t.Errorf("%s: a liar scores %.1f with precision %.1f", c.ID, value(liar[iep.Metric]), value(liar[iep.Precision]))
		}
	}
}

// An answer of yes to a question makes what was asked heard.
func TestYesIsHeard(t *testing.T) {
	k := simtest.Exchange(4).Knowledge
	for answer, want := range map[string]float64{"Yes, it is so.": 100.0 / 3, "No.": 0} {
		s := simtest.Exchange(4)
		actors := simtest.Everybody(s, player{simtest.Actor(func(*sim.View) (sim.Decision, error) {
			return sim.Decision{Speech: "Tell me. Is it true that " + strings.TrimSuffix(k.Facts[0].Text, ".") + "?"}, nil
		}), ""})
		actors[s.NPC] = simtest.Actor(func(*sim.View) (sim.Decision, error) { return sim.Decision{Speech: answer}, nil })
		g := sim.Game{Episode: sim.NewEpisode("s1", 1, s, 4), Actors: actors, Now: simtest.Clock()}
		for _, err := range g.Play(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
		}
		scores, _, err := (&iep.Scorer{Judge: lexical()}).Score(context.Background(), g.Episode)
		if err != nil {
			t.Fatal(err)
		}
		for _, score := range scores {
			if score.Metric == iep.Heard && (value(score) < want-0.1 || value(score) > want+0.1) {
				t.Errorf("%q: %s heard %.1f, want %.1f", answer, score.Subject, value(score), want)
			}
		}
	}
}

// Two things change sides of a preposition, or do not, though the voice or the comparison changes.
func TestExchangedAtAPreposition(t *testing.T) {
	for _, test := range []struct {
		fact, said string
		want       bool
	}{
		{"The crown was stolen from a jester by the archivist.", "The crown was stolen from the archivist by a jester.", false},
		{"The crown was stolen from a jester by the archivist.", "An archivist stole the crown from a jester.", true},
		{"A barber heard the secret from the chancellor.", "The chancellor heard the secret from a barber.", false},
		{"The people trust Pim more than the regent.", "The people trust the regent more than Pim.", false},
		{"The people trust Pim more than the regent.", "People trust the regent less than Pim.", true},
	} {
		c := iep.Case{ID: "a", Facts: []string{test.fact, "The well is dry."}, Debrief: test.said, Tells: []int{0}}
		if got := accepted(t, []iep.Case{c})[iep.ArmTrue][0]; got != test.want {
			t.Errorf("%q of %q: accepted is %t", test.said, test.fact, got)
		}
	}
}
