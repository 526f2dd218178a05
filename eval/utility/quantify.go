package utility

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"parley/eval"
	"parley/eval/run"
	"parley/sim/llm"
)

// quantify has one sample labelled, as it is and disturbed, in one round.
func (p *Plan) quantify(ctx context.Context, w *run.Writer, id string, i int, row *StepRow) ([]eval.Score, error) {
	c, round := p.config, 0
	if _, err := fmt.Sscanf(id, "r%d-", &round); err != nil {
		return nil, err
	}
	p.mu.Lock()
	criteria, err := left(c, flat(p.criteria), flat(p.labels), round)
	p.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if criteria == nil {
		row.Skipped, row.Note = true, "no criterion is left, or none was dropped in the round before"
		return nil, nil
	}
	var rows []LabelRow
	for v, variant := range append([]string{""}, c.Disturb...) {
		s := &c.Samples[i]
		if variant != "" {
			if s, err = Disturb(s, variant, c.Share, c.Samples, rand.New(rand.NewPCG(c.Seed, seedOf(c.Seed, variant, i)))); err != nil {
				row.Note = fmt.Sprintf("it cannot be disturbed by %s: %v", variant, err)
				continue
			}
		}
		more, err := p.labelled(ctx, w, s, criteria, llm.Tag{Session: id, Actor: variant, Purpose: "quantify", Turn: round}, v)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	for k := range rows {
		rows[k].Reason = w.Clean(rows[k].Reason)
		if rows[k].Status == eval.Failed {
			row.State = run.Failed
		}
	}
	p.mu.Lock()
	p.labels[id] = rows
	p.mu.Unlock()
	Labels.Add(w, rows...)
	scores := scoresOf(rows, criteria, &c.Samples[i], id)
	run.Scores.Add(w, scores...)
	return scores, nil
}

// left returns the criteria of a round: all in the first, later those that the round before did not drop. It returns
// nil where that round dropped none or all.
func left(c *Config, criteria []CriterionRow, labels []LabelRow, round int) ([]Criterion, error) {
	list, err := pool(c, criteria)
	for done := 1; done < round && err == nil; done++ {
		s := newStudy(c, labels, func(r *LabelRow) bool { return r.Round == done })
		var next []Criterion
		for i := range list {
			if f := s.measure(&list[i]); f.Verdict != Out {
				next = append(next, list[i])
			}
		}
		if len(next) == len(list) || len(next) == 0 {
			return nil, nil
		}
		list = next
	}
	return list, err
}

// labelled has one form of a sample labelled with every seed.
func (p *Plan) labelled(ctx context.Context, w *run.Writer, s *Sample, criteria []Criterion, tag llm.Tag, variant int) ([]LabelRow, error) {
	var rows []LabelRow
	add := func(seed int, list []Criterion, labels []Label, calls []llm.Call) {
		for i, l := range labels {
			r := LabelRow{Job: tag.Session, Round: tag.Turn, Sample: s.ID, Variant: tag.Actor, Criterion: list[i].Name, Seed: seed, Label: l.Value, Status: l.Status, Reason: l.Reason, Calls: idsOf(calls)}
			if l.Status == eval.Scored {
				r.Level = new(list[i].Level(l.Value))
			}
			rows = append(rows, r)
		}
	}
	if p.config.Quantifier == LexicalModel {
		add(1, criteria, measureLexically(s, criteria), nil)
		return rows, nil
	}
	parts := [][]Criterion{criteria}
	if p.config.Each {
		parts = nil
		for i := range criteria {
			parts = append(parts, criteria[i:i+1])
		}
	}
	for seed := 1; seed <= p.config.Seeds; seed++ {
		for k, part := range parts {
			ask := tag
			ask.Repeat = seed - 1
			if p.config.Each {
				ask.Purpose = "quantify:" + part[0].Name
			}
			labels, calls, err := p.label(ctx, s, part, ask, seedOf(p.config.Seed, "quantify", tag.Turn, seed, k, variant))
			if err != nil {
				return nil, err
			}
			w.Step()
			add(seed, part, labels, calls)
		}
	}
	return rows, nil
}

// label asks the quantifier once.
func (p *Plan) label(ctx context.Context, s *Sample, criteria []Criterion, tag llm.Tag, seed uint64) ([]Label, []llm.Call, error) {
	with := map[string]any{"Task": p.config.Task, "Sample": s, "Text": s.Text(), "Criteria": criteria, "One": len(criteria) == 1,
		"Optional": slices.ContainsFunc(criteria, func(c Criterion) bool { return !c.Always })}
	schema, err := schemaOf(criteria)
	if err != nil {
		return nil, nil, err
	}
	resp, calls, err := p.ask(ctx, p.config.Quantifier, "quantify", with, schema, tag, seed)
	if err != nil {
		return nil, calls, err
	}
	if resp != nil {
		return ReadLabels(resp.Text, criteria), calls, nil
	}
	labels := make([]Label, len(criteria))
	for i := range labels {
		labels[i] = Label{Status: eval.Failed, Reason: calls[len(calls)-1].Error}
	}
	return labels, calls, nil
}

// schemaOf returns the form of a reply: each criterion with one of its labels, or that it does not apply where that may be.
func schemaOf(criteria []Criterion) (json.RawMessage, error) {
	properties, required := map[string]any{}, []string{}
	for _, c := range criteria {
		values := slices.Clone(c.Values)
		if !c.Always {
			values = append(values, notApplicable)
		}
		properties[c.Name] = map[string]any{"type": "string", "enum": values}
		required = append(required, c.Name)
	}
	return json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

// scoresOf returns the utility of an undisturbed sample by each criterion with an order: the mean level over seeds, on
// a scale from 0 to 1.
func scoresOf(rows []LabelRow, criteria []Criterion, s *Sample, id string) []eval.Score {
	var scores []eval.Score
	for i := range criteria {
		c := &criteria[i]
		if !c.Ordered() {
			continue
		}
		score := eval.Score{Session: id, Item: s.ID, Arm: s.Group, Scorer: "utility", Metric: "utility", Subject: c.Name, Method: "labels"}
		sum, n := 0.0, 0
		for k := range rows {
			r := &rows[k]
			if r.Criterion != c.Name || r.Variant != "" {
				continue
			}
			score.Status, score.Reason = r.Status, r.Reason
			score.Calls = append(score.Calls, r.Calls...)
			if r.Level != nil {
				sum, n = sum+float64(*r.Level), n+1
			}
		}
		if n > 0 {
			score.Value, score.Weight, score.Status, score.Reason = new(sum/float64(n*(len(c.Values)-1))), n, eval.Scored, ""
		}
		scores = append(scores, score)
	}
	return scores
}
