package viewer_test

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/eval/run"
	"parley/eval/session"
	"parley/logs"
	"parley/sim"
	"parley/sim/llm"
)

// A run that is under way grows, in its journal and when that becomes Parquet, and the page is told.
func TestGrowth(t *testing.T) {
	root := t.TempDir()
	whole := played(t, t.TempDir(), "whole")
	dir := filepath.Join(root, "run")
	must(t, os.Mkdir(dir, 0o777))
	m, err := run.ReadManifest(whole)
	must(t, err)
	finished := *m
	m.State, m.Results, m.Tables, m.Finished = run.Running, nil, nil, nil
	must(t, logs.WriteJSON(filepath.Join(dir, run.ManifestName), m))
	s := serve(t, root)
	listed := func(want string) {
		t.Helper()
		if got := s.text("/"); !strings.Contains(got, want) {
			t.Errorf("the list says %s, want %s", got, want)
		}
	}
	found := func(text, want string) {
		t.Helper()
		if got := s.text("/run/run/?q=" + url.QueryEscape(text)); !strings.Contains(got, want) {
			t.Errorf("the search for %s says %s, want %s", text, got, want)
		}
	}
	listed("running")
	if got := s.text("/run/run/"); !strings.Contains(got, "running: 0 of 18 sessions complete") {
		t.Fatalf("before the first session: %s", got)
	}
	resp, err := http.Get(s.url + "/run/run/live")
	must(t, err)
	defer resp.Body.Close()
	told := make(chan string, 1000)
	go func() {
		defer close(told)
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if lines.Text() != "" {
				told <- lines.Text()
			}
		}
	}()
	<-told // the state when it was asked
	var events []sim.Event
	for e, err := range session.Events.Read(whole) {
		must(t, err)
		if e.Session == "a01-0000001" {
			events = append(events, e)
		}
	}
	journal(t, dir, "events", events[:5])
	<-told
	if got := s.text("/run/run/"); !strings.Contains(got, "1 under way") || !strings.Contains(got, "1 of 1 situations") {
		t.Errorf("a session under way: %s", got)
	}
	const late = "turns" // why the play ends
	found(late, "0 of 1 situations")
	found(events[0].Text, "1 of 1 situations")
	if got := s.text("/run/run/session?id=a01-0000001"); !strings.Contains(got, "under way") || !strings.Contains(got, "Turn 1") || strings.Contains(got, "Turn 9") {
		t.Errorf("its page: %s", got)
	}
	journal(t, dir, "events", events[5:])
	found(late, "1 of 1 situations")
	for message, err := range run.Messages.Read(whole) {
		must(t, err)
		journal(t, dir, "messages", []run.Message{message})
	}
	for call, err := range run.Calls.Read(whole) {
		must(t, err)
		if call.Session == "a01-0000001" {
			journal(t, dir, "calls", []llm.Call{call})
		}
	}
	for row, err := range session.Sessions.Read(whole) {
		must(t, err)
		if row.ID == "a01-0000001" {
			journal(t, dir, "sessions", []session.Row{row})
		}
	}
	if got := s.text("/run/run/session?id=a01-0000001"); !strings.Contains(got, "Turn 9") || !strings.Contains(got, "After the play") {
		t.Errorf("its page at the end: %s", got)
	}
	if got := s.text("/run/run/turn?id=a01-0000001&turn=3"); !strings.Contains(got, "You play one character") || strings.Contains(got, "is missing") {
		t.Errorf("a prompt of a run under way: %s", got)
	}
	if got := s.text("/run/run/"); !strings.Contains(got, "1 of 18 sessions complete") || strings.Contains(got, "1 under way") {
		t.Errorf("one session is done: %s", got)
	}
	for _, name := range []string{"sessions", "events", "scores", "calls", "messages"} {
		data, err := os.ReadFile(filepath.Join(whole, name+".parquet"))
		must(t, err)
		must(t, logs.WriteFile(filepath.Join(dir, name+".parquet"), data))
		if err := os.Remove(filepath.Join(dir, name+".jsonl")); name != "scores" {
			must(t, err)
		}
	}
	must(t, logs.WriteJSON(filepath.Join(dir, run.ManifestName), finished))
	listed("complete")
	if got := s.text("/run/run/"); !strings.Contains(got, "18 of 18 sessions complete") || !strings.Contains(got, "6 of 6 situations") {
		t.Errorf("the finished run: %s", got)
	}
	for _, text := range []string{"one", "two", "three", "four", late} { // more texts than are remembered
		found(text, "of 6 situations")
	}
	found(events[0].Text, "1 of 6 situations")
	if got := s.text("/run/run/turn?id=a01-0000001&turn=3"); !strings.Contains(got, "You play one character") {
		t.Errorf("a prompt of the finished run: %s", got)
	}
	last := ""
	for line := range told {
		last = line
	}
	if last != "data: " {
		t.Errorf("the stream ends with %q, want the event end", last)
	}
}

// journal appends rows to the journal of a table.
func journal[T any](t *testing.T, dir, name string, rows []T) {
	t.Helper()
	var lines []byte
	for i := range rows {
		var err error
		lines, err = logs.AppendJSON(lines, &rows[i])
		must(t, err)
		lines = append(lines, '\n')
	}
	f, err := os.OpenFile(filepath.Join(dir, name+".jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	must(t, err)
	_, err = f.Write(lines)
	must(t, err)
	must(t, f.Close())
}

// Pages are told once that a run that is over changes no more, and of every change of the list of runs.
func TestLive(t *testing.T) {
	root := t.TempDir()
	made(t, filepath.Join(root, "made"))
	s := serve(t, root)
	s.text("/run/made/")
	over := func() string {
		_, body := s.get("/run/made/live")
		m := regexp.MustCompile("^(?:data: \\d+\n\n)*data: (\\d+)\n\nevent: end\ndata: \n\n$").FindStringSubmatch(body)
		if m == nil {
			t.Fatalf("of a run that is over: %q", body)
		}
		return m[1]
	}
	if one, two := over(), over(); one != two {
		t.Errorf("a run that is over is another one: %s, %s", one, two)
	}
	if status, _ := s.get("/run/gone/live"); status != http.StatusNotFound {
		t.Errorf("of no run: status %d", status)
	}
	resp, err := http.Get(s.url + "/live")
	must(t, err)
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	next := func() string {
		for lines.Scan() {
			if lines.Text() != "" {
				return lines.Text()
			}
		}
		return ""
	}
	before := next()
	made(t, filepath.Join(root, "more"))
	if after := next(); after == before || !strings.HasPrefix(after, "data: ") {
		t.Errorf("%q, and with another run %q", before, after)
	}
	if names := regexp.MustCompile(`made|more`).FindAllString(s.text("/"), -1); len(names) != 2 {
		t.Errorf("the list names %v", names)
	}
	must(t, os.WriteFile(filepath.Join(root, "more", run.ManifestName), []byte("{"), 0o600))
	if status, _ := s.get("/run/more/"); status != http.StatusUnprocessableEntity {
		t.Errorf("a broken manifest has status %d", status)
	}
	made(t, filepath.Join(root, "more"))
	s.text("/run/more/")
	for i := range 6 { // more runs than are kept in memory
		name := fmt.Sprint("run", i)
		made(t, filepath.Join(root, name))
		if got := s.text("/run/" + name + "/"); !strings.Contains(got, "3 of 3 situations") {
			t.Errorf("%s: %s", name, got)
		}
	}
	s.text("/run/made/")
}
