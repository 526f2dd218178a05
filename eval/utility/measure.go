package utility

import (
	"fmt"

	"parley/eval"
	"parley/eval/stat"
)

// Finding is what labels tell of one criterion, with the verdict on it.
type Finding struct {
	Criterion *Criterion
	Verdict   string
	Reason    string

	scored, of int                  // labels of undisturbed samples
	means      []stat.Value         // mean level of each sample, from 0 to 1
	stability  []map[string]float64 // measures by name, of each sample; nil: it has too few labels
	powers     []*power             // by way of disturbing
	separation stat.Value           // Cliff's delta of successes over failures
	inverted   bool                 // failures score higher than successes, beyond chance
	seeds      []float64            // mean level of all samples, from 0 to 1, by seed
}

// figures are the measures of stability. The coefficient of variation is the SD of the population of levels over their
// mean. A sample whose levels are all 0 has none, and counts as 0: it is perfectly stable. The second one leaves such
// samples out, the third has levels from 1. All but the agreement, the share of seeds with the most frequent label, need
// an order of values.
var figures = []string{"cv", "cv_without_zeros", "cv_from_one", "range_sd", agreement}

const agreement = "agreement"

// stabilityOf measures the levels of one sample, of which the best is top.
func stabilityOf(levels []float64, top float64) map[string]float64 {
	mean, sd, count, most := meanOf(levels, "").V, stat.SD(levels, stat.Population).V, map[float64]float64{}, 0.0
	for _, l := range levels {
		count[l]++
		most = max(most, count[l])
	}
	f := map[string]float64{"cv": 0, "cv_from_one": sd / (mean + 1), "range_sd": sd / top, agreement: most / float64(len(levels))}
	if mean > 0 {
		f["cv"], f["cv_without_zeros"] = sd/mean, sd/mean
	}
	return f
}

// Figure returns the mean of a measure of stability over samples.
func (f *Finding) Figure(name string) stat.Value {
	if name != agreement && !f.Criterion.Ordered() {
		return stat.Undefined(unordered)
	}
	var values []float64
	for _, sample := range f.stability {
		if v, ok := sample[name]; ok {
			values = append(values, v)
		}
	}
	return meanOf(values, "no sample has two labels")
}

const unordered = "its values have no order"

// meanOf returns the mean, or why there is none.
func meanOf(xs []float64, none string) stat.Value {
	if len(xs) == 0 {
		return stat.Undefined(none)
	}
	return stat.Value{V: *stat.Mean(xs, eval.Confidence).Value}
}

// latest returns the labels of each criterion from the last round that it was in, rounds after one left out.
func latest(rows []LabelRow, round int) map[string][]LabelRow {
	labels := map[string][]LabelRow{}
	for _, r := range rows {
		last := labels[r.Criterion]
		switch {
		case r.Round > round || len(last) > 0 && last[0].Round > r.Round:
			continue
		case len(last) > 0 && last[0].Round < r.Round:
			last = nil
		}
		labels[r.Criterion] = append(last, r)
	}
	return labels
}

// place is where a label belongs: to a sample, as it is (variant "") or disturbed, by the quantifier's seed.
type place struct {
	sample, variant string
	seed            int
}

// measure returns what the labels of a criterion tell by the first seeds, with the verdict.
func measure(config *Config, c *Criterion, labels []LabelRow, seeds int) *Finding {
	f := &Finding{Criterion: c, separation: stat.Undefined(unordered)}
	levels := map[place]float64{}
	for _, r := range labels {
		if r.Variant == "" && r.Seed <= seeds {
			f.of++
		}
		if r.Level != nil {
			levels[place{r.Sample, r.Variant, r.Seed}] = float64(*r.Level)
		}
	}
	bySeed, top := make([][]float64, seeds), float64(len(c.Values)-1)
	for _, s := range config.Samples {
		var of []float64
		for seed := range seeds {
			if level, scored := levels[place{s.ID, "", seed + 1}]; scored {
				of, bySeed[seed] = append(of, level), append(bySeed[seed], level/top)
			}
		}
		f.scored += len(of)
		mean := stat.Undefined(unordered)
		if c.Ordered() {
			mean = meanOf(of, "no label is scored")
			mean.V /= top
		}
		f.means, f.stability = append(f.means, mean), append(f.stability, nil)
		// the lexical quantifier has one label, always the same
		if len(of) > 1 || len(of) == 1 && config.Quantifier == LexicalModel {
			f.stability[len(f.stability)-1] = stabilityOf(of, top)
		}
	}
	if c.Ordered() {
		for i, variant := range config.Disturb {
			f.powers = append(f.powers, powerOf(config, levels, variant, seeds))
			if i > 0 { // the first is the measurement itself
				f.powers[i].control = variant
			}
		}
		for _, levels := range bySeed {
			if len(levels) > 0 {
				f.seeds = append(f.seeds, meanOf(levels, "").V)
			}
		}
		f.separate(config)
	}
	f.Verdict, f.Reason = f.judge(config.Thresholds)
	return f
}

// power is how a criterion tells samples from disturbed ones: the mean levels of those that have labels in both forms.
type power struct {
	variant, control    string // its name in results
	samples             []int
	original, disturbed []float64
	stat.Test           // the one-sided exact sign test without ties
}

// lower returns how many samples score lower when disturbed.
func (p *power) lower() int { return int(p.Statistic.V) }

// share returns the share of samples that score lower when disturbed, of those that change; nil where none does.
func (p *power) share() *float64 { return stat.Wilson(p.lower(), p.N, eval.Confidence).Value }

