package sim_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/llm"
	"parley/sim/simtest"
)

// play plays a game to its end and returns its events.
func play(t *testing.T, g *sim.Game) []sim.Event {
	t.Helper()
	var events []sim.Event
	for turn, err := range g.Play(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, turn.Events...)
	}
	return events
}

// newGame makes a game of three players and an NPC.
func newGame(turns int, a sim.Actor) *sim.Game {
	s := simtest.Exchange(4)
	return &sim.Game{
		Episode: sim.NewEpisode("s1", 7, s, turns), Actors: simtest.Everybody(s, a), Now: simtest.Clock(),
	}
}

// speak says who is speaking and what it can hear, so that two plays that differ in a view differ.
var speak = simtest.Actor(func(v *sim.View) (sim.Decision, error) {
	d := sim.Decision{Speech: fmt.Sprintf("I am %s, turn %d, seed %d, and I perceived %d events.", v.Self.ID, v.Turn, v.Seed, len(v.Events))}
	switch v.Turn % 5 {
	case 1:
		d.To = []characters.ID{"b"}
	case 2:
		d.Deed, d.Facts = "searches the room", []int{}
	case 3:
		d.Speech, d.Deed = "", ""
	}
	return d, nil
})

func TestPlayHasTheShapeOfAGame(t *testing.T) {
	g := newGame(8, speak)
	g.Control = []string{sim.ControlNoConversation, sim.ControlTold}
	events := play(t, g)
	var kinds []string
	for i, e := range events {
		if e.Seq != i || e.Session != "s1" {
			t.Errorf("event %d is numbered %d in session %s", i, e.Seq, e.Session)
		}
		kinds = append(kinds, string(e.Kind)+e.Control)
	}
	want := strings.Fields("scene debriefno-conversation debriefno-conversation debriefno-conversation " +
		"act act pass act act act act pass end debrief debrief debrief debrieftold debrieftold debrieftold")
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("kinds of events (-want +got):\n%s", diff)
	}
	if g.Episode.Ended != "turns" {
		t.Errorf("it ended by %q", g.Episode.Ended)
	}
}

func TestWhispersReachTheirAudienceOnly(t *testing.T) {
	g := newGame(8, speak)
	play(t, g)
	for _, id := range []characters.ID{"a", "b", "c", "d"} {
		for _, e := range g.Episode.View(id, 9).Events {
			if e.Kind == sim.KindAct && e.Turn%5 == 1 && !slices.Contains([]characters.ID{"b", e.Actor}, id) {
				t.Errorf("%s perceives the whisper of turn %d", id, e.Turn)
			}
			if e.Kind == sim.KindDebrief || e.Kind == sim.KindEnd {
				t.Errorf("%s perceives a %s, which is no part of the play", id, e.Kind)
			}
		}
	}
}

// A game that is stopped after any number of turns and taken up again has the same events as one that
// was not.
func TestRestoreGoesOnAsIfNothingHadHappened(t *testing.T) {
	for name, order := range map[string]sim.Order{
		"fixed": sim.Fixed{}, "shuffled": sim.Shuffled{}, "initiative": sim.Initiative{}, "addressed": sim.Addressed{},
	} {
		fresh := func() *sim.Game {
			g := newGame(11, speak)
			g.Order, g.Referee = order, sim.Dice{}
			g.Control = []string{sim.ControlNoConversation, sim.ControlTold}
			g.Now = func() time.Time { return time.Unix(0, 0) }
			return g
		}
		want := play(t, fresh())
		var turns []int // where whole turns end
		for i, e := range want {
			if e.Last {
				turns = append(turns, i+1)
			}
		}
		for _, n := range turns {
			g := fresh()
			if err := g.Episode.Restore(kept(t, want[:n]), 0); err != nil {
				t.Fatal(err)
			}
			got := append(slices.Clone(want[:n]), play(t, g)...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("order %s, stopped after event %d (-undisturbed +resumed):\n%s", name, n, diff)
			}
		}
	}
}

// kept returns events as they come back from where they were kept, where a list without elements is
// no list. They have to be the same events.
func kept(t *testing.T, events []sim.Event) []sim.Event {
	t.Helper()
	data, err := json.Marshal(events)
	if err != nil {
		t.Fatal(err)
	}
	var back []sim.Event
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	for i := range back {
		e := &back[i]
		e.Time = e.Time.Local()
		if len(e.Audience) == 0 {
			e.Audience = nil
		}
		if len(e.Facts) == 0 {
			e.Facts = nil
		}
		if len(e.Calls) == 0 {
			e.Calls = nil
		}
	}
	if diff := cmp.Diff(events, back); diff != "" {
		t.Fatalf("events differ from how they are kept (-play +kept):\n%s", diff)
	}
	return back
}

