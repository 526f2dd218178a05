package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"parley/eval/planning"
	"parley/logs"
)

// writeRows writes rows as Parquet where the name says so, else as JSON Lines.
func writeRows[T any](c *cli.Context, name string, rows []T) error {
	if filepath.Ext(name) == ".parquet" {
		each := func(yield func(T, error) bool) {
			for _, r := range rows {
				if !yield(r, nil) {
					return
				}
			}
		}
		_, err := logs.WriteParquet(name, each, logs.Meta{})
		return err
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	for _, r := range rows {
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	if name == "-" {
		_, err := c.App.Writer.Write(buf.Bytes())
		return err
	}
	return logs.WriteFile(name, buf.Bytes())
}

// printHistogram counts problems by domain and size, and by domain and cost.
func printHistogram(w io.Writer, problems []planning.Problem) error {
	type key struct {
		domain string
		value  int
	}
	sizes, costs := map[key]int{}, map[key]int{}
	for _, p := range problems {
		sizes[key{p.Domain, p.Size}]++
		costs[key{p.Domain, *p.Cost}]++
	}
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, part := range []struct {
		name   string
		counts map[key]int
	}{{"objects", sizes}, {"cost", costs}} {
		fmt.Fprintf(tab, "domain\t%s\tproblems\n", part.name)
		keys := slices.SortedFunc(maps.Keys(part.counts), func(a, b key) int {
			if a.domain != b.domain {
				return strings.Compare(a.domain, b.domain)
			}
			return a.value - b.value
		})
		for _, k := range keys {
			fmt.Fprintf(tab, "%s\t%d\t%d\n", k.domain, k.value, part.counts[k])
		}
	}
	return tab.Flush()
}
