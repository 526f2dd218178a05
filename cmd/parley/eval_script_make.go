package main

import (
	"bytes"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/judge"
	"parley/eval/script"
	"parley/logs"
	"parley/sim/llm"
)

// reviewedTasks reads back a sheet that people filled in.
func reviewedTasks(c *cli.Context) error {
	in, err := openInput(c, c.String("reviewed"))
	if err != nil {
		return err
	}
	defer in.Close()
	tasks, dropped, err := script.ReadReview(in, c.String("reviewed"))
	if err == nil {
		err = writeTo(c, func(w io.Writer) error { return script.WriteTasks(w, tasks) })
	}
	if err == nil {
		tell(c)("%d tasks are kept, %d are not", len(tasks), dropped)
	}
	return err
}

func generateScriptTasks(c *cli.Context) error {
	if c.String("reviewed") != "" {
		return reviewedTasks(c)
	}
	spec, depth := c.String("model"), c.Int("depth")
	switch {
	case spec == "":
		return usagef("tasks generate needs a --model MODEL")
	case depth < 1 || depth > 3:
		return usagef("--depth %d: tasks have one to three constraints", depth)
	}
	list, err := abstractTasks(c)
	if err != nil {
		return err
	}
	m, err := openModel(c.Context, spec)
	if err != nil {
		return err
	}
	j := &judge.Judge{Model: m, Name: spec, Now: time.Now, Trusting: c.Bool("trusting"), Sampling: llm.Sampling{NumCtx: registry().Defaults(spec).Context, Temperature: new(0.7)}}
	tasks, failed, err := script.Make(c.Context, j, list, depth, c.Uint64("seed"))
	if err != nil {
		return err
	}
	if name := c.String("review"); name != "" {
		var sheet bytes.Buffer
		if err := script.WriteReview(&sheet, tasks); err != nil {
			return err
		}
		if err := logs.WriteFile(name, sheet.Bytes()); err != nil {
			return err
		}
	}
	if err := writeTo(c, func(w io.Writer) error { return script.WriteTasks(w, tasks) }); err != nil {
		return err
	}
	of := len(list) * depth
	tell(c)("%d tasks were made of %d", len(tasks), of)
	if len(tasks) < of {
		return partialf("%d tasks could not be made: %s", of-len(tasks), eval.Tallied(failed))
	}
	return nil
}

// abstractTasks reads abstract tasks, or takes those of the library.
func abstractTasks(c *cli.Context) ([]script.Abstract, error) {
	list := script.Abstracts()
	if name := c.Args().First(); name != "" {
		in, err := openInput(c, name)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		if list, err = script.ReadAbstracts(in, name); err != nil {
			return nil, err
		}
	}
	if n := c.Int("first"); n > 0 && n < len(list) {
		list = list[:n]
	}
	return list, nil
}
