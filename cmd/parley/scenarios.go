package main

import (
	"errors"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"parley/scenarios"
)

// scenariosCommand lists, shows, checks, generates and imports what scenarios are made of.
func scenariosCommand() *cli.Command {
	out := &cli.StringFlag{Name: "out", Usage: "write to a new `FILE` instead of standard output"}
	return &cli.Command{
		Name:  "scenarios",
		Usage: "list, show, check, generate and import what scenarios are made of",
		Subcommands: []*cli.Command{
			{
				Name:  "list",
				Usage: "list the library",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "kind", Usage: "only those of a `KIND` of scenario, such as exchange"},
					jsonFlag(),
				},
				Action: listScenarios,
			},
			{
				Name:      "show",
				Usage:     "print one piece of the library",
				ArgsUsage: "ID",
				Flags:     []cli.Flag{jsonFlag(), &cli.BoolFlag{Name: "yaml", Usage: "print a file to start from, which reads back"}},
				Action:    showScenario,
			},
			{
				Name:      "validate",
				Usage:     "check YAML files of pieces of any kind",
				ArgsUsage: "FILE...",
				Action:    validateScenarios,
			},
			{
				Name:  "generate",
				Usage: "have a model write pieces",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "kind", Usage: "`KIND` of piece: knowledge or scene"},
					&cli.IntFlag{Name: "n", Value: 1, Usage: "how many"},
					&cli.StringFlag{Name: "model", Usage: "the `MODEL` that writes, such as ollama:llama3.2"},
					&cli.StringFlag{Name: "topic", Usage: "what about, such as weapon or \"a trial\"; else one is drawn for each"},
					&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "seed of everything drawn"},
					out,
				},
				Action: generateScenarios,
			},
			{
				Name:  "import",
				Usage: "make knowledge of other collections",
				Subcommands: []*cli.Command{{
					Name:      "srd",
					Usage:     "make knowledge of the magic items in 5e-SRD-Magic-Items.json",
					ArgsUsage: "FILE",
					Flags:     []cli.Flag{out},
					Action:    importSRD,
				}},
			},
		},
	}
}

func listScenarios(c *cli.Context) error {
	kinds := scenarios.Kinds()
	if name := c.String("kind"); name != "" {
		kind, err := scenarios.FindKind(name)
		if err != nil {
			return usagef("--kind: %w", err)
		}
		kinds = []*scenarios.Kind{kind}
	}
	if c.Bool("json") {
		listed := map[string][]map[string]any{}
		for _, k := range scenarios.Kinds() {
			listed[k.Pieces] = []map[string]any{}
		}
		for _, k := range kinds {
			for _, p := range k.Library() {
				h := p.Head()
				entry := map[string]any{"id": h.ID, "title": h.Title, h.Parts: h.Count}
				if h.Topic != "" {
					entry["topic"] = h.Topic
				}
				listed[k.Pieces] = append(listed[k.Pieces], entry)
			}
		}
		return printJSON(c.App.Writer, listed)
	}
	w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kind\tid\ttitle\tholds")
	for _, k := range kinds {
		for _, p := range k.Library() {
			h := p.Head()
			title := h.Title
			if h.Topic != "" {
				title += " (" + h.Topic + ")"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%d %s\n", k, h.ID, title, h.Count, h.Parts)
		}
	}
	return w.Flush()
}

func showScenario(c *cli.Context) error {
	id, w := c.Args().First(), c.App.Writer
	for _, k := range scenarios.Kinds() {
		for _, p := range k.Library() {
			switch {
			case p.Head().ID != id:
				continue
			case c.Bool("json"):
				return printJSON(w, p)
			case c.Bool("yaml"):
				return k.Encode(w, []scenarios.Piece{p})
			}
			p.Print(w)
			return nil
		}
	}
	return usagef("the library has nothing with the id %q; parley scenarios list prints what there is", id)
}

func validateScenarios(c *cli.Context) error {
	var wrong []error
	in := map[string]string{} // id -> file
	for _, file := range c.Args().Slice() {
		if err := validateFile(c, file, in); err != nil {
			wrong = append(wrong, err)
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return errors.New(err.Error()) // what a check finds is no wrong use, as a broken file is elsewhere
	}
	return nil
}

func validateFile(c *cli.Context, file string, in map[string]string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	kind, pieces, err := scenarios.Read(data, file)
	if err != nil {
		return err
	}
	var advice, twice []error
	for _, p := range pieces {
		id := p.Head().ID
		advice = append(advice, p.Review())
		if before, ok := in[id]; ok {
			twice = append(twice, fmt.Errorf("%s: the id %s is in %s too; write another", file, id, before))
		}
		in[id] = file
	}
	if err := errors.Join(advice...); err != nil {
		fmt.Fprintf(c.App.ErrWriter, "%s can be played, but falls short of the rules for the library:\n%v\n", file, err)
	}
	if len(twice) > 0 {
		return errors.Join(twice...)
	}
	what := kind.Pieces
	if kind.Piece == kind.Pieces {
		what = "pieces of " + what
	}
	_, err = fmt.Fprintf(c.App.Writer, "%s: %d %s\n", file, len(pieces), what)
	return err
}
