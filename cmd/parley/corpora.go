package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/eval/ieg/corpora"
	"parley/logs"
)

// corporaCommand turns real people's play into windows.
func corporaCommand() *cli.Command {
	return &cli.Command{
		Name:  "corpora",
		Usage: "turn logs of real people's play into windows with their true intentions",
		Subcommands: []*cli.Command{{
			Name:      "import",
			Usage:     "read logs (plain or gzip) and write windows, one JSON object a line",
			ArgsUsage: "FORMAT FILE...",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "out", Usage: "the new `FILE` of windows; required without --names-template"},
				&cli.StringFlag{Name: "windows", Value: "moves", Usage: "`HOW` is moves (a window ends before a check) or stretch (a stretch of 30 lines with every check in it, for eval ieg --windows stretch)"},
				&cli.StringFlag{Name: "names", Usage: "`FILE` that says who the DM is and who plays whom"},
				&cli.StringFlag{Name: "names-template", Usage: "write the speakers of the logs to a new `FILE`, a names file to fill in; --out can then be left out"},
				jsonFlag(),
			},
			Action: importCorpora,
		}},
	}
}

// checkImport refuses command lines that say something wrong.
func checkImport(c *cli.Context, format string, names []string, out, template string) error {
	switch {
	case format != "windows" && corpora.Readers[format] == nil:
		return usagef("there is no format %s: take crd3, avrae, windows, foundry or roll20", format)
	case out == "" && template == "":
		return usagef("say with --out which file to write")
	case len(names) == 0:
		return usagef("say which files to import")
	case format == "windows" && (c.IsSet("names") || template != ""):
		return usagef("--names is for logs: windows have their characters' names")
	case c.String("windows") != "moves" && (c.String("windows") != "stretch" || format == "windows"):
		return usagef("--windows is moves or stretch, and windows are cut already")
	}
	for _, file := range []string{out, template} {
		if file != "" && exists(file) {
			return fmt.Errorf("%s exists already: take another name, or remove it", file)
		}
	}
	return nil
}

func importCorpora(c *cli.Context) error {
	format, names := c.Args().First(), c.Args().Tail()
	out, template := c.String("out"), c.String("names-template")
	if err := checkImport(c, format, names, out, template); err != nil {
		return err
	}
	var files []corpora.File
	for _, name := range names {
		people, err := readPeople(name, c.String("names"))
		if err != nil {
			return err
		}
		files = append(files, corpora.File{Name: name, Group: groupOf(name), Content: &onDemand{path: name}, People: people, Stretch: c.String("windows") == "stretch"})
	}
	tally := &corpora.Tally{}
	did, err := writeWindows(c, out, format, files, tally)
	if template != "" {
		if len(tally.Players)+len(tally.Unknown)+len(tally.DMs) == 0 {
			return cmp.Or(err, fmt.Errorf("there are no speakers to write to %s", template))
		}
		if werr := logs.WriteFile(template, tally.Template()); werr != nil {
			return werr
		}
		fmt.Fprintf(c.App.ErrWriter, "%s: names to fill in\n", template)
		if out == "" {
			return nil
		}
	}
	switch {
	case err != nil:
		return err
	case c.Bool("json"):
		return printJSON(c.App.Writer, did)
	}
	return did.Print(c.App.ErrWriter)
}

// writeWindows imports all files into one, which is there only when all went well.
func writeWindows(c *cli.Context, out, format string, files []corpora.File, tally *corpora.Tally) (*corpora.Summary, error) {
	if out == "" {
		return corpora.Import(c.Context, io.Discard, format, files, tally)
	}
	var did *corpora.Summary
	var bad error
	err := logs.Replace(out, func(w io.Writer) error {
		did, bad = corpora.Import(c.Context, w, format, files, tally)
		return bad
	})
	if bad != nil || err != nil {
		return nil, cmp.Or(bad, err)
	}
	did.Out = out
	return did, nil
}

// onDemand is a file that is opened when it is read, and closed at its end.
type onDemand struct {
	path string
	f    *os.File
	err  error // that ended it
}

func (o *onDemand) Read(p []byte) (n int, err error) {
	switch {
	case o.err != nil:
		return 0, o.err
	case o.f == nil:
		if o.f, err = os.Open(o.path); err != nil {
			return 0, err
		}
	}
	if n, err = o.f.Read(p); err != nil {
		o.err = err
		o.f.Close()
	}
	return n, err
}

// readPeople reads the names file that is asked for, or the one beside the log.
func readPeople(file, names string) (corpora.People, error) {
	if names == "" {
		beside := filepath.Join(filepath.Dir(file), groupOf(file)+"_names.json")
		if !exists(beside) {
			return corpora.People{}, nil
		}
		names = beside
	}
	f, err := os.Open(names)
	if err != nil {
		return corpora.People{}, fmt.Errorf("read names: %w", err)
	}
	defer f.Close()
	return corpora.ReadPeople(f, names)
}

// groupOf names a file's session or episode: the file's name without endings.
func groupOf(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".gz")
	return strings.TrimSuffix(name, filepath.Ext(name))
}
