package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"parley/finetune"
	"parley/finetune/publish"
	"parley/sim/agent"
	"parley/sim/reference"
)

// building holds the options of a build.
type building struct {
	c         *cli.Context
	selection finetune.Selection
	options   finetune.Options
	write     publish.Options
	collect   *finetune.Choices // for a person to choose; nil: nothing is collected
	calls     *finetune.CallLog
	mu        sync.Mutex // over the error stream
}

func (b *building) note(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fmt.Fprintf(b.c.App.ErrWriter, format+"\n", args...)
}

// taskFlags are the flags of single tasks.
var taskFlags = map[finetune.Task]string{
	finetune.DM:         "turns window keep-splits",
	finetune.Roleplay:   "who per form",
	finetune.Preference: "who form margin judge against sample rollout rollout-actor choices prefer estimate allow-self-judge trusting cache calls jobs",
}

// newBuilding reads the command line.
func newBuilding(c *cli.Context) (*building, error) {
	b := &building{c: c}
	s := &b.selection
	*s = finetune.Selection{
		Task: finetune.Task(c.String("task")), Status: c.StringSlice("status"), Models: c.StringSlice("model"), Scenarios: c.StringSlice("scenario"),
		Metric: c.String("score"), MinTokens: c.Int("min-tokens"), Turns: c.Int("turns"), AtMoves: c.String("window") == "moves",
		KeepSplits: c.Bool("keep-splits"), Who: finetune.Seats(c.String("who")), Conversation: c.String("per") == "conversation",
		Form: agent.Form(c.String("form")), Progress: telling(b.note),
	}
	for flag, to := range map[string]**float64{"min-score": &s.Min, "max-score": &s.Max} {
		if x := c.Float64(flag); c.IsSet(flag) {
			*to = &x
		}
	}
	for _, settle := range []func() error{b.check, b.trained} {
		if err := settle(); err != nil {
			return nil, err
		}
	}
	var err error
	if s.Inputs, err = finetune.OpenSources(c.Args().Slice(), b.note); err != nil {
		return nil, err
	}
	if s.Holdouts, err = finetune.OpenSources(c.StringSlice("holdout"), b.note); err != nil {
		return nil, err
	}
	if err := s.Fit(); err != nil {
		return nil, usageError{err}
	}
	if !s.KeepSplits && !c.IsSet("split") && s.Task == finetune.DM && s.OwnSplits() {
		s.KeepSplits = true
		b.note("every window has a split of its own, which it keeps; --split divides anew")
	}
	if len(s.Holdouts) > 0 {
		b.options.Holdout = s.Holdout(c.Context)
	}
	b.write.Made = []string{b.command(), "parley " + version}
	if s.Task == finetune.Preference {
		return b, b.preferring(c.Context)
	}
	return b, nil
}

// check refuses flags that say something wrong.
func (b *building) check() error {
	c, task := b.c, b.selection.Task
	for flag, allowed := range map[string]string{
		"task": "dm roleplay preference judge", "split-by": "group scenario", "who": "players npc all", "per": "turn conversation",
		"window": "turns moves", "form": "json lines", "prefer": "played rival",
	} {
		if value := c.String(flag); value != "" && !slices.Contains(strings.Fields(allowed), value) {
			return usagef("--%s is %q: say one of %s", flag, value, strings.Join(strings.Fields(allowed), ", "))
		}
	}
	for _, state := range c.StringSlice("status") {
		if !slices.Contains([]string{"complete", "failed", "any"}, state) {
			return usagef("--status is %q: say complete, failed or any", state)
		}
	}
	for _, of := range []finetune.Task{finetune.DM, finetune.Roleplay, finetune.Preference} {
		for _, flag := range strings.Fields(taskFlags[of]) {
			if c.IsSet(flag) && !slices.Contains(strings.Fields(taskFlags[task]), flag) && task != "" {
				return usagef("--%s is for --task %s, and the task is %s", flag, of, task)
			}
		}
	}
	switch {
	case c.String("out") == "" && !c.Bool("estimate"):
		return usagef("say with --out where the dataset goes")
	case min(c.Int("max-tokens"), c.Int("min-tokens"), c.Int("sample"), c.Int("rollout")) < 0 || c.Float64("margin") < 0 || min(c.Int("turns"), c.Int("jobs")) < 1:
		return usagef("--max-tokens, --min-tokens, --margin, --sample and --rollout are not negative; --turns and --jobs are 1 or more")
	}
	if err := b.checkChoosing(); err != nil || c.Bool("estimate") {
		return err
	}
	return publish.Fresh(c.String("out"))
}

