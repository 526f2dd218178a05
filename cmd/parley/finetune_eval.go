package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/ieg"
	"parley/finetune/vdm"
	"parley/sim/llm"
)

func finetuneEvalCommand() *cli.Command {
	return &cli.Command{
		Name:  "eval",
		Usage: "see how well a virtual Dungeon Master names who tries which skill",
		Description: "MODEL is a file of finetune train (FILE or vdm:FILE), prompted:MODEL-SPEC for any model as it is,\n" +
			"or tuned:MODEL-SPEC for one that was fine-tuned on parley's examples. The results are F-scores from\n" +
			"0 to 100 of characters (f_c) and of (character, skill) (f_o), with intervals by bootstrap over the\n" +
			"groups; _window are means over windows, _skill over skills. Baselines that understand nothing stand\n" +
			"beside them. A reply that cannot be read is unscored and counted (exit status 3).",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "model", Usage: "`MODEL` to test (required)"},
			&cli.StringFlag{Name: "in", Usage: "`FILE.jsonl[,...]` of windows to test on (required)"},
			&cli.StringFlag{Name: "train", Usage: "`FILE.jsonl[,...]` that the baselines' most common skill and the examples of --shots come from (default for the baselines: the windows of the test, which flatters them)"},
			&cli.IntFlag{Name: "shots", Usage: "`NUMBER` of solved examples that a prompted model is shown"},
			&cli.IntFlag{Name: "limit", Usage: "test the first `NUMBER` of windows only"},
			&cli.IntFlag{Name: "jobs", Usage: "`NUMBER` of windows at a time", Value: 1},
			&cli.IntFlag{Name: "again", Usage: "`TIMES` that a prompted model is asked again after a reply that cannot be read", Value: 2},
			&cli.IntFlag{Name: "max-tokens", Usage: "`NUMBER` of tokens of a reply", Value: 400},
			&cli.BoolFlag{Name: "trusting", Usage: "take replies without the nonce of the question: for models too small to copy one, and play that nobody tampered with"},
			&cli.StringFlag{Name: "calls", Usage: "new `FILE` for a record of every call of a model, one JSON object a line"},
			&cli.Uint64Flag{Name: "seed", Usage: "`SEED` of examples, sampling and intervals", Value: 1},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		},
		Action: finetuneEval,
	}
}

func finetuneEval(c *cli.Context) error {
	switch {
	case c.NArg() > 0:
		return usagef("finetune eval takes its files with --in, and got %s", c.Args().First())
	case c.String("model") == "":
		return usagef("say with --model what to test")
	case c.String("in") == "":
		return usagef("say with --in which windows to test on")
	case c.Int("jobs") < 1 || c.Int("shots") < 0 || c.Int("limit") < 0 || c.Int("again") < 0 || c.Int("max-tokens") < 1:
		return usagef("--jobs and --max-tokens are 1 or more; --shots, --limit and --again are not negative")
	case c.Int("shots") > 0 && c.String("train") == "":
		return usagef("--shots needs --train: examples do not come from the test")
	}
	test, err := windowsOf(c, c.String("in"))
	if err != nil {
		return err
	}
	if n := c.Int("limit"); n > 0 && n < len(test) {
		test = test[:n]
	}
	train := test
	if name := c.String("train"); name != "" {
		if train, err = windowsOf(c, name); err != nil {
			return err
		}
		if err := apart(train, test, name, c.String("in")); err != nil {
			return err
		}
	}
	record, finish, err := callsTo(c.String("calls"))
	if err != nil {
		return err
	}
	seed := c.Uint64("seed")
	dm, err := openDM(c.Context, c.String("model"), asking{
		seed: seed, shots: vdm.Draw(train, c.Int("shots"), seed), again: c.Int("again"), trusting: c.Bool("trusting"),
		sampling: llm.Sampling{MaxTokens: c.Int("max-tokens")}, record: record,
	})
	if err != nil {
		return err
	}
	marks, err := ieg.Evaluate(c.Context, dm, test, c.Int("jobs"))
	if bad := finish(); err == nil {
		err = bad
	}
	if err != nil {
		return fmt.Errorf("test %s: %w", c.String("model"), err)
	}
	panels := []ieg.Panel{{Name: dm.Name(), Marks: [][]ieg.Mark{marks}}}
	for _, b := range ieg.Baselines(train) {
		marks, err := ieg.Evaluate(c.Context, b, test, 1)
		if err != nil {
			return err
		}
		panels = append(panels, ieg.Panel{Name: b.Name(), Control: ieg.Baseline, Marks: [][]ieg.Mark{marks}})
	}
	var results []eval.Result
	for i := range panels {
		results = append(results, panels[i].Results(ieg.Bootstrap{Seed: seed})...)
	}
	if c.String("train") == "" {
		fmt.Fprintln(c.App.ErrWriter, "the baselines know the most common skill from the test itself; --train FILE gives them what was learned from")
	}
	if c.Bool("json") {
		err = printJSON(c.App.Writer, answer{Results: results})
	} else {
		err = printResults(c.App.Writer, results)
	}
	unscored := 0
	for _, m := range marks {
		if m.Reason != "" {
			unscored++
		}
	}
	if err == nil && unscored > 0 {
		return partialf("%d of %d windows are unscored; the reasons stand beside the results", unscored, len(marks))
	}
	return err
}

// callsTo makes the function that keeps calls in a new file, and the one that finishes it. Without a
// path nothing is kept.
func callsTo(path string) (record func(llm.Call), finish func() error, err error) {
	if path == "" {
		return nil, func() error { return nil }, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, nil, fmt.Errorf("keep calls: %w", err)
	}
	var mu sync.Mutex
	var failed error
	enc := json.NewEncoder(f)
	enc.SetEscapeHTML(false)
	record = func(call llm.Call) {
		mu.Lock()
		defer mu.Unlock()
		call.Error = clean(call.Error)
		type message struct {
			Role    llm.Role `json:"role"`
			Content string   `json:"content"`
		}
		row := struct {
			llm.Call
			Messages []message `json:"messages"`
		}{call, make([]message, len(call.Messages))}
		for i, m := range call.Messages {
			row.Messages[i] = message{m.Role, m.Content}
		}
		if err := enc.Encode(row); failed == nil {
			failed = err
		}
	}
	finish = func() error {
		if err := f.Close(); failed == nil {
			failed = err
		}
		if failed != nil {
			return fmt.Errorf("keep calls in %s: %w", path, failed)
		}
		return nil
	}
	return record, finish, nil
}
