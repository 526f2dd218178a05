package main

import (
	"cmp"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"parley/finetune/hosted"
)

// eventsAnswer is the JSON of finetune events.
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

// listAnswer is the JSON of finetune list: a server's jobs, or a directory's records.
type listAnswer struct {
	BaseURL string           `json:"base_url,omitempty"`
	Jobs    []*hosted.Job    `json:"jobs,omitempty"`
	Records []*hosted.Record `json:"records,omitempty"`
}

func finetuneListCommand() *cli.Command {
	return &cli.Command{
		Name: "list", Usage: "list the fine-tuning jobs of a server, the newest first, or those of a dataset", ArgsUsage: "[DIR]",
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
		s := addressOf(c, nil)
		client, err := openServer(s)
		if err != nil {
			return err
		}
		a.BaseURL = s.BaseURL
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
			fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Name, job.ID, job.State, r.Order.Model, cmp.Or(job.Tuned, "-"), r.BaseURL)
		}
		return tab.Flush()
	}
	fmt.Fprintln(tab, "JOB\tSTATE\tCREATED\tBASE\tMODEL")
	for _, job := range a.Jobs {
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\n", job.ID, job.State, stamp(job.Created), cmp.Or(job.Model, "-"), cmp.Or(job.Tuned, "-"))
	}
	return tab.Flush()
}
