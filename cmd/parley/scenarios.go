package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"parley/scenarios"
	"parley/sim/llm"
)

// scenariosCommand lists, shows, checks, generates and imports what scenarios are made of.
func scenariosCommand() *cli.Command {
	asJSON := &cli.BoolFlag{Name: "json", Usage: "print one JSON object"}
	out := &cli.StringFlag{Name: "out", Usage: "write to a new `FILE` instead of standard output"}
	return &cli.Command{
		Name:  "scenarios",
		Usage: "list, show, check, generate and import knowledge and scenes",
		Subcommands: []*cli.Command{
			{
				Name:  "list",
				Usage: "list the library",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "kind", Usage: "only those for `KIND`: exchange or intention"},
					asJSON,
				},
				Action: listScenarios,
			},
			{
				Name:      "show",
				Usage:     "print one piece of knowledge or scene",
				ArgsUsage: "ID",
				Flags:     []cli.Flag{asJSON},
				Action:    showScenario,
			},
			{
				Name:      "validate",
				Usage:     "check YAML files of knowledge or scenes",
				ArgsUsage: "FILE...",
				Action:    validateScenarios,
			},
			{
				Name:  "generate",
				Usage: "have a model write knowledge or scenes",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "kind", Usage: "`KIND`: knowledge or scene"},
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
				Action: func(c *cli.Context) error {
					return usagef("scenarios import: say from what: parley scenarios import srd FILE")
				},
			},
		},
		Action: func(c *cli.Context) error {
			return usagef("scenarios: say what to do: list, show ID, validate FILE..., generate or import srd FILE")
		},
	}
}

// A line of the list.
type listedKnowledge struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Topic string `json:"topic"`
	Facts int    `json:"facts"`
}

type listedScene struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Aims  int    `json:"aims"`
}

func listScenarios(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("scenarios list takes no arguments, but there is %q; for one piece: parley scenarios show ID", c.Args().First())
	}
	kind := scenarios.Kind(c.String("kind"))
	if kind != "" && kind != scenarios.Exchange && kind != scenarios.Expression {
		return usagef("--kind %q: write %s or %s", kind, scenarios.Exchange, scenarios.Expression)
	}
	listed := struct {
		Knowledge []listedKnowledge `json:"knowledge"`
		Scenes    []listedScene     `json:"scenes"`
	}{[]listedKnowledge{}, []listedScene{}}
	shelf := scenarios.Library()
	if kind != scenarios.Expression {
		for _, k := range shelf.Knowledge {
			listed.Knowledge = append(listed.Knowledge, listedKnowledge{k.ID, k.Title, k.Topic, len(k.Facts)})
		}
	}
	if kind != scenarios.Exchange {
		for _, s := range shelf.Scenes {
			listed.Scenes = append(listed.Scenes, listedScene{s.ID, s.Title, len(s.Aims)})
		}
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, listed)
	}
	w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kind\tid\ttitle\tholds")
	for _, k := range listed.Knowledge {
		fmt.Fprintf(w, "%s\t%s\t%s (%s)\t%d facts\n", scenarios.Exchange, k.ID, k.Title, k.Topic, k.Facts)
	}
	for _, s := range listed.Scenes {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d aims\n", scenarios.Expression, s.ID, s.Title, s.Aims)
	}
	return w.Flush()
}

func showScenario(c *cli.Context) error {
	if c.NArg() != 1 {
		return usagef("scenarios show takes one id; parley scenarios list has them")
	}
	id, w := c.Args().First(), c.App.Writer
	if k := scenarios.Library().FindKnowledge(id); k != nil {
		if c.Bool("json") {
			return printJSON(w, k)
		}
		fmt.Fprintf(w, "%s (%s)\n\n%s\n\n%s\n\n", k.Title, k.Topic, k.Hook, k.Text)
		for _, f := range k.Facts {
			fmt.Fprintf(w, "%-9s %s\n", f.Aspect, f.Text)
		}
		return nil
	}
	if s := scenarios.Library().FindScene(id); s != nil {
		if c.Bool("json") {
			return printJSON(w, s)
		}
		fmt.Fprintf(w, "%s\n\n%s\n\n", s.Title, s.Premise)
		for _, a := range s.Aims {
			fmt.Fprintf(w, "%-15s %s\n", a.Skill, a.Brief)
		}
		return nil
	}
	return usagef("no knowledge or scene has the id %q; parley scenarios list has those that there are", id)
}

