package utility

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/eval/run"
	"parley/sim/llm"
	"parley/sim/llm/loose"
)

// proposals is the form of a critic's reply, for servers that hold a model to one.
var proposals = json.RawMessage(`{"type": "object", "required": ["criteria"], "additionalProperties": false, "properties": {"criteria":
	{"type": "array", "minItems": 4, "maxItems": 20, "items":
	{"type": "object", "required": ["name", "description", "accepted_values"], "additionalProperties": false, "properties":
	{"name": {"type": "string", "maxLength": 60}, "description": {"type": "string", "maxLength": 300},
	"accepted_values": {"type": "array", "minItems": 2, "maxItems": 5, "items": {"type": "string", "maxLength": 60}}}}}}}`)

// addCriterion adds the row of a criterion that was proposed by the critic of a seed, or consolidated.
func addCriterion(w *run.Writer, job, stage string, seed int, c Criterion, calls []llm.Call) {
	whole, err := json.Marshal(c)
	if err != nil {
		panic(err) // it has strings and numbers only
	}
	Criteria.Add(w, CriterionRow{Job: job, Stage: stage, Seed: seed, Name: c.Name, Criterion: string(whole), Calls: llm.IDs(calls)})
}

// readStored reads the criteria of a run: those that were proposed, those of the first round, which were given or
// consolidated, and why others could not be read.
func readStored(dir string, c *Config) (proposed, pool []Criterion, rejected []string, err error) {
	for r, err := range Criteria.Sorted(dir) {
		if err != nil {
			return nil, nil, nil, err
		}
		var one Criterion
		if r.Criterion == "" {
			rejected = append(rejected, r.Reason)
		} else if err := json.Unmarshal([]byte(r.Criterion), &one); err != nil {
			return nil, nil, nil, fmt.Errorf("criterion %q of %s: %w", r.Name, r.Job, err)
		} else if r.Stage == "proposed" {
			proposed = append(proposed, one)
		} else {
			pool = append(pool, one)
		}
	}
	if c.Critic == "" {
		pool = c.Criteria
	}
	return proposed, leaves(pool), rejected, nil
}

// propose asks a critic for criteria, and for the order of values that do not tell it.
func (p *Plan) propose(ctx context.Context, w *run.Writer, i int, row *StepRow) error {
	tag := llm.Tag{Session: row.ID, Purpose: "critic", Repeat: i}
	resp, calls, err := p.ask(ctx, w, row, p.config.Critic, "critic", map[string]any{"Task": p.config.Task, "Solutions": p.config.Solutions}, proposals, tag)
	if err != nil || resp == nil {
		return err
	}
	list, rejected := ReadCritic(resp.Text)
	for k, one := range list {
		one.Seeds = []int{i + 1}
		asked := calls
		if one.Order == Unknown && one.Kind != Nominal && one.Kind != Attribute {
			more, err := p.askOrder(ctx, w, &one, llm.Tag{Session: row.ID, Actor: one.Name, Purpose: "order", Turn: k, Repeat: i})
			if err != nil {
				return err
			}
			asked = slices.Concat(calls, more)
		}
		addCriterion(w, row.ID, "proposed", i+1, one, asked)
	}
	for _, why := range rejected {
		Criteria.Add(w, CriterionRow{Job: row.ID, Stage: "proposed", Seed: i + 1, Reason: w.Clean(why), Calls: llm.IDs(calls)})
	}
	row.Note = fmt.Sprintf("%d criteria, %d rejected", len(list), len(rejected))
	return nil
}

// askOrder asks which value is the best and which the worst, and takes an answer that names the ends of the list.
func (p *Plan) askOrder(ctx context.Context, w *run.Writer, c *Criterion, tag llm.Tag) ([]llm.Call, error) {
	resp, calls, err := p.ask(ctx, w, &StepRow{}, p.config.Critic, "best", map[string]any{"Task": p.config.Task, "Criterion": c}, nil, tag)
	if err != nil || resp == nil {
		return calls, err
	}
	ends := [2]string{fold(c.Values[0]), fold(c.Values[len(c.Values)-1])}
	for _, v := range loose.Find(resp.Text) {
		switch said := [2]string{fold(text(v.Get("best"))), fold(text(v.Get("worst")))}; said {
		case ends:
			slices.Reverse(c.Values)
			c.Order = ByCritic
		case [2]string{ends[1], ends[0]}:
			c.Order = ByCritic
		case [2]string{"none", "none"}:
			c.Kind = Nominal
		}
	}
	return calls, nil
}

// consolidate makes one list of the criteria that the critics proposed.
func (p *Plan) consolidate(ctx context.Context, w *run.Writer, _ int, row *StepRow) error {
	list, _, _, err := readStored(p.env.Dir, p.config)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		row.State, row.Note = run.Failed, "no critic proposed a criterion that could be read"
		return nil
	}
	var calls []llm.Call
	if p.config.Summariser != "" {
		if list, calls, err = p.summarise(ctx, w, row, list); err != nil {
			return err
		}
	}
	alike, more, err := Alike(ctx, p.env, p.config.Embed, list, llm.Tag{Session: row.ID, Purpose: "embed"})
	if err != nil {
		return err
	}
	for _, one := range Consolidate(list, alike, p.config.Tau) {
		addCriterion(w, row.ID, "consolidated", 0, one, append(calls, more...))
	}
	return nil
}

// summarise asks the summariser for one list. Where it gives none, the list is the given one and the note says why:
// similar criteria are then merged without it.
func (p *Plan) summarise(ctx context.Context, w *run.Writer, row *StepRow, proposed []Criterion) ([]Criterion, []llm.Call, error) {
	with, asked := map[string]any{"Task": p.config.Task, "Criteria": proposed}, StepRow{}
	resp, calls, err := p.ask(ctx, w, &asked, p.config.Summariser, "summarise", with, nil, llm.Tag{Session: row.ID, Purpose: "summarise"})
	if err != nil {
		return nil, calls, err
	}
	var list []Criterion
	rejected := []string{asked.Note}
	if resp != nil {
		list, rejected = ReadCritic(resp.Text)
	}
	if len(list) == 0 {
		row.Note = "the summariser gave no criteria: " + strings.Join(rejected, "; ")
		return proposed, calls, nil
	}
	for _, from := range proposed {
		if at := find(list, from.Name); at >= 0 {
			list[at].Seeds = append(list[at].Seeds, from.Seeds...)
		}
	}
	row.Note = fmt.Sprintf("the summariser made %d criteria of %d, and %d were rejected", len(list), len(proposed), len(rejected))
	return list, calls, nil
}
