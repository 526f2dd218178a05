package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"parley/finetune/hosted"
)

var nameFlag = &cli.StringFlag{Name: "name", Usage: "`NAME` of the job's record in the directory", DefaultText: "the one that was ordered last"}

var everyFlag = &cli.DurationFlag{Name: "every", Usage: "look at the job every `TIME` while things happen, less often while nothing does", Value: 10 * time.Second}

func finetuneStatusCommand() *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "say how far a fine-tuning job came", ArgsUsage: "DIR|JOB-ID",
		Flags:  serverFlags(nameFlag),
		Action: showing((*hosted.Client).Job),
	}
}

func finetuneCancelCommand() *cli.Command {
	return &cli.Command{
		Name: "cancel", Usage: "end a fine-tuning job", ArgsUsage: "DIR|JOB-ID",
		Flags:  serverFlags(nameFlag),
		Action: showing((*hosted.Client).Cancel),
	}
}

// showing makes the action that asks a server about a job, keeps the reply and prints it.
func showing(ask func(*hosted.Client, context.Context, string) (*hosted.Job, error)) cli.ActionFunc {
	return func(c *cli.Context) error {
		h, err := jobOf(c)
		if err != nil {
			return err
		}
		job, err := ask(h.client, c.Context, h.ID)
		if err = cmp.Or(err, h.Keep(job, time.Now())); err != nil {
			return err
		}
		return h.show(c, job, nil)
	}
}

func finetuneWaitCommand() *cli.Command {
	return &cli.Command{
		Name: "wait", Usage: "wait until a fine-tuning job is done, and name its model", ArgsUsage: "DIR|JOB-ID",
		Flags: serverFlags(nameFlag, everyFlag),
		Action: func(c *cli.Context) error {
			h, err := jobOf(c)
			if err != nil {
				return err
			}
			return h.wait(c, nil)
		},
	}
}

// wait waits for a job and prints its end.
func (h *handle) wait(c *cli.Context, e *hosted.Estimate) error {
	if c.Duration("every") <= 0 {
		return usagef("--every is a time above 0, such as 10s")
	}
	job, err := h.client.Wait(c.Context, h.ID, hosted.Waiting{Every: c.Duration("every")}, func(p hosted.Progress) error {
		if p.Changed {
			if err := h.Keep(p.Job, time.Now()); err != nil {
				return err
			}
		}
		fmt.Fprint(c.App.ErrWriter, p.Text(time.Now()))
		return nil
	})
	if err != nil {
		if c.Context.Err() != nil {
			fmt.Fprintf(c.App.ErrWriter, "the job goes on at the server; wait again with: %s\n", h.Command("wait", h.Record, h.ID))
		}
		return err
	}
	return cmp.Or(h.Keep(job, time.Now()), h.show(c, job, e), ended(job))
}
