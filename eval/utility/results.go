package utility

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"parley/eval"
	"parley/eval/run"
	"parley/eval/stat"
)

// Metrics lists the numbers of an assessment of utility. All but utility have one arm for each criterion.
func (p *Plan) Metrics() []eval.Metric {
	m := func(name, unit, title string, high float64, higher bool, caption string) eval.Metric {
		return eval.Metric{Scorer: "utility", Name: name, Unit: unit, Title: title, Caption: caption, High: high, Higher: higher, Headline: true}
	}
	list := []eval.Metric{
		m("utility", "samples", "utility", 1, true, "Mean label of a group's samples over all criteria that are kept, from 0 (the worst label) to 1 (the best)."),
		m("keep", "criteria", "kept", 1, true, "1: the verifier keeps the criterion; 0: it drops it, or leaves it to a person."),
		m("cv", "samples", "CV", 0, false, "Coefficient of variation of labels over seeds, levels from 0; a sample with nothing but the worst label counts as 0. It depends on where the scale starts."),
		m("range_sd", "samples", "SD over range", 0.5, false, "Standard deviation of labels over seeds, by the range of the scale."),
		m("agreement", "samples", "agreement", 1, true, "Share of seeds that give the most frequent label of a sample."),
		m("power", "samples", "power", 1, true, "Share of samples that score lower when disturbed, of those that change. The control names the way of disturbing; p is of the one-sided sign test."),
	}
	list[0].Paired = slices.ContainsFunc(p.config.Samples, func(s Sample) bool { return s.Item != "" })
	return list
}

// Study is what a run found.
type Study struct {
	Config   *Config
	Proposed []Criterion // by critics
	Rejected []string    // what critics proposed and could not be read
	Pool     []Criterion // of the first round, with verdicts where there are some
	Findings []*Finding  // of each criterion, from the last round that it was in
	Rounds   int         // in which something was quantified
	Notes    []string    // of steps
	labels   map[string][]LabelRow
}

// ReadStudy reads what a run found, and measures each criterion by the last round that has labels of it.
func ReadStudy(dir string, c *Config) (*Study, error) {
	s := &Study{Config: c}
	var err error
	if s.Proposed, s.Pool, s.Rejected, err = readStored(dir, c); err != nil {
		return nil, err
	}
	steps, err := Steps.All(dir)
	if err != nil {
		return nil, err
	}
	for _, r := range steps {
		if r.Note != "" {
			s.Notes = append(s.Notes, r.ID+": "+r.Note)
		}
	}
	rows, err := Labels.All(dir)
	if err != nil || len(rows) == 0 {
		return s, err
	}
	for _, r := range rows {
		s.Rounds = max(s.Rounds, r.Round)
	}
	s.labels = latest(rows, s.Rounds)
	for i := range s.Pool {
		f := s.measure(i, c.Seeds)
		if s.Findings = append(s.Findings, f); s.verifies() {
			f.Criterion.Verdict, f.Criterion.Reason = f.Verdict, f.Reason
		}
	}
	return s, nil
}

// measure returns what the labels of the i-th criterion tell by the first seeds.
func (s *Study) measure(i, seeds int) *Finding {
	c := &s.Pool[i]
	return measure(s.Config, c, s.labels[c.Name], seeds)
}

// verifies reports whether labels can tell a verdict: they are of several seeds, or of disturbed samples too.
func (s *Study) verifies() bool { return len(s.Config.Disturb) > 0 || s.Config.Seeds > 1 }

// utility returns the mean label of each sample, on a scale from 0 to 1, over the criteria that have an order and, where
// samples are disturbed, are kept.
func (s *Study) utility() (list []stat.Value) {
	for i := range s.Config.Samples {
		var values []float64
		for _, f := range s.Findings {
			if f.means[i].OK() && (len(s.Config.Disturb) == 0 || f.Verdict == Keep) {
				values = append(values, f.means[i].V)
			}
		}
		list = append(list, meanOf(values, "no criterion that counts has labels"))
	}
	return list
}

