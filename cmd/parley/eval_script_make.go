package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/judge"
	"parley/eval/script"
	"parley/logs"
	"parley/sim/llm"
)

func generateScriptTasks(c *cli.Context) error {
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
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	rows := [][]string{reviewHead}
	for i := range tasks {
		t := &tasks[i]
		three := append(slices.Clone(t.Constraints), "", "", "")[:3]
		rows = append(rows, slices.Concat([]string{"", t.ID, t.Topic, t.Abstract}, three, []string{t.Specific, ""}))
	}
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	return logs.WriteFile(name, b.Bytes())
}

// readReview reads a filled-in sheet, in which people may also have put the texts right.
func readReview(name string) (tasks []script.Task, dropped int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	err = eval.EachRow(f, name, func(has map[string]bool) error {
		for _, column := range reviewHead {
			if !has[column] {
				return fmt.Errorf("it is no sheet of tasks: the columns are %s", strings.Join(reviewHead, ","))
			}
		}
		return nil
	}, func(cell func(string) string) error {
		t := script.Task{ID: cell("id"), Topic: cell("topic"), Abstract: cell("abstract"), Specific: cell("specific task")}
		switch strings.ToLower(cell("keep")) {
		case "yes", "y", "1", "true", "x", "keep":
		case "no", "n", "0", "false", "drop":
			dropped++
			return nil
		default:
			return fmt.Errorf("task %s: keep is %q; say yes or no", t.ID, cell("keep"))
		}
		for at := range 3 {
			if text := cell(fmt.Sprintf("constraint %d", at+1)); text != "" {
				t.Constraints = append(t.Constraints, text)
			}
		}
		tasks = append(tasks, t)
		return t.Validate()
	})
	return tasks, dropped, err
}
