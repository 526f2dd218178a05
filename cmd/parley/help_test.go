package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// leaves returns the commands that do something, by their path.
func leaves(table []*cli.Command, parent string) map[string]*cli.Command {
	all := map[string]*cli.Command{}
	for _, c := range table {
		path := parent + " " + c.Name
		if len(c.Subcommands) == 0 {
			all[path] = c
		}
		for p, sub := range leaves(c.Subcommands, path) {
			all[p] = sub
		}
	}
	return all
}

// The reference page has a section with an example for every command, and none for another; every flag of an example
// exists.
func TestReferencePage(t *testing.T) {
	commands := leaves(commands(), "parley")
	texts := sections()
	for path, c := range commands {
		block := example.FindStringSubmatch(texts[path])
		if block == nil {
			t.Errorf("README.md has no example of %s", path)
			continue
		}
		if !strings.Contains(block[1], path) {
			t.Errorf("the example of %s does not show it", path)
		}
		var flags []string
		for _, f := range c.Flags {
			flags = append(flags, f.Names()...)
		}
		for line := range strings.Lines(block[1]) {
			rest, ok := strings.CutPrefix(line, path+" ")
			for word := range strings.FieldsSeq(rest) {
				if name, isFlag := strings.CutPrefix(word, "--"); ok && isFlag && !slices.Contains(flags, name) {
					t.Errorf("the example of %s has the flag --%s, which does not exist", path, name)
				}
			}
		}
	}
	for path := range texts {
		if strings.HasPrefix(path, "parley ") && commands[path] == nil {
			t.Errorf("README.md describes %s, which does not exist", path)
		}
	}
}

// Every --help prints an example.
func TestHelp(t *testing.T) {
	for path := range leaves(commands(), "parley") {
		var out, talk bytes.Buffer
		if status := Main(t.Context(), append(strings.Fields(path), "--help"), &out, &talk); status != exitOK {
			t.Errorf("%s --help: status %d, %s", path, status, talk.String())
		}
		if !strings.Contains(out.String(), "Example:\n") {
			t.Errorf("%s --help has no example:\n%s", path, out.String())
		}
	}
}

// Wrong use is status 2, with the remedy; a file that cannot be read or found is status 1.
func TestWrongUse(t *testing.T) {
	for _, tt := range []struct {
		args   string
		status int
		want   string
		reason string
	}{
		{"rn", exitUsage, "did you mean run?", "a misspelt command"},
		{"characters lst", exitUsage, "did you mean list?", "a misspelt subcommand"},
		{"eval", exitUsage, "parley eval needs a command: stat,", "no subcommand"},
		{"eval frobnicate", exitUsage, "no such command: frobnicate", "an unknown subcommand"},
		{"run --sesions 3", exitUsage, "did you mean --sessions?", "a misspelt flag"},
		{"run --sessions many", exitUsage, `takes a whole number, and got "many"`, "a flag of the wrong type"},
		{"run --player olama:x", exitUsage, "did you mean ollama:?", "a misspelt scheme"},
		{"run --player reference:dilgent", exitUsage, "did you mean diligent?", "a misspelt actor"},
		{"run --layout shared", exitUsage, "shared-prefix", "a word that is none"},
		{"run --order fixd", exitUsage, "did you mean fixed?", "a misspelt word"},
		{"run --jobs -1", exitUsage, "cannot be negative", "a negative number"},
		{"run a b", exitUsage, "takes [EXPERIMENT.yaml], and got 2 arguments", "too many arguments"},
		{"verify", exitUsage, "takes RUN, and got none", "too few arguments"},
		{"verify nowhere", exitFailed, "is not a run", "no run"},
		{"show nowhere", exitFailed, "is not a run", "no run"},
		{"schema expriment", exitUsage, "did you mean experiment?", "a misspelt format"},
		{"completion csh", exitUsage, "bash, zsh or fish", "another shell"},
		{"characters generate --n 0", exitUsage, "at least one", "no character"},
		{"characters validate nowhere.yaml", exitFailed, "not in order", "no file"},
		{"scenarios generate --kind poem --model script:x", exitUsage, "knowledge or scene", "another kind"},
		{"scenarios show nothing", exitUsage, "has nothing with the id", "no such id"},
		{"finetune train --in x", exitUsage, "needs --out", "a required flag"},
		{"finetune build --task poem --out x y", exitUsage, "dm, roleplay, preference, judge", "another task"},
		{"eval planning generate --out - --states odd", exitUsage, "stack or uniform", "another kind of state"},
		{"eval judge-check iep --n -1", exitUsage, "n is -1", "a negative number"},
		{"compare a --csv --json", exitUsage, "say one of", "two forms"},
		{"compare a --require iep", exitUsage, "iep", "a gate that is none"},
	} {
		var out, talk bytes.Buffer
		status := Main(t.Context(), append([]string{"parley"}, strings.Fields(tt.args)...), &out, &talk)
		if status != tt.status || !strings.Contains(talk.String(), tt.want) {
			t.Errorf("%s: %s: status %d, want %d with %q:\n%s", tt.reason, tt.args, status, tt.status, tt.want, talk.String())
		}
	}
}

// Completion offers commands, subcommands and flags.
func TestCompletion(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"--generate-bash-completion", "characters"},
		{"characters --generate-bash-completion", "validate"},
		{"run --pl --generate-bash-completion", "--player"},
	} {
		var out, talk bytes.Buffer
		Main(t.Context(), append([]string{"parley"}, strings.Fields(tt.args)...), &out, &talk)
		if !strings.Contains(out.String(), tt.want) {
			t.Errorf("%s: %q does not offer %s", tt.args, out.String(), tt.want)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if out, _ := runParley(t, exitOK, "completion", shell); !strings.Contains(out, "--generate-bash-completion") {
			t.Errorf("%s: %s", shell, out)
		}
	}
}
