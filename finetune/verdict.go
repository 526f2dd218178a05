package finetune

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/judge"
	"parley/eval/run"
	"parley/eval/script"
	"parley/eval/session"
	"parley/eval/survey"
	"parley/sim/llm"
)

// Why a verdict is no example.
const (
	Unscored   Reason = "unscored"    // no verdict was read out of the reply, or nothing came of it
	AskedAgain Reason = "asked again" // the verdict was had only after a reply without one
)

// ruling is a verdict as a run keeps it: the calls that led to it, and its result.
type ruling struct {
	calls  []string
	status eval.Status
	reason string
	drawn  bool   // each call is a draw of its own
	label  string // of the example; may be empty
	value  *float64
}

// rulings yields what came of the calls of a run's judges.
func (in *Source) rulings() iter.Seq2[ruling, error] {
	switch in.Run.Kind {
	case script.Kind:
		return mapped(script.Findings.Read(in.Path), func(f script.Finding) ruling {
			r := ruling{calls: f.Calls, status: f.Status, reason: f.Reason}
			if f.Value != nil {
				r.label = fmt.Sprintf("%s=%g", f.Metric, *f.Value)
			}
			return r
		})
	case survey.Kind:
		return func(yield func(ruling, error) bool) {
			for r, err := range mapped(survey.Verdicts.Read(in.Path), surveyRuling) {
				if !yield(r, err) || err != nil {
					return
				}
			}
			for p, err := range survey.Proposals.Read(in.Path) {
				if (p.Kind == survey.Asked || err != nil) && !yield(ruling{calls: p.Calls, status: p.Status, reason: p.Reason}, err) {
					return
				}
			}
		}
	}
	return mapped(run.Scores.Read(in.Path), func(s eval.Score) ruling {
		return ruling{calls: s.Calls, status: s.Status, reason: s.Reason, value: s.Value}
	})
}

func surveyRuling(v survey.Verdict) ruling {
	r := ruling{calls: v.Calls, status: v.Status, reason: v.Reason, drawn: v.Method == string(judge.Samples), value: v.Value}
	switch {
	case v.Label != "":
		r.label = "label=" + v.Label
	case v.Value != nil && !r.drawn:
		r.label = fmt.Sprintf("score=%.0f", *v.Value)
	}
	return r
}

// mapped applies a function to the rows of a table.
func mapped[T, R any](rows iter.Seq2[T, error], to func(T) R) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for row, err := range rows {
			if !yield(to(row), err) || err != nil {
				return
			}
		}
	}
}

// Verdict is a judge's reply with its question, for distilling.
type Verdict struct {
	Call     llm.Call
	Messages []llm.Message // that the call's prompt names
	Group    string        // what was judged
	Scenario string
	Source   string
	ID       string   // of the run, before the call's
	Labels   []string // of the verdict, beside its purpose
	Score    *float64
	// Left is why the verdict is no example; empty: it was read, and it counted.
	Left   Reason
	Detail string
}

// FromVerdict makes an example of the task judge: the question, and the verdict without what the judge
// said around it. A verdict that did not count is a *Dropped.
func FromVerdict(v *Verdict) (Example, error) {
	purpose := strings.TrimPrefix(v.Call.Purpose, "judge:")
	x := Example{
		ID: v.ID + "/" + v.Call.ID, Task: Judge, Group: v.Group, Scenario: v.Scenario, Source: v.Source, Model: v.Call.Model,
		Labels: unique(append([]string{purpose}, v.Labels...)), Score: v.Score,
	}
	if v.Left != "" {
		return Example{}, x.drop(v.Left, v.Detail)
	}
	reply := stated(v.Call.Reply)
	if reply == "" {
		return Example{}, x.drop(Unscored, "the reply holds no verdict")
	}
	if x.Prompt = joined(v.Messages); len(x.Prompt) == 0 || x.Prompt[len(x.Prompt)-1].Role != User {
		return Example{}, x.drop(Unscored, fmt.Sprintf("the question of the call %s is not kept", v.Call.ID))
	}
	x.Completion = []Message{{Assistant, reply}}
	x.Body = material(x.Prompt[len(x.Prompt)-1].Content) + reply
	return x, nil
}

// stated cuts the verdict's object out of a reply, as it was written. A reply that states its verdict
// in another form is taken whole, without its reasoning; it is empty where that cannot be told apart.
func stated(reply string) string {
	r := judge.Read(reply, nil)
	_, rest, ok := llm.SplitReasoning(reply)
	if !ok {
		return ""
	}
	reply = strings.TrimSpace(rest)
	var want any
	if r.Status != eval.Scored || json.Unmarshal(r.Value, &want) != nil {
		return reply
	}
	for at := strings.LastIndexByte(reply, '{'); at >= 0; at = strings.LastIndexByte(reply[:at], '{') {
		var object json.RawMessage
		var got any
		if json.NewDecoder(strings.NewReader(reply[at:])).Decode(&object) == nil && json.Unmarshal(object, &got) == nil && reflect.DeepEqual(got, want) {
			return string(object)
		}
	}
	return reply
}

