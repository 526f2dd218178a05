package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/report"
	"parley/eval/run"
	"parley/eval/session"
	"parley/logs"
)

// confidence is the level of every interval.
const confidence = eval.Confidence

func jsonFlag() cli.Flag { return &cli.BoolFlag{Name: "json", Usage: "print one JSON object"} }

func allFlag() cli.Flag {
	return &cli.BoolFlag{Name: "all", Usage: "print every result, also of several arms"}
}

// answer is the JSON form of results. It is a documented interface.
type answer struct {
	Run      string            `json:"run,omitempty"`
	Sessions map[run.State]int `json:"sessions,omitempty"`
	Results  []eval.Result     `json:"results"`
}

// output prints a value as one JSON object where --json asks for it, else as a text.
func output(c *cli.Context, value any, text func(w io.Writer) error) error {
	if c.Bool("json") {
		return printJSON(c.App.Writer, value)
	}
	return text(c.App.Writer)
}

// text returns what prints a value as its String method writes it.
func text(value fmt.Stringer) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, value.String()); return err }
}

// printJSON prints one object and nothing else.
func printJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

// printAnswer prints results as a table, or with --json as one object.
func printAnswer(c *cli.Context, results []eval.Result) error {
	return output(c, answer{Results: results}, func(w io.Writer) error { return report.Results(w, results) })
}

// writeTo writes to the file that --out names, whole or not at all, or to the standard output. What is incomplete
// but usable is written too.
func writeTo(c *cli.Context, write func(io.Writer) error) error {
	name := c.String("out")
	if name == "" {
		return write(c.App.Writer)
	}
	var b bytes.Buffer
	bad := write(&b)
	var partial partialError
	if bad != nil && !errors.As(bad, &partial) {
		return bad
	}
	return cmp.Or(logs.WriteFile(name, b.Bytes()), bad)
}

// openInput opens a file, or the standard input for "-".
func openInput(c *cli.Context, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(c.App.Reader), nil
	}
	return os.Open(name)
}

// tell returns a function that prints a line to the standard error.
func tell(c *cli.Context) func(format string, args ...any) {
	return func(format string, args ...any) { fmt.Fprintf(c.App.ErrWriter, format+"\n", args...) }
}

// visible shows control characters, which foreign text may hold, instead of sending them to a terminal.
func visible(s string) string { return session.Visible(s) }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
