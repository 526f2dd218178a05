package utility

import (
	"maps"
	"slices"

	"parley/eval"
	"parley/eval/stat"
)

// Finding is the measures of one criterion, with the verdict on it.
type Finding struct {
	Criterion *Criterion
	Verdict   string
	Reason    string

	Scored, Of int      // labels of undisturbed samples
	Spreads    []Spread // of samples with enough labels to tell how stable they are
	Powers     []*Power // by way of disturbing
	Separation stat.Value
	Inverted   bool      // failures score higher than successes, beyond chance
	Seeds      []float64 // mean level over its range by seed
}

// Spread is how the labels of one sample differ between seeds, by the name of the measure.
type Spread struct {
	Sample  int
	Figures map[string]float64
}

// figures are the measures of stability. The coefficient of variation is the SD of the population of levels over their
// mean. A sample whose levels are all 0 has none, and counts as 0: it is perfectly stable. The second one leaves such
// samples out, the third has levels from 1. All but the agreement, the share of seeds with the most frequent label, need
// an order of values.
var figures = []string{"cv", "cv_without_zeros", "cv_from_one", "range_sd", agreement}

const agreement = "agreement"

// spread measures the levels of one sample.
func spread(sample int, levels []float64, top float64) Spread {
	mean, sd, count, most := meanOf(levels, "").V, stat.SD(levels, stat.Population).V, map[float64]float64{}, 0.0
	for _, l := range levels {
		count[l]++
		most = max(most, count[l])
	}
	f := map[string]float64{"cv": 0, "cv_from_one": sd / (mean + 1), "range_sd": sd / top, agreement: most / float64(len(levels))}
	if mean > 0 {
		f["cv"], f["cv_without_zeros"] = sd/mean, sd/mean
	}
	return Spread{sample, f}
}

// Figure returns the mean of a measure of stability over samples.
func (f *Finding) Figure(name string) stat.Value {
	if name != agreement && !f.Criterion.Ordered() {
		return stat.Undefined(unordered)
	}
	var values []float64
	for _, s := range f.Spreads {
		if v, ok := s.Figures[name]; ok {
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
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return stat.Number(sum / float64(len(xs)))
}

// study holds the levels of labels, from 0, by criterion, sample and variant, then seed.
type study struct {
	config *Config
	levels map[[3]string]map[int]float64
	of     map[string]int // labels of undisturbed samples by criterion, those that are not scored included
}

func newStudy(c *Config, rows []LabelRow, counts func(*LabelRow) bool) *study {
	s := &study{config: c, levels: map[[3]string]map[int]float64{}, of: map[string]int{}}
	for i := range rows {
		r := &rows[i]
		if !counts(r) {
			continue
		}
		if r.Variant == "" {
			s.of[r.Criterion]++
		}
		key := [3]string{r.Criterion, r.Sample, r.Variant}
		if s.levels[key] == nil {
			s.levels[key] = map[int]float64{}
		}
		if r.Level != nil {
			s.levels[key][r.Seed] = float64(*r.Level)
		}
	}
	return s
}

// labels returns the levels of a sample in two variants, of the seeds that have both; variant "" is the sample as it is.
func (s *study) labels(c *Criterion, sample int, variant string) (original, disturbed []float64) {
	id := s.config.Samples[sample].ID
	whole, other := s.levels[[3]string{c.Name, id, ""}], s.levels[[3]string{c.Name, id, variant}]
	for _, seed := range slices.Sorted(maps.Keys(whole)) {
		if level, both := other[seed]; both {
			original, disturbed = append(original, whole[seed]), append(disturbed, level)
		}
	}
	return original, disturbed
}

// top returns the level of the best value.
func (c *Criterion) top() float64 { return float64(len(c.Values) - 1) }

// mean returns the mean level of an undisturbed sample, from 0 to 1.
func (s *study) mean(c *Criterion, sample int) stat.Value {
	levels, _ := s.labels(c, sample, "")
	mean := meanOf(levels, "no label is scored")
	mean.V /= c.top()
	return mean
}

// measure returns what the labels tell of a criterion, with the verdict.
func (s *study) measure(c *Criterion) *Finding {
	f := &Finding{Criterion: c, Of: s.of[c.Name], Separation: stat.Undefined(unordered)}
	bySeed := map[int][]float64{}
	for i, sample := range s.config.Samples {
		for seed, level := range s.levels[[3]string{c.Name, sample.ID, ""}] {
			bySeed[seed] = append(bySeed[seed], level/c.top())
		}
		levels, _ := s.labels(c, i, "")
		f.Scored += len(levels)
		// the lexical quantifier has one label, always the same
		if len(levels) > 1 || len(levels) == 1 && s.config.Quantifier == LexicalModel {
			f.Spreads = append(f.Spreads, spread(i, levels, c.top()))
		}
	}
	if c.Ordered() {
		for i, variant := range s.config.Disturb {
			f.Powers = append(f.Powers, s.power(c, variant))
			if i > 0 { // the first is the measurement itself
				f.Powers[i].Control = variant
			}
		}
		s.separation(f)
		for _, seed := range slices.Sorted(maps.Keys(bySeed)) {
			f.Seeds = append(f.Seeds, meanOf(bySeed[seed], "").V)
		}
	}
	f.Verdict, f.Reason = f.judge(s.config.Thresholds)
	return f
}

// Power is how a criterion tells samples from disturbed ones: the mean levels of those that have labels in both forms.
type Power struct {
	Variant, Control    string // its name in results
	Samples             []int
	Original, Disturbed []float64
	stat.Test           // the one-sided exact sign test without ties
}

// Lower returns how many samples score lower when disturbed.
func (p *Power) Lower() int { return int(p.Statistic.V) }

// Share returns the share of samples that score lower when disturbed, of those that change.
func (p *Power) Share() stat.Interval { return stat.Wilson(p.Lower(), p.N, eval.Confidence) }

// power compares samples with their disturbed forms, each by its mean level over the seeds that have both: seeds of
// one sample are not independent of each other.
func (s *study) power(c *Criterion, variant string) *Power {
	p := &Power{Variant: variant}
	for i := range s.config.Samples {
		original, disturbed := s.labels(c, i, variant)
		if len(original) > 0 {
			p.Samples = append(p.Samples, i)
			p.Original, p.Disturbed = append(p.Original, meanOf(original, "").V), append(p.Disturbed, meanOf(disturbed, "").V)
		}
	}
	if p.Test = stat.SignTest(p.Original, p.Disturbed, stat.Greater); len(p.Samples) == 0 {
		p.P = stat.Undefined("no sample has labels in both forms")
	}
	return p
}

// separation adds Cliff's delta of successes over failures, where both are known.
func (s *study) separation(f *Finding) {
	var success, failure []float64
	for i, sample := range s.config.Samples {
		m := s.mean(f.Criterion, i)
		switch {
		case !m.OK() || sample.Done == nil:
		case *sample.Done:
			success = append(success, m.V)
		default:
			failure = append(failure, m.V)
		}
	}
	f.Separation = stat.Undefined("there are no two successes and two failures with labels")
	if len(success) > 1 && len(failure) > 1 {
		f.Separation = stat.CliffDelta(success, failure)
		test := stat.Welch(failure, success, eval.Confidence, stat.Greater)
		f.Inverted = test.P.OK() && test.P.V < s.config.Thresholds.Alpha
	}
}
