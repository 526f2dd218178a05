package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval/judge"
	"parley/eval/script"
	"parley/logs"
	"parley/sim/llm"
)

// scriptTasksName is the file of a run that holds the tasks that it was begun with.
const scriptTasksName = "input.jsonl"

func evalScriptRunCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "have models write scripts, judge them, and rank the models",
		ArgsUsage: " ",
		Description: "Each --model writes a script for each task. A model's options temperature and seed make arms of\n" +
			"one model; reference:intact and reference:FAULT write the task's own steps, with a planted fault.\n" +
			"Gold answers for the critic are learned from all scripts of the task (pool), from all but the one\n" +
			"that is judged (leave-one-out), from none (direct), or are the task's own steps (reference).\n" +
			"The run is a directory like any other: parley resume DIR goes on with it after a stop.",
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "model", Usage: "a `MODEL` under test; repeat for several"},
			&cli.StringSliceFlag{Name: "persona", Usage: "have every model answer as `CHARACTER`, an id of the library or a file; each further one is an arm of its own"},
			&cli.BoolFlag{Name: "gold", Usage: "judge with a gold answer (default)"},
			&cli.BoolFlag{Name: "no-gold", Usage: "judge without one"},
			&cli.StringFlag{Name: "gold-from", Value: "pool", Usage: "`SOURCE` of gold answers: pool, leave-one-out, direct or reference"},
		}, judgeFlags()...),
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usagef("eval script run takes flags only, and got %s", c.Args().First())
			}
			g := &scriptConfig{Gold: c.String("gold-from")}
			if c.Bool("no-gold") {
				if c.Bool("gold") || c.IsSet("gold-from") {
					return usagef("--no-gold and --gold or --gold-from exclude each other")
				}
				g.Gold = "none"
			}
			if err := g.authorsOf(c); err != nil {
				return err
			}
			if err := g.judgesOf(c); err != nil {
				return err
			}
			return beginScripts(c, g)
		},
	}
}

// authorsOf makes an author of every model and persona.
func (g *scriptConfig) authorsOf(c *cli.Context) error {
	if len(c.StringSlice("model")) == 0 {
		return usagef("eval script run needs a model to test: --model MODEL, such as ollama:llama3.2:1b, or reference:intact")
	}
	for _, text := range c.StringSlice("model") {
		a, err := authorOf(text)
		if err != nil {
			return err
		}
		if a.Model == "" || len(c.StringSlice("persona")) == 0 {
			g.Authors = append(g.Authors, a)
			continue
		}
		for _, name := range c.StringSlice("persona") {
			sheets, err := findCharacters(name)
			if err != nil {
				return err
			}
			for _, s := range sheets {
				in := a
				in.Name, in.Persona = a.Name+" as "+s.Name, script.Persona(s)
				g.Authors = append(g.Authors, in)
			}
		}
	}
	seen := map[string]bool{}
	for _, a := range g.Authors {
		if seen[a.Name] {
			return usagef("two authors are called %s; options such as ?seed=2 tell them apart", a.Name)
		}
		seen[a.Name] = true
	}
	return nil
}

// beginScripts begins a run.
func beginScripts(c *cli.Context, g *scriptConfig) error {
	tasks, err := scriptTasks(c.String("tasks"), c.Int("first"))
	if err != nil {
		return err
	}
	g.Tasks = len(tasks)
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
	m := newManifest(id, nil, time.Now())
	m.Script = g
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var text bytes.Buffer
	if err := script.WriteTasks(&text, tasks); err != nil {
		return err
	}
	if err := logs.WriteFile(filepath.Join(dir, scriptTasksName), text.Bytes()); err != nil {
		return err
	}
	return runScripts(c, dir, m, false)
}

// runScripts does what is left of a run and prints its results.
func runScripts(c *cli.Context, dir string, m *manifest, again bool) error {
	if m.State != stateComplete {
		if err := playScripts(c.Context, c.App.ErrWriter, dir, m, again); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		if err := printJSON(c.App.Writer, answer{Run: dir, Sessions: m.Sessions, Results: m.Results}); err != nil {
			return err
		}
	} else if err := printScripts(c.App.Writer, dir, m); err != nil {
		return err
	}
	if n, of := unjudged(m.Results); n > 0 {
		return partialf("%d of %d verdicts are missing; the reasons stand beside the results", n, of)
	}
	return nil
}

