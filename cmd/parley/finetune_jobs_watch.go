package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"parley/finetune/hosted"
)

var nameFlag = &cli.StringFlag{Name: "name", Usage: "`NAME` of the job's record in the directory", DefaultText: "the one that was ordered last"}

var everyFlag = &cli.DurationFlag{Name: "every", Usage: "look at the job every `TIME` while things happen, less often while nothing does", Value: 10 * time.Second}

func finetuneStatusCommand() *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "say how far a fine-tuning job came", ArgsUsage: "DIR|JOB-ID",
		Flags: serverFlags(nameFlag),
		Action: func(c *cli.Context) error {
			h, err := jobOf(c)
			if err != nil {
				return err
			}
			job, err := h.client.Job(c.Context, h.id)
			if err != nil {
				return err
			}
			a := h.answer(job)
			return orNil(h.keep(job), a.print(c, h))
		},
	}
}

func finetuneWaitCommand() *cli.Command {
	return &cli.Command{
		Name: "wait", Usage: "wait until a fine-tuning job is done, and name its model", ArgsUsage: "DIR|JOB-ID",
		Description: "The wait can be stopped and taken up again; the job goes on at the server.\n" +
			"Exit status: 0 the job succeeded, 1 it failed, 3 it was cancelled, 130 the wait was interrupted.",
		Flags: serverFlags(nameFlag, everyFlag),
		Action: func(c *cli.Context) error {
			h, err := jobOf(c)
			if err != nil {
				return err
			}
			return h.wait(c, jobAnswer{})
		},
	}
}

// wait waits for a job and prints what became of it. Of the answer the estimate is kept.
func (h *handle) wait(c *cli.Context, a jobAnswer) error {
	if c.Duration("every") <= 0 {
		return usagef("--every is a time above 0, such as 10s")
	}
	job, err := h.client.Wait(c.Context, h.id, hosted.Waiting{Every: c.Duration("every")}, func(p hosted.Progress) error {
		if p.Changed {
			if err := h.keep(p.Job); err != nil {
				return err
			}
		}
		fmt.Fprint(c.App.ErrWriter, told(p, time.Now()))
		return nil
	})
	if err != nil {
		if c.Context.Err() != nil {
			fmt.Fprintf(c.App.ErrWriter, "the job goes on at the server; wait again with: %s\n", h.again("wait"))
		}
		return err
	}
	if err := h.keep(job); err != nil {
		return err
	}
	estimate := a.Estimate
	a = h.answer(job)
	a.Estimate = estimate
	if err := a.print(c, h); err != nil {
		return err
	}
	return ended(job)
}

// again is the command line that goes on with a job.
func (h *handle) again(command string) string {
	if h.record != nil {
		return "parley finetune " + command + " " + shellWord(h.record.Path())
	}
	line := "parley finetune " + command + " " + h.id + " --base-url " + shellWord(h.base)
	if h.azure {
		line += " --azure"
	}
	if h.version != "" {
		line += " --api-version " + shellWord(h.version)
	}
	if h.variable != "" {
		line += " --key-env " + shellWord(h.variable)
	}
	return line
}

// told is what is new at a look, in lines.
func told(p hosted.Progress, now time.Time) string {
	var b strings.Builder
	if p.Trouble != nil {
		return fmt.Sprintf("no answer, asking again: %v\n", p.Trouble)
	}
	var metrics *hosted.Event
	for i := range p.Events {
		if e := &p.Events[i]; len(e.Metrics) > 0 {
			metrics = e // the last of many
		} else {
			fmt.Fprintf(&b, "  %s\n", e)
		}
	}
	if !p.Changed && metrics == nil {
		return b.String()
	}
	fmt.Fprintf(&b, "%s", p.Job.State)
	if p.Job.State == hosted.Paused {
		b.WriteString(", until somebody resumes it at the server")
	}
	if p.Step > 0 {
		fmt.Fprintf(&b, ", step %d", p.Step)
	}
	if p.Step > 0 && p.Steps > 0 {
		fmt.Fprintf(&b, " of %d", p.Steps)
	}
	if metrics != nil {
		for _, name := range []string{"train_loss", "valid_loss", "full_valid_loss"} {
			if v, ok := metrics.Metrics[name]; ok {
				fmt.Fprintf(&b, ", %s %.4g", name, v)
			}
		}
	}
	if left := p.Job.Estimated.Sub(now).Round(time.Second); !p.Job.State.Done() && left > 0 {
		fmt.Fprintf(&b, ", about %s to go", left)
	}
	b.WriteByte('\n')
	return b.String()
}

