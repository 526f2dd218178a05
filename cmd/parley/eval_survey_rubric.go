package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
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
	_, d, err := survey.Open(dir)
	if err != nil {
		return err
	}
	next, changed, added, err := d.Next(c.Int("at-least"), c.StringSlice("accept"), c.StringSlice("reject"))
	if err != nil {
		return err
	}
	text, err := next.YAML()
	if err != nil {
		return err
	}
	file := cmp.Or(c.String("out"), filepath.Join(dir, fmt.Sprintf("rubric-v%d.yaml", next.Version)))
	if err := logs.WriteFile(file, text); err != nil {
		return err
	}
	return output(c, map[string]any{"file": file, "version": next.Version, "changed": changed, "added": added}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "rubric version %d: %d definitions changed (%s), %d aspects added (%s)\nit is in %s\n",
			next.Version, len(changed), strings.Join(changed, ", "), len(added), strings.Join(added, ", "), file)
		return err
	})
}
