// Package compare puts the arms of finished runs side by side: what was measured, how sure it is, what it cost
// and how fast it was. Runs are read from their manifests and tables alone.
package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"parley/characters/yamlfile"
	"parley/eval"
	"parley/eval/run"
	"parley/eval/stat"
)

// power is the chance with which a number of items shows a difference.
const power = 0.8

// Report is a comparison. Its JSON form is a documented interface.
type Report struct {
	Headline    string       `json:"headline"` // the metric that arms are ranked by: the first headline, else the first metric
	Baseline    string       `json:"baseline"` // the arm that others are compared with; empty: all pairs are compared
	Arms        []Arm        `json:"arms"`     // best first
	Differences []Difference `json:"differences"`
	Conclusion  string       `json:"conclusion"`
	Notes       []string     `json:"notes"`           // in what the runs differ, and what is missing
	Gates       []Gate       `json:"gates,omitempty"` // what was required

	metrics []eval.Metric
}

// Arm is what is known of an arm. A number that could not be had is nil.
type Arm struct {
	Arm      string   `json:"arm"`
	Run      string   `json:"run"`
	Place    string   `json:"place"` // local or hosted
	Models   []string `json:"models"`
	Sessions int      `json:"sessions"`
	Failed   int      `json:"failed"`
	// Metrics holds values by the name of the metric, with /control behind it for those of a control.
	Metrics map[string]Value `json:"metrics"`

	Cost        *float64 `json:"cost"` // of a session, all its calls together
	CostTotal   *float64 `json:"cost_total"`
	Currency    string   `json:"currency"`
	CostUnknown string   `json:"cost_unknown,omitempty"` // why there is no cost

	// Of the players' models, without waiting at parley's limits and without replies of a cache or a replay.
	SecondsPerTurn    *float64 `json:"seconds_per_turn"` // median
	SecondsPerTurnP95 *float64 `json:"seconds_per_turn_p95"`
	TokensPerSecond   *float64 `json:"tokens_per_second"` // generated; in the time of the whole call where a server does not time generation
	ToFirst           *float64 `json:"seconds_to_first"`  // mean time to the first piece of a streamed reply
	Queue             float64  `json:"queue_seconds"`     // of all calls, at parley's own limits and to ask again
	Service           float64  `json:"service_seconds"`   // of all calls
	Calls             int      `json:"calls"`
	PromptTokens      *int64   `json:"prompt_tokens"`
	CompletionTokens  *int64   `json:"completion_tokens"`
	Truncated         int      `json:"truncated"` // replies of players' models that ran into the limit of tokens

	Moves  int            `json:"moves"` // of players
	Faults map[string]int `json:"faults"`
}

// Value is an estimate with its 95 % interval and its basis.
type Value struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	N     int      `json:"n"`
	Of    int      `json:"of"`
}

// Difference is A minus B.
type Difference struct {
	A      string   `json:"a"`
	B      string   `json:"b"`
	Metric string   `json:"metric"`
	Value  *float64 `json:"value"`
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
	P      *float64 `json:"p"`
	PHolm  *float64 `json:"p_holm"` // corrected for the pairs of the metric
	Pairs  int      `json:"pairs"`  // situations that both played
	// Needed is the number of situations with which a difference of this size is seen 4 times in 5 at a level of
	// 5 %, divided among the pairs of the metric; the fewer pairs told how far situations spread, the more.
	Needed *int   `json:"needed"`
	Reason string `json:"reason,omitempty"` // why value, interval or p-value is missing

	effect *float64
}

// clear reports whether the arms can be told apart.
func (d *Difference) clear() bool {
	return d.PHolm != nil && *d.PHolm < 1-eval.Confidence
}

