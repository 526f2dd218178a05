package main

import (
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
