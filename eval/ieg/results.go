package ieg

import (
	"fmt"
	"strings"

	"parley/characters"
	"parley/eval"
	"parley/eval/stat"
)

// Scorer is the name under which the results of this measure stand.
const Scorer = "ieg"

// Results are the F-scores of one panel under the name of its arm: f_c over characters and f_o over
// (character, skill), each micro over all windows; f_c_window and f_o_window, the means over windows;
// f_c_skill and f_o_skill, the means over the skills that are truly tried; then precision@SKILL and
// recall@SKILL of (character, skill) with their counts. With several seeds a score is the mean over
// them, and counts add up.
//
// n of of counts predictions. What is unscored takes part in no score. Intervals are percentile
// bootstraps over the groups of the test; seeds and training are held as they are.
func (p *Panel) Results(b Bootstrap) []eval.Result {
	t := sum(p.Marks)
	var out []eval.Result
	shown := scores
	if p.Control == Mute || p.Control == Matched {
		shown = scores[:len(headline)]
	}
	for _, s := range shown {
		if p.Reason != "" {
			out = append(out, eval.Result{Scorer: Scorer, Metric: s.name, Arm: p.Name, Control: p.Control, Unit: "predictions", Reason: p.Reason})
			continue
		}
		i := b.interval(t.groups(), func(rows []int) stat.Value { return t.mean(s.of, rows) })
		out = append(out, p.result(s.name, i, "predictions", t.scored, t.of, t.notes()...))
	}
	if p.Control == "" || p.Control == Baseline {
		out = append(out, p.bySkill(t, b)...)
	}
	return out
}

// bySkill has the precision and recall of every skill that is tried or predicted.
func (p *Panel) bySkill(t *tally, b Bootstrap) (out []eval.Result) {
	for k, name := range characters.Skills() {
		// Over the counts of all seeds: a seed that never predicts a skill has no precision.
		counts, c := t.skill(k)
		if c == (Counts{}) {
			continue
		}
		for _, part := range []struct {
			name, unit string
			of         int
			score      func(Counts) stat.Value
		}{
			{"precision", "intentions predicted", c.TP + c.FP, Counts.Precision},
			{"recall", "intentions", c.TP + c.FN, Counts.Recall},
		} {
			i := b.interval(t.groups(), func(rows []int) stat.Value {
				var c Counts
				for _, g := range rows {
					c.add(counts[g])
				}
				return part.score(c)
			})
			out = append(out, p.result(part.name+"@"+string(name), i, part.unit, c.TP, part.of))
		}
	}
	return out
}

func (p *Panel) result(metric string, i stat.Interval, unit string, n, of int, notes ...string) eval.Result {
	return eval.Result{
		Scorer: Scorer, Metric: metric, Arm: p.Name, Control: p.Control,
		Value: i.Value, Low: i.Low, High: i.High, N: n, Of: of, Unit: unit, Reason: joined(append(notes, i.Reason)...),
	}
}

// notes say how many predictions are unscored, and why.
func (t *tally) notes() (notes []string) {
	const most = 3
	for i, why := range t.reasons() {
		if i == most {
			notes = append(notes, fmt.Sprintf("and %d other reasons", len(t.unscored)-most))
			break
		}
		notes = append(notes, fmt.Sprintf("%d x unscored: %s", t.unscored[why], why))
	}
	return notes
}

func joined(parts ...string) string {
	var said []string
	for _, p := range parts {
		if p != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, "; ")
}

