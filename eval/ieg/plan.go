package ieg

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"

	"parley/characters"
	"parley/eval"
	"parley/eval/report"
	"parley/eval/run"
	"parley/logs"
)

// Kind names studies of the expressiveness gap in manifests.
const Kind = "ieg"

// Config is the whole configuration of a study. Files hold windows; a run keeps copies of them.
type Config struct {
	RealTrain string         `yaml:"real_train" json:"real_train"`
	RealVal   string         `yaml:"real_val,omitempty" json:"real_val,omitempty"` // none: thresholds are settled without
	RealTest  string         `yaml:"real_test" json:"real_test"`
	Generated []SourceConfig `yaml:"generated" json:"generated"`
	Stretches bool           `yaml:"stretches,omitempty" json:"stretches,omitempty"` // windows are stretches of play, and not cut at moves
	Seeds     int            `yaml:"seeds" json:"seeds"`                             // virtual DMs of each kind

	run.Settings `yaml:",inline"`
}

// SourceConfig is a source of generated play.
type SourceConfig struct {
	Name string `yaml:"name" json:"name"`
	File string `yaml:"file" json:"file"`
}

// Prediction of a virtual DM for a window of the test, as a run keeps it.
type predictionRow struct {
	Session    string   `json:"session" parquet:"session,dict"` // the training
	Window     string   `json:"window" parquet:"window,dict"`
	Characters []string `json:"characters" parquet:"characters,list"`
	Skills     []string `json:"skills" parquet:"skills,list"` // by character
	Reason     string   `json:"reason" parquet:"reason,dict"` // why there is none; empty: there is one
}

// trainingRow is a virtual DM that was trained and tested, or could not be.
type trainingRow struct {
	ID      string    `json:"id" parquet:"id"`
	Arm     string    `json:"arm" parquet:"arm,dict"`
	Control string    `json:"control" parquet:"control,dict"`
	Seed    int       `json:"seed" parquet:"seed"`
	Train   int       `json:"train" parquet:"train"` // windows
	Val     int       `json:"val" parquet:"val"`
	Reason  string    `json:"reason" parquet:"reason,dict"`
	State   run.State `json:"state" parquet:"state,dict"`
}

var (
	predictions = run.Rows[predictionRow]{
		Name: "predictions", Job: func(r *predictionRow) string { return r.Session },
		Compare: func(a, b *predictionRow) int { return cmp.Compare(a.Session, b.Session) },
		Check: func() run.CheckRow[predictionRow] {
			return func(r *predictionRow, finding func(string, ...any)) {
				if r != nil && len(r.Characters) != len(r.Skills) {
					finding("%s of %s: %d characters, %d skills", r.Window, r.Session, len(r.Characters), len(r.Skills))
				}
			}
		},
	}
	trainings = run.Rows[trainingRow]{
		Name: "trainings", Job: func(r *trainingRow) string { return r.ID }, Keep: logs.KeepLast,
		Compare: func(a, b *trainingRow) int { return cmp.Compare(a.ID, b.ID) },
		State:   func(r *trainingRow) run.State { return r.State },
	}
)

// Plan is a study as a run: each training with its test is a job.
type Plan struct {
	config *Config
	train  Trainer
	study  *Study
	report *Report
	kinds  []kind
}

// New returns the plan of a configuration.
func New(c *Config, train Trainer) *Plan { return &Plan{config: c, train: train} }

// Decode returns what makes the plan again from the configuration in a manifest.
func Decode(train Trainer) func(json.RawMessage) (run.Plan, error) {
	return func(config json.RawMessage) (run.Plan, error) {
		var c Config
		if err := json.Unmarshal(config, &c); err != nil {
			return nil, err
		}
		return New(&c, train), nil
	}
}

func (p *Plan) Kind() string            { return Kind }
func (p *Plan) Config() any             { return p.config }
func (p *Plan) Settings() *run.Settings { return &p.config.Settings }
func (p *Plan) Models() []run.Use       { return nil }
func (p *Plan) Tables() []run.Table     { return []run.Table{predictions, trainings} }

// Arms returns real play and the names of the sources.
func (p *Plan) Arms() []string {
	names := []string{"real"}
	for _, g := range p.config.Generated {
		names = append(names, g.Name)
	}
	return names
}

// Metrics lists what the page shows first.
func (p *Plan) Metrics() []eval.Metric {
	var list []eval.Metric
	for _, m := range []eval.Metric{
		{Name: "words", Low: -100, High: 100, Higher: true, Title: "added by words", Headline: true,
			Caption: "F-score of virtual DMs that learned from this play, less that of others that learned from the same windows without words."},
		{Name: "G", High: 100, Title: "expressiveness gap"},
		{Name: "signed", Low: -100, High: 100, Title: "real minus generated"},
		{Name: "f", High: 100, Higher: true, Title: "F-score"},
	} {
		for _, of := range [][2]string{{"_o", ", who tries what"}, {"_c", ", who acts"}} {
			m := m
			m.Scorer, m.Unit, m.Name, m.Title = Scorer, "predictions", m.Name+of[0], m.Title+of[1]
			list = append(list, m)
		}
	}
	return list
}

