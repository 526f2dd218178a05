package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
)

// TestSecretsStayWithTheirOwners plays 200 games with models that say all kinds of things and holds
// every prompt against all that somebody was told, was whispered, thought or answered privately.
func TestSecretsStayWithTheirOwners(t *testing.T) {
	seen := map[string]int{} // private texts found where they belong, by what they are
	prompts := 0
	for i := range 200 {
		g := newSecretGame(t, i)
		for _, err := range g.game.Play(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
		}
		prompts += len(g.asked)
		g.check(t, seen)
		if t.Failed() {
			t.Fatalf("in game %d (%s, %s)", i, g.scenario.Kind, g.layout)
		}
	}
	// What is looked for can be found: it stands in the prompts of those who may know it.
	for _, kind := range []string{"secret", "brief", "aim", "knowledge", "told knowledge", "whisper", "heard secret", "heard knowledge", "narration", "whisper to the referee"} {
		if seen[kind] < 50 {
			t.Errorf("%s: found %d times where it belongs; the test looks for nothing", kind, seen[kind])
		}
	}
	if prompts < 200*30 {
		t.Errorf("only %d prompts were asked", prompts)
	}
}

// private is a text that only some may know.
type private struct {
	kind   string
	text   string // folded
	owners []characters.ID
	never  bool // in no prompt whatsoever, said or not
}

// secretGame is a game whose model says, now and then, what it should keep to itself.
type secretGame struct {
	r        *rand.Rand
	scenario *scenarios.Scenario
	layout   agent.Layout
	game     sim.Game
	asked    []llm.Request
	texts    []private
	marks    int
}

func newSecretGame(t *testing.T, i int) *secretGame {
	g := &secretGame{r: rand.New(rand.NewPCG(uint64(i), 4711)), layout: []agent.Layout{agent.SharedPrefix, agent.PersonaFirst}[i/2%2]}
	cast := characters.Generate(g.r, 4)
	shelf := scenarios.Library()
	if i%2 == 0 {
		g.scenario = scenarios.NewExchange(&shelf.Knowledge[i/2%len(shelf.Knowledge)], cast)
	} else {
		g.scenario = scenarios.NewExpression(&shelf.Scenes[i/2%len(shelf.Scenes)], cast, g.r)
	}
	cfg := agent.Config{
		Model: llm.Func(g.reply), Name: "script:loose", Layout: g.layout, Form: []agent.Form{agent.JSON, agent.Lines}[i/4%2],
		Checks: i%3 > 0, Now: now,
	}
	factory, err := agent.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	g.game = sim.Game{
		Episode: sim.NewEpisode(fmt.Sprintf("s%03d", i), g.r.Uint64(), g.scenario, 30), Now: now,
		Actors: map[characters.ID]sim.Actor{}, Control: []string{sim.ControlNoConversation, sim.ControlTold},
		Order: []sim.Order{sim.Fixed{}, sim.Shuffled{}, sim.Initiative{}}[i%3],
	}
	g.game.Referee = sim.Dice{}
	if i%8 < 4 {
		if g.game.Referee, err = agent.NewDM(cfg); err != nil {
			t.Fatal(err)
		}
	}
	table := new(agent.Table)
	for _, c := range cast {
		g.game.Actors[c.ID] = factory.Agent(table)
	}
	g.collect()
	return g
}

// collect lists what the characters know privately, sentence by sentence.
func (g *secretGame) collect() {
	s := g.scenario
	if k := s.Knowledge; k != nil { // first, since the NPC's brief holds it too
		g.own("knowledge", k.Text, s.NPC)
		for _, f := range k.Facts {
			g.own("knowledge", f.Text, s.NPC)
		}
	}
	for _, c := range s.Cast {
		for _, secret := range c.Secrets {
			g.own("secret", secret, c.ID)
		}
		g.own("brief", s.Briefs[c.ID], c.ID)
		var aims []string
		for _, i := range s.Intentions {
			if i.Character == c.ID {
				aims = append(aims, string(i.Skill))
			}
		}
		if len(aims) > 0 { // as the persona's prompt says it; a skill alone is no secret
			g.own("aim", "That calls for "+strings.Join(aims, " and "), c.ID)
		}
	}
}

