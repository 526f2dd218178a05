package viewer_test

import (
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/characters"
	"parley/eval"
	"parley/eval/run"
	"parley/eval/session"
	"parley/eval/viewer"
	"parley/logs"
	"parley/sim"
	"parley/sim/llm"
)

// Sizes of the generated run, each for a session.
const (
	bigArms     = 4
	bigEvents   = 34
	bigCalls    = 24
	bigMessages = 12
)

// big writes a run of so many sessions in four arms as Parquet, made up but of the usual size.
func big(b *testing.B, dir string, sessions int) {
	b.Helper()
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	must(os.MkdirAll(dir, 0o777))
	words := strings.Fields("the heron is made of brass and bog oak which a keeper found beneath an old weir where nobody would have looked for it had the river not fallen")
	text := func(r *rand.Rand, n int) string {
		var s strings.Builder
		for range n {
			s.WriteString(words[r.IntN(len(words))])
			s.WriteByte(' ')
		}
		return s.String() + "."
	}
	m := run.Manifest{
		Format: run.Format, ID: "big", Kind: session.Kind, State: run.Complete, Config: json.RawMessage("{}"), Of: sessions, Tables: map[string]run.TableState{},
		Metrics: []eval.Metric{{Scorer: "iep", Name: "iep", Title: "IEP", High: 100, Headline: true}},
	}
	for arm := range bigArms {
		m.Arms = append(m.Arms, fmt.Sprintf("arm %d", arm+1))
	}
	each := func(yield func(arm, i int, id string, r *rand.Rand) bool) {
		for arm := range bigArms {
			for i := range sessions / bigArms {
				if !yield(arm, i, session.ID(arm, i), rand.New(rand.NewPCG(uint64(arm), uint64(i)))) {
					return
				}
			}
		}
	}
	hash := func(n int) string { return fmt.Sprintf("%032x", uint64(n)<<20) }
	write := func(name string, n int, err error) {
		must(err)
		m.Tables[name] = run.TableState{Rows: int64(n)}
	}
	file := func(name string) string { return filepath.Join(dir, name+".parquet") }
	_, err := logs.WriteParquet(file("sessions"), rows(each, func(arm, i int, id string, r *rand.Rand) (list []session.Row) {
		return []session.Row{{
			ID: id, Index: i, Arm: m.Arms[arm], Title: fmt.Sprintf("situation %d", i%40), State: run.Complete, Ended: "turns", Turns: 30, Moves: 23, Valid: 22, Scenario: text(r, 500),
			Cast: []session.Seat{{ID: "a", Name: "Ada", Role: "player", Model: "m"}, {ID: "b", Name: "Bo", Role: "npc", Model: "m"}},
		}}
	}), logs.Meta{})
	write("sessions", sessions, err)
	_, err = logs.WriteParquet(file("events"), rows(each, func(_, i int, id string, r *rand.Rand) (list []sim.Event) {
		for n := range bigEvents {
			e := sim.Event{Session: id, Seq: n, Turn: n, Kind: sim.KindAct, Actor: characters.ID([]string{"a", "b"}[n%2]), Speech: text(r, 25), Last: true}
			if n < bigCalls {
				e.Calls = []string{fmt.Sprintf("%s/%d/a/act/0", id, n)}
			}
			if n == 7 && i%11 == 0 {
				e.Fault = "empty"
			}
			list = append(list, e)
		}
		return list
	}), logs.Meta{})
	write("events", sessions*bigEvents, err)
	_, err = logs.WriteParquet(file("scores"), rows(each, func(arm, i int, id string, r *rand.Rand) (list []eval.Score) {
		for n := range 24 {
			v := float64(r.IntN(101))
			list = append(list, eval.Score{
				Session: id, Item: session.Item(i), Arm: m.Arms[arm], Scorer: "iep", Metric: []string{"iep", "precision", "f1", "heard", "unheard", "iep_heard"}[n%6], Subject: "a",
				Control: []string{"", "", "told", "no-conversation"}[n%4], Value: &v, Status: eval.Scored, Method: "lexical", Evidence: []eval.Evidence{{Want: text(r, 8), Got: text(r, 8)}},
			})
		}
		return list
	}), logs.Meta{})
	write("scores", sessions*24, err)
	at := 0
	_, err = logs.WriteParquet(file("calls"), rows(each, func(_, _ int, id string, r *rand.Rand) (list []llm.Call) {
		for n := range bigCalls {
			c := llm.Call{Session: id, ID: fmt.Sprintf("%s/%d/a/act/0", id, n), Turn: n, Actor: "a", Purpose: "act", Model: "m", Reply: text(r, 30), Finish: "stop", Attempt: 1, Total: 1e6}
			for k := range bigMessages {
				c.Prompt = append(c.Prompt, hash((at*7919+k*104729)%(sessions*bigMessages)))
			}
			list = append(list, c)
		}
		at++
		return list
	}), logs.Meta{})
	write("calls", sessions*bigCalls, err)
	_, err = logs.WriteParquet(file("messages"), func(yield func(run.Message, error) bool) {
		r := rand.New(rand.NewPCG(1, 2))
		for n := range sessions * bigMessages {
			if !yield(run.Message{Hash: hash(n), Role: llm.User, Content: text(r, 90)}, nil) {
				return
			}
		}
	}, logs.Meta{})
	write("messages", sessions*bigMessages, err)
	must(logs.WriteJSON(filepath.Join(dir, run.ManifestName), m))
}

