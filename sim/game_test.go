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
	"parley/sim/dice"
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
}

type mute struct{}

func (mute) Act(context.Context, *sim.View) (d sim.Decision, err error) { return d, err }

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

func TestEndings(t *testing.T) {
	say := func(lines ...string) sim.Actor {
		n := -1
		return simtest.Actor(func(v *sim.View) (sim.Decision, error) {
			n++
			return sim.Decision{Speech: lines[n%len(lines)]}, nil
		})
	}
	mute := func(passing characters.ID) sim.Actor { // all others' replies are malformed
		return simtest.Actor(func(v *sim.View) (sim.Decision, error) {
			if v.Self.ID == passing {
				return sim.Decision{}, nil
			}
			return sim.Decision{Fault: "malformed"}, nil
		})
	}
	tests := []struct {
		reason string
		actor  sim.Actor
		ending sim.Ending
		want   string
		turn   int
	}{
		{"everybody passes", say(""), sim.AllPass(), "all pass", 4},
		{"every reply is malformed", mute(""), sim.AllPass(), "turns", 40},
		{"one passes, three are malformed", mute("a"), sim.AllPass(), "turns", 40},
		{"one in four speaks", say("", "", "", "Well?"), sim.AllPass(), "turns", 40},
		{"the same words again and again", say("No.", "Yes!", "No...", "YES"), sim.Loop(), "loop", 12},
		{"farewells all round", say("Goodbye, friends.", "Farewell!", "Safe travels to you.", "Until we meet again."), sim.Loop(), "farewell", 4},
		{"a question about farewells is none", say("Is it goodbye, then?"), sim.Loop(), "loop", 12},
		{"different words every time", speak, sim.Loop(), "turns", 40},
		{"a second a turn", speak, sim.WallClock(10 * time.Second), "wall clock of 10s", 10},
	}
	for _, test := range tests {
		g := newGame(40, test.actor)
		g.Endings = []sim.Ending{test.ending}
		play(t, g)
		if g.Episode.Ended != test.want || g.Episode.Turn() != test.turn {
			t.Errorf("%s: ended by %q after turn %d; want %q after %d", test.reason, g.Episode.Ended, g.Episode.Turn(), test.want, test.turn)
		}
	}
}

func TestTokenBudget(t *testing.T) {
	n := 30
	g := newGame(40, simtest.Actor(func(v *sim.View) (sim.Decision, error) {
		return sim.Decision{Speech: "Yes.", Calls: []llm.Call{{ID: "c", Tokens: &n, Output: nil}}}, nil
	}))
	g.Endings = []sim.Ending{sim.TokenBudget(100)}
	play(t, g)
	if g.Episode.Turn() != 4 || g.Episode.Tokens != 120 {
		t.Errorf("it stopped after turn %d with %d tokens; want turn 4, 120", g.Episode.Turn(), g.Episode.Tokens)
	}
}

// Endings go by what the play itself used, whatever debriefs are held before it and wherever it was
// stopped.
func TestEndingsCountThePlayAlone(t *testing.T) {
	for reason, end := range map[string]sim.Ending{"tokens": sim.TokenBudget(100), "time": sim.WallClock(4 * time.Second)} {
		fresh := func(control ...string) (*sim.Game, *costly) {
			a := &costly{tokens: 30, at: time.Unix(0, 0).UTC()}
			g := newGame(40, a)
			g.Endings, g.Control, g.Now = []sim.Ending{end}, control, func() time.Time { return a.at }
			return g, a
		}
		g, _ := fresh()
		play(t, g)
		if g.Episode.Turn() != 4 {
			t.Errorf("%s: it stopped after turn %d, want 4", reason, g.Episode.Turn())
		}
		g, _ = fresh(sim.ControlNoConversation)
		want := play(t, g)
		if g.Episode.Turn() != 4 || g.Episode.Tokens != 4*30+6*30 {
			t.Errorf("%s: with debriefs before it, it stopped after turn %d with %d tokens in all, want 4, 300", reason, g.Episode.Turn(), g.Episode.Tokens)
		}
		var used sim.Used
		for n, e := range want {
			if e.Move() {
				used = sim.Used{Tokens: used.Tokens + 30, Time: used.Time + time.Second}
			}
			g, a := fresh(sim.ControlNoConversation)
			if err := g.Episode.Restore(kept(t, want[:n+1]), 0); err != nil {
				t.Fatal(err)
			}
			g.Episode.Played = used
			a.at = e.Time.Add(time.Hour) // the stop
			play(t, g)
			if g.Episode.Turn() != 4 {
				t.Errorf("%s: stopped after event %d, it went on to turn %d, want 4", reason, n, g.Episode.Turn())
			}
		}
	}
}