func TestRestoreRefusesWhatDoesNotFit(t *testing.T) {
	events := play(t, newGame(4, speak))
	tests := []struct {
		reason string
		change func([]sim.Event) []sim.Event
	}{
		{"a gap", func(e []sim.Event) []sim.Event { return append(e[:1], e[2:]...) }},
		{"another session", func(e []sim.Event) []sim.Event { e[1].Session = "s2"; return e }},
		{"a stranger", func(e []sim.Event) []sim.Event { e[1].Actor = "zoe"; return e }},
		{"half a turn", func(e []sim.Event) []sim.Event { e[2].Last = false; return e[:3] }},
		{"half a scene", func(e []sim.Event) []sim.Event { e[0].Last = false; return e[:1] }},
	}
	if err := newGame(4, speak).Episode.Restore(nil, 0); err != nil {
		t.Errorf("nothing is restored: %v", err)
	}
	for _, test := range tests {
		if newGame(4, speak).Episode.Restore(test.change(slices.Clone(events)), 0) == nil {
			t.Errorf("events with %s were restored", test.reason)
		}
	}
}

func TestAnErrorLeavesWholeTurns(t *testing.T) {
	boom := errors.New("boom")
	g := newGame(8, simtest.Actor(func(v *sim.View) (sim.Decision, error) {
		if v.Turn == 3 {
			return sim.Decision{}, boom
		}
		return sim.Decision{Speech: "Yes."}, nil
	}))
	var last error
	n := 0
	for turn, err := range g.Play(context.Background()) {
		if last = err; err == nil {
			n += len(turn.Events)
		}
	}
	if !errors.Is(last, boom) || !strings.Contains(last.Error(), "turn 3") {
		t.Errorf("the error is %v", last)
	}
	if n != 3 || len(g.Episode.Events) != 3 {
		t.Errorf("%d events were yielded and %d kept; want the scene and two turns", n, len(g.Episode.Events))
	}
}

// failing does nothing right, and each time has a call to show for it.
type failing struct{ simtest.Actor }

func (failing) Debrief(context.Context, *sim.View, []string) (sim.Answer, error) {
	return sim.Answer{Calls: []llm.Call{{ID: "debrief"}}}, errors.New("boom")
}

func (failing) Resolve(context.Context, *sim.Episode, *sim.Event) ([]sim.Event, []llm.Call, error) {
	return nil, []llm.Call{{ID: "referee"}}, errors.New("boom")
}

func TestAnErrorComesWithItsCalls(t *testing.T) {
	act := func(err error) failing {
		return failing{func(*sim.View) (sim.Decision, error) {
			return sim.Decision{Deed: "jumps", Calls: []llm.Call{{ID: "act"}}}, err
		}}
	}
	for want, g := range map[string]*sim.Game{
		"act":         newGame(8, act(errors.New("boom"))),
		"act referee": newGame(8, act(nil)),
		"debrief":     newGame(1, act(nil)),
	} {
		if want == "act referee" {
			g.Referee = failing{}
		}
		var ids []string
		for turn, err := range g.Play(context.Background()) {
			for _, call := range turn.Calls {
				if err != nil {
					ids = append(ids, call.ID)
				}
			}
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("with the error came the calls %q, want %q", got, want)
		}
	}
}

// The calls of a turn, the referee's among them, are of its first event.
func TestCallsAreOfTheMove(t *testing.T) {
	g := newGame(1, simtest.Actor(func(*sim.View) (sim.Decision, error) {
		return sim.Decision{Deed: "climbs the wall", Calls: []llm.Call{{ID: "a"}, {ID: "b"}}}, nil
	}))
	g.Referee = sim.Dice{}
	for _, e := range play(t, g) {
		if want := map[bool][]string{true: {"a", "b"}}[e.Move()]; !slices.Equal(e.Calls, want) {
			t.Errorf("a %s has the calls %q, want %q", e.Kind, e.Calls, want)
		}
	}
}

func TestACancelledGameStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	g := newGame(8, speak)
	n := 0
	var last error
	for _, err := range g.Play(ctx) {
		last = err
		if n++; n == 3 {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) || n != 4 {
		t.Errorf("after %d steps: %v", n, last)
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		reason string
		spoil  func(*sim.Game)
	}{
		{"an empty cast", func(g *sim.Game) { g.Episode.Scenario.Cast, g.Episode.Scenario.NPC = nil, "" }},
		{"nobody plays a character", func(g *sim.Game) { delete(g.Actors, "b") }},
		{"no clock", func(g *sim.Game) { g.Now = nil }},
		{"nothing ends it", func(g *sim.Game) { g.Episode.Turns = 0 }},
		{"two characters with one id", func(g *sim.Game) { g.Episode.Scenario.Cast[1].ID = "a" }},
		{"one character twice", func(g *sim.Game) { g.Episode.Scenario.Cast[1] = g.Episode.Scenario.Cast[0] }},
		{"an NPC from elsewhere", func(g *sim.Game) { g.Episode.Scenario.NPC = "zoe" }},
		{"a player that cannot be debriefed", func(g *sim.Game) { g.Actors["a"] = new(mute) }},
	}
	for _, test := range tests {
		g := newGame(4, speak)
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		test.spoil(g)
		if err := g.Validate(); err == nil {
			t.Errorf("a game passes with %s", test.reason)
		}
	}
	one := simtest.Exchange(1)
	if err := (&sim.Game{Episode: sim.NewEpisode("s", 1, one, 1), Actors: simtest.Everybody(one, speak), Now: simtest.Clock()}).Validate(); err != nil {
		t.Errorf("a cast of one: %v", err)
	}
}

