package finetune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Report describes a dataset. Its JSON form is report.json.
type Report struct {
	Task    Task    `json:"task"`
	Read    int     `json:"read"`    // examples that came, those that their sources gave up included
	Kept    int     `json:"kept"`    // of them, in all splits
	Dropped []Count `json:"dropped"` // by reason; with Kept they add up to Read

	By     string             `json:"split_by"`        // group or scenario
	Given  int                `json:"split_by_source"` // examples whose source said their split
	Seed   uint64             `json:"seed"`
	Shares map[Split]float64  `json:"shares"` // that were asked for; they add up to 1
	Splits []SplitReport      `json:"splits"`
	Labels []LabelRow         `json:"labels"` // the most frequent first
	Drift  map[Split]*float64 `json:"drift"`  // of the labels, see Drift; null where a side has no labels

	Groups    int     `json:"groups"`
	Scenarios int     `json:"scenarios"`
	Sources   []Count `json:"sources"` // examples that are kept, the most first
	Models    []Count `json:"models"`

	Tokens   TokenReport `json:"tokens"`
	Scrubbed Scrubs      `json:"scrubbed"` // of the kept examples' messages
	Near     NearReport  `json:"near_duplicates"`
	Leaks    LeakReport  `json:"contamination"`
	Held     int         `json:"holdout"` // examples of evaluation elsewhere that were kept apart
	Warnings []string    `json:"warnings"`
}

// Count is how often something is there.
type Count struct {
	Name string `json:"name"`
	N    int    `json:"n"`
}

// SplitReport describes a split.
type SplitReport struct {
	Split     Split   `json:"split"`
	Examples  int     `json:"examples"`
	Groups    int     `json:"groups"`
	Scenarios int     `json:"scenarios"`
	Unlabeled int     `json:"unlabeled"` // examples without a label
	Lengths   Lengths `json:"lengths"`
	Scrubbed  Scrubs  `json:"scrubbed"`
}

// Lengths are the tokens of the examples of a split.
type Lengths struct {
	All     int64    `json:"all"`     // of all messages; a preference's prompt counts once
	Learned int64    `json:"learned"` // of the messages that are learned
	Mean    float64  `json:"mean"`    // of the longest sequence of each example, and so on
	Median  int      `json:"median"`
	P90     int      `json:"p90"`
	P99     int      `json:"p99"`
	Max     int      `json:"max"`
	Buckets []Bucket `json:"histogram"`
}

// Bucket is how many examples have at most so many tokens, and more than the bucket before it.
type Bucket struct {
	UpTo int `json:"up_to"`
	N    int `json:"n"`
}

// TokenReport says how tokens were counted, and what a trainer has to be told.
type TokenReport struct {
	Counter string `json:"counter"`
	Exact   bool   `json:"exact"`
	Trainer string `json:"trainer,omitempty"`
	Limit   int    `json:"limit"` // 0 is none
	Longest int    `json:"longest"`
	Length  int    `json:"length"`            // to train with: what recipe and formats say as well
	Setting string `json:"setting,omitempty"` // such as "max_length: 1088"
}

// LabelRow is a label in the splits. An example may have several.
type LabelRow struct {
	Label  string            `json:"label"`
	N      map[Split]int     `json:"n"`
	Shares map[Split]float64 `json:"shares"` // of the split's examples
}

// NearReport says how near duplicates were found.
type NearReport struct {
	Words     int     `json:"words"`
	Bands     int     `json:"bands"`
	Rows      int     `json:"rows"`
	Threshold float64 `json:"threshold"` // of the estimated Jaccard similarity
}

// LeakReport says how contamination was found.
type LeakReport struct {
	Words    int     `json:"words"`
	Formulas int     `json:"formulas"`        // passages that so many groups have that they are no leak
	Shown    []Count `json:"shown,omitempty"` // those of the most groups, with at least how many
}

