package script

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/report/view"
	"parley/eval/stat"
)

// Ranked is an author in a ranking.
type Ranked struct {
	Arm  string
	Rank int      // from 1; those of a tie group share the first of their places
	Tied []string // the other members of the tie group
	// Score is the mean over the common tasks of the weighted mean of the metrics, unrounded, from 0
	// to 1, with its interval over tasks where there are several.
	Score stat.Interval
	// Best and Worst are the ends of the bootstrap interval of the rank over tasks; 0: there is none.
	Best, Worst int
	// Least and Most bound the mean over all tasks: whatever is unscored taken as bad, and as good.
	Least, Most float64
	N, Of       int // common tasks, tasks of the author
}

// Pair compares two authors over their common tasks.
type Pair struct {
	A, B string
	Diff stat.Interval // mean of A's scores less B's
	P    stat.Value    // Wilcoxon's signed ranks
	Holm stat.Value    // adjusted for all pairs of the ranking
	N    int
}

// Ranking is authors in order, best first.
type Ranking struct {
	Ranked []Ranked
	Pairs  []Pair // empty without tasks
	Common int    // tasks on which all metrics with a weight are scored for all authors
	Of     int
	Sigma  float64 // what scores have to differ by to count as different
}

// Rank ranks the authors of a table by the mean of their scores over the tasks that are wholly scored
// for all of them. Equal scores share a place (1, 2, 2, 4). So do scores of a rounded table that lie
// closer together than three standard deviations of what rounding alone does to their difference:
// each number is off by up to half its unit, evenly, so that a difference of weighted means has the
// variance 2 u^2/12 sum(w^2)/sum(w)^2.
func Rank(t *Table, w Weights, level float64, r *rand.Rand) (*Ranking, error) {
	if err := w.Validate(); err != nil {
		return nil, err
	}
	var arms, tasks []string
	rows := map[[2]string]*Row{}
	for i := range t.Rows {
		row := &t.Rows[i]
		if _, known := rows[[2]string{row.Arm, row.Task}]; known {
			return nil, fmt.Errorf("%s has two rows for task %q", row.Arm, row.Task)
		}
		rows[[2]string{row.Arm, row.Task}] = row
		tasks = append(tasks, row.Task)
		if !slices.Contains(arms, row.Arm) {
			arms = append(arms, row.Arm)
		}
	}
	slices.Sort(tasks)
	tasks = slices.Compact(tasks)
	var common []string
	for _, task := range tasks {
		if !slices.ContainsFunc(arms, func(arm string) bool {
			row := rows[[2]string{arm, task}]
			return row == nil || !row.Whole(w)
		}) {
			common = append(common, task)
		}
	}
	g := &Ranking{Common: len(common), Of: len(tasks), Sigma: max(1e-12, sigma(t.Unit, w)/math.Sqrt(float64(max(1, len(common)))))}
	scores := map[string][]float64{}
	for _, arm := range arms {
		one := Ranked{Arm: arm, N: len(common), Of: len(tasks)}
		for _, task := range tasks {
			row := rows[[2]string{arm, task}]
			if row == nil {
				row = &Row{}
			}
			one.Least += row.score(w, 0) / float64(len(tasks))
			one.Most += row.score(w, 1) / float64(len(tasks))
		}
		for _, task := range common {
			scores[arm] = append(scores[arm], rows[[2]string{arm, task}].score(w, 0))
		}
		if one.Score = within(scores[arm], 0, level); len(common) == 0 {
			one.Score.Reason = "no task is wholly scored for all authors"
		}
		g.Ranked = append(g.Ranked, one)
	}
	g.place()
	if len(common) > 1 {
		g.resample(scores, level, r)
		g.compare(scores, level)
	}
	return g, nil
}

// sigma is three standard deviations of a difference of two rows that rounding alone makes.
func sigma(unit float64, w Weights) float64 {
	sum, squares := 0.0, 0.0
	for _, m := range Metrics() {
		sum, squares = sum+w.Of(m), squares+w.Of(m)*w.Of(m)
	}
	return 3 * unit * math.Sqrt(squares/6) / sum
}

// within returns the mean of values between low and 1, with an interval that stays there.
func within(xs []float64, low, level float64) stat.Interval {
	alone := make([][]float64, len(xs))
	for i := range xs {
		alone[i] = xs[i : i+1]
	}
	return stat.BoundedInterval(alone, low, 1, level)
}

// place sorts the authors and gives them their places; without common tasks there are none.
func (g *Ranking) place() {
	if g.Common == 0 {
		slices.SortFunc(g.Ranked, func(a, b Ranked) int { return cmp.Compare(a.Arm, b.Arm) })
		return
	}
	slices.SortFunc(g.Ranked, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(*b.Score.Value, *a.Score.Value), cmp.Compare(a.Arm, b.Arm))
	})
	for i := 0; i < len(g.Ranked); {
		end := i + 1
		for end < len(g.Ranked) && *g.Ranked[i].Score.Value-*g.Ranked[end].Score.Value <= g.Sigma {
			end++
		}
		for at := i; at < end; at++ {
			g.Ranked[at].Rank = i + 1
			for other := i; other < end; other++ {
				if other != at {
					g.Ranked[at].Tied = append(g.Ranked[at].Tied, g.Ranked[other].Arm)
				}
			}
		}
		i = end
	}
}

