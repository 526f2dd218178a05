package main

import (
	"encoding/json"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/report"
)

// confidence is the level of every interval.
const confidence = eval.Confidence

// printJSON prints one object and nothing else.
func printJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

// printResults prints results as a table.
func printResults(w io.Writer, results []eval.Result) error { return report.Results(w, results) }

// printAnswer prints results as a table, or with --json as one object.
func printAnswer(c *cli.Context, results []eval.Result) error {
	if c.Bool("json") {
		return printJSON(c.App.Writer, answer{Results: results})
	}
	return printResults(c.App.Writer, results)
}

// unscored counts scores without a value.
func unscored(results []eval.Result) int { return report.Unscored(results) }

// shorten cuts a text that is too long for a line.
func shorten(s string, n int) string { return report.Shorten(s, n) }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
