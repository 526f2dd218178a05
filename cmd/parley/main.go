// Command parley plays tabletop role-play sessions between language-model agents, keeps every
// interaction, and measures it. This package joins the floors below it: one file a command.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/urfave/cli/v2"

	"parley/eval/run"
)

// version is set by the linker in a release.
var version = "dev"

// Exit statuses.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitPartial     = 3   // finished, with unscored or failed parts
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
		Writer:                 stdout,
		ErrWriter:              stderr,
		Commands:               commands(),
		HideVersion:            true,
		UseShortOptionHandling: true,
		ExitErrHandler:         func(*cli.Context, error) {}, // printed once, below
		OnUsageError:           onUsageError,
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usagef("there is no such command: %s; see parley help", c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
	settle(app.Commands)
	err := app.RunContext(ctx, flagsFirst(app.Commands, args))
	return exitStatus(ctx, err, stderr)
}

// settle gives every command what cli does not hand down: how wrong flags are reported, and that a
// subcommand has to be one that is there.
func settle(table []*cli.Command) {
	for _, command := range table {
		command.OnUsageError = onUsageError
		if command.Action == nil {
			command.Action = func(c *cli.Context) error {
				if c.NArg() > 0 {
					return usagef("%s has no subcommand %s; see parley help %s", c.Command.Name, c.Args().First(), c.Command.Name)
				}
				return cli.ShowSubcommandHelp(c)
			}
		}
		settle(command.Subcommands)
	}
}

func onUsageError(_ *cli.Context, err error, _ bool) error { return usageError{err} }

// exitStatus prints an error once and returns the exit status that goes with it.
func exitStatus(ctx context.Context, err error, stderr io.Writer) int {
	if err == nil {
		return exitOK
	}
	var stopped *run.StoppedError
	if errors.As(err, &stopped) && exists(filepath.Join(stopped.Dir, run.ManifestName)) {
		defer fmt.Fprintf(stderr, "nothing that was done is lost; go on with: parley resume %s\n", stopped.Dir)
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		fmt.Fprintln(stderr, "parley: interrupted")
		return exitInterrupted
	}
	fmt.Fprintf(stderr, "parley: %s\n", visible(err.Error()))
	var usage usageError
	var asked run.UsageError
	var partial partialError
	switch {
	case errors.As(err, &usage), errors.As(err, &asked):
		return exitUsage
	case errors.As(err, &partial):
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
