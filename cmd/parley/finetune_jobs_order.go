package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/finetune/formats"
	"parley/finetune/hosted"
)

// orderOf reads the flags of an order.
func orderOf(c *cli.Context, d *hosted.Dataset) (*hosted.Order, error) {
	seed := c.Int64("seed")
	o := &hosted.Order{
		Model: c.String("model"), Method: d.Method, Suffix: c.String("suffix"), Seed: &seed, TopLevel: c.Bool("top-level-hyperparameters"),
		Epochs: hosted.Setting(c.String("epochs")), BatchSize: hosted.Setting(c.String("batch-size")),
		LearningRate: hosted.Setting(c.String("learning-rate")), Beta: hosted.Setting(c.String("beta")),
	}
	if c.IsSet("suffix") && o.Suffix == "" {
		return nil, usagef("--suffix is empty; leave it out, or give 1 to 64 characters")
	}
	extra, err := pairsOf(c, "hyperparameter")
	if err != nil {
		return nil, err
	}
	for name, value := range extra {
		if o.Extra == nil {
			o.Extra = map[string]json.RawMessage{}
		}
		o.Extra[name] = json.RawMessage(value)
		if !json.Valid(o.Extra[name]) {
			if o.Extra[name], err = json.Marshal(value); err != nil {
				return nil, err
			}
		}
	}
	if o.Metadata, err = pairsOf(c, "metadata"); err != nil {
		return nil, err
	}
	if err := o.Validate(); err != nil {
		return nil, usageError{err}
	}
	return o, nil
}

// pairsOf reads a flag of key=value that is given several times; nil: it is not given.
func pairsOf(c *cli.Context, flag string) (map[string]string, error) {
	var out map[string]string
	for _, pair := range *c.Generic(flag).(*texts) {
		name, value, ok := strings.Cut(pair, "=")
		if _, twice := out[name]; !ok || name == "" || twice {
			return nil, usagef("--%s %q: write key=value, each key once", flag, pair)
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = value
	}
	return out, nil
}

// validateFor checks the files as the server will.
func validateFor(c *cli.Context, d *hosted.Dataset) error {
	if c.Bool("no-validate") {
		return nil
	}
	for _, path := range d.Files() {
		watch := &validateProgress{w: c.App.ErrWriter}
		o := formats.ValidateOptions{MaxTokens: c.Int("max-tokens"), Counter: hosted.CounterOf(c.String("model")), Progress: watch.at}
		err := d.Validate(c.Context, path, o, lineTo(c))
		watch.close()
		if err != nil {
			return err
		}
	}
	return nil
}

// agree shows what a job will cost and asks whether to go on.
func agree(c *cli.Context, s hosted.Address, d *hosted.Dataset, e *hosted.Estimate) error {
	w := c.App.ErrWriter
	fmt.Fprintf(w, "%s of %s on %s, at %s\n", d.Method, c.String("model"), d.Train, s.BaseURL)
	fmt.Fprint(w, e)
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
			return usagef("nothing was sent: there was no answer; say --yes where there can be none")
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return nil
		}
		return errNothingSent
	}
}