// sum fills the report.
func (b *builder) sum(context.Context) error {
	r := b.report
	r.Task, r.By, r.Seed = b.o.Task, cmp.Or(b.o.By, "group"), b.o.Seed
	r.Near = NearReport{nearWords, nearBands, nearRows, minNear}
	r.Leaks.Words = leakWords
	sources, models := map[string]int{}, map[string]int{}
	for i := range b.entries {
		if e := &b.entries[i]; e.kept() {
			r.Kept++
			sources[e.x.Source]++
			models[e.x.Model]++
		}
	}
	r.Dropped, r.Sources, r.Models = b.reasons(), counts(sources), counts(models)
	if r.Kept == 0 {
		return b.nothing()
	}
	total := b.o.Shares[0] + b.o.Shares[1] + b.o.Shares[2]
	r.Shares = map[Split]float64{Train: 1, Validation: 0, Test: 0}
	for s, name := range Splits() {
		if total > 0 {
			r.Shares[name] = b.o.Shares[s] / total
		}
		part := b.split(name)
		r.Splits = append(r.Splits, part)
		r.Groups += part.Groups
		r.Scrubbed.add(part.Scrubbed)
		r.Tokens.Longest = max(r.Tokens.Longest, part.Lengths.Max)
	}
	r.Scenarios = b.distinct(func(x *Example) string { return x.Scenario }, Splits()...)
	r.Tokens.Counter, r.Tokens.Exact, r.Tokens.Limit, r.Tokens.Trainer = b.o.Counter.Name, b.o.Counter.Exact, b.o.MaxTokens, b.o.Trainer
	r.Tokens.Length = Length(r.Tokens.Longest, r.Tokens.Exact)
	if t, err := LookupTrainer(b.o.Trainer); err == nil {
		r.Tokens.Setting = t.Setting(r.Tokens.Longest, b.o.Counter.Exact)
	}
	b.labels()
	b.warn()
	if r.Splits[0].Examples == 0 {
		return fmt.Errorf("no example is left for train: all %d that remain belong to %s, which the seed puts into evaluation; build with --split 100/0/0, another --seed or more data",
			r.Kept, Plural(r.Groups, "group"))
	}
	return nil
}

// reasons counts the dropped examples by reason, undecided pairs by why they are.
func (b *builder) reasons() []Count {
	n := map[string]int{}
	for i := range b.gone {
		name := string(b.gone[i].Reason)
		if b.gone[i].Reason == Undecided {
			name += ": " + b.gone[i].Detail
		}
		n[name]++
	}
	for i := range b.entries {
		if why := b.entries[i].why; why != nil {
			n[string(why.Reason)]++
		}
	}
	return counts(n)
}

// nothing is the error of a dataset without examples.
func (b *builder) nothing() error {
	if b.report.Read == 0 {
		return errors.New("there are no examples to build a dataset of; see whether the sources hold play for the task and whether the filters let it pass")
	}
	var why []string
	for _, c := range b.reasons() {
		why = append(why, fmt.Sprintf("%d %s", c.N, c.Name))
	}
	var lengths []int
	for i := range b.entries {
		if e := &b.entries[i]; !e.kept() && e.why.Reason == TooLong {
			lengths = append(lengths, e.tokens.Length)
		}
	}
	hint := ""
	if len(lengths) > 0 {
		most := slices.Max(lengths)
		hint = fmt.Sprintf("; those too long have %d to %d tokens%s: --max-tokens %d keeps all of them", slices.Min(lengths), most, b.about(), most)
		if t, err := LookupTrainer(b.o.Trainer); err == nil && t.Key != "" {
			hint += fmt.Sprintf(", and %s has to be told %s", t.Name, t.Setting(most, b.o.Counter.Exact))
		}
	}
	return fmt.Errorf("no example is left of %d: %s%s", b.report.Read, strings.Join(why, ", "), hint)
}

