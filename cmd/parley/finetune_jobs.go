package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
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

// addressOf reads the flags of a server, where a record does not say it.
func addressOf(c *cli.Context, r *hosted.Record) hosted.Address {
	a := hosted.Address{BaseURL: c.String("base-url"), KeyVariable: c.String("key-env"), APIVersion: c.String("api-version"), Azure: c.Bool("azure")}
	return a.Resolve(r)
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

// handle is a job that a command is about: one of a dataset's directory, with its record, or one that
// the user names by its id.
type handle struct {
	hosted.Address
	client *hosted.Client
	id     string
	record *hosted.Record // nil: the user named the id
}

// jobOf finds the job that the one argument names: a dataset's directory, a file of examples, a record
// or an id.
func jobOf(c *cli.Context) (*handle, error) {
	h := &handle{}
	name := c.Args().First()
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		h.record, err = recordOf(c, name)
	case err == nil && strings.HasSuffix(name, ".jsonl"):
		h.record, err = recordOf(c, filepath.Dir(name))
	case err == nil:
		h.record, err = hosted.Load(name)
	case !hosted.ValidID(name):
		return nil, usagef("there is no %s, and it is no id of a job", name)
	case c.String("base-url") == "":
		return nil, usagef("there is no directory %s; if it is the id of a job, say with --base-url where it runs", name)
	default:
		h.id, err = name, nil
	}
	if err != nil {
		return nil, err
	}
	if h.record != nil {
		if h.record.Job == nil {
			return nil, fmt.Errorf("%s is of a job that was not created yet, as far as is known; go on with the same parley finetune start", h.record.Path())
		}
		h.id = h.record.Job.ID
	}
	h.Address = addressOf(c, h.record)
	if h.record != nil && h.KeyVariable != "" && c.String("base-url") == "" && !h.Trusted() {
		return nil, fmt.Errorf("%s says that the job runs on %s, which would be sent the key in %s: if you know it for yours, say so with --base-url %[2]s",
			h.record.Path(), h.BaseURL, h.KeyVariable)
	}
	h.client, err = openServer(h.Address)
	return h, err
}

// recordOf finds the record that --name names, or the one that was ordered last.
func recordOf(c *cli.Context, dir string) (*hosted.Record, error) {
	if name := c.String("name"); name != "" {
		if !hosted.ValidName(name) {
			return nil, usagef("--name %q is no name of a job", name)
		}
		return hosted.Load(filepath.Join(dir, hosted.Folder, name+".json"))
	}
	all, err := hosted.Records(dir)
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, fmt.Errorf("%s has no job; start one with parley finetune start", dir)
	case len(all) > 1:
		fmt.Fprintf(c.App.ErrWriter, "%d jobs are in %s; this is about the last one, %s (another: --name)\n", len(all), dir, all[0].Name)
	}
	return all[0], nil
}

// keep writes down how the job was last seen.
func (h *handle) keep(job *hosted.Job) error {
	if h.record == nil || job == nil {
		return nil
	}
	h.record.Job, h.record.Updated = job, time.Now().UTC().Truncate(time.Second)
	return h.record.Save()
}

// show prints what is known of a job. The estimate may be nil.
func (h *handle) show(c *cli.Context, job *hosted.Job, e *hosted.Estimate) error {
	a := hosted.NewAnswer(h.Address, h.record, job)
	a.Estimate = e
	if c.Bool("json") {
		return printJSON(c.App.Writer, a)
	}
	if advice := a.Advice(h.Azure); advice != "" {
		fmt.Fprintln(c.App.ErrWriter, advice)
	}
	_, err := io.WriteString(c.App.Writer, a.Text(time.Now()))
	return err
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
