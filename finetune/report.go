package finetune

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Report is what is known of a dataset. Its JSON form is report.json.
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

// SplitReport is what is known of a split.
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

// names gives each of a few different strings a number.
type names struct {
	ids  map[string]uint32
	list []string
}

func newNames() *names { return &names{ids: make(map[string]uint32)} }

func (n *names) id(name string) uint32 {
	id, ok := n.ids[name]
	if !ok {
		id = uint32(len(n.list))
		name = strings.Clone(name)
		n.ids[name] = id
		n.list = append(n.list, name)
	}
	return id
}

// labelMark stands between the labels of an example.
const labelMark = "\x1f"

// sum fills the report.
func (b *builder) sum() error {
	r := b.report
	r.Task, r.By, r.Seed = b.o.Task, cmp.Or(b.o.By, "group"), b.o.Seed
	r.Near = NearReport{nearWords, nearBands, nearRows, nearLeast}
	r.Leaks.Words = leakWords
	reasons := maps.Clone(b.reasons)
	sources, models := map[string]int{}, map[string]int{}
	for i := range b.entries {
		e := &b.entries[i]
		if e.fate != kept {
			reasons[fates[e.fate]]++
			continue
		}
		r.Kept++
		sources[b.names.list[e.source]]++
		models[b.names.list[e.model]]++
	}
	byReason := make(map[string]int, len(reasons))
	for reason, n := range reasons {
		byReason[string(reason)] = n
	}
	r.Dropped, r.Sources, r.Models = counts(byReason), counts(sources), counts(models)
	if r.Kept == 0 {
		return b.nothing()
	}
	total := b.o.Shares[0] + b.o.Shares[1] + b.o.Shares[2]
	r.Shares = map[Split]float64{Train: 1, Validation: 0, Test: 0}
	for s, name := range Splits() {
		if total > 0 {
			r.Shares[name] = b.o.Shares[s] / total
		}
		part := b.split(uint8(s), name)
		r.Splits = append(r.Splits, part)
		r.Groups += part.Groups
		r.Scrubbed.add(part.Scrubbed)
		r.Tokens.Longest = max(r.Tokens.Longest, part.Lengths.Max)
	}
	r.Scenarios = b.distinct(func(e *entry) uint64 { return e.scenario }, func(e *entry) bool { return true })
	r.Tokens.Counter, r.Tokens.Exact, r.Tokens.Limit, r.Tokens.Trainer = b.o.Counter.Name, b.o.Counter.Exact, b.o.MaxTokens, b.o.Trainer
	if t, err := LookupTrainer(b.o.Trainer); err == nil {
		r.Tokens.Setting = t.Setting(r.Tokens.Longest, b.o.Counter.Exact)
	}
	b.labels()
	b.warn()
	if r.Splits[0].Examples == 0 {
		return fmt.Errorf("no example is left for train: all %d that remain belong to %s, which the seed puts into evaluation; build with --split 100/0/0, another --seed or more data",
			r.Kept, plural(r.Groups, "group"))
	}
	return nil
}

// nothing is the error of a dataset without examples.
func (b *builder) nothing() error {
	r := b.report
	if r.Read == 0 {
		return errors.New("there are no examples to build a dataset of; see whether the sources hold play for the task and whether the filters let it pass")
	}
	if len(r.Dropped) == 0 {
		byReason := map[string]int{}
		for reason, n := range b.reasons {
			byReason[string(reason)] = n
		}
		r.Dropped = counts(byReason)
	}
	var why []string
	for _, c := range r.Dropped {
		why = append(why, fmt.Sprintf("%d %s", c.N, c.Name))
	}
	hint := ""
	least, most := uint32(math.MaxUint32), uint32(0)
	for i := range b.entries {
		if e := &b.entries[i]; e.fate == tooLong {
			least, most = min(least, e.length), max(most, e.length)
		}
	}
	if most > 0 {
		hint = fmt.Sprintf("; those too long have %d to %d tokens%s: --max-tokens %d keeps all of them", least, most, b.about(), most)
		if t, err := LookupTrainer(b.o.Trainer); err == nil && t.Key != "" {
			hint += fmt.Sprintf(", and %s has to be told %s", t.Name, t.Setting(int(most), b.o.Counter.Exact))
		}
	}
	return fmt.Errorf("no example is left of %d: %s%s", r.Read, strings.Join(why, ", "), hint)
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

// distinct counts the different names, 0 excepted, of the kept entries that are wanted.
func (b *builder) distinct(of func(*entry) uint64, want func(*entry) bool) int {
	all := make([]uint64, 0, len(b.entries))
	for i := range b.entries {
		if e := &b.entries[i]; e.fate == kept && want(e) && of(e) != 0 {
			all = append(all, of(e))
		}
	}
	slices.Sort(all)
	return len(slices.Compact(all))
}

// split reports on a split.
func (b *builder) split(s uint8, name Split) SplitReport {
	r := SplitReport{Split: name}
	var lengths []int
	in := func(e *entry) bool { return e.split == s }
	sum := 0.0
	for i := range b.entries {
		e := &b.entries[i]
		if e.fate != kept || e.split != s {
			continue
		}
		r.Examples++
		r.Lengths.All += int64(e.all)
		r.Lengths.Learned += int64(e.learned)
		lengths = append(lengths, int(e.length))
		sum += float64(e.length)
		if b.names.list[e.labels] == "" {
			r.Unlabeled++
		}
	}
	r.Groups = b.distinct(func(e *entry) uint64 { return e.group }, in)
	r.Scenarios = b.distinct(func(e *entry) uint64 { return e.scenario }, in)
	for _, x := range b.scrubbed {
		if e := &b.entries[x.index]; e.fate == kept && e.split == s {
			r.Scrubbed.add(x.counts)
		}
	}
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
	sets := map[uint32]*[3]int{}
	for i := range b.entries {
		if e := &b.entries[i]; e.fate == kept {
			if sets[e.labels] == nil {
				sets[e.labels] = new([3]int)
			}
			sets[e.labels][e.split]++
		}
	}
	rows := map[string]*[3]int{}
	for set, n := range sets {
		if b.names.list[set] == "" {
			continue
		}
		labels := strings.Split(b.names.list[set], labelMark)
		slices.Sort(labels)
		for _, label := range slices.Compact(labels) {
			if rows[label] == nil {
				rows[label] = new([3]int)
			}
			for s := range n {
				rows[label][s] += n[s]
			}
		}
	}
	order := map[string]int{}
	var columns [3][]int
	for label, n := range rows {
		order[label] = n[0] + n[1] + n[2]
	}
	r.Labels = []LabelRow{}
	for _, c := range counts(order) {
		row := LabelRow{Label: c.Name, N: map[Split]int{}, Shares: map[Split]float64{}}
		for s, name := range Splits() {
			n := rows[c.Name][s]
			columns[s] = append(columns[s], n)
			row.N[name] = n
			if r.Splits[s].Examples > 0 {
				row.Shares[name] = float64(n) / float64(r.Splits[s].Examples)
			}
		}
		r.Labels = append(r.Labels, row)
	}
	r.Drift = map[Split]*float64{}
	for s, name := range Splits() {
		if s > 0 {
			r.Drift[name] = nil
			if d := Drift(columns[0], columns[s]); !math.IsNaN(d) {
				r.Drift[name] = &d
			}
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
