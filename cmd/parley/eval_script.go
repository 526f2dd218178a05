package main

import (
	"github.com/urfave/cli/v2"
)

func evalScriptCommand() *cli.Command {
	return &cli.Command{
		Name:  "script",
		Usage: "evaluate scripts, lists of steps for tasks with constraints, by judge agents (ABSEval)",
		Subcommands: []*cli.Command{
			evalScriptRunCommand(),
			evalScriptRankCommand(),
			evalScriptPerturbCommand(),
			evalScriptAgreeCommand(),
			evalScriptTasksCommand(),
		},
	}
}
