package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval/viewer"
)

func viewCommand() *cli.Command {
	return &cli.Command{
		Name:      "view",
		Usage:     "look at runs in a browser: sessions by arms, transcripts side by side, any turn's prompt and reply",
		ArgsUsage: "[DIR]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "addr", Value: "127.0.0.1:0", Usage: "listen on `HOST:PORT`; port 0: a free one"},
			&cli.BoolFlag{Name: "no-open", Usage: "do not open a browser"},
		},
		Action: func(c *cli.Context) error {
			dir := "runs"
			if c.NArg() > 0 {
				dir = c.Args().First()
			}
			return serveView(c, dir)
		},
	}
}

// viewMemory is about how many bytes pages on a large run take: what was read for a page is freed earlier then.
const viewMemory = 320 << 20

// serveView serves pages on a directory until the command is stopped, which is how it ends well.
func serveView(c *cli.Context, dir string) error {
	v, err := viewer.New(c.Context, dir, viewer.Options{Log: c.App.ErrWriter})
	if os.IsNotExist(err) {
		return fmt.Errorf("there is no directory %s: name a run or a directory of runs, or play one with: parley run", dir)
	}
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.String("addr"))
	if err != nil {
		return usagef("--addr %s: %w", c.String("addr"), err)
	}
	at := listener.Addr().(*net.TCPAddr)
	address := (&url.URL{Scheme: "http", Host: at.String(), Path: "/"}).String()
	if !at.IP.IsLoopback() {
		tell(c)("note: everybody who reaches this address can read the runs; 127.0.0.1 serves this machine alone")
	}
	if _, err := fmt.Fprintln(c.App.Writer, address); err != nil {
		return err
	}
	debug.SetMemoryLimit(viewMemory)
	server := &http.Server{
		Handler: v, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: log.New(c.App.ErrWriter, "parley: ", 0),
	}
	stop := context.AfterFunc(c.Context, func() { server.Close() })
	defer stop()
	if !c.Bool("no-open") {
		openBrowser(address)
	}
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// openBrowser asks the desktop to show an address. Where there is none, the printed address has to do.
func openBrowser(address string) {
	command := exec.Command("xdg-open", address)
	switch runtime.GOOS {
	case "darwin":
		command = exec.Command("open", address)
	case "windows":
		command = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	}
	if command.Start() == nil {
		go command.Wait()
	}
}
