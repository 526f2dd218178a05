package main

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"parley/finetune/hosted"
)

func finetuneStartCommand() *cli.Command {
	flags := append(serverFlags(), trainingFlags()...)
	return &cli.Command{
		Name: "start", Usage: "send training files to a server and start a fine-tuning job", ArgsUsage: "DIR|FILE.jsonl",
		Flags: append(flags,
			&cli.StringFlag{Name: "validation", Usage: "`FILE` of examples to validate with", DefaultText: "validation.jsonl beside the directory's train.jsonl"},
			&cli.StringFlag{Name: "batch-size", Usage: "`N` examples a step, 1 to 256, or auto", DefaultText: "the server's choice"},
			&cli.StringFlag{Name: "learning-rate", Usage: "learning rate multiplier `X`, or auto; some servers take the rate itself", DefaultText: "the server's choice"},
			&cli.StringFlag{Name: "beta", Usage: "`X` of dpo, up to 2, or auto", DefaultText: "the server's choice"},
			&cli.StringFlag{Name: "suffix", Usage: "`TEXT` for the new model's name, up to 64 characters"},
			&cli.Int64Flag{Name: "seed", Usage: "`SEED` of the training", Value: 1},
			&cli.GenericFlag{Name: "hyperparameter", Value: &texts{}, Usage: "`KEY=VALUE` that only some servers know, such as lora=true; sent unchecked; repeat for several"},
			&cli.GenericFlag{Name: "metadata", Value: &texts{}, Usage: "`KEY=VALUE` to keep with the job; repeat for several"},
			&cli.BoolFlag{Name: "top-level-hyperparameters", Usage: "send hyperparameters as older servers take them, which do not know methods"},
			&cli.BoolFlag{Name: "no-validate", Usage: "send the files without checking them"},
			&cli.StringFlag{Name: "name", Usage: "`NAME` of the job's record in DIR/jobs", DefaultText: "made of the model and of what is ordered"},
			&cli.BoolFlag{Name: "again", Usage: "start anew, though the same job succeeded or may have been created before"},
			&cli.BoolFlag{Name: "yes", Usage: "do not ask before files are sent"},
			&cli.BoolFlag{Name: "wait", Usage: "wait until the job is done"},
			everyFlag),
		Action: finetuneStart,
	}
}

func finetuneStart(c *cli.Context) error {
	if c.String("base-url") == "" {
		return usagef("say with --base-url which server is to train; there is no default")
	}
	d, err := datasetOf(c)
	if err != nil {
		return err
	}
	if name := c.String("validation"); name != "" {
		d.Validation = name
	}
	order, err := orderOf(c, d)
	if err != nil {
		return err
	}
	s := addressOf(c, nil)
	client, err := openServer(s)
	if err != nil {
		return err
	}
	r, err := orderRecord(c, d, s, order)
	if err != nil {
		return err
	}
	h := &handle{Address: s, client: client, record: r}
	var e *hosted.Estimate
	if !underway(r, d.Dir, c.Bool("again")) {
		if err := validateFor(c, d); err != nil {
			return err
		}
		if e, err = estimate(c, d); err != nil {
			return err
		}
		if err := agree(c, s, d, e); err != nil {
			return err
		}
	}
	tell := func(text string) { fmt.Fprintln(c.App.ErrWriter, text) }
	before, err := startOnce(c, client, r, d.Dir, tell)
	if err != nil {
		if c.Context.Err() != nil {
			fmt.Fprintf(c.App.ErrWriter, "what was done is kept in %s; go on with the same command\n", r.Path())
		}
		return err
	}
	h.id = r.Job.ID
	if before {
		fmt.Fprintf(c.App.ErrWriter, "this job was started before (%s); --again starts it anew\n", r.Path())
	}
	if c.Bool("wait") {
		return h.wait(c, e)
	}
	job := r.Job
	if before {
		if job, err = client.Job(c.Context, h.id); err != nil {
			return err
		}
		if err := h.keep(job); err != nil {
			return err
		}
	}
	if err := h.show(c, job, e); err != nil {
		return err
	}
	if !job.State.Done() {
		fmt.Fprintf(c.App.ErrWriter, "wait for it with: %s\n", h.Command("wait", h.record, h.id))
	}
	return nil
}

// orderRecord makes the record of an order, with the files as they are.
func orderRecord(c *cli.Context, d *hosted.Dataset, s hosted.Address, order *hosted.Order) (*hosted.Record, error) {
	r := &hosted.Record{
		Name: c.String("name"), BaseURL: s.BaseURL, Azure: s.Azure, APIVersion: s.APIVersion, KeyVariable: s.KeyVariable, Order: *order,
		Updated: time.Now().UTC().Truncate(time.Second),
	}
	train, err := hosted.Inspect(c.Context, d.Train, c.Int64("max-bytes"))
	if err != nil {
		return nil, err
	}
	r.Training = *train
	if d.Validation != "" {
		if r.Validation, err = hosted.Inspect(c.Context, d.Validation, c.Int64("max-bytes")); err != nil {
			return nil, err
		}
		if r.Validation.SHA256 == train.SHA256 {
			return nil, fmt.Errorf("%s and %s are the same: nothing can be validated on what was learned", d.Train, d.Validation)
		}
	}
	r.Name = cmp.Or(r.Name, r.DefaultName())
	return r, nil
}

// startOnce orders the job of a record unless it was ordered before, by whichever process.
func startOnce(c *cli.Context, client *hosted.Client, r *hosted.Record, dir string, tell func(string)) (before bool, err error) {
	if err := r.Check(); err != nil {
		return false, err
	}
	release, err := hosted.Hold(c.Context, dir, tell)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := r.Open(dir, c.Bool("again")); err != nil {
		return false, err
	}
	before = r.Job != nil
	return before, client.Start(c.Context, r, rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), tell)
}

// underway reports whether the same job was ordered before, so that nothing more will be paid.
func underway(r *hosted.Record, dir string, again bool) bool {
	old, err := hosted.Load(filepath.Join(dir, hosted.Folder, r.Name+".json"))
	return err == nil && !again && old.Digest() == r.Digest() && old.Job != nil && old.Job.State != hosted.Failed && old.Job.State != hosted.Cancelled
}
