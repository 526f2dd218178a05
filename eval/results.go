package eval

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"parley/eval/stat"
)

// Confidence is the level of every interval.
const Confidence = 0.95

// Summary gathers the scores of a run and makes its results. It keeps a number and two short texts a
// score.
type Summary struct {
	metrics []Metric
	arms    []string
	cells   map[cellKey]*cell
	shown   func(*Score) bool
}

// cellKey names the scores that become one result.
type cellKey struct {
	scorer, metric, arm, control string
	turn                         int
}

// cell holds the scores of one metric of one arm under one control at one turn.
type cell struct {
	key     cellKey
	scores  map[[2]string]value // by item and subject
	order   [][2]string
	reasons map[string]int // why scores are missing or not applicable, and remarks
}

// empty reports whether all scores are not applicable.
func (c *cell) empty() bool { return len(c.order) == 0 }

// value is a score, or its absence.
type value struct {
	v      float64
	weight int
	scored bool
}

// NewSummary starts to gather the scores of a run with these arms, in the order in which they are
// listed. Shown, which may be nil, says which scores count: a run that was scored again also keeps the
// scores of earlier judges.
func NewSummary(metrics []Metric, arms []string, shown func(*Score) bool) *Summary {
	return &Summary{metrics: metrics, arms: arms, cells: map[cellKey]*cell{}, shown: shown}
}

// Add takes in one score.
func (s *Summary) Add(score *Score) {
	if s.shown != nil && !s.shown(score) {
		return
	}
	key := cellKey{score.Scorer, score.Metric, score.Arm, score.Control, score.Turn}
	c := s.cells[key]
	if c == nil {
		c = &cell{key: key, scores: map[[2]string]value{}, reasons: map[string]int{}}
		s.cells[key] = c
	}
	if score.Status == NotApplicable { // in no number, but said
		c.reasons[strings.TrimSuffix(string(score.Status)+": "+score.Reason, ": ")]++
		return
	}
	at := [2]string{score.Item, score.Subject}
	if _, twice := c.scores[at]; !twice {
		c.order = append(c.order, at)
	}
	v := value{weight: max(1, score.Weight)}
	if score.Value != nil {
		v.v, v.scored = *score.Value, true
	}
	if score.Reason != "" || !v.scored {
		reason := score.Reason
		if !v.scored {
			reason = strings.TrimSuffix(string(score.Status)+": "+reason, ": ")
		}
		c.reasons[reason]++
	}
	c.scores[at] = v
}

// Results returns one result for each metric, arm, control and turn, headlines first, then the paired
// differences between all arms with p-values corrected by Holm's method, over all pairs and metrics together.
func (s *Summary) Results() []Result {
	place := map[string]int{}
	for i, arm := range s.arms {
		place[arm] = i
	}
	cells := slices.DeleteFunc(slices.Collect(maps.Values(s.cells)), (*cell).empty)
	slices.SortFunc(cells, func(a, b *cell) int {
		return cmp.Or(cmp.Compare(s.rank(a), s.rank(b)), cmp.Compare(place[a.key.arm], place[b.key.arm]), cmp.Compare(a.key.arm, b.key.arm),
			cmp.Compare(a.key.control, b.key.control), cmp.Compare(a.key.turn, b.key.turn))
	})
	results := []Result{}
	for _, c := range cells {
		m := s.metric(c)
		results = append(results, c.result(&m))
	}
	return append(results, s.differences(cells)...)
}

// rank sorts headlines first, then by the place in the list of metrics, and by name behind them.
func (s *Summary) rank(c *cell) string {
	i := slices.IndexFunc(s.metrics, func(m Metric) bool { return m.Scorer == c.key.scorer && m.Name == c.key.metric })
	if i < 0 {
		i = len(s.metrics)
	}
	return fmt.Sprintf("%t %06d %s %s", !s.metric(c).Headline, i, c.key.scorer, c.key.metric)
}

func (s *Summary) metric(c *cell) Metric { return Find(s.metrics, c.key.scorer, c.key.metric) }

// name is the metric as tables have it: recall@10 is recall after ten turns.
func (k cellKey) name() string {
	if k.turn > 0 {
		return fmt.Sprintf("%s@%d", k.metric, k.turn)
	}
	return k.metric
}

// result is the mean of the scores that are there, each as often as its weight says. Scores of one item
// go together, so its interval comes from the spread between items.
func (c *cell) result(m *Metric) Result {
	r := Result{
		Scorer: c.key.scorer, Metric: c.key.name(), Arm: c.key.arm, Control: c.key.control,
		Unit: cmp.Or(m.Unit, "scores"), Reason: Tallied(c.reasons),
	}
	byItem := map[string][]float64{}
	var items []string
	sum := 0.0
	for _, at := range c.order {
		v := c.scores[at]
		r.Of += v.weight
		if !v.scored {
			continue
		}
		r.N += v.weight
		sum += v.v * float64(v.weight)
		if byItem[at[0]] == nil {
			items = append(items, at[0])
		}
		byItem[at[0]] = append(byItem[at[0]], slices.Repeat([]float64{v.v}, v.weight)...)
	}
	i := interval(byItem, items, m)
	r.Value, r.Low, r.High = i.Value, i.Low, i.High
	r.Reason = strings.Trim(i.Reason+"; "+r.Reason, "; ")
	if missing := float64(r.Of - r.N); missing > 0 && m.Bounded() {
		worst, best := m.Low, m.High
		if !m.Higher {
			worst, best = best, worst
		}
		least, most := (sum+missing*worst)/float64(r.Of), (sum+missing*best)/float64(r.Of)
		r.Least, r.Most = &least, &most
	}
	return r
}

