package script

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/run"
	"parley/eval/stat"
)

// Drawing returns the source of the resamples of a ranking.
func Drawing(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// Data holds the rows of a run as far as results and pages need them.
type Data struct {
	config  *Config
	arms    []string
	tasks   []TaskRow
	topic   map[string]string // by task
	steps   map[[2]string]int // by task and arm; of scripts that are there
	unread  map[string]map[string]int
	written map[string]int
	scores  map[string][]eval.Score // by scorer
}

// ReadData reads a run.
func ReadData(dir string, c *Config) (*Data, error) {
	d := DataOf(nil)
	d.config = c
	for i := range c.Authors {
		d.arms = append(d.arms, c.Authors[i].Name)
		d.unread[c.Authors[i].Name] = map[string]int{}
	}
	for row, err := range Done.Read(dir) {
		if err != nil {
			return nil, err
		}
		row.Task = ""
		d.tasks = append(d.tasks, row)
		d.topic[row.ID] = row.Topic
	}
	for row, err := range Scripts.Read(dir) {
		if err != nil {
			return nil, err
		}
		switch {
		case row.Gold:
		case row.Status == eval.Scored:
			d.steps[[2]string{row.Session, row.Arm}] = len(row.Steps)
			d.written[row.Arm]++
		default:
			d.unread[row.Arm][string(row.Status)+": "+row.Reason]++
		}
	}
	for s, err := range run.Scores.Read(dir) {
		if err != nil {
			return nil, err
		}
		s.Evidence, s.Calls = nil, nil
		d.scores[s.Scorer] = append(d.scores[s.Scorer], s)
	}
	return d, nil
}

// Missing counts the scores of a run that should be there and are not.
func Missing(dir string) (int, error) {
	n := 0
	for s, err := range run.Scores.Read(dir) {
		if err != nil {
			return 0, err
		}
		if s.Value == nil && s.Status != eval.NotApplicable {
			n++
		}
	}
	return n, nil
}

// DataOf gathers scores that come from elsewhere than a run.
func DataOf(scores []eval.Score) *Data {
	d := &Data{
		config: &Config{}, topic: map[string]string{}, steps: map[[2]string]int{}, unread: map[string]map[string]int{},
		written: map[string]int{}, scores: map[string][]eval.Score{},
	}
	for _, s := range scores {
		d.scores[s.Scorer] = append(d.scores[s.Scorer], s)
	}
	return d
}

// metrics lists the metrics of a scorer in the order in which its scores hold them.
func (d *Data) metrics(scorer string) []string {
	var list []string
	for i := range d.scores[scorer] {
		if m := d.scores[scorer][i].Metric; !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

// Scorers returns the scorers that judge by all seven metrics.
func (d *Data) Scorers() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(d.scores)), func(scorer string) bool {
		has := d.metrics(scorer)
		return slices.ContainsFunc(metricNames(), func(m string) bool { return !slices.Contains(has, m) })
	})
}

// Table is a scorer's verdicts, a row for each task and author.
func (d *Data) Table(scorer string) *Table {
	t := &Table{}
	at := map[[2]string]int{}
	for i := range d.scores[scorer] {
		s := &d.scores[scorer][i]
		key := [2]string{s.Session, s.Arm}
		if _, ok := at[key]; !ok {
			at[key] = len(t.Rows)
			t.Rows = append(t.Rows, Row{Arm: s.Arm, Task: s.Session})
		}
		if m := Metric(s.Metric).index(); m >= 0 {
			t.Rows[at[key]].Values[m] = s.Value
		}
	}
	return t
}

// Weights are those that the run was begun with, without the metrics that no agent was there for; nil
// and false where there was none at all.
func (d *Data) Weights(scorer string) (Weights, bool) {
	w := Weights{}
	for _, m := range Metrics() {
		w[m] = 0
	}
	for i := range d.scores[scorer] {
		if s := &d.scores[scorer][i]; s.Status != eval.NotApplicable {
			w[Metric(s.Metric)] = d.config.Weights.Of(Metric(s.Metric))
		}
	}
	return w, w.Validate() == nil
}

// Judged returns the scorers by which authors can be ranked.
func (d *Data) Judged() []string {
	return slices.DeleteFunc(d.Scorers(), func(scorer string) bool {
		_, ok := d.Weights(scorer)
		return !ok
	})
}

