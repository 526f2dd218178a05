package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval/report"
	"parley/eval/run"
	"parley/eval/utility"
	"parley/logs"
	"parley/sim/llm"
)

func utilityCriteriaCommand() *cli.Command {
	return &cli.Command{
		Name: "criteria", Usage: "have a critic propose criteria for a task",
		Description: "The criteria of all seeds are written to --out, for a person to edit; consolidate merges similar ones.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "task", Required: true, Usage: "`FILE` of the task, YAML: name, description, successful, failed"},
			&cli.StringFlag{Name: "model", Required: true, Usage: "`MODEL` of the critic"},
			&cli.IntFlag{Name: "seeds", Value: 1, Usage: "ask `N` times, each with another seed"},
			&cli.BoolFlag{Name: "solutions", Usage: "ask for criteria that tell the task's successful and failed examples apart"},
			&cli.StringFlag{Name: "out", Required: true, Usage: "`FILE` of the criteria, YAML"},
			&cli.StringFlag{Name: "run", Usage: "`DIR` of the run with all calls (default runs/<time>)"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` that all randomness comes from"},
			&cli.IntFlag{Name: "jobs", DefaultText: "by the models", Usage: "ask `N` times at once"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		},
		Action: func(c *cli.Context) error {
			task, err := utility.ReadTask(c.String("task"), &utility.Reader{})
			if err != nil {
				return err
			}
			g := utility.DefaultConfig()
			g.Task, g.Critic, g.Critics, g.Solutions = task, c.String("model"), c.Int("seeds"), c.Bool("solutions")
			g.Seed, g.Jobs, g.JSON, g.Out = c.Uint64("seed"), c.Int("jobs"), c.Bool("json"), c.String("run")
			if g.Out == "" {
				id, err := run.NewID(time.Now())
				if err != nil {
					return err
				}
				g.Out = filepath.Join("runs", id)
			}
			if err := g.Complete(); err != nil {
				return err
			}
			dir := g.Out
			ended := begin(c, utility.New(g), func() any { return utility.DefaultConfig() }, showUtility)
			if _, partial := errors.AsType[partialError](ended); ended != nil && !partial {
				return ended
			}
			s, err := utility.ReadStudy(dir, g)
			if err != nil {
				return err
			}
			if len(s.Proposed) == 0 {
				return fmt.Errorf("the critic proposed no criterion that could be read; its replies are in %s", dir)
			}
			return errors.Join(writeCriteria(c.String("out"), s.Proposed), ended)
		},
	}
}

func utilityConsolidateCommand() *cli.Command {
	return &cli.Command{
		Name: "consolidate", Usage: "merge similar criteria", ArgsUsage: "criteria.yaml...",
		Description: "Prints the merged criteria as YAML, or writes them to --out. With more than one seed, --json and the page\n" +
			"of a run show how the number of different criteria grows with the number of critics.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "embed", Usage: "`MODEL` of embeddings (default: compare names and descriptions by their letters)"},
			&cli.Float64Flag{Name: "tau", Value: 0.8, Usage: "merge criteria from this `SIMILARITY`"},
			&cli.StringFlag{Name: "out", Usage: "`FILE` to write to, YAML"},
			&cli.BoolFlag{Name: "json", Usage: "print one object with criteria, growth and method"},
		},
		Action: utilityConsolidate,
	}
}

func utilityConsolidate(c *cli.Context) error {
	if c.NArg() == 0 {
		return usagef("name at least one file of criteria: parley eval utility consolidate criteria.yaml...")
	}
	if tau := c.Float64("tau"); tau <= 0 || tau > 1 {
		return usagef("--tau is %g: say a number above 0, up to 1", tau)
	}
	var all []utility.Criterion
	seeds := 0
	for i, file := range c.Args().Slice() {
		list, err := readCriteriaFile(file)
		if err != nil {
			return err
		}
		from := seeds // the seeds of each file are others
		for k := range list {
			if list[k].Seeds == nil {
				list[k].Seeds = []int{1}
			}
			for n := range list[k].Seeds {
				list[k].Seeds[n] += from
				seeds = max(seeds, list[k].Seeds[n])
			}
		}
		seeds = max(seeds, i+1)
		all = append(all, list...)
	}
	alike, method := utility.Lexical(all), "lexical"
	if spec := c.String("embed"); spec != "" {
		models := llm.Models{Registry: registry(), Env: environment()}
		o, err := models.Open(c.Context, spec)
		if err != nil {
			return err
		}
		if o.Embedding == nil {
			return usagef("%s has no embeddings: say --embed ollama:NAME or --embed openai:NAME", spec)
		}
		vectors, _, err := llm.Embed(c.Context, o.Embedding, spec, utility.Described(all), llm.Tag{Purpose: "embed"}, time.Now)
		if err != nil {
			return err
		}
		alike, method = utility.Embedded(vectors), "embed:"+spec
	}
	merged := utility.Consolidate(all, alike, c.Float64("tau"))
	fmt.Fprintf(c.App.ErrWriter, "%d criteria became %d (similarity: %s, tau %g)\n", len(all), len(merged), method, c.Float64("tau"))
	if out := c.String("out"); out != "" {
		if err := writeCriteria(out, merged); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		growth := utility.Grow(merged, seeds, rand.New(rand.NewPCG(1, 4)))
		return printJSON(c.App.Writer, map[string]any{"criteria": merged, "growth": growth, "method": method})
	}
	if c.String("out") != "" {
		return nil
	}
	text, err := utility.EncodeCriteria(merged)
	if err == nil {
		_, err = c.App.Writer.Write(text)
	}
	return err
}

func readCriteriaFile(file string) ([]utility.Criterion, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return utility.ReadCriteria(data, file)
}

func writeCriteria(file string, list []utility.Criterion) error {
	text, err := utility.EncodeCriteria(list)
	if err != nil {
		return err
	}
	return logs.WriteFile(file, text)
}

// showUtility prints what a run found, for people.
func showUtility(c *cli.Context, dir string, m *run.Manifest) error {
	p, err := kinds.Plan(dir, m)
	if err != nil {
		return err
	}
	s, err := utility.ReadStudy(dir, p.Config().(*utility.Config))
	if err != nil {
		return err
	}
	if err := s.Print(c.App.Writer); err != nil {
		return err
	}
	if err := report.Usage(c.App.Writer, m.Usage); err != nil {
		return err
	}
	return printedAt(c, dir)
}
