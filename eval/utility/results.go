package utility

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"parley/eval"
	"parley/eval/run"
	"parley/eval/stat"
)

// Metrics lists the numbers of an assessment of utility. All but utility have one arm for each criterion.
func (p *Plan) Metrics() []eval.Metric {
	m := func(name, unit, title string, low, high float64, higher bool, caption string) eval.Metric {
		return eval.Metric{Scorer: "utility", Name: name, Unit: unit, Title: title, Caption: caption, Low: low, High: high, Higher: higher, Headline: true}
	}
	return []eval.Metric{
		m("utility", "samples", "utility", 0, 1, true, "Mean label of a group's samples over all criteria that are kept, from 0 (the worst label) to 1 (the best)."),
		m("keep", "criteria", "kept", 0, 1, true, "1: the verifier keeps the criterion; 0: it drops it, or leaves it to a person."),
		m("cv", "samples", "CV", 0, 0, false, "Coefficient of variation of labels over seeds, levels from 0; a sample with nothing but the worst label counts as 0. It depends on where the scale starts."),
		m("range_sd", "samples", "SD over range", 0, 0.5, false, "Standard deviation of labels over seeds, by the range of the scale."),
		m("agreement", "samples", "agreement", 0, 1, true, "Share of seeds that give the most frequent label of a sample."),
		m("power", "samples", "power", 0, 1, true, "Share of samples that score lower when disturbed, of those that change. The control names the way of disturbing; p is of the one-sided sign test."),
	}
}

// Study is what a run found.
type Study struct {
	Config   *Config
	Proposed []Criterion // by critics
	Rejected []string    // what critics proposed and could not be read
	Pool     []Criterion // of the first round
	Findings []Finding   // of each criterion, from the last round that it was in
	Rounds   int         // in which something was quantified
	Notes    []string    // what steps tell
	rows     []LabelRow
	last     *study // labels of each criterion's last round
}

// ReadStudy reads what a run found.
func ReadStudy(dir string, c *Config) (*Study, error) {
	s := &Study{Config: c}
	criteria, err := collectRows(Criteria, dir)
	if err != nil {
		return nil, err
	}
	if s.Proposed, err = decodeRows(criteria, "proposed"); err != nil {
		return nil, err
	}
	for _, r := range criteria {
		if r.Criterion == "" {
			s.Rejected = append(s.Rejected, r.Reason)
		}
	}
	if s.Pool, err = pool(c, criteria); err != nil {
		return nil, err
	}
	if s.rows, err = collectRows(Labels, dir); err != nil {
		return nil, err
	}
	steps, err := collectRows(Steps, dir)
	if err != nil {
		return nil, err
	}
	for _, r := range steps {
		if r.Note != "" && !r.Skipped {
			s.Notes = append(s.Notes, r.ID+": "+r.Note)
		}
	}
	s.find()
	return s, nil
}

