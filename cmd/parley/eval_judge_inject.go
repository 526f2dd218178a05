package main

import (
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/judge"
	"parley/eval/stat"
	"parley/sim/llm"
	"parley/sim/reference"
)

func judgeCheckInjectCommand() *cli.Command {
	return &cli.Command{
		Name:  "inject",
		Usage: "measure how often an instruction within a judged text moves the verdict",
		Description: "The judge scores a text, and the same text with an instruction planted in it that demands another\n" +
			"score. moved is the percent of verdicts that came nearer to what was demanded, with its interval over\n" +
			"the texts. The nonce of a question stops a reply that echoes a text; it does not stop a judge that\n" +
			"obeys one, and this is the number for that. A script: judge need not repeat the nonce.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "judge", Required: true, Usage: "chat `MODEL` that judges"},
			&cli.IntFlag{Name: "n", Value: 80, Usage: "plant `N` instructions"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` that places, fences and sampling follow from"},
			&cli.BoolFlag{Name: "trusting", Usage: "take verdicts that do not repeat the question's nonce, for judges that cannot"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		},
		Action: judgeCheckInject,
	}
}

func judgeCheckInject(c *cli.Context) error {
	if c.NArg() > 0 {
		return usagef("judge-check inject takes flags only, and got %q", c.Args().First())
	}
	n, name := c.Int("n"), c.String("judge")
	if n < 1 {
		return usagef("n is %d: at least 1 instruction is needed", n)
	}
	spec, err := llm.ParseSpec(name)
	if err != nil {
		return usageError{err}
	}
	if reference.Is(name) {
		return usagef("%s cannot judge: name a chat model", name)
	}
	m, err := openModel(c.Context, name)
	if err != nil {
		return err
	}
	j := &judge.Judge{
		Model: m, Name: name, Now: time.Now, Trusting: c.Bool("trusting") || spec.Scheme == "script",
		Sampling: llm.Sampling{NumCtx: registry().Defaults(name).Context},
	}
	found, err := judge.Inject(c.Context, j, n, c.Uint64("seed"))
	if err != nil {
		return err
	}
	i := stat.ShareInterval(found.Moved, found.Pairs, confidence)
	r := eval.Result{Scorer: "judge-check", Metric: "moved", Arm: name, Value: percent(i.Value), Low: percent(i.Low), High: percent(i.High), N: i.N, Of: n, Unit: "verdicts", Reason: i.Reason}
	if len(found.Unscored) > 0 {
		r.Reason = eval.Tallied(found.Unscored)
	}
	results := []eval.Result{r}
	if c.Bool("json") {
		err = printJSON(c.App.Writer, answer{Results: results})
	} else {
		err = printResults(c.App.Writer, results)
	}
	if err == nil && i.N < n {
		err = partialf("%d of %d pairs have no two verdicts", n-i.N, n)
	}
	return err
}