// Ranking ranks the authors by a scorer.
func (d *Data) Ranking(scorer string) (*Ranking, error) {
	w, _ := d.Weights(scorer)
	return Rank(d.Table(scorer), w, eval.Confidence, Drawing(d.config.Seed))
}

// results makes the lines of the table.
func (d *Data) results() (results []eval.Result, err error) {
	if d.config.Perturb {
		for _, scorer := range d.Scorers() {
			results = append(results, detections(scorer, Detect(d.scores[scorer], eval.Confidence))...)
		}
	} else if results, err = d.ranks(); err != nil {
		return nil, err
	}
	for _, scorer := range slices.Sorted(maps.Keys(d.scores)) {
		for _, m := range d.metrics(scorer) {
			for _, arm := range d.arms {
				results = append(results, d.mean(scorer, m, arm))
			}
		}
	}
	for _, arm := range d.arms {
		i := stat.Wilson(d.written[arm], len(d.tasks), eval.Confidence)
		results = append(results, eval.Result{
			Scorer: "write", Metric: "scripts", Arm: arm, Value: i.Value, Low: i.Low, High: i.High,
			N: d.written[arm], Of: len(d.tasks), Unit: "tasks", Reason: eval.Tallied(d.unread[arm]),
		})
	}
	return results, nil
}

// mean is the mean of a metric over an author's scripts; of the seven metrics the share that passes.
func (d *Data) mean(scorer, metric, arm string) eval.Result {
	r := eval.Result{Scorer: scorer, Metric: metric, Arm: arm, Unit: "scripts"}
	var values []float64
	passed := 0
	reasons := map[string]int{}
	for i := range d.scores[scorer] {
		s := &d.scores[scorer][i]
		if s.Arm != arm || s.Metric != metric {
			continue
		}
		r.Of++
		if s.Value == nil {
			reasons[string(s.Status)+": "+s.Reason]++
			continue
		}
		values = append(values, *s.Value)
		passed += int(*s.Value)
	}
	r.N = len(values)
	i := stat.Wilson(passed, r.N, eval.Confidence)
	switch {
	case metric == "embed":
		i = within(values, -1, eval.Confidence) // a cosine
	case Metric(metric).index() < 0:
		i = within(values, 0, eval.Confidence)
	}
	r.Value, r.Low, r.High = i.Value, i.Low, i.High
	r.Reason = strings.Trim(i.Reason+"; "+eval.Tallied(reasons), "; ")
	return r
}

// ranks is the ranking by every scorer, the tests between authors, and how methods agree.
func (d *Data) ranks() ([]eval.Result, error) {
	var results []eval.Result
	type method struct {
		name  string
		means map[string]float64 // by author
	}
	var methods []method
	for _, scorer := range d.Judged() {
		g, err := d.Ranking(scorer)
		if err != nil {
			return nil, err
		}
		results = append(results, RankResults(scorer, g)...)
		means := map[string]float64{}
		for _, r := range g.Ranked {
			if r.Score.Value != nil {
				means[r.Arm] = *r.Score.Value
			}
		}
		methods = append(methods, method{scorer, means})
	}
	for _, scorer := range []string{"rouge", "embed"} {
		for _, m := range d.metrics(scorer) {
			means := map[string]float64{}
			for _, arm := range d.arms {
				if r := d.mean(scorer, m, arm); r.Value != nil {
					means[arm] = *r.Value
				}
			}
			methods = append(methods, method{m, means})
		}
	}
	for i, one := range methods {
		for _, other := range methods[i+1:] { // Spearman's correlation of the authors' means
			var x, y []float64
			for _, arm := range d.arms {
				if b, ok := other.means[arm]; ok {
					if a, ok := one.means[arm]; ok {
						x, y = append(x, a), append(y, b)
					}
				}
			}
			c := stat.Spearman(x, y)
			results = append(results, eval.Result{Scorer: "methods", Metric: "rank_correlation", Arm: one.name + " ~ " + other.name,
				Value: c.R.Ptr(), N: c.N, Of: len(d.arms), Unit: "models", Reason: c.R.Reason})
		}
	}
	return results, nil
}
