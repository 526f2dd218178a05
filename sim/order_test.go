package sim_test

import (
	"slices"
	"strings"
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
		{ID: "mara", Name: "Mara of the Three Hills"}, {ID: "bo", Name: "Bo"},
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
		{"And you, Mara Hills?", "mara", "the first and the last word of a name"},
		{"And you, Mara of the Three?", "will", "some words of a name"},
		{"And you, Mara of the Three Hills?", "will", "longer than four words"},
		{"Mara, you say.", "mara", "a first name"},
		{"Bo, you say.", "bo", "a whole name of two letters"},
		{"Of, you say.", "will", "a word of two letters"},
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
func TestOrders(t *testing.T) {
	who := func(g *sim.Game) string {
		var b strings.Builder
		for _, e := range play(t, g) {
			if e.Kind == sim.KindAct || e.Kind == sim.KindPass {
				b.WriteString(string(e.Actor))
			}
		}
		return b.String()
	}
	g := newGame(8, speak)
	if got := who(g); got != "abcdabcd" {
		t.Errorf("fixed: %s", got)
	}
	g = newGame(40, speak)
	g.Order = sim.Shuffled{}
	got := who(g)
	rounds := map[string]bool{}
	for i := 0; i < len(got); i += 4 {
		round := []byte(got[i : i+4])
		rounds[string(round)] = true
		slices.Sort(round)
		if string(round) != "abcd" {
			t.Errorf("shuffled: in round %d moved %s", i/4, got[i:i+4])
		}
	}
	if len(rounds) < 4 {
		t.Errorf("shuffled: ten rounds have %d orders", len(rounds))
	}
	g = newGame(8, speak)
	g.Order = sim.Initiative{}
	events := play(t, g)
	var rolled []string
	total := 1000
	for _, e := range events {
		if e.Kind == sim.KindRoll {
			if e.Roll.Total > total {
				t.Errorf("initiative: %s moves after a lower total", e.Actor)
			}
			total = e.Roll.Total
			rolled = append(rolled, string(e.Actor))
		}
	}
	g = newGame(8, speak)
	g.Order = sim.Initiative{}
	if got := who(g); got != strings.Repeat(strings.Join(rolled, ""), 2) {
		t.Errorf("initiative: rolled %v, moved %s", rolled, got)
	}
	g = newGame(14, simtest.Actor(func(v *sim.View) (sim.Decision, error) {
		switch v.Self.ID {
		case "a":
			return sim.Decision{Speech: "What do you say, Cato?"}, nil
		case "c":
			return sim.Decision{Speech: "Psst.", To: []characters.ID{"a"}}, nil
		}
		return sim.Decision{Speech: "Hm."}, nil
	}))
	g.Order = sim.Addressed{}
	if got := who(g); !strings.HasPrefix(got, "acac") || !strings.Contains(got, "b") || !strings.Contains(got, "d") {
		t.Errorf("addressed: %s; want a and c to talk, and b and d not to be left out", got)
	}
}

// Initiative is a d20 with the Dexterity modifier, without a class, the highest total first; of equal totals the
// higher modifier, then the earlier in the cast.
func TestInitiative(t *testing.T) {
	dexterity := []int{1, 7, 8, 9, 10, 11, 12, 20}
	bonus := []int{-5, -2, -1, -1, 0, 0, 1, 5} // floor((score-10)/2)
	s := &scenarios.Scenario{Kind: scenarios.Exchange, Cast: simtest.Cast(len(dexterity))}
	for i, c := range s.Cast {
		c.Abilities.Dexterity = dexterity[i]
	}
	ties := 0
	for seed := range uint64(50) {
		g := &sim.Game{
			Episode: sim.NewEpisode("s", seed, s, 1), Now: simtest.Clock(), Order: sim.Initiative{}, Actors: simtest.Everybody(s, speak),
		}
		var last *sim.Event
		for _, e := range play(t, g) {
			if e.Kind != sim.KindRoll {
				continue
			}
			i := int(e.Actor[0] - 'a')
			if r := e.Roll; r.Modifier != bonus[i] || r.Total != r.First+bonus[i] || r.Class != 0 || r.Success || r.Second != 0 {
				t.Errorf("Dexterity %d rolls %+v", dexterity[i], *r)
			}
			if last != nil && (last.Roll.Total < e.Roll.Total || last.Roll.Total == e.Roll.Total && (last.Roll.Modifier < e.Roll.Modifier ||
				last.Roll.Modifier == e.Roll.Modifier && last.Actor > e.Actor)) {
				t.Errorf("seed %d: %s with %+v moves before %s with %+v", seed, last.Actor, *last.Roll, e.Actor, *e.Roll)
			}
			if last != nil && last.Roll.Total == e.Roll.Total && last.Roll.Modifier != e.Roll.Modifier {
				ties++
			}
			last = &e
		}
	}
	if ties == 0 {
		t.Error("no totals are equal")
	}
}

// A character that two others talk past moves once it has waited for more than two rounds.
func TestAddressedWaitsTwoRounds(t *testing.T) {
	g := newGame(21, simtest.Actor(func(v *sim.View) (sim.Decision, error) {
		to := map[characters.ID]string{"a": "And you, Cato?", "c": "And you, Ada?"}
		return sim.Decision{Speech: to[v.Self.ID]}, nil
	}))
	g.Order = sim.Addressed{}
	play(t, g)
	got := ""
	for _, m := range g.Episode.Moves() {
		got += string(m.Actor)
	}
	// b waits from the start to turn 10 and then to turn 20, d one turn longer.
	if want := "acacacacabdcacacacabd"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
