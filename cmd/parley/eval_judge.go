package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/judge"
	"parley/eval/stat"
	"parley/sim/llm"
	"parley/sim/reference"
)

func evalJudgeCheckCommand() *cli.Command {
	return &cli.Command{
		Name:        "judge-check",
		Usage:       "check how judges' replies are read, and how well judges judge",
		Subcommands: []*cli.Command{judgeCheckReadCommand(), judgeCheckIEPCommand(), judgeCheckInjectCommand()},
	}
}

func judgeCheckReadCommand() *cli.Command {
	return &cli.Command{
		Name:      "read",
		Usage:     "read verdicts out of replies",
		ArgsUsage: "FILE.jsonl",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print one object with `results`, scored, unparsed and of"},
		},
		Action: judgeCheckRead,
	}
}

func judgeCheckRead(c *cli.Context) error {
	in, err := openInput(c, c.Args().First())
	if err != nil {
		return err
	}
	defer in.Close()
	report := struct {
		Results  []judge.Line `json:"results"`
		Scored   int          `json:"scored"`
		Unparsed int          `json:"unparsed"`
		Of       int          `json:"of"`
	}{Results: []judge.Line{}}
	out := json.NewEncoder(c.App.Writer)
	out.SetEscapeHTML(false)
	err = judge.ReadReplies(in, c.Args().First(), func(line judge.Line) error {
		report.Of++
		if line.Status == eval.Scored {
			report.Scored++
		}
		report.Unparsed = report.Of - report.Scored
		if !c.Bool("json") {
			return out.Encode(line)
		}
		report.Results = append(report.Results, line)
		return nil
	})
	switch {
	case err != nil:
		return err
	case c.Bool("json"):
		return out.Encode(report)
	}
	_, err = fmt.Fprintf(c.App.ErrWriter, "%d scored, %d unparsed of %d\n", report.Scored, report.Unparsed, report.Of)
	return err
}

// chatJudge opens a chat model as a judge outside of a run.
func chatJudge(ctx context.Context, spec string) (*judge.Judge, error) {
	if reference.Is(spec) {
		return nil, usagef("%s cannot judge: name a chat model", spec)
	}
	m, err := openModel(ctx, spec)
	if err != nil {
		return nil, err
	}
	return &judge.Judge{Model: m, Name: spec, Now: time.Now, Sampling: llm.Sampling{NumCtx: registry().Defaults(spec).Context}}, nil
}

func judgeCheckInjectCommand() *cli.Command {
	return &cli.Command{
		Name:  "inject",
		Usage: "measure how often an instruction within a judged text moves the verdict",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "judge", Usage: "chat `MODEL` that judges (required)"},
			&cli.IntFlag{Name: "n", Value: 80, Usage: "plant `N` instructions"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` that places, fences and sampling follow from"},
			&cli.BoolFlag{Name: "trusting", Usage: "take verdicts that do not repeat the question's nonce, for judges that cannot"},
			jsonFlag(),
		},
		Action: judgeCheckInject,
	}
}

func judgeCheckInject(c *cli.Context) error {
	n, name := c.Int("n"), c.String("judge")
	if n < 1 {
		return usagef("n is %d: at least 1 instruction is needed", n)
	}
	j, err := chatJudge(c.Context, name)
	if err != nil {
		return err
	}
	defaults := registry().Defaults(name) // a script does not know the nonce
	j.Trusting = c.Bool("trusting") || !defaults.Server && !defaults.Recorded
	found, err := judge.Inject(c.Context, j, n, c.Uint64("seed"))
	if err != nil {
		return err
	}
	i := stat.ShareInterval(found.Moved, found.Pairs, confidence)
	r := eval.Result{
		Scorer: "judge-check", Metric: "moved", Arm: name, N: i.N, Of: n, Unit: "verdicts", Reason: i.Reason,
		Value: eval.Percent(i.Value), Low: eval.Percent(i.Low), High: eval.Percent(i.High),
	}
	if len(found.Unscored) > 0 {
		r.Reason = eval.Tallied(found.Unscored)
	}
	if err := printAnswer(c, []eval.Result{r}); err != nil || i.N == n {
		return err
	}
	return partialf("%d of %d pairs have no two verdicts", n-i.N, n)
}