// assemble makes a report of results and of what is known of each arm.
func assemble(metrics []eval.Metric, results []eval.Result, arms []*Arm, baseline string) (*Report, error) {
	r := &Report{metrics: metrics, Baseline: baseline, Notes: []string{}, Differences: []Difference{}}
	if i := slices.IndexFunc(metrics, func(m eval.Metric) bool { return m.Headline }); len(metrics) > 0 {
		r.Headline = metrics[max(i, 0)].Name
	}
	for i := range results {
		res := &results[i]
		at := slices.IndexFunc(arms, func(a *Arm) bool { return a.Arm == res.Arm })
		if at < 0 {
			continue
		}
		name := res.Metric
		if res.Control != "" {
			name += "/" + res.Control
		}
		arms[at].Metrics[name] = Value{res.Value, res.Low, res.High, res.N, res.Of}
		if res.Metric == r.Headline && res.Control == "" && res.N < res.Of {
			r.Notes = append(r.Notes, fmt.Sprintf("%d of %d scores of %s are missing: %s", res.Of-res.N, res.Of, res.Arm, res.Reason))
		}
	}
	for _, a := range arms {
		r.Arms = append(r.Arms, *a)
	}
	higher := r.metric(r.Headline).Higher
	slices.SortStableFunc(r.Arms, func(a, b Arm) int { return better(a.Metrics[r.Headline].Value, b.Metrics[r.Headline].Value, higher) })
	if baseline != "" && r.find(baseline) < 0 {
		return nil, fmt.Errorf("there is no arm %q to compare with: %ssay one of %s", baseline, yamlfile.DidYouMean(baseline, r.names()), strings.Join(r.names(), ", "))
	}
	for i := range metrics {
		if metrics[i].Paired {
			r.Differences = append(r.Differences, r.pairs(&metrics[i], results)...)
		}
	}
	for _, a := range r.Arms {
		if a.CostUnknown != "" {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: %s", a.Arm, a.CostUnknown))
		}
	}
	r.Conclusion = r.conclude()
	return r, nil
}

