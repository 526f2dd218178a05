package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval/run"
	"parley/finetune"
	"parley/finetune/formats"
)

func finetuneValidateCommand() *cli.Command {
	return &cli.Command{
		Name:      "validate",
		Usage:     "say what a trainer would make of training files, whoever made them",
		ArgsUsage: "FILE|DIR...",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "for", Usage: "`FORMAT`: " + strings.Join(formats.Names(), ", ") + " (required)"},
			&cli.IntFlag{Name: "max-tokens", Usage: "compare rows with a limit of `N` tokens: counted for OpenAI and Azure, estimated for others"},
			&cli.StringFlag{Name: "model", Usage: "the `MODEL` of OpenAI whose tokens are counted; by default one of the later ones"},
			&cli.IntFlag{Name: "limit", Usage: "show `N` findings of a rule; 0 shows all", Value: 20},
			jsonFlag(),
		},
		Action: finetuneValidate,
	}
}

func finetuneValidate(c *cli.Context) error {
	limit := c.Int("limit")
	if c.Int("max-tokens") < 0 || limit < 0 {
		return usagef("--max-tokens and --limit are 0 or more")
	}
	format, err := formats.Lookup(c.String("for"))
	if err != nil {
		return usageError{err}
	}
	o := formats.ValidateOptions{MaxTokens: c.Int("max-tokens"), Counter: finetune.Estimate()}
	if format.Hosted {
		o.Counter = finetune.OpenAI(c.String("model"))
	}
	watch := &validateProgress{w: c.App.ErrWriter}
	o.Progress = watch.at
	show := func(f formats.Finding) error {
		watch.findings++
		_, err := fmt.Fprintln(c.App.Writer, f)
		return err
	}
	if c.Bool("json") {
		show = nil
	}
	did, err := format.Report(c.Context, c.Args().Slice(), o, limit, show)
	watch.close()
	if err != nil {
		return fmt.Errorf("validate: %w", err)
	}
	if err = output(c, did, did.Print); err == nil && did.Errors > 0 {
		return errors.New(finetune.Plural(did.Errors, "error") + " in training files for " + format.Name)
	}
	return err
}

// validateProgress reports on large files only.
type validateProgress struct {
	w        io.Writer
	p        *run.Progress
	findings int64
}

func (v *validateProgress) at(done, total int64) {
	const large = 64 << 20
	if v.p == nil && total >= large {
		v.p = run.NewProgress(v.w, 0, "MB", "findings", map[string]int{"": int(total / 1_000_000)}, time.Now)
	}
	if v.p != nil {
		v.p.At(int(done/1_000_000), int(v.findings))
	}
}

func (v *validateProgress) close() {
	if v.p != nil {
		v.p.Close()
	}
}
