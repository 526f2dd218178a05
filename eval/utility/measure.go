package utility

import (
	"cmp"
	"fmt"
	"slices"

	"parley/eval"
	"parley/eval/stat"
)

// Verdicts on criteria.
const (
	Keep = "keep"
	Out  = "drop"
	Flag = "flag" // a person has to decide
)

// Thresholds says when a criterion is kept.
type Thresholds struct {
	// Stability is the figure that labels of one sample over seeds are held to: range_sd, cv or agreement. Criteria
	// without an order are held to agreement.
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

// Power is how a criterion tells samples from disturbed ones.
type Power struct {
	Variant      string
	Better, Ties int // samples that score higher than, and the same as, their disturbed form
	Worse        int
	P            stat.Value // one-sided, of the exact sign test without ties
	Original     stat.Value // mean level over its range
	Disturbed    stat.Value
}

// Share returns the share of samples that score higher undisturbed, of those that change.
func (p *Power) Share() stat.Interval {
	return stat.Wilson(p.Better, p.Better+p.Worse, eval.Confidence)
}

// Finding is what is known of one criterion.
type Finding struct {
	Criterion *Criterion
	Verdict   string
	Reason    string

	Scored, Of int // labels of undisturbed samples
	Samples    int // with enough labels to tell how stable they are
	// CV is the mean over samples of the population standard deviation of levels over their mean, with levels from
	// 0; a sample whose levels are all 0 has none, and counts as 0: it is perfectly stable. CVWithout leaves such
	// samples out, CVFromOne has levels from 1.
	CV, CVWithout, CVFromOne stat.Value
	Zeros                    int        // samples whose mean level is 0
	RangeSD                  stat.Value // mean over samples of the standard deviation over the range of levels
	Agreement                stat.Value // mean over samples of the share of seeds with the most frequent label
	Powers                   []Power    // by variant
	Separation               stat.Value // Cliff's delta of successes over failures
	Inverted                 bool       // failures score higher, beyond chance
	Seeds                    []float64  // mean level over its range by seed
}

// cell is the labels of one criterion on one sample in one variant, by seed.
type cell map[int]*LabelRow

// study holds the labels of one round.
type study struct {
	samples []string           // in order
	done    map[string]*bool   // by sample
	cells   map[[3]string]cell // by criterion, sample and variant
	enough  int                // labels of a sample that tell its stability: 2, or 1 of a quantifier that is always the same
}

func newStudy(rows []LabelRow, c *Config) *study {
	s := &study{done: map[string]*bool{}, cells: map[[3]string]cell{}, enough: 2}
	if c.Quantifier == LexicalModel {
		s.enough = 1
	}
	samples := c.Samples
	for i := range samples {
		s.samples = append(s.samples, samples[i].ID)
		s.done[samples[i].ID] = samples[i].Done
	}
	for i := range rows {
		r := &rows[i]
		key := [3]string{r.Criterion, r.Sample, r.Variant}
		if s.cells[key] == nil {
			s.cells[key] = cell{}
		}
		s.cells[key][r.Seed] = r
	}
	return s
}

// levels returns the levels of the scored labels in order of seeds, from 0.
func (c cell) levels() (levels []float64) {
	for _, seed := range byKey(c) {
		if c[seed].Level != nil {
			levels = append(levels, float64(*c[seed].Level))
		}
	}
	return levels
}

func byKey[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// measure fills in what the labels tell of a criterion, and the verdict.
func (s *study) measure(c *Criterion, variants []string, t Thresholds) Finding {
	f := Finding{Criterion: c}
	s.stability(&f)
	if c.Ordered() {
		for _, v := range variants {
			f.Powers = append(f.Powers, s.power(c, v))
		}
		s.separation(&f, t)
		f.Seeds = s.bySeed(c)
	}
	f.judge(t)
	return f
}

// stability measures how much labels of the same sample differ between seeds.
func (s *study) stability(f *Finding) {
	var cv, without, fromOne, spread, modal []float64
	top := float64(len(f.Criterion.Values) - 1)
	for _, sample := range s.samples {
		c := s.cells[[3]string{f.Criterion.Name, sample, ""}]
		f.Of += len(c)
		levels := c.levels()
		if f.Scored += len(levels); len(levels) < s.enough {
			continue
		}
		f.Samples++
		count, most := map[float64]int{}, 0
		sum := 0.0
		for _, l := range levels {
			count[l]++
			most = max(most, count[l])
			sum += l
		}
		modal = append(modal, float64(most)/float64(len(levels)))
		sd, mean := stat.SD(levels, stat.Population).V, sum/float64(len(levels))
		spread = append(spread, sd/top)
		fromOne = append(fromOne, sd/(mean+1))
		if mean == 0 {
			f.Zeros++
			cv = append(cv, 0)
			continue
		}
		cv, without = append(cv, sd/mean), append(without, sd/mean)
	}
	f.Agreement = meanOf(modal, "no sample has two labels")
	if !f.Criterion.Ordered() {
		none := stat.Undefined("its values have no order")
		f.CV, f.CVWithout, f.CVFromOne, f.RangeSD, f.Separation = none, none, none, none, none
		return
	}
	f.CV, f.RangeSD = meanOf(cv, "no sample has two labels"), meanOf(spread, "no sample has two labels")
	f.CVFromOne, f.CVWithout = meanOf(fromOne, "no sample has two labels"), meanOf(without, "no sample has two labels and a mean above 0")
}

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

// power compares samples with their disturbed forms, each by its mean level over the seeds that have both: seeds of
// one sample are not independent of each other.
func (s *study) power(c *Criterion, variant string) Power {
	p := Power{Variant: variant}
	var original, disturbed []float64
	for _, sample := range s.samples {
		a, b := s.cells[[3]string{c.Name, sample, ""}], s.cells[[3]string{c.Name, sample, variant}]
		x, y, n := 0.0, 0.0, 0
		for seed, l := range a {
			if other := b[seed]; l.Level != nil && other != nil && other.Level != nil {
				x, y, n = x+float64(*l.Level), y+float64(*other.Level), n+1
			}
		}
		if n > 0 {
			scale := float64(n * (len(c.Values) - 1))
			original, disturbed = append(original, x/scale), append(disturbed, y/scale)
		}
	}
	none := "no sample has labels in both forms"
	p.Original, p.Disturbed, p.P = meanOf(original, none), meanOf(disturbed, none), stat.Undefined(none)
	if len(original) > 0 {
		test := stat.SignTest(original, disturbed, stat.Greater)
		p.Better, p.Ties, p.P = int(test.Statistic.V), test.Zeros, test.P
		p.Worse = len(original) - p.Better - p.Ties
	}
	return p
}

// separation compares successes with failures, where both are known.
func (s *study) separation(f *Finding, t Thresholds) {
	var success, failure []float64
	for _, sample := range s.samples {
		m := s.mean(f.Criterion, sample)
		switch done := s.done[sample]; {
		case m == nil || done == nil:
		case *done:
			success = append(success, *m)
		default:
			failure = append(failure, *m)
		}
	}
	f.Separation = stat.Undefined("there are no two successes and two failures with labels")
	if len(success) > 1 && len(failure) > 1 {
		f.Separation = stat.CliffDelta(success, failure)
		if test := stat.Welch(failure, success, eval.Confidence, stat.Greater); test.P.OK() {
			f.Inverted = test.P.V < t.Alpha
		}
	}
}

// mean returns the mean level of an undisturbed sample over the range of levels; nil where nothing is scored.
func (s *study) mean(c *Criterion, sample string) *float64 {
	m := meanOf(s.cells[[3]string{c.Name, sample, ""}].levels(), "nothing is scored")
	if !m.OK() {
		return nil
	}
	return new(m.V / float64(len(c.Values)-1))
}

// bySeed returns the mean level of undisturbed samples by seed.
func (s *study) bySeed(c *Criterion) []float64 {
	sum, n := map[int]float64{}, map[int]float64{}
	for _, sample := range s.samples {
		for seed, l := range s.cells[[3]string{c.Name, sample, ""}] {
			if l.Level != nil {
				sum[seed] += float64(*l.Level) / float64(len(c.Values)-1)
				n[seed]++
			}
		}
	}
	var list []float64
	for _, seed := range byKey(sum) {
		list = append(list, sum[seed]/n[seed])
	}
	return list
}

// stable reports whether a criterion passes by a figure of stability, and why not.
func (f *Finding) stable(t Thresholds, figure string) (ok bool, reason string) {
	if !f.Criterion.Ordered() {
		figure = "agreement"
	}
	v, limit, most := f.RangeSD, t.MaxRangeSD, true
	switch figure {
	case "cv":
		v, limit = f.CV, t.MaxCV
	case "agreement":
		v, limit, most = f.Agreement, t.MinAgreement, false
	}
	switch {
	case !v.OK():
		return false, "stability is not known: " + v.Reason
	case most && v.V > limit:
		return false, fmt.Sprintf("not stable: %s %.3f is above %.3g", figure, v.V, limit)
	case !most && v.V < limit:
		return false, fmt.Sprintf("not stable: %s %.3f is below %.3g", figure, v.V, limit)
	}
	return true, ""
}

// judge gives the verdict: what fails is dropped, what could not be told is flagged.
func (f *Finding) judge(t Thresholds) {
	set := func(verdict, format string, args ...any) { f.Verdict, f.Reason = verdict, fmt.Sprintf(format, args...) }
	c := f.Criterion
	stable, why := f.stable(t, t.Stability)
	switch {
	case f.Of == 0 || float64(f.Scored) < t.MinScored*float64(f.Of):
		set(Flag, "%d of %d labels could be had", f.Scored, f.Of)
		return
	case f.Samples == 0:
		set(Flag, "%s", why)
		return
	case !stable:
		set(Out, "%s", why)
		return
	case c.Kind == Attribute:
		set(Flag, "it is an attribute of the task, not of how it is done")
		return
	case !c.Ordered():
		set(Flag, "the order of its values is unknown: write it in the file of criteria")
		return
	}
	for i := range f.Powers {
		p := &f.Powers[i]
		share := p.Share()
		switch {
		case share.Value == nil && p.Ties == 0:
			set(Flag, "disturbed by %s: %s", p.Variant, p.P.Reason)
		case share.Value == nil:
			set(Out, "disturbed by %s, all %d samples score the same", p.Variant, p.Ties)
		case p.Better <= p.Worse || *share.Value < t.MinPower:
			set(Out, "disturbed by %s, %d samples score lower, %d higher, %d the same", p.Variant, p.Better, p.Worse, p.Ties)
		case p.P.V > t.Alpha:
			set(Flag, "disturbed by %s, %d samples score lower, %d higher, %d the same: too few to tell (p %.3f)", p.Variant, p.Better, p.Worse, p.Ties, p.P.V)
		default:
			continue
		}
		return
	}
	if f.Inverted {
		set(Flag, "failures score higher than successes (Cliff's delta %.2f)", f.Separation.V)
		return
	}
	set(Keep, "stable, and lower when disturbed")
	if len(f.Powers) == 0 {
		set(Keep, "stable; not tested on disturbed samples")
	}
}
