package session_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/eval/run"
	"parley/eval/session"
	"parley/logs"
	"parley/sim"
)

// journal writes a table as a journal, in the place of its Parquet file.
func journal[T any](t *testing.T, dir, name string, rows []T) {
	t.Helper()
	var lines []byte
	for i := range rows {
		var err error
		if lines, err = logs.AppendJSON(lines, &rows[i]); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, '\n')
	}
	if err := os.Remove(filepath.Join(dir, name+".parquet")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), lines, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Whatever does not follow from the configuration, or from the event before it, is found and named.
func TestVerifySessions(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	if _, err := run.Run(t.Context(), whole, plan(t, func(c *session.Config) {
		c.Sessions, c.Turns, c.Players, c.Scorers, c.Control, c.Player = 2, 3, 2, []string{"play"}, []string{}, []session.Arm{{Model: "reference:diligent"}}
	})(), run.Options{Kinds: kinds, Registry: registry(nil), Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	found := func(change func(events *[]sim.Event, row *session.Row)) string {
		events, err := session.Events.All(whole)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := session.Sessions.All(whole)
		if err != nil {
			t.Fatal(err)
		}
		change(&events, &rows[0])
		dir := filepath.Join(t.TempDir(), "run")
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		journal(t, dir, "events", events)
		journal(t, dir, "sessions", rows)
		f, err := run.Verify(dir, kinds)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(f.Findings, "\n")
	}
	ends := func(e sim.Event) bool { return e.Kind == sim.KindEnd }
	moves := func(e sim.Event) bool { return e.Kind == sim.KindAct }
	first := func(events []sim.Event, turn int) *sim.Event { // the first event of a turn
		return &events[slices.IndexFunc(events, func(e sim.Event) bool { return e.Turn == turn })]
	}
	for _, test := range []struct {
		reason string
		change func(events *[]sim.Event, row *session.Row)
		want   string
	}{
		{"no scene", func(e *[]sim.Event, _ *session.Row) { (*e)[0].Kind = sim.KindAct }, "session a01-0000001 does not begin with its scene"},
		{"a turn is left out", func(e *[]sim.Event, _ *session.Row) { first(*e, 1).Turn = 2 }, "event 1: turn 2 follows turn 0"},
		{"a turn comes again", func(e *[]sim.Event, _ *session.Row) { first(*e, 2).Turn = 0 }, "turn 0 follows turn 1"},
		{"an event is missing", func(e *[]sim.Event, _ *session.Row) { *e = slices.Delete(*e, 1, 2) }, "session a01-0000001 has event 2 where 1 should be"},
		{"a turn without an end", func(e *[]sim.Event, _ *session.Row) { first(*e, 1).Last = false }, "session a01-0000001: turn 1 is not whole"},
		{"a last turn without an end", func(e *[]sim.Event, _ *session.Row) {
			for i := range *e {
				if (*e)[i].Turn == 3 {
					(*e)[i].Last = false
				}
			}
		}, "the last turn of a01-0000001 is not whole"},
		{"no end", func(e *[]sim.Event, _ *session.Row) { (*e)[slices.IndexFunc(*e, ends)].Kind = sim.KindNarration }, "a01-0000001 ends 0 times"},
		{"two ends", func(e *[]sim.Event, _ *session.Row) { first(*e, 3).Kind = sim.KindEnd }, "a01-0000001 ends 2 times"},
		{"a pass that speaks", func(e *[]sim.Event, _ *session.Row) {
			m := &(*e)[slices.IndexFunc(*e, moves)]
			m.Kind, m.Speech, m.Deed = sim.KindPass, "Hm.", ""
		}, "is a pass that says or does something"},
		{"a pass that acts", func(e *[]sim.Event, _ *session.Row) {
			m := &(*e)[slices.IndexFunc(*e, moves)]
			m.Kind, m.Speech, m.Deed = sim.KindPass, "", "bows"
		}, "is a pass that says or does something"},
		{"a stranger acts", func(e *[]sim.Event, _ *session.Row) { first(*e, 1).Actor = "zed" }, "the events of a01-0000001 name zed, who is not in the cast"},
		{"a stranger hears", func(e *[]sim.Event, _ *session.Row) { first(*e, 1).Audience = append(first(*e, 1).Audience, "zed") }, "name zed, who is not in the cast"},
		{"no events", func(e *[]sim.Event, _ *session.Row) {
			*e = slices.DeleteFunc(*e, func(e sim.Event) bool { return e.Session == "a01-0000001" })
		}, "a01-0000001 is complete and has no events"},
		{"fewer turns than were played", func(_ *[]sim.Event, r *session.Row) { r.Turns, r.Ended = 2, "pass" }, "a01-0000001 says 2 turns, and 3 were played"},
		{"more turns than there can be", func(_ *[]sim.Event, r *session.Row) { r.Turns, r.Ended = 4, "pass" }, `a01-0000001 has 4 turns of 3, and was ended by "pass"`},
		{"ended by turns that were not played", func(_ *[]sim.Event, r *session.Row) { r.Turns = 2 }, `a01-0000001 has 2 turns of 3, and was ended by "turns"`},
		{"another arm", func(_ *[]sim.Event, r *session.Row) { r.Arm = "x" }, `the configuration has no a01-0000001, session 0 of arm "x"`},
		{"below the first", func(_ *[]sim.Event, r *session.Row) { r.Index = -1 }, "has no a01-0000001, session -1"},
		{"behind the last", func(_ *[]sim.Event, r *session.Row) { r.Index, r.ID = 2, session.ID(0, 2) }, "has no a01-0000003, session 2"},
		{"another number than its id", func(_ *[]sim.Event, r *session.Row) { r.Index = 1 }, "has no a01-0000001, session 1"},
		{"another kind", func(_ *[]sim.Event, r *session.Row) { r.Kind = "negotiation" }, "a01-0000001 is of kind negotiation with seed"},
		{"another seed", func(_ *[]sim.Event, r *session.Row) { r.Seed = "5" }, "a01-0000001 is of kind exchange with seed 5"},
		{"one twice in the cast", func(_ *[]sim.Event, r *session.Row) { r.Cast[1].ID = r.Cast[0].ID }, "in its cast twice"},
		{"another model", func(_ *[]sim.Event, r *session.Row) { r.Cast[0].Model = "reference:silent" }, "a01-0000001 has the seats"},
		{"no NPC", func(_ *[]sim.Event, r *session.Row) { r.Cast = r.Cast[:2] }, "a01-0000001 has the seats"},
	} {
		if got := found(test.change); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", test.reason, got, test.want)
		}
	}
	if got := found(func(*[]sim.Event, *session.Row) {}); strings.Contains(got, "a01-") {
		t.Errorf("of an undisturbed run: %s", got)
	}
}

// Named scorers are added to those of the run, and no others are asked.
func TestScoreWithNamedScorers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	o := run.Options{Kinds: kinds, Registry: registry(nil), Now: time.Now}
	if _, err := run.Run(t.Context(), dir, plan(t, func(c *session.Config) {
		c.Sessions, c.Turns, c.Scorers, c.Control = 2, 4, []string{"play"}, []string{}
	})(), o); err != nil {
		t.Fatal(err)
	}
	m, err := session.Score(t.Context(), dir, []string{"words"}, "", o)
	if err != nil || m.Result("word_share", "reference:diligent", "") == nil || m.Result("valid_turns", "reference:diligent", "") == nil || m.Result("iep", "reference:diligent", "") != nil {
		t.Errorf("%v, %+v", err, m.Results)
	}
	_, c, err := session.Read(dir)
	if err != nil || strings.Join(c.Scorers, " ") != "play words" {
		t.Errorf("%v, %v", c.Scorers, err)
	}
}
