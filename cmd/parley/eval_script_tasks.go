package main

import (
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"parley/eval/script"
)

func evalScriptTasksCommand() *cli.Command {
	return &cli.Command{
		Name:  "tasks",
		Usage: "list, import or make tasks",
		Subcommands: []*cli.Command{
			{
				Name:      "list",
				Usage:     "list the built-in tasks, or those of a file",
				ArgsUsage: "[FILE]",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "json", Usage: "print one JSON object with `tasks`, all of them whole"},
					&cli.BoolFlag{Name: "lines", Usage: "print JSON lines, as --tasks takes them"},
				},
				Action: listScriptTasks,
			},
			{
				Name:      "import",
				Usage:     "turn a file of CoScript, or of ABSEval's authors, into tasks",
				ArgsUsage: "FILE",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "out", Usage: "write to `FILE` instead of the standard output"},
					&cli.IntFlag{Name: "first", DefaultText: "all", Usage: "take only the first `N` tasks"},
				},
				Action: importScriptTasks,
			},
			{
				Name:      "generate",
				Usage:     "have a model make tasks with one, two and three constraints out of abstract ones",
				ArgsUsage: "[ABSTRACT.txt]",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "model", Usage: "`MODEL` that makes them"},
					&cli.IntFlag{Name: "depth", Value: 3, Usage: "add 1 to `N` constraints"},
					&cli.IntFlag{Name: "first", DefaultText: "all", Usage: "take only the first `N` abstract tasks"},
					&cli.StringFlag{Name: "review", Usage: "also write a sheet for people to `FILE`.csv"},
					&cli.StringFlag{Name: "reviewed", Usage: "read a filled-in sheet back from `FILE`.csv, and ask no model"},
					&cli.BoolFlag{Name: "trusting", Usage: "take replies that do not repeat the question's nonce"},
					&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` that all randomness comes from"},
					&cli.StringFlag{Name: "out", Usage: "write the tasks to `FILE` instead of the standard output"},
				},
				Action: generateScriptTasks,
			},
		},
	}
}

func listScriptTasks(c *cli.Context) error {
	tasks, err := script.Tasks(os.ReadFile, c.Args().First(), 0)
	if err != nil {
		return err
	}
	switch {
	case c.Bool("json"):
		return printJSON(c.App.Writer, map[string]any{"tasks": tasks})
	case c.Bool("lines"):
		return script.WriteTasks(c.App.Writer, tasks)
	}
	return script.PrintTasks(c.App.Writer, tasks)
}

func importScriptTasks(c *cli.Context) error {
	name := c.Args().First()
	tasks, err := script.Tasks(os.ReadFile, name, c.Int("first"))
	if err != nil {
		return err
	}
	if err := writeTo(c, func(w io.Writer) error { return script.WriteTasks(w, tasks) }); err != nil {
		return err
	}
	tell(c)("%d tasks of %d topics", len(tasks), len(script.Topics(tasks)))
	return nil
}