// Results returns the utility of each group, and for each criterion verdict, stability and power.
func (p *Plan) Results(dir string, _ *run.Manifest) ([]eval.Result, error) {
	s, err := ReadStudy(dir, p.config)
	if err != nil {
		return nil, err
	}
	sum := eval.NewSummary(p.Metrics(), p.Arms(), nil)
	if len(s.Findings) > 0 {
		for i, v := range s.utility() {
			sample := &p.config.Samples[i]
			add(sum, "utility", sample.Group, "", cmp.Or(sample.Item, sample.ID), v)
		}
	}
	for _, f := range s.Findings {
		s.summarize(f, sum)
	}
	results := sum.Results()
	for i := range results {
		r := &results[i]
		for _, f := range s.Findings {
			if at := max(0, slices.Index(p.config.Disturb, r.Control)); f.Criterion.Name != r.Arm {
				continue
			} else if r.Metric == "power" && len(f.powers) > 0 {
				r.P = f.powers[at].P.Ptr()
			} else if r.Metric == "keep" {
				r.Reason = f.Verdict + ": " + f.Reason
			}
		}
	}
	return results, nil
}

// add adds one value of an arm to the results.
func add(sum *eval.Summary, metric, arm, control, item string, v stat.Value) {
	score := eval.Score{Scorer: "utility", Metric: metric, Arm: arm, Control: control, Item: item, Value: v.Ptr(), Status: eval.Scored, Reason: v.Reason}
	if !v.OK() {
		score.Status = eval.Unparsed
	}
	sum.Add(&score)
}

// summarize adds the values of a criterion by sample to the results.
func (s *Study) summarize(f *Finding, sum *eval.Summary) {
	arm := f.Criterion.Name
	for _, figure := range []string{"cv", "range_sd", agreement} {
		if mean := f.Figure(figure); !mean.OK() {
			add(sum, figure, arm, "", "", mean)
			continue
		}
		for i, values := range f.stability {
			if values != nil {
				add(sum, figure, arm, "", s.Config.Samples[i].ID, stat.Number(values[figure]))
			}
		}
	}
	for _, p := range f.powers {
		for k, sample := range p.samples {
			if p.original[k] != p.disturbed[k] {
				add(sum, "power", arm, p.control, s.Config.Samples[sample].ID, yes(p.original[k] > p.disturbed[k]))
			}
		}
		if p.N == 0 {
			add(sum, "power", arm, p.control, "", stat.Undefined(cmp.Or(p.P.Reason, "all samples score the same when disturbed")))
		}
	}
	if len(f.powers) == 0 && len(s.Config.Disturb) > 0 {
		add(sum, "power", arm, "", "", stat.Undefined(unordered))
	}
	if s.verifies() {
		add(sum, "keep", arm, "", arm, yes(f.Verdict == Keep))
	}
}

// yes returns 1 for what is so, and 0 for what is not.
func yes(so bool) stat.Value { return stat.Number(map[bool]float64{true: 1}[so]) }

// Growth returns the number of different criteria by number of critics; nil where fewer than two were asked. A summariser
// writes criteria anew, so that the growth is that of merging alone.
func (s *Study) Growth() []stat.Rarefied {
	if s.Config.Critics < 2 || s.Config.Critic == "" {
		return nil
	}
	list := s.Pool
	if s.Config.Summariser != "" {
		list = Consolidate(s.Proposed, Lexical(s.Proposed), s.Config.Tau)
	}
	return Grow(list, s.Config.Critics, rand.New(rand.NewPCG(s.Config.Seed, 4)))
}

// Missing counts the labels of a run that should be there and are not.
func Missing(dir string) (n int, err error) {
	rows, err := Labels.All(dir)
	for i := range rows {
		if rows[i].Level == nil && rows[i].Status != eval.NotApplicable {
			n++
		}
	}
	return n, err
}