// Results are all numbers of the report, in the order of a table: the F-scores of the virtual DMs of
// real play; for each source its F-scores, its gaps G_c and G_o, the differences signed_c and signed_o (real
// minus generated) and words_c and words_o, and train_windows, the windows that
// its virtual DMs learned from out of those there were; the same for the controls mute, noise-floor and
// shuffled; the baselines; and for each two sources the differences G_c_difference and
// G_o_difference, the later minus the earlier.
//
// A gap is taken between the two F-scores that are each a mean over the seeds. G_c_seed and G_o_seed
// are the means over the seeds of every pair's own gap, in which deviations to both sides add up where
// they cancel in G_c and G_o. A bootstrap of a gap or of a difference draws groups of the test for both
// of its sides at once; a gap is never negative, so the interval of one near 0 does not reach below it.
func (r *Report) Results(b Bootstrap) []eval.Result {
	real := sum(r.Real.Marks)
	mute := sum(r.Mute[0].Marks)
	out := r.Real.all(b)
	out = append(out, differ(b, "words", &r.Mute[0], &r.Real, mute, real)...)
	out = append(out, r.Mute[0].all(b)...)
	tallies, reals := make([]*tally, len(r.Generated)), make([]*tally, len(r.Generated))
	for i := range r.Generated {
		p, m, with := &r.Generated[i], &r.Mute[i+1], &r.Real
		reals[i] = real
		if r.Matched[i].Name != "" {
			with, reals[i] = &r.Matched[i], sum(r.Matched[i].Marks)
			out = append(out, with.all(b)...)
		}
		tallies[i] = sum(p.Marks)
		mute := sum(m.Marks)
		out = append(out, r.under(p, tallies[i], p.all(b))...)
		out = append(out, gaps(b, p.Name, p.Control, with, p, reals[i], tallies[i])...)
		out = append(out, differ(b, "signed", p, with, tallies[i], reals[i])...)
		out = append(out, differ(b, "words", m, p, mute, tallies[i])...)
		out = append(out, m.all(b)...)
		out = append(out, gaps(b, m.Name, m.Control, with, m, reals[i], mute)...)
	}
	for i := range r.Halves {
		out = append(out, r.Halves[i].all(b)...)
	}
	out = append(out, gaps(b, "real", NoiseFloor, &r.Halves[0], &r.Halves[1], sum(r.Halves[0].Marks), sum(r.Halves[1].Marks))...)
	out = append(out, r.Shuffled.all(b)...)
	out = append(out, gaps(b, "real", Shuffled, &r.Real, &r.Shuffled, real, sum(r.Shuffled.Marks))...)
	for i := range r.Baselines {
		out = append(out, r.Baselines[i].Results(b)...)
	}
	for j := range r.Generated {
		for i := range j {
			out = append(out, r.differences(b, i, j, reals, tallies)...)
		}
	}
	return out
}

func (p *Panel) all(b Bootstrap) []eval.Result {
	n := float64(p.Train)
	windows := eval.Result{
		Scorer: Scorer, Metric: "train_windows", Arm: p.Name, Control: p.Control,
		Value: &n, N: p.Train, Of: p.Of, Unit: "windows", Reason: "a number that is set has no interval",
	}
	return append(p.Results(b), windows)
}

// The two F-scores that gaps are taken of.
var headline = []struct {
	name string
	of   measure
}{{"c", fCharacters}, {"o", fIntentions}}

// gapOf is G between the F-scores of two panels, each a mean over its seeds.
func gapOf(m measure, real, generated *tally, rows []int) stat.Value {
	f, g := real.mean(m, rows), generated.mean(m, rows)
	switch {
	case !f.OK():
		return f
	case !g.OK():
		return g
	}
	v, blank := Gap(f.V, g.V)
	if blank {
		return stat.Undefined(blankGap)
	}
	return stat.Number(v)
}

// seedGap is the mean over the seeds of G between the two virtual DMs of a seed.
func seedGap(m measure, real, generated *tally, rows []int) stat.Value {
	var total float64
	for n := range real.seeds {
		f, g := m(real.seeds[n], rows), m(generated.seeds[n], rows)
		switch {
		case !f.OK():
			return f
		case !g.OK():
			return g
		}
		v, blank := Gap(f.V, g.V)
		if blank {
			return stat.Undefined("of one seed, " + blankGap)
		}
		total += v
	}
	return stat.Number(total / float64(len(real.seeds)))
}