// powerOf compares samples with their disturbed forms, each by its mean level over the seeds that have both: seeds of
// one sample are not independent of each other.
func powerOf(config *Config, levels map[place]float64, variant string, seeds int) *power {
	p := &power{variant: variant}
	for i, s := range config.Samples {
		var original, disturbed []float64
		for seed := range seeds {
			a, scored := levels[place{s.ID, "", seed + 1}]
			if b, both := levels[place{s.ID, variant, seed + 1}]; scored && both {
				original, disturbed = append(original, a), append(disturbed, b)
			}
		}
		if len(original) > 0 {
			p.samples = append(p.samples, i)
			p.original, p.disturbed = append(p.original, meanOf(original, "").V), append(p.disturbed, meanOf(disturbed, "").V)
		}
	}
	if p.Test = stat.SignTest(p.original, p.disturbed, stat.Greater); len(p.samples) == 0 {
		p.P = stat.Undefined("no sample has labels in both forms")
	}
	return p
}

// separate compares successes with failures, where both are known.
func (f *Finding) separate(config *Config) {
	var success, failure []float64
	for i, sample := range config.Samples {
		switch m := f.means[i]; {
		case !m.OK() || sample.Done == nil:
		case *sample.Done:
			success = append(success, m.V)
		default:
			failure = append(failure, m.V)
		}
	}
	f.separation = stat.Undefined("there are no two successes and two failures with labels")
	if len(success) > 1 && len(failure) > 1 {
		f.separation = stat.CliffDelta(success, failure)
		test := stat.Welch(failure, success, eval.Confidence, stat.Greater)
		f.inverted = test.P.OK() && test.P.V < config.Thresholds.Alpha
	}
}

// Verdicts on criteria.
const (
	Keep = "keep"
	Out  = "drop"
	Flag = "flag" // a person has to decide
)

// Thresholds says when a criterion is kept.
type Thresholds struct {
	// Stability is the figure by which labels of one sample over seeds must be stable: range_sd, cv or agreement. For
	// criteria without an order it is agreement.
	Stability    string  `yaml:"stability" json:"stability"`
	MaxRangeSD   float64 `yaml:"max_range_sd" json:"max_range_sd"`
	MaxCV        float64 `yaml:"max_cv" json:"max_cv"`
	MinAgreement float64 `yaml:"min_agreement" json:"min_agreement"`
	MinPower     float64 `yaml:"min_power" json:"min_power"`   // share of samples that fall when disturbed, of those that change
	Alpha        float64 `yaml:"alpha" json:"alpha"`           // of the sign test, and of the test that failures score higher
	MinScored    float64 `yaml:"min_scored" json:"min_scored"` // share of labels that could be had
}

// DefaultThresholds returns the thresholds that count where nothing is said. That of the coefficient of variation is
// the paper's.
func DefaultThresholds() Thresholds {
	return Thresholds{Stability: "range_sd", MaxRangeSD: 0.2, MaxCV: 0.5, MinAgreement: 0.6, MinPower: 0.5, Alpha: 0.05, MinScored: 0.5}
}

// limit returns the limit of a measure of stability, and whether a value passes it. What has no value passes.
func (t Thresholds) limit(figure string, v stat.Value) (limit float64, passes bool) {
	switch figure {
	case agreement:
		return t.MinAgreement, !v.OK() || v.V >= t.MinAgreement
	case "range_sd":
		return t.MaxRangeSD, v.V <= t.MaxRangeSD
	}
	return t.MaxCV, v.V <= t.MaxCV
}

// judge gives the verdict with its reason: what fails is dropped, what could not be told is flagged.
func (f *Finding) judge(t Thresholds) (verdict, reason string) {
	if !f.Criterion.Ordered() {
		t.Stability = agreement
	}
	stability := f.Figure(t.Stability)
	limit, stable := t.limit(t.Stability, stability)
	switch {
	case f.of == 0 || float64(f.scored) < t.MinScored*float64(f.of):
		return Flag, fmt.Sprintf("%d of %d labels could be had", f.scored, f.of)
	case !stability.OK():
		return Flag, "stability is not known: " + stability.Reason
	case !stable:
		return Out, fmt.Sprintf("not stable: %s is %.3f, beyond %.3g", t.Stability, stability.V, limit)
	case f.Criterion.Kind == Attribute:
		return Flag, "it is an attribute of the task, not of how it is done"
	case !f.Criterion.Ordered():
		return Flag, "the order of its values is unknown: write it in the file of criteria"
	}
	for _, p := range f.powers {
		if verdict, reason := p.judge(t); verdict != Keep {
			return verdict, reason
		}
	}
	switch {
	case f.inverted:
		return Flag, fmt.Sprintf("failures score higher than successes (Cliff's delta %.2f)", f.separation.V)
	case len(f.powers) == 0:
		return Keep, "stable; not tested on disturbed samples"
	}
	return Keep, "stable, and lower when disturbed"
}

// judge gives the verdict by one way of disturbing.
func (p *power) judge(t Thresholds) (verdict, reason string) {
	counts := fmt.Sprintf("disturbed by %s, %d samples score lower, %d higher, %d the same", p.variant, p.lower(), p.N-p.lower(), p.Zeros)
	switch {
	case len(p.samples) == 0:
		return Flag, fmt.Sprintf("disturbed by %s: %s", p.variant, p.P.Reason)
	case p.N == 0:
		return Out, fmt.Sprintf("disturbed by %s, all %d samples score the same", p.variant, p.Zeros)
	case 2*p.lower() <= p.N || *p.share() < t.MinPower:
		return Out, counts
	case p.P.V > t.Alpha:
		return Flag, fmt.Sprintf("%s: too few to tell (p %.3f)", counts, p.P.V)
	}
	return Keep, ""
}
