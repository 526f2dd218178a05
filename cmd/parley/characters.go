package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"parley/characters"
)

func charactersCommand() *cli.Command {
	return &cli.Command{
		Name:  "characters",
		Usage: "make, list, show and check characters",
		Subcommands: []*cli.Command{
			{
				Name:      "generate",
				Usage:     "draw a cast and print it as YAML",
				ArgsUsage: " ",
				Flags: []cli.Flag{
					&cli.IntFlag{Name: "n", Value: 4, Usage: "`N` characters, no two names alike"},
					&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` that all randomness comes from"},
					&cli.StringFlag{Name: "writer", Usage: "`MODEL` that names and describes them, such as ollama:llama3.2:1b"},
					&cli.StringFlag{Name: "out", Usage: "`FILE` to write to instead of standard output"},
				},
				Action: generateCharacters,
			},
			{
				Name:      "list",
				Usage:     "list the built-in library",
				ArgsUsage: " ",
				Flags:     []cli.Flag{jsonFlag()},
				Action:    listCharacters,
			},
			{
				Name:      "show",
				Usage:     "print a character of the library, or those of a file, secrets included",
				ArgsUsage: "ID|NAME|FILE",
				Flags:     []cli.Flag{jsonFlag(), &cli.BoolFlag{Name: "yaml", Usage: "print a file to start from, which reads back"}},
				Action:    showCharacters,
			},
			{
				Name:      "validate",
				Usage:     "check files of characters and print what is wrong with them, one finding a line",
				ArgsUsage: "FILE...",
				Action:    validateCharacters,
			},
		},
	}
}

// castList is what --json prints.
type castList struct {
	Characters []*characters.Sheet `json:"characters"`
}

func listCharacters(c *cli.Context) error {
	library := characters.Library()
	if c.Bool("json") {
		return printJSON(c.App.Writer, castList{library})
	}
	tab := tabwriter.NewWriter(c.App.Writer, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tab, "ID\tNAME\tRACE\tCLASS\tLEVEL\tBACKGROUND\tALIGNMENT")
	for _, s := range library {
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", s.ID, s.Name, s.Race, s.Class, s.Level, s.Background, s.Alignment)
	}
	return tab.Flush()
}

func showCharacters(c *cli.Context) error {
	sheets, err := findCharacters(c.Args().First())
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, castList{sheets})
	}
	if c.Bool("yaml") {
		return characters.Encode(c.App.Writer, sheets)
	}
	for i, s := range sheets {
		if i > 0 {
			fmt.Fprintln(c.App.Writer)
		}
		if err := s.Print(c.App.Writer); err != nil {
			return err
		}
	}
	return nil
}

// findCharacters returns a character of the library by its ID or name, or those of a file.
func findCharacters(name string) ([]*characters.Sheet, error) {
	for _, s := range characters.Library() {
		if string(s.ID) == name || s.Name == name {
			return []*characters.Sheet{s}, nil
		}
	}
	sheets, err := readCharacters(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("no character %q in the library and no such file; parley characters list prints the library's ids", name)
	}
	return sheets, err
}

func readCharacters(name string) ([]*characters.Sheet, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return characters.Read(file, name)
}

func validateCharacters(c *cli.Context) error {
	findings, broken := 0, 0
	for _, name := range c.Args().Slice() {
		sheets, err := readCharacters(name)
		if err == nil {
			fmt.Fprintf(c.App.ErrWriter, "%s: fine, characters: %d\n", name, len(sheets))
			continue
		}
		broken++
		all := []error{err}
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			all = joined.Unwrap()
		}
		for _, finding := range all {
			fmt.Fprintln(c.App.Writer, finding)
			findings++
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d of %d files are not in order, findings: %d", broken, c.NArg(), findings)
	}
	return nil
}