// checkChoosing refuses flags of preferences that do not go together.
func (b *building) checkChoosing() error {
	c := b.c
	against, rollout, choices := len(c.StringSlice("against")) > 0, c.Int("rollout") > 0, c.String("choices") != ""
	ways := 0
	for _, chosen := range []bool{c.String("judge") != "", rollout, choices, c.String("prefer") != ""} {
		if chosen {
			ways++
		}
	}
	switch {
	case ways > 1:
		return usagef("--judge, --rollout, --choices and --prefer each choose the better turn: say one of them")
	case !against && (c.String("prefer") != "" || rollout || c.Int("sample") > 0):
		return usagef("--prefer, --rollout and --sample are for --against")
	case against && ways == 0:
		return usagef("say who chooses between the run's turn and the other ones: --judge MODEL, --rollout TURNS, --choices FILE for a person, or --prefer played, as the run's own is better: a turn of --against is not played on, so it has no score")
	case against && c.IsSet("margin") && !rollout:
		return usagef("--margin compares the scores of two plays, and a turn of --against has none")
	case reference.Is(c.String("judge")):
		return usagef("%s cannot judge: name a chat model", c.String("judge"))
	}
	return nil
}

// trained settles what depends on who is trained, and on how.
func (b *building) trained() error {
	c, task := b.c, b.selection.Task
	shares, err := finetune.ParseShares(c.String("split"))
	if err != nil {
		return usageError{err}
	}
	b.options = finetune.Options{Task: task, Shares: shares, By: c.String("split-by"), Seed: c.Uint64("seed"), MaxTokens: c.Int("max-tokens")}
	if name := cmp.Or(c.String("trainer"), c.String("target-script")); name != "" {
		t, err := finetune.LookupTrainer(name)
		if err != nil {
			return usageError{err}
		}
		b.options.Trainer, b.options.Counter = t.Name, t.Counter(c.String("base"))
		if c.String("trainer") != "" && !c.IsSet("max-tokens") {
			b.options.MaxTokens = t.Limit
		}
	}
	b.selection.Counter = b.options.Counter
	b.options.Progress = func(stage string, done, total int64) {
		if stage != "read" { // sources say how far they are, and of how much
			b.selection.Progress(stage, done, total)
		}
	}
	b.write = publish.Options{
		Task: task, FoldSystem: c.Bool("fold-system"), Seed: b.options.Seed, Recipe: c.String("target-script"),
		Base: c.String("base"), License: c.String("license"), Version: version, Progress: b.selection.Progress,
	}
	if err := b.write.Choose(c.StringSlice("format")); err != nil {
		return usageError{err}
	}
	return nil
}

// command is the command line without paths of this machine.
func (b *building) command() string {
	words := []string{"parley finetune build --task", string(b.selection.Task)}
	for _, f := range b.c.Command.Flags {
		name := f.Names()[0]
		if !b.c.IsSet(name) || slices.Contains([]string{"task", "out", "json", "cache", "calls", "choices"}, name) {
			continue
		}
		value := fmt.Sprint(b.c.Value(name))
		switch list := b.c.StringSlice(name); {
		case name == "holdout":
			value = finetune.Names(b.selection.Holdouts)
		case list != nil:
			value = strings.Join(list, ",")
		}
		words = append(words, "--"+name, keys.Redact(value))
	}
	return strings.Join(append(words, finetune.Names(b.selection.Inputs)), " ")
}
