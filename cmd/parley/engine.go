package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"parley/characters/yamlfile"
	"parley/eval/ieg"
	"parley/eval/planning"
	"parley/eval/report"
	"parley/eval/run"
	"parley/eval/script"
	"parley/eval/session"
	"parley/eval/survey"
	"parley/eval/utility"
)

// kinds lists the kinds of runs.
var kinds = run.Kinds{
	session.Kind:  session.Decode,
	script.Kind:   script.Decode,
	survey.Kind:   survey.Decode,
	planning.Kind: planning.Decode,
	ieg.Kind:      ieg.Decode(trainDM),
	utility.Kind:  utility.Decode,
}

// runFlags are the flags that every command which begins or resumes a run has.
func runFlags(unit string) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "prices", Usage: "`FILE` of prices, for cost"},
		&cli.StringFlag{Name: "cache", Usage: "keep judges' replies in `DIR`, and do not ask again what was answered there"},
		&cli.BoolFlag{Name: "allow-self-judge", Usage: "let a model judge its own work"},
		&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` that all randomness comes from"},
		&cli.IntFlag{Name: "jobs", DefaultText: "by the models", Usage: "do `N` " + unit + " at once"},
		&cli.StringFlag{Name: "out", Usage: "`DIR` of the run (default runs/<time>)"},
		jsonFlag(),
		&cli.BoolFlag{Name: "print-config", Usage: "print the whole effective configuration, and run nothing"},
		&cli.BoolFlag{Name: "estimate", Usage: "print about how many calls, tokens, money and minutes the run takes, without asking any model"},
	}, budgetFlags...)
}

// overlay puts the flags that were given over the keys of the same names of a configuration. Flags of another
// type than their key are read by the command itself.
func overlay(c *cli.Context, config any) {
	for _, flag := range c.Command.Flags {
		name := flag.Names()[0]
		if !c.IsSet(name) || slices.Contains(budgetFlags, flag) { // of which max-tokens is also a key of another meaning
			continue
		}
		value := c.Value(name)
		if list, ok := value.(cli.StringSlice); ok {
			value = list.Value()
		}
		if name == "reply-tokens" {
			name = "max_tokens"
		}
		yamlfile.Set(config, strings.ReplaceAll(name, "-", "_"), value)
	}
}

// runOptions says how runs are executed by this command.
func runOptions(c *cli.Context) (run.Options, error) {
	secret, err := userSecret()
	o := run.Options{
		Kinds: kinds, Registry: registry(), Env: environment(), Version: buildVersion(), Now: time.Now, Log: c.App.ErrWriter, Columns: screenOf(c.App.ErrWriter, true).Width,
		Budget: func(b *run.Budget) { setBudget(c, b) },
		Secret: secret, Trust: c.Bool("trust"), AcceptChangedModel: c.Bool("accept-changed-model"),
	}
	if dir := c.String("cache"); dir != "" {
		o.Cache = run.FileCache(dir)
	}
	return o, err
}

// begin executes a new run, or prints its configuration. Show prints its results for people.
func begin(c *cli.Context, p run.Plan, empty func() any, show showFunc) error {
	s := p.Settings()
	if s.Jobs < 0 {
		return usagef("jobs is %d: say 0 (by the models) or more", s.Jobs)
	}
	setBudget(c, &s.Limits.Budget)
	if err := s.Limits.Budget.Validate(); err != nil {
		return usageError{err}
	}
	if c.Bool("print-config") {
		text, err := run.EncodeConfig(p.Config(), empty)
		if err != nil {
			return err
		}
		_, err = c.App.Writer.Write(text)
		return err
	}
	o, err := runOptions(c)
	if err != nil {
		return err
	}
	if s.Cache != "" {
		o.Cache = run.FileCache(s.Cache)
	}
	if c.Bool("estimate") {
		return estimateRun(c, p, o)
	}
	o.ID = run.NewID(time.Now())
	dir := s.Out
	if dir == "" {
		dir = filepath.Join("runs", o.ID)
	}
	s.Out = ""
	m, err := run.Run(c.Context, dir, p, o)
	if err != nil {
		return err
	}
	return finished(c, dir, m, s.JSON, show)
}

// showFunc prints the results of a run for people.
type showFunc func(c *cli.Context, dir string, m *run.Manifest) error

// kindOfRun is how the command prints runs of a kind.
type kindOfRun struct {
	unit    string // plural of its jobs
	show    showFunc
	missing func(dir string, m *run.Manifest) (int, error) // scores that should be there; nil: those without a value
}

// kindOf returns how runs of a kind are printed.
func kindOf(kind string) kindOfRun {
	return map[string]kindOfRun{
		session.Kind:  {"sessions", showSessions, nil},
		script.Kind:   {"tasks", showScripts, func(dir string, _ *run.Manifest) (int, error) { return script.Missing(dir) }},
		survey.Kind:   {"documents", showSurvey, survey.Missing},
		planning.Kind: {"questions", showPlanning, nil},
		ieg.Kind:      {"virtual DMs", showStudy, func(_ string, m *run.Manifest) (int, error) { return ieg.Missing(m.Results), nil }},
		utility.Kind:  {"steps", showUtility, func(dir string, _ *run.Manifest) (int, error) { return utility.Missing(dir) }},
	}[kind]
}

// finished prints what a run came to, and returns an error where parts of it are missing.
func finished(c *cli.Context, dir string, m *run.Manifest, asJSON bool, show showFunc) error {
	if asJSON {
		if err := printJSON(c.App.Writer, answer{Run: dir, Sessions: m.Jobs, Results: m.Results}); err != nil {
			return err
		}
	} else if err := show(c, dir, m); err != nil {
		return err
	}
	for _, change := range m.Changes() {
		if !asJSON {
			fmt.Fprintln(c.App.Writer, "note:", visible(change))
		}
	}
	kind := kindOf(m.Kind)
	without, err := report.Unscored(m.Results), error(nil)
	if kind.missing != nil {
		without, err = kind.missing(dir, m)
	}
	failed, again := m.Jobs[run.Failed], ""
	if err != nil || failed+without == 0 {
		return err
	}
	if failed > 0 {
		again = "; try what failed again with: parley resume " + dir
	}
	return partialf("%d of %d %s failed, %d scores are missing%s", failed, m.Of, kind.unit, without, again)
}

// printEnd prints what the models of a run used, and where the run is.
func printEnd(c *cli.Context, dir string, m *run.Manifest) error {
	if err := report.Usage(c.App.Writer, m.Usage); err != nil {
		return err
	}
	fmt.Fprintf(c.App.Writer, "\nThe run is in %s; its page is %s\n", dir, filepath.Join(dir, run.ReportName))
	if !c.Bool("all") && slices.Contains([]string{script.Kind, survey.Kind, planning.Kind, ieg.Kind}, m.Kind) {
		fmt.Fprintf(c.App.Writer, "every result: parley show --all %s\n", dir)
	}
	return nil
}
