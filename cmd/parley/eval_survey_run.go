package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/judge"
	"parley/eval/survey"
	"parley/eval/survey/form"
	"parley/logs"
	"parley/sim/fleet"
	"parley/sim/llm"
)

// surveyInputName is the file of a run that holds the documents that it was begun with.
const surveyInputName = "input.jsonl"

// surveyInput is one document as a run begins with it.
type surveyInput struct {
	ID       string         `json:"id"`
	File     string         `json:"file"`
	Document *form.Document `json:"document"` // null: it could not be read
	Reason   string         `json:"reason,omitempty"`
}

func surveyRunCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "have documents judged by an evaluator and a critic",
		ArgsUsage: "FILE|DIR...",
		Description: "The evaluator scores every document by the aspects of a rubric; the SAGE agent reviews those\n" +
			"verdicts, and proposes other definitions and new aspects. Baselines are the evaluator asked twice\n" +
			"and a checklist. The run is a directory like any other: parley resume DIR goes on with it after a\n" +
			"stop. What was asked for stands in the document: \"prompt\" in JSON, or a front of --- lines.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "evaluator", Usage: "`MODEL` of the evaluator"},
			&cli.StringFlag{Name: "sage", Usage: "`MODEL` of the SAGE agent; none: the evaluator alone"},
			&cli.StringFlag{Name: "variant", Value: "vanilla", Usage: "of the SAGE agent: vanilla, reflect or cot"},
			&cli.StringFlag{Name: "scores", Value: "top", Usage: "how scores are had: top, logprob or samples"},
			&cli.IntFlag{Name: "draws", Value: 20, Usage: "`N` draws for --scores samples"},
			&cli.StringSliceFlag{Name: "baseline", Usage: "also judge by `METHODS`: twice, checklist; separated by commas"},
			&cli.StringFlag{Name: "rubric", Usage: "`FILE` of the rubric (default: the built-in one)"},
			&cli.StringSliceFlag{Name: "aspect", Usage: "judge by these `ASPECTS` of the rubric only"},
			&cli.BoolFlag{Name: "trusting", Usage: "take verdicts that do not repeat the question's nonce, for judges that cannot; a document may then speak for the judge"},
			&cli.IntFlag{Name: "max-tokens", Value: 1000, Usage: "`N` tokens of a reply at most"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` that all randomness comes from"},
			&cli.IntFlag{Name: "jobs", DefaultText: "by the models", Usage: "`N` documents at once"},
			&cli.StringFlag{Name: "out", Usage: "`DIR` of the run (default runs/<time>)"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		},
		Action: func(c *cli.Context) error {
			g, err := surveyConfigOf(c)
			if err != nil {
				return err
			}
			return beginSurvey(c, g)
		},
	}
}

// beginSurvey begins a run. It keeps the documents, so that the run does not depend on their files.
func beginSurvey(c *cli.Context, g *surveyConfig) error {
	files, err := documentFiles(c.Args().Slice())
	if err != nil {
		return err
	}
	id, err := newRunID(time.Now())
	if err != nil {
		return err
	}
	dir := c.String("out")
	if dir == "" {
		dir = filepath.Join("runs", id)
	}
	if exists(filepath.Join(dir, manifestName)) {
		return fmt.Errorf("%s holds a run already: go on with it (parley resume %s) or name another directory", dir, dir)
	}
	var text []byte
	for i, file := range files {
		in := surveyInput{ID: fmt.Sprintf("d%06d", i+1), File: file}
		if in.Document, err = readDocument(file); err != nil {
			in.Reason = err.Error()
		}
		line, err := json.Marshal(in)
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	g.Documents = len(files)
	m := newManifest(id, nil, time.Now())
	m.Survey = g
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := logs.WriteFile(filepath.Join(dir, surveyInputName), text); err != nil {
		return err
	}
	return runSurvey(c, dir, m, false)
}

// runSurvey does what is left of a run and prints its results.
func runSurvey(c *cli.Context, dir string, m *manifest, again bool) error {
	if m.State != stateComplete {
		if err := playSurvey(c.Context, c.App.ErrWriter, dir, m, again); err != nil {
			return err
		}
	}
	d, err := readSurvey(dir, m)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		err = printJSON(c.App.Writer, answer{Run: dir, Sessions: m.Sessions, Results: m.Results})
	} else {
		err = printSurvey(c.App.Writer, dir, m, d)
	}
	if n, of := d.unscored(); err == nil && n > 0 {
		err = partialf("%d of %d verdicts are missing; the reasons stand in the report and in verdicts.parquet", n, of)
	}
	return err
}

// surveyPlayer has documents judged, one by one.
type surveyPlayer struct {
	dir      string
	inputs   []surveyInput
	agents   *survey.Agents
	crew     *crew
	config   *surveyConfig
	journal  *logs.Journal
	progress *progress
	now      func() time.Time
	done     map[string]bool
}

// playSurvey does what is left of a run, and brings it into its final form.
func playSurvey(ctx context.Context, talk io.Writer, dir string, m *manifest, again bool) (err error) {
	release, err := logs.Lock(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	p := &surveyPlayer{dir: dir, config: m.Survey, now: time.Now, done: map[string]bool{}}
	for in, err := range logs.Read[surveyInput](filepath.Join(dir, surveyInputName)) {
		if err != nil {
			return err
		}
		p.inputs = append(p.inputs, in)
	}
	if err := p.hire(ctx, m, talk); err != nil {
		return err
	}
	kept := surveyStreams()
	if again {
		if p.done, err = takeUpJobs(dir, kept, streamDocuments, func(row *documentRow) string { return row.ID }); err != nil {
			return err
		}
		fmt.Fprintf(talk, "resuming %s: %d of %d documents are complete\n", dir, len(p.done), len(p.inputs))
	}
	m.State, m.Finished = stateRunning, nil
	if err := m.write(dir); err != nil { // from here on there is a run to resume
		return err
	}
	if p.journal, err = logs.Open(dir, namesOf(kept), logs.Options{}); err != nil {
		return err
	}
	p.progress = newProgressOf(talk, "documents", "calls", len(p.inputs)-len(p.done), time.Now)
	played := p.play(ctx)
	p.progress.close()
	played = errors.Join(played, p.journal.Close())
	if played != nil {
		m.State = stateInterrupted
		return interruptedError{dir, errors.Join(played, m.write(dir))}
	}
	return p.finish(m, kept)
}

// hire opens the models and asks their servers who they are.
func (p *surveyPlayer) hire(ctx context.Context, m *manifest, talk io.Writer) error {
	g := p.config
	if m.Prompts == nil {
		m.Prompts = survey.PromptHashes()
	} else if !maps.Equal(m.Prompts, survey.PromptHashes()) {
		return errors.New("the prompts are not those that the run began with: begin a new run")
	}
	p.crew = emptyCrew(&Experiment{Seed: g.Seed}, m)
	for _, spec := range g.models() {
		if err := p.crew.hire(ctx, spec, talk); err != nil {
			return err
		}
	}
	judgeOf := func(spec string) *judge.Judge {
		if spec == "" {
			return nil
		}
		s := p.crew.judgeSampling(spec)
		s.MaxTokens = g.MaxTokens
		return &judge.Judge{Model: p.crew.open[spec], Name: spec, Sampling: s, Now: p.now, Trusting: g.Trusting}
	}
	p.agents = &survey.Agents{
		Evaluator: judgeOf(g.Evaluator), Sage: judgeOf(g.Sage), Rubric: g.Rubric, Mode: judge.Mode(g.Scores), Draws: g.Draws,
		Variant: g.Variant, Baselines: g.Baselines, Seed: g.Seed,
	}
	return nil
}

// play does all documents that are not done. After an error the run can be resumed.
func (p *surveyPlayer) play(ctx context.Context) error {
	n := p.config.Jobs
	if n <= 0 {
		n = max(2, p.crew.jobs)
	}
	err := fleet.Run(ctx, n, func(yield func(func(context.Context) error) bool) {
		for i := range p.inputs {
			if !p.done[p.inputs[i].ID] && !yield(func(ctx context.Context) error { return p.document(ctx, &p.inputs[i]) }) {
				return
			}
		}
	})
	if flushed := p.journal.Flush(context.WithoutCancel(ctx)); err == nil {
		err = flushed
	}
	return err
}

// document has one document judged. Its error stops the run.
func (p *surveyPlayer) document(ctx context.Context, in *surveyInput) error {
	row := documentRow{ID: in.ID, File: in.File, Status: eval.Scored, Started: p.now().UTC()}
	b := p.journal.Batch()
	if in.Document == nil {
		row.Status, row.Reason = eval.Failed, clean(in.Reason)
	} else {
		d := in.Document
		whole, err := json.Marshal(d)
		if err != nil {
			return fmt.Errorf("document %s: %w", in.ID, err)
		}
		row.Kind, row.Format, row.Title, row.Prompt, row.Document = string(d.Kind), d.Format, d.Heading(), d.Prompt, string(whole)
		out, err := p.agents.Judge(ctx, survey.Subject{ID: in.ID, Prompt: d.Prompt, Text: d.Text()})
		if err != nil {
			return err
		}
		for i := range out.Calls {
			if out.Calls[i].Fault.Lasting() {
				return fmt.Errorf("%s: %s", out.Calls[i].Model, clean(out.Calls[i].Error))
			}
		}
		for i := range out.Verdicts {
			out.Verdicts[i].Reason = clean(out.Verdicts[i].Reason)
		}
		for i := range out.Proposals {
			out.Proposals[i].Reason = clean(out.Proposals[i].Reason)
		}
		var found []findingRow
		for _, f := range form.Check(d) {
			found = append(found, findingRow{in.ID, f.Where, string(f.Rule), f.Message})
		}
		scores := out.Scores(p.config.Evaluator)
		row.Calls = len(out.Calls)
		addCalls(b, new(llm.Ledger), out.Calls)
		logs.Add(b, streamVerdicts, out.Verdicts...)
		logs.Add(b, streamProposals, out.Proposals...)
		logs.Add(b, streamFindings, found...)
		logs.Add(b, streamScores, scores...)
		p.progress.scores(scores)
		for range out.Calls {
			p.progress.turn()
		}
	}
	row.Finished = p.now().UTC()
	logs.Add(b, streamDocuments, row)
	if err := p.journal.Append(b); err != nil {
		return err
	}
	p.progress.session(stateComplete)
	return nil
}

// finish turns the journal into Parquet, measures, and writes the manifest last.
func (p *surveyPlayer) finish(m *manifest, kept []keeper) error {
	var err error
	if m.Streams, err = compactJobs(p.dir, kept); err != nil {
		return err
	}
	if m.Usage, err = usage(p.dir, m.Models, nil); err != nil {
		return err
	}
	d, err := readSurvey(p.dir, m)
	if err != nil {
		return err
	}
	m.Results = d.Results()
	m.Sessions = map[State]int{stateComplete: len(d.Documents)}
	if n := len(d.unread); n > 0 {
		m.Sessions[stateFailed] = n
	}
	now := p.now().UTC().Truncate(time.Microsecond)
	m.State, m.Finished = stateComplete, &now
	if err := writePage(filepath.Join(p.dir, reportName), surveyPage(m, d)); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := m.write(p.dir); err != nil {
		return err
	}
	return dropJobs(p.dir, kept, journalPath)
}
