package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"parley/eval/run"
)

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "check a run of any kind against its invariants",
		ArgsUsage: "RUN",
		Flags:     []cli.Flag{jsonFlag()},
		Action: func(c *cli.Context) error {
			dir := c.Args().First()
			f, err := run.Verify(dir, kinds)
			if err != nil {
				return err
			}
			err = output(c, f, f.Print)
			if err == nil && f.Found > 0 {
				err = fmt.Errorf("%s: %d findings", dir, f.Found)
			}
			return err
		},
	}
}