// costly speaks and answers, in a second and for so many tokens each time.
type costly struct {
	tokens int
	at     time.Time
}

func (c *costly) call(id string) []llm.Call {
	c.at = c.at.Add(time.Second)
	return []llm.Call{{ID: id, Tokens: &c.tokens}}
}

func (c *costly) Act(_ context.Context, v *sim.View) (sim.Decision, error) {
	return sim.Decision{Speech: "Yes.", Calls: c.call(fmt.Sprint("act", v.Turn))}, nil
}

func (c *costly) Debrief(_ context.Context, v *sim.View, _ []string) (sim.Answer, error) {
	return sim.Answer{Text: "Nothing.", Calls: c.call(fmt.Sprint("debrief", v.Control, v.Self.ID))}, nil
}

func TestDiceReferee(t *testing.T) {
	tests := []struct {
		reason string
		deeds  []string // of a, b, c, d in turn
		want   []string // mode of the roll of each, empty for none
	}{
		{"a deed that needs no check simply happens", []string{"sits down", "", "", ""}, []string{"", "", "", ""}},
		{"the words call for a check", []string{"picks the lock", "", "", ""}, []string{"straight", "", "", ""}},
		{"help gives advantage", []string{"helps Bela with the door", "climbs the wall", "", ""}, []string{"", "advantage", "", ""}},
		{"help within another word is none", []string{"laid a hand on Bela and said nothing", "climbs the wall", "", ""}, []string{"", "straight", "", ""}},
		{"nor is it help of a name within another", []string{"helps the Isabelan guard", "climbs the wall", "", ""}, []string{"", "straight", "", ""}},
		{"help of whom the name is possessive of", []string{"assists Bela's work", "climbs the wall", "", ""}, []string{"", "advantage", "", ""}},
		{"a hindrance gives disadvantage", []string{"climbs the wall in the dark", "", "", ""}, []string{"disadvantage", "", "", ""}},
		{"both cancel", []string{"helps Bela with the rope", "climbs the wall in the dark", "", ""}, []string{"", "straight", "", ""}},
	}
	for _, test := range tests {
		g := newGame(4, simtest.Actor(func(v *sim.View) (sim.Decision, error) {
			return sim.Decision{Speech: "Here goes.", Deed: test.deeds[v.Turn-1]}, nil
		}))
		g.Referee = sim.Dice{Class: 12}
		got := make([]string, 4)
		for _, e := range play(t, g) {
			if e.Kind != sim.KindRoll {
				continue
			}
			got[e.Turn-1] = string(e.Roll.Mode)
			r := e.Roll
			want := r.First
			switch r.Mode {
			case dice.Advantage:
				want = max(r.First, r.Second)
			case dice.Disadvantage:
				want = min(r.First, r.Second)
			}
			if r.Total != want+r.Modifier || r.Success != (r.Total >= 12) {
				t.Errorf("%s: the roll is counted wrong: %+v", test.reason, *r)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

// What a deed's check is called for by the actor goes before what its words suggest, and the roll of a
// whispered deed is seen by those who saw the deed.
func TestDiceFollowsTheActor(t *testing.T) {
	g := newGame(1, simtest.Actor(func(v *sim.View) (sim.Decision, error) {
		return sim.Decision{Deed: "climbs the wall", Skill: "Stealth", To: []characters.ID{"c"}}, nil
	}))
	g.Referee = sim.Dice{}
	for _, e := range play(t, g) {
		if e.Kind == sim.KindRoll && e.Roll.Skill != "Stealth" {
			t.Errorf("rolled %s", e.Roll.Skill)
		}
		if (e.Kind == sim.KindRoll || e.Kind == sim.KindNarration) && (e.Heard("b") || !e.Heard("c")) {
			t.Errorf("a %s is perceived by %v", e.Kind, e.Audience)
		}
	}
}

func TestHeardKnowsWhatWasGivenAway(t *testing.T) {
	g := newGame(4, simtest.Actor(func(v *sim.View) (sim.Decision, error) {
		switch v.Turn {
		case 1:
			return sim.Decision{Speech: "To Bela.", To: []characters.ID{"b"}, Facts: []int{0}}, nil
		case 4:
			return sim.Decision{Speech: "To all.", Facts: []int{2, 99}}, nil
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
