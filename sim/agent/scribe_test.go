package agent_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
	"parley/sim/reference"
)

// before is the view in which a move was made.
func before(ep *sim.Episode, move *sim.Event) *sim.View {
	v := ep.View(move.Actor, move.Turn)
	n := 0
	for n < len(v.Events) && v.Events[n].Seq < move.Seq {
		n++
	}
	v.Events = v.Events[:n:n]
	return v
}

// referenceGame plays a game of reference actors.
func referenceGame(t testing.TB, i int) *sim.Episode {
	r := rand.New(rand.NewPCG(uint64(i), 99))
	cast := characters.Generate(r, 4)
	shelf := scenarios.Library()
	names := []string{"diligent", "loner", "small-talk", "silent"}
	s, npc := scenarios.NewExchange(&shelf.Knowledge[i%len(shelf.Knowledge)], cast), "npc"
	if i%2 == 0 {
		names = []string{"vivid", "blunt", "vague", "vivid"}
		s, npc = scenarios.NewExpression(&shelf.Scenes[i%len(shelf.Scenes)], cast, r), "small-talk"
	}
	g := sim.Game{
		Episode: sim.NewEpisode(fmt.Sprint(i), r.Uint64(), s, 30), Now: now, Actors: map[characters.ID]sim.Actor{}, Referee: sim.Dice{},
		Order: []sim.Order{sim.Fixed{}, sim.Shuffled{}, sim.Initiative{}}[i%3],
	}
	for at, c := range cast {
		name := names[(i/2+at)%len(names)]
		if c.ID == s.NPC {
			name = npc
		}
		actor, err := reference.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		g.Actors[c.ID] = actor
	}
	for _, err := range g.Play(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return g.Episode
}

// What a scribe writes is read as the move that it stands for, in both forms, whatever reference
// actors do; and what it says is asked is what an agent asks.
func TestRepliesReadBackAsTheMoves(t *testing.T) {
	whispers, passes, deeds := 0, 0, 0
	for i := range 60 {
		ep := referenceGame(t, i)
		for _, form := range []agent.Form{agent.JSON, agent.Lines} {
			layout := []agent.Layout{agent.SharedPrefix, agent.PersonaFirst}[i/2%2]
			scribe, err := agent.NewScribe(agent.Style{Form: form, Layout: layout, Checks: i%2 == 0})
			if err != nil {
				t.Fatal(err)
			}
			m := &model{reply: "PASS"}
			asked := build(t, m, agent.Config{Form: form, Layout: layout, Checks: i%2 == 0})
			for _, e := range ep.Moves() {
				v := before(ep, e)
				text, ok, err := scribe.Reply(v, e)
				if err != nil || !ok {
					t.Fatalf("game %d, turn %d, %s: %q does not read back: %v", i, e.Turn, form, text, err)
				}
				got := agent.Parse(text, e.Actor, v.Cast)
				var to []characters.ID
				for _, id := range e.Audience {
					if id != e.Actor {
						to = append(to, id)
					}
				}
				slices.Sort(to)
				slices.Sort(got.To)
				if got.Speech != e.Speech || got.Deed != e.Deed || got.Fault != "" || !slices.Equal(got.To, to) {
					t.Fatalf("game %d, turn %d: %q reads as %+v, not as %q *%q* to %v", i, e.Turn, text, got, e.Speech, e.Deed, to)
				}
				prompt, err := scribe.Prompt(v)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := asked.Act(t.Context(), v); err != nil {
					t.Fatal(err)
				}
				if want := m.asked[len(m.asked)-1].Messages; !slices.Equal(prompt, want) {
					t.Fatalf("game %d, turn %d: the prompt is not what an agent asks with", i, e.Turn)
				}
				if len(to) > 0 {
					whispers++
				}
				if e.Kind == sim.KindPass {
					passes++
				}
				if e.Deed != "" {
					deeds++
				}
			}
		}
	}
	if whispers < 100 || passes < 100 || deeds < 100 {
		t.Errorf("only %d whispers, %d passes and %d deeds were seen", whispers, passes, deeds)
	}
}

func TestReplyRefusesWhatIsNoMove(t *testing.T) {
	v := view(0, scenarios.Exchange)
	for _, test := range []struct {
		reason string
		event  sim.Event
	}{
		{"a malformed reply is nobody's words", sim.Event{Kind: sim.KindAct, Actor: "orla", Speech: "Half a", Fault: agent.FaultSpeaksForOthers}},
		{"somebody else's move", sim.Event{Kind: sim.KindAct, Actor: "bren", Speech: "Good evening."}},
		{"no move", sim.Event{Kind: sim.KindNarration, Actor: "orla", Text: "It rains."}},
		{"its words begin with another's name, so that they would be read as that one's", sim.Event{Kind: sim.KindAct, Actor: "orla", Speech: "Maud: I know nothing."}},
	} {
		for _, form := range []agent.Form{agent.JSON, agent.Lines} {
			scribe, err := agent.NewScribe(agent.Style{Form: form})
			if err != nil {
				t.Fatal(err)
			}
			if text, ok, err := scribe.Reply(v, &test.event); ok || err != nil {
				t.Errorf("%s, %s: %q, error %v", form, test.reason, text, err)
			}
		}
	}
}

// A conversation shows every line once, and the character's own moves are not among them.
func TestAScribesConversation(t *testing.T) {
	scribe, err := agent.NewScribe(agent.Style{Form: agent.Lines})
	if err != nil {
		t.Fatal(err)
	}
	v := view(0, scenarios.Exchange,
		&sim.Event{Seq: 0, Kind: sim.KindScene, Text: "Rain keeps four people in a chapel for the night."},
		&sim.Event{Seq: 1, Turn: 1, Kind: sim.KindAct, Actor: "maud", Speech: "Who is there?"},
	)
	opening, err := scribe.Opening(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"You play one character", "Rain keeps four people", "You are Orla Venn (outlander", "Only you were told this"} {
		if strings.Count(opening, part) != 1 {
			t.Errorf("the opening does not say %q once:\n%s", part, opening)
		}
	}
	for _, test := range []struct {
		news  []*sim.Event
		first bool
		want  string
	}{
		{v.Events, true, "The play so far:\nOld Maud: \"Who is there?\"\n\nIt is your turn"},
		{nil, true, "The play so far:\n(Nothing has been said or done yet.)\n\nIt is your turn"},
		{v.Events[1:], false, "Old Maud: \"Who is there?\"\n\nIt is your turn"},
		{nil, false, "(Nothing has been said or done since.)\n\nIt is your turn"},
	} {
		got, err := scribe.Question(v, test.news, test.first)
		if err != nil || !strings.HasPrefix(got, test.want) {
			t.Errorf("%q, error %v; want %q", got, err, test.want)
		}
	}
	prompt, err := scribe.Prompt(v)
	if err != nil {
		t.Fatal(err)
	}
	if joined := llm.Join(prompt); len(joined) != 2 || joined[0].Role != llm.System || joined[1].Role != llm.User {
		t.Errorf("the prompt joins to %d messages", len(joined))
	}
}
