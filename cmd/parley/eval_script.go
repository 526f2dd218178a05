package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/eval/script"
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

// scriptTasks reads tasks from a file, or takes the library's.
func scriptTasks(file string, first int) ([]script.Task, error) {
	tasks := script.Library()
	if file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("tasks: %w", err)
		}
		if tasks, err = script.ReadTaskFile(data, file); err != nil {
			return nil, err
		}
	}
	if first > 0 && first < len(tasks) {
		tasks = tasks[:first]
	}
	return tasks, nil
}

// isDatabase reports whether a file is one of SQLite.
func isDatabase(f *os.File) bool {
	head := make([]byte, 16)
	_, err := f.ReadAt(head, 0)
	return err == nil && string(head) == "SQLite format 3\x00"
}

// scriptWeights reads weights as NM=2,NR=1.
func scriptWeights(texts []string) (script.Weights, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	w := script.Weights{}
	for _, text := range texts {
		for _, part := range strings.Split(text, ",") {
			name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
			v, err := strconv.ParseFloat(value, 64)
			if !ok || err != nil {
				return nil, usagef("--weights %s: a weight is written METRIC=NUMBER, such as NM=2", part)
			}
			w[script.Metric(strings.ToUpper(strings.TrimSpace(name)))] = v
		}
	}
	if err := w.Validate(); err != nil {
		return nil, usagef("--weights: %w", err)
	}
	return w, nil
}
