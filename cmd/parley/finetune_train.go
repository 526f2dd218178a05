package main

import (
	"bytes"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval/ieg"
	"parley/finetune"
	"parley/finetune/vdm"
	"parley/logs"
)

func finetuneTrainCommand() *cli.Command {
	return &cli.Command{
		Name:  "train",
		Usage: "train a small model inside of this program, in seconds",
		Description: "--task dm trains a virtual Dungeon Master: from a window of play it says who tries which skill.\n" +
			"Its thresholds are tuned on the windows of --val, or by cross-validation where there are none.\n" +
			"The same windows and seed make the same file.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "task", Usage: "`TASK` to learn: dm", Value: "dm"},
			&cli.StringFlag{Name: "in", Usage: "`FILE.jsonl[,...]` of windows, or run, to learn from (required)"},
			&cli.StringFlag{Name: "val", Usage: "`FILE.jsonl[,...]` of windows, or run, to tune thresholds on"},
			&cli.Uint64Flag{Name: "seed", Usage: "`SEED` of everything that is drawn", Value: 1},
			&cli.StringFlag{Name: "out", Usage: "`MODEL` file to write (required)"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		},
		Action: finetuneTrain,
	}
}

func finetuneTrain(c *cli.Context) error {
	switch {
	case c.NArg() > 0:
		return usagef("finetune train takes its files with --in, and got %s", c.Args().First())
	case c.String("task") != "dm":
		return usagef("finetune train can learn --task dm, and not %q", c.String("task"))
	case c.String("in") == "":
		return usagef("say with --in which windows to learn from")
	case c.String("out") == "":
		return usagef("say with --out where the model goes")
	}
	train, err := windowsOf(c, c.String("in"))
	if err != nil {
		return err
	}
	var val []ieg.Interaction
	if name := c.String("val"); name != "" {
		if val, err = windowsOf(c, name); err != nil {
			return err
		}
		if err := finetune.Apart(train, val, c.String("in"), name); err != nil {
			return err
		}
	}
	fmt.Fprintf(c.App.ErrWriter, "training on %d windows\n", len(train))
	start := time.Now()
	l, err := vdm.Train(c.Context, vdm.Config{Seed: c.Uint64("seed")}, train, val)
	if err != nil {
		return fmt.Errorf("train a virtual DM: %w", err)
	}
	did := l.Trained(c.String("out"), time.Since(start))
	var file bytes.Buffer
	if err := l.Save(&file); err != nil {
		return err
	}
	if err := logs.WriteFile(did.Out, file.Bytes()); err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, did)
	}
	if n := did.Model.Intentions - did.Model.Learned; n > 0 {
		fmt.Fprintf(c.App.ErrWriter, "%d intentions of others than the cast cannot be learned\n", n)
	}
	_, err = fmt.Fprint(c.App.Writer, did)
	return err
}
