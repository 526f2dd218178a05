package sim_test

import (
	"testing"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/simtest"
)

// The order "addressed" follows a name that is called, not a word that is like one.
func TestAddressed(t *testing.T) {
	s := &scenarios.Scenario{Kind: scenarios.Exchange, Cast: []*characters.Sheet{
		{ID: "orla", Name: "Orla Venn"}, {ID: "will", Name: "Will Ash"}, {ID: "hanne", Name: "Old Hanne"},
		{ID: "elira", Name: "Captain Elira Voss"}, {ID: "zephyrine", Name: "Zéphyrine d'Arc"},
	}}
	for _, test := range []struct {
		speech string
		want   characters.ID // will, who has waited longest, where nobody is called
		reason string
	}{
		{"We cross at the old ford.", "will", "a word of a name"},
		{"I will wait, Old Hanne.", "hanne", "a verb that is a name, then a title and a name"},
		{"Hanne told me so.", "will", "spoken of"},
		{"Hanne, is that so?", "hanne", "the first sentence"},
		{"And you, Elira?", "elira", "a first name behind a title"},
		{"Hey Captain Voss! Over here.", "elira", "title and last name"},
		{"Yes, Captain.", "elira", "a title that one has"},
		{"What say you, Ze\u0301phyrine?", "zephyrine", "a decomposed accent"},
		{"Zephyrine d’Arc, sing!", "zephyrine", "no accent, another apostrophe"},
		{"I saw Hanne.", "will", "an object"},
		{"Where there's a will, there's a way.", "will", "a noun"},
		{"Orla, think!", "will", "oneself"},
		{"Will you come, Elira?", "elira", "a verb first"},
		{"ELIRA! Stop.", "elira", "capitals"},
		{"I trust you, Zéphyrine d'Arc.", "zephyrine", "a whole name at the end"},
		{"Old Hanne—wait!", "hanne", "a dash without spaces"},
		{"“Elira,” I say, “stay.”", "elira", "in quotation marks"},
		{"Hanne's mule, that is.", "will", "a possessive"},
		{"The captain, they say, is dead.", "will", "a title with an article"},
		{"That is so, Hanne", "hanne", "no mark at the end"},
		{"Well... Hanne? What now?", "hanne", "behind three dots"},
	} {
		g := &sim.Game{
			Episode: sim.NewEpisode("s", 1, s, 2), Now: simtest.Clock(), Order: sim.Addressed{},
			Actors: simtest.Everybody(s, simtest.Actor(func(*sim.View) (sim.Decision, error) {
				return sim.Decision{Speech: test.speech}, nil
			})),
		}
		for _, err := range g.Play(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if moves := g.Episode.Moves(); len(moves) != 2 || moves[0].Actor != "orla" || moves[1].Actor != test.want {
			t.Errorf("%q: %s moves, want %s: %s", test.speech, moves[1].Actor, test.want, test.reason)
		}
	}
}
