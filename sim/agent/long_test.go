package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
	"parley/sim/simtest"
)

// small is a model whose context holds so many bytes.
type small struct {
	holds int
	cuts  bool // says so by cutting the prompt
	model
}

func (m *small) Generate(ctx context.Context, req llm.Request) (*llm.Response, error) {
	n := 0
	for _, p := range req.Messages {
		n += len(p.Content) + 1
	}
	resp, err := m.model.Generate(ctx, req)
	if n > m.holds {
		if m.cuts {
			resp.Truncated = true
			return resp, err
		}
		return nil, &llm.Error{Model: "small", Fault: llm.TooLong, Err: fmt.Errorf("%d bytes do not fit", n)}
	}
	return resp, err
}

func longPlay(n int) []*sim.Event {
	events := []*sim.Event{{Kind: sim.KindScene, Text: "Rain keeps four people in a chapel for the night."}}
	for i := range n {
		events = append(events, &sim.Event{Kind: sim.KindAct, Actor: sheets[i%4].ID, Turn: i + 1,
			Speech: fmt.Sprintf("This is remark %d, and %s.", i, strings.Repeat("on it goes ", i%7))})
	}
	return events
}

func TestTooLongPromptsLoseTheOldestLines(t *testing.T) {
	for _, cuts := range []bool{false, true} {
		events := longPlay(120)
		old := &small{holds: 5000, cuts: cuts, model: model{reply: "SAY: Hm."}}
		cfg := agent.Config{Form: agent.Lines, Sampling: llm.Sampling{NumCtx: 1024}}
		a := build(t, old, cfg)
		dropped, changes := 0, 0
		for n := 1; n < len(events); n += 4 {
			v := view(0, scenarios.Exchange, events[:n]...)
			got, err := a.Act(t.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			if got.Speech != "Hm." {
				t.Fatalf("decision %+v", got)
			}
			last := got.Calls[len(got.Calls)-1]
			if last.Dropped < dropped {
				t.Errorf("after %d events only %d lines are left out, %d were before", n, last.Dropped, dropped)
			}
			if last.Dropped > dropped {
				changes++
			}
			dropped = last.Dropped
			for i, c := range got.Calls {
				if want := fmt.Sprintf("s1/5/orla/act/%d", i); c.ID != want {
					t.Errorf("call %s, want %s", c.ID, want)
				}
				if fails := i < len(got.Calls)-1; fails != (c.Fault == llm.TooLong) {
					t.Errorf("call %d of %d has the fault %q", i+1, len(got.Calls), c.Fault)
				}
			}
			if p := old.prompt(); !strings.Contains(p, "Rain keeps") || dropped > 0 != strings.Contains(p, "(The beginning is left out.)") ||
				dropped > 0 && strings.Contains(p, "remark 0,") || n > 1 && !strings.Contains(p, fmt.Sprintf("remark %d,", n-2)) {
				t.Errorf("with %d lines left out the prompt is:\n%s", dropped, p)
			}

			anew := &small{holds: 5000, cuts: cuts, model: model{reply: "SAY: Hm."}}
			if _, err := build(t, anew, cfg).Act(t.Context(), v); err != nil {
				t.Fatal(err)
			}
			if anew.prompt() != old.prompt() {
				t.Fatalf("after %d events a new agent asks otherwise", n)
			}
		}
		if dropped == 0 || changes > 8 {
			t.Errorf("%d lines left out in %d steps; the prefix should stay for a while", dropped, changes)
		}
	}
}

func TestTooLongWhateverIsLeftOut(t *testing.T) {
	m := &small{holds: 100, model: model{reply: "PASS"}}
	a := build(t, m, agent.Config{Form: agent.Lines, Sampling: llm.Sampling{NumCtx: 512}})
	d, err := a.Act(t.Context(), view(0, scenarios.Exchange, longPlay(40)...))
	if llm.FaultOf(err) != llm.TooLong {
		t.Fatalf("error %v", err)
	}
	if last := d.Calls[len(d.Calls)-1]; last.Dropped != 39 || len(d.Calls) < 3 {
		t.Errorf("%d lines left out in %d calls before giving up, want 39 in some", last.Dropped, len(d.Calls))
	}
	m.holds = 1 << 20
	d, err = a.Act(t.Context(), view(0, scenarios.Exchange, longPlay(40)...))
	if err != nil || d.Calls[0].Dropped == 39 {
		t.Errorf("what was left out in need is left out for ever: %d, error %v", d.Calls[0].Dropped, err)
	}
}

func TestDebriefFaults(t *testing.T) {
	for _, test := range []struct {
		reason, raw string
		finish      llm.Finish
		err         error
		text, fault string
	}{
		{reason: "plain", raw: "A monk cast it.\nIt rings once a year.", text: "A monk cast it.\nIt rings once a year."},
		{reason: "fenced", raw: "```\nA monk cast it.\n```", text: "A monk cast it."},
		{reason: "quoted", raw: "\"A monk cast it.\"", text: "A monk cast it."},
		{reason: "own name", raw: "**Orla Venn:** A monk cast it.", text: "A monk cast it."},
		{reason: "own name on its own line", raw: "Orla:\n1. A monk cast it.", text: "1. A monk cast it."},
		{reason: "others may be quoted", raw: "I asked.\nMaud: it rings once a year.", text: "I asked.\nMaud: it rings once a year."},
		{reason: "reasoning", raw: "<think>What did I hear?</think>A monk cast it.", text: "A monk cast it."},
		{reason: "token", raw: "A monk cast it.<|im_end|>\n<|im_start|>user", text: "A monk cast it.", fault: agent.FaultTemplateTokens},
		{reason: "cut off is kept", raw: "A monk cast it. It rings", finish: llm.Length, text: "A monk cast it. It rings", fault: agent.FaultCutOff},
		{reason: "reasoning cut off", raw: "<think>What did I", finish: llm.Length, fault: agent.FaultReasoning},
		{reason: "empty", raw: " \n", fault: agent.FaultEmpty},
		{reason: "refused", raw: "As an AI language model, I did not hear anything.", fault: agent.FaultRefusal},
		{reason: "said by the server", finish: llm.Refused, fault: agent.FaultRefusal},
		{reason: "filtered", raw: "A monk", finish: llm.Filtered, fault: agent.FaultFiltered},
		{reason: "blocked", err: &llm.Error{Fault: llm.Blocked}, fault: agent.FaultFiltered},
		{reason: "flood", raw: strings.Repeat("A monk cast the bell. ", 5000), fault: agent.FaultRepetition},
		{reason: "other language is kept", raw: "Колокол отлил монах.", text: "Колокол отлил монах.", fault: agent.FaultOtherLanguage},
		{reason: "points", raw: `{"points": ["A monk cast it.", "It rings\nonce a year."]}`, text: "A monk cast it.\nIt rings once a year."},
		{reason: "each point once", raw: `{"points": [` + strings.Repeat(`"A monk cast it.", `, 19) + `"It rings once a year."]}`, text: "A monk cast it.\nIt rings once a year."},
		{reason: "a placeholder is no point", raw: `{"points": ["<one sentence>", "A monk cast it."]}`, text: "A monk cast it."},
		{reason: "only placeholders", raw: `{"points": ["<one sentence>", "<another>"]}`, fault: agent.FaultMalformed},
		{reason: "points in a fence", raw: "```json\n{\"points\": [\"A monk cast it.\"]}\n```", text: "A monk cast it."},
		{reason: "points cut off", raw: `{"points": ["A monk cast it.", "It ri`, finish: llm.Length, text: "A monk cast it.\nIt ri", fault: agent.FaultCutOff},
		{reason: "points without an end", raw: `{"points": ["A monk cast it."`, text: "A monk cast it.", fault: agent.FaultCutOff},
		{reason: "points that are no texts", raw: `{"points": [{"what": "A monk cast it."}]}`, fault: agent.FaultMalformed},
		{reason: "points that are not JSON", raw: `{"points": ["A monk cast it." "It rings" }}`, fault: agent.FaultMalformed},
		{reason: "no points", raw: `{"points": []}`, fault: agent.FaultEmpty},
		{reason: "another object", raw: `{"points": ["A monk cast it."], "sure": true}`, fault: agent.FaultMalformed},
		{reason: "an object within a text is text", raw: `The bell says {"cast": "a monk"}.`, text: `The bell says {"cast": "a monk"}.`},
		{reason: "not knowing is an answer", raw: "I do not know.", text: "I do not know."},
	} {
		t.Run(test.reason, func(t *testing.T) {
			m := llm.Func(func(context.Context, llm.Request) (*llm.Response, error) {
				if test.err != nil {
					return nil, test.err
				}
				return &llm.Response{Text: test.raw, Finish: test.finish}, nil
			})
			got, err := build(t, m, agent.Config{}).Debrief(t.Context(), view(0, scenarios.Exchange, play()...), []string{"What?"})
			if err != nil {
				t.Fatal(err)
			}
			if got.Text != test.text || got.Fault != test.fault || len(got.Calls) != 1 || got.Calls[0].Reply != test.raw {
				t.Errorf("text %.80q, fault %q, %d calls; want %q, %q", got.Text, got.Fault, len(got.Calls), test.text, test.fault)
			}
		})
	}
	gone := errors.New("gone")
	m := llm.Func(func(context.Context, llm.Request) (*llm.Response, error) { return nil, gone })
	if got, err := build(t, m, agent.Config{}).Debrief(t.Context(), view(0, scenarios.Exchange), nil); !errors.Is(err, gone) || len(got.Calls) != 1 {
		t.Errorf("error %v with %d calls", err, len(got.Calls))
	}
}

func TestProbe(t *testing.T) {
	schema := &llm.Error{Model: "m", Fault: llm.BadRequest, Err: errors.New("with a schema")}
	for _, test := range []struct {
		reason, raw string
		finish      llm.Finish
		err         error // for requests with a schema
		plain       error // for those without
		form        agent.Form
		why         string
		calls       int
	}{
		{reason: "it works", raw: `{"speech":"To the hills.","deed":"","to":[]}`, form: agent.JSON, why: "answered in JSON", calls: 1},
		{reason: "thought and fenced", raw: "<think>{}</think>```json\n{\"speech\":\"To the hills.\"}\n```", form: agent.JSON, why: "answered in JSON", calls: 1},
		{reason: "prose", raw: "It leads to the hills.", form: agent.Lines, why: "not in JSON", calls: 1},
		{reason: "lines", raw: "SAY: It leads to the hills.", form: agent.Lines, why: "not in JSON", calls: 1},
		{reason: "too few tokens", raw: `{"speech":"To the`, finish: llm.Length, form: agent.Lines, why: `"cut-off"`, calls: 1},
		{reason: "no schemas", err: &llm.Error{Model: "m", Fault: llm.Unsupported}, form: agent.Lines, why: "does not take a JSON schema", calls: 1},
		{reason: "schema refused", err: schema, raw: "SAY: To the hills.", form: agent.Lines, why: "only without a JSON schema: ask ada for a move: m: bad request", calls: 2},
		{reason: "refused anyhow", err: schema, plain: &llm.Error{Model: "m", Fault: llm.BadRequest}, calls: 2},
		{reason: "filtered", finish: llm.Filtered, form: agent.JSON, why: "filtered", calls: 1},
		{reason: "no server", err: &llm.Error{Model: "m", Fault: llm.Unreachable}, calls: 1},
	} {
		t.Run(test.reason, func(t *testing.T) {
			m := llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
				if req.Tag.Purpose != "probe" {
					t.Errorf("probed for %q", req.Tag.Purpose)
				}
				switch {
				case len(req.Schema) > 0 && test.err != nil:
					return nil, test.err
				case len(req.Schema) == 0 && test.plain != nil:
					return nil, test.plain
				}
				return &llm.Response{Text: test.raw, Finish: test.finish}, nil
			})
			form, why, calls, err := agent.Probe(t.Context(), m, "m", llm.Sampling{}, now)
			if form != test.form || !strings.Contains(why, test.why) || len(calls) != test.calls || (err != nil) != (test.form == "") {
				t.Errorf("form %q because %q, %d calls, error %v; want %q because of %q in %d", form, why, len(calls), err, test.form, test.why, test.calls)
			}
		})
	}
}

