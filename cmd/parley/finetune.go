package main

import (
	"cmp"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval/ieg"
	"parley/eval/judge"
	"parley/finetune"
	"parley/sim/llm"
)

func finetuneCommand() *cli.Command {
	return &cli.Command{
		Name:        "finetune",
		Usage:       "teach models from play, and see what they learned",
		Subcommands: append([]*cli.Command{finetuneBuildCommand(), finetuneExportCommand(), finetuneTrainCommand(), finetuneEvalCommand(), finetuneValidateCommand(), finetuneServeCommand()}, finetuneJobsCommands()...),
	}
}

// opening returns what opens the files that a command line names.
func opening(c *cli.Context) finetune.Opener {
	return func(name string) (io.ReadCloser, error) { return openInput(c, name) }
}

// windowsOf reads the windows that a flag names.
func windowsOf(c *cli.Context, names string) ([]ieg.Interaction, error) {
	return finetune.Windows(c.Context, names, opening(c))
}

// openDM opens the virtual DM of --model. Shots are solved examples that a prompted model is shown.
func openDM(c *cli.Context, shots []ieg.Interaction, record func(llm.Call)) (ieg.Predictor, error) {
	return finetune.OpenDM(c.String("model"), finetune.Asking{Shots: shots, Seed: c.Uint64("seed"), Record: record, Open: func(model string) (*judge.Judge, error) {
		m, err := openModel(c.Context, model)
		return &judge.Judge{
			Model: m, Name: model, Sampling: llm.Sampling{MaxTokens: c.Int("max-tokens")}, Again: cmp.Or(c.Int("again"), -1), Now: time.Now,
			Trusting: c.Bool("trusting"),
		}, err
	}})
}
