package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/judge"
)

func evalJudgeCheckCommand() *cli.Command {
	return &cli.Command{
		Name:  "judge-check",
		Usage: "check how judges' replies are read, and how well judges judge",
		Subcommands: []*cli.Command{
			judgeCheckReadCommand(),
			judgeCheckIEPCommand(),
			judgeCheckInjectCommand(),
		},
		Action: func(c *cli.Context) error {
			return usagef("judge-check needs one of its commands, such as: parley eval judge-check read FILE.jsonl")
		},
	}
}

func judgeCheckReadCommand() *cli.Command {
	return &cli.Command{
		Name:      "read",
		Usage:     "read verdicts out of replies",
		ArgsUsage: "FILE.jsonl",
		Description: "Each line of the file is {\"id\":..., \"raw\":..., \"offered\":...}: a reply, and the JSON schema of\n" +
			"the verdicts that were offered; without a schema any object or scalar verdict counts. For each\n" +
			"line one JSON object is printed: id, status (scored or unparsed), value, reason, method; and keys,\n" +
			"where single labels of an unparsed object could be read. FILE may be - for the standard input.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print one object with `results`, scored, unparsed and of"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usagef("judge-check read takes one file: parley eval judge-check read FILE.jsonl")
			}
			name := c.Args().First()
			in, err := openInput(c, name)
			if err != nil {
				return err
			}
			defer in.Close()
			report := readReport{Results: []readLine{}}
			out := json.NewEncoder(c.App.Writer)
			out.SetEscapeHTML(false)
			err = eachReply(in, name, func(line readLine) error {
				report.Of++
				if line.Status == eval.Scored {
					report.Scored++
				} else {
					report.Unparsed++
				}
				if c.Bool("json") {
					report.Results = append(report.Results, line)
					return nil
				}
				return out.Encode(line)
			})
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return out.Encode(report)
			}
			fmt.Fprintf(c.App.ErrWriter, "%d scored, %d unparsed of %d\n", report.Scored, report.Unparsed, report.Of)
			return nil
		},
	}
}

// readLine is what was read out of one reply.
type readLine struct {
	ID     json.RawMessage     `json:"id"`
	Status eval.Status         `json:"status"`
	Value  json.RawMessage     `json:"value"`
	Reason string              `json:"reason"`
	Method string              `json:"method"`
	Keys   map[string]readLine `json:"keys,omitempty"`
}

type readReport struct {
	Results  []readLine `json:"results"`
	Scored   int        `json:"scored"`
	Unparsed int        `json:"unparsed"`
	Of       int        `json:"of"`
}

// openInput opens a file, or the standard input for "-".
func openInput(c *cli.Context, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(c.App.Reader), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	return f, nil
}

// eachReply reads replies line by line, without a limit on the length of a line.
func eachReply(r io.Reader, name string, yield func(readLine) error) error {
	in := bufio.NewReader(r)
	schemas := map[string]*judge.Schema{}
	for n := 1; ; n++ {
		text, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			var row struct {
				ID      json.RawMessage `json:"id"`
				Raw     *string         `json:"raw"`
				Offered json.RawMessage `json:"offered"`
			}
			if bad := json.Unmarshal(text, &row); bad != nil {
				return fmt.Errorf("%s:%d: %w; a line is one JSON object {\"id\":..., \"raw\":\"...\", \"offered\":{...}}", name, n, bad)
			}
			if row.Raw == nil {
				return fmt.Errorf("%s:%d: there is no \"raw\"; it holds the judge's reply as a string", name, n)
			}
			var offered *judge.Schema
			if key := string(row.Offered); key != "" && key != "null" {
				var bad error
				if offered = schemas[key]; offered == nil {
					if offered, bad = judge.ParseSchema(row.Offered); bad != nil {
						return fmt.Errorf("%s:%d: %w; \"offered\" is a JSON schema, or left out", name, n, bad)
					}
					schemas[key] = offered
				}
			}
			if row.ID == nil {
				row.ID = json.RawMessage("null")
			}
			if bad := yield(lineOf(row.ID, judge.Read(*row.Raw, offered))); bad != nil {
				return bad
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

func lineOf(id json.RawMessage, r judge.Reading) readLine {
	line := readLine{ID: id, Status: r.Status, Value: r.Value, Reason: r.Reason, Method: r.Method}
	if r.Status == eval.Scored {
		return line
	}
	for key, one := range r.Keys {
		if line.Keys == nil {
			line.Keys = map[string]readLine{}
		}
		id, err := json.Marshal(key)
		if err != nil {
			continue
		}
		line.Keys[key] = lineOf(id, one)
	}
	return line
}
