package finetune

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/eval/ieg"
	"parley/eval/judge"
	"parley/eval/run"
	"parley/finetune/vdm"
	"parley/sim/llm"
)

// Asking says how a virtual DM asks a model.
type Asking struct {
	Open   func(model string) (*judge.Judge, error)
	Shots  []ieg.Interaction // solved examples that it may be shown
	Seed   uint64
	Record func(llm.Call)
}

// asking are the virtual DMs that ask a model, by the word before its name.
var asking = map[string]func(*judge.Judge, Asking) ieg.Predictor{
	"prompted": func(j *judge.Judge, a Asking) ieg.Predictor {
		return &vdm.Prompted{Judge: j, Shots: a.Shots, Seed: a.Seed, Record: a.Record}
	},
	"tuned": func(j *judge.Judge, a Asking) ieg.Predictor {
		return &vdm.Tuned{Judge: j, Seed: a.Seed, Record: a.Record}
	},
}

// OpenDM opens a virtual DM by its name: FILE or vdm:FILE of finetune train, prompted:MODEL or tuned:MODEL.
func OpenDM(name string, a Asking) (ieg.Predictor, error) {
	kind, rest, _ := strings.Cut(name, ":")
	if make := asking[kind]; make != nil {
		j, err := a.Open(rest)
		if err != nil {
			return nil, err
		}
		return make(j, a), nil
	}
	file, named := strings.CutPrefix(name, "vdm:")
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return nil, run.Usagef("there is no file %s, and a virtual DM is a file of finetune train, vdm:FILE, prompted:MODEL or tuned:MODEL", name)
	}
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

// Opener opens a file by its name.
type Opener func(name string) (io.ReadCloser, error)

// Windows reads files of windows whose names are separated by commas, or the games of a run of intention sessions.
// The ids of windows have to differ.
func Windows(ctx context.Context, names string, open Opener) (list []ieg.Interaction, err error) {
	if isDir(names) {
		for x, err := range Interactions(names, 0) {
			if err != nil {
				return nil, err
			}
			list = append(list, x)
		}
		return list, nil
	}
	where := map[string]string{}
	for name := range strings.SplitSeq(names, ",") {
		if name = strings.TrimSpace(name); name == "" {
			return nil, run.Usagef("%q names an empty file", names)
		}
		f, err := open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		for x, err := range ieg.Read(f, name) {
			switch {
			case err != nil:
				return nil, err
			case where[x.ID] != "":
				return nil, fmt.Errorf("%s: window %s is in %s already", name, x.ID, where[x.ID])
			case ctx.Err() != nil:
				return nil, ctx.Err()
			}
			where[x.ID] = name
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("there is not one window in %s", names)
	}
	return list, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Generated reads the generated play of a study from FILE, RUN or NAME=either. Each arm of a run with several is a
// source. Games are cut into windows of so many lines, or stretches of so many turns.
func Generated(ctx context.Context, text string, s *ieg.Study, lines int, open Opener) ([]ieg.Source, error) {
	path, name := text, ""
	if _, err := os.Stat(path); err != nil {
		if before, after, ok := strings.Cut(text, "="); ok && before != "" {
			name, path = before, after
		}
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("read generated play: %w", err)
		}
	}
	if !isDir(path) {
		if name == "" {
			name, _, _ = strings.Cut(filepath.Base(path), ".jsonl")
		}
		xs, err := Windows(ctx, path, open)
		return []ieg.Source{{Name: name, Interactions: ieg.Trim(xs, lines)}}, err
	}
	var sources []ieg.Source
	turns := math.MaxInt
	if s.Stretches {
		turns = lines
	}
	for game, err := range Interactions(path, turns) {
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(sources, func(s ieg.Source) bool { return s.Name == game.Source })
		if i < 0 {
			i = len(sources)
			sources = append(sources, ieg.Source{Name: game.Source})
		}
		windows := []ieg.Interaction{game}
		if !s.Stretches {
			windows = ieg.AtMoves(&game, s.RealTrain, lines)
		}
		sources[i].Interactions = append(sources[i].Interactions, windows...)
	}
	for i := range sources {
		switch {
		case len(sources) == 1 && name == "":
			sources[i].Name = filepath.Base(filepath.Clean(path))
		case len(sources) == 1:
			sources[i].Name = name
		case name != "":
			sources[i].Name = name + "/" + sources[i].Name
		}
	}
	return sources, nil
}
