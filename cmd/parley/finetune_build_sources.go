package main

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"parley/characters"
	"parley/finetune"
	"parley/sim/agent"
)

// Why the user's own filters leave something out.
const (
	notState    finetune.Reason = "filtered by status"
	notModel    finetune.Reason = "filtered by model"
	notScenario finetune.Reason = "filtered by scenario"
	notScore    finetune.Reason = "filtered by score"
	tooShort    finetune.Reason = "filtered by length"
)

type exampleSeq = iter.Seq2[finetune.Example, error]

// examples are what the dataset is made of. finish has to be called when they are read.
func (b *building) examples(ctx context.Context) (_ exampleSeq, finish func() error, err error) {
	finish = func() error { return nil }
	if b.task == finetune.DM {
		if b.keepSplits, err = b.splitsKept(); err != nil {
			return nil, finish, err
		}
	}
	var all exampleSeq
	switch b.task {
	case finetune.Preference:
		if all, finish, err = b.preferences(ctx); err != nil {
			return nil, finish, err
		}
	default:
		all = b.chained(b.inputs, func(in *input) exampleSeq { return b.source(ctx, in, true) })
	}
	return b.checked(all), finish, nil
}

// plain are the examples of sources as they are, without filters.
func (b *building) plain(ctx context.Context, inputs []input) exampleSeq {
	return func(yield func(finetune.Example, error) bool) {
		for x, err := range b.chained(inputs, func(in *input) exampleSeq { return b.source(ctx, in, false) }) {
			if gone(err) {
				continue
			}
			if !yield(x, err) || err != nil {
				return
			}
		}
	}
}

// chained reads one source after the other.
func (b *building) chained(inputs []input, open func(*input) exampleSeq) exampleSeq {
	return func(yield func(finetune.Example, error) bool) {
		for i := range inputs {
			for x, err := range open(&inputs[i]) {
				if !yield(x, err) || err != nil && !gone(err) {
					return
				}
			}
		}
	}
}

// gone reports whether an error only says that its source gave up an example.
func gone(err error) bool {
	_, is := err.(*finetune.Dropped)
	return is
}

// checked counts examples, and leaves out those whose answer is too short.
func (b *building) checked(examples exampleSeq) exampleSeq {
	counter := b.options.Counter
	if counter.Count == nil {
		counter = finetune.Estimate()
	}
	return func(yield func(finetune.Example, error) bool) {
		for x, err := range examples {
			if err == nil && b.minTokens > 0 {
				if n := counter.Of(&x).Learned; n < b.minTokens {
					err = &finetune.Dropped{ID: x.ID, Group: x.Group, Source: x.Source, Reason: tooShort, Detail: fmt.Sprintf("the answer has %d tokens, and --min-tokens is %d", n, b.minTokens)}
				}
			}
			if err == nil || !gone(err) {
				b.found.Add(1) // of an error, the cause is known
			}
			if !yield(x, err) {
				return
			}
		}
	}
}

// source yields the examples of one run or file; filtered says whether the user's filters count.
func (b *building) source(ctx context.Context, in *input, filtered bool) exampleSeq {
	switch {
	case in.manifest == nil:
		return b.windows(ctx, in)
	case b.task == finetune.Judge:
		return b.verdicts(ctx, in, filtered)
	case b.task == finetune.DM:
		return b.games(ctx, in, filtered)
	}
	return func(yield func(finetune.Example, error) bool) {
		for s, err := range b.sessions(ctx, in, filtered) {
			if err != nil {
				if !yield(finetune.Example{}, err) || !gone(err) {
					return
				}
				continue
			}
			o := finetune.PlayOptions{Who: b.who, Conversation: b.c.String("per") == perConversation, Written: b.form != "" || b.task == finetune.Preference}
			for x, err := range s.Roleplay(ctx, o) {
				if err == nil && filtered {
					err = b.passes(&x, s.arm)
				}
				if !yield(x, err) || err != nil && !gone(err) {
					return
				}
			}
		}
	}
}

// passes is why the filters leave out an example.
func (b *building) passes(x *finetune.Example, arm string) error {
	drop := func(r finetune.Reason, detail string) error {
		return &finetune.Dropped{ID: x.ID, Group: x.Group, Source: x.Source, Reason: r, Detail: detail}
	}
	if len(b.models) > 0 && !slices.Contains(b.models, x.Model) && !slices.Contains(b.models, arm) {
		return drop(notModel, x.Model)
	}
	if why := b.scored(x.Score); why != "" {
		return drop(notScore, why)
	}
	return nil
}

// scored is why a score does not do; empty: it does.
func (b *building) scored(score *float64) string {
	switch {
	case b.least == nil && b.most == nil:
		return ""
	case score == nil:
		return "it has no score " + b.metric
	case b.least != nil && *score < *b.least, b.most != nil && *score > *b.most:
		return fmt.Sprintf("%s is %.4g", b.metric, *score)
	}
	return ""
}

// openSession is a session with what filters and windows look at.
type openSession struct {
	*finetune.Session
	arm  string
	mean *float64 // score
}