// resample finds the interval of each author's place: the common tasks are drawn with replacement, for all authors
// at once. A place that is the same in all draws is certain as far as these tasks tell.
func (g *Ranking) resample(scores map[string][]float64, level float64, r *rand.Rand) {
	for a := range g.Ranked {
		one := &g.Ranked[a]
		i := stat.Bootstrap{Level: level, Rand: r}.Interval(stat.Items(g.Common), func(rows []int) stat.Value {
			better := 0
			own := total(scores[one.Arm], rows)
			for b := range g.Ranked {
				if b != a && total(scores[g.Ranked[b].Arm], rows) > own+1e-9 {
					better++
				}
			}
			return stat.Number(float64(better + 1))
		})
		if one.Best, one.Worst = int(*i.Value), int(*i.Value); i.Low != nil {
			one.Best, one.Worst = max(1, int(math.Floor(*i.Low))), min(len(g.Ranked), int(math.Ceil(*i.High)))
		}
	}
}

func total(xs []float64, rows []int) (sum float64) {
	for _, at := range rows {
		sum += xs[at]
	}
	return sum
}

// compare tests every pair.
func (g *Ranking) compare(scores map[string][]float64, level float64) {
	var ps []stat.Value
	for i := range g.Ranked {
		for j := i + 1; j < len(g.Ranked); j++ {
			a, b := g.Ranked[i].Arm, g.Ranked[j].Arm
			p := Pair{A: a, B: b, N: g.Common}
			p.Diff = stat.PairedT(scores[a], scores[b], level, stat.TwoSided).Diff
			if p.Diff.Low != nil {
				p.Diff.Low, p.Diff.High = new(max(-1, *p.Diff.Low)), new(min(1, *p.Diff.High))
			}
			p.P = stat.Wilcoxon(scores[a], scores[b], stat.RankZeros, stat.Auto, stat.TwoSided).P
			ps = append(ps, p.P)
			g.Pairs = append(g.Pairs, p)
		}
	}
	for i, p := range stat.Holm(ps) {
		g.Pairs[i].Holm = p
	}
}

// RankResults are the lines of a ranking: place and score of each author, then the tests.
func RankResults(scorer string, g *Ranking) []eval.Result {
	var places, scores, tests []eval.Result
	for _, r := range g.Ranked {
		place := eval.Result{Scorer: scorer, Metric: "rank", Arm: r.Arm, N: r.N, Of: r.Of, Unit: "tasks", Reason: r.Score.Reason}
		if r.Rank > 0 {
			place.Value, place.Reason = new(float64(r.Rank)), ""
			if r.Best > 0 {
				place.Low, place.High = new(float64(r.Best)), new(float64(r.Worst))
			}
			if len(r.Tied) > 0 {
				place.Reason = fmt.Sprintf("=%d: cannot be told apart from %s", r.Rank, strings.Join(r.Tied, ", "))
			}
		}
		places = append(places, place)
		scores = append(scores, eval.Result{
			Scorer: scorer, Metric: "score", Arm: r.Arm, Value: r.Score.Value, Low: r.Score.Low, High: r.Score.High,
			N: r.N, Of: r.Of, Unit: "tasks", Reason: strings.Trim(r.Score.Reason+"; "+r.bounds(), "; "),
		})
	}
	for _, p := range g.Pairs {
		tests = append(tests, eval.Result{
			Scorer: scorer, Metric: "difference", Arm: p.A + " - " + p.B, Value: p.Diff.Value, Low: p.Diff.Low, High: p.Diff.High,
			N: p.N, Of: g.Of, Unit: "tasks", Reason: fmt.Sprintf("Wilcoxon p %s, by Holm %s", short(p.P), short(p.Holm)),
		})
	}
	return slices.Concat(places, scores, tests)
}

// bounds says what the score over all tasks may be, where some are not wholly scored.
func (r *Ranked) bounds() string {
	if r.N == r.Of {
		return ""
	}
	return fmt.Sprintf("over all tasks between %.4f and %.4f", r.Least, r.Most)
}

// Tables returns the ranking and the tests between authors as tables.
func (g *Ranking) Tables() (ranks, tests *view.Table) {
	ranks = &view.Table{
		Caption: fmt.Sprintf("Over the %d of %d tasks that are wholly scored for all authors. Scores have 95 %% intervals over tasks, ranks from a bootstrap over tasks.", g.Common, g.Of),
		Head:    view.Columns("#Rank", "Model", "#Score", "#95 % interval", "#Ranks", "#N", "Note"),
	}
	for _, r := range g.Ranked {
		rank, score, places, note := "–", "unscored", "–", r.Score.Reason
		if r.Rank > 0 {
			rank, score, note = fmt.Sprint(r.Rank), fmt.Sprintf("%.4f", *r.Score.Value), ""
			if len(r.Tied) > 0 {
				rank = "=" + rank
			}
		}
		if r.Best > 0 {
			places = fmt.Sprintf("%d to %d", r.Best, r.Worst)
		}
		ranks.Add(rank, r.Arm, score, spread(r.Score), places, fmt.Sprintf("%d of %d", r.N, r.Of), strings.Trim(note+"; "+r.bounds(), "; "))
	}
	tests = &view.Table{Caption: "Paired differences (t interval), Wilcoxon's signed ranks, adjusted by Holm.",
		Head: view.Columns("Difference", "#Value", "#95 % interval", "#p", "#p by Holm")}
	for _, p := range g.Pairs {
		value := "undefined"
		if p.Diff.Value != nil {
			value = fmt.Sprintf("%.4f", *p.Diff.Value)
		}
		tests.Add(p.A+" − "+p.B, value, spread(p.Diff), short(p.P), short(p.Holm))
	}
	return ranks, tests
}

func spread(i stat.Interval) string {
	if i.Low == nil || i.High == nil {
		return "–"
	}
	return fmt.Sprintf("%.4f to %.4f", *i.Low, *i.High)
}

func short(v stat.Value) string {
	if !v.OK() {
		return "undefined (" + v.Reason + ")"
	}
	return fmt.Sprintf("%.3g", v.V)
}
