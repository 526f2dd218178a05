package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/logs"
	"parley/sim"
	"parley/sim/llm"
)

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "hold a run against every invariant",
		ArgsUsage: "DIR",
		Description: "Sequence numbers are dense, turns are whole, calls and messages that are referred to exist,\n" +
			"hashes are right, scores are either scored or have a reason, Parquet equals the journal that\n" +
			"it was made of, sessions are those of the experiment, and the results are measured afresh.\n" +
			"The timeless digest of a stream leaves out when things happened and how long they took: it is\n" +
			"the same for two runs of one seed.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print one JSON object"}},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usagef("verify takes one run directory, and got %d", c.NArg())
			}
			dir := c.Args().First()
			v, err := verify(dir)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				err = printJSON(c.App.Writer, v)
			} else {
				err = v.print(c)
			}
			if err == nil && len(v.Findings) > 0 {
				err = fmt.Errorf("%s does not hold: %d findings", dir, v.found)
			}
			return err
		},
	}
}

// verification is what came of it.
type verification struct {
	Run      string                    `json:"run"`
	State    State                     `json:"state"`
	Streams  map[string]verifiedStream `json:"streams"`
	Findings []string                  `json:"findings"` // the first hundred

	found int
	order []string // of the streams
}

type verifiedStream struct {
	Rows     int64  `json:"rows"`
	Digest   string `json:"digest"`
	Timeless string `json:"timeless"`
	Format   string `json:"format"` // parquet | jsonl
}

func (v *verification) findf(format string, args ...any) {
	if v.found++; v.found <= 100 {
		v.Findings = append(v.Findings, fmt.Sprintf(format, args...))
	}
}

