package main

import (
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/characters/yamlfile"
)

// page is the page that holds the help text of every command.
//
//go:embed README.md
var page string

// sections divides the reference page by command: "parley eval stat".
func sections() map[string]string {
	list := map[string]string{}
	for _, part := range strings.Split(page, "\n### ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		text, _, _ = strings.Cut(text, "\n## ")
		list[name] = strings.TrimSpace(text)
	}
	return list
}

var example = regexp.MustCompile("(?s)```sh\n(.*?)```")

// helpText turns a section of the reference page into what --help prints: the text, then the examples.
func helpText(section string) string {
	text := example.ReplaceAllStringFunc(section, func(block string) string {
		lines := strings.TrimSpace(example.FindStringSubmatch(block)[1])
		return "Example:\n  " + strings.ReplaceAll(lines, "\n", "\n  ")
	})
	return strings.ReplaceAll(text, "`", "")
}

// settle gives every command what all have in common: its help text, how wrong use is reported, and checks of the
// number of arguments and of required flags.
func settle(table []*cli.Command, parent string) {
	texts := sections()
	for _, command := range table {
		command.OnUsageError = onUsageError
		path := parent + " " + command.Name
		command.Description = helpText(texts[path])
		if len(command.Subcommands) > 0 {
			command.Action = func(c *cli.Context) error { return unknownCommand(path, command.Subcommands, c.Args().First()) }
			settle(command.Subcommands, path)
			_, first, _ := strings.Cut(command.Subcommands[0].Description, "Example:")
			command.Description = "Example:" + first
			continue
		}
		if command.ArgsUsage == "" {
			command.ArgsUsage = " " // else cli makes one up
		}
		action := command.Action
		command.Action = func(c *cli.Context) error {
			if err := checkUse(c); err != nil {
				return err
			}
			return action(c)
		}
	}
}

// checkUse compares a command line with the arguments that the command's usage names, such as "DIR [FILE...]", and
// with the flags whose usage ends in (required).
func checkUse(c *cli.Context) error {
	least, most := 0, 0
	for word := range strings.FieldsSeq(c.Command.ArgsUsage) {
		if !strings.HasPrefix(word, "[") {
			least++
		}
		if most++; strings.Contains(word, "...") {
			most = math.MaxInt32
		}
	}
	if n := c.NArg(); n < least || n > most {
		takes := c.Command.ArgsUsage
		if most == 0 {
			takes = "flags only"
		}
		return usagef("%s takes %s, and got %s; see %[1]s --help", c.Command.HelpName, takes, argumentsOf(c))
	}
	for _, flag := range c.Command.Flags {
		doc, ok := flag.(cli.DocGenerationFlag)
		if name := flag.Names()[0]; ok && strings.HasSuffix(doc.GetUsage(), "(required)") && (!c.IsSet(name) || c.Value(name) == "") {
			usage := strings.ReplaceAll(strings.TrimSuffix(doc.GetUsage(), " (required)"), "`", "")
			return usagef("%s needs --%s: %s", c.Command.HelpName, name, usage)
		}
	}
	return nil
}

func argumentsOf(c *cli.Context) string {
	switch n := c.NArg(); n {
	case 0:
		return "none"
	case 1:
		return c.Args().First()
	default:
		return fmt.Sprintf("%d arguments", n)
	}
}

// unknownTopic is the error of help on a command that does not exist.
func unknownTopic(table []*cli.Command, words []string) error {
	of := ""
	for _, word := range words {
		at := slices.IndexFunc(table, func(c *cli.Command) bool { return c.HasName(word) })
		switch {
		case word == "help" || word == "h":
		case at < 0:
			return unknownCommand("parley"+of, table, word)
		default:
			table, of = table[at].Subcommands, of+" "+word
		}
	}
	return unknownCommand("parley"+of, table, "")
}

// unknownCommand is the error of a command that does not exist below another, or that was not named.
func unknownCommand(of string, table []*cli.Command, name string) error {
	var names, deeper []string
	for _, command := range table {
		if !command.Hidden && command.Name != "help" {
			names = append(names, command.Name)
		}
		for _, below := range command.Subcommands {
			if below.Name == name {
				deeper = append(deeper, command.Name+" "+name)
			}
		}
	}
	if name == "" {
		return usagef("%s needs a command: %s", of, strings.Join(names, ", "))
	}
	near := yamlfile.DidYouMean(name, names)
	if near == "" && deeper != nil {
		near = fmt.Sprintf("did you mean %s? ", strings.Join(deeper, " or "))
	}
	return usagef("%s: no such command: %s; %scommands are %s", of, name, near, strings.Join(names, ", "))
}

// onUsageError reports wrong flags, with the flag that may have been meant.
func onUsageError(c *cli.Context, err error, _ bool) error {
	text := err.Error()
	name, unknown := strings.CutPrefix(text, "flag provided but not defined: -")
	if !unknown {
		for _, flag := range c.Command.Flags {
			form := ""
			switch flag.(type) {
			case *cli.IntFlag, *cli.Int64Flag, *cli.Uint64Flag:
				form = "a whole number"
			case *cli.Float64Flag:
				form = "a number"
			case *cli.DurationFlag:
				form = "a time with its unit, such as 90s or 30m"
			}
			if value, bad := strings.CutSuffix(text, " for flag -"+flag.Names()[0]+": parse error"); bad && form != "" {
				return usagef("--%s takes %s, and got %s", flag.Names()[0], form, strings.TrimPrefix(value, "invalid value "))
			}
		}
		return usageError{err}
	}
	name = strings.TrimLeft(name, "-")
	var known []string
	for _, flag := range slices.Concat(c.Command.Flags, []cli.Flag{noColour}) {
		known = append(known, flag.Names()...)
	}
	near := yamlfile.DidYouMean(name, known)
	if near != "" {
		near = strings.Replace(near, "mean ", "mean --", 1)
	}
	return usagef("%s has no flag --%s; %ssee %[1]s --help", c.Command.HelpName, name, near)
}
