package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// commands is the table of everything that parley can do.
func commands() []*cli.Command {
	return []*cli.Command{
		initCommand(),
		runCommand(),
		resumeCommand(),
		scoreCommand(),
		showCommand(),
		viewCommand(),
		compareCommand(),
		runsCommand(),
		verifyCommand(),
		reportCommand(),
		promptsCommand(),
		charactersCommand(),
		scenariosCommand(),
		finetuneCommand(),
		corporaCommand(),
		benchCommand(),
		schemaCommand(),
		completionCommand(),
		{
			Name:  "eval",
			Usage: "judges, statistics and measures by themselves",
			Subcommands: []*cli.Command{
				evalStatCommand(),
				evalJudgeCheckCommand(),
				evalAnnotateCommand(),
				evalScriptCommand(),
				evalSurveyCommand(),
				evalIEGCommand(),
				evalUtilityCommand(),
				evalPlanningCommand(),
			},
		},
		versionCommand(),
	}
}

// texts is a flag that is given several times and takes commas as they are.
type texts []string

func (t *texts) Set(s string) error { *t = append(*t, s); return nil }
func (t *texts) String() string     { return strings.Join(*t, " ") }
func (t *texts) Get() any           { return []string(*t) }

// flagsFirst moves flags that follow an argument before it, since urfave/cli stops reading flags at
// the first argument. What follows "--" is left alone.
func flagsFirst(table []*cli.Command, args []string) []string {
	args = slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "--"+noColour.Name })
	if len(args) == 0 {
		return args
	}
	head := []string{args[0]}
	rest := args[1:]
	var flags []cli.Flag
	for len(rest) > 0 {
		i := slices.IndexFunc(table, func(c *cli.Command) bool { return c.HasName(rest[0]) })
		if i < 0 {
			break
		}
		head, rest = append(head, rest[0]), rest[1:]
		flags, table = table[i].Flags, table[i].Subcommands
	}
	takesValue := map[string]bool{}
	for _, f := range flags {
		if doc, ok := f.(cli.DocGenerationFlag); ok {
			for _, name := range f.Names() {
				takesValue[name] = doc.TakesValue()
			}
		}
	}
	var moved, kept []string
	for i := 0; i < len(rest); i++ {
		arg := rest[i]
		if arg == "--" {
			kept = append(kept, rest[i:]...)
			break
		}
		name := strings.TrimLeft(arg, "-")
		if !strings.HasPrefix(arg, "-") || name == "" {
			kept = append(kept, arg)
			continue
		}
		moved = append(moved, arg)
		if !strings.Contains(name, "=") && takesValue[name] && i+1 < len(rest) {
			i++
			moved = append(moved, rest[i])
		}
	}
	return slices.Concat(head, moved, kept)
}
