package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"parley/finetune/hosted"
	"parley/sim/llm"
)

// finetuneJobsCommands are the commands for fine-tuning jobs on a server.
func finetuneJobsCommands() []*cli.Command {
	return []*cli.Command{
		finetuneStartCommand(),
		finetuneListCommand(),
		finetuneStatusCommand(),
		finetuneWaitCommand(),
		finetuneCancelCommand(),
		finetuneEventsCommand(),
		finetuneCostCommand(),
	}
}

// serverFlags say which server is spoken to.
func serverFlags(more ...cli.Flag) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "base-url", Usage: "`URL` of a server with OpenAI's /files and /fine_tuning/jobs, such as https://host/v1; there is no default"},
		&cli.StringFlag{Name: "key-env", Usage: "environment `VARIABLE` that holds the key", DefaultText: "OPENAI_API_KEY for OpenAI's own host, AZURE_OPENAI_API_KEY for Azure, else no key"},
		&cli.BoolFlag{Name: "azure", Usage: "speak to Azure OpenAI; the URL is then the resource's, such as https://NAME.openai.azure.com"},
		&cli.StringFlag{Name: "api-version", Usage: "Azure's `VERSION`", DefaultText: hosted.DefaultAPIVersion},
		jsonFlag(),
	}, more...)
}

// addressOf reads the flags of a server.
func addressOf(c *cli.Context) hosted.Address {
	return hosted.Address{BaseURL: c.String("base-url"), KeyVariable: c.String("key-env"), APIVersion: c.String("api-version"), Azure: c.Bool("azure")}
}

// openServer makes a client, with the key from the environment.
func openServer(a hosted.Address) (*hosted.Client, error) {
	key := ""
	if a.KeyVariable != "" {
		key = strings.TrimSpace(os.Getenv(a.KeyVariable))
		if key == "" {
			return nil, fmt.Errorf("the environment variable %s, which should hold the key, is empty", a.KeyVariable)
		}
		keys.Add(key)
	}
	client, err := hosted.New(hosted.Options{
		BaseURL: a.BaseURL, Key: key, KeyVariable: a.KeyVariable, Azure: a.Azure, APIVersion: a.APIVersion,
		HTTP: httpClient, Now: time.Now, Retry: llm.Retrier{Rand: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))},
	})
	if err != nil {
		return nil, usageError{err}
	}
	return client, nil
}

// handle is a job that a command is about, and its server.
type handle struct {
	*hosted.Handle
	client *hosted.Client
}

// jobOf finds the job that the one argument names.
func jobOf(c *cli.Context) (*handle, error) {
	h, err := hosted.FindJob(c.Args().First(), c.String("name"), addressOf(c), lineTo(c))
	if err != nil {
		return nil, err
	}
	client, err := openServer(h.Address)
	return &handle{h, client}, err
}

// lineTo returns what prints lines to the standard error.
func lineTo(c *cli.Context) func(string) {
	return func(line string) { fmt.Fprintln(c.App.ErrWriter, line) }
}

// show prints what is known of a job. The estimate may be nil.
func (h *handle) show(c *cli.Context, job *hosted.Job, e *hosted.Estimate) error {
	a := hosted.NewAnswer(h.Address, h.Record, job)
	a.Estimate = e
	return output(c, a, func(w io.Writer) error {
		if advice := a.Advice(h.Azure); advice != "" {
			lineTo(c)(advice)
		}
		_, err := io.WriteString(w, a.Text(time.Now()))
		return err
	})
}

// ended is the error, and so the exit status, that a job's end makes: 0 if it succeeded, 1 if it
// failed, 3 if it was cancelled.
func ended(job *hosted.Job) error {
	switch job.State {
	case hosted.Failed:
		return fmt.Errorf("job %s failed: %s", job.ID, job.Reason())
	case hosted.Cancelled:
		return partialf("job %s was cancelled", job.ID)
	}
	return nil
}

var errNothingSent = errors.New("nothing was sent")
