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

// proposals is the form of a critic's reply, for servers that hold a model to one.
var proposals = json.RawMessage(`{"type": "object", "required": ["criteria"], "additionalProperties": false, "properties": {"criteria":
	{"type": "array", "minItems": 4, "maxItems": 20, "items":
	{"type": "object", "required": ["name", "description", "accepted_values"], "additionalProperties": false, "properties":
	{"name": {"type": "string", "maxLength": 60}, "description": {"type": "string", "maxLength": 300},
	"accepted_values": {"type": "array", "minItems": 2, "maxItems": 5, "items": {"type": "string", "maxLength": 60}}}}}}}`)

// seedOf mixes a seed of its own from that of the run and what it is for.
func seedOf(seed uint64, purpose ...any) uint64 {
	h := fnv.New64a()
	fmt.Fprintln(h, append([]any{seed}, purpose...)...)
	return h.Sum64()
}

// addCriterion adds the row of a criterion that was proposed by the critic of a seed, or consolidated.
func addCriterion(w *run.Writer, job, stage string, seed int, c Criterion, calls []llm.Call) {
	whole, err := json.Marshal(c)
	if err != nil {
		panic(err) // it has strings and numbers only
	}
	Criteria.Add(w, CriterionRow{Job: job, Stage: stage, Seed: seed, Name: c.Name, Criterion: string(whole), Calls: idsOf(calls)})
}

// readStored reads the criteria of a run: those that were proposed, those of the first round, which were given or
// consolidated, and why others could not be read.
func readStored(dir string, c *Config) (proposed, pool []Criterion, rejected []string, err error) {
	for r, err := range Criteria.Sorted(dir) {
		var one Criterion
		switch {
		case err != nil:
			return nil, nil, nil, err
		case r.Criterion == "":
			rejected = append(rejected, r.Reason)
			continue
		}
		if err := json.Unmarshal([]byte(r.Criterion), &one); err != nil {
			return nil, nil, nil, fmt.Errorf("criterion %q of %s: %w", r.Name, r.Job, err)
		}
		if r.Stage == "proposed" {
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
	c, seed := p.config, i+1
	tag := llm.Tag{Session: row.ID, Purpose: "critic", Repeat: i}
	resp, calls, err := p.ask(ctx, w, c.Critic, "critic", map[string]any{"Task": c.Task, "Solutions": c.Solutions}, proposals, tag)
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
	for k, one := range list {
		one.Seeds = []int{seed}
		asked := slices.Clone(calls)
		if one.Order == Unknown && one.Kind != Nominal && one.Kind != Attribute {
			more, err := p.askOrder(ctx, w, &one, llm.Tag{Session: row.ID, Actor: one.Name, Purpose: "order", Turn: k, Repeat: i})
			if err != nil {
				return err
			}
			asked = append(asked, more...)
		}
		addCriterion(w, row.ID, "proposed", seed, one, asked)
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
	resp, calls, err := p.ask(ctx, w, p.config.Critic, "best", with, nil, tag)
	if err != nil || resp == nil {
		return calls, err
	}
	_, answer, _ := llm.SplitReasoning(resp.Text)
	for _, v := range loose.Find(answer) {
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
func (p *Plan) consolidate(ctx context.Context, w *run.Writer, _ int, row *StepRow) error {
	c := p.config
	proposed, _, _, err := readStored(p.env.Dir, c)
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
	for _, one := range Consolidate(proposed, alike, c.Tau) {
		addCriterion(w, row.ID, "consolidated", 0, one, append(calls, more...))
	}
	return nil
}

// summarise asks the summariser for one list. Where its reply cannot be read, the list is the given one and the note
// says why: similar criteria are then merged without it.
func (p *Plan) summarise(ctx context.Context, w *run.Writer, id string, proposed []Criterion) (list []Criterion, calls []llm.Call, note string, err error) {
	c := p.config
	with := map[string]any{"Task": c.Task, "Criteria": proposed}
	resp, calls, err := p.ask(ctx, w, c.Summariser, "summarise", with, nil, llm.Tag{Session: id, Purpose: "summarise"})
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
	for i := range list { // seeds of those that proposed one of the same name
		for _, from := range proposed {
			if fold(from.Name) == fold(list[i].Name) {
				list[i].Seeds = append(list[i].Seeds, from.Seeds...)
			}
		}
	}
	return list, calls, fmt.Sprintf("the summariser made %d criteria of %d, and %d were rejected", len(list), len(proposed), len(rejected)), nil
}