func gaps(b Bootstrap, arm, control string, pr, pg *Panel, real, generated *tally) (out []eval.Result) {
	under := Panel{Name: arm, Control: control}
	for _, kind := range []struct {
		suffix string
		of     func(measure, *tally, *tally, []int) stat.Value
	}{{"", gapOf}, {"_seed", seedGap}} {
		if control == Mute && kind.suffix != "" {
			continue
		}
		for _, h := range headline {
			name := "G_" + h.name + kind.suffix
			if why := joined(pr.Reason, pg.Reason); why != "" {
				out = append(out, under.result(name, stat.Interval{Reason: why}, "predictions", 0, 0))
				continue
			}
			i := b.interval(real.groups(), func(rows []int) stat.Value { return kind.of(h.of, real, generated, rows) })
			var notes []string
			notes = append(notes, real.notes()...)
			notes = append(notes, generated.notes()...)
			out = append(out, under.result(name, i, "predictions", real.scored+generated.scored, real.of+generated.of, notes...))
		}
	}
	return out
}

func (r *Report) differences(b Bootstrap, i, j int, reals, of []*tally) (out []eval.Result) {
	first, later := &r.Generated[i], &r.Generated[j]
	a, z := i, j
	under := Panel{Name: later.Name + " - " + first.Name}
	for _, h := range headline {
		name := "G_" + h.name + "_difference"
		if why := joined(r.Real.Reason, first.Reason, later.Reason); why != "" {
			out = append(out, under.result(name, stat.Interval{Reason: why}, "groups", 0, 0))
			continue
		}
		i := b.interval(reals[a].groups(), func(rows []int) stat.Value {
			x, y := gapOf(h.of, reals[a], of[a], rows), gapOf(h.of, reals[z], of[z], rows)
			switch {
			case !x.OK():
				return x
			case !y.OK():
				return y
			}
			return stat.Number(y.V - x.V)
		})
		out = append(out, under.result(name, i, "groups", reals[a].groups(), reals[a].groups()))
	}
	return out
}

// differ is by how much the second panel's F-scores are above the first's, with sign, each under a name:
// signed_c and signed_o, how much real play is above a source; words_c and words_o, how much the words of
// play add to the same windows without them. A bootstrap draws groups of the test for both at once.
func differ(b Bootstrap, name string, low, high *Panel, from, to *tally) (out []eval.Result) {
	under := Panel{Name: low.Name}
	for _, h := range headline {
		metric := name + "_" + h.name
		if why := joined(low.Reason, high.Reason); why != "" {
			out = append(out, under.result(metric, stat.Interval{Reason: why}, "predictions", 0, 0))
			continue
		}
		i := b.interval(from.groups(), func(rows []int) stat.Value {
			x, y := from.mean(h.of, rows), to.mean(h.of, rows)
			switch {
			case !x.OK():
				return x
			case !y.OK():
				return y
			}
			return stat.Number(y.V - x.V)
		})
		out = append(out, under.result(metric, i, "predictions", from.scored+to.scored, from.of+to.of))
	}
	return out
}

// under says beside a source's F-scores which rule that understands nothing does better.
func (r *Report) under(p *Panel, t *tally, results []eval.Result) []eval.Result {
	if p.Reason != "" {
		return results
	}
	for _, h := range headline {
		f := t.mean(h.of, rowsOf(t))
		for i := range r.Baselines {
			rule := sum(r.Baselines[i].Marks)
			g := rule.mean(h.of, rowsOf(rule))
			if !f.OK() || !g.OK() || f.V >= g.V {
				continue
			}
			for k := range results {
				if results[k].Metric == "f_"+h.name {
					results[k].Reason = joined(results[k].Reason, fmt.Sprintf("under the trivial rule %s (%.1f)", r.Baselines[i].Name, g.V))
				}
			}
		}
	}
	return results
}

func rowsOf(t *tally) []int {
	rows := make([]int, t.groups())
	for i := range rows {
		rows[i] = i
	}
	return rows
}
