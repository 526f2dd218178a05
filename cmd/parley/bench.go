package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"parley/eval/session"
)

func benchCommand() *cli.Command {
	return &cli.Command{
		Name:  "bench",
		Usage: "measure parley itself, and how models take to it",
		Subcommands: []*cli.Command{benchPromptsCommand(), {
			Name:      "replies",
			Usage:     "count what is wrong with models' replies, by form and model, as the reader of today reads them",
			ArgsUsage: "FILE|RUN...",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "each", Usage: "print also how each reply was read"},
				&cli.BoolFlag{Name: "json", Usage: `print {"kinds": [...], "replies": [...]} instead`},
			},
			Action: func(c *cli.Context) error {
				r, err := session.ReadReplies(c.Args().Slice())
				if err != nil {
					return err
				}
				return output(c, r, func(w io.Writer) error { return r.Print(w, c.Bool("each")) })
			},
		}},
	}
}
