package main

import (
	"math/rand/v2"
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
	a := addressOf(c).Resolve(nil)
	client, err := openServer(a)
	if err != nil {
		return err
	}
	r, err := d.NewRecord(hosted.Record{
		Name: c.String("name"), BaseURL: a.BaseURL, Azure: a.Azure, APIVersion: a.APIVersion, KeyVariable: a.KeyVariable, Order: *order,
		Updated: time.Now().UTC().Truncate(time.Second),
	}, c.Int64("max-bytes"))
	if err != nil {
		return err
	}
	var e *hosted.Estimate
	if c.Bool("again") || !r.Underway(d.Dir) {
		if e, err = approved(c, a, d); err != nil {
			return err
		}
	}
	before, err := client.StartOnce(c.Context, r, d.Dir, c.Bool("again"), rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), lineTo(c))
	if err != nil {
		if c.Context.Err() != nil {
			tell(c)("what was done is kept in %s; go on with the same command", r.Path())
		}
		return err
	}
	if before {
		tell(c)("this job was started before (%s); --again starts it anew", r.Path())
	}
	h := &handle{&hosted.Handle{Address: a, ID: r.Job.ID, Record: r}, client}
	if c.Bool("wait") {
		return h.wait(c, e)
	}
	job := r.Job
	if before {
		if job, err = client.Job(c.Context, h.ID); err != nil {
			return err
		}
		if err := h.Keep(job, time.Now()); err != nil {
			return err
		}
	}
	if err := h.show(c, job, e); err != nil {
		return err
	}
	if !job.State.Done() {
		tell(c)("wait for it with: %s", h.Command("wait", r, h.ID))
	}
	return nil
}

// approved checks the files, and asks the user whether the job may cost what it will.
func approved(c *cli.Context, a hosted.Address, d *hosted.Dataset) (*hosted.Estimate, error) {
	if err := validateFor(c, d); err != nil {
		return nil, err
	}
	e, err := estimate(c, d)
	if err != nil {
		return nil, err
	}
	return e, agree(c, a, d, e)
}