// interval is the mean of all values with an interval that takes the values of an item as one cluster. On a
// scale with ends it is honest there: values that are all alike still leave it a width.
func interval(byItem map[string][]float64, items []string, m *Metric) stat.Interval {
	clusters := make([][]float64, len(items))
	for i, item := range items {
		clusters[i] = byItem[item]
	}
	if m.Bounded() {
		return stat.BoundedInterval(clusters, m.Low, m.High, Confidence)
	}
	return stat.MeanInterval(clusters, Confidence)
}

// differences compares all pairs of arms in each paired metric: the mean over items of the mean
// difference of the subjects that both arms have a score of. A score that one of them does not have is in no
// difference, but in its bounds.
func (s *Summary) differences(cells []*cell) []Result {
	var results []Result
	var ps []stat.Value
	for _, b := range cells {
		m := s.metric(b)
		if !m.Paired || b.key.control != "" || b.key.turn > 0 {
			continue
		}
		for _, arm := range s.arms {
			if arm == b.key.arm {
				break // each pair once, the earlier arm subtracted
			}
			key := b.key
			key.arm = arm
			a := s.cells[key]
			if a == nil || a.empty() {
				continue
			}
			r, p := difference(a, b, &m)
			results, ps = append(results, r), append(ps, p)
		}
	}
	for i, p := range stat.Holm(ps) {
		results[i].P, results[i].PHolm = ps[i].Ptr(), p.Ptr()
	}
	return results
}

// difference returns b - a, with the p-value of a paired t test over items, or of an exact sign test where the
// differences of all items are the same.
func difference(a, b *cell, m *Metric) (Result, stat.Value) {
	r := Result{Scorer: b.key.scorer, Metric: b.key.metric + "_difference", Arm: b.key.arm + " - " + a.key.arm,
		Unit: "pairs of " + cmp.Or(m.Unit, "scores"),
	}
	sums, counts := map[string]float64{}, map[string]int{}
	var items []string // of either arm
	least, most := 0.0, 0.0
	all := slices.Concat(a.order, b.order)
	seen := map[[2]string]bool{}
	for _, at := range all {
		if seen[at] {
			continue
		}
		seen[at] = true
		if _, known := counts[at[0]]; !known {
			counts[at[0]] = 0
			items = append(items, at[0])
		}
		va, vb := a.scores[at], b.scores[at]
		if va.scored && vb.scored {
			sums[at[0]] += vb.v - va.v
			counts[at[0]]++
			r.N++
		}
		lowA, highA := m.extremes(va)
		lowB, highB := m.extremes(vb)
		least, most, r.Of = least+lowB-highA, most+highB-lowA, r.Of+1
	}
	slices.Sort(items)
	var diffs []float64
	var groups [][]float64
	for _, item := range items {
		if counts[item] > 0 {
			diffs = append(diffs, sums[item]/float64(counts[item]))
			groups = append(groups, diffs[len(diffs)-1:])
		}
	}
	zero := make([]float64, len(diffs))
	i, test := stat.MeanInterval(groups, Confidence), stat.PairedT(diffs, zero, Confidence, stat.TwoSided)
	if i.Low == nil && len(diffs) > 1 && m.Bounded() {
		unseen := 1 - math.Pow(1-Confidence, 1/float64(len(diffs)))
		low, high := *i.Value+unseen*(m.Low-m.High-*i.Value), *i.Value+unseen*(m.High-m.Low-*i.Value)
		i.Low, i.High, i.Reason = &low, &high, "the same in all items: the interval holds what this many items cannot exclude"
		test.P = stat.SignTest(diffs, zero, stat.TwoSided).P
	}
	if room := m.High - m.Low; i.Low != nil && m.Bounded() {
		*i.Low, *i.High = max(-room, *i.Low), min(room, *i.High)
	}
	r.Value, r.Low, r.High, r.Reason, r.Items = i.Value, i.Low, i.High, i.Reason, len(diffs)
	if t := test.Statistic; t.OK() {
		effect := t.V / math.Sqrt(float64(len(diffs)))
		r.Effect = &effect
	}
	if r.N < r.Of && m.Bounded() {
		least, most = least/float64(r.Of), most/float64(r.Of)
		r.Least, r.Most = &least, &most
	}
	return r, test.P
}

// extremes returns the least and greatest number that a score can stand for.
func (m *Metric) extremes(v value) (low, high float64) {
	if v.scored {
		return v.v, v.v
	}
	return m.Low, m.High
}

// Tallied lists reasons with their counts, the most frequent first, five at most.
func Tallied(reasons map[string]int) string {
	keys := slices.SortedFunc(maps.Keys(reasons), func(a, b string) int { return cmp.Or(reasons[b]-reasons[a], cmp.Compare(a, b)) })
	var parts []string
	for i, k := range keys {
		if i == 5 {
			parts = append(parts, fmt.Sprintf("and %d other reasons", len(keys)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%d x %s", reasons[k], k))
	}
	return strings.Join(parts, "; ")
}
