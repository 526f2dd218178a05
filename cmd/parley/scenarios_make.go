package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/characters"
	"parley/characters/yamlfile"
	"parley/scenarios"
	"parley/sim/llm"
)

func generateScenarios(c *cli.Context) error {
	kind, err := writable(c.String("kind"))
	n, spec, seed := c.Int("n"), c.String("model"), c.Uint64("seed")
	switch {
	case err != nil:
		return err
	case n < 1:
		return usagef("--n %d: write a number from 1", n)
	case spec == "":
		return usagef("--model: name the model that writes, such as ollama:llama3.2 or openai:gpt-4.1-mini")
	}
	m, err := openModel(c.Context, spec)
	if err != nil {
		return err
	}
	if err := outFree(c); err != nil {
		return err
	}
	pieces, err := generate(c, kind, writer(m, spec, int64(seed)), rand.New(rand.NewPCG(seed, 0)), n)
	made := len(pieces)
	if made > 0 {
		err = errors.Join(err, writePieces(c, pieces))
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

// writable returns the kind of scenario whose pieces have the name, of those that a model can write.
func writable(piece string) (*scenarios.Kind, error) {
	var known []string
	for _, k := range scenarios.Kinds() {
		switch {
		case k.Generate == nil:
		case k.Piece == piece:
			return k, nil
		default:
			known = append(known, k.Piece)
		}
	}
	return nil, usagef("--kind %q: write %s", piece, strings.Join(known, " or "))
}

// generate asks a model for n pieces about --topic, and prints a line for each. A reply that is malformed or cut
// short is reported and passed over; a call that fails ends the work with the pieces so far.
func generate(c *cli.Context, kind *scenarios.Kind, w characters.Writer, r *rand.Rand, n int) ([]scenarios.Piece, error) {
	ids := map[string]bool{}
	for _, p := range kind.Library() {
		ids[p.Head().ID] = true
	}
	var made []scenarios.Piece
	var titles []string
	for i := range n {
		piece, err := kind.Generate(c.Context, w, r, c.String("topic"), titles)
		if err != nil && (c.Context.Err() != nil || llm.FaultOf(err) != "") {
			return made, err
		}
		line := ""
		switch {
		case err != nil:
			line = err.Error()
		case ids[piece.Head().ID]:
			line = fmt.Sprintf("the id %s is taken by the library", piece.Head().ID)
		default:
			h := piece.Head()
			line, ids[h.ID] = h.Title, true
			made, titles = append(made, piece), append(titles, h.Title)
		}
		fmt.Fprintf(c.App.ErrWriter, "%d of %d: %s\n", i+1, n, line)
	}
	return made, nil
}

func importSRD(c *cli.Context) error {
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
	if len(pieces) > 0 {
		if err := outFree(c); err != nil {
			return err
		}
		if err := writePieces(c, pieces); err != nil {
			return err
		}
	}
	facts, items := 0, map[string][]string{} // items left out, by reason
	for _, k := range pieces {
		facts += len(k.Facts)
	}
	for _, s := range skipped {
		items[s.Reason] = append(items[s.Reason], s.Item)
	}
	talk := c.App.Writer
	if c.String("out") == "" {
		talk = c.App.ErrWriter
	}
	fmt.Fprintf(talk, "%d items: %d imported with %d facts, %d not used\n", len(pieces)+len(skipped), len(pieces), facts, len(skipped))
	for _, reason := range slices.Sorted(maps.Keys(items)) {
		fmt.Fprintf(talk, "%d: %s: %s\n", len(items[reason]), reason, strings.Join(items[reason], "; "))
	}
	if len(pieces) == 0 {
		return fmt.Errorf("%s: no item could be used", file)
	}
	return nil
}

// outFree reports a file of --out that exists already, which is not overwritten.
func outFree(c *cli.Context) error {
	if name := c.String("out"); name != "" && exists(name) {
		return usagef("--out: %s exists already; name another file or remove it", name)
	}
	return nil
}

// writePieces writes YAML to the file of --out or to standard output.
func writePieces[T any](c *cli.Context, pieces []T) error {
	return writeTo(c, func(w io.Writer) error { return yamlfile.Encode(w, pieces) })
}
