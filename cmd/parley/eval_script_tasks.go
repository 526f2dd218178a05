package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"parley/characters"
	"parley/eval/report"
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
	tab := tabwriter.NewWriter(c.App.Writer, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tab, "TASK\tTOPIC\tCONSTRAINTS\tSTEPS\tSPECIFIC TASK")
	for i := range tasks {
		t := &tasks[i]
		fmt.Fprintf(tab, "%s\t%s\t%d\t%d\t%s\n", t.ID, t.Topic, t.Depth(), len(t.Steps), report.Shorten(t.Specific, 120))
	}
	return tab.Flush()
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
	fmt.Fprintf(c.App.ErrWriter, "%d tasks of %d topics\n", len(tasks), len(script.Topics(tasks)))
	return nil
}

var reviewHead = []string{"keep", "id", "topic", "abstract", "constraint 1", "constraint 2", "constraint 3", "specific task", "note"}

// abstractTask is one to make specific ones of.
type abstractTask struct{ id, topic, text string }

// abstractTasks reads abstract tasks, or takes those of the library.
func abstractTasks(c *cli.Context) ([]abstractTask, error) {
	var list []abstractTask
	if c.NArg() == 0 {
		seen := map[string]bool{}
		for _, t := range script.Library() {
			if !seen[t.Abstract] {
				seen[t.Abstract] = true
				list = append(list, abstractTask{strings.TrimSuffix(t.ID, "-1"), t.Topic, t.Abstract})
			}
		}
	} else {
		in, err := openInput(c, c.Args().First())
		if err != nil {
			return nil, err
		}
		defer in.Close()
		lines := bufio.NewScanner(in)
		seen := map[string]int{}
		for lines.Scan() {
			text := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\uFEFF"))
			if text == "" || strings.HasPrefix(text, "#") {
				continue
			}
			topic, abstract, ok := strings.Cut(text, "\t")
			if !ok {
				topic, abstract = "", text
			}
			id := string(characters.Slug(abstract))
			if seen[id]++; id == "" || seen[id] > 1 {
				id = fmt.Sprintf("%s-%d", strings.TrimPrefix(id, "-"), seen[id])
			}
			list = append(list, abstractTask{id, strings.TrimSpace(topic), strings.TrimSpace(abstract)})
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Args().First(), err)
		}
	}
	if n := c.Int("first"); n > 0 && n < len(list) {
		list = list[:n]
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s holds no abstract task", c.Args().First())
	}
	return list, nil
}
