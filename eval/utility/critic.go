package utility

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"text/template"

	"parley/eval/judge"
	"parley/eval/run"
	"parley/sim/llm"
	"parley/sim/llm/loose"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// prompts are the templates by name. Foreign texts stand in {{quote}}.
var prompts = template.Must(template.New("").Option("missingkey=error").
	Funcs(template.FuncMap{"quote": func(string) string { return "" }}).ParseFS(promptFiles, "prompts/*.tmpl"))

// promptHashes returns the SHA-256 of each prompt by name.
func promptHashes() map[string]string {
	hashes := map[string]string{}
	for _, name := range []string{"critic", "best", "quantify", "summarise"} {
		text, err := promptFiles.ReadFile("prompts/" + name + ".tmpl")
		if err != nil {
			panic(err)
		}
		hashes["utility/"+name] = fmt.Sprintf("%x", sha256.Sum256(text))
	}
	return hashes
}

// render fills in a prompt. Foreign texts are quoted in it with fences that follow from the seed.
func render(name string, seed uint64, with any) (string, error) {
	t, err := prompts.Clone()
	if err != nil {
		return "", fmt.Errorf("prompt %s: %w", name, err)
	}
	t.Funcs(template.FuncMap{"quote": func(text string) string { return judge.Quote(text, seed) }})
	var b strings.Builder
	if err := t.ExecuteTemplate(&b, name+".tmpl", with); err != nil {
		return "", fmt.Errorf("prompt %s: %w", name, err)
	}
	return strings.TrimSpace(b.String()), nil
}

// seedOf mixes a seed of its own from that of the run and what it is for.
func seedOf(seed uint64, purpose string, numbers ...int) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, seed, purpose, numbers)
	return h.Sum64()
}

// propose asks a critic for criteria, and for the order of values that do not tell it.
func (p *Plan) propose(ctx context.Context, w *run.Writer, id string, seed int, row *StepRow) error {
	c := p.config
	tag := llm.Tag{Session: id, Purpose: "critic", Repeat: seed - 1}
	resp, calls, err := p.ask(ctx, c.Critic, "critic", map[string]any{"Task": c.Task, "Solutions": c.Solutions}, nil, tag, seedOf(c.Seed, "critic", seed))
	if err != nil {
		return err
	}
	w.Step()
	if resp == nil {
		row.State, row.Note = run.Failed, calls[len(calls)-1].Error
		return nil
	}
	var rows []CriterionRow
	list, rejected, err := ReadCritic(resp.Text)
	if err != nil && len(rejected) == 0 {
		rejected = []string{err.Error()}
	}
	for i := range list {
		list[i].Seeds = []int{seed}
		asked := slices.Clone(calls)
		if list[i].Order == Unknown && list[i].Kind != Nominal && list[i].Kind != Attribute {
			more, err := p.askOrder(ctx, w, &list[i], llm.Tag{Session: id, Actor: list[i].Name, Purpose: "order", Turn: i, Repeat: seed - 1})
			if err != nil {
				return err
			}
			asked = append(asked, more...)
		}
		rows = append(rows, criterionRow(id, "proposed", seed, list[i], asked))
	}
	for _, why := range rejected {
		rows = append(rows, CriterionRow{Job: id, Stage: "proposed", Seed: seed, Reason: why, Calls: idsOf(calls)})
	}
	row.Note = fmt.Sprintf("%d criteria, %d rejected", len(list), len(rejected))
	p.keepCriteria(w, id, rows)
	return nil
}

func criterionRow(job, stage string, seed int, c Criterion, calls []llm.Call) CriterionRow {
	whole, err := json.Marshal(c)
	if err != nil {
		panic(err) // it has strings and numbers only
	}
	return CriterionRow{Job: job, Stage: stage, Seed: seed, Name: c.Name, Criterion: string(whole), Calls: idsOf(calls)}
}

// askOrder asks which value is the best and which the worst, and takes an answer that names the ends of the list.
func (p *Plan) askOrder(ctx context.Context, w *run.Writer, c *Criterion, tag llm.Tag) ([]llm.Call, error) {
	with := map[string]any{"Task": p.config.Task, "Criterion": c}
	resp, calls, err := p.ask(ctx, p.config.Critic, "best", with, nil, tag, seedOf(p.config.Seed, "order "+c.Name, tag.Repeat))
	if err != nil || resp == nil {
		return calls, err
	}
	w.Step()
	for _, v := range loose.Find(resp.Text) {
		bestText, worstText := fold(text(under(&v, []string{"best"}))), fold(text(under(&v, []string{"worst"})))
		best, isBest := match(bestText, c)
		worst, isWorst := match(worstText, c)
		if !isBest && !isWorst && bestText == "none" && worstText == "none" {
			c.Kind = Nominal
		}
		first, last := c.Values[0], c.Values[len(c.Values)-1]
		if best == first && worst == last {
			slices.Reverse(c.Values)
			first, last = last, first
		}
		if best == last && worst == first {
			c.Order = ByCritic
		}
	}
	return calls, nil
}

// consolidate makes one list of the criteria that the critics proposed.
func (p *Plan) consolidate(ctx context.Context, w *run.Writer, id string, row *StepRow) error {
	c := p.config
	p.mu.Lock()
	proposed, err := decodeRows(flat(p.criteria), "proposed")
	p.mu.Unlock()
	if err != nil {
		return err
	}
	if len(proposed) == 0 {
		row.State, row.Note = run.Failed, "no critic proposed a criterion that could be read"
		return nil
	}
	var calls []llm.Call
	if c.Summariser != "" {
		if proposed, calls, row.Note, err = p.summarise(ctx, w, id, proposed); err != nil {
			return err
		}
	}
	alike := Lexical(proposed)
	if c.Embed != "" {
		vectors, more, err := llm.Embed(ctx, p.env.Embedder(c.Embed), c.Embed, Described(proposed), llm.Tag{Session: id, Purpose: "embed"}, p.env.Now)
		if calls = append(calls, more...); err != nil {
			return err
		}
		alike = Embedded(vectors)
	}
	var rows []CriterionRow
	for _, one := range Consolidate(proposed, alike, c.Tau) {
		rows = append(rows, criterionRow(id, "consolidated", 0, one, calls))
	}
	p.keepCriteria(w, id, rows)
	return nil
}

// summarise asks the summariser for one list. Where its reply cannot be read, the list is the given one and the note
// says why: similar criteria are then merged without it.
func (p *Plan) summarise(ctx context.Context, w *run.Writer, id string, proposed []Criterion) (list []Criterion, calls []llm.Call, note string, err error) {
	c := p.config
	with := map[string]any{"Task": c.Task, "Criteria": proposed}
	resp, calls, err := p.ask(ctx, c.Summariser, "summarise", with, nil, llm.Tag{Session: id, Purpose: "summarise"}, seedOf(c.Seed, "summarise"))
	if err != nil {
		return nil, calls, "", err
	}
	w.Step()
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
