package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"parley/characters"
	"parley/eval/run"
	"parley/eval/session"
	"parley/logs"
	"parley/sim/agent"
)

func benchCommand() *cli.Command {
	return &cli.Command{
		Name:  "bench",
		Usage: "measure parley itself, and how models take to it",
		Subcommands: []*cli.Command{benchPromptsCommand(), {
			Name:      "replies",
			Usage:     "count what is wrong with models' replies, by form and model, as the reader of today reads them",
			ArgsUsage: "FILE|RUN...",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "each", Usage: "print also how each reply was read"},
				&cli.BoolFlag{Name: "json", Usage: `print {"kinds": [...], "replies": [...]} instead`},
			},
			Action: benchReplies,
		}},
	}
}

// recordedReply is a line of a file of replies.
type recordedReply struct {
	ID      string   `json:"id"`
	N       int      `json:"n"`
	Model   string   `json:"model"`
	Speaker string   `json:"speaker"`
	Actor   string   `json:"actor"`
	Others  []string `json:"others"`
	Cast    []string `json:"cast"`
	Raw     string   `json:"raw"`
	Reply   string   `json:"reply"`
}

// readReply says how a reply was read. Kind is "played", "pass", or what was wrong with it.
type readReply struct {
	ID     string          `json:"id"`
	Model  string          `json:"model"`
	Form   agent.Form      `json:"form"` // as it was read; empty where it was not
	Kind   string          `json:"kind"`
	Speech string          `json:"speech"`
	Deed   string          `json:"deed"`
	To     []characters.ID `json:"to"`
}

// kindCount counts the replies of one form and model that are of one kind.
type kindCount struct {
	Form    agent.Form `json:"form"`
	Model   string     `json:"model"`
	Kind    string     `json:"kind"`
	Replies int        `json:"replies"`
	Of      int        `json:"of"` // replies of the model
}

func benchReplies(c *cli.Context) error {
	var replies []readReply
	for _, path := range c.Args().Slice() {
		read := repliesOfFile
		if info, err := os.Stat(path); err != nil {
			return err
		} else if info.IsDir() {
			read = repliesOfRun
		}
		more, err := read(path)
		if err != nil {
			return fmt.Errorf("read replies: %w", err)
		}
		replies = append(replies, more...)
	}
	kinds := countKinds(replies)
	if c.Bool("json") {
		return printJSON(c.App.Writer, map[string]any{"kinds": kinds, "replies": replies})
	}
	if c.Bool("each") {
		if err := printReplies(c.App.Writer, replies); err != nil {
			return err
		}
	}
	tab := tabwriter.NewWriter(c.App.Writer, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tab, "model\tform\tkind\treplies\tshare")
	for _, k := range kinds {
		fmt.Fprintf(tab, "%s\t%s\t%s\t%d\t%.1f %%\n", strconv.Quote(k.Model), cmp.Or(k.Form, "-"), k.Kind, k.Replies, 100*float64(k.Replies)/float64(k.Of))
	}
	fmt.Fprintf(tab, "all\t\t\t%d\t\n", len(replies))
	return tab.Flush()
}

// repliesOfFile reads a file of replies. Members of the cast are known by their names.
func repliesOfFile(path string) (replies []readReply, err error) {
	line := 0
	for r, err := range logs.Read[recordedReply](path) {
		if line++; err != nil {
			return nil, err
		}
		actor := cmp.Or(r.Speaker, r.Actor)
		raw := cmp.Or(r.Raw, r.Reply)
		if actor == "" {
			return nil, fmt.Errorf("%s:%d: no speaker: name the character whose reply it is", path, line)
		}
		var cast []characters.Public
		for i, name := range slices.Concat([]string{actor}, r.Others, r.Cast) {
			if i == 0 || name != actor {
				cast = append(cast, characters.Public{ID: characters.ID(name), Name: name})
			}
		}
		id := cmp.Or(r.ID, strconv.Itoa(r.N))
		if id == "0" {
			id = strconv.Itoa(line)
		}
		replies = append(replies, reread(id, r.Model, raw, characters.ID(actor), cast))
	}
	return replies, nil
}

// repliesOfRun reads the replies of the moves of a run.
func repliesOfRun(dir string) (replies []readReply, err error) {
	if _, _, err := session.Read(dir); err != nil {
		return nil, err
	}
	casts := map[string][]characters.Public{}
	for row, err := range session.Sessions.Read(dir) {
		if err != nil {
			return nil, err
		}
		for _, seat := range row.Cast {
			casts[row.ID] = append(casts[row.ID], characters.Public{ID: characters.ID(seat.ID), Name: seat.Name})
		}
	}
	for call, err := range run.Calls.Read(dir) {
		if err != nil {
			return nil, err
		}
		if cast := casts[call.Session]; call.Purpose == "act" && call.Error == "" && cast != nil {
			replies = append(replies, reread(call.ID, call.Model, call.Reply, characters.ID(call.Actor), cast))
		}
	}
	return replies, nil
}

func reread(id, model, raw string, self characters.ID, cast []characters.Public) readReply {
	m := agent.Parse(raw, self, cast)
	kind := cmp.Or(m.Fault, "played")
	if m.Fault == "" && m.Speech == "" && m.Deed == "" {
		kind = "pass"
	}
	return readReply{ID: id, Model: model, Form: m.Form, Kind: kind, Speech: m.Speech, Deed: m.Deed, To: append([]characters.ID{}, m.To...)}
}

// countKinds counts replies by model, form and kind, in this order.
func countKinds(replies []readReply) []kindCount {
	of := map[string]int{}
	counts := map[kindCount]int{}
	for _, r := range replies {
		of[r.Model]++
		counts[kindCount{Form: r.Form, Model: r.Model, Kind: r.Kind}]++
	}
	kinds := make([]kindCount, 0, len(counts))
	for k, n := range counts {
		k.Replies, k.Of = n, of[k.Model]
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b kindCount) int {
		return cmp.Or(strings.Compare(a.Model, b.Model), cmp.Compare(a.Form, b.Form), cmp.Compare(b.Replies, a.Replies), strings.Compare(a.Kind, b.Kind))
	})
	return kinds
}

// printReplies prints a line for each reply. Texts are quoted, because they may hold anything.
func printReplies(w io.Writer, replies []readReply) error {
	for _, r := range replies {
		if _, err := fmt.Fprintf(w, "%s %s %s to=%q say=%q do=%q\n", r.ID, cmp.Or(r.Form, "-"), r.Kind, r.To, r.Speech, r.Deed); err != nil {
			return err
		}
	}
	return nil
}
