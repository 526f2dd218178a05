package viewer_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"parley/eval"
	"parley/eval/run"
	"parley/eval/session"
	"parley/eval/viewer"
	"parley/logs"
	"parley/sim"
	"parley/sim/llm"
)

// site is a viewer with a client that has its address.
type site struct {
	t   *testing.T
	url string
}

func serve(t *testing.T, dir string) *site {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	v, err := viewer.New(ctx, dir, viewer.Options{Every: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(v)
	t.Cleanup(func() { stop(); server.Close() })
	return &site{t, server.URL}
}

// get returns the status and the body of a page.
func (s *site) get(path string) (int, string) {
	s.t.Helper()
	resp, err := http.Get(s.url + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// text returns what a page says, once it has been read whole.
func (s *site) text(path string) string {
	s.t.Helper()
	for range 200 {
		status, body := s.get(path)
		if status != http.StatusOK {
			s.t.Fatalf("%s: status %d: %s", path, status, plain(body))
		}
		if !strings.Contains(body, "fills in by itself") {
			return plain(body)
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Fatalf("%s is not read to its end", path)
	return ""
}

var tags = regexp.MustCompile(`<[^>]*>`)

// plain returns the text of HTML, in one line.
func plain(body string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(body, " "))), " ")
}

// played plays sessions of three arms, one a script that is malformed now and then, into dir/name.
func played(t *testing.T, dir, name string) string {
	t.Helper()
	talk := `
- purpose: debrief
  reply: "I learned nothing."
- replies:
    - "SAY: What is it, really?"
    - ""
    - "<think>quietly</think>SAY: Where is it?\nDO: leans closer"
`
	c := session.Default()
	c.Sessions, c.Turns, c.Form, c.Control = 6, 12, "lines", []string{"no-conversation"}
	c.Player = []session.Arm{{Name: "talk", Model: "script:talk.yaml"}, {Model: "reference:diligent"}, {Model: "reference:silent"}}
	if err := c.Complete(); err != nil {
		t.Fatal(err)
	}
	o := run.Options{
		Kinds: run.Kinds{session.Kind: session.Decode}, Now: time.Now, Version: "test",
		Registry: llm.Registry{llm.ScriptAdapter(func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(talk)), nil })},
	}
	path := filepath.Join(dir, name)
	if _, err := run.Run(t.Context(), path, session.New(c), o); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPages(t *testing.T) {
	root := t.TempDir()
	dir := played(t, root, "one")
	before := files(t, root)
	s := serve(t, root)
	for _, tt := range []struct {
		path   string
		want   []string
		reason string
	}{
		{"/", []string{"one", "session", "complete", "18 of 18", "talk reference:diligent", "IEP"}, "the list of runs"},
		{"/run/one/", []string{"18 of 18 sessions complete", "6 of 6 situations", "talk mean", "side by side", "empty", "12 turns"}, "sessions by arms"},
		{"/run/one/results", []string{"At a glance", "Measures by arm", "Every result", "Models and what they used", "script:talk.yaml", `"sessions": 6`, "scores.parquet"}, "any run"},
		{"/run/one/session?id=a02-0000001", []string{"reference:diligent", "Before the play", "Turn 1", "After the play", "debrief no-conversation", "gives away fact", "10 found", "Where it was said", "beside talk"}, "a session"},
		{"/run/one/session?id=a01-0000001", []string{"malformed: empty", "prompt", "talk"}, "a session of a model"},
		{"/run/one/session?id=a01-0000002&with=a02-0000002", []string{"a01-0000002 and a02-0000002", "alone", "talk", "reference:diligent"}, "two sessions"},
		{"/run/one/turn?id=a01-0000001&turn=3", []string{"1 call", "You play one character", "<think>quietly</think>SAY: Where is it?", "Prompt, ", "reply unknown", "a01-0000001/3/"}, "a turn's prompt and reply"},
		{"/run/one/turn?id=a01-0000001&turn=0", []string{"outside of the play", "debrief:no-conversation"}, "calls outside of the play"},
		{"/run/one/turn?id=a02-0000001&turn=1", []string{"built-in actors need none"}, "a turn without a model"},
	} {
		got := s.text(tt.path)
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s (%s) does not say %q:\n%s", tt.path, tt.reason, want, got)
			}
		}
	}
	if after := files(t, root); !slices.Equal(before, after) {
		t.Errorf("files changed:\n%v\n%v", before, after)
	}
	alone := serve(t, dir)
	if got := alone.text("/run/one/"); !strings.Contains(got, "6 of 6 situations") {
		t.Errorf("a directory that is a run: %s", got)
	}
	if got := alone.text("/"); !strings.Contains(got, "18 of 18") {
		t.Errorf("its list: %s", got)
	}
}

// files lists everything below a directory with sizes and times.
func files(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			list = append(list, fmt.Sprint(path, info.Size(), info.ModTime()))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A score's evidence is pointed out where the player told it and where it was told the player.
func TestEvidence(t *testing.T) {
	root := t.TempDir()
	dir := played(t, root, "one")
	s := serve(t, root)
	tr, err := session.ReadTranscript(dir, "a02-0000001", false)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(tr.Scores, func(sc eval.Score) bool { return sc.Metric == "iep" && sc.Control == "" && *sc.Value > 40 })
	if i < 0 {
		t.Fatal("no player found out much")
	}
	score := tr.Scores[i]
	s.text("/run/one/")
	_, body := s.get("/run/one/session?id=a02-0000001&of=" + url.QueryEscape(strings.Join([]string{score.Scorer, score.Metric, score.Subject, "", score.Method}, "/")))
	marks := regexp.MustCompile(`<mark>([^<]*)<sup`).FindAllStringSubmatch(body, -1)
	for n, e := range score.Evidence {
		if e.Got == "" {
			continue
		}
		told := 0
		for _, m := range marks {
			if html.UnescapeString(m[1]) == e.Got || strings.Contains(e.Got, html.UnescapeString(m[1])) {
				told++
			}
		}
		if told == 0 {
			t.Errorf("key point %d (%q) is pointed out nowhere", n+1, e.Got)
		}
		by := slices.IndexFunc(tr.Events, func(ev sim.Event) bool { return slices.Contains(ev.Facts, n) })
		if by >= 0 && !regexp.MustCompile(fmt.Sprintf(`(?s)id="a1-e%d".*?<mark>.*?<sup[^>]*>%d</sup>.*?</li>`, tr.Events[by].Seq, n+1)).MatchString(body) {
			t.Errorf("key point %d is not pointed out in turn %d, which gave it away", n+1, tr.Events[by].Turn)
		}
	}
}

// write writes a table as Parquet.
func write[T any](t testing.TB, dir, name string, rows []T) {
	t.Helper()
	_, err := logs.WriteParquet(filepath.Join(dir, name+".parquet"), func(yield func(T, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}, logs.Meta{})
	if err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
