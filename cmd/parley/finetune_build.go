package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval/ieg"
	"parley/finetune"
	"parley/finetune/formats"
	"parley/finetune/publish"
	"parley/finetune/recipe"
)

func finetuneBuildCommand() *cli.Command {
	return &cli.Command{
		Name:      "build",
		Usage:     "make a dataset that trainers accept of runs and of windows of play",
		ArgsUsage: "RUN|FILE.jsonl...",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "task", Usage: "`TASK` to learn: dm, roleplay, preference or judge (required)"},
			&cli.StringFlag{Name: "out", Usage: "new directory `DIR` for the dataset; required without --estimate"},
			&cli.StringSliceFlag{Name: "format", Usage: "also write the files of a trainer's `FORMAT`: " + strings.Join(formats.Names(), ", ") + "; again for more"},
			&cli.BoolFlag{Name: "fold-system", Usage: "in the files of --format, put the system message into the first user's, for chat templates without a system's"},
			&cli.StringFlag{Name: "trainer", Usage: "`TRAINER` whose limit on the length of an example counts where --max-tokens says none: " + strings.Join(finetune.Trainers(), ", ")},
			&cli.IntFlag{Name: "max-tokens", Usage: "drop examples of more than `N` tokens; 0 drops none (default: the trainer's limit)"},
			&cli.IntFlag{Name: "min-tokens", Usage: "drop examples whose answer has less than `N` tokens, which are estimated"},
			&cli.StringFlag{Name: "split", Value: "90/5/5", Usage: "`SHARES` of train, validation and test"},
			&cli.StringFlag{Name: "split-by", Value: "group", Usage: "the unit of the split: `group`, or scenario: what is tested then plays in a situation that was never learned"},
			&cli.BoolFlag{Name: "keep-splits", Usage: "leave windows in the splits that their files give them; so it is anyway if every window has one, they have several, and there is no --split"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` of the split and of everything that is drawn"},
			&cli.StringSliceFlag{Name: "holdout", Usage: "windows `FILE.jsonl` or run to test on later: no example of it, and no passage, may be in train; a group in common is an error; again for more"},

			&cli.StringSliceFlag{Name: "status", Value: cli.NewStringSlice("complete"), Usage: "take sessions of the `STATE` complete, failed or any; again for more"},
			&cli.StringSliceFlag{Name: "model", Usage: "take only what this `MODEL`, as the run names it, or this arm played; of judges: what it judged; again for more"},
			&cli.StringSliceFlag{Name: "scenario", Usage: "take only sessions of this kind (such as exchange) or with this `WORD` in their title; again for more"},
			&cli.StringFlag{Name: "score", Usage: "`METRIC` of the runs, of any scorer, that examples are scored with: the character's own, or the session's mean (default: the one that has its scorer's name, such as iep, else the first)"},
			&cli.Float64Flag{Name: "min-score", Usage: "take only what has a score of at least `X`"},
			&cli.Float64Flag{Name: "max-score", Usage: "take only what has a score of at most `X`"},

			&cli.IntFlag{Name: "turns", Value: ieg.Turns, Usage: "dm: `N` turns in a window that is cut out of a run"},
			&cli.StringFlag{Name: "window", Value: "turns", Usage: "dm: cut runs into windows of --turns `turns` each, or, with moves, into windows that end with a move and ask for the one who made it, as logs of real play do"},
			&cli.StringFlag{Name: "who", Value: string(finetune.Players), Usage: "roleplay, preference: whose turns are learned, `players`, npc or all"},
			&cli.StringFlag{Name: "per", Value: "turn", Usage: "roleplay: one example a `turn`, with the whole prompt of that turn, or one a conversation, with all turns of a character"},
			&cli.StringFlag{Name: "form", Usage: "roleplay, preference: `FORM` of the answers, json or lines (default: what the run asked for, else json)"},

			&cli.StringSliceFlag{Name: "against", Usage: "preference: have another `ACTOR`, a model (with other options, such as a temperature, the same one) or such as reference:silent, play a turn in every view of the run, or take it from the recorded arm:NAME; again for more"},
			&cli.IntFlag{Name: "sample", Usage: "preference: look at `N` turns of each session, drawn by --seed (default: all)"},
			&cli.StringFlag{Name: "judge", Usage: "preference: `MODEL` that says which turn is better; it is asked in both orders, and only what it says twice counts"},
			&cli.IntFlag{Name: "rollout", Usage: "preference: the better turn is the one after which --score is higher when `N` more turns are played"},
			&cli.StringFlag{Name: "rollout-actor", Value: "reference:diligent", Usage: "preference: `ACTOR` that plays the players of a roll-out; the NPC is the run's own"},
			&cli.StringFlag{Name: "choices", Usage: "preference: `FILE.jsonl` in which a person says which turn is better; where it is not there, the pairs are written to it"},
			&cli.Float64Flag{Name: "margin", Usage: "preference: the better turn's score is higher by more than `X`"},
			&cli.StringFlag{Name: "prefer", Usage: "preference: with --against and nothing else that chooses, which turn is `better`: played, the run's own, or rival"},
			&cli.BoolFlag{Name: "estimate", Usage: "preference: say how many pairs and calls there will be at most, and build nothing"},
			&cli.BoolFlag{Name: "allow-self-judge", Usage: "preference: let a model judge its own turns"},
			&cli.BoolFlag{Name: "trusting", Usage: "preference: take the judge's verdicts without the nonce of the question, for judges that cannot copy one"},
			&cli.StringFlag{Name: "cache", Usage: "preference: directory `DIR` that keeps the replies of models, so that a build that was stopped does not ask again"},
			&cli.StringFlag{Name: "calls", Usage: "preference: new `FILE` for a record of every call of a model, one JSON object a line"},
			&cli.IntFlag{Name: "jobs", Value: 1, Usage: "preference: ask models about `N` things at a time"},

			&cli.StringFlag{Name: "license", Usage: "licence `ID` for the card, such as cc-by-4.0 (default: none is stated)"},
			&cli.StringFlag{Name: "target-script", Usage: "also write a `RECIPE` that trains a LoRA on the dataset: " + strings.Join(recipe.Kinds(), " or ")},
			&cli.StringFlag{Name: "base", Usage: "`MODEL` that is to be trained: for the recipe, a name of the Hugging Face hub or a directory (default " + recipe.DefaultBase + "); for --trainer openai, whose tokens are counted"},
			&cli.BoolFlag{Name: "json", Usage: "print the report as one JSON object"},
		},
		Action: finetuneBuild,
	}
}

func finetuneBuild(c *cli.Context) (err error) {
	b, err := newBuilding(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.calls.Close()) }()
	s := &b.selection
	if c.Bool("estimate") {
		f, err := s.Estimate(c.Context)
		if err != nil {
			return s.Explain(err)
		}
		return output(c, f, text(f))
	}
	if b.collect != nil {
		return b.writeChoices(c.Context)
	}
	built, err := finetune.Build(c.Context, s.Examples(c.Context), b.options)
	if err != nil {
		return s.Explain(err)
	}
	for _, text := range built.Uneven() {
		b.note("warning: %s", text)
	}
	made, err := publish.Write(c.Context, c.String("out"), built, b.write)
	if err != nil {
		return err
	}
	return output(c, made, made.Print)
}

// writeChoices writes the pairs that a person is to choose between.
func (b *building) writeChoices(ctx context.Context) error {
	for _, err := range b.selection.Examples(ctx) {
		if _, given := err.(*finetune.Dropped); err != nil && !given {
			return err
		}
	}
	name := b.c.String("choices")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("write the pairs: %w", err)
	}
	n, err := b.collect.Write(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(b.c.App.Writer, "%s holds %d pairs: write \"a\" or \"b\" as better in each line, and build again.\n", name, n)
	return err
}

// telling returns a function that tells on the error stream how far a long build is, at most every five seconds.
func telling(say func(string, ...any)) func(stage string, done, total int64) {
	next := time.Now().Add(2 * time.Second)
	return func(stage string, done, total int64) {
		if now := time.Now(); now.After(next) {
			next = now.Add(5 * time.Second)
			if total > 0 {
				stage = fmt.Sprintf("%s, of %d", stage, total)
			}
			say("%s: %d", stage, done)
		}
	}
}

func finetuneExportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "make of a dataset the folder that the Hugging Face hub takes as it is",
		ArgsUsage: "DATASET",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "push-layout", Usage: "new directory `DIR`: card, Parquet files by split, report and list of what was dropped (required)"},
			&cli.StringFlag{Name: "license", Usage: "licence `ID`, such as cc-by-4.0 (default: the dataset's)"},
			jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			made, err := publish.Export(c.Args().First(), c.String("push-layout"), c.String("license"))
			if err != nil {
				return err
			}
			return output(c, made, text(made))
		},
	}
}
