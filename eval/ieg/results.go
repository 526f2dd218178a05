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
func (p *Panel) Results(b Bootstrap) []eval.Result { return p.results(sum(p.Marks, b)) }

func (p *Panel) results(t *tally) (out []eval.Result) {
	shown := scores
	if p.Control == Mute || p.Control == Matched {
		shown = scores[:len(headline)]
	}
	for _, s := range shown {
		if p.Reason != "" {
			out = append(out, eval.Result{Scorer: Scorer, Metric: s.name, Arm: p.Name, Control: p.Control, Unit: "predictions", Reason: p.Reason})
			continue
		}
		i := t.interval(t.values[s.name])
		if s.name != "f_o_chance" {
			i = percent(i)
		}
		out = append(out, p.result(s.name, i, "predictions", t.scored, t.of, t.notes()...))
	}
	if p.Reason == "" && (p.Control == "" || p.Control == Baseline) {
		out = append(out, p.bySkill(t)...)
	}
	return out
}

// bySkill has the precision and recall of every skill that is tried or predicted, over the counts of all seeds:
// a seed that never predicts a skill has no precision.
func (p *Panel) bySkill(t *tally) (out []eval.Result) {
	for k, name := range characters.Skills() {
		c := t.skills[0][k]
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
			values := make([]stat.Value, len(t.skills))
			for i := range values {
				values[i] = part.score(t.skills[i][k])
			}
			out = append(out, p.result(part.name+"@"+string(name), percent(t.interval(values)), part.unit, c.TP, part.of))
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
	real, mute := tallied(&r.Real, b), tallied(&r.Mute[0], b)
	out := differ("words", "", mute, real)
	out = append(out, real.all()...)
	out = append(out, mute.all()...)
	rules := make([]tallyOf, len(r.Baselines))
	for i := range r.Baselines {
		rules[i] = tallied(&r.Baselines[i], b)
	}
	pairs := make([]pair, len(r.Generated))
	for i := range r.Generated {
		p := pair{play: tallied(&r.Generated[i], b), mute: tallied(&r.Mute[i+1], b), real: real}
		if r.Matched[i].Name != "" {
			p.real = tallied(&r.Matched[i], b)
		}
		pairs[i] = p
		out = append(out, differ("words", "", p.mute, p.play)...)
		out = append(out, differ("signed", "", p.play, p.real)...)
		out = append(out, gaps(p.play.Name, "", p.real, p.play, &p.mute)...)
		out = append(out, under(p.play, rules, p.play.all())...)
		out = append(out, p.mute.all()...)
		out = append(out, differ("signed", Mute, p.mute, p.real)...)
		out = append(out, gaps(p.mute.Name, Mute, p.real, p.mute, nil)...)
		if r.Matched[i].Name != "" {
			out = append(out, p.real.all()...)
		}
	}
	halves := [2]tallyOf{tallied(&r.Halves[0], b), tallied(&r.Halves[1], b)}
	shuffled := tallied(&r.Shuffled, b)
	out = append(append(out, halves[0].all()...), halves[1].all()...)
	out = append(out, gaps("real", NoiseFloor, halves[0], halves[1], nil)...)
	out = append(out, shuffled.all()...)
	out = append(out, gaps("real", Shuffled, real, shuffled, nil)...)
	for _, rule := range rules {
		out = append(out, rule.results(rule.tally)...)
	}
	for j := range pairs {
		for i := range j {
			out = append(out, differences(&pairs[i], &pairs[j])...)
		}
	}
	return out
}

// tallyOf is a panel with its tally.
type tallyOf struct {
	*Panel
	*tally
}

func tallied(p *Panel, b Bootstrap) tallyOf { return tallyOf{p, sum(p.Marks, b)} }

// pair is a source and its control without words, beside the real play that it is compared with.
type pair struct{ play, mute, real tallyOf }

func (t tallyOf) all() []eval.Result {
	n := float64(t.Train)
	windows := eval.Result{
		Scorer: Scorer, Metric: "train_windows", Arm: t.Name, Control: t.Control,
		Value: &n, N: t.Train, Of: t.Of, Unit: "windows", Reason: joined(t.Note, "a number that is set has no interval"),
	}
	return append(t.results(t.tally), windows)
}

// The two F-scores that gaps are taken of, and those that words have to add to: of intentions the part that is not
// reached by chance, since without words a virtual DM learns which skill is the commonest.
var headline = []struct{ name, of, words string }{{"c", "f_c", "f_c"}, {"o", "f_o", "f_o_chance"}}

// gapOf is (real-generated)/(real+generated) of an F-score of two panels, in percent with its sign, each a mean
// over its seeds, of the whole test and of each draw. Without its sign it is G.
func gapOf(score string, real, generated *tally) []stat.Value {
	return combined(real.values[score], generated.values[score], func(f, g float64) stat.Value {
		v, blank := Gap(f, g)
		if blank {
			return stat.Undefined(blankGap)
		}
		return stat.Number(math.Copysign(v, f-g))
	})
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
	low, high := max(*i.Low, -*i.High), max(-*i.Low, *i.High)
	i.Low, i.High = &low, &high
	return percent(i)
}

// percent keeps an interval between 0 and 100, which one that is made from the spread of few groups may leave.
func percent(i stat.Interval) stat.Interval {
	if i.Low != nil {
		i.Low, i.High = new(max(0, *i.Low)), new(min(100, *i.High))
	}
	return i
}

// nearGap is a gap, in percent, so small that play without words which has no larger one is near to real play.
const nearGap = 5

// wordless is the reason why a gap is no result: play without words has hardly any either.
const wordless = "the same play without its words is near to real play: this gap does not measure words"

// gaps are G_c and G_o between real play and a panel. With the panel of the same windows without words, G_c
// is no result where that one is near to real play, or cannot be told from it: who acts then shows without words.
func gaps(arm, control string, real, generated tallyOf, mute *tallyOf) (out []eval.Result) {
	to := Panel{Name: arm, Control: control}
	for _, h := range headline {
		name := "G_" + h.name
		if why := joined(real.Reason, generated.Reason); why != "" {
			out = append(out, to.result(name, stat.Interval{Reason: why}, "predictions", 0, 0))
			continue
		}
		i := folded(real.interval(gapOf(h.of, real.tally, generated.tally)))
		if mute != nil && mute.Reason == "" && h.name == "c" {
			m := real.interval(gapOf(h.of, real.tally, mute.tally))
			if m.Value != nil && (math.Abs(*m.Value) < nearGap || m.Low != nil && *m.Low <= 0 && *m.High >= 0) {
				i = stat.Interval{Reason: wordless}
			}
		}
		notes := append(real.notes(), generated.notes()...)
		out = append(out, to.result(name, i, "predictions", real.scored+generated.scored, real.of+generated.of, notes...))
	}
	return out
}

// differences compares two sources: by how much the later one's words add more, and its gap is larger.
func differences(first, later *pair) (out []eval.Result) {
	to := Panel{Name: later.play.Name + " - " + first.play.Name}
	why := joined(first.play.Reason, later.play.Reason, first.real.Reason, later.real.Reason)
	for _, h := range headline {
		for _, of := range []struct {
			name string
			of   func(p *pair) []stat.Value
		}{
			{"words_" + h.name, func(p *pair) []stat.Value { return less(p.play.values[h.words], p.mute.values[h.words]) }},
			{"G_" + h.name, func(p *pair) []stat.Value {
				values := gapOf(h.of, p.real.tally, p.play.tally)
				for i := range values {
					values[i].V = math.Abs(values[i].V)
				}
				return values
			}},
		} {
			i, n := stat.Interval{Reason: why}, 0
			if why == "" {
				n = first.real.groups
				i = first.real.interval(less(of.of(later), of.of(first)))
			}
			out = append(out, to.result(of.name+"_difference", i, "groups", n, n))
		}
	}
	return out
}

// differ is by how much the second panel's F-scores are above the first's, with sign, each under a name:
// signed_c and signed_o, how much real play is above a source; words_c and words_o, how much the words of
// play add to the same windows without them. A bootstrap draws groups of the test for both at once.
func differ(name, control string, low, high tallyOf) (out []eval.Result) {
	to := Panel{Name: low.Name, Control: control}
	for _, h := range headline {
		metric, of := name+"_"+h.name, h.of
		if name == "words" {
			of = h.words
		}
		if why := joined(low.Reason, high.Reason); why != "" {
			out = append(out, to.result(metric, stat.Interval{Reason: why}, "predictions", 0, 0))
			continue
		}
		i := low.interval(less(high.values[of], low.values[of]))
		out = append(out, to.result(metric, i, "predictions", low.scored+high.scored, low.of+high.of))
	}
	return out
}

// under says beside a source's F-scores which rule that understands nothing does better.
func under(play tallyOf, rules []tallyOf, results []eval.Result) []eval.Result {
	if play.Reason != "" {
		return results
	}
	for _, h := range headline {
		f := play.values[h.of][0]
		for _, rule := range rules {
			g := rule.values[h.of][0]
			if !f.OK() || !g.OK() || f.V >= g.V {
				continue
			}
			for k := range results {
				if results[k].Metric == "f_"+h.name {
					results[k].Reason = joined(results[k].Reason, fmt.Sprintf("under the trivial rule %s (%.1f)", rule.Name, g.V))
				}
			}
		}
	}
	return results
}