// sessions yields the sessions of a run as far as the filters let them, and a *Dropped for each other
// one.
func (b *building) sessions(ctx context.Context, in *input, filtered bool) iter.Seq2[*openSession, error] {
	return func(yield func(*openSession, error) bool) {
		r, err := b.open(in)
		if err != nil {
			yield(nil, err)
			return
		}
		var why *finetune.Dropped
		want := func(row *sessionRow) bool {
			why = r.refuse(row, filtered)
			return why == nil
		}
		done, total := int64(0), int64(0)
		for _, n := range in.manifest.Sessions {
			total += int64(n)
		}
		for p, err := range plays(ctx, in.path, want) {
			done++
			b.stages.say("read sessions of "+in.name, done, total)
			switch {
			case err != nil:
				yield(nil, err)
				return
			case why != nil:
				if !yield(nil, why) {
					return
				}
			default:
				if !yield(r.session(&p), nil) {
					return
				}
			}
		}
	}
}

// reading is a run that is being read.
type reading struct {
	b     *building
	in    *input
	style agent.Style
	marks marks
	store *store
}

func (b *building) open(in *input) (*reading, error) {
	r := &reading{b: b, in: in, store: &store{dir: in.path}}
	var known []string
	var err error
	if r.marks, known, err = readMarks(in.path, b.metric); err != nil {
		return nil, err
	}
	if b.c.IsSet("score") && !slices.Contains(known, b.metric) {
		if len(known) == 0 {
			return nil, fmt.Errorf("%s has no scores, so none called %s: sessions of the scenario exchange are scored when they are played", in.path, b.metric)
		}
		return nil, fmt.Errorf("%s has no score %s of whole sessions; it has %s", in.path, b.metric, strings.Join(known, ", "))
	}
	r.style, err = b.styleOf(in)
	return r, err
}

// refuse is why the filters leave out a session.
func (r *reading) refuse(row *sessionRow, filtered bool) *finetune.Dropped {
	drop := func(reason finetune.Reason, detail string) *finetune.Dropped {
		return &finetune.Dropped{ID: r.in.name + "/" + row.ID, Group: situation(row), Source: r.in.name, Reason: reason, Detail: detail}
	}
	b := r.b
	if !filtered {
		if row.State != stateComplete {
			return drop(notState, string(row.State))
		}
		return nil
	}
	if !slices.Contains(b.status, "any") && !slices.Contains(b.status, string(row.State)) {
		return drop(notState, string(row.State))
	}
	if len(b.scenarios) > 0 && !slices.ContainsFunc(b.scenarios, func(word string) bool { return fits(word, row) }) {
		return drop(notScenario, row.Title)
	}
	if len(b.models) > 0 && !slices.Contains(b.models, row.Arm) && !slices.ContainsFunc(row.Cast, func(s seatRow) bool { return slices.Contains(b.models, s.Model) }) {
		return drop(notModel, row.Arm)
	}
	if b.task == finetune.DM { // of one session, whose score is the mean; of others, each turn has its own
		if why := b.scored(r.marks.mean(row.ID)); why != "" {
			return drop(notScore, why)
		}
	}
	return nil
}

// session makes a session of a play.
func (r *reading) session(p *recordedPlay) *openSession {
	s := &finetune.Session{
		Episode: p.ep, ID: r.in.name + "/" + p.row.ID, Group: situation(&p.row), Scenario: p.row.Title, Source: r.in.name,
		Style: r.style, Forms: map[characters.ID]agent.Form{}, Models: map[characters.ID]string{},
		Scores: r.marks.of(p.row.ID, p.ep.Scenario), Message: r.store.message,
	}
	if p.asked != nil {
		s.Asked = p.prompt
	}
	run := r.in.manifest
	arm := max(0, slices.IndexFunc(run.Experiment.Player, func(a Arm) bool { return a.Name == p.row.Arm }))
	for at, seat := range p.row.Cast {
		id := characters.ID(seat.ID)
		s.Models[id] = seat.Model
		if note := run.noteOf(place{seat.Role, arm, at}); note != nil && note.Form != "" && r.b.form == "" && r.b.task != finetune.Preference {
			s.Forms[id] = agent.Form(note.Form)
		}
	}
	return &openSession{s, p.row.Arm, r.marks.mean(p.row.ID)}
}

// styleOf is how a run's turns are written down. Prompts of the user's own are read again, where they
// still are what the run was played with.
func (b *building) styleOf(in *input) (agent.Style, error) {
	e, m := in.manifest.Experiment, in.manifest
	style := agent.Style{Form: b.form, Layout: agent.Layout(e.Layout), Checks: e.Referee != "none", Prompts: agent.BuiltinPrompts()}
	if e.Prompts != "" && exists(e.Prompts) {
		own, err := agent.LoadPrompts(e.Prompts)
		if err != nil {
			return style, err
		}
		style.Prompts = own
	}
	hashes := style.Prompts.Hashes()
	for name, hash := range m.Prompts {
		if hashes[name] != hash {
			if !b.noted(in.name) {
				fmt.Fprintf(b.talk, "note: %s was played with other prompts than are here now, so conversations and the turns of reference actors are written down with those that are here; what models were really asked is in the run\n", in.name)
			}
			break
		}
	}
	return style, nil
}
