// Command parley plays tabletop role-play sessions between language-model agents, keeps every
// interaction, and measures it. This package joins the packages below it: one file a command. README.md
// holds the text of every --help.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"parley/characters/yamlfile"
	"parley/eval"
	"parley/eval/run"
	"parley/sim/llm"
)

// version is set by the linker in a release.
var version = "dev"

// Exit statuses. The reference page says when each is used.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitPartial     = 3   // finished, with unscored or failed parts, or stopped by its budget
	exitInterrupted = 130 // stopped by the user; nothing played is lost
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(Main(ctx, os.Args, os.Stdout, os.Stderr))
}

// Main runs one command and returns its exit status.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	app := &cli.App{
		Name:                   "parley",
		Usage:                  "play role-play sessions between language-model agents, keep them, measure them",
		Version:                buildVersion(),
		Writer:                 stdout,
		ErrWriter:              stderr,
		Commands:               commands(),
		Flags:                  []cli.Flag{noColour},
		UseShortOptionHandling: true,
		ExitErrHandler:         func(*cli.Context, error) {}, // printed once, below
		OnUsageError:           onUsageError,
		Metadata:               map[string]any{screenKey: screenOf(stdout, slices.Contains(args, "--"+noColour.Name))},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return unknownCommand(c.App.Name, c.App.Commands, c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
	settle(app.Commands, app.Name)
	if n := len(args) - 1; n > 0 && args[n] == completionFlag {
		return exitStatus(ctx, complete(app, args[1:n]), stderr)
	}
	app.Description = helpText(sections()["parley run"])
	app.Description = app.Description[strings.Index(app.Description, "Example:"):]
	err := app.RunContext(ctx, flagsFirst(app.Commands, args))
	var topic cli.ExitCoder // of parley help WORD and of parley WORD --help
	if errors.As(err, &topic) {
		err = unknownTopic(app.Commands, args[1:])
	}
	return exitStatus(ctx, err, stderr)
}

// exitStatus prints an error once and returns the exit status that goes with it.
func exitStatus(ctx context.Context, err error, stderr io.Writer) int {
	if err == nil {
		return exitOK
	}
	var stopped *run.StoppedError
	var over *run.BudgetError
	if errors.As(err, &stopped) && exists(filepath.Join(stopped.Dir, run.ManifestName)) {
		raise := ""
		if errors.As(err, &over) {
			raise = " " + over.Flag + " MORE"
		}
		defer fmt.Fprintf(stderr, "nothing that was done is lost; go on with: parley resume %s%s\n", stopped.Dir, raise)
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		fmt.Fprintln(stderr, "parley: interrupted")
		return exitInterrupted
	}
	fmt.Fprintf(stderr, "parley: %s\n", visible(strings.TrimPrefix(eval.PlainError(err.Error()), "parley: ")))
	var usage usageError
	var asked run.UsageError
	var finding *yamlfile.Finding
	var partial partialError
	var spec llm.SpecError
	switch {
	case errors.As(err, &usage), errors.As(err, &asked), errors.As(err, &finding), errors.As(err, &spec):
		return exitUsage
	case errors.As(err, &partial), errors.As(err, &over):
		return exitPartial
	}
	return exitFailed
}

// usageError is a command line that says something wrong.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// usagef makes an error for a command line that says something wrong.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// partialError says that a command finished with unscored or failed parts.
type partialError struct{ error }

// partialf makes an error for a command that finished with unscored or failed parts.
func partialf(format string, args ...any) error { return partialError{fmt.Errorf(format, args...)} }
