package utility

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

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
	row.Sample, row.Grouping = s.ID, s.Group
	if len(criteria) == 0 { // in a later round: the one before dropped none, or all
		if row.Skipped = round > 1; !row.Skipped {
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

//go:embed roleplay.yaml
var roleplay []byte

// RolePlay returns the ready criteria for sessions of role-play.
func RolePlay() []Criterion {
	list, err := ReadCriteria(roleplay, "roleplay.yaml")
	if err != nil {
		panic(err)
	}
	return list
}

// measures are those of the lexical quantifier: whether a turn under test is of a kind. So large a share of the turns as
// enough says is as good as can be.
var (
	measures = map[string]func(s *Sample, at int) bool{
		"activity":  func(s *Sample, at int) bool { return s.Turns[at].Text != "" },
		"questions": func(s *Sample, at int) bool { return strings.ContainsAny(s.Turns[at].Text, "?？") },
		"uptake":    takesUp,
		"variety": func(s *Sample, at int) bool { // the first turn of its words
			return !slices.ContainsFunc(s.Turns[:at], func(t Turn) bool { return t.Tested && fold(t.Text) == fold(s.Turns[at].Text) })
		},
	}
	enough = map[string]float64{"questions": 0.5}
)

// takesUp reports whether a turn holds a word of six letters or more which another participant or the premise used before.
func takesUp(s *Sample, at int) bool {
	heard := fold(s.Task)
	for _, t := range s.Turns[:at] {
		if t.Who != s.Turns[at].Who {
			heard += " " + fold(t.Text)
		}
	}
	words := strings.Fields(heard)
	return slices.ContainsFunc(strings.Fields(fold(s.Turns[at].Text)), func(w string) bool { return len([]rune(w)) >= 6 && slices.Contains(words, w) })
}

// measureLexically labels a sample by the criteria that have a lexical measure: the range of the measure is cut into as
// many equal parts as there are values. For variety passes do not count.
func measureLexically(s *Sample, criteria []Criterion) (labels []Label) {
	for _, c := range criteria {
		hit, hits, of := measures[c.Lexical], 0.0, 0.0
		if hit == nil {
			labels = append(labels, Label{Status: eval.NotApplicable, Reason: strings.TrimSpace("it has no lexical measure " + c.Lexical)})
			continue
		}
		for at, t := range s.Turns {
			if t.Tested && (c.Lexical != "variety" || strings.TrimSpace(t.Text) != "") {
				of++
				if hit(s, at) {
					hits++
				}
			}
		}
		if of == 0 {
			labels = append(labels, unread("no turn is under test, or nothing was said or done in any"))
			continue
		}
		share := min(1, hits/of/cmp.Or(enough[c.Lexical], 1))
		labels = append(labels, Label{Status: eval.Scored, Value: c.Values[min(len(c.Values)-1, int(share*float64(len(c.Values))))]})
	}
	return labels
}