// own enters the sentences of a text as somebody's, unless everybody knows them.
func (g *secretGame) own(kind, text string, id characters.ID) {
	for _, sentence := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(".!?;\n", r) }) {
		f := folded(sentence)
		if len(f) < 20 || strings.Contains(folded(g.scenario.Premise), f) {
			continue
		}
		at := slices.IndexFunc(g.texts, func(p private) bool { return p.text == f })
		if at < 0 {
			at = len(g.texts)
			g.texts = append(g.texts, private{kind: kind, text: f})
		}
		g.texts[at].owners = append(g.texts[at].owners, id)
	}
}

// folded keeps letters and digits in lower case, words apart by one space.
func folded(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// mark returns a sentence that occurs nowhere else.
func (g *secretGame) mark(what string) string {
	g.marks++
	return fmt.Sprintf("The %s is number %d of %s.", what, g.marks, strings.Repeat("z", 4))
}

// hidden returns a sentence that must not stand in any prompt.
func (g *secretGame) hidden(what string) string {
	text := g.mark(what)
	g.texts = append(g.texts, private{kind: what, text: folded(text), never: true})
	return text
}

// reply is the model: it keeps what it is asked, and answers as the dice fall.
func (g *secretGame) reply(_ context.Context, req llm.Request) (*llm.Response, error) {
	kept := req
	kept.Messages = slices.Clone(req.Messages)
	g.asked = append(g.asked, kept)
	resp := &llm.Response{Finish: llm.Stop, Reasoning: g.hidden("reasoning apart")}
	switch purpose, _, _ := strings.Cut(req.Tag.Purpose, ":"); purpose {
	case "debrief":
		resp.Text = "I heard a lot. " + g.hidden("answer")
	case "referee":
		resp.Text = g.verdict()
	default:
		resp.Text = g.move(g.scenario.Sheet(characters.ID(req.Tag.Actor)))
	}
	if g.r.IntN(4) == 0 {
		resp.Text = "<think>" + g.hidden("reasoning within") + "</think>" + resp.Text
	}
	return resp, nil
}

func (g *secretGame) verdict() string {
	switch g.r.IntN(5) {
	case 0:
		return g.hidden("verdict in prose")
	case 1:
		return `{"check": "none", "difficulty": 5, "mode": "straight", "success": "` + g.mark("outcome") + `", "failure": ""}`
	case 2:
		return `{"check": "Stealth", "difficulty": 99, "mode": "straight", "success": "` + g.hidden("verdict") + `", "failure": "No."}`
	}
	return `{"check": "Stealth", "difficulty": 12, "mode": "advantage", "success": "` + g.mark("outcome") + `", "failure": "` + g.mark("outcome") + `"}`
}

func (g *secretGame) move(self *characters.Sheet) string {
	s := g.scenario
	others := slices.DeleteFunc(slices.Clone(s.Cast), func(c *characters.Sheet) bool { return c.ID == self.ID })
	to := others[g.r.IntN(len(others))].Name
	say := func(speech, deed string, to ...string) string {
		b, _ := json.Marshal(map[string]any{"speech": speech, "deed": deed, "to": append([]string{}, to...), "check": "none"})
		return string(b)
	}
	given := self.Secrets[0]
	if s.Knowledge != nil && self.ID == s.NPC {
		given = s.Knowledge.Facts[g.r.IntN(len(s.Knowledge.Facts))].Text
	}
	switch g.r.IntN(14) {
	case 0:
		return "" // a pass that was not meant
	case 1:
		return g.hidden("prose") + ` {"speech": "` + g.hidden("half a move")
	case 2:
		return say(g.mark("remark"), "") + "\n" + to + ": " + g.hidden("line of another")
	case 3:
		return say(g.hidden("whisper to a stranger"), "", "Nobody Known")
	case 4:
		return say(given, "")
	case 5, 6:
		return say(given, "", to)
	case 7, 8:
		return say(g.mark("whisper"), "", to)
	case 9:
		return say(g.mark("whisper"), "sneaks closer, and "+g.mark("deed"), to)
	case 10:
		return "As an AI language model, I cannot go on. " + g.hidden("refusal")
	case 11, 12:
		return say("", "climbs the wall, and "+g.mark("deed"))
	}
	return say(g.mark("remark"), "looks around")
}

// check holds every prompt against every private text.
func (g *secretGame) check(t *testing.T, seen map[string]int) {
	ep := g.game.Episode
	type told struct {
		*sim.Event
		text string
	}
	var events []told
	for _, e := range ep.Events {
		if e.Kind == sim.KindDebrief || e.Kind == sim.KindEnd {
			continue
		}
		events = append(events, told{e, folded(e.Speech + " . " + e.Deed + " . " + e.Text)})
		if len(e.Audience) > 0 {
			for _, text := range []string{e.Speech, e.Deed, e.Text} {
				f := folded(text)
				known := slices.ContainsFunc(g.texts, func(p private) bool { return p.text == f })
				if len(f) >= 20 && !known {
					g.texts = append(g.texts, private{kind: map[bool]string{true: "narration", false: "whisper"}[e.Kind == sim.KindNarration], text: f})
				}
			}
		}
	}
	for _, p := range g.texts {
		if p.never {
			for _, e := range events {
				if strings.Contains(e.text, p.text) {
					t.Errorf("%s is played: %q", p.kind, p.text)
				}
			}
		}
	}
	within := map[string][]*private{} // by message
	for _, req := range g.asked {
		who := characters.ID(req.Tag.Actor)
		referee := req.Tag.Purpose == "referee"
		var attempt *sim.Event
		if referee {
			attempt = ep.Moves()[req.Tag.Turn-1]
		}
		perceives := func(e told) bool {
			switch {
			case referee:
				return e.Turn < req.Tag.Turn && !slices.ContainsFunc(g.scenario.Cast, func(c *characters.Sheet) bool { return attempt.Heard(c.ID) && !e.Heard(c.ID) }) ||
					e.Event == attempt
			case req.Tag.Purpose == "act":
				return e.Turn < req.Tag.Turn && e.Heard(who)
			case req.Tag.Purpose == "debrief:"+sim.ControlNoConversation:
				return e.Turn == 0 && e.Heard(who)
			}
			return e.Heard(who)
		}
		for _, m := range req.Messages {
			found, ok := within[m.Content]
			if !ok {
				text := folded(m.Content)
				for i := range g.texts {
					if strings.Contains(text, g.texts[i].text) {
						found = append(found, &g.texts[i])
					}
				}
				within[m.Content] = found
			}
			for _, p := range found {
				heard := !p.never && slices.ContainsFunc(events, func(e told) bool { return perceives(e) && strings.Contains(e.text, p.text) })
				switch {
				case p.never:
					t.Errorf("%s, turn %d: %s stands in a prompt of %q: %q", req.Tag.Purpose, req.Tag.Turn, p.kind, who, p.text)
				case heard && referee && len(attempt.Audience) > 0:
					seen["whisper to the referee"]++
				case heard && (p.kind == "whisper" || p.kind == "narration"):
					seen[p.kind]++
				case slices.Contains(p.owners, who):
					seen[p.kind]++
				case heard:
					seen["heard "+p.kind]++
				case p.kind == "knowledge" && req.Tag.Purpose == "debrief:"+sim.ControlTold:
					seen["told knowledge"]++
				default:
					t.Errorf("%s, turn %d: a %s of %v stands in a prompt of %q: %q", req.Tag.Purpose, req.Tag.Turn, p.kind, p.owners, who, p.text)
				}
			}
		}
	}
}
