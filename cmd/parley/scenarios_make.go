package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/characters/yamlfile"
	"parley/scenarios"
	"parley/sim/llm"
)

func generateScenarios(c *cli.Context) error {
	kind, err := writable(c.String("kind"))
	n, spec := c.Int("n"), c.String("model")
	switch {
	case c.Args().Present():
		return usagef("scenarios generate takes no arguments, but there is %q", c.Args().First())
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
	seed := c.Uint64("seed")
	pieces, err := generate(c.Context, &generation{
		kind: kind, w: writer(m, spec, int64(seed)), r: rand.New(rand.NewPCG(seed, 0)),
		topic: c.String("topic"), n: n, talk: c.App.ErrWriter,
	})
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

// writable returns the kind of scenario whose pieces are called so, of those that a model can write.
func writable(piece string) (*scenarios.Kind, error) {
	var known []string
	for _, k := range scenarios.Kinds() {
		if k.Generate == nil {
			continue
		}
		if k.Piece == piece {
			return k, nil
		}
		known = append(known, k.Piece)
	}
	return nil, usagef("--kind %q: write %s", piece, strings.Join(known, " or "))
}

// generation says what a model is to write.
type generation struct {
	kind  *scenarios.Kind
	w     scenarios.Writer
	r     *rand.Rand
	topic string
	n     int
	talk  io.Writer // receives a line for each piece, and for each reply that was of no use
}

// generate has n pieces written. A reply that is malformed or cut short is reported and passed over; a
// call that fails ends the work with what there is.
func generate(ctx context.Context, g *generation) ([]scenarios.Piece, error) {
	ids := map[string]bool{}
	for _, p := range g.kind.Library() {
		ids[p.Head().ID] = true
	}
	var made []scenarios.Piece
	var titles []string
	for i := range g.n {
		piece, err := g.kind.Generate(ctx, g.w, g.r, g.topic, titles)
		switch {
		case err != nil && (ctx.Err() != nil || llm.FaultOf(err) != ""):
			return made, err
		case err != nil:
			fmt.Fprintf(g.talk, "%d of %d: %v\n", i+1, g.n, err)
			continue
		}
		h := piece.Head()
		if ids[h.ID] {
			fmt.Fprintf(g.talk, "%d of %d: the id %s is taken by the library\n", i+1, g.n, h.ID)
			continue
		}
		ids[h.ID] = true
		made, titles = append(made, piece), append(titles, h.Title)
		fmt.Fprintf(g.talk, "%d of %d: %s\n", i+1, g.n, h.Title)
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
		if err := outFree(c); err != nil {
			return err
		}
		if err := writePieces(c, pieces); err != nil {
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

// outFree reports a file of --out that exists already, which is not overwritten.
func outFree(c *cli.Context) error {
	name := c.String("out")
	if _, err := os.Lstat(name); name != "" && err == nil {
		return usagef("--out: %s exists already; name another file or remove it", name)
	}
	return nil
}

// writePieces writes YAML to the file of --out, which may not exist, or to standard output.
func writePieces[T any](c *cli.Context, pieces []T) error {
	var b bytes.Buffer
	if err := yamlfile.Encode(&b, pieces); err != nil {
		return err
	}
	name := c.String("out")
	if name == "" {
		_, err := c.App.Writer.Write(b.Bytes())
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(b.Bytes())
	return errors.Join(err, f.Close())
}
