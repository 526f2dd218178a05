package main

import (
	"fmt"
	"runtime/debug"

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
				if err := agent.BuiltinPrompts().Export(c.Args().First()); err != nil {
					return err
				}
				_, err := fmt.Fprintf(c.App.Writer, "change them, then: parley run --prompts %s\n", c.Args().First())
				return err
			},
		}},
	}
}

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version",
		Action: func(c *cli.Context) error {
			_, err := fmt.Fprintln(c.App.Writer, "parley", buildVersion())
			return err
		},
	}
}

// buildVersion returns the version that the linker set in a release, else the commit that the program was built
// of, with a mark where files were changed since.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if version != "dev" || !ok {
		return version
	}
	revision, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = "-" + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+changed"
		}
	}
	return version + revision + changed
}
