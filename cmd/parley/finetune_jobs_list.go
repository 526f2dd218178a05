package main

import (
	"github.com/urfave/cli/v2"

	"parley/finetune/hosted"
)

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
			events, err := h.client.Events(c.Context, h.ID, page)
			if err != nil {
				return err
			}
			history := &hosted.History{ID: h.ID, Events: append([]hosted.Event{}, events...)}
			return output(c, history, history.Print)
		},
	}
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
	l := &hosted.List{}
	switch dir, base := c.Args().First(), c.String("base-url"); {
	case err != nil:
		return err
	case dir != "" && base != "":
		return usagef("finetune list takes a directory or --base-url, and not both")
	case dir != "":
		if l.Records, err = hosted.Records(dir); err != nil {
			return err
		}
		if page.Limit > 0 && len(l.Records) > page.Limit {
			l.Records = l.Records[:page.Limit]
		}
	case base == "":
		return usagef("say with --base-url which server to ask, or name the directory of a dataset")
	default:
		a := addressOf(c).Resolve(nil)
		client, err := openServer(a)
		if err != nil {
			return err
		}
		l.BaseURL = a.BaseURL
		for job, err := range client.Jobs(c.Context, page) {
			if err != nil {
				return err
			}
			l.Jobs = append(l.Jobs, job)
		}
	}
	return output(c, l, l.Print)
}