type mute struct{}

func (mute) Act(context.Context, *sim.View) (d sim.Decision, err error) { return d, err }

func TestHeardKnowsWhatWasGivenAway(t *testing.T) {
	g := newGame(4, simtest.Actor(func(v *sim.View) (sim.Decision, error) {
		switch v.Turn {
		case 1:
			return sim.Decision{Speech: "To Bela.", To: []characters.ID{"b"}, Facts: []int{0}}, nil
		case 4:
			return sim.Decision{Speech: "To all.", Facts: []int{-1, 2, 3, 99}}, nil
		}
		return sim.Decision{}, nil
	}))
	play(t, g)
	for id, want := range map[characters.ID][]bool{"a": {false, false, true}, "b": {true, false, true}, "c": {false, false, true}} {
		if diff := cmp.Diff(want, g.Episode.Heard(id)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

// Who is asked without conversation knows the scene and what was rolled before the first turn alone, also where it is
// asked later, as of a game that is taken up again with that control.
func TestNoConversationIsAskedWithoutOne(t *testing.T) {
	g := newGame(4, speak)
	g.Order = sim.Initiative{}
	var whole []sim.Event
	for _, e := range play(t, g) {
		if e.Turn <= 2 && e.Kind != sim.KindEnd && e.Kind != sim.KindDebrief {
			whole = append(whole, e)
		}
	}
	g = newGame(4, speak)
	g.Order, g.Control = sim.Initiative{}, []string{sim.ControlNoConversation}
	if err := g.Episode.Restore(kept(t, whole), 0); err != nil {
		t.Fatal(err)
	}
	play(t, g)
	for player, real := range map[characters.ID]bool{"a": true, "b": true, "c": true, "d": false} {
		bare, after := g.Episode.Debrief(player, sim.ControlNoConversation), g.Episode.Debrief(player, "")
		if !real {
			if bare != nil || after != nil {
				t.Errorf("%s is the NPC and answers", player)
			}
			continue
		}
		if want := string(player) + " perceived 5 events"; bare == nil || after == nil || bare.Text != want || after.Text == want || after.Control != "" || after.Actor != player {
			t.Errorf("%s answers %+v, want %q of the scene and four rolls, and then %+v", player, bare, want, after)
		}
	}
}

func TestViewsDoNotShowWhatIsNotTheirs(t *testing.T) {
	g := newGame(4, speak)
	g.Episode.Scenario.Intentions = []scenarios.Intention{{Character: "b", Skill: "Stealth"}}
	play(t, g)
	if v := g.Episode.View("a", 5); v.Knowledge != nil || len(v.Aims) != 0 || !v.Player {
		t.Error("a player sees the knowledge or another's aims")
	}
	if v := g.Episode.View("d", 5); v.Knowledge == nil || v.Player {
		t.Error("the NPC does not see its knowledge")
	}
	if v := g.Episode.View("b", 5); len(v.Aims) != 1 {
		t.Error("b does not see its own aim")
	}
	if g.Episode.View("a", 5).Seed == g.Episode.View("b", 5).Seed || g.Episode.View("a", 5).Seed == g.Episode.View("a", 6).Seed {
		t.Error("two characters or two turns share a seed")
	}
	if g.Episode.View("a", 5).Root != g.Episode.View("a", 6).Root {
		t.Error("the root seed changes from turn to turn")
	}
}

func ExampleGame_Play() {
	s := simtest.Exchange(3)
	g := sim.Game{
		Episode: sim.NewEpisode("s1", 1, s, 3),
		Actors: simtest.Everybody(s, simtest.Actor(func(v *sim.View) (sim.Decision, error) {
			return sim.Decision{Speech: "Good evening."}, nil
		})),
		Now: simtest.Clock(),
	}
	for turn, err := range g.Play(context.Background()) {
		if err != nil {
			panic(err)
		}
		for _, e := range turn.Events {
			fmt.Printf("%d: turn %d, %s by %q\n", e.Seq, e.Turn, e.Kind, e.Actor)
		}
	}
	// Output:
	// 0: turn 0, scene by ""
	// 1: turn 1, act by "a"
	// 2: turn 2, act by "b"
	// 3: turn 3, act by "c"
	// 4: turn 3, end by ""
	// 5: turn 3, debrief by "a"
	// 6: turn 3, debrief by "b"
}
