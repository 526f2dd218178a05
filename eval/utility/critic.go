package utility

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"

	"parley/eval/judge"
	"parley/eval/run"
	"parley/sim/llm"
	"parley/sim/llm/loose"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = judge.Prompts(promptFiles)

// seedOf mixes a seed of its own from that of the run and what it is for.
func seedOf(seed uint64, purpose string, numbers ...int) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, seed, purpose, numbers)
	return h.Sum64()
}

// criterionRow is the row of a criterion of a stage of the work.
func criterionRow(job, stage string, seed int, c Criterion, calls []llm.Call) CriterionRow {
	whole, err := json.Marshal(c)
	if err != nil {
		panic(err) // it has strings and numbers only
	}
	return CriterionRow{Job: job, Stage: stage, Seed: seed, Name: c.Name, Criterion: string(whole), Calls: idsOf(calls)}
}

// decodeRows returns the criteria of a stage of the work.
func decodeRows(rows []CriterionRow, stage string) ([]Criterion, error) {
	var list []Criterion
	for _, r := range rows {
		if r.Stage != stage || r.Criterion == "" {
			continue
		}
		var c Criterion
		if err := json.Unmarshal([]byte(r.Criterion), &c); err != nil {
			return nil, fmt.Errorf("criterion %q of %s: %w", r.Name, r.Job, err)
		}
		list = append(list, c)
	}
	return list, nil
}

// pool returns the criteria of the first round: given, or consolidated.
func pool(c *Config, rows []CriterionRow) ([]Criterion, error) {
	if c.Critic == "" {
		return Leaves(c.Criteria), nil
	}
	list, err := decodeRows(rows, "consolidated")
	return Leaves(list), err
}

// propose asks a critic for criteria, and for the order of values that do not tell it.
func (p *Plan) propose(ctx context.Context, w *run.Writer, seed int, row *StepRow) error {
	c := p.config
	tag := llm.Tag{Session: row.ID, Purpose: "critic", Repeat: seed - 1}
	resp, calls, err := p.ask(ctx, w, c.Critic, "critic", map[string]any{"Task": c.Task, "Solutions": c.Solutions}, nil, tag, seedOf(c.Seed, "critic", seed))
	if err != nil {
		return err
	}
	if resp == nil {
		row.State, row.Note = run.Failed, calls[len(calls)-1].Error
		return nil
	}
	list, rejected, err := ReadCritic(resp.Text)
	if err != nil && len(rejected) == 0 {
		rejected = []string{err.Error()}
	}
	for i, one := range list {
		one.Seeds = []int{seed}
		asked := slices.Clone(calls)
		if one.Order == Unknown && one.Kind != Nominal && one.Kind != Attribute {
			more, err := p.askOrder(ctx, w, &one, llm.Tag{Session: row.ID, Actor: one.Name, Purpose: "order", Turn: i, Repeat: seed - 1})
			if err != nil {
				return err
			}
			asked = append(asked, more...)
		}
		Criteria.Add(w, criterionRow(row.ID, "proposed", seed, one, asked))
	}
	for _, why := range rejected {
		Criteria.Add(w, CriterionRow{Job: row.ID, Stage: "proposed", Seed: seed, Reason: w.Clean(why), Calls: idsOf(calls)})
	}
	row.Note = fmt.Sprintf("%d criteria, %d rejected", len(list), len(rejected))
	return nil
}

// askOrder asks which value is the best and which the worst, and takes an answer that names the ends of the list.
func (p *Plan) askOrder(ctx context.Context, w *run.Writer, c *Criterion, tag llm.Tag) ([]llm.Call, error) {
	with := map[string]any{"Task": p.config.Task, "Criterion": c}
	resp, calls, err := p.ask(ctx, w, p.config.Critic, "best", with, nil, tag, seedOf(p.config.Seed, "order "+c.Name, tag.Repeat))
	if err != nil || resp == nil {
		return calls, err
	}
	for _, v := range loose.Find(resp.Text) {
		best, worst := fold(text(under(&v, []string{"best"}))), fold(text(under(&v, []string{"worst"})))
		first, last := fold(c.Values[0]), fold(c.Values[len(c.Values)-1])
		switch {
		case best == first && worst == last:
			slices.Reverse(c.Values)
			c.Order = ByCritic
		case best == last && worst == first:
			c.Order = ByCritic
		case best == "none" && worst == "none":
			c.Kind = Nominal
		}
	}
	return calls, nil
}

// consolidate makes one list of the criteria that the critics proposed.
func (p *Plan) consolidate(ctx context.Context, w *run.Writer, row *StepRow) error {
	c := p.config
	rows, err := Criteria.All(p.env.Dir)
	if err != nil {
		return err
	}
	proposed, err := decodeRows(rows, "proposed")
	if err != nil {
		return err
	}
	if len(proposed) == 0 {
		row.State, row.Note = run.Failed, "no critic proposed a criterion that could be read"
		return nil
	}
	var calls []llm.Call
	if c.Summariser != "" {
		if proposed, calls, row.Note, err = p.summarise(ctx, w, row.ID, proposed); err != nil {
			return err
		}
	}
	alike, more, err := Alike(ctx, p.env, c.Embed, proposed, llm.Tag{Session: row.ID, Purpose: "embed"})
	if err != nil {
		return err
	}
	calls = append(calls, more...)
	for _, one := range Consolidate(proposed, alike, c.Tau) {
		Criteria.Add(w, criterionRow(row.ID, "consolidated", 0, one, calls))
	}
	return nil
}

// summarise asks the summariser for one list. Where its reply cannot be read, the list is the given one and the note
// says why: similar criteria are then merged without it.
func (p *Plan) summarise(ctx context.Context, w *run.Writer, id string, proposed []Criterion) (list []Criterion, calls []llm.Call, note string, err error) {
	c := p.config
	with := map[string]any{"Task": c.Task, "Criteria": proposed}
	resp, calls, err := p.ask(ctx, w, c.Summariser, "summarise", with, nil, llm.Tag{Session: id, Purpose: "summarise"}, seedOf(c.Seed, "summarise"))
	if err != nil {
		return nil, calls, "", err
	}
	if resp == nil {
		return proposed, calls, "the summariser did not answer: " + calls[len(calls)-1].Error, nil
	}
	list, rejected, err := ReadCritic(resp.Text)
	if err != nil {
		return proposed, calls, "the summariser's reply cannot be read: " + err.Error(), nil
	}
	for i := range list { // who proposed one of the same name
		for _, from := range proposed {
			if fold(from.Name) == fold(list[i].Name) {
				list[i].Seeds = append(list[i].Seeds, from.Seeds...)
			}
		}
	}
	return list, calls, fmt.Sprintf("the summariser made %d criteria of %d, and %d were rejected", len(list), len(proposed), len(rejected)), nil
}
