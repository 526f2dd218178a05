package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"parley/sim/agent"
)

func promptsCommand() *cli.Command {
	return &cli.Command{
		Name:  "prompts",
		Usage: "the texts that agents are asked with",
		Subcommands: []*cli.Command{{
			Name:      "export",
			Usage:     "write the built-in prompts to a directory, to be changed and played with by run --prompts DIR",
			ArgsUsage: "DIR",
			Action: func(c *cli.Context) error {
				if c.NArg() != 1 {
					return usagef("prompts export takes one directory, and got %d", c.NArg())
				}
				if err := agent.BuiltinPrompts().Export(c.Args().First()); err != nil {
					return err
				}
				_, err := fmt.Fprintf(c.App.Writer, "change them, then: parley run --prompts %s\n", c.Args().First())
				return err
			},
		}},
	}
}
