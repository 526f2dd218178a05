package utility

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/eval/run"
	"parley/eval/stat"
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

// Similarity says how alike two of a list of criteria are, from 0 to 1, by their places.
type Similarity func(i, j int) float64

// Lexical compares criteria by their letters: criteria of one name are the same; else the similarity is Dice's
// coefficient of the sequences of three letters in the words of their names and descriptions.
func Lexical(list []Criterion) Similarity {
	grams := make([]map[string]bool, len(list))
	for i, c := range list {
		grams[i] = map[string]bool{}
		for w := range strings.FieldsSeq(fold(c.Name + " " + c.Description)) {
			r := []rune(" " + w + " ")
			for k := range len(r) - 2 {
				grams[i][string(r[k:k+3])] = true
			}
		}
	}
	return func(i, j int) float64 {
		both := 0.0
		for g := range grams[i] {
			if grams[j][g] {
				both++
			}
		}
		if fold(list[i].Name) == fold(list[j].Name) {
			return 1
		}
		return 2 * both / float64(len(grams[i])+len(grams[j]))
	}
}

// Alike returns the similarity of criteria: by the cosine of the embeddings of their names and descriptions where an
// embedding model is named, which is open, else Lexical.
func Alike(ctx context.Context, env *run.Env, embed string, list []Criterion, tag llm.Tag) (Similarity, []llm.Call, error) {
	if embed == "" {
		return Lexical(list), nil, nil
	}
	var texts []string
	for _, c := range list {
		texts = append(texts, c.Name+": "+c.Description)
	}
	vectors, calls, err := llm.Embed(ctx, env.Embedder(embed), embed, texts, tag, env.Now)
	return func(i, j int) float64 {
		cosine, _ := llm.Cosine(vectors[i], vectors[j]) // 0 for a vector without a length
		return cosine
	}, calls, err
}

// Consolidate merges criteria that are alike, by average linkage: the two groups whose members are most alike on
// average become one, until no average reaches tau. Of each group the member that is most like the others is kept,
// with the names and seeds of all.
func Consolidate(list []Criterion, alike Similarity, tau float64) (out []Criterion) {
	count := map[string]int{} // criteria of one name that are not alike are numbered
	for _, group := range stat.Linkage(len(list), alike, tau) {
		var c Criterion
		var seeds []int
		var names []string
		best := -1.0
		for _, i := range group {
			sum := 0.0
			for _, j := range group {
				sum += alike(i, j)
			}
			if sum > best+1e-12 {
				best, c = sum, list[i]
			}
			seeds = append(seeds, list[i].Seeds...)
			names = append(append(names, list[i].Name), list[i].Names...)
		}
		slices.Sort(seeds)
		slices.Sort(names)
		if c.Seeds, c.Names = slices.Compact(seeds), slices.Compact(names); len(c.Names) == 1 {
			c.Names = nil
		}
		if count[fold(c.Name)]++; count[fold(c.Name)] > 1 {
			c.Name = fmt.Sprintf("%s (%d)", c.Name, count[fold(c.Name)])
		}
		out = append(out, c)
	}
	return out
}

// Grow returns the number of different criteria by number of seeds (figure 4 of the paper), over random choices of so
// many of the seeds that proposed them.
func Grow(consolidated []Criterion, seeds int, r *rand.Rand) []stat.Rarefied {
	kinds := make([][]int, len(consolidated))
	for i, c := range consolidated {
		for _, seed := range c.Seeds {
			kinds[i] = append(kinds[i], seed-1)
		}
	}
	return stat.Rarefaction(kinds, seeds, r)
}
