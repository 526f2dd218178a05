package main

import (
	"cmp"
	"io"
	"os"
	"strconv"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"parley/eval/session"
)

var noColour = &cli.BoolFlag{Name: "no-color", Usage: "print no colours; so does the environment variable NO_COLOR"}

const screenKey = "screen"

// screenOf returns the width of the terminal that is written to, 0 where output is no terminal, and whether to
// use colours.
func screenOf(w io.Writer, plain bool) session.Screen {
	width, _ := strconv.Atoi(os.Getenv("COLUMNS"))
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return session.Screen{Width: max(0, width)}
	}
	columns, _, _ := term.GetSize(int(f.Fd()))
	return session.Screen{Width: cmp.Or(columns, width, 100), Colour: !plain && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func screen(c *cli.Context) session.Screen { return c.App.Metadata[screenKey].(session.Screen) }
