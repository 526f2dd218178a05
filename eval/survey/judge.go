package survey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/judge"
	"parley/sim"
	"parley/sim/llm"
)

const (
	evaluatorRole = "You judge documents that were made for a request: surveys, forms, quizzes, lists, tables, conversations. You judge by one aspect at a time and give reasons that can be checked in the document."
	sageRole      = "You are a senior reviewer of evaluations. You read documents closely, review what an evaluator said of them, and put right what is wrong. You agree where there is nothing to put right."
)

var scale = judge.Scale{Min: 1, Max: 5}

// Validate reports agents that cannot judge.
func (a *Agents) Validate() error {
	if a.Evaluator == nil || a.Rubric == nil {
		return errors.New("an evaluator and a rubric are needed")
	}
	switch a.Mode {
	case "", judge.Top, judge.Logprob, judge.Samples:
	default:
		return fmt.Errorf("unknown scores %q; known are top, logprob, samples", a.Mode)
	}
	switch a.Variant {
	case "", Vanilla, Reflect, CoT:
	default:
		return fmt.Errorf("unknown variant %q; known are vanilla, reflect, cot", a.Variant)
	}
	for _, b := range a.Baselines {
		if b != Twice && b != Checklist {
			return fmt.Errorf("unknown baseline %q; known are twice, checklist", b)
		}
	}
	return a.Rubric.Validate()
}

// Judge has all agents judge one document. The error is that of a context that was cancelled, or of a
// question that cannot be put; that an agent fails or says nothing of use is a status of its verdict.
func (a *Agents) Judge(ctx context.Context, s Subject) (*Outcome, error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	out := &Outcome{}
	seed := sim.Mix(a.Seed, sim.HashText(s.ID))
	base := map[string]any{"Prompt": s.Prompt, "Text": s.Text}
	first := map[string]Verdict{}
	for i := range a.Rubric.Aspects {
		v, err := a.ask(ctx, out, a.Evaluator, look{agent: Evaluator, subject: s, aspect: &a.Rubric.Aspects[i], seed: seed, data: base})
		if err != nil {
			return out, err
		}
		first[v.Aspect] = v
		out.Verdicts = append(out.Verdicts, v)
	}
	for _, b := range a.Baselines {
		for i := range a.Rubric.Aspects {
			aspect := &a.Rubric.Aspects[i]
			before := first[aspect.Name]
			l := look{agent: b, subject: s, aspect: aspect, seed: seed, data: base}
			var v Verdict
			var err error
			switch {
			case b == Checklist:
				v, err = a.checklist(ctx, out, l)
			case !before.Scored():
				v = l.none(eval.NotApplicable, "the evaluator gave no verdict to look at again")
			default:
				l.own = said(&before, aspect)
				v, err = a.ask(ctx, out, a.Evaluator, l)
			}
			if err != nil {
				return out, err
			}
			out.Verdicts = append(out.Verdicts, v)
		}
	}
	if a.Sage == nil {
		return out, nil
	}
	return out, a.sage(ctx, out, s, seed, first)
}

// sage reviews the evaluator's verdicts and the rubric.
func (a *Agents) sage(ctx context.Context, out *Outcome, s Subject, seed uint64, first map[string]Verdict) error {
	var b strings.Builder
	for i := range a.Rubric.Aspects {
		aspect := &a.Rubric.Aspects[i]
		v := first[aspect.Name]
		fmt.Fprintf(&b, "%s: %s\n", aspect.Title, said(&v, aspect))
	}
	verdicts := mask(b.String(), []string{a.Evaluator.Name, a.Sage.Name})
	base := map[string]any{"Prompt": s.Prompt, "Text": s.Text, "Verdicts": verdicts, "Variant": string(a.Variant)}
	for i := range a.Rubric.Aspects {
		l := look{agent: Sage, subject: s, aspect: &a.Rubric.Aspects[i], seed: seed, data: base}
		v, err := a.ask(ctx, out, a.Sage, l)
		if err == nil && a.Variant == Reflect && v.Scored() {
			calls := v.Calls
			l.own, l.pass = mask(said(&v, l.aspect), []string{a.Evaluator.Name, a.Sage.Name}), "-reflect"
			v, err = a.ask(ctx, out, a.Sage, l)
			v.Calls = append(calls, v.Calls...)
		}
		if err != nil {
			return err
		}
		out.Verdicts = append(out.Verdicts, v)
	}
	return a.criteria(ctx, out, s, seed, base)
}

