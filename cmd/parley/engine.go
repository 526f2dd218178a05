package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/ieg"
	"parley/eval/planning"
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
	return []cli.Flag{
		&cli.StringFlag{Name: "prices", Usage: "`FILE` of prices, for cost"},
		&cli.StringFlag{Name: "cache", Usage: "keep judges' replies in `DIR`, and do not ask again what was answered there"},
		&cli.BoolFlag{Name: "allow-self-judge", Usage: "let a model judge its own work"},
		&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` that all randomness comes from"},
		&cli.IntFlag{Name: "jobs", DefaultText: "by the models", Usage: "do `N` " + unit + " at once"},
		&cli.StringFlag{Name: "out", Usage: "`DIR` of the run (default runs/<time>)"},
		&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		&cli.BoolFlag{Name: "print-config", Usage: "print the whole effective configuration, and run nothing"},
	}
}

// overlay puts the flags that every kind of run has over the settings of a file.
func overlay(c *cli.Context, s *run.Settings) error {
	if c.IsSet("prices") {
		s.Prices = c.String("prices")
	}
	if c.IsSet("cache") {
		s.Cache = c.String("cache")
	}
	if c.IsSet("allow-self-judge") {
		s.AllowSelfJudge = c.Bool("allow-self-judge")
	}
	if c.IsSet("seed") {
		s.Seed = c.Uint64("seed")
	}
	if c.IsSet("jobs") {
		if s.Jobs = c.Int("jobs"); s.Jobs < 0 {
			return usagef("jobs is %d: say 0 (by the models) or more", s.Jobs)
		}
	}
	if c.IsSet("out") {
		s.Out = c.String("out")
	}
	if c.IsSet("json") {
		s.JSON = c.Bool("json")
	}
	return nil
}

// runOptions says how runs are executed by this command.
func runOptions(c *cli.Context) (run.Options, error) {
	secret, err := userSecret()
	o := run.Options{
		Kinds: kinds, Registry: registry(), Env: environment(), Version: buildVersion(), Now: time.Now, Log: c.App.ErrWriter,
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
	if o.ID, err = run.NewID(time.Now()); err != nil {
		return err
	}
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
	failed := m.Jobs[run.Failed]
	without, err := missing(dir, m)
	if err != nil || failed+without == 0 {
		return err
	}
	again := ""
	if failed > 0 {
		again = "; try what failed again with: parley resume " + dir
	}
	return partialf("%d of %d %s failed, %d scores are missing%s", failed, m.Of, map[string]string{
		session.Kind: "sessions", script.Kind: "tasks", survey.Kind: "documents", ieg.Kind: "virtual DMs", planning.Kind: "questions", utility.Kind: "steps",
	}[m.Kind], without, again)
}

// missing counts the scores of a run that should be there and are not.
func missing(dir string, m *run.Manifest) (int, error) {
	switch m.Kind {
	case script.Kind:
		return script.Missing(dir)
	case ieg.Kind:
		return ieg.Missing(m.Results), nil
	case survey.Kind:
		_, _, d, err := readSurvey(dir)
		if err != nil {
			return 0, err
		}
		return d.Unscored(), nil
	case utility.Kind:
		return utility.Missing(dir)
	}
	return unscored(m.Results), nil
}

// answer is what commands that measure print with --json.
type answer struct {
	Run      string            `json:"run,omitempty"`
	Sessions map[run.State]int `json:"sessions,omitempty"`
	Results  []eval.Result     `json:"results"`
}

// printedAt says where a run is.
func printedAt(c *cli.Context, dir string) error {
	_, err := fmt.Fprintf(c.App.Writer, "\nThe run is in %s; its page is %s\n", dir, filepath.Join(dir, run.ReportName))
	return err
}
