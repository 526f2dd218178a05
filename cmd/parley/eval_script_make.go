package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/judge"
	"parley/eval/script"
	"parley/sim/llm"
)

func generateScriptTasks(c *cli.Context) error {
	if c.NArg() > 1 {
		return usagef("tasks generate takes one file at most, and got %d", c.NArg())
	}
	if name := c.String("reviewed"); name != "" {
		tasks, dropped, err := readReview(name)
		if err != nil {
			return err
		}
		if err := writeTo(c, func(w io.Writer) error { return script.WriteTasks(w, tasks) }); err != nil {
			return err
		}
		fmt.Fprintf(c.App.ErrWriter, "%d tasks are kept, %d are not\n", len(tasks), dropped)
		return nil
	}
	spec := c.String("model")
	if spec == "" {
		return usagef("tasks generate needs a --model MODEL")
	}
	depth := c.Int("depth")
	if depth < 1 || depth > 3 {
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
	j := &judge.Judge{Model: m, Name: spec, Now: time.Now, Trusting: c.Bool("trusting")}
	j.Sampling.NumCtx = registry().Defaults(spec).Context
	warm := 0.7
	j.Sampling.Temperature = &warm
	var tasks []script.Task
	reasons, failed := map[string]int{}, 0
	for _, a := range list {
		for d := 1; d <= depth; d++ {
			t, status, reason, calls, err := script.Construct(c.Context, j, fmt.Sprintf("%s-%d", a.id, d), a.topic, a.text, d, c.Uint64("seed"))
			if err == nil {
				err = llm.OutOfReach(calls)
			}
			if err != nil {
				return err
			}
			if status != eval.Scored {
				failed++
				reasons[reason]++
				continue
			}
			tasks = append(tasks, t)
		}
	}
	if name := c.String("review"); name != "" {
		if err := writeReview(name, tasks); err != nil {
			return err
		}
	}
	if err := writeTo(c, func(w io.Writer) error { return script.WriteTasks(w, tasks) }); err != nil {
		return err
	}
	fmt.Fprintf(c.App.ErrWriter, "%d tasks were made of %d\n", len(tasks), len(list)*depth)
	if failed > 0 {
		return partialf("%d tasks could not be made: %s", failed, eval.Tallied(reasons))
	}
	return nil
}

// writeReview writes a sheet for people to look through.
func writeReview(name string, tasks []script.Task) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	err = w.Write(reviewHead)
	for i := range tasks {
		t := &tasks[i]
		record := []string{"", t.ID, t.Topic, t.Abstract}
		for at := range 3 {
			text := ""
			if at < len(t.Constraints) {
				text = t.Constraints[at]
			}
			record = append(record, text)
		}
		if err == nil {
			err = w.Write(append(record, t.Specific, ""))
		}
	}
	w.Flush()
	for _, e := range []error{err, w.Error(), f.Close()} {
		if e != nil {
			return fmt.Errorf("write %s: %w", name, e)
		}
	}
	return nil
}

// readReview reads a filled-in sheet, in which people may also have mended the texts.
func readReview(name string) (tasks []script.Task, dropped int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	in := csv.NewReader(f)
	in.FieldsPerRecord = len(reviewHead)
	records, err := in.ReadAll()
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", name, err)
	}
	if len(records) == 0 || strings.TrimPrefix(records[0][0], "\uFEFF") != reviewHead[0] {
		return nil, 0, fmt.Errorf("%s is no sheet of tasks: its first line is %s", name, strings.Join(reviewHead, ","))
	}
	for n, r := range records[1:] {
		switch strings.ToLower(strings.TrimSpace(r[0])) {
		case "yes", "y", "1", "true", "x", "keep":
		case "no", "n", "0", "false", "drop":
			dropped++
			continue
		default:
			return nil, 0, fmt.Errorf("%s: task %d (%s): keep is %q; say yes or no", name, n+1, r[1], r[0])
		}
		t := script.Task{ID: r[1], Topic: r[2], Abstract: r[3], Specific: r[7]}
		for _, text := range r[4:7] {
			if text = strings.TrimSpace(text); text != "" {
				t.Constraints = append(t.Constraints, text)
			}
		}
		if err := t.Validate(); err != nil {
			return nil, 0, fmt.Errorf("%s: task %d: %w", name, n+1, err)
		}
		tasks = append(tasks, t)
	}
	return tasks, dropped, nil
}