// look is one agent's look at one aspect.
type look struct {
	agent   Agent
	subject Subject
	aspect  *Aspect
	seed    uint64
	data    map[string]any
	own     string // its verdict of an earlier look
	pass    string // names the later look's calls
}

func (l *look) none(status eval.Status, reason string) Verdict {
	return Verdict{Document: l.subject.ID, Agent: l.agent, Aspect: l.aspect.Name, Status: status, Reason: reason}
}

// ask puts the question on one aspect to a judge.
func (a *Agents) ask(ctx context.Context, out *Outcome, j *judge.Judge, l look) (Verdict, error) {
	template, role := evaluatorPrompt, evaluatorRole
	if l.agent == Sage {
		template, role = sagePrompt, sageRole
	}
	data := map[string]any{"Aspect": l.aspect, "Own": l.own, "Steps": numbered("", l.aspect.Steps)}
	for k, v := range l.data {
		data[k] = v
	}
	scorer := "survey-" + string(l.agent) + l.pass
	v := l.none("", "")
	if l.aspect.Labels != nil {
		type named struct {
			Reason string `json:"reason"`
			Label  string `json:"label"`
		}
		got, err := judge.Ask(ctx, j, judge.Question[named]{
			Scorer: scorer, Session: l.subject.ID, Subject: l.aspect.Name, Seed: l.seed, Role: role, Prompt: template, Data: data,
			Schema: labelled(l.aspect.Labels),
		})
		v.take(out, got.Status, got.Reason, got.Method, got.Calls)
		if v.Label, v.Why = got.Value.Label, got.Value.Reason; v.Scored() {
			v.Mass = 1
		}
		return v, err
	}
	got, err := judge.Rate(ctx, j, judge.Rating{
		Scorer: scorer, Session: l.subject.ID, Subject: l.aspect.Name, Seed: l.seed, Role: role, Prompt: template, Data: data,
		Scale: scale, Mode: a.Mode, Draws: a.Draws, Reasoned: true,
	})
	v.take(out, got.Status, got.Reason, got.Method, got.Calls)
	v.Why, v.Mass = got.Why, got.Mass
	if v.Scored() {
		v.Value = &got.Value
	}
	return v, err
}

// take notes what came of asking.
func (v *Verdict) take(out *Outcome, status eval.Status, reason, method string, calls []llm.Call) {
	v.Status, v.Reason, v.Method = status, reason, method
	v.Calls = append(v.Calls, llm.IDs(calls)...)
	out.Calls = append(out.Calls, calls...)
}

// labelled offers a reason and, after it, one of the labels.
func labelled(labels []string) *judge.Schema {
	list, err := json.Marshal(labels)
	if err != nil {
		panic(err)
	}
	return judge.MustSchema(fmt.Sprintf(`{"type":"object","required":["reason","label"],"additionalProperties":false,
		"properties":{"reason":{"type":"string"},"label":{"type":"string","enum":%s}}}`, list))
}

// said is a verdict in words.
func said(v *Verdict, aspect *Aspect) string {
	switch {
	case !v.Scored():
		return "no verdict"
	case aspect.Labels != nil:
		return fmt.Sprintf("%s. Reason: %s", v.Label, v.Why)
	}
	return fmt.Sprintf("%.3g of 5. Reason: %s", *v.Value, v.Why)
}

