package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/eval/survey"
	"parley/logs"
)

func surveyRubricCommand() *cli.Command {
	return &cli.Command{
		Name:  "rubric",
		Usage: "show the rubric, or make the next one",
		Subcommands: []*cli.Command{{
			Name:      "show",
			Usage:     "print a rubric (default: the built-in one)",
			ArgsUsage: "[FILE]",
			Action: func(c *cli.Context) error {
				r, err := openRubric(c.Args().First())
				if err != nil {
					return err
				}
				text, err := r.YAML()
				if err != nil {
					return err
				}
				_, err = c.App.Writer.Write(text)
				return err
			},
		}, {
			Name:      "apply",
			Usage:     "write the next rubric out of what a run proposed",
			ArgsUsage: "RUN",
			Flags: []cli.Flag{
				&cli.IntFlag{Name: "at-least", Value: 2, Usage: "`N` documents that have to propose it"},
				&cli.StringSliceFlag{Name: "accept", Usage: "take only these `ASPECTS`; separated by commas"},
				&cli.StringSliceFlag{Name: "reject", Usage: "leave out these `ASPECTS`"},
				&cli.StringFlag{Name: "out", Usage: "write to `FILE`"},
				&cli.BoolFlag{Name: "json", Usage: "print one JSON object: file, version, changed, added"},
			},
			Action: applyRubric,
		}},
	}
}

func applyRubric(c *cli.Context) error {
	if c.Int("at-least") < 1 {
		return usagef("--at-least %d: at least one document has to propose it", c.Int("at-least"))
	}
	dir := c.Args().First()
	_, g, d, err := readSurvey(dir)
	if err != nil {
		return err
	}
	changes, added := d.Accepted(c.Int("at-least"))
	accept, reject := c.StringSlice("accept"), c.StringSlice("reject")
	for _, name := range accept {
		if _, ok := changes[name]; !ok && !slices.ContainsFunc(added, func(a survey.Aspect) bool { return a.Name == name }) {
			return usagef("--accept %s: nothing is proposed for it on %d documents or more", name, c.Int("at-least"))
		}
	}
	out := func(name string) bool {
		return accept != nil && !slices.Contains(accept, name) || slices.Contains(reject, name)
	}
	maps.DeleteFunc(changes, func(name, _ string) bool { return out(name) })
	added = slices.DeleteFunc(added, func(a survey.Aspect) bool { return out(a.Name) })
	next, err := g.Rubric.Next(changes, added)
	if err != nil {
		return err
	}
	text, err := next.YAML()
	if err != nil {
		return err
	}
	file := c.String("out")
	if file == "" {
		file = filepath.Join(dir, fmt.Sprintf("rubric-v%d.yaml", next.Version))
	}
	if err := logs.WriteFile(file, text); err != nil {
		return err
	}
	changed := append([]string{}, slices.Sorted(maps.Keys(changes))...)
	names := []string{}
	for _, a := range added {
		names = append(names, a.Name)
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, map[string]any{"file": file, "version": next.Version, "changed": changed, "added": names})
	}
	_, err = fmt.Fprintf(c.App.Writer, "rubric version %d: %d definitions changed (%s), %d aspects added (%s)\nit is in %s\n",
		next.Version, len(changed), strings.Join(changed, ", "), len(names), strings.Join(names, ", "), file)
	return err
}