func (v *verification) print(c *cli.Context) error {
	tab := tabwriter.NewWriter(c.App.Writer, 0, 4, 2, ' ', 0)
	fmt.Fprintf(tab, "STREAM\tROWS\tFORMAT\tDIGEST\tTIMELESS\n")
	for _, stream := range v.order {
		s := v.Streams[stream]
		fmt.Fprintf(tab, "%s\t%d\t%s\t%.16s\t%.16s\n", stream, s.Rows, s.Format, s.Digest, s.Timeless)
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	for _, f := range v.Findings {
		fmt.Fprintln(c.App.Writer, f)
	}
	if v.found > len(v.Findings) {
		fmt.Fprintf(c.App.Writer, "and %d more\n", v.found-len(v.Findings))
	}
	if v.found == 0 {
		fmt.Fprintf(c.App.Writer, "%s is %s; every invariant holds\n", v.Run, v.State)
	}
	return nil
}

// sessionCheck is what is known of a session while its rows are read.
type sessionCheck struct {
	row    *sessionRow // nil: no row
	cast   []string
	events int
	turn   int
	last   bool // the last event so far ends its turn
	ends   int
}

// verify reads a run once, stream by stream.
func verify(dir string) (*verification, error) {
	m, err := readAnyManifest(dir)
	if err == nil && m.Script != nil {
		return verifyScripts(dir, m)
	}
	if err == nil && m.Survey != nil {
		return verifySurvey(dir, m)
	}
	if err == nil {
		m, err = readManifest(dir)
	}
	if err != nil {
		return nil, err
	}
	v := &verification{Run: dir, State: m.State, Streams: map[string]verifiedStream{}, Findings: []string{}, order: streams}
	complete := m.State == stateComplete
	finished := complete || m.State == stateFailed
	if !finished {
		v.findf("the run is %s: finish it with: parley resume %s", m.State, dir)
	}

	messages := map[string]bool{}
	err = check(v, m, dir, messageStream, func(r *messageRow) {
		if want := (llm.Message{Role: r.Role, Content: r.Content}).Hash(); r.Hash != want {
			v.findf("messages: %s has the content of %s", r.Hash, want)
		}
		if messages[r.Hash] && exists(parquetPath(dir, streamMessages)) {
			v.findf("messages: %s stands twice", r.Hash)
		}
		messages[r.Hash] = true
	})
	if err != nil {
		return nil, err
	}

	sessions := map[string]*sessionCheck{}
	measured := newMeasurement()
	err = check(v, m, dir, sessionStream, func(r *sessionRow) {
		if s := sessions[r.ID]; s != nil {
			v.findf("sessions: %s stands twice", r.ID)
			return
		}
		row := *r
		row.Scenario, row.Questions = "", nil
		s := &sessionCheck{row: &row}
		for _, seat := range r.Cast {
			s.cast = append(s.cast, seat.ID)
		}
		sessions[r.ID] = s
		measured.session(*r)
		v.cast(m.Experiment, r)
	})
	if err != nil {
		return nil, err
	}
	if want := m.Experiment.Sessions * len(m.Experiment.Player); complete && measured.states[stateComplete] != want {
		v.findf("sessions: %d are complete of %d", measured.states[stateComplete], want)
	} else if finished && len(sessions) != want {
		v.findf("sessions: there are %d of %d", len(sessions), want)
	}
	if finished {
		for _, state := range []State{stateComplete, stateFailed} {
			if n := measured.states[state]; n != m.Sessions[state] {
				v.findf("sessions: %d are %s, and %s says %d", n, state, manifestName, m.Sessions[state])
			}
		}
	}
	session := func(stream, id string) *sessionCheck {
		s := sessions[id]
		if s == nil {
			s = &sessionCheck{}
			sessions[id] = s
			if complete {
				v.findf("%s: session %s has no row in sessions", stream, id)
			}
		}
		return s
	}

	calls := map[string]bool{}
	meter := llm.NewMeter()
	err = check(v, m, dir, callStream, func(r *llm.Call) {
		if calls[r.ID] {
			v.findf("calls: %s stands twice", r.ID)
		}
		calls[r.ID] = true
		npc := ""
		if row := session(streamCalls, r.Session).row; row != nil {
			npc = row.npc()
		}
		meter.Add(billed(*r, npc))
		for _, hash := range r.Prompt {
			if !messages[hash] {
				v.findf("calls: %s refers to message %s, which is not there", r.ID, hash)
			}
		}
		if r.Attempt < 1 || (r.Error == "") != (r.Fault == "" && r.Finish != "") && r.Error == "" {
			v.findf("calls: %s has neither a reply's finish nor an error", r.ID)
		}
	})
	if err != nil {
		return nil, err
	}

	err = check(v, m, dir, eventStream, func(e *sim.Event) {
		s := session(streamEvents, e.Session)
		if e.Seq != s.events {
			v.findf("events: session %s has event %d where %d should stand", e.Session, e.Seq, s.events)
		}
		s.events = e.Seq + 1
		switch {
		case e.Seq == 0 && e.Kind != sim.KindScene:
			v.findf("events: session %s does not begin with its scene", e.Session)
		case e.Turn < s.turn || e.Turn > s.turn+1:
			v.findf("events: session %s, event %d: turn %d follows turn %d", e.Session, e.Seq, e.Turn, s.turn)
		case e.Turn > s.turn && !s.last:
			v.findf("events: session %s: turn %d is not whole", e.Session, s.turn)
		}
		s.turn, s.last = e.Turn, e.Last
		if e.Kind == sim.KindEnd {
			s.ends++
		}
		if e.Kind == sim.KindPass && (e.Speech != "" || e.Deed != "") {
			v.findf("events: session %s, event %d is a pass that says or does something", e.Session, e.Seq)
		}
		if s.cast != nil {
			for _, id := range append(slices.Clone(e.Audience), e.Actor) {
				if id != "" && !slices.Contains(s.cast, string(id)) {
					v.findf("events: session %s, event %d names %s, who is not in the cast", e.Session, e.Seq, id)
				}
			}
		}
		for _, id := range e.Calls {
			if !calls[id] {
				v.findf("events: session %s, event %d refers to call %s, which is not there", e.Session, e.Seq, id)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for id, s := range sessions {
		if s.row == nil || s.row.State != stateComplete {
			continue
		}
		switch {
		case s.events == 0:
			v.findf("events: session %s is complete and has none", id)
		case !s.last:
			v.findf("events: session %s: its last turn is not whole", id)
		case s.ends != 1:
			v.findf("events: session %s ends %d times", id, s.ends)
		case s.turn != s.row.Turns:
			v.findf("sessions: %s says %d turns, and %d were played", id, s.row.Turns, s.turn)
		}
	}

	err = check(v, m, dir, scoreStream, func(r *eval.Score) {
		session(streamScores, r.Session)
		measured.score(r)
		if (r.Value != nil) != (r.Status == eval.Scored) || r.Value == nil && r.Reason == "" {
			v.findf("scores: %s of %s in session %s: status %q with value %v and reason %q", r.Metric, r.Subject, r.Session, r.Status, r.Value, r.Reason)
		}
		for _, id := range r.Calls {
			if !calls[id] {
				v.findf("scores: %s of %s in session %s refers to call %s, which is not there", r.Metric, r.Subject, r.Session, id)
			}
		}
	})
	if err == nil && finished {
		addProbes(meter, m.Models)
		tally := meter.Tally(nil)
		same(v, "results", m.Results, measured.results(m.Experiment))
		same(v, "usage.rows", uncosted(m.Usage), uncosted(&tally))
	}
	return v, err
}

// cast holds a session against the experiment: who sat at the table, and how long they played.
func (v *verification) cast(e *Experiment, r *sessionRow) {
	arm := slices.IndexFunc(e.Player, func(a Arm) bool { return a.Name == r.Arm })
	if arm < 0 || r.Index < 0 || r.Index >= e.Sessions || r.ID != sessionID(arm, r.Index) {
		v.findf("sessions: the experiment has no %s, session %d of arm %q", r.ID, r.Index, r.Arm)
		return
	}
	if seed := strconv.FormatUint(e.sessionSeed(r.Index), 10); r.Kind != e.Scenario || r.Seed != seed {
		v.findf("sessions: %s is of kind %s with seed %s, and the experiment says %s and %s", r.ID, r.Kind, r.Seed, e.Scenario, seed)
	}
	if r.Turns > e.Turns || r.Ended == "turns" && r.Turns != e.Turns {
		v.findf("sessions: %s has %d turns of %d, and was ended by %q", r.ID, r.Turns, e.Turns, r.Ended)
	}
	ids := map[string]bool{}
	var got []string
	for _, seat := range r.Cast {
		if ids[seat.ID] {
			v.findf("sessions: %s has %s in its cast twice", r.ID, seat.ID)
		}
		ids[seat.ID] = true
		got = append(got, seat.Role+" "+seat.Model)
	}
	var want []string
	for _, model := range e.Player[arm].models(e.Players) {
		want = append(want, "player "+model)
	}
	if want = append(want, "npc "+e.NPC); !slices.Equal(got, want) {
		v.findf("sessions: %s has the seats %q, and the experiment has %q", r.ID, got, want)
	}
}

// same holds a list of the manifest against what the rows give.
func same[T any](v *verification, what string, says, give []T) {
	if len(says) != len(give) {
		v.findf("%s: it has %d %s, and the rows give %d", manifestName, len(says), what, len(give))
		return
	}
	for i := range says {
		a, err := json.Marshal(says[i])
		b, err2 := json.Marshal(give[i])
		if err != nil || err2 != nil || !bytes.Equal(a, b) {
			v.findf("%s: %s[%d] is %s, and the rows give %s", manifestName, what, i, a, b)
		}
	}
}

// uncosted lists what models used, without what it cost, which no row knows.
func uncosted(t *llm.Tally) (rows []llm.Row) {
	if t != nil {
		for _, r := range t.Rows {
			r.Cost = llm.Cost{}
			rows = append(rows, r)
		}
	}
	return rows
}

// check reads a stream, row by row, and compares its digest with the manifest's, and with that of the
// journal where it is still there.
func check[T any](v *verification, m *manifest, dir string, kept stream[T], each func(*T)) error {
	s, stream, timeless := verifiedStream{Format: "jsonl"}, kept.called, kept.timeless
	if exists(parquetPath(dir, stream)) {
		s.Format = "parquet"
	} else if m.State == stateComplete {
		v.findf("%s: %s is missing", stream, parquetPath(dir, stream))
	}
	var err error
	if s.Digest, s.Rows, err = logs.Digest(watched(rows[T](dir, stream), each), nil); err != nil {
		v.findf("%s: %v", stream, err)
		v.Streams[stream] = s
		return nil
	}
	s.Timeless = s.Digest
	if timeless != nil {
		if s.Timeless, _, err = logs.Digest(rows[T](dir, stream), timeless); err != nil {
			return err
		}
	}
	v.Streams[stream] = s
	if m.State != stateComplete && m.State != stateFailed {
		return nil // there is more to come
	}
	switch want, ok := m.Streams[stream]; {
	case !ok:
		v.findf("%s: %s has no digest of it", stream, manifestName)
	case want.Digest != s.Digest || want.Rows != s.Rows:
		v.findf("%s: %d rows with digest %.16s do not equal the journal's %d with %.16s", stream, s.Rows, s.Digest, want.Rows, want.Digest)
	}
	if s.Format == "parquet" && exists(journalPath(dir, stream)) {
		journal, err := kept.compaction().Digest(journalPath(dir, stream))
		switch {
		case err != nil:
			v.findf("%s: %v", stream, err)
		case journal.Digest != s.Digest || journal.Rows != s.Rows:
			v.findf("%s: %s holds %d rows with digest %.16s, and %s %d with %.16s", stream,
				journalPath(dir, stream), journal.Rows, journal.Digest, parquetPath(dir, stream), s.Rows, s.Digest)
		}
	}
	return nil
}

// watched lets a function see the rows that go by.
func watched[T any](rows iter.Seq2[T, error], each func(*T)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			if err == nil {
				each(&row)
			}
			if !yield(row, err) {
				return
			}
		}
	}
}
