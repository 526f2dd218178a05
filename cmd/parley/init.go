package main

import (
	"embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/characters"
	"parley/characters/yamlfile"
	"parley/eval/ieg/corpora"
	"parley/eval/session"
	"parley/eval/survey"
	"parley/eval/utility"
	"parley/logs"
	"parley/scenarios"
	"parley/sim/llm"
)

// templates are the experiment of parley init, and the completion scripts.
//
//go:embed templates
var templates embed.FS

func initCommand() *cli.Command {
	return &cli.Command{
		Name:      "init",
		Usage:     "write a commented experiment that runs as it is",
		ArgsUsage: "[DIR]",
		Action: func(c *cli.Context) error {
			dir := c.Args().First()
			file := filepath.Join(dir, "experiment.yaml")
			if exists(file) {
				return fmt.Errorf("%s exists: it is not overwritten", file)
			}
			if dir != "" {
				if err := os.MkdirAll(dir, 0o777); err != nil {
					return err
				}
			}
			names := []string{"experiment", "prices", "characters"}
			for _, kind := range scenarios.Kinds() {
				names = append(names, kind.Pieces)
			}
			for _, name := range names {
				text, err := schemaOf(name)
				if err == nil {
					err = logs.WriteFile(filepath.Join(dir, name+".schema.json"), text)
				}
				if err != nil {
					return err
				}
			}
			text, err := templates.ReadFile("templates/experiment.yaml")
			if err == nil {
				err = logs.WriteFile(file, text)
			}
			if err == nil {
				_, err = fmt.Fprintf(c.App.Writer, "%s is written, with schemas for editors. Run it with: parley run %[1]s\n", file)
			}
			return err
		},
	}
}

// completionFlag asks, as the last argument, for what could follow the arguments before it.
const completionFlag = "--generate-bash-completion"

// complete prints the subcommands that may follow the words of a command line, or its flags where the last word
// begins with a dash, one a line.
func complete(app *cli.App, words []string) error {
	table, flags := app.Commands, app.Flags
	for _, word := range words {
		if i := slices.IndexFunc(table, func(c *cli.Command) bool { return c.HasName(word) }); i >= 0 {
			table, flags = table[i].Subcommands, table[i].Flags
		}
	}
	var list []string
	if n := len(words); n > 0 && strings.HasPrefix(words[n-1], "-") {
		for _, flag := range flags {
			list = append(list, "--"+flag.Names()[0])
		}
		list = append(list, "--help")
	} else {
		for _, command := range table {
			list = append(list, command.Name)
		}
	}
	_, err := fmt.Fprintln(app.Writer, strings.Join(list, "\n"))
	return err
}

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print a completion script for bash, zsh or fish",
		ArgsUsage: "bash|zsh|fish",
		Action: func(c *cli.Context) error {
			shell := c.Args().First()
			text, err := templates.ReadFile("templates/" + shell)
			if err != nil {
				return usagef("there is no completion for %q: say bash, zsh or fish", shell)
			}
			_, err = c.App.Writer.Write(text)
			return err
		},
	}
}

func schemaCommand() *cli.Command {
	return &cli.Command{
		Name:      "schema",
		Usage:     "print the JSON schema of a file format, for editors",
		ArgsUsage: "NAME",
		Action: func(c *cli.Context) error {
			text, err := schemaOf(c.Args().First())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.App.Writer, "%s\n", text)
			return err
		},
	}
}

// fileFormat is a format of files that people write.
type fileFormat struct {
	value any
	list  bool // a file may hold a list of them
	docs  map[string]string
	words map[string][]string
}

// formatsOf lists the formats by name. The keys of an experiment are described by the flags of their names.
func formatsOf() map[string]fileFormat {
	docs := map[string]string{}
	for _, flag := range runCommand().Flags {
		docs[strings.ReplaceAll(flag.Names()[0], "-", "_")] = strings.ReplaceAll(flag.(cli.DocGenerationFlag).GetUsage(), "`", "")
	}
	skills := asTexts(characters.Skills())
	list := map[string]fileFormat{
		"experiment": {session.Config{}, false, docs, session.Words()},
		"prices":     {llm.PriceFile{}, false, nil, nil},
		"script":     {[]llm.Rule{}, false, nil, map[string][]string{"fault": llm.Faults(), "finish": llm.Finishes()}},
		"characters": {characters.Sheet{}, true, nil, map[string][]string{
			"race": characters.Races(), "class": characters.Classes(), "alignment": characters.Alignments(), "skills": skills,
		}},
		"names":  {corpora.NamesFile{}, false, nil, nil},
		"rubric": {survey.Rubric{}, false, nil, nil},
		"task":   {utility.Task{}, false, nil, nil},
		"criteria": {struct {
			Criteria []utility.Criterion `yaml:"criteria" doc:"required"`
		}{}, false, nil, nil},
	}
	for _, kind := range scenarios.Kinds() {
		list[kind.Pieces] = fileFormat{kind.New(), true, nil, kind.Words}
	}
	return list
}

func asTexts[T ~string](list []T) (texts []string) {
	for _, value := range list {
		texts = append(texts, string(value))
	}
	return texts
}

// schemaOf returns the JSON schema of a format.
func schemaOf(name string) ([]byte, error) {
	formats := formatsOf()
	format, ok := formats[name]
	if names := slices.Sorted(maps.Keys(formats)); !ok {
		return nil, usagef("there is no file format %q; %sformats are %s", name, yamlfile.DidYouMean(name, names), strings.Join(names, ", "))
	}
	return yamlfile.Schema("parley: "+name, format.value, format.list, format.docs, format.words)
}
