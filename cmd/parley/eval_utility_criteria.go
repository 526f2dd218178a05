package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/eval"
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
	text, err := utility.EncodeCriteria(merged)
	out := c.String("out")
	if err == nil && out != "" {
		err = logs.WriteFile(out, text)
	}
	switch {
	case err != nil:
		return err
	case c.Bool("json"):
		growth := utility.Grow(merged, seeds, rand.New(rand.NewPCG(1, 4)))
		return printJSON(c.App.Writer, map[string]any{"criteria": merged, "growth": growth, "method": method})
	case out == "":
		_, err = c.App.Writer.Write(text)
	}
	return err
}

// showUtility prints the findings of a run, for people.
func showUtility(c *cli.Context, dir string, m *run.Manifest) error {
	_, p, err := kinds.Read(dir, utility.Kind)
	if err != nil {
		return err
	}
	s, err := utility.ReadStudy(dir, p.Config().(*utility.Config))
	if err != nil {
		return err
	}
	ofCriteria := func(r eval.Result) bool { return !strings.HasPrefix(r.Metric, "utility") }
	groups := slices.DeleteFunc(slices.Clone(m.Results), ofCriteria)
	if err := report.Print(c.App.Writer, s.Table()); err != nil || len(groups) == 0 {
		return cmp.Or(err, printEnd(c, dir, m))
	}
	fmt.Fprintln(c.App.Writer)
	return cmp.Or(report.Results(c.App.Writer, groups), printEnd(c, dir, m))
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
		name = filepath.Join(name, utility.CriteriaName)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return utility.ReadCriteria(data, name)
}
