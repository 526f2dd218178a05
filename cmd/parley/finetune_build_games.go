package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"parley/eval/ieg"
	"parley/finetune"
)

// windows yields the windows of a file.
func (b *building) windows(ctx context.Context, in *input) exampleSeq {
	return func(yield func(finetune.Example, error) bool) {
		f, err := os.Open(in.path)
		if err != nil {
			yield(finetune.Example{}, fmt.Errorf("open a source: %w", err))
			return
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			yield(finetune.Example{}, err)
			return
		}
		counted := &counting{r: f}
		n := int64(0)
		for x, err := range ieg.Read(counted, in.path) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(finetune.Example{}, err)
				return
			}
			if n++; n%1024 == 0 {
				b.stages.say("read MB of "+in.name, counted.n>>20, info.Size()>>20)
			}
			e := finetune.FromWindow(&x)
			e.Source = in.name
			if !b.keepSplits {
				e.Split = ""
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// counting counts what is read.
type counting struct {
	r io.Reader
	n int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// splitsKept reports whether windows stay in the splits of their files: where the user says so, or
// where nothing is said, every window has one, and not all the same.
func (b *building) splitsKept() (bool, error) {
	if b.c.Bool("keep-splits") || b.c.IsSet("split") {
		return b.c.Bool("keep-splits"), nil
	}
	found := map[string]bool{}
	for i := range b.inputs {
		if b.inputs[i].manifest != nil {
			return false, nil
		}
		if err := splitsIn(b.inputs[i].path, found); err != nil {
			return false, err
		}
	}
	keep := len(found) > 1 && !found[""]
	if keep {
		fmt.Fprintln(b.talk, "every window has a split of its own, which it keeps; --split divides anew")
	}
	return keep, nil
}

// splitsIn collects the splits that the lines of a file name. What is wrong with a line is said when
// it is read in full.
func splitsIn(path string, found map[string]bool) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open a source: %w", err)
	}
	defer f.Close()
	dec := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	for {
		var x struct {
			Split string `json:"split"`
		}
		if dec.Decode(&x) != nil {
			return nil
		}
		found[x.Split] = true
	}
}

// games yields the windows of a run's games of intention expression.
func (b *building) games(ctx context.Context, in *input, filtered bool) exampleSeq {
	n := b.c.Int("turns")
	moves := b.c.String("window") == windowMoves
	return func(yield func(finetune.Example, error) bool) {
		for s, err := range b.sessions(ctx, in, filtered) {
			if err != nil {
				if !yield(finetune.Example{}, err) || !gone(err) {
					return
				}
				continue
			}
			if !s.Episode.Scenario.Kind.Intentions {
				gap := &finetune.Dropped{ID: s.ID, Group: s.Group, Source: s.Source, Reason: notScenario, Detail: "nobody has intentions in a session of the kind " + s.Episode.Scenario.Kind.Name}
				if !yield(finetune.Example{}, gap) {
					return
				}
				continue
			}
			cut := n
			if moves {
				cut = math.MaxInt
			}
			windows := ieg.FromEpisode(s.Episode, cut)
			if moves && len(windows) > 0 {
				windows = ieg.AtMoves(&windows[0], n)
			}
			for i := range windows {
				w := &windows[i]
				w.ID = strings.Replace(w.ID, s.Episode.Session, s.ID, 1)
				e := finetune.FromWindow(w)
				e.Group, e.Scenario, e.Source, e.Model, e.Score = s.Group, s.Scenario, s.Source, playersOf(s.Session), s.mean
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// playersOf names the models of a session's players.
func playersOf(s *finetune.Session) string {
	var list []string
	for _, c := range s.Episode.Scenario.Cast {
		if c.ID != s.Episode.Scenario.NPC && !slices.Contains(list, s.Models[c.ID]) {
			list = append(list, s.Models[c.ID])
		}
	}
	return strings.Join(list, "+")
}