func finetuneCancelCommand() *cli.Command {
	return &cli.Command{
		Name: "cancel", Usage: "end a fine-tuning job", ArgsUsage: "DIR|JOB-ID",
		Flags: serverFlags(nameFlag),
		Action: func(c *cli.Context) error {
			h, err := jobOf(c)
			if err != nil {
				return err
			}
			job, err := h.client.Cancel(c.Context, h.id)
			if kept := h.keep(job); err == nil {
				err = kept
			}
			if err != nil {
				return err
			}
			a := h.answer(job)
			return a.print(c, h)
		},
	}
}

// eventsAnswer is what finetune events prints with --json.
type eventsAnswer struct {
	ID     string         `json:"id"`
	Events []hosted.Event `json:"events"`
}

func finetuneEventsCommand() *cli.Command {
	return &cli.Command{
		Name: "events", Usage: "list what happened in a fine-tuning job, with its metrics, the oldest first", ArgsUsage: "DIR|JOB-ID",
		Flags: serverFlags(nameFlag,
			&cli.IntFlag{Name: "limit", Usage: "only the newest `N`; 0: all"},
			&cli.StringFlag{Name: "after", Usage: "only what is older than the event `ID`, as the protocol pages"}),
		Action: func(c *cli.Context) error {
			page, err := pagesOf(c)
			if err != nil {
				return err
			}
			h, err := jobOf(c)
			if err != nil {
				return err
			}
			events, err := h.client.Events(c.Context, h.id, page)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return printJSON(c.App.Writer, eventsAnswer{h.id, append([]hosted.Event{}, events...)})
			}
			for i := range events {
				if _, err := fmt.Fprintf(c.App.Writer, "%s  %s\n", stamp(events[i].Created), &events[i]); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// stamp writes a time of the server's.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}

func pagesOf(c *cli.Context) (hosted.Page, error) {
	p := hosted.Page{After: c.String("after"), Limit: c.Int("limit")}
	if p.Limit < 0 {
		return p, usagef("--limit is %d, it has to be 0 or more", p.Limit)
	}
	if p.After != "" && !hosted.ValidID(p.After) {
		return p, usagef("--after %q is no id", p.After)
	}
	return p, nil
}

// listAnswer is what finetune list prints with --json: a server's jobs, or a directory's records.
type listAnswer struct {
	BaseURL string           `json:"base_url,omitempty"`
	Jobs    []*hosted.Job    `json:"jobs,omitempty"`
	Records []*hosted.Record `json:"records,omitempty"`
}

func finetuneListCommand() *cli.Command {
	return &cli.Command{
		Name: "list", Usage: "list the fine-tuning jobs of a server, the newest first, or those of a dataset", ArgsUsage: "[DIR]",
		Description: "With --base-url the server is asked; with a directory alone it is what was last known of its jobs.",
		Flags: serverFlags(
			&cli.IntFlag{Name: "limit", Usage: "the first `N` only; 0: all", Value: 20},
			&cli.StringFlag{Name: "after", Usage: "those that come after the job `ID`"}),
		Action: finetuneList,
	}
}

func finetuneList(c *cli.Context) error {
	page, err := pagesOf(c)
	var a listAnswer
	switch {
	case err != nil:
		return err
	case c.NArg() > 1:
		return usagef("finetune list takes one directory")
	case c.NArg() == 1 && c.String("base-url") != "":
		return usagef("finetune list takes a directory or --base-url, and not both")
	case c.NArg() == 1:
		if a.Records, err = hosted.Records(c.Args().First()); err != nil {
			return err
		}
		if page.Limit > 0 && len(a.Records) > page.Limit {
			a.Records = a.Records[:page.Limit]
		}
	case c.String("base-url") == "":
		return usagef("say with --base-url which server to ask, or name the directory of a dataset")
	default:
		s := serverOf(c, nil)
		client, err := s.open()
		if err != nil {
			return err
		}
		a.BaseURL = s.base
		for job, err := range client.Jobs(c.Context, page) {
			if err != nil {
				return err
			}
			a.Jobs = append(a.Jobs, job)
		}
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, a)
	}
	tab := tabwriter.NewWriter(c.App.Writer, 0, 4, 2, ' ', 0)
	if c.NArg() == 1 {
		fmt.Fprintln(tab, "NAME\tJOB\tSTATE\tBASE\tMODEL\tSERVER")
		for _, r := range a.Records {
			job := r.Job
			if job == nil {
				job = &hosted.Job{ID: "-", State: "not created"}
			}
			fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Name, job.ID, job.State, r.Order.Model, orDash(job.Tuned), r.BaseURL)
		}
		return tab.Flush()
	}
	fmt.Fprintln(tab, "JOB\tSTATE\tCREATED\tBASE\tMODEL")
	for _, job := range a.Jobs {
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\n", job.ID, job.State, stamp(job.Created), orDash(job.Model), orDash(job.Tuned))
	}
	return tab.Flush()
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
