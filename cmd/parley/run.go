package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"parley/logs"
	"parley/scenarios"
	"parley/sim/llm"
)

func runCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "play sessions, keep them, and measure them",
		ArgsUsage: "[EXPERIMENT.yaml]",
		Description: "Without a file and flags: 12 sessions of information exchange between reference actors,\n" +
			"offline. Flags overlay the file; each has a key of the same name there.\n" +
			"A model is written scheme:name[?key=value&...][@base-url], such as reference:diligent,\n" +
			"ollama:llama3.2:1b, openai:gpt-4.1-mini or openai:NAME@http://127.0.0.1:8000/v1.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "scenario", Usage: "`KIND` of situation: exchange (default) or intention"},
			&cli.IntFlag{Name: "sessions", Value: 12, Usage: "play `N` sessions with each --player"},
			&cli.IntFlag{Name: "players", Value: 3, Usage: "`N` players at the table beside the NPC"},
			&cli.IntFlag{Name: "turns", Value: 30, Usage: "`N` turns a session, one turn being one actor's move"},
			&cli.IntFlag{Name: "rounds", DefaultText: "unset", Usage: "`N` rounds a session: another way to say --turns"},
			&cli.GenericFlag{Name: "player", Value: new(specList), Usage: "`MODEL` of the players; each further one is an arm that plays the same sessions"},
			&cli.StringFlag{Name: "npc", Usage: "`MODEL` of the NPC (default reference:npc)"},
			&cli.StringFlag{Name: "order", Usage: "who moves when: fixed (default), shuffled, initiative or addressed"},
			&cli.StringFlag{Name: "referee", Usage: "who resolves deeds: none (default), dice or a `MODEL`"},
			&cli.StringFlag{Name: "judge", Usage: "lexical (default), embed:MODEL or a chat `MODEL`"},
			&cli.StringFlag{Name: "keypoints", Usage: "key points of the knowledge: authored (default) or judge"},
			&cli.StringSliceFlag{Name: "control", Usage: "hold the debrief also under `CONDITION` no-conversation, told"},
			&cli.BoolFlag{Name: "allow-self-judge", Usage: "let a model judge its own play"},
			&cli.StringFlag{Name: "cache", Usage: "keep the judge's replies in `DIR`, and do not ask twice what was answered there"},
			&cli.IntFlag{Name: "curve", Value: 10, Usage: "recall after every `N` turns, 0 for none"},
			&cli.StringFlag{Name: "layout", Usage: "of prompts: shared-prefix (default) or persona-first"},
			&cli.StringFlag{Name: "form", Usage: "of replies: auto (default), json or lines"},
			&cli.StringFlag{Name: "prompts", Usage: "play with the prompts in `DIR` (see: parley prompts export)"},
			&cli.StringFlag{Name: "prices", Usage: "`FILE` of prices, for cost"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` that all randomness comes from"},
			&cli.IntFlag{Name: "jobs", DefaultText: "by the models", Usage: "play `N` sessions at once"},
			&cli.StringFlag{Name: "out", Usage: "`DIR` of the run (default runs/<time>)"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
			&cli.BoolFlag{Name: "print-config", Usage: "print the whole effective configuration, and play nothing"},
		},
		Action: func(c *cli.Context) error {
			e, err := experimentOf(c)
			if err != nil {
				return err
			}
			if c.Bool("print-config") {
				text, err := e.encode()
				if err != nil {
					return err
				}
				_, err = c.App.Writer.Write(text)
				return err
			}
			id, err := newRunID(time.Now())
			if err != nil {
				return err
			}
			dir := e.Out
			if dir == "" {
				dir = filepath.Join("runs", id)
			}
			e.Out = ""
			if exists(filepath.Join(dir, manifestName)) {
				return fmt.Errorf("%s holds a run already: go on with it (parley resume %s) or name another directory", dir, dir)
			}
			for _, stream := range streams {
				for _, path := range []string{journalPath(dir, stream), parquetPath(dir, stream)} {
					if exists(path) {
						return fmt.Errorf("%s is of another run, whose %s is gone: put that back, or name another directory", path, manifestName)
					}
				}
			}
			return runAll(c, dir, newManifest(id, e, time.Now()), false)
		},
	}
}

// experimentOf makes the experiment that a command line asks for.
func experimentOf(c *cli.Context) (*Experiment, error) {
	e := defaultExperiment()
	var own []string // endpoints of the file's models
	switch c.NArg() {
	case 0:
	case 1:
		read, err := readExperiment(c.Args().First())
		if err != nil {
			return nil, err
		}
		e, own = read, read.endpoints()
	default:
		return nil, usagef("run takes one experiment file, and got %d", c.NArg())
	}
	text := map[string]*string{
		"npc": &e.NPC, "order": &e.Order, "referee": &e.Referee, "judge": &e.Judge, "keypoints": &e.Keypoints,
		"layout": &e.Layout, "form": &e.Form, "prompts": &e.Prompts, "prices": &e.Prices, "cache": &e.Cache, "out": &e.Out,
	}
	for name, value := range text {
		if c.IsSet(name) {
			*value = c.String(name)
		}
	}
	number := map[string]*int{
		"sessions": &e.Sessions, "players": &e.Players, "turns": &e.Turns, "rounds": &e.Rounds,
		"curve": &e.Curve, "jobs": &e.Jobs,
	}
	for _, name := range []string{"turns", "rounds"} {
		if c.IsSet(name) && c.Int(name) < 1 {
			return nil, usagef("%s is %d: at least 1 is needed", name, c.Int(name))
		}
	}
	if c.IsSet("rounds") && !c.IsSet("turns") {
		e.Turns = 0
	}
	if c.IsSet("turns") && !c.IsSet("rounds") {
		e.Rounds = 0
	}
	for name, value := range number {
		if c.IsSet(name) {
			*value = c.Int(name)
		}
	}
	if c.IsSet("scenario") {
		e.Scenario = c.String("scenario")
	}
	if c.IsSet("player") {
		e.Player = nil
		for _, spec := range *c.Generic("player").(*specList) {
			e.Player = append(e.Player, Arm{Model: spec})
		}
	}
	if c.IsSet("control") {
		e.Control = c.StringSlice("control")
	}
	if c.IsSet("seed") {
		e.Seed = c.Uint64("seed")
	}
	if c.IsSet("json") {
		e.JSON = c.Bool("json")
	}
	if c.IsSet("allow-self-judge") {
		e.AllowSelfJudge = c.Bool("allow-self-judge")
	}
	return e, e.complete(own...)
}

// specList is a flag that names a model each time it is given. A comma is part of the name.
type specList []string

func (s *specList) Set(text string) error { *s = append(*s, text); return nil }
func (s *specList) String() string        { return strings.Join(*s, " ") }

// newRunID names a run by its time, and by chance, since two may start within a second.
func newRunID(now time.Time) (string, error) {
	var b [2]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	return now.UTC().Format("20060102-150405") + "-" + hex.EncodeToString(b[:]), nil
}

// runAll plays what is left of a run and prints its results.
func runAll(c *cli.Context, dir string, m *manifest, again bool) error {
	ctx, e := c.Context, m.Experiment
	asJSON := c.Bool("json") || e.JSON
	if m.State != stateComplete {
		if err := playRun(ctx, c.App.ErrWriter, dir, m, again); err != nil {
			return err
		}
	}
	if asJSON {
		if err := printJSON(c.App.Writer, answer{Run: dir, Sessions: m.Sessions, Results: m.Results}); err != nil {
			return err
		}
	} else if err := printRun(c.App.Writer, dir, m); err != nil {
		return err
	}
	failed, without := m.Sessions[stateFailed], unscored(m.Results)
	if failed+without > 0 {
		again := ""
		if failed > 0 {
			again = "; try the failed sessions again with: parley resume " + dir
		}
		return partialf("%d sessions failed, %d scores are missing%s", failed, without, again)
	}
	return nil
}

// printRun prints the results of a run for people.
func printRun(w io.Writer, dir string, m *manifest) error {
	e := m.Experiment
	fmt.Fprintf(w, "%d sessions of %s, %d players and 1 NPC (%s), %d turns, judge %s, seed %d\n",
		e.Sessions*len(e.Player), e.Scenario, e.Players, e.NPC, e.Turns, e.Judge, e.Seed)
	fmt.Fprint(w, "sessions by state:")
	for _, s := range []State{stateComplete, stateFailed} {
		fmt.Fprintf(w, " %d %s", m.Sessions[s], s)
	}
	fmt.Fprint(w, "\n\n")
	if err := printResults(w, m.Results); err != nil {
		return err
	}
	for _, spec := range slices.Sorted(maps.Keys(m.Models)) {
		if ignored := m.Models[spec].Ignored; len(ignored) > 0 {
			fmt.Fprintf(w, "\n%s does not take %s\n", spec, strings.Join(ignored, ", "))
		}
	}
	if err := printUsage(w, m.Usage); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nThe run lies in %s\nread it with: parley show %s, or open %s\n", dir, dir, filepath.Join(dir, reportName))
	return err
}

// playRun plays what is left of a run, and brings it into its final form.
func playRun(ctx context.Context, talk io.Writer, dir string, m *manifest, again bool) (err error) {
	e := m.Experiment
	st, err := newStage(m)
	if err != nil {
		return fromElsewhere(err, again)
	}
	prices, err := readPrices(m)
	if err != nil {
		return fromElsewhere(err, again)
	}
	crew, err := newCrew(ctx, m, func() ([]*scenarios.Scenario, error) { return e.sample(st) }, talk)
	if err != nil {
		return fromElsewhere(err, again)
	}
	judge, err := crew.judge(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	release, err := logs.Lock(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	p := &player{
		dir: dir, manifest: m, exp: e, stage: st, crew: crew, prices: prices, now: time.Now,
		done: map[string]bool{}, states: map[State]int{},
	}
	if again {
		if err := expand(dir, m, talk); err != nil {
			return err
		}
	}
	m.State, m.Finished = stateRunning, nil
	if err := m.write(dir); err != nil { // from here on there is a run to resume
		return err
	}
	if again {
		if p.done, p.restored, err = mend(dir); err != nil {
			return err
		}
		for _, stream := range streams { // of the sessions so far; made anew at the end
			if err := os.Remove(parquetPath(dir, stream)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
		p.states[stateComplete] = len(p.done)
		fmt.Fprintf(talk, "resuming %s: %d sessions are complete, %d are under way\n", dir, len(p.done), len(p.restored))
	}
	p.scorer = newScorer(e, judge)
	if p.journal, err = logs.Open(dir, streams, logs.Options{}); err != nil {
		return err
	}
	p.progress = newProgress(talk, e.Sessions*len(e.Player)-len(p.done), time.Now)
	played := p.play(ctx)
	p.progress.close()
	played = errors.Join(played, p.journal.Close())
	if played != nil {
		m.State, m.Sessions = stateInterrupted, p.states
		return interruptedError{dir, errors.Join(played, m.write(dir))}
	}
	return p.finish()
}

// fromElsewhere adds what to do where a run that is taken up again does not find a file by its name.
func fromElsewhere(err error, again bool) error {
	var missing *fs.PathError
	if again && errors.Is(err, fs.ErrNotExist) && errors.As(err, &missing) && !filepath.IsAbs(missing.Path) {
		return fmt.Errorf("%w; the run names its files as seen from the directory that it was started in: resume it from there", err)
	}
	return err
}

// finish turns the journal into Parquet, measures, and writes the manifest last: until it says
// complete, all of this can be done again.
func (p *player) finish() error {
	m := p.manifest
	var err error
	if m.Streams, err = compact(p.dir); err != nil {
		return err
	}
	if m.Usage, err = usage(p.dir, m.Models, p.prices); err != nil {
		return err
	}
	if m.Results, m.Sessions, err = measure(p.dir, p.exp); err != nil {
		return err
	}
	if m.Sessions[stateFailed] > 0 {
		m.State = stateFailed // the journal stays, for the failed sessions to be taken up again
		return errors.Join(writeReport(p.dir, m), m.write(p.dir))
	}
	now := p.now().UTC().Truncate(time.Microsecond)
	m.State, m.Finished = stateComplete, &now
	if err := writeReport(p.dir, m); err != nil {
		return err
	}
	if err := m.write(p.dir); err != nil {
		return err
	}
	return dropJournals(p.dir)
}

// readPrices reads the user's price file; nil where there is none.
func readPrices(m *manifest) (*llm.Prices, error) {
	file := m.Experiment.Prices
	if file == "" {
		return nil, nil
	}
	data, err := m.read(file)
	if err != nil {
		return nil, err
	}
	return llm.ReadPrices(bytes.NewReader(data), file)
}

// usage adds up what the calls of a run used, by model and by what they were for (the probe, a
// player's or the NPC's moves, debriefs, the judge), and what that cost where the user has prices.
func usage(dir string, models map[string]*servedNote, prices *llm.Prices) (*llm.Tally, error) {
	npc := map[string]string{} // session -> who it was
	for row, err := range rows[sessionRow](dir, streamSessions) {
		if err != nil {
			return nil, err
		}
		npc[row.ID] = row.npc()
	}
	meter := llm.NewMeter()
	for call, err := range rows[llm.Call](dir, streamCalls) {
		if err != nil {
			return nil, err
		}
		meter.Add(billed(call, npc[call.Session]))
	}
	addProbes(meter, models)
	tally := meter.Tally(prices)
	return &tally, nil
}

// addProbes counts the calls that settled the forms of replies.
func addProbes(meter *llm.Meter, models map[string]*servedNote) {
	for _, note := range models {
		for _, call := range note.Probe {
			meter.Add(call)
		}
	}
}

// billed is a call whose purpose says who moved.
func billed(call llm.Call, npc string) llm.Call {
	if call.Purpose == "act" {
		call.Purpose = "player"
		if call.Actor == npc {
			call.Purpose = "npc"
		}
	}
	return call
}

// printUsage prints what models used, a line each.
func printUsage(w io.Writer, t *llm.Tally) error {
	if t == nil || len(t.Rows) == 0 {
		return nil
	}
	count := func(c llm.Count) string {
		switch {
		case c.Sum == nil:
			return "unknown"
		case c.Known < c.Of:
			return fmt.Sprintf("%d (of %d in %d calls)", *c.Sum, c.Known, c.Of)
		}
		return fmt.Sprint(*c.Sum)
	}
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tab, "\nMODEL\tFOR\tCALLS\tPROMPT TOKENS\tCACHED\tREPLY TOKENS\tCOST\tTIME")
	for _, r := range t.Rows {
		cost := "unknown"
		if r.Cost.Amount != nil {
			cost = fmt.Sprintf("%.4f %s", *r.Cost.Amount, t.Currency)
		}
		fmt.Fprintf(tab, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", r.Model, r.Purpose, r.Calls, count(r.Prompt), count(r.Cached), count(r.Completion),
			cost, (time.Duration(r.Total) * time.Microsecond).Round(time.Second/10))
	}
	return tab.Flush()
}

// dropJournals removes the journals of a complete run, which Parquet was proven to equal.
func dropJournals(dir string) error {
	for _, stream := range streams {
		if err := os.Remove(journalPath(dir, stream)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}
