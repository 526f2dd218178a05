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

// quantify has the i-th sample labelled by the criteria of one round, as it is and disturbed.
func (p *Plan) quantify(ctx context.Context, w *run.Writer, i, round int, criteria []Criterion, row *StepRow) error {
	c, s := p.config, &p.config.Samples[i]
	row.Sample, row.Grouping = s.ID, s.Group
	switch {
	case len(criteria) == 0 && round == 1:
		row.State, row.Note = run.Failed, "there are no criteria"
		return nil
	case len(criteria) == 0:
		row.Skipped, row.Note = true, "no criterion is left, or none was dropped in the round before"
		return nil
	}
	var rows []LabelRow
	for _, variant := range append([]string{""}, c.Disturb...) {
		form, err := s, error(nil)
		if variant != "" {
			if form, err = Disturb(s, variant, c.Share, c.Samples, rand.New(rand.NewPCG(c.Seed, seedOf(c.Seed, variant, i)))); err != nil {
				row.Note = fmt.Sprintf("it cannot be disturbed by %s: %v", variant, err)
				continue
			}
		}
		more, err := p.labelled(ctx, w, form, criteria, llm.Tag{Session: row.ID, Actor: variant, Purpose: "quantify", Turn: round})
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	for k := range rows {
		rows[k].Reason = w.Clean(rows[k].Reason)
		if rows[k].Status == eval.Failed {
			row.State = run.Failed
		}
	}
	Labels.Add(w, rows...)
	return nil
}

// criteria returns the criteria of a round: all in the first, later those that the round before did not drop, or none
// where that dropped none or all. An estimate has all in every round.
func (p *Plan) criteria(round int) ([]Criterion, error) {
	_, list, _, err := readStored(p.env.Dir, p.config)
	if err != nil || round == 1 || p.env.Rehearsal {
		return list, err
	}
	labels, err := Labels.All(p.env.Dir)
	for before := 1; before < round && len(list) > 0; before++ {
		all := len(list)
		s := newStudy(p.config, labels, func(r *LabelRow) bool { return r.Round == before })
		list = slices.DeleteFunc(list, func(c Criterion) bool { return s.measure(&c).Verdict == Out })
		if len(list) == all {
			list = nil
		}
	}
	return list, err
}

// labelled has one form of a sample labelled with every seed.
func (p *Plan) labelled(ctx context.Context, w *run.Writer, s *Sample, criteria []Criterion, tag llm.Tag) ([]LabelRow, error) {
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
	size := len(criteria)
	if p.config.Each {
		size = 1
	}
	for seed := 1; seed <= p.config.Seeds; seed++ {
		for part := range slices.Chunk(criteria, size) {
			tag.Repeat = seed - 1
			if p.config.Each {
				tag.Purpose = "quantify:" + part[0].Name
			}
			labels, calls, err := p.label(ctx, w, s, part, tag)
			if err != nil {
				return nil, err
			}
			add(seed, part, labels, calls)
		}
	}
	return rows, nil
}

// label asks the quantifier once.
func (p *Plan) label(ctx context.Context, w *run.Writer, s *Sample, criteria []Criterion, tag llm.Tag) ([]Label, []llm.Call, error) {
	with := map[string]any{"Task": p.config.Task, "Sample": s, "Text": s.Text(), "Criteria": criteria, "One": len(criteria) == 1,
		"Optional": slices.ContainsFunc(criteria, func(c Criterion) bool { return !c.Always })}
	schema, err := schemaOf(criteria)
	if err != nil {
		return nil, nil, err
	}
	resp, calls, err := p.ask(ctx, w, p.config.Quantifier, "quantify", with, schema, tag)
	if err != nil {
		return nil, calls, err
	}
	if resp != nil {
		return ReadLabels(resp.Text, criteria), calls, nil
	}
	failed := Label{Status: eval.Failed, Reason: calls[len(calls)-1].Error}
	return slices.Repeat([]Label{failed}, len(criteria)), calls, nil
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