// load reads the windows with a function that reads a file.
func (p *Plan) load(read func(string) ([]byte, error)) error {
	if p.study != nil {
		return nil
	}
	c := p.config
	s := &Study{Train: p.train, Seeds: c.Seeds, Seed: c.Seed, Stretches: c.Stretches}
	windows := func(file string, to *[]Interaction) error {
		if file == "" {
			return nil
		}
		data, err := read(file)
		if err != nil {
			return err
		}
		for x, err := range Read(bytes.NewReader(data), file) {
			if err != nil {
				return err
			}
			*to = append(*to, x)
		}
		return nil
	}
	for file, to := range map[string]*[]Interaction{c.RealTrain: &s.RealTrain, c.RealVal: &s.RealVal, c.RealTest: &s.RealTest} {
		if err := windows(file, to); err != nil {
			return err
		}
	}
	for _, g := range c.Generated {
		source := Source{Name: g.Name}
		if err := windows(g.File, &source.Interactions); err != nil {
			return err
		}
		s.Generated = append(s.Generated, source)
	}
	if err := s.Validate(); err != nil {
		return run.Usagef("%w", err)
	}
	p.study, p.report = s, &Report{}
	p.kinds = s.kinds(p.report)
	return nil
}

// Prepare reads the windows.
func (p *Plan) Prepare(_ context.Context, env *run.Env) error { return p.load(env.Read) }

// Jobs yields a job for each training, all kinds of one seed after another.
func (p *Plan) Jobs(env *run.Env) iter.Seq2[run.Job, error] {
	return func(yield func(run.Job, error) bool) {
		if err := p.load(env.Read); err != nil {
			yield(run.Job{}, err)
			return
		}
		for n := range p.seeds() {
			for k := range p.kinds {
				if !yield(run.Job{ID: jobID(n, k), Do: func(ctx context.Context, w *run.Writer) error { return p.one(ctx, w, n, k) }}, nil) {
					return
				}
			}
		}
	}
}

func (p *Plan) seeds() int { return cmp.Or(p.config.Seeds, Seeds) }

func jobID(seed, kind int) string { return fmt.Sprintf("seed%03d-%03d", seed+1, kind+1) }

// one trains and tests a virtual DM.
func (p *Plan) one(ctx context.Context, w *run.Writer, n, k int) error {
	panel, id := p.kinds[k].panel, jobID(n, k)
	row := trainingRow{ID: id, Arm: panel.Name, Control: panel.Control, Seed: n + 1, Train: panel.Train, Val: panel.Val}
	predicted, err := p.study.predict(ctx, p.kinds[k].draw, p.study.seed(n))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		row.Reason = err.Error()
	}
	for i, got := range predicted {
		r := predictionRow{Session: id, Window: p.study.RealTest[i].ID, Characters: []string{}, Skills: []string{}, Reason: got.Reason}
		for _, in := range got.Intentions {
			r.Characters, r.Skills = append(r.Characters, in.Character), append(r.Skills, string(in.Skill))
		}
		predictions.Add(w, r)
	}
	row.State = w.Done(run.Complete)
	trainings.Add(w, row)
	return nil
}

// Results scores the predictions that a run holds.
func (p *Plan) Results(dir string, m *run.Manifest) ([]eval.Result, error) {
	fresh := New(p.config, p.train)
	if err := fresh.load(func(file string) ([]byte, error) { return m.ReadInput(dir, file) }); err != nil {
		return nil, err
	}
	s := fresh.study
	windows, jobs := map[string]int{}, map[string]int{}
	for i := range s.RealTest {
		windows[s.RealTest[i].ID] = i
	}
	trained := make([]Trained, fresh.seeds()*len(fresh.kinds))
	for job := range trained {
		trained[job].Reason = "it was not trained"
		jobs[jobID(job/len(fresh.kinds), job%len(fresh.kinds))] = job
	}
	for row, err := range trainings.Read(dir) {
		if err != nil {
			return nil, err
		}
		if job, known := jobs[row.ID]; known {
			trained[job] = Trained{Reason: row.Reason}
			if row.Reason == "" {
				trained[job].Marks = make([]Mark, len(s.RealTest))
				for i := range s.RealTest {
					trained[job].Marks[i] = Score(&s.RealTest[i], Prediction{Reason: "the run holds no prediction"})
				}
			}
		}
	}
	for row, err := range predictions.Read(dir) {
		if err != nil {
			return nil, err
		}
		job, known := jobs[row.Session]
		i, tested := windows[row.Window]
		if !known || !tested || trained[job].Marks == nil || len(row.Characters) != len(row.Skills) {
			return nil, fmt.Errorf("%s: the prediction for %s of %s is none that this study makes", dir, row.Window, row.Session)
		}
		got := Prediction{Reason: row.Reason}
		for k := range row.Characters {
			got.Intentions = append(got.Intentions, Intention{row.Characters[k], characters.Skill(row.Skills[k])})
		}
		trained[job].Marks[i] = Score(&s.RealTest[i], got)
	}
	if err := s.fill(context.Background(), fresh.report, fresh.kinds, trained); err != nil {
		return nil, err
	}
	return fresh.report.Results(Bootstrap{Seed: s.Seed}), nil
}

// Report writes the page of the study.
func (p *Plan) Report(_ string, m *run.Manifest, w io.Writer) error {
	page := report.Page{
		Manifest: m, Metrics: p.Metrics(), Config: p.config, Rerun: "parley eval ieg", Title: "Expressiveness gap",
		Subtitle: fmt.Sprintf("%d sources of generated play against real play, %d virtual DMs of each kind, seed %d.", len(p.config.Generated), p.seeds(), p.config.Seed),
	}
	return page.Write(w)
}

// Steps names what jobs do.
func (p *Plan) Steps() string { return "virtual DMs" }

// Missing counts the F-scores and gaps that a study should have and could not. A gap that would not measure
// words is none of them.
func Missing(results []eval.Result) (n int) {
	for _, r := range results {
		if r.Value == nil && r.Control != Baseline && r.Reason != wordless && (strings.HasPrefix(r.Metric, "f_") || strings.HasPrefix(r.Metric, "G_")) {
			n++
		}
	}
	return n
}
