package finetune_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"parley/characters"
	"parley/finetune"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
	"parley/sim/simtest"
)

// session plays a game of four, in which everybody is the same actor, and makes a session of it.
func session(t testing.TB, name string, turns int, act simtest.Actor) *finetune.Session {
	t.Helper()
	s := simtest.Exchange(4)
	g := sim.Game{Episode: sim.NewEpisode(name, 7, s, turns), Actors: simtest.Everybody(s, act), Referee: sim.Dice{}, Now: simtest.Clock()}
	for _, err := range g.Play(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return &finetune.Session{
		Episode: g.Episode, ID: "run/" + name, Group: "g-" + name, Scenario: s.Title, Source: "run", Style: agent.Style{Checks: true},
		Models: map[characters.ID]string{"a": "script:a"}, Scores: map[characters.ID]float64{"a": 40},
	}
}

// gathered reads examples and what was dropped.
func gathered(t testing.TB, xs iter.Seq2[finetune.Example, error]) (list []finetune.Example, gone []*finetune.Dropped) {
	t.Helper()
	for x, err := range xs {
		var d *finetune.Dropped
		switch {
		case errors.As(err, &d):
			gone = append(gone, d)
			continue
		case err != nil:
			t.Fatal(err)
		}
		if err := x.Validate(); err != nil {
			t.Fatal(err)
		}
		list = append(list, x)
	}
	return list, gone
}

// mixed says something in most turns, whispers, passes, and now and then is malformed.
func mixed(v *sim.View) (sim.Decision, error) {
	who := v.Self.ID
	switch v.Turn % 7 {
	case 1:
		return sim.Decision{Fault: agent.FaultMalformed}, nil
	case 2:
		return sim.Decision{Speech: fmt.Sprintf("Half-of-turn-%d.", v.Turn), Fault: agent.FaultSpeaksForOthers}, nil
	case 3:
		others := []characters.ID{"a", "b", "c", "d"}
		to := others[(slices.Index(others, who)+1)%4]
		return sim.Decision{Speech: fmt.Sprintf("Whispered-in-turn-%d, and %s.", v.Turn, v.Self.Secrets[0]), To: []characters.ID{to}}, nil
	case 4:
		return sim.Decision{}, nil
	case 5:
		return sim.Decision{Deed: fmt.Sprintf("climbs the wall in turn %d", v.Turn), Skill: "Athletics"}, nil
	}
	return sim.Decision{Speech: fmt.Sprintf("This is what I say in turn %d.", v.Turn)}, nil
}

func TestRoleplayATurn(t *testing.T) {
	for _, form := range []agent.Form{agent.JSON, agent.Lines} {
		s := session(t, "s1", 30, mixed)
		s.Style.Form = form
		xs, gone := gathered(t, s.Roleplay(t.Context(), finetune.PlayOptions{}))
		moves, bad := 0, 0
		for _, e := range s.Episode.Moves() {
			if e.Actor == "d" {
				continue
			}
			if e.Fault != "" {
				bad++
				continue
			}
			x := xs[moves]
			if want := fmt.Sprintf("run/s1/%d/%s", e.Turn, e.Actor); x.ID != want {
				t.Fatalf("example %d is %s, want %s", moves, x.ID, want)
			}
			got := agent.Parse(x.Completion[0].Content, e.Actor, s.Episode.View(e.Actor, e.Turn).Cast)
			if got.Speech != e.Speech || got.Deed != e.Deed || got.Fault != "" {
				t.Errorf("turn %d: %q reads as %+v", e.Turn, x.Completion[0].Content, got)
			}
			if len(x.Prompt) != 2 || x.Prompt[0].Role != finetune.System {
				t.Errorf("turn %d: a prompt of %d messages", e.Turn, len(x.Prompt))
			}
			if e.Actor == "a" != (x.Model == "script:a") || e.Actor == "a" != (x.Score != nil) {
				t.Errorf("turn %d of %s: model %q, score %v", e.Turn, e.Actor, x.Model, x.Score)
			}
			moves++
		}
		if moves != len(xs) || bad != len(gone) || moves == 0 || bad == 0 {
			t.Errorf("%d examples of %d valid moves, %d dropped of %d others", len(xs), moves, len(gone), bad)
		}
		for _, d := range gone {
			if d.Reason != finetune.Malformed || d.Detail == "" {
				t.Errorf("%+v", d)
			}
		}
	}
}

func TestRoleplayWho(t *testing.T) {
	s := session(t, "s1", 28, mixed)
	count := map[finetune.Seats]int{}
	for _, who := range []finetune.Seats{finetune.Players, finetune.NPC, finetune.Everybody} {
		xs, _ := gathered(t, s.Roleplay(t.Context(), finetune.PlayOptions{Who: who}))
		count[who] = len(xs)
		for _, x := range xs {
			if npc := strings.HasSuffix(x.ID, "/d"); npc && who == finetune.Players || !npc && who == finetune.NPC {
				t.Errorf("%s among the turns of %s", x.ID, who)
			}
		}
	}
	if count[finetune.NPC] == 0 || count[finetune.Everybody] != count[finetune.Players]+count[finetune.NPC] {
		t.Errorf("turns %v", count)
	}
}

// In a conversation every line of the play that the character perceives stands once, its own moves as
// the assistant's and nothing else as such.
func TestRoleplayAConversation(t *testing.T) {
	s := session(t, "s1", 40, mixed)
	xs, _ := gathered(t, s.Roleplay(t.Context(), finetune.PlayOptions{Conversation: true}))
	if len(xs) != 3 {
		t.Fatalf("%d conversations of three players", len(xs))
	}
	for i, id := range []characters.ID{"a", "b", "c"} {
		x := xs[i]
		var own []*sim.Event
		for _, e := range s.Episode.Moves() {
			if e.Actor == id && e.Fault == "" {
				own = append(own, e)
			}
		}
		all := slices.Concat(x.Prompt, x.Completion)
		var said []string
		var shown strings.Builder
		for _, m := range all {
			if m.Role == finetune.Assistant {
				said = append(said, m.Content)
			} else {
				shown.WriteString(m.Content + "\n")
			}
		}
		if len(said) != len(own) {
			t.Fatalf("%s: %d replies of %d moves", id, len(said), len(own))
		}
		for j, e := range own {
			if got := agent.Parse(said[j], id, s.Episode.View(id, 1).Cast); got.Speech != e.Speech || got.Deed != e.Deed {
				t.Errorf("%s: reply %d is %q, and the move %q %q", id, j, said[j], e.Speech, e.Deed)
			}
		}
		last := own[len(own)-1].Seq
		for _, e := range s.Episode.Seen(id) {
			if e.Seq > last || e.Speech == "" {
				continue
			}
			n, mine := strings.Count(shown.String(), e.Speech), e.Actor == id && e.Fault == ""
			if mine && n != 0 || !mine && n != 1 {
				t.Errorf("%s: %q of %s is shown %d times", id, e.Speech, e.Actor, n)
			}
		}
	}
}

// Nothing that a character may not know stands in its examples, whatever was said around the table, and
// what was malformed is nobody's words.
func TestExamplesKeepSecrets(t *testing.T) {
	whispers, checked := 0, 0
	for i := range 24 {
		s := session(t, fmt.Sprintf("s%d", i), 20+i, func(v *sim.View) (sim.Decision, error) {
			moved := *v
			moved.Turn += i
			d, err := mixed(&moved)
			if d.Fault == agent.FaultMalformed {
				d.Calls = []llm.Call{{ID: fmt.Sprint(v.Turn), Reply: "Raw-malformed-reply"}}
			}
			return d, err
		})
		s.Style.Layout = []agent.Layout{agent.SharedPrefix, agent.PersonaFirst}[i%2]
		s.Style.Form = []agent.Form{agent.JSON, agent.Lines}[i/2%2]
		knowledge := s.Episode.Scenario.Knowledge
		for _, conversation := range []bool{false, true} {
			xs, _ := gathered(t, s.Roleplay(t.Context(), finetune.PlayOptions{Who: finetune.Everybody, Conversation: conversation}))
			for _, x := range xs {
				checked++
				id := characters.ID(x.ID[strings.LastIndexByte(x.ID, '/')+1:])
				var text, learned strings.Builder
				for _, m := range slices.Concat(x.Prompt, x.Completion) {
					text.WriteString(m.Content + "\n")
					if m.Role == finetune.Assistant {
						learned.WriteString(m.Content + "\n")
					}
				}
				if strings.Contains(text.String(), "Raw-malformed") || strings.Contains(learned.String(), "Half-of-turn") {
					t.Fatalf("%s: a malformed turn is learned", x.ID)
				}
				if id != "d" && strings.Contains(text.String(), knowledge.Facts[0].Text) {
					t.Fatalf("%s holds what only the NPC knows", x.ID)
				}
				for _, c := range s.Episode.Scenario.Cast {
					heard := c.ID == id || slices.ContainsFunc(s.Episode.Seen(id), func(e *sim.Event) bool { return strings.Contains(e.Speech, c.Secrets[0]) })
					if !heard && strings.Contains(text.String()+x.Body, c.Secrets[0]) {
						t.Fatalf("%s holds the secret of %s", x.ID, c.ID)
					}
				}
				for _, e := range s.Episode.Moves() {
					if len(e.Audience) == 0 {
						continue
					}
					whispers++
					if !e.Heard(id) && strings.Contains(text.String()+x.Body, strings.Split(e.Speech, ",")[0]+",") {
						t.Fatalf("%s holds a whisper of turn %d that it did not hear", x.ID, e.Turn)
					}
				}
			}
		}
	}
	if whispers < 1000 || checked < 500 {
		t.Errorf("%d examples and %d whispers were looked at", checked, whispers)
	}
}

// Where a model was asked something else than what follows from the view, that is what is learned
// after; unless prompts are to be written down.
func TestRoleplayTakesWhatWasAsked(t *testing.T) {
	s := session(t, "s1", 8, mixed)
	own := []llm.Message{{Role: llm.System, Content: "Be Ada."}, {Role: llm.User, Content: "Well?"}, {Role: llm.User, Content: "Go on."}}
	looked := 0
	s.Asked = func(e *sim.Event) (hashes []string) {
		for _, m := range own {
			hashes = append(hashes, m.Hash())
		}
		return hashes
	}
	s.Message = func(hash string) (llm.Message, error) {
		looked++
		for _, m := range own {
			if m.Hash() == hash {
				return m, nil
			}
		}
		return llm.Message{}, errors.New("no such message")
	}
	xs, _ := gathered(t, s.Roleplay(t.Context(), finetune.PlayOptions{}))
	want := []finetune.Message{{Role: finetune.System, Content: "Be Ada."}, {Role: finetune.User, Content: "Well?\nGo on."}}
	if len(xs) == 0 || !slices.Equal(xs[0].Prompt, want) || looked == 0 {
		t.Errorf("%d examples, the first asked with %q", len(xs), xs[0].Prompt)
	}
	xs, _ = gathered(t, s.Roleplay(t.Context(), finetune.PlayOptions{Written: true}))
	if !strings.HasPrefix(xs[0].Prompt[0].Content, "You play one character") {
		t.Errorf("written down, the prompt is %q", xs[0].Prompt)
	}
	s.Message = func(string) (llm.Message, error) { return llm.Message{}, errors.New("no such message") }
	for _, err := range s.Roleplay(t.Context(), finetune.PlayOptions{}) {
		if err != nil && strings.Contains(err.Error(), "run/s1/3/c: no such message") {
			return
		}
	}
	t.Error("a message that is not there is no error")
}

func TestRoleplayStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range session(t, "s1", 8, mixed).Roleplay(ctx, finetune.PlayOptions{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	}
}
