package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval/planning"
	"parley/eval/planning/pddl"
)

func evalPlanningCommand() *cli.Command {
	return &cli.Command{
		Name:  "planning",
		Usage: "reasoning about action, change and planning",
		Subcommands: []*cli.Command{
			planningGenerateCommand(),
			planningRunCommand(),
			{
				Name: "solve", Usage: "find optimal plans", ArgsUsage: "DOMAIN.pddl PROBLEM.pddl...",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "heuristic", Usage: "`NAME`: lmcut, hmax, blind or blocks (default: blocks for Blocksworld, else lmcut)"},
					&cli.DurationFlag{Name: "max-time", Usage: "`TIME` for each problem; 0: no limit", Value: time.Minute},
					&cli.IntFlag{Name: "max-nodes", Usage: "`NUMBER` of states to store; 0: what half a GiB holds"},
					&cli.BoolFlag{Name: "json", Usage: "print one object with `results`"},
				},
				Action: planningSolve,
			},
			{
				Name: "validate", Usage: "execute a plan and say whether it reaches the goal", ArgsUsage: "DOMAIN.pddl PROBLEM.pddl PLAN",
				Flags:  []cli.Flag{jsonFlag()},
				Action: planningValidate,
			},
			{
				Name: "read", Usage: "read actions and properties from free answers", ArgsUsage: "FILE.jsonl",
				Flags:  []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print one object with `results` and counts by status and class"}},
				Action: planningRead,
			},
		},
	}
}

func readDomain(file string) (*pddl.Domain, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return pddl.ParseDomain(file, string(src))
}

func planningSolve(c *cli.Context) error {
	d, err := readDomain(c.Args().First())
	if err != nil {
		return err
	}
	o := pddl.Options{MaxNodes: c.Int("max-nodes"), MaxTime: c.Duration("max-time"), Now: time.Now, Heuristic: c.String("heuristic")}
	if o.MaxNodes < 0 || o.MaxTime < 0 {
		return usagef("--max-nodes and --max-time are 0 or more")
	}
	list, unsolved := []planning.Solution{}, 0
	for _, file := range c.Args().Tail() {
		s, err := planning.SolveFile(c.Context, d, file, o)
		if err != nil {
			return err
		}
		if s.State == pddl.Unsolved {
			unsolved++
		}
		list = append(list, s)
	}
	err = output(c, map[string]any{"results": list}, func(w io.Writer) error { return planning.PrintSolutions(w, list) })
	if err == nil && unsolved > 0 {
		err = partialf("%d of %d problems are unsolved within the limit", unsolved, len(list))
	}
	return err
}

func planningValidate(c *cli.Context) error {
	d, err := readDomain(c.Args().Get(0))
	if err != nil {
		return err
	}
	var texts [2]string // problem and plan
	for i := range texts {
		src, err := os.ReadFile(c.Args().Get(i + 1))
		if err != nil {
			return err
		}
		texts[i] = string(src)
	}
	p, err := pddl.ParseProblem(d, c.Args().Get(1), texts[0])
	if err != nil {
		return err
	}
	plan, err := pddl.ParsePlan(c.Args().Get(2), texts[1])
	if err != nil {
		return err
	}
	v := p.Validate(plan)
	return output(c, v, func(w io.Writer) error {
		if v.Valid {
			_, err = fmt.Fprintf(w, "valid: %d steps, cost %d\n", v.Applied, v.Cost)
		} else {
			_, err = fmt.Fprintf(w, "not valid: %s\n", v.Reason)
		}
		return err
	})
}

func planningRead(c *cli.Context) error {
	in, err := openInput(c, c.Args().First())
	if err != nil {
		return err
	}
	defer in.Close()
	report := struct {
		Results  []planning.ReadAnswer   `json:"results"`
		Statuses map[planning.Status]int `json:"statuses"`
		Classes  map[planning.Class]int  `json:"classes"`
	}{[]planning.ReadAnswer{}, map[planning.Status]int{}, map[planning.Class]int{}}
	out := json.NewEncoder(c.App.Writer)
	out.SetEscapeHTML(false)
	err = planning.ReadAnswers(in, c.Args().First(), func(got planning.ReadAnswer) error {
		if !c.Bool("json") {
			return out.Encode(got)
		}
		report.Statuses[got.Status]++
		for _, i := range got.Items {
			report.Classes[i.Class]++
		}
		report.Results = append(report.Results, got)
		return nil
	})
	if err == nil && c.Bool("json") {
		err = out.Encode(report)
	}
	return err
}
