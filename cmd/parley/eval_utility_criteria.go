package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"parley/eval/report"
	"parley/eval/run"
	"parley/eval/utility"
	"parley/logs"
	"parley/sim/llm"
)

func utilityConsolidateCommand() *cli.Command {
	return &cli.Command{
		Name: "consolidate", Usage: "merge similar criteria", ArgsUsage: "criteria.yaml...",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "out", Usage: "`FILE` to write to, YAML"},
			&cli.BoolFlag{Name: "json", Usage: "print one object with criteria, growth and method"},
		}, mergeFlags...),
		Action: utilityConsolidate,
	}
}

func utilityConsolidate(c *cli.Context) error {
	spec, tau := c.String("embed"), c.Float64("tau")
	if tau <= 0 || tau > 1 {
		return usagef("--tau is %g: say a number above 0, up to 1", tau)
	}
	all, seeds, err := utilityProposed(c.Args().Slice())
	if err != nil {
		return err
	}
	method, env := "lexical", &run.Env{}
	if spec != "" {
		method = "embed:" + spec
		o, err := runOptions(c)
		if err != nil {
			return err
		}
		if env, err = run.Open(c.Context, []run.Use{{Model: spec, Embeds: true}}, &run.Settings{}, o); err != nil {
			return err
		}
	}
	alike, _, err := utility.Alike(c.Context, env, spec, all, llm.Tag{Purpose: "embed"})
	if err != nil {
		return err
	}
	merged := utility.Consolidate(all, alike, tau)
	fmt.Fprintf(c.App.ErrWriter, "%d criteria became %d (similarity: %s, tau %g)\n", len(all), len(merged), method, tau)
	out := c.String("out")
	if out != "" {
		err = writeCriteria(out, merged)
	}
	switch {
	case err != nil:
		return err
	case c.Bool("json"):
		growth := utility.Grow(merged, seeds, rand.New(rand.NewPCG(1, 4)))
		return printJSON(c.App.Writer, map[string]any{"criteria": merged, "growth": growth, "method": method})
	case out != "":
		return nil
	}
	text, err := utility.EncodeCriteria(merged)
	if err == nil {
		_, err = c.App.Writer.Write(text)
	}
	return err
}

// showUtility prints the findings of a run, for people, and writes the criteria with their verdicts beside them.
func showUtility(c *cli.Context, dir string, m *run.Manifest) error {
	s, err := utilityStudy(dir)
	if err != nil {
		return err
	}
	for _, t := range s.Tables() {
		if err := report.Print(c.App.Writer, t); err != nil {
			return err
		}
	}
	if list := s.Edited(); len(list) > 0 {
		err = writeCriteria(utilityFile(dir), list)
	}
	return errors.Join(err, printEnd(c, dir, m))
}

// utilityStudy reads what a run found.
func utilityStudy(dir string) (*utility.Study, error) {
	_, p, err := kinds.Read(dir, utility.Kind)
	if err != nil {
		return nil, err
	}
	return utility.ReadStudy(dir, p.Config().(*utility.Config))
}

// utilityProposed reads the criteria of files; the seeds of each file are others.
func utilityProposed(files []string) (all []utility.Criterion, seeds int, err error) {
	for _, file := range files {
		list, err := readCriteria(file)
		if err != nil {
			return nil, 0, err
		}
		from := seeds
		seeds++
		for k := range list {
			if list[k].Seeds == nil {
				list[k].Seeds = []int{1}
			}
			for n := range list[k].Seeds {
				list[k].Seeds[n] += from
				seeds = max(seeds, list[k].Seeds[n])
			}
		}
		all = append(all, list...)
	}
	return all, seeds, nil
}

// readCriteria reads the criteria of a file, those that a run ended with, or the built-in ones.
func readCriteria(name string) ([]utility.Criterion, error) {
	if name == "roleplay" {
		return utility.RolePlay(), nil
	}
	if exists(filepath.Join(name, run.ManifestName)) {
		s, err := utilityStudy(name)
		if err != nil {
			return nil, err
		}
		return s.Edited(), nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return utility.ReadCriteria(data, name)
}

// writeCriteria writes a file of criteria, which must be some.
func writeCriteria(file string, list []utility.Criterion) error {
	if len(list) == 0 {
		return fmt.Errorf("%s is not written: no criterion was proposed that could be read", file)
	}
	text, err := utility.EncodeCriteria(list)
	if err != nil {
		return err
	}
	return logs.WriteFile(file, text)
}
