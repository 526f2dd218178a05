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
	Findings []Finding   // of each criterion, from the last round that it was in
	Rounds   int         // in which something was quantified
	Notes    []string    // of steps
	rows     []LabelRow  // of each criterion's last round
	last     *study
}

// ReadStudy reads what a run found, and measures each criterion by the last round that has labels of it.
func ReadStudy(dir string, c *Config) (*Study, error) {
	read, err := readStored(dir)
	if err != nil {
		return nil, err
	}
	s := &Study{Config: c, Proposed: read.proposed, Rejected: read.rejected, Pool: read.pool(c)}
	for r, err := range Steps.Sorted(dir) {
		if err != nil {
			return nil, err
		}
		if r.Note != "" && !r.Skipped {
			s.Notes = append(s.Notes, r.ID+": "+r.Note)
		}
	}
	if s.rows, err = Labels.All(dir); err != nil {
		return nil, err
	}
	lastRound := map[string]int{}
	for i := range s.rows {
		r := &s.rows[i]
		lastRound[r.Criterion] = max(lastRound[r.Criterion], r.Round)
		s.Rounds = max(s.Rounds, r.Round)
	}
	s.rows = slices.DeleteFunc(s.rows, func(r LabelRow) bool { return r.Round != lastRound[r.Criterion] })
	s.last = newStudy(c, s.rows)
	for i := range s.Pool {
		if len(s.rows) == 0 {
			break
		}
		f := s.last.measure(&s.Pool[i])
		s.Findings = append(s.Findings, f)
		if s.verifies() {
			s.Pool[i].Verdict, s.Pool[i].Reason = f.Verdict, f.Reason
		}
	}
	return s, nil
}

// verifies reports whether labels can tell a verdict: they are of several seeds, or of disturbed samples too.
func (s *Study) verifies() bool { return len(s.Config.Disturb) > 0 || s.Config.Seeds > 1 }

// counts reports whether a criterion is part of the utility: it has an order and, where criteria are verified, is kept.
func (s *Study) counts(f *Finding) bool {
	return f.Criterion.Ordered() && (len(s.Config.Disturb) == 0 || f.Verdict == Keep)
}

// utility returns the mean label of a sample over the criteria that count, on a scale from 0 to 1.
func (s *Study) utility(sample int) stat.Value {
	var values []float64
	for i := range s.Findings {
		if m := s.last.mean(s.Findings[i].Criterion, sample); m.OK() && s.counts(&s.Findings[i]) {
			values = append(values, m.V)
		}
	}
	return meanOf(values, "no criterion that counts has labels")
}

// Results returns the utility of each group, and for each criterion verdict, stability and power.
func (p *Plan) Results(dir string, _ *run.Manifest) ([]eval.Result, error) {
	s, err := ReadStudy(dir, p.config)
	if err != nil {
		return nil, err
	}
	sum := eval.NewSummary(p.Metrics(), p.Arms(), nil)
	for i := range p.config.Samples {
		if sample := &p.config.Samples[i]; len(s.Findings) > 0 {
			add(sum, "utility", sample.Group, "", sample.item(), s.utility(i))
		}
	}
	for i := range s.Findings {
		s.summarize(&s.Findings[i], sum)
	}
	results := sum.Results()
	for i := range results {
		r := &results[i]
		at := slices.IndexFunc(s.Findings, func(f Finding) bool { return f.Criterion.Name == r.Arm })
		if r.Metric == "keep" {
			r.Reason = s.Findings[at].Verdict + ": " + s.Findings[at].Reason
		} else if r.Metric == "power" {
			for _, w := range s.Findings[at].Powers {
				if w.Control == r.Control {
					r.P = w.P.Ptr()
				}
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
	id := func(sample int) string { return s.Config.Samples[sample].ID }
	for _, figure := range figures {
		if !figure.metric {
			continue
		}
		if mean := f.Figure(figure.name); !mean.OK() {
			add(sum, figure.name, arm, "", "", mean)
			continue
		}
		for _, spread := range f.Spreads {
			v, _ := figure.of(spread)
			add(sum, figure.name, arm, "", id(spread.Sample), stat.Number(v))
		}
	}
	for k := range f.Powers {
		w := &f.Powers[k]
		for value, samples := range [][]int{w.Lower, w.Higher} {
			for _, sample := range samples {
				add(sum, "power", arm, w.Control, id(sample), stat.Number(float64(value)))
			}
		}
		if len(w.Lower)+len(w.Higher) == 0 {
			add(sum, "power", arm, w.Control, "", stat.Undefined(cmp.Or(w.P.Reason, "all samples score the same when disturbed")))
		}
	}
	if len(f.Powers) == 0 && len(s.Config.Disturb) > 0 {
		add(sum, "power", arm, "", "", stat.Undefined("its values have no order"))
	}
	if s.verifies() {
		keep := 0.0
		if f.Verdict == Keep {
			keep = 1
		}
		add(sum, "keep", arm, "", arm, stat.Number(keep))
	}
}

// Edited returns the criteria for the file that a person edits: with verdicts where there are some, and all that were
// proposed where nothing was quantified.
func (s *Study) Edited() []Criterion {
	if s.Config.Critic != "" && len(s.Findings) == 0 {
		return s.Proposed
	}
	return s.Pool
}

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
