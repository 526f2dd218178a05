package main

import (
	"context"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval/planning/pddl"
)

func evalPlanningCommand() *cli.Command {
	return &cli.Command{
		Name:  "planning",
		Usage: "reasoning about action, change and planning",
		Subcommands: []*cli.Command{
			planningGenerateCommand(),
			planningRunCommand(),
			planningSolveCommand(),
			planningValidateCommand(),
			planningReadCommand(),
		},
	}
}

func planningSolveCommand() *cli.Command {
	return &cli.Command{
		Name:      "solve",
		Usage:     "find optimal plans",
		ArgsUsage: "DOMAIN.pddl PROBLEM.pddl...",
		Description: "Finds a cheapest plan for each problem by A* with an admissible heuristic. The state of a problem is\n" +
			"optimal, unsolvable, or unsolved within limit (exit status 3).",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "heuristic", Usage: "`NAME`: lmcut, hmax, blind or blocks (default: blocks for Blocksworld, else lmcut)"},
			&cli.DurationFlag{Name: "max-time", Usage: "`TIME` for each problem; 0: no limit", Value: time.Minute},
			&cli.IntFlag{Name: "max-nodes", Usage: "`NUMBER` of states to store; 0: what half a GiB holds"},
			&cli.BoolFlag{Name: "json", Usage: "print one object with `results`"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() < 2 {
				return usagef("solve takes a domain and problems: parley eval planning solve DOMAIN.pddl PROBLEM.pddl...")
			}
			return planningSolve(c, c.Args().First(), c.Args().Tail())
		},
	}
}

// solveLine is one problem of solve. The JSON form is a documented interface.
type solveLine struct {
	Problem  string       `json:"problem"`
	Cost     *int         `json:"cost"` // nil without a plan
	State    pddl.Outcome `json:"state"`
	Plan     []string     `json:"plan"`
	Seconds  float64      `json:"seconds"` // of the search, without reading and grounding
	Expanded int          `json:"expanded"`
}

func planningSolve(c *cli.Context, domain string, problems []string) error {
	d, err := readDomain(domain)
	if err != nil {
		return err
	}
	o := pddl.Options{
		MaxNodes: c.Int("max-nodes"), MaxTime: c.Duration("max-time"),
		Now: time.Now, Heuristic: c.String("heuristic"),
	}
	if o.MaxNodes < 0 || o.MaxTime < 0 {
		return usagef("--max-nodes and --max-time are 0 or more")
	}
	lines := []solveLine{}
	unsolved := 0
	for _, file := range problems {
		line, err := solveFile(c.Context, d, file, o)
		if err != nil {
			return err
		}
		if line.State == pddl.Unsolved {
			unsolved++
		}
		lines = append(lines, line)
	}
	if c.Bool("json") {
		err = printJSON(c.App.Writer, map[string]any{"results": lines})
	} else {
		err = printSolutions(c, lines)
	}
	if err == nil && unsolved > 0 {
		err = partialf("%d of %d problems are unsolved within the limit", unsolved, len(problems))
	}
	return err
}

func solveFile(ctx context.Context, d *pddl.Domain, file string, o pddl.Options) (solveLine, error) {
	p, err := readProblem(d, file)
	if err != nil {
		return solveLine{}, err
	}
	task, err := pddl.Ground(p)
	if err != nil {
		return solveLine{}, fmt.Errorf("%s: %w", file, err)
	}
	began := time.Now()
	s, err := pddl.Solve(ctx, task, o)
	if err != nil {
		return solveLine{}, fmt.Errorf("%s: %w", file, err)
	}
	line := solveLine{Problem: file, State: s.Outcome, Plan: []string{}, Seconds: time.Since(began).Seconds(), Expanded: s.Expanded}
	if s.Outcome == pddl.Optimal {
		line.Cost = &s.Cost
	}
	for _, a := range s.Plan {
		line.Plan = append(line.Plan, a.String())
	}
	return line, nil
}

func printSolutions(c *cli.Context, lines []solveLine) error {
	w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "problem\tstate\tcost\texpanded\tseconds")
	for _, l := range lines {
		cost := "-"
		if l.Cost != nil {
			cost = fmt.Sprint(*l.Cost)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%.3f\n", l.Problem, l.State, cost, l.Expanded, l.Seconds)
		for _, a := range l.Plan {
			if len(lines) == 1 {
				fmt.Fprintf(w, "  %s\n", a)
			}
		}
	}
	return w.Flush()
}

func planningValidateCommand() *cli.Command {
	return &cli.Command{
		Name:      "validate",
		Usage:     "carry out a plan and say whether it reaches the goal",
		ArgsUsage: "DOMAIN.pddl PROBLEM.pddl PLAN",
		Description: "A plan is a file with one action in parentheses after another. The exit status is 0 also where the\n" +
			"plan is not valid; the failing step counts from 1.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print one JSON object"}},
		Action: func(c *cli.Context) error {
			if c.NArg() != 3 {
				return usagef("validate takes three files: parley eval planning validate DOMAIN.pddl PROBLEM.pddl PLAN")
			}
			d, err := readDomain(c.Args().Get(0))
			if err != nil {
				return err
			}
			p, err := readProblem(d, c.Args().Get(1))
			if err != nil {
				return err
			}
			src, err := os.ReadFile(c.Args().Get(2))
			if err != nil {
				return err
			}
			plan, err := pddl.ParsePlan(c.Args().Get(2), string(src))
			if err != nil {
				return err
			}
			v := p.Validate(plan)
			if c.Bool("json") {
				return printJSON(c.App.Writer, v)
			}
			if v.Valid {
				_, err = fmt.Fprintf(c.App.Writer, "valid: %d steps, cost %d\n", v.Applied, v.Cost)
			} else {
				_, err = fmt.Fprintf(c.App.Writer, "not valid: %s\n", v.Reason)
			}
			return err
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

func readProblem(d *pddl.Domain, file string) (*pddl.Problem, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return pddl.ParseProblem(d, file, string(src))
}