// counts are the numbers of a map, the largest first.
func counts(of map[string]int) []Count {
	list := make([]Count, 0, len(of))
	for name, n := range of {
		list = append(list, Count{name, n})
	}
	slices.SortFunc(list, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// distinct counts the different names, the empty one excepted, of the kept examples of some splits.
func (b *builder) distinct(of func(*Example) string, in ...Split) int {
	all := map[string]bool{}
	for i := range b.entries {
		if e := &b.entries[i]; e.kept() && slices.Contains(in, e.x.Split) && of(&e.x) != "" {
			all[of(&e.x)] = true
		}
	}
	return len(all)
}

// split reports on a split.
func (b *builder) split(name Split) SplitReport {
	r := SplitReport{Split: name}
	var lengths []int
	sum := 0.0
	for i := range b.entries {
		e := &b.entries[i]
		if !e.kept() || e.x.Split != name {
			continue
		}
		r.Examples++
		r.Lengths.All += int64(e.tokens.All)
		r.Lengths.Learned += int64(e.tokens.Learned)
		lengths = append(lengths, e.tokens.Length)
		sum += float64(e.tokens.Length)
		if len(e.x.Labels) == 0 {
			r.Unlabeled++
		}
		r.Scrubbed.add(e.scrubs)
	}
	r.Groups = b.distinct(func(x *Example) string { return x.Group }, name)
	r.Scenarios = b.distinct(func(x *Example) string { return x.Scenario }, name)
	if r.Lengths.Buckets = []Bucket{}; len(lengths) == 0 {
		return r
	}
	slices.Sort(lengths)
	at := func(q float64) int { return lengths[max(0, int(math.Ceil(q*float64(len(lengths))))-1)] }
	r.Lengths.Mean = sum / float64(len(lengths))
	r.Lengths.Median, r.Lengths.P90, r.Lengths.P99, r.Lengths.Max = at(0.5), at(0.9), at(0.99), at(1)
	for up, from := 64, 0; from < len(lengths); up *= 2 {
		to, _ := slices.BinarySearch(lengths, up+1)
		if to > from || len(r.Lengths.Buckets) > 0 {
			r.Lengths.Buckets = append(r.Lengths.Buckets, Bucket{UpTo: up, N: to - from})
		}
		from = to
	}
	return r
}

// labels fills the table of labels and their drift.
func (b *builder) labels() {
	r := b.report
	rows, all := map[string]map[Split]int{}, map[string]int{}
	for i := range b.entries {
		e := &b.entries[i]
		if !e.kept() {
			continue
		}
		for _, label := range unique(slices.Clone(e.x.Labels)) {
			if rows[label] == nil {
				rows[label] = map[Split]int{Train: 0, Validation: 0, Test: 0}
			}
			rows[label][e.x.Split]++
			all[label]++
		}
	}
	columns := map[Split][]int{}
	r.Labels = []LabelRow{}
	for _, c := range counts(all) {
		row := LabelRow{Label: c.Name, N: rows[c.Name], Shares: map[Split]float64{}}
		for _, s := range r.Splits {
			columns[s.Split] = append(columns[s.Split], row.N[s.Split])
			if s.Examples > 0 {
				row.Shares[s.Split] = float64(row.N[s.Split]) / float64(s.Examples)
			}
		}
		r.Labels = append(r.Labels, row)
	}
	r.Drift = map[Split]*float64{}
	for _, name := range Splits()[1:] {
		r.Drift[name] = nil
		if d := Drift(columns[Train], columns[name]); !math.IsNaN(d) {
			r.Drift[name] = &d
		}
	}
}

// Drift is the Jensen-Shannon divergence of two distributions, given as counts of the same things, in
// bits: 0 where they are the same, 1 where they have nothing in common, NaN where one is empty.
func Drift(a, b []int) float64 {
	total := func(list []int) (sum float64) {
		for _, n := range list {
			sum += float64(n)
		}
		return sum
	}
	na, nb := total(a), total(b)
	if na == 0 || nb == 0 {
		return math.NaN()
	}
	d := 0.0
	part := func(p, m float64) {
		if p > 0 {
			d += p * math.Log2(p/m) / 2
		}
	}
	for i := range a {
		p, q := float64(a[i])/na, float64(b[i])/nb
		part(p, (p+q)/2)
		part(q, (p+q)/2)
	}
	return min(max(d, 0), 1)
}
