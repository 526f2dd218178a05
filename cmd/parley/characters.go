package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"parley/characters"
	"parley/sim/llm"
)

func charactersCommand() *cli.Command {
	asJSON := &cli.BoolFlag{Name: "json", Usage: `print {"characters": [...]} instead`}
	return &cli.Command{
		Name:  "characters",
		Usage: "make, list, show and check characters",
		Subcommands: []*cli.Command{
			{
				Name:      "generate",
				Usage:     "draw a cast and print it as YAML",
				ArgsUsage: " ",
				Description: "Race, class, background and the rest are drawn from the rule tables. Names and descriptions\n" +
					"are made by the built-in grammar or, with --writer, by a model; where the model's reply is not\n" +
					"what it was asked for, the grammar's stays, which is counted, and the exit status is 3.",
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
				Flags:     []cli.Flag{asJSON},
				Action:    listCharacters,
			},
			{
				Name:      "show",
				Usage:     "print a character of the library, or those of a file, secrets included",
				ArgsUsage: "ID|FILE",
				Flags:     []cli.Flag{asJSON},
				Action:    showCharacters,
			},
			{
				Name:      "validate",
				Usage:     "check files of characters and print what is wrong with them, one finding a line",
				ArgsUsage: "FILE...",
				Action:    validateCharacters,
			},
		},
		Action: func(*cli.Context) error {
			return usagef("characters: say what to do: generate, list, show ID or show FILE, or validate FILE...")
		},
	}
}

func generateCharacters(c *cli.Context) error {
	n, seed, spec := c.Int("n"), c.Uint64("seed"), c.String("writer")
	switch {
	case c.NArg() > 0:
		return usagef("characters generate takes no arguments, and got %q; a number of characters is --n", c.Args().First())
	case n < 1:
		return usagef("--n %d: a cast has at least one character", n)
	}
	cast := characters.Generate(rand.New(rand.NewPCG(seed, 0)), n)
	by, refused := "", 0
	if spec != "" {
		m, err := openModel(c.Context, spec)
		if err != nil {
			return err
		}
		if refused, err = haveWritten(c.Context, writer(m, spec, int64(seed)), cast, c.App.ErrWriter); err != nil {
			return err
		}
		by = fmt.Sprintf(" --writer %q", spec)
	}
	var file bytes.Buffer
	fmt.Fprintf(&file, "# parley characters generate --n %d --seed %d%s\n", n, seed, by)
	if err := characters.Encode(&file, cast); err != nil {
		return err
	}
	if out := c.String("out"); out != "" {
		if err := os.WriteFile(out, file.Bytes(), 0o666); err != nil {
			return fmt.Errorf("write the characters: %w", err)
		}
	} else if _, err := c.App.Writer.Write(file.Bytes()); err != nil {
		return err
	}
	if refused > 0 {
		return partialf("%d of %d characters kept the name and description of the built-in grammar, since what %s wrote was of no use", refused, n, spec)
	}
	return nil
}

// haveWritten has a model name and describe the cast, and returns for how many of them it failed;
// these stay as they are. It gives up only where asking for the next one is no use either.
func haveWritten(ctx context.Context, w characters.Writer, cast []*characters.Sheet, talk io.Writer) (refused int, err error) {
	for i, s := range cast {
		var taken []string
		for j, other := range cast {
			if i != j {
				taken = append(taken, other.Name)
			}
		}
		err := characters.Write(ctx, w, s, taken)
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return refused, ctx.Err()
		}
		switch llm.FaultOf(err) {
		case llm.Unreachable, llm.NotFound, llm.Denied, llm.BadRequest, llm.OverBudget, llm.Unsupported:
			return refused, err
		}
		refused++
		fmt.Fprintf(talk, "%v; the grammar's text stays\n", err)
	}
	return refused, nil
}

// castList is what --json prints.
type castList struct {
	Characters []*characters.Sheet `json:"characters"`
}

func listCharacters(c *cli.Context) error {
	if c.NArg() > 0 {
		return usagef("characters list takes no arguments, and got %q; to see one, use characters show", c.Args().First())
	}
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
	if c.NArg() != 1 {
		return usagef("characters show takes one id or one file, and got %d", c.NArg())
	}
	sheets, err := findCharacters(c.Args().First())
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, castList{sheets})
	}
	for i, s := range sheets {
		if i > 0 {
			fmt.Fprintln(c.App.Writer)
		}
		if err := printSheet(c.App.Writer, s); err != nil {
			return err
		}
	}
	return nil
}

// findCharacters returns a character of the library, or those of a file.
func findCharacters(name string) ([]*characters.Sheet, error) {
	for _, s := range characters.Library() {
		if string(s.ID) == name {
			return []*characters.Sheet{s}, nil
		}
	}
	sheets, err := readCharacters(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no character %q in the library and no such file; parley characters list prints the library's ids", name)
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

// printSheet prints a character to be read by people.
func printSheet(w io.Writer, s *characters.Sheet) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n%s %s, level %d, %s, %s\n\n", s.Name, s.ID, s.Race, s.Class, s.Level, s.Background, s.Alignment)
	for i, ability := range []characters.Ability{characters.Strength, characters.Dexterity, characters.Constitution,
		characters.Intelligence, characters.Wisdom, characters.Charisma} {
		if i > 0 {
			b.WriteString("  ")
		}
		score := s.Abilities.Score(ability)
		fmt.Fprintf(&b, "%s %d (%+d)", strings.ToUpper(string(ability)), score, (score-10)>>1)
	}
	b.WriteString("\n\n")
	var skills []string
	for _, skill := range s.Skills {
		skills = append(skills, fmt.Sprintf("%s %+d", skill, s.Modifier(skill)))
	}
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-11s %s\n", label, hang(text, 12, 100))
		}
	}
	line("Skills", strings.Join(skills, ", "))
	line("Trait", s.Trait)
	line("Ideal", s.Ideal)
	line("Bond", s.Bond)
	line("Flaw", s.Flaw)
	line("Appearance", s.Appearance)
	line("Voice", s.Voice)
	for _, secret := range s.Secrets {
		line("Secret", secret)
	}
	fmt.Fprintf(&b, "\n%s\n", hang(s.Description, 0, 100))
	_, err := io.WriteString(w, b.String())
	return err
}

// hang breaks a text into lines of at most width letters, indented but for the first.
func hang(text string, indent, width int) string {
	var b strings.Builder
	column := indent
	for i, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

func validateCharacters(c *cli.Context) error {
	if c.NArg() == 0 {
		return usagef("characters validate takes at least one file")
	}
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
