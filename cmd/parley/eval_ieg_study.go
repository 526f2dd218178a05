package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

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
		sources, err := readGenerated(c, text, &s, lines)
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
	config, done, err := keepWindows(&s)
	if err != nil {
		return err
	}
	defer done()
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

// keepWindows writes the windows of a study to files for as long as it takes the run to copy them.
func keepWindows(s *ieg.Study) (c *ieg.Config, done func(), err error) {
	dir, err := os.MkdirTemp("", "parley-ieg-")
	if err != nil {
		return nil, nil, err
	}
	c, done = &ieg.Config{Seeds: s.Seeds, Stretches: s.Stretches}, func() { os.RemoveAll(dir) }
	write := func(name string, xs []ieg.Interaction) (path string) {
		if len(xs) == 0 || err != nil {
			return ""
		}
		var b bytes.Buffer
		for i := range xs {
			err = errors.Join(err, ieg.Write(&b, &xs[i]))
		}
		path = filepath.Join(dir, name+".jsonl")
		err = errors.Join(err, os.WriteFile(path, b.Bytes(), 0o600))
		return path
	}
	c.RealTrain, c.RealVal, c.RealTest = write("real-train", s.RealTrain), write("real-val", s.RealVal), write("real-test", s.RealTest)
	for i, g := range s.Generated {
		c.Generated = append(c.Generated, ieg.SourceConfig{Name: g.Name, File: write(fmt.Sprintf("generated-%d", i+1), g.Interactions)})
	}
	return c, done, err
}

// trainDM trains a linear virtual DM.
func trainDM(ctx context.Context, train, val []ieg.Interaction, seed uint64) (ieg.Predictor, error) {
	return vdm.Train(ctx, vdm.Config{Seed: seed}, train, val)
}

// readGenerated reads FILE, RUN or NAME=either. Each arm of a run with several is a source. Games are cut into
// windows of so many lines, or stretches of so many turns.
func readGenerated(c *cli.Context, text string, s *ieg.Study, lines int) ([]ieg.Source, error) {
	path, name := text, ""
	if _, err := os.Stat(path); err != nil {
		if before, after, ok := strings.Cut(text, "="); ok && before != "" {
			name, path = before, after
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read generated play: %w", err)
	}
	called := func(s string) string {
		if name != "" {
			return name
		}
		return s
	}
	if !info.IsDir() {
		xs, err := windowsOf(c, path)
		base, _, _ := strings.Cut(filepath.Base(path), ".jsonl")
		return []ieg.Source{{Name: called(base), Interactions: ieg.Trim(xs, lines)}}, err
	}
	var sources []ieg.Source
	turns := math.MaxInt
	if s.Stretches {
		turns = lines
	}
	for game, err := range finetune.Interactions(path, turns) {
		if err != nil {
			return nil, err
		}
		arm := game.Source
		i := slices.IndexFunc(sources, func(s ieg.Source) bool { return s.Name == arm })
		if i < 0 {
			i = len(sources)
			sources = append(sources, ieg.Source{Name: arm})
		}
		windows := []ieg.Interaction{game}
		if !s.Stretches {
			windows = ieg.AtMoves(&game, s.RealTrain, lines)
		}
		sources[i].Interactions = append(sources[i].Interactions, windows...)
	}
	if len(sources) == 1 {
		sources[0].Name = called(filepath.Base(filepath.Clean(path)))
	} else if name != "" {
		for i := range sources {
			sources[i].Name = name + "/" + sources[i].Name
		}
	}
	return sources, nil
}
