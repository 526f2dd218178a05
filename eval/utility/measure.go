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
	Powers     []Power  // by way of disturbing
	Separation stat.Value
	Inverted   bool      // failures score higher than successes, beyond chance
	Seeds      []float64 // mean level over its range by seed
}

// Spread is how the labels of one sample differ between seeds. Levels go from 0 to 1.
type Spread struct {
	Sample   int
	Mean, SD float64 // of levels; SD is that of the population
	Step     float64 // between two levels
	Modal    float64 // share of seeds with the most frequent label
}

// figure is a measure of stability of one sample; some samples have none.
type figure struct {
	name   string
	metric bool                       // it is a metric of results too
	limit  func(t Thresholds) float64 // beyond which it is not stable
	of     func(s Spread) (float64, bool)
}

// The coefficient of variation is SD over mean. A sample whose levels are all 0 has none, and counts as 0: it is
// perfectly stable. The second one leaves such samples out, the third has levels from 1 as the first step. All but the
// agreement need an order of values, and are stable below their limits.
var figures = []figure{
	{"cv", true, maxCV, func(s Spread) (float64, bool) {
		if s.Mean == 0 {
			return 0, true
		}
		return s.SD / s.Mean, true
	}},
	{"cv_without_zeros", false, maxCV, func(s Spread) (float64, bool) { return s.SD / s.Mean, s.Mean > 0 }},
	{"cv_from_one", false, maxCV, func(s Spread) (float64, bool) { return s.SD / (s.Mean + s.Step), true }},
	{"range_sd", true, func(t Thresholds) float64 { return t.MaxRangeSD }, func(s Spread) (float64, bool) { return s.SD, true }},
	{agreement, true, func(t Thresholds) float64 { return t.MinAgreement }, func(s Spread) (float64, bool) { return s.Modal, true }},
}

const agreement = "agreement"

func maxCV(t Thresholds) float64 { return t.MaxCV }

// named returns the measure of stability of a name.
func named(name string) figure {
	return figures[slices.IndexFunc(figures, func(x figure) bool { return x.name == name })]
}

// Figure returns the mean of a measure of stability over samples.
func (f *Finding) Figure(name string) stat.Value {
	if name != agreement && !f.Criterion.Ordered() {
		return stat.Undefined("its values have no order")
	}
	var values []float64
	for _, s := range f.Spreads {
		if v, ok := named(name).of(s); ok {
			values = append(values, v)
		}
	}
	return meanOf(values, "no sample has two labels")
}

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
	levels map[[3]string]map[int]int
	of     map[string]int // labels of undisturbed samples by criterion, those that are not scored included
}

func newStudy(c *Config, rows []LabelRow) *study {
	s := &study{config: c, levels: map[[3]string]map[int]int{}, of: map[string]int{}}
	for i := range rows {
		r := &rows[i]
		if r.Variant == "" {
			s.of[r.Criterion]++
		}
		if r.Level == nil {
			continue
		}
		key := [3]string{r.Criterion, r.Sample, r.Variant}
		if s.levels[key] == nil {
			s.levels[key] = map[int]int{}
		}
		s.levels[key][r.Seed] = *r.Level
	}
	return s
}

// labels returns the levels of a sample in a variant by seed; variant "" is the sample as it is.
func (s *study) labels(c *Criterion, sample int, variant string) map[int]int {
	return s.levels[[3]string{c.Name, s.config.Samples[sample].ID, variant}]
}

// scaled returns levels from 0 to 1 in the order of seeds.
func scaled(c *Criterion, levels map[int]int) []float64 {
	list := make([]float64, 0, len(levels))
	for _, seed := range slices.Sorted(maps.Keys(levels)) {
		list = append(list, float64(levels[seed])/float64(len(c.Values)-1))
	}
	return list
}

// mean returns the mean level of an undisturbed sample, from 0 to 1.
func (s *study) mean(c *Criterion, sample int) stat.Value {
	return meanOf(scaled(c, s.labels(c, sample, "")), "no label is scored")
}

// measure returns what the labels tell of a criterion, with the verdict.
func (s *study) measure(c *Criterion) Finding {
	f := Finding{Criterion: c, Of: s.of[c.Name], Separation: stat.Undefined("its values have no order")}
	enough := 2 // labels of a sample
	if s.config.Quantifier == LexicalModel {
		enough = 1 // they are always the same
	}
	bySeed := map[int][]float64{}
	for i := range s.config.Samples {
		labels := s.labels(c, i, "")
		levels := scaled(c, labels)
		f.Scored += len(levels)
		count, most := map[int]int{}, 0
		for seed, l := range labels {
			count[l]++
			most = max(most, count[l])
			bySeed[seed] = append(bySeed[seed], float64(l)/float64(len(c.Values)-1))
		}
		if len(levels) < enough {
			continue
		}
		f.Spreads = append(f.Spreads, Spread{i, meanOf(levels, "").V, stat.SD(levels, stat.Population).V, 1 / float64(len(c.Values)-1), float64(most) / float64(len(levels))})
	}
	if c.Ordered() {
		for i, variant := range s.config.Disturb {
			f.Powers = append(f.Powers, s.power(c, variant))
			if i > 0 { // the first is the measurement itself
				f.Powers[i].Control = variant
			}
		}
		s.separation(&f)
		for _, seed := range slices.Sorted(maps.Keys(bySeed)) {
			f.Seeds = append(f.Seeds, meanOf(bySeed[seed], "").V)
		}
	}
	f.Verdict, f.Reason = f.judge(s.config.Thresholds)
	return f
}

// Power is how a criterion tells samples from disturbed ones.
type Power struct {
	Variant, Control    string     // its name in results
	Higher, Same, Lower []int      // samples by how they score against their disturbed form
	P                   stat.Value // one-sided, of the exact sign test without ties
	Original, Disturbed stat.Value // mean level, from 0 to 1
}

// Share returns the share of samples that score higher undisturbed, of those that change.
func (p *Power) Share() stat.Interval {
	return stat.Wilson(len(p.Higher), len(p.Higher)+len(p.Lower), eval.Confidence)
}

// power compares samples with their disturbed forms, each by its mean level over the seeds that have both: seeds of
// one sample are not independent of each other.
func (s *study) power(c *Criterion, variant string) Power {
	const none = "no sample has labels in both forms"
	p := Power{Variant: variant, P: stat.Undefined(none)}
	var original, disturbed []float64
	for i := range s.config.Samples {
		x, y, n := 0, 0, 0
		other := s.labels(c, i, variant)
		for seed, level := range s.labels(c, i, "") {
			if l, both := other[seed]; both {
				x, y, n = x+level, y+l, n+1
			}
		}
		if n == 0 {
			continue
		}
		most := float64(n * (len(c.Values) - 1))
		original, disturbed = append(original, float64(x)/most), append(disturbed, float64(y)/most)
		switch {
		case x > y:
			p.Higher = append(p.Higher, i)
		case x < y:
			p.Lower = append(p.Lower, i)
		default:
			p.Same = append(p.Same, i)
		}
	}
	p.Original, p.Disturbed = meanOf(original, none), meanOf(disturbed, none)
	if len(original) > 0 {
		p.P = stat.SignTest(original, disturbed, stat.Greater).P
	}
	return p
}

// separation is Cliff's delta of successes over failures, where both are known.
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
