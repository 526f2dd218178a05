package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"

	"github.com/urfave/cli/v2"

	"parley/eval/ieg"
	"parley/eval/run"
	"parley/finetune"
	"parley/finetune/vdm"
)

// studyIEG trains, tests and compares.
func studyIEG(c *cli.Context) error {
	for _, name := range []string{"real-train", "real-test", "generated"} {
		if !c.IsSet(name) {
			return usagef("eval ieg needs --%s; see parley help eval ieg", name)
		}
	}
	switch {
	case c.IsSet("real"):
		return usagef("--real goes with --scores")
	case c.Int("seeds") < 1 || c.Int("turns") < 0 || c.Int("workers") < 0:
		return usagef("--seeds is at least 1, --turns and --workers at least 0")
	case c.String("windows") != "moves" && c.String("windows") != "stretch":
		return usagef("--windows %s: take moves or stretch", c.String("windows"))
	}
	workers := c.Int("workers")
	if workers == 0 { // a training uses two processors itself
		workers = max(1, runtime.GOMAXPROCS(0)/2)
	}
	s := ieg.Study{Train: trainDM, Seeds: c.Int("seeds"), Seed: c.Uint64("seed"), Workers: workers, Stretches: c.String("windows") == "stretch"}
	lines := cmp.Or(c.Int("turns"), map[bool]int{true: ieg.Turns, false: ieg.MoveLines}[s.Stretches])
	var err error
	for _, part := range []struct {
		flag string
		to   *[]ieg.Interaction
	}{{"real-train", &s.RealTrain}, {"real-val", &s.RealVal}, {"real-test", &s.RealTest}} {
		if name := c.String(part.flag); name != "" {
			if *part.to, err = windowsOf(c, name); err != nil {
				return err
			}
			*part.to = ieg.Trim(*part.to, lines)
		}
	}
	for _, text := range c.StringSlice("generated") {
		sources, err := finetune.Generated(c.Context, text, &s, lines, opening(c))
		if err != nil {
			return err
		}
		s.Generated = append(s.Generated, sources...)
	}
	if err := s.Validate(); err != nil {
		return usageError{err}
	}
	if s.Seeds < ieg.Seeds {
		fmt.Fprintf(c.App.ErrWriter, "%d seeds are few: a gap moves by some points from seed to seed; take %d\n", s.Seeds, ieg.Seeds)
	}
	dir, err := os.MkdirTemp("", "parley-ieg-") // for as long as it takes the run to copy the windows
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	config, err := s.Keep(dir)
	if err != nil {
		return err
	}
	config.Settings = run.Settings{Seed: s.Seed, Jobs: workers, Out: c.String("out"), JSON: c.Bool("json")}
	return begin(c, ieg.New(config, trainDM), func() any { return &ieg.Config{} }, showStudy)
}

// showStudy prints the results of a study.
func showStudy(c *cli.Context, dir string, m *run.Manifest) error {
	if err := printIEG(c, m.Results); err != nil || c.Bool("table") {
		return err
	}
	return printEnd(c, dir, m)
}

// trainDM trains a linear virtual DM.
func trainDM(ctx context.Context, train, val []ieg.Interaction, seed uint64) (ieg.Predictor, error) {
	return vdm.Train(ctx, vdm.Config{Seed: seed}, train, val)
}
