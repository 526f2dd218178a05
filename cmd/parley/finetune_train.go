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
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "task", Usage: "`TASK` to learn: dm", Value: "dm"},
			&cli.StringFlag{Name: "in", Usage: "`FILE.jsonl[,...]` of windows, or run, to learn from (required)"},
			&cli.StringFlag{Name: "val", Usage: "`FILE.jsonl[,...]` of windows, or run, to tune thresholds on"},
			&cli.Uint64Flag{Name: "seed", Usage: "`SEED` of everything that is drawn", Value: 1},
			&cli.StringFlag{Name: "out", Usage: "`MODEL` file to write (required)"},
			jsonFlag(),
		},
		Action: finetuneTrain,
	}
}

func finetuneTrain(c *cli.Context) error {
	if c.String("task") != "dm" {
		return usagef("finetune train can learn --task dm, and not %q", c.String("task"))
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
	if n := did.Model.Intentions - did.Model.Learned; n > 0 && !c.Bool("json") {
		tell(c)("%d intentions of others than the cast cannot be learned", n)
	}
	return output(c, did, text(did))
}
