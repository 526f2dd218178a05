package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/judge"
	"parley/eval/script"
	"parley/eval/survey"
	"parley/finetune"
	"parley/sim/llm"
)

// ruling is what a run keeps of a verdict: the calls that led to it, and what came of it.
type ruling struct {
	calls  []string
	status eval.Status
	reason string
	drawn  bool // each call is a draw of its own
	label  string
	value  *float64
}

// rulings yields those of a run of whatever kind.
func rulings(in *input, take func(*ruling)) error {
	dir, m := in.path, in.manifest
	switch {
	case m.Script != nil:
		for f, err := range rows[script.Finding](dir, streamVerdicts) {
			if err != nil {
				return err
			}
			r := ruling{calls: f.Calls, status: f.Status, reason: f.Reason}
			if f.Value != nil {
				r.label = fmt.Sprintf("%s=%g", f.Metric, *f.Value)
			}
			take(&r)
		}
	case m.Survey != nil:
		for v, err := range rows[survey.Verdict](dir, streamVerdicts) {
			if err != nil {
				return err
			}
			r := ruling{calls: v.Calls, status: v.Status, reason: v.Reason, drawn: v.Method == string(judge.Samples), value: v.Value}
			switch {
			case v.Label != "":
				r.label = "label=" + v.Label
			case v.Value != nil && !r.drawn:
				r.label = fmt.Sprintf("score=%.0f", *v.Value)
			}
			take(&r)
		}
		for p, err := range rows[survey.Proposal](dir, streamProposals) {
			if err != nil {
				return err
			}
			if p.Kind == survey.Asked {
				take(&ruling{calls: p.Calls, status: p.Status, reason: p.Reason})
			}
		}
	default:
		for s, err := range rows[eval.Score](dir, streamScores) {
			if err != nil {
				return err
			}
			take(&ruling{calls: s.Calls, status: s.Status, reason: s.Reason, value: s.Value})
		}
	}
	return nil
}

// fate is what came of a call.
type fate struct {
	reason finetune.Reason // empty: its verdict was read, and it counted
	detail string
	drawn  bool
	labels []string
	value  *float64
}

// fates finds out what came of every call that a verdict of a run rests on. A question that was asked
// several times has its verdict from the last of its calls.
func fates(in *input) (map[string]*fate, error) {
	known := map[string]*fate{}
	err := rulings(in, func(r *ruling) {
		last := map[string]string{} // by question
		for _, id := range r.calls {
			last[question(id)] = id
		}
		for _, id := range r.calls {
			f := known[id]
			if f == nil {
				f = &fate{}
				known[id] = f
			}
			switch {
			case !r.drawn && last[question(id)] != id:
				f.reason, f.detail = finetune.Unscored, "the reply held no verdict, and the judge was asked again"
			case r.status != eval.Scored:
				f.reason, f.detail = finetune.Unscored, clean(r.reason)
			default:
				f.drawn, f.value = r.drawn, r.value
				if r.label != "" {
					f.labels = append(f.labels, r.label)
				}
			}
		}
	})
	return known, err
}

// question is the id of a call without the number of its try.
func question(call string) string { return call[:max(0, strings.LastIndexByte(call, '/'))] }

// verdicts yields a run's verdicts of judges that are models.
func (b *building) verdicts(ctx context.Context, in *input, filtered bool) exampleSeq {
	return func(yield func(finetune.Example, error) bool) {
		known, err := fates(in)
		if err != nil {
			yield(finetune.Example{}, err)
			return
		}
		group, err := groupsOf(in)
		if err != nil {
			yield(finetune.Example{}, err)
			return
		}
		found := &store{dir: in.path}
		n, total := int64(0), in.manifest.Streams[streamCalls].Rows
		for call, err := range rows[llm.Call](in.path, streamCalls) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(finetune.Example{}, err)
				return
			}
			n++
			b.stages.say("read calls of "+in.name, n, total)
			if !strings.HasPrefix(call.Purpose, "judge:") || call.Finish == llm.Embedded {
				continue
			}
			v := finetune.Verdict{ID: in.name, Call: call, Group: call.Session, Source: in.name}
			if g, ok := group[call.Session]; ok {
				v.Group, v.Scenario = g[0], g[1]
			}
			if v.Messages, err = questionOf(found, &call); err != nil {
				yield(finetune.Example{}, err)
				return
			}
			ruled(&v, known[call.ID])
			x, err := finetune.FromVerdict(&v)
			if err == nil && filtered {
				err = b.passes(&x, "")
			}
			if !yield(x, err) || err != nil && !gone(err) {
				return
			}
		}
	}
}

// groupsOf are the situations and titles of a run's sessions; of an evaluation, each document and
// each task is its own group.
func groupsOf(in *input) (map[string][2]string, error) {
	groups := map[string][2]string{}
	if in.manifest.Experiment == nil {
		return groups, nil
	}
	for row, err := range rows[sessionRow](in.path, streamSessions) {
		if err != nil {
			return nil, err
		}
		groups[row.ID] = [2]string{situation(&row), row.Title}
	}
	return groups, nil
}

// questionOf finds the messages of a call.
func questionOf(found *store, call *llm.Call) ([]llm.Message, error) {
	messages := make([]llm.Message, len(call.Prompt))
	for i, hash := range call.Prompt {
		m, err := found.message(hash)
		if err != nil {
			return nil, err
		}
		messages[i] = m
	}
	return messages, nil
}

// askedMessages is how many messages a judge's question has: role, question, form. One more says what was
// wrong with an earlier reply.
const askedMessages = 3

// nonce is where a question states its nonce, without which a draw does not count.
var nonce = regexp.MustCompile(`the nonce of this question, which is ([0-9a-f]+) and has to be repeated`)

// ruled says whether a verdict counted.
func ruled(v *finetune.Verdict, f *fate) {
	fail := func(r finetune.Reason, detail string) { v.Fate, v.Detail = r, detail }
	switch {
	case v.Call.Fault != "" || v.Call.Error != "":
		fail(finetune.Unscored, clean(v.Call.Error))
	case f == nil:
		fail(finetune.Unscored, "no score rests on it")
	case f.reason != "":
		fail(f.reason, f.detail)
	case len(v.Messages) > askedMessages:
		fail(finetune.AskedAgain, "its question holds what was wrong with an earlier reply")
	case f.drawn && !drew(v):
		fail(finetune.Unscored, "the draw gave no number")
	default:
		v.Labels, v.Score = slices.Clone(f.labels), f.value
	}
}

var drawn = judge.MustSchema(`{"type":"object","properties":{"score":{"type":"integer"}},"required":["score"]}`)

// drew reports whether one draw of several gave a number.
func drew(v *finetune.Verdict) bool {
	if m := nonce.FindStringSubmatch(v.Messages[len(v.Messages)-1].Content); m != nil && !strings.Contains(v.Call.Reply, m[1]) {
		return false
	}
	return judge.Read(v.Call.Reply, drawn).Status == eval.Scored
}
