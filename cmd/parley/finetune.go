package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval/ieg"
	"parley/eval/judge"
	"parley/finetune"
	"parley/finetune/vdm"
	"parley/sim/llm"
)

func finetuneCommand() *cli.Command {
	return &cli.Command{
		Name:        "finetune",
		Usage:       "teach models from play, and see what they learned",
		Subcommands: append([]*cli.Command{finetuneBuildCommand(), finetuneExportCommand(), finetuneTrainCommand(), finetuneEvalCommand(), finetuneValidateCommand(), finetuneServeCommand()}, finetuneJobsCommands()...),
	}
}

// windowsOf reads files of windows whose names are separated by commas, "-" being the standard input; or
// a run of intention sessions.
func windowsOf(c *cli.Context, list string) (windows []ieg.Interaction, err error) {
	if info, err := os.Stat(list); err == nil && info.IsDir() {
		for x, err := range finetune.Interactions(list, 0) {
			if err != nil {
				return nil, err
			}
			windows = append(windows, x)
		}
		return windows, nil
	}
	names := strings.Split(list, ",")
	for i := range names {
		if names[i] = strings.TrimSpace(names[i]); names[i] == "" {
			return nil, usagef("%q names an empty file", list)
		}
	}
	return finetune.ReadWindows(c.Context, func(name string) (io.ReadCloser, error) { return openInput(c, name) }, names...)
}

// openDM opens a virtual DM by its name: FILE or vdm:FILE of finetune train, prompted:MODEL or
// tuned:MODEL. shots are solved examples that a prompted model is shown.
func openDM(c *cli.Context, name string, shots []ieg.Interaction, record func(llm.Call)) (ieg.Predictor, error) {
	kind, file, ok := strings.Cut(name, ":")
	if ok && slices.Contains([]string{"prompted", "tuned"}, kind) {
		m, err := openModel(c.Context, file)
		if err != nil {
			return nil, err
		}
		j := &judge.Judge{
			Model: m, Name: file, Sampling: llm.Sampling{MaxTokens: c.Int("max-tokens")}, Again: cmp.Or(c.Int("again"), -1), Now: time.Now,
			Trusting: c.Bool("trusting"),
		}
		if kind == "tuned" {
			return &vdm.Tuned{Judge: j, Seed: c.Uint64("seed"), Record: record}, nil
		}
		return &vdm.Prompted{Judge: j, Shots: shots, Seed: c.Uint64("seed"), Record: record}, nil
	}
	if kind != "vdm" {
		if file = name; !exists(file) {
			return nil, usagef("there is no file %s, and a virtual DM is a file of finetune train, vdm:FILE, prompted:MODEL or tuned:MODEL", name)
		}
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("open a virtual DM: %w", err)
	}
	defer f.Close()
	l, err := vdm.Load(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return l, nil
}

// callsTo makes the function that keeps calls in a new file, and the one that finishes it. Without a
// path both do nothing.
func callsTo(path string) (record func(llm.Call), finish func() error, err error) {
	if path == "" {
		return func(llm.Call) {}, func() error { return nil }, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, nil, fmt.Errorf("keep calls: %w", err)
	}
	log := &finetune.CallLog{W: f, Clean: keys.Redact}
	return log.Record, func() error {
		if err := cmp.Or(log.Err(), f.Close()); err != nil {
			return fmt.Errorf("keep calls in %s: %w", path, err)
		}
		return nil
	}, nil
}
