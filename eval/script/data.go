package script

import (
	"fmt"
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

// Data is what a run found, as far as results and pages need it.
type Data struct {
	config   *Config
	arms     []string
	tasks    []TaskRow
	topic    map[string]string // by task
	steps    map[[2]string]int // by task and arm; of scripts that are there
	unread   map[string]map[string]int
	written  map[string]int
	findings map[string][]Finding       // by scorer
	scores   map[[2]string][]eval.Score // by scorer and metric, of the baselines
	keys     [][2]string                // of scores, in the order in which they came
}

// ReadData reads a run.
func ReadData(dir string, c *Config) (*Data, error) {
	d := &Data{
		config: c, topic: map[string]string{}, steps: map[[2]string]int{}, unread: map[string]map[string]int{},
		written: map[string]int{}, findings: map[string][]Finding{}, scores: map[[2]string][]eval.Score{},
	}
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
	for f, err := range Findings.Read(dir) {
		if err != nil {
			return nil, err
		}
		f.Explain, f.Missing, f.Calls = "", nil, nil
		d.findings[f.Scorer] = append(d.findings[f.Scorer], f)
	}
	for s, err := range run.Scores.Read(dir) {
		if err != nil {
			return nil, err
		}
		if s.Scorer == Scorer || s.Scorer == SingleScorer {
			continue
		}
		key := [2]string{s.Scorer, s.Metric}
		if d.scores[key] == nil {
			d.keys = append(d.keys, key)
		}
		s.Evidence, s.Calls = nil, nil
		d.scores[key] = append(d.scores[key], s)
	}
	return d, nil
}

// DataOf gathers verdicts that come from elsewhere than a run.
func DataOf(verdicts []Finding) *Data {
	d := &Data{findings: map[string][]Finding{}}
	for _, v := range verdicts {
		d.findings[v.Scorer] = append(d.findings[v.Scorer], v)
	}
	return d
}

// Scorers returns the scorers that gave verdicts.
func (d *Data) Scorers() []string { return slices.Sorted(maps.Keys(d.findings)) }

// Table is a scorer's verdicts, a row for each task and author.
func (d *Data) Table(scorer string) *Table {
	t := &Table{}
	at := map[[2]string]int{}
	for i := range d.findings[scorer] {
		f := &d.findings[scorer][i]
		key := [2]string{f.Session, f.Arm}
		if _, ok := at[key]; !ok {
			at[key] = len(t.Rows)
			t.Rows = append(t.Rows, Row{Arm: f.Arm, Task: f.Session})
		}
		t.Rows[at[key]].Values[slices.Index(Metrics(), f.Metric)] = f.Value
	}
	return t
}

// Weights are those that the run was begun with, without the metrics that no agent was there for; nil
// and false where there was none at all.
func (d *Data) Weights(scorer string) (Weights, bool) {
	w := Weights{}
	asked := map[Metric]bool{}
	for i := range d.findings[scorer] {
		if f := &d.findings[scorer][i]; f.Status != eval.NotApplicable {
			asked[f.Metric] = true
		}
	}
	for _, m := range Metrics() {
		if w[m] = d.config.Weights.Of(m); !asked[m] {
			w[m] = 0
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
func (d *Data) results() ([]eval.Result, error) {
	var results []eval.Result
	if d.config.Perturb {
		results = d.detections()
	} else {
		ranks, err := d.ranks()
		if err != nil {
			return nil, err
		}
		results = append(results, ranks...)
	}
	for _, scorer := range d.Scorers() {
		for _, arm := range d.arms {
			for _, m := range Metrics() {
				results = append(results, share(scorer, string(m), arm, d.findings[scorer], m))
			}
		}
	}
	for _, key := range d.keys {
		for _, arm := range d.arms {
			results = append(results, baseline(key, arm, d.scores[key]))
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

// share is how many scripts of an author pass a metric, of those that were judged.
func share(scorer, name, arm string, findings []Finding, m Metric) eval.Result {
	passed, n, of := 0, 0, 0
	reasons := map[string]int{}
	for i := range findings {
		f := &findings[i]
		if f.Arm != arm || f.Metric != m {
			continue
		}
		of++
		if f.Value == nil {
			reasons[string(f.Status)+": "+f.Reason]++
			continue
		}
		n++
		if *f.Value == 1 {
			passed++
		}
	}
	i := stat.Wilson(passed, n, eval.Confidence)
	r := eval.Result{Scorer: scorer, Metric: name, Arm: arm, Value: i.Value, Low: i.Low, High: i.High, N: n, Of: of, Unit: "scripts", Reason: i.Reason}
	if len(reasons) > 0 {
		r.Reason = strings.TrimPrefix(r.Reason+"; "+eval.Tallied(reasons), "; ")
	}
	return r
}

// baseline is the mean of a baseline over an author's scripts.
func baseline(key [2]string, arm string, scores []eval.Score) eval.Result {
	var values []float64
	of := 0
	reasons := map[string]int{}
	for i := range scores {
		if scores[i].Arm != arm {
			continue
		}
		of++
		if scores[i].Value == nil {
			reasons[string(scores[i].Status)+": "+scores[i].Reason]++
			continue
		}
		values = append(values, *scores[i].Value)
	}
	low := 0.0
	if key[1] == "embed" {
		low = -1 // a cosine
	}
	i := within(values, low, eval.Confidence)
	if key[1] == string(NoDuplicate) {
		sum := 0
		for _, v := range values {
			sum += int(v)
		}
		i = stat.Wilson(sum, len(values), eval.Confidence)
	}
	r := eval.Result{Scorer: key[0], Metric: key[1], Arm: arm, Value: i.Value, Low: i.Low, High: i.High, N: len(values), Of: of, Unit: "scripts", Reason: i.Reason}
	if len(reasons) > 0 {
		r.Reason = strings.TrimPrefix(r.Reason+"; "+eval.Tallied(reasons), "; ")
	}
	return r
}

// ranks is the ranking by every scorer, the tests between authors, and how methods agree.
func (d *Data) ranks() ([]eval.Result, error) {
	var results []eval.Result
	for _, scorer := range d.Judged() {
		g, err := d.Ranking(scorer)
		if err != nil {
			return nil, err
		}
		results = append(results, RankResults(scorer, g)...)
	}
	return append(results, d.methods()...), nil
}

// RankResults are the lines of a ranking: place and score of each author, then the tests.
func RankResults(scorer string, g *Ranking) []eval.Result {
	var results []eval.Result
	for _, r := range g.Ranked {
		place := eval.Result{Scorer: scorer, Metric: "rank", Arm: r.Arm, N: r.N, Of: r.Of, Unit: "tasks"}
		if r.Rank > 0 {
			v := float64(r.Rank)
			place.Value = &v
			if r.Best > 0 {
				low, high := float64(r.Best), float64(r.Worst)
				place.Low, place.High = &low, &high
			}
			if len(r.Tied) > 0 {
				place.Reason = fmt.Sprintf("=%d: cannot be told apart from %s", r.Rank, strings.Join(r.Tied, ", "))
			}
		} else {
			place.Reason = r.Score.Reason
		}
		results = append(results, place)
	}
	for _, r := range g.Ranked {
		score := eval.Result{
			Scorer: scorer, Metric: "score", Arm: r.Arm, Value: r.Score.Value, Low: r.Score.Low, High: r.Score.High,
			N: r.N, Of: r.Of, Unit: "tasks", Reason: r.Score.Reason,
		}
		if r.N < r.Of {
			score.Reason = strings.TrimPrefix(fmt.Sprintf("%s; over all tasks between %.4f and %.4f", score.Reason, r.Least, r.Most), "; ")
		}
		results = append(results, score)
	}
	for _, p := range g.Pairs {
		results = append(results, eval.Result{
			Scorer: scorer, Metric: "difference", Arm: p.A + " - " + p.B, Value: p.Diff.Value, Low: p.Diff.Low, High: p.Diff.High,
			N: p.N, Of: g.Of, Unit: "tasks", Reason: fmt.Sprintf("Wilcoxon p %s, by Holm %s", short(p.P), short(p.Holm)),
		})
	}
	return results
}

func short(v stat.Value) string {
	if !v.OK() {
		return "undefined (" + v.Reason + ")"
	}
	return fmt.Sprintf("%.3g", v.V)
}

// methods is how the methods' rankings of the authors go together (Spearman's correlation of the
// authors' means).
func (d *Data) methods() []eval.Result {
	type method struct {
		name  string
		means map[string]float64
	}
	var list []method
	for _, scorer := range d.Judged() {
		g, err := d.Ranking(scorer)
		if err != nil {
			continue
		}
		m := method{scorer, map[string]float64{}}
		for _, r := range g.Ranked {
			if r.Score.Value != nil {
				m.means[r.Arm] = *r.Score.Value
			}
		}
		list = append(list, m)
	}
	for _, key := range d.keys {
		if key[0] == "text" {
			continue
		}
		m := method{key[1], map[string]float64{}}
		for _, arm := range d.arms {
			if r := baseline(key, arm, d.scores[key]); r.Value != nil {
				m.means[arm] = *r.Value
			}
		}
		list = append(list, m)
	}
	var results []eval.Result
	for i := range list {
		for _, other := range list[i+1:] {
			var x, y []float64
			for _, arm := range d.arms {
				a, one := list[i].means[arm]
				b, two := other.means[arm]
				if one && two {
					x, y = append(x, a), append(y, b)
				}
			}
			c := stat.Spearman(x, y)
			r := eval.Result{Scorer: "methods", Metric: "rank_correlation", Arm: list[i].name + " ~ " + other.name, Value: c.R.Ptr(), N: c.N, Of: len(d.arms), Unit: "models", Reason: c.R.Reason}
			results = append(results, r)
		}
	}
	return results
}

// detections are the lines of a perturbation test.
func (d *Data) detections() []eval.Result {
	var results []eval.Result
	for _, scorer := range d.Scorers() {
		for _, one := range Detect(d.findings[scorer], eval.Confidence) {
			r := eval.Result{
				Scorer: scorer, Metric: "detected", Arm: string(one.Fault), Value: one.Seen.Value, Low: one.Seen.Low, High: one.Seen.High,
				N: one.N, Of: one.Of, Unit: "scripts", Reason: one.Seen.Reason,
			}
			if len(one.Unjudged) > 0 {
				r.Reason = strings.TrimPrefix(r.Reason+"; "+eval.Tallied(one.Unjudged), "; ")
			}
			alarms := eval.Result{
				Scorer: scorer, Metric: "false_alarms", Arm: string(one.Fault), Value: one.Alarms.Value, Low: one.Alarms.Low, High: one.Alarms.High,
				N: one.Alarms.N, Of: len(d.tasks), Unit: "intact scripts", Reason: one.Alarms.Reason,
			}
			results = append(results, r, alarms)
		}
	}
	return results
}

// Missing counts verdicts that should be there and are not.
func Missing(results []eval.Result) (n, of int) {
	for i := range results {
		r := &results[i]
		if Metric(r.Metric).Title() == "" && !strings.HasPrefix(r.Metric, "rouge") && r.Metric != "embed" || strings.Contains(r.Reason, "is the critic agent") ||
			strings.Contains(r.Reason, "is the execute agent") || strings.Contains(r.Reason, "is the commonsense agent") {
			continue
		}
		n, of = n+r.Of-r.N, of+r.Of
	}
	return n, of
}