// better orders values, the better first; what has no value comes last.
func better(a, b *float64, higher bool) int {
	switch {
	case a == nil || b == nil:
		return btoi(a == nil) - btoi(b == nil)
	case higher:
		return cmp.Compare(*b, *a)
	}
	return cmp.Compare(*a, *b)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (r *Report) metric(name string) eval.Metric {
	for i := range r.metrics {
		if r.metrics[i].Name == name {
			return r.metrics[i]
		}
	}
	return eval.Metric{Name: name}
}

func (r *Report) find(arm string) int {
	return slices.IndexFunc(r.Arms, func(a Arm) bool { return a.Arm == arm })
}

func (r *Report) names() []string {
	var names []string
	for i := range r.Arms {
		names = append(names, r.Arms[i].Arm)
	}
	return names
}

// pairs lists the differences of a metric: of every arm from the baseline, or from each better one.
func (r *Report) pairs(m *eval.Metric, results []eval.Result) []Difference {
	var list []Difference
	for i, b := range r.Arms {
		for k, a := range r.Arms {
			if r.Baseline == "" && k > i || b.Arm == r.Baseline {
				if d, ok := between(a.Arm, b.Arm, m, results); ok {
					list = append(list, d)
				}
			}
		}
	}
	ps := make([]stat.Value, len(list))
	for i := range list {
		if ps[i] = stat.Undefined("no test"); list[i].P != nil {
			ps[i] = stat.Number(*list[i].P)
		}
	}
	level, factor := 1-(1-eval.Confidence)/float64(len(list)), map[int]stat.Value{} // by pairs
	for i, p := range stat.Holm(ps) {
		d := &list[i]
		d.PHolm = p.Ptr()
		if d.effect == nil || *d.effect == 0 {
			continue
		}
		if _, known := factor[d.Pairs]; !known {
			factor[d.Pairs] = stat.Paired.Uncertainty(d.Pairs, power, level)
		}
		n, more := stat.Paired.Sessions(*d.effect, power, level), factor[d.Pairs]
		if n.OK() && more.OK() {
			needed := int(math.Ceil((n.V - 0.5) * more.V)) // n is rounded up already, by 0.5 on average
			d.Needed = &needed
		}
	}
	return list
}

// between returns a less b, whichever way round the results have it.
func between(a, b string, m *eval.Metric, results []eval.Result) (Difference, bool) {
	for i := range results {
		r := &results[i]
		if r.Scorer != m.Scorer || r.Metric != m.Name+"_difference" {
			continue
		}
		d := Difference{A: a, B: b, Metric: m.Name, Value: r.Value, Low: r.Low, High: r.High, P: r.P, Pairs: r.Items, Reason: r.Reason, effect: r.Effect}
		switch r.Arm {
		case a + " - " + b:
			return d, true
		case b + " - " + a:
			d.Value, d.Low, d.High = negated(r.Value), negated(r.High), negated(r.Low)
			return d, true
		}
	}
	return Difference{}, false
}

func negated(v *float64) *float64 {
	if v == nil {
		return nil
	}
	n := 0 - *v
	return &n
}

// detectable returns the least difference that the pairs show 4 times in 5, by the spread between them.
func (d *Difference) detectable(family int) (float64, bool) {
	if d.effect == nil || *d.effect == 0 || d.Value == nil {
		return 0, false
	}
	e := stat.Paired.Detectable(d.Pairs, power, 1-(1-eval.Confidence)/float64(family))
	return e.V * math.Abs(*d.Value / *d.effect), e.OK()
}

// Of compares the arms of one run by its results, which are those of the manifest.
func Of(dir string, m *run.Manifest, metrics []eval.Metric) (*Report, error) {
	s, err := readSource(dir, m)
	if err != nil {
		return nil, err
	}
	return assemble(metrics, m.Results, s.arms, "")
}

// Runs compares the arms of finished runs by the situations that all of them played. Arms are then compared with
// the baseline, or each with each where it is empty. Runs that were judged by different judges, or have no
// situation in common, are refused; in what else they differ is noted.
func Runs(dirs []string, kinds run.Kinds, baseline string) (*Report, error) {
	var sources []*source
	seen := map[string]bool{}
	for _, dir := range dirs {
		m, err := run.ReadManifest(dir)
		if err != nil {
			return nil, err
		}
		if seen[m.ID] {
			return nil, run.Usagef("%s is a run that is compared already (%s)", dir, m.ID)
		}
		seen[m.ID] = true
		if m.State != run.Complete && m.State != run.Failed {
			return nil, fmt.Errorf("%s is %s: finish it with parley resume %s, then compare", dir, m.State, dir)
		}
		s, err := readSource(dir, m)
		if err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	notes, err := check(sources)
	if err != nil {
		return nil, err
	}
	name(sources)
	shared, note, err := match(sources)
	if err != nil {
		return nil, err
	}
	if note != "" {
		notes = append(notes, note)
	}
	var arms []*Arm
	var names []string
	for _, s := range sources {
		for _, a := range s.arms {
			arms, names = append(arms, a), append(names, a.Arm)
		}
	}
	first, err := kinds.Plan(sources[0].dir, sources[0].manifest)
	if err != nil {
		return nil, err
	}
	metrics := append(slices.Clone(first.Metrics()), talkMetrics...)
	sum := eval.NewSummary(metrics, names, nil)
	for _, s := range sources {
		if err := s.score(sum, shared); err != nil {
			return nil, err
		}
	}
	r, err := assemble(metrics, sum.Results(), arms, baseline)
	if err != nil {
		return nil, run.UsageError{Err: err}
	}
	r.Notes = append(notes, r.Notes...)
	return r, nil
}

// name gives arms of different runs different names: those that several runs have are called RUN/ARM.
func name(sources []*source) {
	count, bases := map[string]int{}, map[string]int{}
	for _, s := range sources {
		bases[filepath.Base(s.dir)]++
		for _, a := range s.arms {
			count[a.Arm]++
		}
	}
	for _, s := range sources {
		base := filepath.Base(s.dir)
		if bases[base] > 1 {
			base = s.dir
		}
		for _, a := range s.arms {
			if count[a.Arm] > 1 {
				a.Arm = base + "/" + a.Arm
			}
		}
	}
}

// match returns the situations that every run played.
func match(sources []*source) (shared map[string]bool, note string, err error) {
	count := map[string]int{}
	for _, s := range sources {
		if err := s.readSituations(); err != nil {
			return nil, "", err
		}
		for situation := range s.situations {
			count[situation]++
		}
	}
	all := len(count)
	maps.DeleteFunc(count, func(_ string, n int) bool { return n < len(sources) })
	if len(count) == 0 {
		return nil, "", fmt.Errorf("%s and the others have no situation in common: compare runs with the same scenario, seed, players and files", sources[0].dir)
	}
	shared = map[string]bool{}
	for situation := range count {
		shared[situation] = true
	}
	if len(shared) < all {
		note = fmt.Sprintf("%d of %d situations are in every run; the others are left out", len(shared), all)
	}
	return shared, note, nil
}
