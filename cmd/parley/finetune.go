package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval/ieg"
	"parley/eval/judge"
	"parley/finetune/vdm"
	"parley/sim/llm"
)

func finetuneCommand() *cli.Command {
	return &cli.Command{
		Name:        "finetune",
		Usage:       "teach models from play, and see what they learned",
		Subcommands: append([]*cli.Command{finetuneBuildCommand(), finetuneTrainCommand(), finetuneEvalCommand(), finetuneValidateCommand(), finetuneServeCommand()}, finetuneJobsCommands()...),
	}
}

// windowsOf reads files of windows whose names are separated by commas. An id stands in one of them.
func windowsOf(c *cli.Context, list string) ([]ieg.Interaction, error) {
	var out []ieg.Interaction
	where := map[string]string{}
	for _, name := range strings.Split(list, ",") {
		if name = strings.TrimSpace(name); name == "" {
			return nil, usagef("%q names an empty file", list)
		}
		in, err := openInput(c, name)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		for x, err := range ieg.Read(in, name) {
			switch {
			case err != nil:
				return nil, err
			case where[x.ID] != "":
				return nil, fmt.Errorf("%s: window %s stands in %s already", name, x.ID, where[x.ID])
			case c.Context.Err() != nil:
				return nil, c.Context.Err()
			}
			where[x.ID] = name
			out = append(out, x)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is not one window in %s", list)
	}
	return out, nil
}

// apart is an error where a group stands on both sides: what was learned cannot be tested.
func apart(a, b []ieg.Interaction, nameA, nameB string) error {
	seen := map[string]bool{}
	for i := range a {
		seen[a[i].Group] = true
	}
	for i := range b {
		if seen[b[i].Group] {
			return fmt.Errorf("group %q stands in %s and in %s: split by group, so that nothing is tested that was learned", b[i].Group, nameA, nameB)
		}
	}
	return nil
}

// asking says how a virtual DM that asks a model does so.
type asking struct {
	seed     uint64
	shots    []ieg.Interaction
	again    int
	trusting bool
	sampling llm.Sampling
	record   func(llm.Call)
}

// openDM opens a virtual DM by its name: FILE or vdm:FILE of finetune train, prompted:MODEL or
// tuned:MODEL.
func openDM(ctx context.Context, name string, a asking) (ieg.Predictor, error) {
	kind, rest, _ := strings.Cut(name, ":")
	switch kind {
	case "prompted", "tuned":
		m, err := openModel(ctx, rest)
		if err != nil {
			return nil, err
		}
		j := &judge.Judge{Model: m, Name: rest, Sampling: a.sampling, Again: cmp.Or(a.again, -1), Now: time.Now, Trusting: a.trusting}
		if kind == "tuned" {
			return &vdm.Tuned{Judge: j, Seed: a.seed, Record: a.record}, nil
		}
		return &vdm.Prompted{Judge: j, Shots: a.shots, Seed: a.seed, Record: a.record}, nil
	case "vdm":
		return loadDM(rest)
	}
	if !exists(name) {
		return nil, usagef("there is no file %s, and a virtual DM is a file of finetune train, vdm:FILE, prompted:MODEL or tuned:MODEL", name)
	}
	return loadDM(name)
}

func loadDM(path string) (*vdm.Linear, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open a virtual DM: %w", err)
	}
	defer f.Close()
	l, err := vdm.Load(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// saveDM writes a virtual DM to a temporary file first, so that path never holds half of one.
func saveDM(l *vdm.Linear, path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	err = l.Save(f)
	for _, step := range []func() error{func() error { return f.Chmod(0o644) }, f.Sync} {
		if err == nil {
			err = step()
		}
	}
	if shut := f.Close(); err == nil {
		err = shut
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
