package ieg

import (
	"fmt"
	"math"
	"strings"

	"parley/characters"
	"parley/eval"
	"parley/eval/stat"
)

// Scorer is the name under which the results of this measure stand.
const Scorer = "ieg"

// Results are the F-scores of one panel under the name of its arm: f_c over characters and f_o over
// (character, skill), each micro over all windows; f_c_window and f_o_window, the means over windows;
// f_c_skill and f_o_skill, the means over the skills that are truly tried; f_o_chance, the part of f_o that is not
// reached by chance; then precision@SKILL and
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

// Results are all numbers of the report, in the order of a table: for real play, what words add and the F-scores;
// for each source what its words add (words_c and words_o: its f_c and f_o_chance less those of the same windows
// without words), the differences signed_c and signed_o (real minus generated), its gaps G_c and G_o, its F-scores, and
// train_windows, the windows that its virtual DMs learned from out of those there were; the same for the
// controls mute, noise-floor and shuffled; the baselines; and for each two sources the differences
// words_c_difference, words_o_difference, G_c_difference and G_o_difference, the later minus the earlier.
//
// A gap is taken between two F-scores that are each a mean over the seeds. A bootstrap of a gap or of a
// difference draws groups of the test for both of its sides at once. The interval of a gap, which is never
// negative, begins at 0 where that of the signed one holds 0.
func (r *Report) Results(b Bootstrap) []eval.Result {
	real, mute := sum(r.Real.Marks), sum(r.Mute[0].Marks)
	out := differ(b, "words", "", &r.Mute[0], &r.Real, mute, real)
	out = append(out, r.Real.all(b)...)
	out = append(out, r.Mute[0].all(b)...)
	pairs := make([]pair, len(r.Generated))
	for i := range r.Generated {
		p := pair{panel: &r.Generated[i], mute: &r.Mute[i+1], with: &r.Real, real: real}
		if r.Matched[i].Name != "" {
			p.with, p.real = &r.Matched[i], sum(r.Matched[i].Marks)
		}
		p.play, p.silent = sum(p.panel.Marks), sum(p.mute.Marks)
		pairs[i] = p
		out = append(out, differ(b, "words", "", p.mute, p.panel, p.silent, p.play)...)
		out = append(out, differ(b, "signed", "", p.panel, p.with, p.play, p.real)...)
		out = append(out, gaps(b, p.panel.Name, "", p.with, p.panel, p.real, p.play, p.silent)...)
		out = append(out, r.under(p.panel, p.play, p.panel.all(b))...)
		out = append(out, p.mute.all(b)...)
		out = append(out, differ(b, "signed", Mute, p.mute, p.with, p.silent, p.real)...)
		out = append(out, gaps(b, p.mute.Name, Mute, p.with, p.mute, p.real, p.silent, nil)...)
		if p.with != &r.Real {
			out = append(out, p.with.all(b)...)
		}
	}
	for i := range r.Halves {
		out = append(out, r.Halves[i].all(b)...)
	}
	out = append(out, gaps(b, "real", NoiseFloor, &r.Halves[0], &r.Halves[1], sum(r.Halves[0].Marks), sum(r.Halves[1].Marks), nil)...)
	out = append(out, r.Shuffled.all(b)...)
	out = append(out, gaps(b, "real", Shuffled, &r.Real, &r.Shuffled, real, sum(r.Shuffled.Marks), nil)...)
	for i := range r.Baselines {
		out = append(out, r.Baselines[i].Results(b)...)
	}
	for j := range pairs {
		for i := range j {
			out = append(out, differences(b, &pairs[i], &pairs[j])...)
		}
	}
	return out
}

// pair is a source beside the real play that it is compared with.
type pair struct {
	panel, mute, with  *Panel
	play, silent, real *tally
}

func (p *Panel) all(b Bootstrap) []eval.Result {
	n := float64(p.Train)
	windows := eval.Result{
		Scorer: Scorer, Metric: "train_windows", Arm: p.Name, Control: p.Control,
		Value: &n, N: p.Train, Of: p.Of, Unit: "windows", Reason: "a number that is set has no interval",
	}
	return append(p.Results(b), windows)
}

// The two F-scores that gaps are taken of, and those that words have to add to: of intentions the part that is not
// reached by chance, since without words a virtual DM learns which skill is the commonest.
var headline = []struct {
	name      string
	of, words measure
}{{"c", fCharacters, fCharacters}, {"o", fIntentions, beyondChance}}