// A connection that breaks is tried again; one that breaks every time may be the model's doing.
func TestProbeOverABrokenConnection(t *testing.T) {
	for broken, want := range map[int]agent.Form{1: agent.JSON, 2: agent.JSON, 3: agent.Lines} {
		asked := 0
		m := llm.Func(func(context.Context, llm.Request) (*llm.Response, error) {
			if asked++; asked <= broken {
				return &llm.Response{Text: `{"speech":"To th`, Finish: llm.Cut}, nil
			}
			return &llm.Response{Text: `{"speech":"To the hills."}`, Finish: llm.Stop}, nil
		})
		form, why, calls, err := agent.Probe(t.Context(), m, "m", llm.Sampling{}, now)
		if form != want || err != nil || len(calls) != asked {
			t.Errorf("broken %d times: form %q because %q, %d calls, %v", broken, form, why, len(calls), err)
		}
	}
}

func TestContextHoldsARealPrompt(t *testing.T) {
	s := simtest.Exchange(4)
	context := func(n agent.Need, s *scenarios.Scenario) int {
		tokens, err := n.Context(s)
		if err != nil || tokens%1024 != 0 {
			t.Fatalf("%d, %v", tokens, err)
		}
		return tokens
	}
	for _, turns := range []int{12, 30, 300} {
		m := &model{reply: "PASS"}
		if _, err := build(t, m, agent.Config{}).Act(t.Context(), view(0, scenarios.Exchange, longPlay(turns)...)); err != nil {
			t.Fatal(err)
		}
		tokens := len(m.prompt())/3 + 400 // three bytes a token is pessimistic for English
		if got := context(agent.Need{Turns: turns, MaxTokens: 400}, s); got < tokens || got > 6*tokens {
			t.Errorf("%d turns: %d tokens of context, but the prompt with its reply has about %d", turns, got, tokens)
		}
	}
	usual := context(agent.Need{Turns: 30}, s)
	if usual != context(agent.Need{Turns: 30, MaxTokens: 400}, s) {
		t.Error("0 tokens are not the default of a sampling")
	}
	if got := context(agent.Need{Turns: 30, MaxTokens: 2400}, s); got < usual+1024 {
		t.Errorf("replies of 2,400 tokens have %d tokens of context, those of 400 have %d", got, usual)
	}

	// Each part of a prompt counts: 18,000 bytes more are at least 3,000 tokens.
	more := strings.Repeat("a long word ", 1500)
	for name, need := range map[string]agent.Need{
		"rules": {}, "scene": {}, "persona": {}, "turn-json": {}, "turn-lines": {}, "debrief": {},
		"told": {Control: []string{sim.ControlTold}}, "referee": {Referee: true},
	} {
		need.Turns = 30
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name+".tmpl"), []byte(more), 0o666); err != nil {
			t.Fatal(err)
		}
		var err error
		if need.Prompts, err = agent.LoadPrompts(dir); err != nil {
			t.Fatal(err)
		}
		if got := context(need, s); got < usual+3000 {
			t.Errorf("with a long %s: %d tokens, and %d without", name, got, usual)
		}
	}
	known := simtest.Exchange(4)
	known.Briefs[known.NPC] = more
	if got := context(agent.Need{Turns: 30}, known); got < usual+3000 {
		t.Errorf("with much knowledge: %d tokens, and %d without", got, usual)
	}
	if got := context(agent.Need{Turns: 30}, simtest.Exchange(100)); got < usual+1000 {
		t.Errorf("with a cast of 100: %d tokens, and %d with one of 4", got, usual)
	}
}

