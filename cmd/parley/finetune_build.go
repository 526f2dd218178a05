package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/eval/ieg"
	"parley/eval/iep"
	"parley/finetune"
	"parley/finetune/formats"
	"parley/finetune/recipe"
)

func finetuneBuildCommand() *cli.Command {
	return &cli.Command{
		Name:      "build",
		Usage:     "make a dataset that trainers accept of runs and of windows of play",
		ArgsUsage: "RUN|FILE.jsonl...",
		Description: "The tasks:\n" +
			"  dm          from a window of play to who tries which skill: runs of intention sessions, and files of\n" +
			"              windows as parley corpora import writes them\n" +
			"  roleplay    from what a character is told and perceives to its turn: any run of sessions\n" +
			"  preference  from the same view to the better of two turns: sessions that several arms or runs of one\n" +
			"              seed have in common, or one run --against another actor; chosen by --score, or by --judge\n" +
			"  judge       from a judge's question to its verdict: runs with --judge MODEL, and runs of eval script\n" +
			"              run and eval survey run\n" +
			"Turns that were malformed are never examples. Out of what is read go personal data, examples longer than\n" +
			"--max-tokens, duplicates and near duplicates, and examples of train that share a passage with evaluation:\n" +
			"report.json counts them, and dropped.jsonl says of each why. What belongs together stays in one split:\n" +
			"the same situation in several arms or runs, and an episode of a show. The same sources and --seed make\n" +
			"the same dataset.\n\n" +
			"DIR is a dataset of Hugging Face: README.md, and Parquet files by split in data. --format adds training\n" +
			"files in formats/NAME, and --target-script a recipe that trains on them. It appears whole or not at all.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "task", Usage: "`TASK` to learn: dm, roleplay, preference or judge (required)"},
			&cli.StringFlag{Name: "out", Usage: "new directory `DIR` for the dataset (required)"},
			&cli.StringSliceFlag{Name: "format", Usage: "also write the files of a trainer's `FORMAT`: " + strings.Join(formats.Names(), ", ") + "; again for more"},
			&cli.BoolFlag{Name: "fold-system", Usage: "in the files of --format, put the system message into the first user's, for chat templates without a system's"},
			&cli.StringFlag{Name: "trainer", Usage: "`TRAINER` whose limit on the length of an example counts where --max-tokens says none: " + strings.Join(finetune.Trainers(), ", ")},
			&cli.IntFlag{Name: "max-tokens", Usage: "drop examples of more than `N` tokens; 0 drops none (default: the trainer's limit)"},
			&cli.IntFlag{Name: "min-tokens", Usage: "drop examples whose answer has less than `N` tokens, which are estimated"},
			&cli.StringFlag{Name: "split", Value: "90/5/5", Usage: "`SHARES` of train, validation and test"},
			&cli.StringFlag{Name: "split-by", Value: "group", Usage: "what no split tears apart: `group`, or scenario: what is tested then plays in a situation that was never learned"},
			&cli.BoolFlag{Name: "keep-splits", Usage: "leave windows in the splits that their files give them; this is what happens anyway if every window has one, they have several, and there is no --split"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` of the split and of everything that is drawn"},
			&cli.StringSliceFlag{Name: "holdout", Usage: "windows `FILE.jsonl` or run to test on later: no example of it, and no passage, may be in train; a group in common is an error; again for more"},

			&cli.StringSliceFlag{Name: "status", Value: cli.NewStringSlice(string(stateComplete)), Usage: "take sessions of the `STATE` complete, failed or any; again for more"},
			&cli.StringSliceFlag{Name: "model", Usage: "take only what this `MODEL`, as the run names it, or this arm played; of judges: what it judged; again for more"},
			&cli.StringSliceFlag{Name: "scenario", Usage: "take only sessions of this kind (exchange, intention) or with this `WORD` in their title; again for more"},
			&cli.StringFlag{Name: "score", Value: iep.Metric, Usage: "`METRIC` of the runs that examples are scored with: the character's own, or the session's mean"},
			&cli.Float64Flag{Name: "min-score", Usage: "take only what has a score of at least `X`"},
			&cli.Float64Flag{Name: "max-score", Usage: "take only what has a score of at most `X`"},

			&cli.IntFlag{Name: "turns", Value: ieg.Turns, Usage: "dm: `N` turns in a window that is cut out of a run"},
			&cli.StringFlag{Name: "window", Value: windowTurns, Usage: "dm: cut runs into windows of --turns `turns` each, or, with moves, into windows that end with a move and ask for the one who made it, as logs of real play do"},
			&cli.StringFlag{Name: "who", Value: string(finetune.Players), Usage: "roleplay, preference: whose turns are learned, `players`, npc or all"},
			&cli.StringFlag{Name: "per", Value: perTurn, Usage: "roleplay: one example a `turn`, with the whole prompt of that turn, or one a conversation, with all turns of a character"},
			&cli.StringFlag{Name: "form", Usage: "roleplay, preference: `FORM` of the answers, json or lines (default: what the run asked for, else json)"},

			&cli.Float64Flag{Name: "margin", Usage: "preference: the better turn's score is higher by more than `X`"},
			&cli.StringFlag{Name: "judge", Usage: "preference: `MODEL` that says which turn is better; it is asked in both orders, and only what it says twice counts"},
			&cli.StringFlag{Name: "against", Usage: "preference: have another `ACTOR`, a model or such as reference:silent, play a turn in every view of the run"},
			&cli.StringFlag{Name: "prefer", Usage: "preference: with --against and without a judge, which turn is `better`: played, the run's own, or rival"},
			&cli.BoolFlag{Name: "allow-self-judge", Usage: "preference: let a model judge its own turns"},
			&cli.BoolFlag{Name: "trusting", Usage: "preference: take the judge's verdicts without the nonce of the question, for judges that cannot copy one"},
			&cli.StringFlag{Name: "cache", Usage: "preference: directory `DIR` that keeps the replies of judge and rival, so that a build that was stopped does not ask again"},
			&cli.StringFlag{Name: "calls", Usage: "preference: new `FILE` for a record of every call of judge and rival, one JSON object a line"},
			&cli.IntFlag{Name: "jobs", Value: 1, Usage: "preference: ask judge and rival about `N` things at a time"},

			&cli.StringFlag{Name: "license", Usage: "licence `ID` for the card, such as cc-by-4.0 (default: none is stated)"},
			&cli.StringFlag{Name: "target-script", Usage: "also write a `RECIPE` that trains a LoRA on the dataset: " + strings.Join(recipe.Kinds(), " or ")},
			&cli.StringFlag{Name: "base", Usage: "`MODEL` that is to be trained: for the recipe, a name of the Hugging Face hub or a directory (default " + recipe.DefaultBase + "); for --trainer openai, whose tokens are counted"},
			&cli.BoolFlag{Name: "json", Usage: "print the report as one JSON object"},
		},
		Action: finetuneBuild,
	}
}

// What single flags say.
const (
	windowTurns     = "turns"
	windowMoves     = "moves"
	perTurn         = "turn"
	perConversation = "conversation"
	preferPlayed    = "played"
	preferRival     = "rival"
)

func finetuneBuild(c *cli.Context) (err error) {
	b, err := newBuilding(c)
	if err != nil {
		return err
	}
	if err := fresh(b.out); err != nil {
		return err
	}
	// Beside the place where the dataset goes, so that it can be put there in one step.
	dir, err := os.MkdirTemp(filepath.Dir(b.out), "."+filepath.Base(b.out)+".*.tmp")
	if err != nil {
		return fmt.Errorf("make the dataset %s: %w", b.out, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	examples, finish, err := b.examples(c.Context)
	if err != nil {
		return err
	}
	options := b.options
	options.Progress = func(stage string, done, total int64) {
		if stage != "read" { // sources say how far they are, and of how much
			b.stages.say(stage, done, total)
		}
	}
	if len(b.holdouts) > 0 {
		options.Holdout = b.plain(c.Context, b.holdouts)
	}
	built, err := finetune.Build(c.Context, examples, options)
	if bad := finish(); err == nil {
		err = bad
	}
	if err != nil {
		return b.explain(err)
	}
	made, err := b.write(c.Context, dir, built)
	if err != nil {
		return err
	}
	if err := settleIn(dir, b.out); err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, made)
	}
	return printBuilt(c.App.Writer, made)
}

// fresh refuses a directory that holds something.
func fresh(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return os.MkdirAll(filepath.Dir(dir), 0o777)
	case err != nil:
		return fmt.Errorf("--out %s: %w", dir, err)
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty: name a new directory, or remove it first", dir)
	}
	return nil
}

// settleIn puts a finished directory in its place, which may be there, empty.
func settleIn(dir, out string) error {
	err := os.Chmod(dir, 0o755)
	if err == nil {
		err = os.Remove(out)
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
	}
	if err == nil {
		err = os.Rename(dir, out)
	}
	if err != nil {
		return fmt.Errorf("put the dataset in its place: %w", err)
	}
	return nil
}