// ofScenes marks a file of scenes: knowledge has no such fields.
var ofScenes = regexp.MustCompile(`(?m)^[\s\-{,"']*(premise|aims)["']?\s*:`)

func validateScenarios(c *cli.Context) error {
	if !c.Args().Present() {
		return usagef("scenarios validate takes at least one file")
	}
	var wrong []error
	in := map[string]string{} // id -> file
	for _, file := range c.Args().Slice() {
		if err := validateFile(c, file, in); err != nil {
			wrong = append(wrong, err)
		}
	}
	return errors.Join(wrong...)
}

func validateFile(c *cli.Context, file string, in map[string]string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var ids []string
	var advice []error
	what := "pieces of knowledge"
	if ofScenes.Match(data) {
		what = "scenes"
		scenes, err := scenarios.ReadScenes(bytes.NewReader(data), file)
		if err != nil {
			return err
		}
		for _, s := range scenes {
			ids, advice = append(ids, s.ID), append(advice, s.Review())
		}
	} else {
		pieces, err := scenarios.ReadKnowledge(bytes.NewReader(data), file)
		if err != nil {
			return err
		}
		for _, k := range pieces {
			ids, advice = append(ids, k.ID), append(advice, k.Review())
		}
	}
	if err := errors.Join(advice...); err != nil {
		fmt.Fprintf(c.App.ErrWriter, "%s can be played, but falls short of what the library is held to:\n%v\n", file, err)
	}
	var twice []error
	for _, id := range ids {
		if before, ok := in[id]; ok {
			twice = append(twice, fmt.Errorf("%s: the id %s stands in %s too; write another", file, id, before))
		}
		in[id] = file
	}
	if len(twice) > 0 {
		return errors.Join(twice...)
	}
	_, err = fmt.Fprintf(c.App.Writer, "%s: %d %s\n", file, len(ids), what)
	return err
}

func generateScenarios(c *cli.Context) error {
	kind, n, spec := c.String("kind"), c.Int("n"), c.String("model")
	switch {
	case c.Args().Present():
		return usagef("scenarios generate takes no arguments, but there is %q", c.Args().First())
	case kind != "knowledge" && kind != "scene":
		return usagef("--kind %q: write knowledge or scene", kind)
	case n < 1:
		return usagef("--n %d: write a number from 1", n)
	case spec == "":
		return usagef("--model: name the model that writes, such as ollama:llama3.2 or openai:gpt-4.1-mini")
	}
	m, err := openModel(c.Context, spec)
	if err != nil {
		return err
	}
	dest, err := newOutput(c)
	if err != nil {
		return err
	}
	defer dest.Close()
	seed := c.Uint64("seed")
	g := generation{
		w: writer(m, spec, int64(seed)), r: rand.New(rand.NewPCG(seed, 0)),
		topic: c.String("topic"), n: n, talk: c.App.ErrWriter,
	}
	var made int
	if kind == "knowledge" {
		pieces, failure := generate(c.Context, &g, scenarios.WriteKnowledge, scenarios.Library().Knowledge,
			func(k *scenarios.Knowledge) (string, string) { return k.ID, k.Title })
		made, err = len(pieces), failure
		if made > 0 {
			err = errors.Join(err, scenarios.EncodeKnowledge(dest, pieces))
		}
	} else {
		scenes, failure := generate(c.Context, &g, scenarios.WriteScene, scenarios.Library().Scenes,
			func(s *scenarios.Scene) (string, string) { return s.ID, s.Title })
		made, err = len(scenes), failure
		if made > 0 {
			err = errors.Join(err, scenarios.EncodeScenes(dest, scenes))
		}
	}
	switch {
	case err != nil:
		return err
	case made == 0:
		return fmt.Errorf("%s wrote nothing that can be used in %d tries; a larger model may", spec, n)
	case made < n:
		return partialf("%d of %d could be used", made, n)
	}
	return nil
}

