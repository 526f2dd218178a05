package ieg_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/characters"
	"parley/eval/ieg"
	"parley/scenarios"
	"parley/sim"
)

// game restores a game of intention expression: Orla wants Stealth, Pim two things, Tam nothing.
func game(t *testing.T, events ...sim.Event) *sim.Episode {
	t.Helper()
	sheet := func(id, name string) *characters.Sheet {
		return &characters.Sheet{ID: characters.ID(id), Name: name}
	}
	s := &scenarios.Scenario{
		Kind: scenarios.Expression, Premise: "A hall.", NPC: "tam",
		Cast: []*characters.Sheet{sheet("orla", "Orla Venn"), sheet("pim", "Pim Ash"), sheet("tam", "Tam Rook")},
		Intentions: []scenarios.Intention{
			{Character: "orla", Skill: characters.Stealth}, {Character: "pim", Skill: characters.Arcana}, {Character: "pim", Skill: characters.Insight},
		},
	}
	ep := sim.NewEpisode("s1", 1, s, len(events))
	for i := range events {
		events[i].Session, events[i].Seq, events[i].Last = "s1", i, true
	}
	if err := ep.Restore(events, 0); err != nil {
		t.Fatal(err)
	}
	return ep
}

func act(turn int, who characters.ID, speech, deed string) sim.Event {
	return sim.Event{Turn: turn, Kind: sim.KindAct, Actor: who, Speech: speech, Deed: deed}
}

func pass(turn int, who characters.ID) sim.Event {
	return sim.Event{Turn: turn, Kind: sim.KindPass, Actor: who}
}

func TestFromEpisode(t *testing.T) {
	whisper := act(3, "tam", "Not here.", "")
	whisper.Audience = []characters.ID{"tam", "pim"}
	ep := game(t,
		sim.Event{Kind: sim.KindScene, Text: "A hall."},
		act(1, "orla", "Quiet now.", "slips  behind the curtain"),
		sim.Event{Turn: 1, Kind: sim.KindRoll, Actor: "orla", Text: "rolls Stealth"},
		sim.Event{Turn: 1, Kind: sim.KindNarration, Text: "Orla succeeds (Stealth 14 against 12)."},
		pass(2, "pim"),
		whisper,
		act(4, "orla", "", "I wait."),
		act(5, "orla", "", "counts to 9"),
		sim.Event{Turn: 5, Kind: sim.KindDebrief, Actor: "orla", Text: "It was about Stealth."},
		sim.Event{Turn: 5, Kind: sim.KindEnd, Text: "over"},
	)
	got := ieg.FromEpisode(ep, 0)
	want := []ieg.Interaction{{
		ID: "game:s1:1", Group: "s1", Tier: "game", Source: "game", Cast: []string{"Orla", "Pim", "Tam"},
		Lines: []ieg.Line{
			{Speaker: "DM", Text: "A hall."},
			{Speaker: "Orla", Text: "Quiet now. Orla slips behind the curtain."},
			{Speaker: "DM", Text: "Orla succeeds."},
			{Speaker: "Tam", Text: "Not here."},
			{Speaker: "Orla", Text: "I wait."},
			{Speaker: "Orla", Text: "Orla counts to 9."},
		},
		Intentions: []ieg.Intention{{Character: "Orla", Skill: characters.Stealth}}, // Pim only passed
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for i := range got {
		if err := got[i].Validate(); err != nil {
			t.Error(err)
		}
	}
}

// Windows cut a game into runs of turns, and a label falls where its character acts.
func TestFromEpisodeCuts(t *testing.T) {
	for _, test := range []struct {
		turns, n int
		want     string
		reason   string
	}{
		{turns: 6, n: 3, want: "1:3[Orla,Pim,Pim] 4:3[Orla,Pim,Pim]"},
		{turns: 7, n: 3, want: "1:3[Orla,Pim,Pim] 4:3[Orla,Pim,Pim]", reason: "one turn is less than half a window"},
		{turns: 8, n: 3, want: "1:3[Orla,Pim,Pim] 4:3[Orla,Pim,Pim] 7:2[Orla,Pim,Pim]"},
		{turns: 6, n: 4, want: "1:4[Orla,Pim,Pim] 5:2[Pim,Pim]", reason: "two turns are half a window"},
		{turns: 2, n: 30, want: "1:2[Orla,Pim,Pim]", reason: "a whole game that is short"},
		{turns: 3, n: 1, want: "1:1[Orla] 2:1[Pim,Pim] 3:1[]", reason: "Tam wants nothing"},
	} {
		var events []sim.Event
		for i := range test.turns {
			events = append(events, act(i+1, []characters.ID{"orla", "pim", "tam"}[i%3], "Hm.", ""))
		}
		var got []string
		for _, x := range ieg.FromEpisode(game(t, events...), test.n) {
			var who []string
			for _, i := range x.Intentions {
				who = append(who, i.Character)
			}
			got = append(got, fmt.Sprintf("%s:%d[%s]", x.ID[strings.LastIndexByte(x.ID, ':')+1:], len(x.Lines), strings.Join(who, ",")))
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%d turns by %d: %s, want %s %s", test.turns, test.n, s, test.want, test.reason)
		}
	}
}

func TestFromOtherEpisodes(t *testing.T) {
	ep := game(t, act(1, "orla", "Hm.", ""))
	ep.Scenario.Kind = scenarios.Exchange
	if got := ieg.FromEpisode(ep, 0); got != nil {
		t.Errorf("a game of information exchange has windows: %v", got)
	}
	if got := ieg.FromEpisode(game(t, pass(1, "orla"), pass(2, "pim")), 0); got != nil {
		t.Errorf("a game in which nothing is said has windows: %v", got)
	}
}

// Whoever has the same first name as somebody else is called by the whole name.
func TestFromEpisodeNames(t *testing.T) {
	ep := game(t, act(1, "orla", "Hm.", "(Stealth) and (nothing"), sim.Event{Turn: 1, Kind: sim.KindNarration, Text: "(a) Fine (Sleight of Hand 3), (b) so (open"})
	ep.Scenario.Cast[2].Name = "Orla Rook"
	x := ieg.FromEpisode(ep, 0)[0]
	if diff := cmp.Diff([]string{"Orla Venn", "Pim", "Orla Rook"}, x.Cast); diff != "" {
		t.Error(diff)
	}
	if got := x.Lines[1].Text; got != "(a) Fine, (b) so (open" {
		t.Errorf("narration %q", got)
	}
}