// rows yields the rows of each session.
func rows[T any](each func(func(arm, i int, id string, r *rand.Rand) bool), of func(arm, i int, id string, r *rand.Rand) []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		each(func(arm, i int, id string, r *rand.Rand) bool {
			for _, row := range of(arm, i, id, r) {
				if !yield(row, nil) {
					return false
				}
			}
			return true
		})
	}
}

// BenchmarkPages measures each page of a big run once it is read, and how long reading takes. PARLEY_VIEW_SESSIONS
// says how big (100,000 are asked of it), PARLEY_VIEW_DIR where to keep the run, for a look by parley view.
func BenchmarkPages(b *testing.B) {
	sessions, _ := strconv.Atoi(os.Getenv("PARLEY_VIEW_SESSIONS"))
	sessions = max(sessions, 2000)
	root := os.Getenv("PARLEY_VIEW_DIR")
	if root == "" {
		root = b.TempDir()
	}
	dir := filepath.Join(root, "big")
	if _, err := os.Stat(filepath.Join(dir, run.ManifestName)); err != nil {
		big(b, dir, sessions)
	}
	v, err := viewer.New(b.Context(), root, viewer.Options{})
	if err != nil {
		b.Fatal(err)
	}
	get := func(path string) string {
		w := httptest.NewRecorder()
		req := httptest.NewRequest(http.MethodGet, path, nil)
		req.Host = "localhost"
		v.ServeHTTP(w, req)
		if w.Code != http.StatusOK {
			b.Fatalf("%s: status %d", path, w.Code)
		}
		return w.Body.String()
	}
	began := time.Now()
	slowest := time.Duration(0)
	for read := false; !read; time.Sleep(20 * time.Millisecond) {
		at := time.Now()
		read = !strings.Contains(get("/run/big/"), "fills in by itself")
		took := time.Since(at)
		slowest = max(slowest, took)
	}
	b.Logf("read %d sessions in %v; the slowest page meanwhile took %v", sessions, time.Since(began).Round(time.Millisecond), slowest.Round(time.Millisecond))
	last := session.ID(bigArms-1, sessions/bigArms-1)
	for name, path := range map[string]string{
		"list": "/", "first": "/run/big/", "last": fmt.Sprintf("/run/big/?page=%d", sessions/bigArms/50), "fault": "/run/big/?fault=empty", "score": "/run/big/?min=90&sort=apart",
		"text": "/run/big/?q=situation+7", "results": "/run/big/results", "session": "/run/big/session?id=" + session.ID(1, sessions/bigArms/2), "beside": "/run/big/session?id=" + last + "&with=" + session.ID(0, sessions/bigArms-1),
		"turn": "/run/big/turn?turn=9&id=" + last,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				get(path)
			}
		})
	}
}
