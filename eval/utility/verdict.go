package utility

import (
	"fmt"

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