// generation is what it takes to have a model write.
type generation struct {
	w     scenarios.Writer
	r     *rand.Rand
	topic string
	n     int
	talk  io.Writer // is told of each that failed
}

// generate has n pieces written. A reply that is malformed or cut short is told and passed over; a
// call that fails ends the work with what there is.
func generate[T any](ctx context.Context, g *generation,
	write func(context.Context, scenarios.Writer, *rand.Rand, string, []string) (*T, error), library []T, key func(*T) (id, title string),
) ([]T, error) {
	ids := map[string]bool{}
	for i := range library {
		id, _ := key(&library[i])
		ids[id] = true
	}
	var made []T
	var titles []string
	for i := range g.n {
		piece, err := write(ctx, g.w, g.r, g.topic, titles)
		switch {
		case err != nil && (ctx.Err() != nil || llm.FaultOf(err) != ""):
			return made, err
		case err != nil:
			fmt.Fprintf(g.talk, "%d of %d: %v\n", i+1, g.n, err)
			continue
		}
		id, title := key(piece)
		if ids[id] {
			fmt.Fprintf(g.talk, "%d of %d: the id %s is taken by the library\n", i+1, g.n, id)
			continue
		}
		ids[id] = true
		made, titles = append(made, *piece), append(titles, title)
		fmt.Fprintf(g.talk, "%d of %d: %s\n", i+1, g.n, title)
	}
	return made, nil
}

func importSRD(c *cli.Context) error {
	if c.NArg() != 1 {
		return usagef("scenarios import srd takes one file, 5e-SRD-Magic-Items.json of the 5e-bits/5e-database collection")
	}
	file := c.Args().First()
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	pieces, skipped, err := scenarios.ImportSRD(f, file)
	if err != nil {
		return err
	}
	talk := c.App.Writer
	if c.String("out") == "" {
		talk = c.App.ErrWriter
	}
	if len(pieces) > 0 {
		dest, err := newOutput(c)
		if err != nil {
			return err
		}
		if err := errors.Join(scenarios.EncodeKnowledge(dest, pieces), dest.Close()); err != nil {
			return err
		}
	}
	facts := 0
	for _, k := range pieces {
		facts += len(k.Facts)
	}
	fmt.Fprintf(talk, "%d items: %d imported with %d facts, %d not used\n", len(pieces)+len(skipped), len(pieces), facts, len(skipped))
	var reasons []string
	by := map[string][]string{}
	for _, s := range skipped {
		if by[s.Reason] == nil {
			reasons = append(reasons, s.Reason)
		}
		by[s.Reason] = append(by[s.Reason], s.Item)
	}
	for _, reason := range reasons {
		fmt.Fprintf(talk, "%d: %s: %s\n", len(by[reason]), reason, strings.Join(by[reason], "; "))
	}
	if len(pieces) == 0 {
		return fmt.Errorf("%s: no item could be used", file)
	}
	return nil
}

// output is where YAML goes: standard output, or a new file that is removed again if nothing was
// written to it.
type output struct {
	io.Writer
	file    *os.File // nil for standard output
	written bool
}

// newOutput opens what --out names. It does not overwrite.
func newOutput(c *cli.Context) (*output, error) {
	name := c.String("out")
	if name == "" {
		return &output{Writer: c.App.Writer}, nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil, usagef("--out: %s exists already; name another file or remove it", name)
	}
	if err != nil {
		return nil, err
	}
	return &output{Writer: f, file: f}, nil
}

func (o *output) Write(p []byte) (int, error) {
	o.written = true
	return o.Writer.Write(p)
}

// Close ends the file. Closing twice does no harm.
func (o *output) Close() error {
	if o.file == nil {
		return nil
	}
	err := o.file.Close()
	if !o.written {
		err = errors.Join(err, os.Remove(o.file.Name()))
	}
	o.file = nil
	return err
}
