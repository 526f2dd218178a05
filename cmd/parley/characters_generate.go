package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/urfave/cli/v2"

	"parley/characters"
	"parley/sim/llm"
)

func generateCharacters(c *cli.Context) error {
	n, seed, spec := c.Int("n"), c.Uint64("seed"), c.String("writer")
	switch {
	case n < 1:
		return usagef("--n %d: a cast has at least one character", n)
	}
	cast := characters.Generate(rand.New(rand.NewPCG(seed, 0)), n)
	by, refused := "", 0
	if spec != "" {
		m, err := openModel(c.Context, spec)
		if err != nil {
			return err
		}
		if refused, err = haveWritten(c.Context, writer(m, spec, int64(seed)), cast, c.App.ErrWriter); err != nil {
			return err
		}
		by = fmt.Sprintf(" --writer %q", spec)
	}
	err := writeTo(c, func(w io.Writer) error {
		fmt.Fprintf(w, "# parley characters generate --n %d --seed %d%s\n", n, seed, by)
		return characters.Encode(w, cast)
	})
	if err != nil {
		return err
	}
	if refused > 0 {
		return partialf("%d of %d characters kept the name and description of the built-in grammar, since what %s wrote was of no use", refused, n, spec)
	}
	return nil
}

// haveWritten has a model name and describe the cast, and returns for how many of them it failed;
// these stay as they are. It gives up only where asking for the next one is no use either.
func haveWritten(ctx context.Context, w characters.Writer, cast []*characters.Sheet, talk io.Writer) (refused int, err error) {
	for i, s := range cast {
		var taken []string
		for j, other := range cast {
			if i != j {
				taken = append(taken, other.Name)
			}
		}
		err := characters.Write(ctx, w, s, taken)
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return refused, ctx.Err()
		}
		switch llm.FaultOf(err) {
		case llm.Unreachable, llm.NotFound, llm.Denied, llm.BadRequest, llm.OverBudget, llm.Unsupported:
			return refused, err
		}
		refused++
		fmt.Fprintf(talk, "%v; the grammar's text stays\n", err)
	}
	return refused, nil
}
