package main

import (
	"cmp"
	"fmt"

	"github.com/urfave/cli/v2"

	"parley/eval/ieg"
	"parley/finetune"
	"parley/finetune/vdm"
)

func finetuneEvalCommand() *cli.Command {
	return &cli.Command{
		Name:  "eval",
		Usage: "see how well a virtual Dungeon Master names who tries which skill",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "model", Usage: "`MODEL` to test (required)"},
			&cli.StringFlag{Name: "in", Usage: "`FILE.jsonl[,...]` of windows, or run, to test on (required)"},
			&cli.StringFlag{Name: "train", Usage: "`FILE.jsonl[,...]` or run that the baselines' most common skill and the examples of --shots come from (default for the baselines: the windows of the test, which flatters them)"},
			&cli.IntFlag{Name: "shots", Usage: "`NUMBER` of solved examples that a prompted model is shown"},
			&cli.IntFlag{Name: "limit", Usage: "test the first `NUMBER` of windows only"},
			&cli.IntFlag{Name: "jobs", Usage: "`NUMBER` of windows at a time", Value: 1},
			&cli.IntFlag{Name: "again", Usage: "`TIMES` that a prompted model is asked again after a reply that cannot be read", Value: 2},
			&cli.IntFlag{Name: "max-tokens", Usage: "`NUMBER` of tokens of a reply", Value: 400},
			&cli.BoolFlag{Name: "trusting", Usage: "take replies without the nonce of the question: for models too small to copy one, and play that was not tampered with"},
			&cli.StringFlag{Name: "calls", Usage: "new `FILE` for a record of every call of a model, one JSON object a line"},
			&cli.Uint64Flag{Name: "seed", Usage: "`SEED` of examples, sampling and intervals", Value: 1},
			jsonFlag(),
		},
		Action: finetuneEval,
	}
}

func finetuneEval(c *cli.Context) error {
	switch {
	case c.Int("jobs") < 1 || c.Int("shots") < 0 || c.Int("limit") < 0 || c.Int("again") < 0 || c.Int("max-tokens") < 1:
		return usagef("--jobs and --max-tokens are 1 or more; --shots, --limit and --again are not negative")
	case c.Int("shots") > 0 && c.String("train") == "":
		return usagef("--shots needs --train: examples do not come from the test")
	}
	test, train, err := evalWindows(c)
	if err != nil {
		return err
	}
	calls, err := finetune.NewCallLog(c.String("calls"), keys.Redact)
	if err != nil {
		return err
	}
	seed := c.Uint64("seed")
	dm, err := openDM(c, vdm.Draw(train, c.Int("shots"), seed), calls.Record)
	if err != nil {
		return err
	}
	results, unscored, err := vdm.Compare(c.Context, dm, test, train, c.Int("jobs"), seed)
	if err = cmp.Or(err, calls.Close()); err != nil {
		return fmt.Errorf("test %s: %w", c.String("model"), err)
	}
	if err = printAnswer(c, results); err == nil && unscored > 0 {
		return partialf("%d of %d windows are unscored; the reasons are beside the results", unscored, len(test))
	}
	return err
}

// evalWindows reads the windows to test on, and those that the baselines learn from.
func evalWindows(c *cli.Context) (test, train []ieg.Interaction, err error) {
	if test, err = windowsOf(c, c.String("in")); err != nil {
		return nil, nil, err
	}
	if n := c.Int("limit"); n > 0 {
		test = test[:min(n, len(test))]
	}
	name := c.String("train")
	if name == "" {
		fmt.Fprintln(c.App.ErrWriter, "the baselines know the most common skill from the test itself; --train FILE gives them what was learned from")
		return test, test, nil
	}
	if train, err = windowsOf(c, name); err == nil {
		err = finetune.Apart(train, test, name, c.String("in"))
	}
	return test, train, err
}
