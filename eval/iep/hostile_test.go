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

// Whether a fact counts as told, by the words that decide it.
func TestTold(t *testing.T) {
	for _, test := range []struct {
		fact, said string
		want       bool
		reason     string
	}{
		{"The tower has 1,200 steps.", "It has 1200 steps.", true, "a mark within a number"},
		{"The tower has 1,200 steps.", "It has 1,300 steps.", false, "another number"},
		{"The bridge is 3.5 miles long.", "The bridge is 3.5 miles long.", true, "a fraction"},
		{"The bridge is 3.5 miles long.", "The bridge is 35 miles long.", false, "no fraction"},
		{"The army counts four hundred and three riders.", "Riders of the army: 403 of them.", true, "words and digits"},
		{"The army counts four hundred and three riders.", "The army counts four hundred riders.", false, "a part of the number"},
		{"The mine holds two thousand and ten lamps.", "The mine holds 2010 lamps.", true, "thousands"},
		{"The mine holds twelve thousand lamps.", "The mine holds 12000 lamps.", true, "thousands"},
		{"The mine holds a hundred and twenty-five lamps.", "The mine holds 125 lamps.", true, "hundreds and a hyphen"},
		{"The mine holds two hundred thousand lamps.", "The mine holds 200000 lamps.", true, "hundreds of thousands"},
		{"Six sisters guard the door.", "Half a dozen sisters guard the door.", true, "half a dozen"},
		{"Six sisters guard the door.", "A dozen sisters guard the door.", false, "a dozen"},
		{"Twenty-four goats graze on the roof.", "Two dozen goats graze on the roof.", true, "dozens"},
		{"The fair lasts a week.", "The fair lasts seven days.", true, "a week"},
		{"The fair lasts a fortnight.", "The fair lasts two weeks.", true, "a fortnight"},
		{"The fair lasts a fortnight.", "The fair lasts three weeks.", false, "no fortnight"},
		{"Forty riders guard the pass.", "About 42 riders guard the pass.", true, "nearly so"},
		{"Forty riders guard the pass.", "Exactly 42 riders guard the pass.", false, "not nearly so"},
		{"Forty riders guard the pass.", "Nearly fifty riders guard the pass.", false, "too far for nearly"},
		{"The third bell is cracked.", "The 3rd bell is cracked.", true, "an ordinal"},
		{"The third bell is cracked.", "The fourth bell is cracked.", false, "another ordinal"},
		{"The third bell is cracked.", "Three bells are cracked.", false, "no ordinal"},
		{"A lantern hangs above the gate.", "Three lanterns hang above the gate.", false, "of one thing"},
		{"A lantern hangs above the gate.", "One lantern hangs above the gate.", true, "of one thing"},
		{"Five monks keep the orchard.", "Five monks keep the orchard, one of them blind.", true, "a number beside it"},
		{"The guild paid ninety crowns for the map.", "The guild paid crowns for the map.", true, "a number left out"},
		{"The well was dug by five brothers.", "Once the well was dug by six brothers.", false, "once is no number of them"},
		{"Captain Nobody stole the crown jewels.", "Captain Nobody stole the crown jewels.", true, "a name that is a negation"},
		{"Nobody stole the crown jewels.", "The crown jewels were stolen.", false, "a negation at the beginning"},
		{"Orla Venn cast the great bell.", "Mara Venn cast the great bell.", false, "half a name"},
		{"Orla Venn cast the great bell.", "Mara Dunn cast the great bell.", false, "another name"},
		{"Orla Venn cast the great bell.", "Venn cast the great bell.", true, "a part of a name"},
		{"Orla Venn cast the great bell.", "A smith named Orla cast the great bell.", true, "the other part"},
		{"The duke of Harrow bought the salt mine.", "The duke of Barrow bought the salt mine.", false, "of another place"},
		{"May sold her father's silver harp.", "May sold her father's silver harp.", true, "a month for a name"},
		{"Bread was baked by Tobin in the crypt.", "bread was baked by tobin in the crypt", true, "small letters throughout"},
		{"Bread was baked by Tobin in the crypt.", "bread was baked by corbin in the crypt", false, "small letters throughout, another name"},
		{"The ferryman never crosses at night.", "The ferryman crosses at night.", false, "left out"},
		{"The ferryman never crosses at night.", "The ferryman doesn't cross at night.", true, "in other words"},
		{"The ferryman crosses at night.", "The ferryman does not cross at night.", false, "put in"},
		{"The ferryman crosses at night.", "No doubt the ferryman crosses at night.", true, "no negation"},
		{"The ferryman crosses at night.", "The ferryman not only drinks but crosses at night.", true, "not only"},
		{"The gate opens for pilgrims.", "The gate never opens unless for pilgrims.", true, "not unless"},
		{"The miller's daughter is young.", "The miller's daughter is old.", false, "an antonym"},
		{"The miller's daughter is young.", "The miller's daughter is not old.", true, "an antonym denied"},
		{"The miller's daughter is young.", "The miller's daughter is not young.", false, "denied"},
		{"The lamp was lit before the storm.", "The lamp was lit after the storm.", false, "the other way round"},
		{"The lamp was lit before the storm.", "The lamp was lit before the storm. That is not true.", false, "taken back"},
		{"The lamp was lit before the storm.", "It's a lie that the lamp was lit before the storm.", false, "called a lie"},
		{"The lamp was lit before the storm.", "The lamp was lit before the storm, they say, but that's a lie.", false, "called a lie behind"},
		{"The heir hides in the mill.", "Is the heir in the mill?", false, "a question"},
		{"The heir hides in the mill.", "I asked whether the heir hides in the mill.", false, "an indirect question"},
		{"The heir hides in the mill.", "I asked where the heir hides, and he said the heir hides in the mill.", true, "asked and answered"},
		{"The heir hides in the mill.", "Maybe the heir hides in the mill.", false, "a guess"},
		{"The heir hides in the mill.", "Maybe not in town, but the heir hides in the mill.", true, "a guess and a fact"},
		{"The heir hides in the mill.", "I do not know whether the heir hides in the mill.", false, "not known"},
		{"The heir hides in the mill.", "I don't know his name, but the heir hides in the mill.", true, "one thing is not known"},
		{"The heir hides in the mill.", "We asked about it: the heir hides in the mill.", false, "asked about"},
		{"The cook poisoned the baron.", "The baron poisoned the cook.", false, "who did what"},
		{"The cook poisoned the baron.", "The baron was poisoned by the cook.", true, "in the other voice"},
		{"Orla Venn poisoned Tobin Reed.", "Orla Venn was poisoned by Tobin Reed.", false, "in the other voice, exchanged"},
		{"Orla Venn poisoned Tobin Reed.", "Tobin Reed was poisoned by Orla Venn.", true, "in the other voice, names"},
		{"The baron was poisoned by the cook.", "The cook poisoned the baron.", true, "in the active voice"},
		{"Orla Venn was poisoned by Tobin Reed.", "Orla Venn poisoned Tobin Reed.", false, "in the active voice, exchanged"},
		{"Orla Venn was poisoned by Tobin Reed.", "The smith Tobin Reed poisoned Orla Venn at last.", true, "in the active voice, names"},
		{"The archivist stole the crown from a jester.", "The jester stole the crown from an archivist.", false, "from whom"},
		{"The potter sold the jar to a widow.", "The potter bought the jar from a widow.", false, "the other direction"},
		{"The letter went from the bishop to the queen.", "The letter went from the queen to the bishop.", false, "from and to"},
		{"The ferry is older than the bridge.", "The bridge is older than the ferry.", false, "than what"},
		{"The nun gave the key to a smuggler.", "The smuggler gave the key to a nun.", false, "a light verb"},
		{"The nun gave the key to a smuggler.", "A smuggler was given the key by the nun.", true, "a light verb in the other voice"},
		{"The mill burned because the miller was drunk.", "The mill burned because lightning struck.", false, "another cause"},
		{"The mill burned because the miller was drunk.", "The mill burned since the drunk miller slept.", true, "the cause in other words"},
		{"The heir hides in the old mill by the river.", "heir, mill, river, hides, old", false, "a list of words"},
		{"The heir hides in the old mill by the river.", "heir hides old mill river", false, "words alone"},
		{"The heir hides in the old mill by the river.", "1. The heir hides in the old mill by the river.", true, "numbered"},
		{"The heir hides in the old mill by the river.", "12) the heir hides in the old mill by the river", true, "numbered in another way"},
		{"The heir hides in the old mill by the river.", "The heir hides in the old mill/barn by the river.", true, "a slash"},
		{"The heir hides in the old mill by the river.", "The heir hides in the old church by the river.", false, "one place is another"},
		{"The heir hides in the old mill by the river.", "The heir hides by the river.", true, "less than all"},
		{"The heir hides in the old mill by the river.", "The heir plays cards by the river.", false, "the rest is another thing"},
	} {
		c := iep.Case{ID: "a", Facts: []string{test.fact, "The well is dry."}, Debrief: test.said, Tells: []int{0}}
		if got := accepted(t, []iep.Case{c})[iep.ArmTrue][0]; got != test.want {
			t.Errorf("%s: %q of %q: accepted is %t", test.reason, test.said, test.fact, got)
		}
	}
}
