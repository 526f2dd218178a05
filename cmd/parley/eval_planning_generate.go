package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval/planning"
	"parley/eval/planning/pddl"
)

func planningGenerateCommand() *cli.Command {
	return &cli.Command{
		Name:  "generate",
		Usage: "make planning problems with their optimal costs, and questions about them",
		Description: "Writes one problem per line with its domain, optimal cost and plan; no problem stands twice, and none\n" +
			"is solved from the start. A domain file gives the problems that lie beside it, and variations of\n" +
			"them where --n asks for more. --questions writes the questions as well, as JSON Lines or Parquet.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "domain", Usage: "`DOMAINS`: blocksworld, depots or FILE.pddl, separated by commas", Value: "blocksworld"},
			&cli.IntFlag{Name: "n", Usage: "`NUMBER` of problems of each domain", Value: 500},
			&cli.Uint64Flag{Name: "seed", Usage: "`SEED` of problems and questions", Value: 1},
			&cli.StringFlag{Name: "out", Usage: "`FILE.jsonl` of the problems; - is standard output", Required: true},
			&cli.StringFlag{Name: "blocks", Usage: "`MIN-MAX` number of blocks", Value: "3-12"},
			&cli.StringFlag{Name: "states", Usage: "`KIND` of Blocksworld problem: stack (a random subset in one stack; one tower as the goal) or uniform (both states uniform over all)", Value: "stack"},
			&cli.StringFlag{Name: "depots", Usage: "`NUMBERS` of depots, distributors, trucks, pallets, hoists and crates", Value: "3,1,3,4,4,3"},
			&cli.StringFlag{Name: "questions", Usage: "`FILE` of the questions, .jsonl or .parquet"},
			&cli.StringFlag{Name: "tasks", Usage: "`TASKS` to ask, separated by commas (default: all six)"},
			&cli.StringFlag{Name: "form", Usage: "`FORM` of the questions: words or pddl", Value: string(planning.Words)},
			&cli.IntFlag{Name: "steps", Usage: "`NUMBER` of actions of the task after", Value: 2},
			&cli.BoolFlag{Name: "histogram", Usage: "print how many problems have each size and cost"},
			&cli.DurationFlag{Name: "max-time", Usage: "`TIME` to solve one problem; what takes longer is drawn anew", Value: time.Minute},
		},
		Action: planningGenerate,
	}
}

func planningGenerate(c *cli.Context) error {
	if c.NArg() > 0 {
		return usagef("generate takes no arguments; name the domain with --domain")
	}
	if c.Int("n") < 1 {
		return usagef("--n is 1 or more")
	}
	if c.String("out") == c.String("questions") {
		return usagef("--out and --questions name one file")
	}
	asking, tasks, err := askingOf(c)
	if err != nil {
		return err
	}
	var worlds []*planning.World
	for _, domain := range strings.Split(c.String("domain"), ",") {
		list, err := generateDomain(c, domain)
		if err != nil {
			return err
		}
		worlds = append(worlds, list...)
	}
	problems := make([]planning.Problem, 0, len(worlds))
	for _, w := range worlds {
		problems = append(problems, w.Problem)
	}
	if err := writeRows(c, c.String("out"), problems); err != nil {
		return err
	}
	if name := c.String("questions"); name != "" {
		var questions []planning.Question
		for _, w := range worlds {
			for _, task := range tasks {
				q, err := w.Ask(task, asking)
				if err != nil {
					return err
				}
				questions = append(questions, *q)
			}
		}
		if err := writeRows(c, name, questions); err != nil {
			return err
		}
	}
	if c.Bool("histogram") {
		return printHistogram(c.App.ErrWriter, problems)
	}
	return nil
}

// askingOf reads the flags that say how questions are made.
func askingOf(c *cli.Context) (planning.Asking, []planning.Task, error) {
	a := planning.Asking{Seed: c.Uint64("seed"), Form: planning.Form(c.String("form")), Steps: c.Int("steps")}
	if a.Form != planning.Words && a.Form != planning.PDDL {
		return a, nil, usagef("--form is words or pddl, not %q", a.Form)
	}
	if a.Steps < 1 {
		return a, nil, usagef("--steps is 1 or more")
	}
	if c.String("tasks") == "" {
		return a, planning.Tasks, nil
	}
	var tasks []planning.Task
	for _, name := range strings.Split(c.String("tasks"), ",") {
		task := planning.Task(strings.TrimSpace(name))
		if !slices.Contains(planning.Tasks, task) || slices.Contains(tasks, task) {
			return a, nil, usagef("--tasks: %q is not one of %v, each once", name, planning.Tasks)
		}
		tasks = append(tasks, task)
	}
	return a, tasks, nil
}

func generateDomain(c *cli.Context, domain string) ([]*planning.World, error) {
	o := pddl.Options{MaxTime: c.Duration("max-time"), Now: time.Now}
	last := time.Now()
	progress := func(done int) {
		if now := time.Now(); now.Sub(last) > 5*time.Second {
			last = now
			fmt.Fprintf(c.App.ErrWriter, "%s: %d of %d problems\n", domain, done, c.Int("n"))
		}
	}
	if strings.HasSuffix(strings.ToLower(domain), ".pddl") {
		given, err := planning.ReadProblems(domain)
		if err != nil {
			return nil, err
		}
		return planning.Vary(c.Context, given, c.Int("n"), c.Uint64("seed"), o, progress)
	}
	g := planning.DefaultGenerator(domain)
	if _, err := fmt.Sscanf(c.String("blocks"), "%d-%d", &g.MinBlocks, &g.MaxBlocks); err != nil {
		return nil, usagef("--blocks %q: want two numbers such as 3-12", c.String("blocks"))
	}
	if _, err := fmt.Sscanf(c.String("depots"), "%d,%d,%d,%d,%d,%d", &g.Depots, &g.Distributors, &g.Trucks, &g.Pallets, &g.Hoists, &g.Crates); err != nil {
		return nil, usagef("--depots %q: want six numbers such as 3,1,3,4,4,3", c.String("depots"))
	}
	switch c.String("states") {
	case "stack":
	case "uniform":
		g.Uniform = true
	default:
		return nil, usagef("--states is stack or uniform, not %q", c.String("states"))
	}
	if err := g.Validate(); err != nil {
		return nil, usageError{err}
	}
	return g.Generate(c.Context, c.Int("n"), c.Uint64("seed"), o, progress)
}