func collectRows[T any](table run.Rows[T], dir string) ([]T, error) {
	var list []T
	for row, err := range table.Read(dir) {
		if err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, nil
}

// find measures each criterion by the last round that has labels of it.
func (s *Study) find() {
	lastRound := map[string]int{}
	for i := range s.rows {
		r := &s.rows[i]
		lastRound[r.Criterion] = max(lastRound[r.Criterion], r.Round)
		s.Rounds = max(s.Rounds, r.Round)
	}
	s.rows = slices.DeleteFunc(s.rows, func(r LabelRow) bool { return r.Round != lastRound[r.Criterion] })
	s.last = newStudy(s.rows, s.Config)
	if len(s.rows) == 0 {
		return
	}
	for i := range s.Pool {
		f := s.last.measure(&s.Pool[i], s.Config.Disturb, s.Config.Thresholds)
		s.Pool[i].Verdict, s.Pool[i].Reason = f.Verdict, f.Reason
		s.Findings = append(s.Findings, f)
	}
}

// Verifies reports whether verdicts were asked for, and labels not merely quantified.
func (s *Study) Verifies() bool {
	return len(s.Config.Disturb) > 0 || s.Config.Seeds > 1
}

// counts reports whether a criterion is part of the utility: it has an order and, where criteria are verified, is kept.
func (s *Study) counts(f *Finding) bool {
	return f.Criterion.Ordered() && f.Criterion.Kind != Attribute && (len(s.Config.Disturb) == 0 || f.Verdict == Keep)
}

// Utility returns the mean label of a group's samples on a scale from 0 to 1: by one criterion, or, with nil, over all
// criteria that count.
func (s *Study) Utility(group string, only *Criterion) stat.Interval {
	var values [][]float64
	for i := range s.Config.Samples {
		sample := &s.Config.Samples[i]
		if sample.Group != group {
			continue
		}
		sum, n := 0.0, 0
		for k := range s.Findings {
			f := &s.Findings[k]
			if only == nil && !s.counts(f) || only != nil && (f.Criterion.Name != only.Name || !only.Ordered()) {
				continue
			}
			if m := s.last.mean(f.Criterion, sample.ID); m != nil {
				sum, n = sum+*m, n+1
			}
		}
		if n > 0 {
			values = append(values, []float64{sum / float64(n)})
		}
	}
	if len(values) == 0 {
		return stat.Interval{Reason: "no criterion that counts has labels"}
	}
	return stat.BoundedInterval(values, 0, 1, eval.Confidence)
}

// Results returns the utility of each group, and for each criterion verdict, stability and power.
func (p *Plan) Results(dir string, _ *run.Manifest) ([]eval.Result, error) {
	s, err := ReadStudy(dir, p.config)
	if err != nil {
		return nil, err
	}
	return s.Results(), nil
}

// Results returns the numbers of a study.
func (s *Study) Results() []eval.Result {
	results := []eval.Result{}
	add := func(metric, arm, control string, n, of int, v stat.Interval, p stat.Value) {
		reason := v.Reason
		if v.Value != nil && v.Low == nil {
			reason = orElse(reason, "no interval")
		}
		unit := "samples"
		if metric == "keep" {
			unit = "criteria"
		}
		results = append(results, eval.Result{Scorer: "utility", Metric: metric, Arm: arm, Control: control, Value: v.Value, Low: v.Low, High: v.High, P: p.Ptr(), N: n, Of: of, Unit: unit, Reason: reason})
	}
	none := stat.Undefined("no test")
	if len(s.Findings) > 0 {
		for _, group := range s.Config.groups() {
			of := 0
			for i := range s.Config.Samples {
				if s.Config.Samples[i].Group == group {
					of++
				}
			}
			u := s.Utility(group, nil)
			add("utility", group, "", u.N, of, u, none)
		}
	}
	for i := range s.Findings {
		f := &s.Findings[i]
		name, all := f.Criterion.Name, len(s.Config.Samples)
		point := func(v stat.Value) stat.Interval { return stat.Interval{Value: v.Ptr(), Reason: v.Reason} }
		n := func(v stat.Value) int {
			if !v.OK() {
				return 0
			}
			return f.Samples
		}
		if s.Verifies() {
			keep := 0.0
			if f.Verdict == Keep {
				keep = 1
			}
			add("keep", name, "", 1, 1, stat.Interval{Value: &keep, Reason: f.Verdict + ": " + f.Reason}, none)
		}
		add("cv", name, "", n(f.CV), all, point(f.CV), none)
		add("range_sd", name, "", n(f.RangeSD), all, point(f.RangeSD), none)
		add("agreement", name, "", n(f.Agreement), all, point(f.Agreement), none)
		for k := range f.Powers {
			w := &f.Powers[k]
			control := w.Variant
			if k == 0 {
				control = ""
			}
			share := w.Share()
			if share.Value == nil {
				share.Reason = orElse(w.P.Reason, fmt.Sprintf("all %d samples score the same disturbed by %s", w.Ties, w.Variant))
			}
			add("power", name, control, w.Better+w.Worse, w.Better+w.Worse+w.Ties, share, w.P)
		}
		if len(f.Powers) == 0 && len(s.Config.Disturb) > 0 {
			add("power", name, "", 0, all, stat.Interval{Reason: "its values have no order"}, none)
		}
	}
	return results
}

// Growth returns the number of different criteria by number of critics; nil where none were asked.
func (s *Study) Growth() []Growth {
	if s.Config.Critics < 2 || s.Config.Critic == "" {
		return nil
	}
	return Grow(s.Pool, s.Config.Critics, rand.New(rand.NewPCG(s.Config.Seed, 4)))
}

// Edited returns the criteria as they are now, for the file that a person edits: with verdicts where there are some.
func (s *Study) Edited() []Criterion {
	if s.Config.Critic == "" || len(s.Findings) > 0 {
		return s.Pool
	}
	return s.Proposed
}

// Missing counts the labels of a run that should be there and are not.
func Missing(dir string) (int, error) {
	n := 0
	for row, err := range Labels.Read(dir) {
		if err != nil {
			return 0, err
		}
		if row.Level == nil && row.Status != eval.NotApplicable {
			n++
		}
	}
	return n, nil
}