// A game that is stopped after any turn, and gone on with by agents that are built anew, asks with the
// same calls as one that was not: what was left out before is not tried again, what was left out in
// need only is.
func TestResumedAgentsLeaveOutWhatWasLeftOut(t *testing.T) {
	s := &scenarios.Scenario{
		Kind: scenarios.Exchange, Title: "the Ashen Bell", Premise: "Rain keeps four people in a chapel for the night.",
		Cast: sheets, NPC: "maud", Knowledge: knowledge, Questions: []string{"What do you know of the bell?"},
	}
	// Its context holds less where the reply may be long, as a server's does. Sometimes it blocks.
	m := llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
		n := 0
		for _, p := range req.Messages {
			n += len(p.Content) + 1
		}
		holds := 4000 - 2*max(0, req.Sampling.MaxTokens-100)
		switch turn := req.Tag.Turn; {
		case n > holds:
			return nil, &llm.Error{Model: "m", Fault: llm.TooLong, Err: fmt.Errorf("%d bytes do not fit", n)}
		case turn%9 == 0:
			return nil, &llm.Error{Model: "m", Fault: llm.Blocked}
		case turn%11 == 3:
			return &llm.Response{Text: "SAY: " + natural(17), Finish: llm.Stop}, nil
		default:
			return &llm.Response{Text: fmt.Sprintf("SAY: This is remark %d, and %s.", turn, strings.Repeat("on it goes ", turn%5)), Finish: llm.Stop}, nil
		}
	})
	factory, err := agent.New(agent.Config{Model: m, Name: "m", Form: agent.Lines, Now: now, Sampling: llm.Sampling{NumCtx: 2048, MaxTokens: 100}})
	if err != nil {
		t.Fatal(err)
	}
	play := func(before []sim.Event, dropped map[characters.ID]int) (turns []sim.Turn) {
		ep := sim.NewEpisode("s1", 5, s, 48)
		if err := ep.Restore(before, 0); err != nil {
			t.Fatal(err)
		}
		g := sim.Game{Episode: ep, Actors: map[characters.ID]sim.Actor{}, Control: []string{sim.ControlNoConversation, sim.ControlTold}, Now: now}
		table := new(agent.Table)
		for _, c := range s.Cast {
			a := factory.Agent(table)
			a.Resume(dropped[c.ID])
			g.Actors[c.ID] = a
		}
		for turn, err := range g.Play(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			turns = append(turns, turn)
		}
		return turns
	}
	want := play(nil, nil)
	var before []sim.Event
	dropped, refused, inNeed, blocked := map[characters.ID]int{}, 0, 0, 0
	for i, turn := range want {
		before = append(before, turn.Events...)
		for _, c := range turn.Calls {
			id := characters.ID(c.Actor)
			if c.Dropped < dropped[id] {
				inNeed++
			}
			switch {
			case c.Fault == "":
				dropped[id] = c.Dropped
			case c.Fault == llm.TooLong:
				refused++
			case c.Dropped != dropped[id]:
				blocked++
			}
		}
		if got := play(before, dropped); !reflect.DeepEqual(want[i+1:], append([]sim.Turn{}, got...)) {
			t.Fatalf("stopped after turn %d (-undisturbed +resumed):\n%s", i, cmp.Diff(want[i+1:], got, cmpopts.IgnoreUnexported(llm.Message{})))
		}
	}
	if refused < 6 || inNeed == 0 || blocked == 0 {
		t.Errorf("the play shows little: %d prompts too long, %d times less left out again, %d blocked after more was left out", refused, inNeed, blocked)
	}
}
