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

// criteria returns the criteria of a round: all in the first, later those that the round before did not drop, or none
// where that dropped none. An estimate has all in every round.
func (p *Plan) criteria(round int) ([]Criterion, error) {
	_, list, _, err := readStored(p.env.Dir, p.config)
	if err != nil || round == 1 || p.env.Rehearsal {
		return list, err
	}
	rows, err := Labels.All(p.env.Dir)
	labels, all := latest(rows, round-1), 0
	list = slices.DeleteFunc(list, func(c Criterion) bool {
		last := labels[c.Name]
		if len(last) == 0 || last[0].Round < round-1 {
			return true
		}
		all++
		return measure(p.config, &c, last, p.config.Seeds).Verdict == Out
	})
	if len(list) == all {
		list = nil
	}
	return list, err
}

// quantify has the i-th sample labelled by the criteria of one round, as it is and disturbed, with every seed.
func (p *Plan) quantify(ctx context.Context, w *run.Writer, i, round int, criteria []Criterion, row *StepRow) error {
	c, s := p.config, &p.config.Samples[i]
	row.Sample = s.ID
	if len(criteria) == 0 { // in a later round: the one before dropped none, or all
		if round == 1 {
			row.State, row.Note = run.Failed, "there are no criteria"
		}
		return nil
	}
	size := len(criteria)
	if c.Each {
		size = 1
	}
	for _, variant := range append([]string{""}, c.Disturb...) {
		form, err := Disturb(s, variant, c.Share, c.Samples, rand.New(rand.NewPCG(c.Seed, seedOf(c.Seed, variant, i))))
		if err != nil {
			row.Note = fmt.Sprintf("it cannot be disturbed by %s: %v", variant, err)
			continue
		}
		for seed := range c.Seeds {
			for part := range slices.Chunk(criteria, size) {
				tag := llm.Tag{Session: row.ID, Actor: variant, Purpose: "quantify", Turn: round, Repeat: seed}
				if size == 1 {
					tag.Purpose = "quantify:" + part[0].Name
				}
				if err := p.label(ctx, w, form, part, tag, row); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// label asks the quantifier once, and adds a row for each criterion.
func (p *Plan) label(ctx context.Context, w *run.Writer, s *Sample, criteria []Criterion, tag llm.Tag, step *StepRow) error {
	var labels []Label
	var calls []llm.Call
	if p.config.Quantifier == LexicalModel {
		labels = measureLexically(s, criteria)
	} else {
		schema, err := schemaOf(criteria)
		if err != nil {
			return err
		}
		with := map[string]any{"Task": p.config.Task, "Sample": s, "Text": s.Text(), "Criteria": criteria, "One": len(criteria) == 1,
			"Optional": slices.ContainsFunc(criteria, func(c Criterion) bool { return !c.Always })}
		var resp *llm.Response
		if resp, calls, err = p.ask(ctx, w, step, p.config.Quantifier, "quantify", with, schema, tag); err != nil {
			return err
		}
		if labels = slices.Repeat([]Label{{Status: eval.Failed, Reason: step.Note}}, len(criteria)); resp != nil {
			labels = ReadLabels(resp.Text, criteria)
		}
	}
	for i, l := range labels {
		r := LabelRow{Job: tag.Session, Round: tag.Turn, Sample: s.ID, Variant: tag.Actor, Criterion: criteria[i].Name, Seed: tag.Repeat + 1,
			Label: l.Value, Status: l.Status, Reason: w.Clean(l.Reason), Calls: llm.IDs(calls)}
		if l.Status == eval.Scored {
			r.Level = new(criteria[i].Level(l.Value))
		}
		Labels.Add(w, r)
	}
	return nil
}

// schemaOf returns the form of a reply: each criterion with one of its labels, or that it does not apply where that may be.
func schemaOf(criteria []Criterion) (json.RawMessage, error) {
	properties, required := map[string]any{}, []string{}
	for _, c := range criteria {
		values := slices.Clone(c.Values)
		if !c.Always {
			values = append(values, inapplicable)
		}
		properties[c.Name] = map[string]any{"type": "string", "enum": values}
		required = append(required, c.Name)
	}
	return json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}
