package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"parley/finetune/formats"
	"parley/finetune/hosted"
)

func finetuneStartCommand() *cli.Command {
	flags := append(serverFlags(), trainingFlags()...)
	return &cli.Command{
		Name: "start", Usage: "send training files to a server and start a fine-tuning job", ArgsUsage: "DIR|FILE.jsonl",
		Description: "DIR is a dataset of parley finetune build with the format openai-sft or openai-dpo (azure-sft for Azure).\n" +
			"The cost is estimated and asked about before anything is sent. What was done is kept in DIR/jobs, so that\n" +
			"the same command goes on after it was stopped at any moment: nothing is sent or ordered twice.\n" +
			"Exit status with --wait: 0 the job succeeded, 1 it failed, 3 it was cancelled, 130 interrupted.",
		Flags: append(flags,
			&cli.StringFlag{Name: "validation", Usage: "`FILE` of examples to validate with", DefaultText: "validation.jsonl beside the directory's train.jsonl"},
			&cli.StringFlag{Name: "batch-size", Usage: "`N` examples a step, 1 to 256, or auto", DefaultText: "the server's choice"},
			&cli.StringFlag{Name: "learning-rate", Usage: "learning rate multiplier `X`, or auto; some servers take the rate itself", DefaultText: "the server's choice"},
			&cli.StringFlag{Name: "beta", Usage: "`X` of dpo, up to 2, or auto", DefaultText: "the server's choice"},
			&cli.StringFlag{Name: "suffix", Usage: "`TEXT` for the new model's name, up to 64 characters"},
			&cli.Int64Flag{Name: "seed", Usage: "`SEED` of the training", Value: 1},
			&cli.GenericFlag{Name: "hyperparameter", Value: &texts{}, Usage: "`KEY=VALUE` that only some servers know, such as lora=true; sent unchecked; repeat for several"},
			&cli.GenericFlag{Name: "metadata", Value: &texts{}, Usage: "`KEY=VALUE` to keep with the job; repeat for several"},
			&cli.BoolFlag{Name: "top-level-hyperparameters", Usage: "send hyperparameters as servers take them that do not know methods"},
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
		d.validation = name
	}
	order, err := orderOf(c, d)
	if err != nil {
		return err
	}
	s := serverOf(c, nil)
	client, err := s.open()
	if err != nil {
		return err
	}
	r := &hosted.Record{Name: c.String("name"), BaseURL: s.base, Azure: s.azure, APIVersion: s.version, KeyVariable: s.variable, Order: *order, Updated: time.Now().UTC().Truncate(time.Second)}
	train, err := hosted.Inspect(c.Context, d.train, c.Int64("max-bytes"))
	if err != nil {
		return err
	}
	r.Training = *train
	if d.validation != "" {
		if r.Validation, err = hosted.Inspect(c.Context, d.validation, c.Int64("max-bytes")); err != nil {
			return err
		}
		if r.Validation.SHA256 == train.SHA256 {
			return fmt.Errorf("%s and %s are the same: nothing can be validated on what was learned", d.train, d.validation)
		}
	}
	if r.Name == "" {
		r.Name = r.DefaultName()
	}
	h := &handle{server: s, client: client, record: r}
	var a jobAnswer
	if !underway(r, d.dir, c.Bool("again")) {
		if err := validateFor(c, d); err != nil {
			return err
		}
		if a.Estimate, err = estimate(c, d); err != nil {
			return err
		}
		if err := agree(c, s, d, a.Estimate); err != nil {
			return err
		}
	}
	tell := func(text string) { fmt.Fprintln(c.App.ErrWriter, text) }
	before, err := startOnce(c, client, r, d.dir, tell)
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
		return h.wait(c, a)
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
	e := a.Estimate
	a = h.answer(job)
	a.Estimate = e
	if err := a.print(c, h); err != nil {
		return err
	}
	if !job.State.Done() {
		fmt.Fprintf(c.App.ErrWriter, "wait for it with: %s\n", h.again("wait"))
	}
	return nil
}

// startOnce orders the job of a record unless it was ordered before, by whichever process.
func startOnce(c *cli.Context, client *hosted.Client, r *hosted.Record, dir string, tell func(string)) (before bool, err error) {
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

// orderOf reads the flags of an order.
func orderOf(c *cli.Context, d *dataset) (*hosted.Order, error) {
	seed := c.Int64("seed")
	o := &hosted.Order{
		Model: c.String("model"), Method: d.method, Suffix: c.String("suffix"), Seed: &seed, TopLevel: c.Bool("top-level-hyperparameters"),
		Epochs: hosted.Setting(c.String("epochs")), BatchSize: hosted.Setting(c.String("batch-size")),
		LearningRate: hosted.Setting(c.String("learning-rate")), Beta: hosted.Setting(c.String("beta")),
	}
	if c.IsSet("suffix") && o.Suffix == "" {
		return nil, usagef("--suffix is empty; leave it out, or give 1 to 64 characters")
	}
	for _, pair := range *c.Generic("hyperparameter").(*texts) {
		name, value, ok := strings.Cut(pair, "=")
		if _, twice := o.Extra[name]; !ok || name == "" || twice {
			return nil, usagef("--hyperparameter %q: write key=value, each key once", pair)
		}
		if o.Extra == nil {
			o.Extra = map[string]json.RawMessage{}
		}
		raw := json.RawMessage(value)
		if !json.Valid(raw) {
			var err error
			if raw, err = json.Marshal(value); err != nil {
				return nil, err
			}
		}
		o.Extra[name] = raw
	}
	for _, pair := range *c.Generic("metadata").(*texts) {
		name, value, ok := strings.Cut(pair, "=")
		if _, twice := o.Metadata[name]; !ok || name == "" || twice {
			return nil, usagef("--metadata %q: write key=value, each key once", pair)
		}
		if o.Metadata == nil {
			o.Metadata = map[string]string{}
		}
		o.Metadata[name] = value
	}
	if err := o.Validate(); err != nil {
		return nil, usageError{err}
	}
	return o, nil
}

// enough are the rules about how many examples a file has.
var enough = map[string]bool{"few_examples": true, "min_examples": true}

// validateFor checks the files as the server will.
func validateFor(c *cli.Context, d *dataset) error {
	if c.Bool("no-validate") {
		return nil
	}
	format, err := formats.Lookup(d.format)
	if err != nil {
		return err
	}
	for _, path := range []string{d.train, d.validation} {
		if path == "" {
			continue
		}
		const shown = 10
		errs, warned := 0, 0
		watch := &validateProgress{w: c.App.ErrWriter}
		o := formats.ValidateOptions{MaxTokens: c.Int("max-tokens"), Counter: counterOf(c.String("model")), Progress: watch.at}
		sum, err := format.Validate(c.Context, []string{path}, o, func(f formats.Finding) error {
			if path == d.validation && enough[f.Rule] {
				return nil // how many there have to be holds for what is trained on
			}
			n := &warned
			if f.Level == formats.Error {
				n = &errs
			}
			if *n++; *n <= shown {
				fmt.Fprintln(c.App.ErrWriter, f)
			}
			return nil
		})
		watch.close()
		if err != nil {
			return fmt.Errorf("validate: %w", err)
		}
		if errs > 0 {
			return fmt.Errorf("%s: %d errors in %d rows, nothing was sent; see parley finetune validate --for %s, or send it as it is with --no-validate", path, errs, sum.Rows, d.format)
		}
	}
	return nil
}

// agree shows what a job will cost and asks whether to go on.
func agree(c *cli.Context, s server, d *dataset, e *hosted.Estimate) error {
	w := c.App.ErrWriter
	fmt.Fprintf(w, "%s of %s on %s, at %s\n", d.method, c.String("model"), d.train, s.base)
	if err := printEstimate(w, e); err != nil {
		return err
	}
	if c.Bool("yes") {
		return nil
	}
	fmt.Fprint(w, "send the files and start the job? [y/N] ")
	answer := make(chan string, 1)
	go func() { // a read from a terminal cannot be broken off
		line, err := bufio.NewReader(c.App.Reader).ReadString('\n')
		if err != nil && line == "" {
			close(answer)
			return
		}
		answer <- line
	}()
	select {
	case <-c.Context.Done():
		fmt.Fprintln(w)
		return context.Cause(c.Context)
	case line, ok := <-answer:
		if !ok {
			fmt.Fprintln(w)
			return usagef("nothing was sent: nobody answered; say --yes where nobody can be asked")
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return nil
		}
		return errNothingSent
	}
}
