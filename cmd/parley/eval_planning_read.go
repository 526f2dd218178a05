package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/eval/planning"
)

func planningReadCommand() *cli.Command {
	return &cli.Command{
		Name:      "read",
		Usage:     "read actions and properties out of free answers",
		ArgsUsage: "FILE.jsonl",
		Description: "Each line of the file is {\"id\":..., \"domain\":..., \"problem\" or \"objects\":..., \"task\":..., \"raw\":...}. The\n" +
			"domain is blocksworld, depots or the text of a PDDL domain, the problem is the text of a PDDL problem,\n" +
			"and objects is a list such as [\"b1\", \"b2\"] or [\"crate0 - crate\"]. The task is one of applicable,\n" +
			"state, positive, negative, after and plan. \"cut\": true says that the reply was cut off. For each line\n" +
			"one object is printed: id, status, items with their classes, and unread lines with the reason.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print one object with `results` and counts by status and class"}},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usagef("read takes one file: parley eval planning read FILE.jsonl")
			}
			in, err := openInput(c, c.Args().First())
			if err != nil {
				return err
			}
			defer in.Close()
			return planningRead(c, in, c.Args().First())
		},
	}
}

// answerIn is a line to read, and answerOut what was read of it. Both are documented interfaces.
type answerIn struct {
	ID     json.RawMessage `json:"id"`
	Raw    string          `json:"raw"`
	Cut    bool            `json:"cut"`
	Task   planning.Task   `json:"task"`
	Domain string          `json:"domain"`
	planning.Vocabulary
}

type answerOut struct {
	ID json.RawMessage `json:"id"`
	planning.Reading
}

func planningRead(c *cli.Context, in io.Reader, name string) error {
	report := struct {
		Results  []answerOut             `json:"results"`
		Statuses map[planning.Status]int `json:"statuses"`
		Classes  map[planning.Class]int  `json:"classes"`
	}{[]answerOut{}, map[planning.Status]int{}, map[planning.Class]int{}}
	out := json.NewEncoder(c.App.Writer)
	out.SetEscapeHTML(false)
	readers := map[string]*planning.Reader{}
	lines := bufio.NewReader(in)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if len(strings.TrimSpace(string(line))) > 0 {
			got, rerr := readAnswer(readers, line)
			if rerr != nil {
				return fmt.Errorf("%s:%d: %w", name, n, rerr)
			}
			report.Statuses[got.Status]++
			for _, i := range got.Items {
				report.Classes[i.Class]++
			}
			if c.Bool("json") {
				report.Results = append(report.Results, got)
			} else if werr := out.Encode(got); werr != nil {
				return werr
			}
		}
		if err == io.EOF {
			break
		}
	}
	if c.Bool("json") {
		return out.Encode(report)
	}
	return nil
}

func readAnswer(readers map[string]*planning.Reader, line []byte) (answerOut, error) {
	var in answerIn
	if err := json.Unmarshal(line, &in); err != nil {
		return answerOut{}, fmt.Errorf("want a JSON object with id, domain, problem or objects, task and raw: %w", err)
	}
	if !slices.Contains(planning.Tasks, in.Task) {
		return answerOut{}, fmt.Errorf("task %q is not one of %v", in.Task, planning.Tasks)
	}
	key := in.Domain + "\x00" + in.Problem + "\x00" + string(in.Objects)
	r := readers[key]
	if r == nil {
		var err error
		if r, err = in.Vocabulary.Reader(in.Domain); err != nil {
			return answerOut{}, err
		}
		readers[key] = r
	}
	return answerOut{in.ID, r.Read(in.Task, in.Raw, in.Cut)}, nil
}
