package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v2"

	"parley/finetune"
	"parley/finetune/formats"
	"parley/finetune/recipe"
	"parley/sim/agent"
)

// building is what a build was asked for.
type building struct {
	c       *cli.Context
	task    finetune.Task
	out     string
	options finetune.Options
	formats []*formats.Format
	recipe  string // empty: none
	base    string

	inputs, holdouts []input
	keepSplits       bool

	status, models, scenarios []string
	metric                    string
	least, most               *float64
	minTokens                 int

	who  finetune.Seats
	form agent.Form

	stages *stages
	talk   io.Writer
	told   map[string]bool // notes that were given
	found  atomic.Int64    // examples and errors that sources gave
}

// input is a run, or a file of windows.
type input struct {
	path     string
	name     string    // in ids and as the source of examples: never a path of this machine
	manifest *manifest // nil: a file
}

// The flags that single tasks alone know.
var taskFlags = map[string][]finetune.Task{
	"turns": {finetune.DM}, "window": {finetune.DM}, "keep-splits": {finetune.DM},
	"who": {finetune.Roleplay, finetune.Preference}, "per": {finetune.Roleplay}, "form": {finetune.Roleplay, finetune.Preference},
	"margin": {finetune.Preference}, "judge": {finetune.Preference}, "against": {finetune.Preference}, "prefer": {finetune.Preference},
	"allow-self-judge": {finetune.Preference}, "trusting": {finetune.Preference}, "cache": {finetune.Preference},
	"calls": {finetune.Preference}, "jobs": {finetune.Preference},
}

// newBuilding reads the command line.
func newBuilding(c *cli.Context) (*building, error) {
	b := &building{
		c: c, task: finetune.Task(c.String("task")), out: c.String("out"), base: c.String("base"), recipe: c.String("target-script"),
		status: c.StringSlice("status"), models: c.StringSlice("model"), scenarios: c.StringSlice("scenario"), metric: c.String("score"),
		minTokens: c.Int("min-tokens"), who: finetune.Seats(c.String("who")), form: agent.Form(c.String("form")),
		talk: c.App.ErrWriter, told: map[string]bool{}, stages: newStages(c.App.ErrWriter, time.Now),
	}
	oneOf := func(flag, value string, allowed ...string) error {
		if slices.Contains(allowed, value) {
			return nil
		}
		return usagef("--%s is %q: say one of %s", flag, value, strings.Join(allowed, ", "))
	}
	if b.task == "" {
		return nil, usagef("say with --task what is to be learned: dm, roleplay, preference or judge")
	}
	checks := []error{
		oneOf("task", string(b.task), string(finetune.DM), string(finetune.Roleplay), string(finetune.Preference), string(finetune.Judge)),
		oneOf("split-by", c.String("split-by"), "group", "scenario"),
		oneOf("who", string(b.who), string(finetune.Players), string(finetune.NPC), string(finetune.Everybody)),
		oneOf("per", c.String("per"), perTurn, perConversation),
		oneOf("window", c.String("window"), windowTurns, windowMoves),
		oneOf("form", c.String("form"), "", string(agent.JSON), string(agent.Lines)),
	}
	for _, s := range b.status {
		checks = append(checks, oneOf("status", s, string(stateComplete), string(stateFailed), "any"))
	}
	for _, err := range checks {
		if err != nil {
			return nil, err
		}
	}
	for name, tasks := range taskFlags {
		if c.IsSet(name) && !slices.Contains(tasks, b.task) {
			return nil, usagef("--%s is for --task %s, and the task is %s", name, tasks[0], b.task)
		}
	}
	switch {
	case b.out == "":
		return nil, usagef("say with --out where the dataset goes")
	case c.NArg() == 0:
		return nil, usagef("say what to build of: parley finetune build --task %s --out %s RUN|FILE.jsonl...", b.task, b.out)
	case c.Int("max-tokens") < 0 || b.minTokens < 0 || c.Int("turns") < 1 || c.Int("jobs") < 1 || c.Float64("margin") < 0:
		return nil, usagef("--max-tokens, --min-tokens and --margin are not negative; --turns and --jobs are 1 or more")
	}
	b.out = filepath.Clean(b.out)
	for flag, to := range map[string]**float64{"min-score": &b.least, "max-score": &b.most} {
		if c.IsSet(flag) {
			x := c.Float64(flag)
			*to = &x
		}
	}
	if err := b.chosen(); err != nil {
		return nil, err
	}
	if err := b.trained(); err != nil {
		return nil, err
	}
	var err error
	if b.inputs, err = openInputs(c.Args().Slice()); err != nil {
		return nil, err
	}
	if b.holdouts, err = openInputs(c.StringSlice("holdout")); err != nil {
		return nil, err
	}
	return b, b.fit()
}

// chosen checks how a preference is settled.
func (b *building) chosen() error {
	if b.task != finetune.Preference {
		return nil
	}
	c := b.c
	against, judge, prefer := c.String("against"), c.String("judge"), c.String("prefer")
	switch {
	case prefer != "" && prefer != preferPlayed && prefer != preferRival:
		return usagef("--prefer is %q: say played, for the run's own turn, or rival", prefer)
	case prefer != "" && (against == "" || judge != ""):
		return usagef("--prefer is for --against without a judge")
	case against != "" && judge == "" && prefer == "":
		return usagef("say with --judge MODEL who chooses between the run's turn and that of %s, or with --prefer played that the run's own is better: the rival's turn is not played on, so it has no score", against)
	case against != "" && c.IsSet("margin"):
		return usagef("--margin compares the scores of two plays, and a turn of --against has none")
	case isReference(judge):
		return usagef("%s cannot judge: name a chat model", judge)
	}
	return nil
}

