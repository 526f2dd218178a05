package script

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"parley/eval/stat"
)

// Ranked is an author in a ranking.
type Ranked struct {
	Arm  string
	Rank int      // from 1; those of a tie group share the first of their places
	Tied []string // the other members of the tie group
	// Score is the mean over the common tasks of the weighted mean of the metrics, unrounded, from 0
	// to 1, with its bootstrap interval over tasks where there are several.
	Score stat.Interval
	// Best and Worst are the ends of the interval of the rank over the same resamples; 0: there is
	// none.
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
		if !slices.Contains(arms, row.Arm) {
			arms = append(arms, row.Arm)
		}
		if _, known := rows[[2]string{row.Arm, row.Task}]; known {
			return nil, fmt.Errorf("%s has two rows for task %q", row.Arm, row.Task)
		}
		rows[[2]string{row.Arm, row.Task}] = row
	}
	seen := map[string]bool{}
	for i := range t.Rows {
		if task := t.Rows[i].Task; !seen[task] {
			seen[task] = true
			tasks = append(tasks, task)
		}
	}
	sort.Strings(tasks)
	var common []string
	for _, task := range tasks {
		if !slices.ContainsFunc(arms, func(arm string) bool {
			row := rows[[2]string{arm, task}]
			return row == nil || !row.Whole(w)
		}) {
			common = append(common, task)
		}
	}
	out := &Ranking{Common: len(common), Of: len(tasks), Sigma: max(1e-12, sigma(t.Unit, w)/math.Sqrt(float64(max(1, len(common)))))}
	scores := map[string][]float64{}
	for _, arm := range arms {
		one := Ranked{Arm: arm, N: len(common)}
		var least, most []float64
		for _, task := range tasks {
			row := rows[[2]string{arm, task}]
			if row == nil {
				row = &Row{}
			}
			one.Of++
			least, most = append(least, row.score(w, 0)), append(most, row.score(w, 1))
		}
		one.Least, one.Most = mean(least), mean(most)
		for _, task := range common {
			scores[arm] = append(scores[arm], rows[[2]string{arm, task}].score(w, 0))
		}
		one.Score = within(scores[arm], 0, level)
		if len(common) == 0 {
			one.Score.Reason = "no task is wholly scored for all authors"
		}
		out.Ranked = append(out.Ranked, one)
	}
	out.place()
	if len(common) > 1 {
		out.resample(scores, level, r)
		out.compare(scores, level)
	}
	return out, nil
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

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(max(1, len(xs)))
}

// place sorts the authors and gives them their places. Who has no score comes last, without one.
func (g *Ranking) place() {
	slices.SortStableFunc(g.Ranked, func(a, b Ranked) int {
		switch x, y := a.Score.Value, b.Score.Value; {
		case x == nil && y == nil:
			return cmp.Compare(a.Arm, b.Arm)
		case x == nil:
			return 1
		case y == nil:
			return -1
		default:
			return cmp.Or(cmp.Compare(*y, *x), cmp.Compare(a.Arm, b.Arm))
		}
	})
	for i := 0; i < len(g.Ranked) && g.Ranked[i].Score.Value != nil; {
		end := i + 1
		for end < len(g.Ranked) && g.Ranked[end].Score.Value != nil && *g.Ranked[i].Score.Value-*g.Ranked[end].Score.Value <= g.Sigma {
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

// resample draws the common tasks with replacement, for all authors at once, and keeps the intervals
// of the means and of the ranks.
func (g *Ranking) resample(scores map[string][]float64, level float64, r *rand.Rand) {
	n := g.Common
	means, ranks := make([][]float64, len(g.Ranked)), make([][]float64, len(g.Ranked))
	drawn := make([]float64, len(g.Ranked))
	rows := make([]int, n)
	for range stat.MinDraws {
		for i := range rows {
			rows[i] = r.IntN(n)
		}
		for a := range g.Ranked {
			own, sum := scores[g.Ranked[a].Arm], 0.0
			for _, at := range rows {
				sum += own[at]
			}
			drawn[a] = sum / float64(n)
			means[a] = append(means[a], drawn[a])
		}
		for a, x := range drawn {
			better := 0
			for _, y := range drawn {
				if y > x+1e-12 {
					better++
				}
			}
			ranks[a] = append(ranks[a], float64(better+1))
		}
	}
	for a := range g.Ranked {
		low, high := percentiles(means[a], level)
		s := &g.Ranked[a].Score
		s.Low, s.High, s.Clusters, s.Reason = &low, &high, n, ""
		best, worst := percentiles(ranks[a], level)
		g.Ranked[a].Best, g.Ranked[a].Worst = int(math.Floor(best)), int(math.Ceil(worst))
	}
}

func percentiles(xs []float64, level float64) (low, high float64) {
	slices.Sort(xs)
	at := func(q float64) float64 {
		i := q * float64(len(xs)-1)
		lo := int(i)
		hi := min(lo+1, len(xs)-1)
		return xs[lo] + (i-float64(lo))*(xs[hi]-xs[lo])
	}
	return at((1 - level) / 2), at((1 + level) / 2)
}

// compare tests every pair.
func (g *Ranking) compare(scores map[string][]float64, level float64) {
	var ps []stat.Value
	for i := range g.Ranked {
		for j := i + 1; j < len(g.Ranked); j++ {
			a, b := g.Ranked[i].Arm, g.Ranked[j].Arm
			p := Pair{A: a, B: b, N: g.Common}
			p.Diff = stat.PairedT(scores[a], scores[b], level, stat.TwoSided).Diff
			p.P = stat.Wilcoxon(scores[a], scores[b], stat.RankZeros, stat.Auto, stat.TwoSided).P
			ps = append(ps, p.P)
			g.Pairs = append(g.Pairs, p)
		}
	}
	for i, p := range stat.Holm(ps) {
		g.Pairs[i].Holm = p
	}
}