// material returns the matter of a question, without the instructions around it that are the same every
// time: the quoted lines, or all of it where nothing is quoted.
func material(question string) string {
	var b strings.Builder
	for line := range strings.Lines(question) {
		if text, ok := strings.CutPrefix(line, "| "); ok {
			b.WriteString(text)
		}
	}
	if b.Len() == 0 {
		return question + "\n"
	}
	return b.String()
}

// outcome is the result of a call.
type outcome struct {
	left   Reason // empty: its verdict was read, and it counted
	detail string
	drawn  bool
	labels []string
	value  *float64
}

// outcomes finds what came of every call that a verdict of a run rests on. A question that was asked
// several times has its verdict from the last of its calls.
func (in *Source) outcomes() (map[string]*outcome, error) {
	// A call's id ends with the number of its try.
	question := func(call string) string { return call[:max(0, strings.LastIndexByte(call, '/'))] }
	known := map[string]*outcome{}
	for r, err := range in.rulings() {
		if err != nil {
			return nil, err
		}
		last := map[string]string{} // by question
		for _, id := range r.calls {
			last[question(id)] = id
		}
		for _, id := range r.calls {
			o := known[id]
			if o == nil {
				o = &outcome{}
				known[id] = o
			}
			switch {
			case !r.drawn && last[question(id)] != id:
				o.left, o.detail = Unscored, "the reply held no verdict, and the judge was asked again"
			case r.status != eval.Scored:
				o.left, o.detail = Unscored, r.reason
			default:
				o.drawn, o.value = r.drawn, r.value
				if r.label != "" {
					o.labels = append(o.labels, r.label)
				}
			}
		}
	}
	return known, nil
}

// verdicts yields a run's verdicts of judges that are models.
func (s *Selection) verdicts(ctx context.Context, in *Source, filtered bool) iter.Seq2[Example, error] {
	return func(yield func(Example, error) bool) {
		known, err := in.outcomes()
		sessions := map[string]session.Row{} // of an evaluation none: each document or task is its own group
		for row, bad := range session.Sessions.Read(in.Path) {
			err = cmp.Or(err, bad)
			sessions[row.ID] = row
		}
		if err != nil {
			yield(Example{}, err)
			return
		}
		found := &messages{dir: in.Path}
		n := int64(0)
		for call, err := range run.Calls.Sorted(in.Path) {
			n++
			s.tell("read calls of "+in.Name, n, in.Run.Tables[run.Calls.Name].Rows)
			if err = cmp.Or(err, ctx.Err()); err == nil && (!strings.HasPrefix(call.Purpose, "judge:") || call.Finish == llm.Embedded) {
				continue
			}
			v := Verdict{ID: in.Name, Call: call, Group: call.Session, Source: in.Name}
			if row, ok := sessions[call.Session]; ok {
				v.Group, v.Scenario = situation(&row), row.Title
			}
			for _, hash := range call.Prompt {
				if err == nil {
					var m llm.Message
					m, err = found.find(hash)
					v.Messages = append(v.Messages, m)
				}
			}
			var x Example
			if err == nil {
				v.settle(known[call.ID])
				x, err = FromVerdict(&v)
			}
			if err == nil && filtered {
				err = s.passes(&x, "")
			}
			if !yield(x, err) || err != nil && !dropped(err) {
				return
			}
		}
	}
}

// askedMessages is how many messages a judge's question has: role, question, form. One more says what was
// wrong with an earlier reply.
const askedMessages = 3

// nonce is where a question states its nonce, without which a draw does not count.
var nonce = regexp.MustCompile(`nonce of this question, which is ([0-9a-f]+)`)

// drew reports whether one draw of several gave a number.
func (v *Verdict) drew() bool {
	if m := nonce.FindStringSubmatch(v.Messages[len(v.Messages)-1].Content); m != nil && !strings.Contains(v.Call.Reply, m[1]) {
		return false
	}
	return judge.Read(v.Call.Reply, drawnSchema).Status == eval.Scored
}

var drawnSchema = judge.MustSchema(`{"type":"object","properties":{"score":{"type":"integer"}},"required":["score"]}`)

// settle says whether a verdict counted.
func (v *Verdict) settle(o *outcome) {
	fail := func(r Reason, detail string) { v.Left, v.Detail = r, detail }
	switch {
	case v.Call.Fault != "" || v.Call.Error != "":
		fail(Unscored, v.Call.Error)
	case o == nil:
		fail(Unscored, "no score rests on it")
	case o.left != "":
		fail(o.left, o.detail)
	case len(v.Messages) > askedMessages:
		fail(AskedAgain, "its question holds what was wrong with an earlier reply")
	case o.drawn && !v.drew():
		fail(Unscored, "the draw gave no number")
	default:
		v.Labels, v.Score = slices.Clone(o.labels), o.value
	}
}