// checklist has the evaluator's model answer yes or no questions; the score is 1 with no yes and 5 with
// nothing else.
func (a *Agents) checklist(ctx context.Context, out *Outcome, l look) (Verdict, error) {
	n := len(l.aspect.Checklist)
	if n == 0 {
		return l.none(eval.NotApplicable, "the rubric has no checklist for this aspect"), nil
	}
	props, keys := make([]string, n), make([]string, n)
	for i := range n {
		keys[i] = fmt.Sprintf(`"q%d"`, i+1)
		props[i] = keys[i] + `:{"type":"string","enum":["yes","no"]}`
	}
	offered := judge.MustSchema(fmt.Sprintf(`{"type":"object","required":[%s],"additionalProperties":false,"properties":{%s}}`,
		strings.Join(keys, ","), strings.Join(props, ",")))
	data := map[string]any{"Questions": numbered("q", l.aspect.Checklist)}
	for k, v := range l.data {
		data[k] = v
	}
	got, err := judge.Ask(ctx, a.Evaluator, judge.Question[map[string]string]{
		Scorer: "survey-" + string(l.agent), Session: l.subject.ID, Subject: l.aspect.Name, Seed: l.seed, Role: evaluatorRole,
		Prompt: checklistPrompt, Data: data, Schema: offered,
	})
	v := l.none("", "")
	v.take(out, got.Status, got.Reason, got.Method, got.Calls)
	if v.Scored() {
		yes := 0
		for _, answer := range got.Value {
			if answer == "yes" {
				yes++
			}
		}
		score := 1 + 4*float64(yes)/float64(n)
		v.Value, v.Mass, v.Why = &score, 1, fmt.Sprintf("%d of %d questions answered with yes", yes, n)
	}
	return v, err
}

// criteria asks the SAGE agent about the rubric.
func (a *Agents) criteria(ctx context.Context, out *Outcome, s Subject, seed uint64, base map[string]any) error {
	type change struct {
		Aspect     string `json:"aspect"`
		Reason     string `json:"reason"`
		Definition string `json:"definition"`
	}
	type idea struct {
		Name       string `json:"name"`
		Reason     string `json:"reason"`
		Definition string `json:"definition"`
	}
	type proposals struct {
		Changes []change `json:"changes"`
		New     []idea   `json:"new"`
	}
	names, err := json.Marshal(a.Rubric.names())
	if err != nil {
		return err
	}
	offered := judge.MustSchema(fmt.Sprintf(`{"type":"object","required":["changes","new"],"additionalProperties":false,"properties":{
		"changes":{"type":"array","maxItems":%d,"items":{"type":"object","required":["aspect","reason","definition"],"additionalProperties":false,
			"properties":{"aspect":{"type":"string","enum":%s},"reason":{"type":"string"},"definition":{"type":"string"}}}},
		"new":{"type":"array","maxItems":3,"items":{"type":"object","required":["name","reason","definition"],"additionalProperties":false,
			"properties":{"name":{"type":"string"},"reason":{"type":"string"},"definition":{"type":"string"}}}}}}`, len(a.Rubric.Aspects), names))
	data := map[string]any{"Aspects": a.Rubric.Aspects}
	for k, v := range base {
		data[k] = v
	}
	got, err := judge.Ask(ctx, a.Sage, judge.Question[proposals]{
		Scorer: "survey-criteria", Session: s.ID, Subject: "rubric", Seed: seed, Role: sageRole, Prompt: criteriaPrompt, Data: data, Schema: offered,
	})
	asked := Proposal{Document: s.ID, Kind: Asked, Status: got.Status, Reason: got.Reason, Calls: got.IDs()}
	out.Proposals = append(out.Proposals, asked)
	out.Calls = append(out.Calls, got.Calls...)
	changed := map[string]bool{}
	for _, c := range got.Value.Changes {
		at := slices.Index(a.Rubric.names(), c.Aspect)
		if at < 0 || changed[c.Aspect] || plain(c.Definition) == "" || plain(c.Definition) == plain(a.Rubric.Aspects[at].Definition) {
			continue // nothing is changed by the same words
		}
		changed[c.Aspect] = true
		out.Proposals = append(out.Proposals, Proposal{Document: s.ID, Kind: Definition, Aspect: c.Aspect, Text: strings.TrimSpace(c.Definition),
			Why: c.Reason, Status: eval.Scored, Calls: asked.Calls})
	}
	for _, n := range got.Value.New {
		if slug(n.Name) == "" || slices.Contains(a.Rubric.names(), slug(n.Name)) {
			continue // it is there already
		}
		out.Proposals = append(out.Proposals, Proposal{Document: s.ID, Kind: NewAspect, Aspect: strings.TrimSpace(n.Name), Text: strings.TrimSpace(n.Definition),
			Why: n.Reason, Status: eval.Scored, Calls: asked.Calls})
	}
	return err
}

func plain(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
