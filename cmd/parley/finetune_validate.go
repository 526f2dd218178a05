package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
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

// validated is the answer of the command.
type validated struct {
	formats.Summary
	Findings []formats.Finding `json:"findings"` // the first of each rule, up to the limit
}

func finetuneValidate(c *cli.Context) error {
	if c.Int("max-tokens") < 0 || c.Int("limit") < 0 {
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
	did := validated{Findings: []formats.Finding{}}
	shown := map[string]int{}
	did.Summary, err = format.Validate(c.Context, c.Args().Slice(), o, func(f formats.Finding) error {
		watch.findings++
		key := string(f.Level) + " " + f.Rule
		if shown[key]++; c.Int("limit") > 0 && shown[key] > c.Int("limit") {
			return nil
		}
		if c.Bool("json") {
			did.Findings = append(did.Findings, f)
			return nil
		}
		_, err := fmt.Fprintln(c.App.Writer, f)
		return err
	})
	watch.close()
	if err != nil {
		return fmt.Errorf("validate: %w", err)
	}
	if c.Bool("json") {
		err = printJSON(c.App.Writer, did)
	} else {
		err = printValidated(c.App.Writer, &did, shown, c.Int("limit"))
	}
	if err == nil && did.Errors > 0 {
		return errors.New(finetune.Plural(did.Errors, "error") + " in training files for " + format.Name)
	}
	return err
}

// printValidated prints the counts that end the findings.
func printValidated(w io.Writer, did *validated, shown map[string]int, limit int) error {
	for _, note := range did.Notes {
		fmt.Fprintln(w, "note:", note)
	}
	if len(did.Rules) > 0 {
		fmt.Fprintln(w)
		tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(tab, "LEVEL\tRULE\tFOUND\tSHOWN")
		for _, r := range did.Rules {
			n := int64(shown[string(r.Level)+" "+r.Rule])
			if limit > 0 {
				n = min(n, int64(limit))
			}
			fmt.Fprintf(tab, "%s\t%s\t%d\t%d\n", r.Level, r.Rule, r.N, n)
		}
		if err := tab.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s: %s in %s, %s, %s\n", did.Format, finetune.Plural(did.Rows, "row"), finetune.Plural(len(did.Files), "file"), finetune.Plural(did.Errors, "error"), finetune.Plural(did.Warnings, "warning"))
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