// playScripts does what is left of a run, and brings it into its final form.
func playScripts(ctx context.Context, talk io.Writer, dir string, m *manifest, again bool) (err error) {
	g := m.Script
	tasks, err := scriptTasks(filepath.Join(dir, scriptTasksName), 0)
	if err != nil {
		return err
	}
	release, err := logs.Lock(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	p := &scriptPlayer{dir: dir, config: g, tasks: tasks, others: slices.Concat(tasks, script.Library()), now: time.Now, done: map[string]bool{}}
	if err := p.hire(ctx, m, talk); err != nil {
		return err
	}
	kept := scriptStreams()
	if again {
		if p.done, err = takeUpJobs(dir, kept, streamTasks, func(row *scriptTaskRow) string { return row.ID }); err != nil {
			return err
		}
		fmt.Fprintf(talk, "resuming %s: %d of %d tasks are complete\n", dir, len(p.done), len(tasks))
	}
	m.State, m.Finished = stateRunning, nil
	if err := m.write(dir); err != nil { // from here on there is a run to resume
		return err
	}
	if p.journal, err = logs.Open(dir, namesOf(kept), logs.Options{}); err != nil {
		return err
	}
	p.progress = newProgressOf(talk, "tasks", "scripts", len(tasks)-len(p.done), time.Now)
	played := p.play(ctx)
	p.progress.close()
	played = errors.Join(played, p.journal.Close())
	if played != nil {
		m.State = stateInterrupted
		return interruptedError{dir, errors.Join(played, m.write(dir))}
	}
	return p.finish(m, kept)
}

// finish turns the journal into Parquet, measures, and writes the manifest last.
func (p *scriptPlayer) finish(m *manifest, kept []keeper) error {
	var err error
	if m.Streams, err = compactJobs(p.dir, kept); err != nil {
		return err
	}
	if m.Usage, err = usage(p.dir, m.Models, nil); err != nil {
		return err
	}
	d, err := readScriptData(p.dir, m.Script)
	if err != nil {
		return err
	}
	if m.Results, err = d.results(); err != nil {
		return err
	}
	m.Sessions = map[State]int{stateComplete: len(d.tasks)}
	now := p.now().UTC().Truncate(time.Microsecond)
	m.State, m.Finished = stateComplete, &now
	if err := writeScriptReport(p.dir, m, d); err != nil {
		return err
	}
	if err := m.write(p.dir); err != nil {
		return err
	}
	return dropJobs(p.dir, kept, journalPath)
}

// hire opens every model, asks the servers who they are, and says where a judge is under test itself.
func (p *scriptPlayer) hire(ctx context.Context, m *manifest, talk io.Writer) error {
	g := p.config
	if m.Prompts == nil {
		m.Prompts = script.PromptHashes()
	} else if !maps.Equal(m.Prompts, script.PromptHashes()) {
		return errors.New("the prompts are not those that the run began with: begin a new run")
	}
	p.crew = emptyCrew(&Experiment{Seed: g.Seed}, m)
	for _, spec := range g.models() {
		if err := p.crew.hire(ctx, spec, talk); err != nil {
			return err
		}
	}
	if g.Embed != "" {
		if p.crew.open[g.Embed] == nil {
			if err := p.crew.hire(ctx, g.Embed, talk); err != nil {
				return err
			}
		}
		if p.embed = p.crew.embed[g.Embed]; p.embed == nil {
			return usagef("%s has no embeddings: name ollama:NAME or openai:NAME", g.Embed)
		}
	}
	for _, name := range p.selfJudged() {
		fmt.Fprintf(talk, "note: %s is judged by itself, which tends to flatter\n", name)
	}
	judgeOf := func(spec string) *judge.Judge {
		if spec == "" {
			return nil
		}
		return &judge.Judge{Model: p.crew.open[spec], Name: spec, Sampling: p.crew.judgeSampling(spec), Now: p.now, Trusting: g.Trusting}
	}
	p.panel = script.Panel{Critic: judgeOf(g.Critic), Execute: judgeOf(g.Execute), Commonsense: judgeOf(g.Commonsense), Plain: g.Plain}
	p.single = judgeOf(g.Single)
	for i := range g.Authors {
		a := &g.Authors[i]
		if a.Model == "" {
			p.authors = append(p.authors, nil)
			continue
		}
		p.authors = append(p.authors, p.writer(a.Model, a.Persona, a.Sampling))
	}
	if g.Synthesize != "" && g.Gold != "none" && g.Gold != "reference" {
		zero := 0.0
		p.learner = p.writer(g.Synthesize, "", llm.Sampling{Temperature: &zero})
	}
	return nil
}

// writer makes an author of a model that was hired.
func (p *scriptPlayer) writer(spec, persona string, s llm.Sampling) *script.Author {
	s.MaxTokens, s.NumCtx = p.config.MaxTokens, p.crew.judgeSampling(spec).NumCtx
	return &script.Author{Model: p.crew.open[spec], Name: spec, Persona: persona, Sampling: s, Now: p.now}
}

// selfJudged lists the authors whose model is also a judge.
func (p *scriptPlayer) selfJudged() []string {
	g := p.config
	var found []string
	for i := range g.Authors {
		if slices.ContainsFunc([]string{g.Critic, g.Execute, g.Commonsense, g.Single}, func(spec string) bool {
			return spec != "" && registry().SameModel(g.Authors[i].Model, spec)
		}) {
			found = append(found, g.Authors[i].Name)
		}
	}
	return found
}