// trained settles what depends on who is trained, and on how.
func (b *building) trained() error {
	c := b.c
	for _, name := range c.StringSlice("format") {
		f, err := formats.Lookup(name)
		if err != nil {
			return usageError{err}
		}
		b.formats = append(b.formats, f)
	}
	if b.recipe != "" {
		if !slices.Contains(recipe.Kinds(), b.recipe) {
			return usagef("--target-script is %q: say %s", b.recipe, strings.Join(recipe.Kinds(), " or "))
		}
		name, err := recipe.Format(b.recipe, b.task)
		if err != nil {
			return usageError{err}
		}
		f, err := formats.Lookup(name)
		if err != nil {
			return err
		}
		b.formats = append(b.formats, f)
	}
	slices.SortStableFunc(b.formats, func(x, y *formats.Format) int { return strings.Compare(x.Name, y.Name) })
	b.formats = slices.CompactFunc(b.formats, func(x, y *formats.Format) bool { return x.Name == y.Name })
	for _, f := range b.formats {
		if err := f.Holds(b.task); err != nil {
			return usageError{err}
		}
	}
	shares, err := sharesOf(c.String("split"))
	if err != nil {
		return err
	}
	b.options = finetune.Options{Task: b.task, Shares: shares, By: c.String("split-by"), Seed: c.Uint64("seed"), MaxTokens: c.Int("max-tokens")}
	if name := cmp.Or(c.String("trainer"), b.recipe); name != "" {
		t, err := finetune.LookupTrainer(name)
		if err != nil {
			return usageError{err}
		}
		b.options.Trainer, b.options.Counter = t.Name, t.Counter(b.base)
		if c.String("trainer") != "" && !c.IsSet("max-tokens") {
			b.options.MaxTokens = t.Limit
		}
	}
	return nil
}

// sharesOf reads 90/5/5.
func sharesOf(text string) (shares [3]float64, err error) {
	parts := strings.Split(text, "/")
	for i, p := range parts {
		x, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(p), "%"), 64)
		if err != nil || len(parts) != 3 || !(x >= 0 && x <= 1e6) {
			return shares, usagef("--split %q: write the shares of train, validation and test, such as 90/5/5", text)
		}
		shares[i] = x
	}
	if shares[0] == 0 {
		return shares, usagef("--split %q leaves nothing for train", text)
	}
	return shares, nil
}

// openInputs finds out what the sources are.
func openInputs(paths []string) ([]input, error) {
	var list []input
	seen, names := map[string]bool{}, map[string]int{}
	for _, path := range paths {
		in := input{path: filepath.Clean(path)}
		info, err := os.Stat(in.path)
		if err != nil {
			return nil, fmt.Errorf("open a source: %w", err)
		}
		if info.IsDir() {
			if in.manifest, err = readAnyManifest(in.path); err != nil {
				return nil, err
			}
		}
		if seen[in.path] {
			return nil, usagef("%s is named twice", path)
		}
		seen[in.path] = true
		whole, err := filepath.Abs(in.path)
		if err != nil {
			return nil, err
		}
		in.name = filepath.Base(whole)
		if names[in.name]++; names[in.name] > 1 {
			in.name = fmt.Sprintf("%s~%d", in.name, names[in.name])
		}
		list = append(list, in)
	}
	return list, nil
}

// fit says which sources cannot be learned from.
func (b *building) fit() error {
	for _, in := range slices.Concat(b.inputs, b.holdouts) {
		m := in.manifest
		switch {
		case m == nil && b.task != finetune.DM:
			return usagef("%s is a file, and --task %s learns from runs: name the directory of a run", in.path, b.task)
		case m == nil:
		case m.Experiment == nil && b.task != finetune.Judge:
			return usagef("%s holds no sessions but an evaluation: it serves --task judge only", in.path)
		}
	}
	return nil
}

// stages says on the error stream how far a long build came.
type stages struct {
	mu    sync.Mutex
	w     io.Writer
	now   func() time.Time
	stage string
	began time.Time // of the stage
	next  time.Time // when something is said
}

func newStages(w io.Writer, now func() time.Time) *stages {
	return &stages{w: w, now: now, next: now().Add(2 * time.Second)}
}

// say is told how far a stage came; a total of 0 is not known.
func (s *stages) say(stage string, done, total int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if stage != s.stage {
		s.stage, s.began = stage, now
	}
	if now.Before(s.next) {
		return
	}
	s.next = now.Add(5 * time.Second)
	line := fmt.Sprintf("%s: %d", stage, done)
	if total > 0 {
		line += fmt.Sprintf(" of %d", total)
		if done > 0 && done < total {
			left := time.Duration(float64(now.Sub(s.began)) / float64(done) * float64(total-done))
			line += fmt.Sprintf(", about %s to go", left.Round(time.Second))
		}
	}
	fmt.Fprintln(s.w, line)
}

// noted reports whether a note on something was given already, and that it is now. Sources are read
// one after the other, though some of them twice.
func (b *building) noted(about string) bool {
	was := b.told[about]
	b.told[about] = true
	return was
}
