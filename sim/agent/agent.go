package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley/sim"
	"parley/sim/llm"
)

// Layout is the order of a prompt's parts.
type Layout string

const (
	// SharedPrefix puts rules, scene and transcript first and the character last: agents that take
	// turns with one model share all but the end, which a server with a prefix cache reads once.
	SharedPrefix Layout = "shared-prefix"
	// PersonaFirst puts the character into the system message, before scene and transcript.
	PersonaFirst Layout = "persona-first"
)

// Config says who plays and how it is asked.
type Config struct {
	Model    llm.Model
	Name     string // of the model, as the user wrote it
	Sampling llm.Sampling
	Form     Form     // empty: JSON
	Layout   Layout   // empty: SharedPrefix
	Prompts  *Prompts // nil: BuiltinPrompts
	Checks   bool     // skill checks are rolled: a reply may name the one that its deed needs
	Now      func() time.Time
}

// Factory makes the agents of one model.
type Factory struct {
	Config
	window int // bytes of transcript to leave out at a time
}

// New checks a configuration and fills in what it leaves out.
func New(cfg Config) (*Factory, error) {
	bad := func(what string) (*Factory, error) { return nil, fmt.Errorf("set up agents: %s", what) }
	switch {
	case cfg.Model == nil:
		return bad("no model")
	case cfg.Name == "":
		return bad("the model has no name")
	case cfg.Now == nil:
		return bad("no clock")
	}
	switch cfg.Form {
	case "":
		cfg.Form = JSON
	case JSON, Lines:
	default:
		return bad(fmt.Sprintf("unknown form %q; there are %s and %s", cfg.Form, JSON, Lines))
	}
	switch cfg.Layout {
	case "":
		cfg.Layout = SharedPrefix
	case SharedPrefix, PersonaFirst:
	default:
		return bad(fmt.Sprintf("unknown layout %q; there are %s and %s", cfg.Layout, SharedPrefix, PersonaFirst))
	}
	if cfg.Prompts == nil {
		cfg.Prompts = BuiltinPrompts()
	}
	cfg.Sampling = cfg.Sampling.Complete()
	window := cfg.Sampling.NumCtx
	if window <= 0 {
		window = 8192
	}
	return &Factory{Config: cfg, window: window}, nil
}

// Agent returns an agent for one seat of one session. It plays whichever character its views show,
// and holds nothing but what it rendered of them, and how much of it was too long. The agents of one session, whichever factories
// they are from, may share a table; with nil, the agent has one of its own.
func (m *Factory) Agent(t *Table) *Agent {
	if t == nil {
		t = new(Table)
	}
	return &Agent{factory: m, table: t}
}

// Agent is a sim.Actor and a sim.Debriefer. It is not safe for concurrent use.
type Agent struct {
	factory *Factory
	table   *Table
	memory
	resumed int // lines that the last prompt before a stop left out; 0 once this is taken over
}

// Resume tells an agent that goes on after a stop how many lines the last prompt of its seat that was
// answered had left out (llm.Call.Dropped), so that it asks as if it had not been stopped.
func (a *Agent) Resume(dropped int) { a.resumed = dropped }

// Act asks the model for a move. Errors are those of the model, but for a content filter's, which is
// a fault of the decision. Which facts a move gives away is not known here: Facts is nil.
func (a *Agent) Act(ctx context.Context, v *sim.View) (sim.Decision, error) {
	return a.act(ctx, v, "act")
}

func (a *Agent) act(ctx context.Context, v *sim.View, purpose string) (sim.Decision, error) {
	if err := a.see(a.factory, a.table, v); err != nil {
		return sim.Decision{}, err
	}
	resp, calls, err := a.ask(ctx, v.Seed, tag(v, purpose), a.factory.Sampling, a.schema, a.turn)
	d := sim.Decision{Calls: calls}
	switch {
	case err != nil && llm.FaultOf(err) == llm.Blocked:
		d.Fault = FaultFiltered
		return d, nil
	case err != nil:
		return d, fmt.Errorf("ask %s for a move: %w", v.Self.ID, err)
	}
	if d.Fault = finishFault(resp); d.Fault != "" {
		return d, nil
	}
	m := a.cast.parse(resp.Text, broken(resp))
	d.Speech, d.Deed, d.To, d.Skill, d.Fault = m.Speech, m.Deed, m.To, m.Skill, m.Fault
	return d, nil
}

// finishFault returns the kind of a response that the server itself says is no reply, or whose reasoning
// has no certain end; empty for any other.
func finishFault(resp *llm.Response) string {
	switch {
	case resp.Finish == llm.Filtered:
		return FaultFiltered
	case resp.Finish == llm.Refused:
		return FaultRefusal
	case resp.Unclear:
		return FaultReasoning
	}
	return ""
}

func broken(resp *llm.Response) bool { return resp.Finish == llm.Length || resp.Finish == llm.Cut }

func tag(v *sim.View, purpose string) llm.Tag {
	return llm.Tag{Session: v.Session, Actor: string(v.Self.ID), Purpose: purpose, Turn: v.Turn}
}

// ask puts the prompt that ends with tail to the model. Where it is too long for the model's context,
// the oldest part of the transcript is left out, for this turn and those after it, until it fits.
func (a *Agent) ask(ctx context.Context, seed uint64, t llm.Tag, s llm.Sampling, schema json.RawMessage, tail llm.Message) (*llm.Response, []llm.Call, error) {
	if s.Seed == nil {
		drawn := int64(seed & 0x7fffffff)
		s.Seed = &drawn
	}
	if a.resumed > 0 {
		a.dropped, a.resumed = a.lasting(a.resumed, a.factory.window), 0
	}
	calls := make([]llm.Call, 0, 1)
	for dropped, kept := a.dropped, a.dropped; ; t.Try++ {
		t.Dropped = dropped
		resp, call, err := llm.Ask(ctx, a.factory.Model, a.factory.Name, llm.Request{
			Messages: a.prompt(dropped, tail),
			Sampling: s,
			Schema:   schema,
			Tag:      t,
		}, a.factory.Now)
		calls = append(calls, call)
		if err == nil {
			a.dropped = kept
			return resp, calls, nil
		}
		if llm.FaultOf(err) != llm.TooLong {
			return nil, calls, err
		}
		next, lasting := a.leaveOut(dropped, a.factory.window)
		if next == dropped {
			return nil, calls, fmt.Errorf("the prompt does not fit even with all but the newest of the play left out: %w", err)
		}
		if dropped = next; lasting {
			kept = next
		}
	}
}