// gapOf is (real-generated)/(real+generated) of the F-scores of two panels, in percent with its sign, each a mean
// over its seeds. Without its sign it is G.
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
	return stat.Number(math.Copysign(v, f.V-g.V))
}

// folded is the interval of a number without its sign: it holds 0 where the signed one does.
func folded(i stat.Interval) stat.Interval {
	if i.Value == nil {
		return i
	}
	size := math.Abs(*i.Value)
	i.Value = &size
	if i.Low == nil {
		return i
	}
	low, high := math.Abs(*i.Low), math.Abs(*i.High)
	if *i.Low <= 0 && *i.High >= 0 {
		low, high = 0, max(low, high)
	}
	low, high = min(low, high), max(low, high)
	i.Low, i.High = &low, &high
	return i
}

// nearGap is a gap, in percent, so small that play without words which has no larger one is near to real play.
const nearGap = 5

// wordless is the reason why a gap is no result: play without words has hardly any either.
const wordless = "the same play without its words is near to real play: this gap does not measure words"

// gaps are G_c and G_o between real play and a panel. With the panel of the same windows without words, G_c
// is no result where that one is near to real play, or cannot be told from it: who acts then shows without words.
func gaps(b Bootstrap, arm, control string, pr, pg *Panel, real, generated, mute *tally) (out []eval.Result) {
	under := Panel{Name: arm, Control: control}
	for _, h := range headline {
		name := "G_" + h.name
		if why := joined(pr.Reason, pg.Reason); why != "" {
			out = append(out, under.result(name, stat.Interval{Reason: why}, "predictions", 0, 0))
			continue
		}
		between := func(t *tally) stat.Interval {
			return b.interval(real.groups(), func(rows []int) stat.Value { return gapOf(h.of, real, t, rows) })
		}
		i := folded(between(generated))
		if mute != nil && h.name == "c" {
			if m := between(mute); m.Value != nil && (math.Abs(*m.Value) < nearGap || m.Low != nil && *m.Low <= 0 && *m.High >= 0) {
				i = stat.Interval{Reason: wordless}
			}
		}
		notes := append(real.notes(), generated.notes()...)
		out = append(out, under.result(name, i, "predictions", real.scored+generated.scored, real.of+generated.of, notes...))
	}
	return out
}

// differences compares two sources: by how much the later one's gap is larger, and its words add more.
func differences(b Bootstrap, first, later *pair) (out []eval.Result) {
	under := Panel{Name: later.panel.Name + " - " + first.panel.Name}
	why := joined(first.panel.Reason, later.panel.Reason, first.with.Reason, later.with.Reason)
	for _, h := range headline {
		for _, of := range []struct {
			name string
			of   func(p *pair, rows []int) stat.Value
		}{
			{"words_" + h.name, func(p *pair, rows []int) stat.Value {
				return less(p.play.mean(h.words, rows), p.silent.mean(h.words, rows))
			}},
			{"G_" + h.name, func(p *pair, rows []int) stat.Value {
				v := gapOf(h.of, p.real, p.play, rows)
				v.V = math.Abs(v.V)
				return v
			}},
		} {
			i, n := stat.Interval{Reason: why}, 0
			if why == "" {
				n = first.real.groups()
				i = b.interval(n, func(rows []int) stat.Value { return less(of.of(later, rows), of.of(first, rows)) })
			}
			out = append(out, under.result(of.name+"_difference", i, "groups", n, n))
		}
	}
	return out
}

// less is a-b, where both are there.
func less(a, b stat.Value) stat.Value {
	switch {
	case !a.OK():
		return a
	case !b.OK():
		return b
	}
	return stat.Number(a.V - b.V)
}

// differ is by how much the second panel's F-scores are above the first's, with sign, each under a name:
// signed_c and signed_o, how much real play is above a source; words_c and words_o, how much the words of
// play add to the same windows without them. A bootstrap draws groups of the test for both at once.
func differ(b Bootstrap, name, control string, low, high *Panel, from, to *tally) (out []eval.Result) {
	under := Panel{Name: low.Name, Control: control}
	for _, h := range headline {
		metric, of := name+"_"+h.name, h.of
		if name == "words" {
			of = h.words
		}
		if why := joined(low.Reason, high.Reason); why != "" {
			out = append(out, under.result(metric, stat.Interval{Reason: why}, "predictions", 0, 0))
			continue
		}
		i := b.interval(from.groups(), func(rows []int) stat.Value {
			return less(to.mean(of, rows), from.mean(of, rows))
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
