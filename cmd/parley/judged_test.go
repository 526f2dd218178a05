package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"parley/eval"
	"parley/sim/llm"

	"parley/eval/run"

	"parley/eval/session"
)

// readAll reads a stream of a run.
func readAll[T any](t *testing.T, dir, stream string) (list []T) {
	t.Helper()
	for row, err := range rows[T](dir, stream) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	return list
}

// holds wants a run that verify finds nothing wrong with.
func holds(t *testing.T, dir string) *run.Findings {
	t.Helper()
	v, err := verifyRun(dir)
	if err != nil || len(v.Findings) > 0 {
		t.Fatalf("%v %v", err, v.Findings)
	}
	return v
}

// A judge that compares embeddings is asked again like every other model, and every request is a row of
// the calls, with its tokens.
func TestEmbeddingJudgeIsRetriedAndRecorded(t *testing.T) {
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			fmt.Fprint(w, `{"data":[{"id":"emb"}]}`)
			return
		}
		var req struct{ Input []string }
		if !strings.HasSuffix(r.URL.Path, "/embeddings") || json.NewDecoder(r.Body).Decode(&req) != nil {
			http.NotFound(w, r)
			return
		}
		if asked.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			http.Error(w, `{"error":{"message":"slow down"}}`, http.StatusTooManyRequests)
			return
		}
		var data []string
		for i, text := range req.Input {
			vector := make([]int, 64)
			for _, word := range strings.Fields(text) {
				vector[len(word)%8*8+int(word[0])%8]++
			}
			text, _ := json.Marshal(vector)
			data = append(data, fmt.Sprintf(`{"index":%d,"embedding":%s}`, i, text))
		}
		fmt.Fprintf(w, `{"model":"emb-1","data":[%s],"usage":{"prompt_tokens":7,"total_tokens":7}}`, strings.Join(data, ","))
	}))
	defer s.Close()
	dir := filepath.Join(t.TempDir(), "run")
	model := "openai:emb@" + s.URL + "/v1"
	runParley(t, exitOK, "run", "--sessions", "2", "--turns", "12", "--control", "none", "--judge", "embed:"+model, "--out", dir)
	v := holds(t, dir)
	calls := readAll[llm.Call](t, dir, "calls")
	attempts := 0
	for _, c := range calls {
		attempts += c.Attempt
		if c.Model != model || !strings.HasPrefix(c.Purpose, "judge:iep-embed") || c.Finish != llm.Embedded || c.Served != "emb-1" || c.Tokens == nil || *c.Tokens != 7 || len(c.Prompt) == 0 {
			t.Errorf("%+v", c)
		}
	}
	if len(calls) != 12 || attempts != 13 || v.Tables["messages"].Rows == 0 {
		t.Errorf("%d calls with %d attempts", len(calls), attempts)
	}
	m, err := run.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if sum := m.Usage.Total(); sum.Calls != 12 || sum.Asked != 13 || *sum.Prompt.Sum != 84 {
		t.Errorf("%+v", sum)
	}
	for _, score := range readAll[eval.Score](t, dir, "scores") {
		if score.Metric == "iep" && (score.Value == nil || len(score.Calls) != 1) {
			t.Errorf("%+v", score)
		}
	}
	shown, _ := runParley(t, exitOK, "show", "--session", "1", "--calls", dir)
	if !strings.Contains(shown, "(embedded, 7 prompt tokens") {
		t.Error("the requests are not shown")
	}
	_, talk := runParley(t, exitUsage, "run", "--sessions", "2", "--turns", "12", "--judge", "embed:replay:"+dir, "--out", dir+"2")
	if !strings.Contains(talk, "has no embeddings") {
		t.Error(talk)
	}
}

// A judge that is out of reach stops the run, as a player would: nothing is half scored, and once the
// judge is back the run is scored without being played again.
func TestRunStopsWithItsJudge(t *testing.T) {
	judge := judgeServer(t)
	_, address, _ := strings.Cut(strings.TrimSuffix(judge, "/v1"), "@")
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	var left atomic.Int64 // requests until the key is taken away
	proxy := httputil.NewSingleHostReverseProxy(target)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if left.Add(-1) < 0 {
			http.Error(w, `{"error":{"message":"no such key"}}`, http.StatusUnauthorized)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer s.Close()
	judge = strings.Replace(judge, address, s.URL, 1)
	dir := filepath.Join(t.TempDir(), "run")
	left.Store(16) // enough for a session and a half
	_, talk := runParley(t, exitFailed, "run", "--sessions", "3", "--turns", "8", "--jobs", "1", "--control", "none", "--judge", judge, "--out", dir)
	if !strings.Contains(talk, "no such key") || !strings.Contains(talk, "parley resume "+dir) {
		t.Error(talk)
	}
	events := readAll[json.RawMessage](t, dir, "events")
	done := map[string]bool{}
	for _, row := range readAll[session.Row](t, dir, "sessions") {
		done[row.ID] = true
	}
	scored := map[string]bool{}
	for _, score := range readAll[eval.Score](t, dir, "scores") {
		scored[score.Session] = true
	}
	if len(done) != 1 || len(scored) != 1 || len(events) == 0 {
		t.Fatalf("done are %v, scored are %v", done, scored)
	}
	left.Store(1 << 30)
	runParley(t, exitOK, "resume", dir)
	got := holds(t, dir)
	whole := dir + "2"
	runParley(t, exitOK, "run", "--sessions", "3", "--turns", "8", "--jobs", "1", "--control", "none", "--judge", judge, "--out", whole)
	if want := holds(t, whole); got.Tables["events"].Untimed != want.Tables["events"].Untimed || got.Tables["scores"].Rows != want.Tables["scores"].Rows {
		t.Errorf("%v, want %v", got.Tables, want.Tables)
	}
	for _, score := range readAll[eval.Score](t, dir, "scores") {
		if score.Value == nil && score.Status != eval.NotApplicable {
			t.Errorf("%+v", score)
		}
	}
}
