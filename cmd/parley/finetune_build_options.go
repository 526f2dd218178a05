package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval/judge"
	"parley/finetune"
	"parley/finetune/publish"
	"parley/sim/agent"
	"parley/sim/llm"
)

// building is what a build was asked for.
type building struct {
	c         *cli.Context
	selection finetune.Selection
	options   finetune.Options
	write     publish.Options
	collect   *finetune.Choices // for a person to choose; nil: nothing is collected
	record    func(llm.Call)
	finish    func() error
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
	b := &building{c: c, finish: func() error { return nil }}
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
	if err := b.check(); err != nil {
		return nil, err
	}
	if err := b.trained(); err != nil {
		return nil, err
	}
	var err error
	if s.Inputs, err = sourcesOf(c.Args().Slice(), b.note); err != nil {
		return nil, err
	}
	if s.Holdouts, err = sourcesOf(c.StringSlice("holdout"), b.note); err != nil {
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
		if !slices.Contains([]string{string(stateComplete), string(stateFailed), "any"}, state) {
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
	against, rollout, choices := len(c.StringSlice("against")) > 0, c.Int("rollout") > 0, c.String("choices") != ""
	ways := 0
	for _, chosen := range []bool{c.String("judge") != "", rollout, choices, c.String("prefer") != ""} {
		if chosen {
			ways++
		}
	}
	switch {
	case task == "":
		return usagef("say with --task what is to be learned: dm, roleplay, preference or judge")
	case c.String("out") == "" && !c.Bool("estimate"):
		return usagef("say with --out where the dataset goes")
	case c.NArg() == 0:
		return usagef("say what to build of: parley finetune build --task %s --out %s RUN|FILE.jsonl...", task, c.String("out"))
	case c.Int("max-tokens") < 0 || c.Int("min-tokens") < 0 || c.Int("turns") < 1 || c.Int("jobs") < 1 || c.Float64("margin") < 0 || c.Int("sample") < 0 || c.Int("rollout") < 0:
		return usagef("--max-tokens, --min-tokens, --margin, --sample and --rollout are not negative; --turns and --jobs are 1 or more")
	case ways > 1:
		return usagef("--judge, --rollout, --choices and --prefer each choose the better turn: say one of them")
	case !against && (c.String("prefer") != "" || rollout || c.Int("sample") > 0):
		return usagef("--prefer, --rollout and --sample are for --against")
	case against && ways == 0:
		return usagef("say who chooses between the run's turn and the other ones: --judge MODEL, --rollout TURNS, --choices FILE for a person, or --prefer played, as the run's own is better: a turn of --against is not played on, so it has no score")
	case against && c.IsSet("margin") && !rollout:
		return usagef("--margin compares the scores of two plays, and a turn of --against has none")
	case isReference(c.String("judge")):
		return usagef("%s cannot judge: name a chat model", c.String("judge"))
	case c.Bool("estimate"):
		return nil
	}
	return publish.Fresh(c.String("out"))
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

// preferring opens who plays the other turns and who chooses.
func (b *building) preferring(ctx context.Context) (err error) {
	c, s := b.c, &b.selection
	if b.record, b.finish, err = callsTo(c.String("calls")); err != nil {
		return err
	}
	p := &s.Preferring
	*p = finetune.Preferring{Margin: c.Float64("margin"), Sample: c.Int("sample"), Jobs: c.Int("jobs"), Seed: c.Uint64("seed")}
	for _, spec := range c.StringSlice("against") {
		name, arm := strings.CutPrefix(spec, "arm:")
		p.Rivals = append(p.Rivals, finetune.Rival{Name: name, Arm: arm, Calls: !arm && !isReference(name), Open: func(ctx context.Context, in *finetune.Source) (func() finetune.Actors, error) {
			rival, err := playersOf(ctx, in, spec, spec, b)
			if err != nil {
				return nil, err
			}
			return rival.actors, nil
		}})
	}
	switch prefer := c.String("prefer"); {
	case prefer == "played":
		p.Choose = finetune.First
	case prefer == "rival":
		p.Choose = finetune.Second
	case c.String("judge") != "":
		p.JudgeCalls = 2
		return b.judged(ctx, c.String("judge"))
	case c.Int("rollout") > 0:
		return b.rollout(ctx)
	case c.String("choices") != "":
		return b.chosen(c.String("choices"))
	}
	return nil
}

// judged has a model choose, which must not be one of those whose turns it compares.
func (b *building) judged(ctx context.Context, spec string) error {
	var others []string
	for _, rival := range b.selection.Preferring.Rivals {
		if !rival.Arm {
			others = append(others, rival.Name)
		}
	}
	for _, in := range b.selection.Inputs {
		e := in.Run.(runTables).m.Experiment
		for i := range e.Player {
			others = append(others, e.Player[i].models(e.Players)...)
		}
		if b.selection.Who != finetune.Players {
			others = append(others, e.NPC)
		}
	}
	for _, name := range others {
		if registry().SameModel(spec, name) && !b.c.Bool("allow-self-judge") {
			return usagef("the judge %s would judge its own turns (%s): name another judge, or say --allow-self-judge", spec, name)
		}
	}
	models := llm.Models{Registry: registry(), Env: environment(), Tell: func(text string) { b.note("%s", text) }}
	m, err := models.Open(ctx, spec)
	if err != nil {
		return usageError{err}
	}
	j := &judge.Judge{Model: m.Model, Name: spec, Sampling: llm.Sampling{NumCtx: m.Context(0)}, Now: time.Now, Trusting: b.c.Bool("trusting")}
	if dir := b.c.String("cache"); dir != "" {
		j.Model = m.Cached(cacheDir(dir))
	}
	b.selection.Preferring.Choose = finetune.ByJudge(j, b.c.Uint64("seed"), b.record)
	return nil
}

// rollout chooses by what comes of a turn.
func (b *building) rollout(ctx context.Context) error {
	playing := map[string]*players{}
	actor := b.c.String("rollout-actor")
	for i := range b.selection.Inputs {
		in := &b.selection.Inputs[i]
		var err error
		if playing[in.Name], err = playersOf(ctx, in, actor, in.Run.(runTables).m.Experiment.NPC, b); err != nil {
			return err
		}
	}
	r := &finetune.Rollout{
		Turns: b.c.Int("rollout"), Metric: b.c.String("score"), Margin: b.c.Float64("margin"), Record: b.record, Now: time.Now,
		Scorer: newScorer(b.selection.Inputs[0].Run.(runTables).m.Experiment, nil),
		Actors: func(source string) (finetune.Actors, error) { return playing[source].actors(), nil },
	}
	if !isReference(actor) {
		r.Calls = r.Turns + 1
	}
	b.selection.Preferring.Rollout, b.selection.Preferring.Choose = r, r.Choose
	return nil
}

// chosen has a person choose: in a file that is there, or in one that is written.
func (b *building) chosen(name string) error {
	choices := &finetune.Choices{}
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		b.collect, b.selection.Preferring.Choose = choices, choices.Collect
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	b.selection.Preferring.Choose = choices.Choose
	return choices.Read(f, name)
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
		words = append(words, "--"+name, clean(value))
	}
	return strings.Join(append(words, finetune.Names(b.selection.Inputs)), " ")
}
