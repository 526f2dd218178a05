package main

import (
	"cmp"
	"fmt"
	"io"

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
	files, err := corpora.Open(names, c.String("names"), c.String("windows") == "stretch")
	if err != nil {
		return err
	}
	tally := &corpora.Tally{}
	did, err := corpora.ImportTo(c.Context, out, format, files, tally)
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
	if err != nil {
		return err
	}
	return output(c, did, func(io.Writer) error { return did.Print(c.App.ErrWriter) })
}
