package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/eval/session"
)

// A run of models that stops at any request and is resumed ends as one that did not stop: with the same
// calls, where old turns were left out of prompts, and after the same turn, where tokens end the play.
// Debriefs before the play do not bring that end nearer.
func TestStoppedRunOfModelsEndsAsIfUndisturbed(t *testing.T) {
	asked, stop := 0, 0 // requests so far; the one at which the server shuts everybody out
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			fmt.Fprint(w, `{"data":[{"id":"m"}]}`)
			return
		}
		if asked++; asked == stop {
			http.Error(w, `{"error":{"message":"no"}}`, http.StatusUnauthorized)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if len(body) > 6000 {
			http.Error(w, `{"error":{"message":"too long","code":"context_length_exceeded"}}`, http.StatusBadRequest)
			return
		}
		reply, _ := json.Marshal(fmt.Sprintf("SAY: It is as I said, %d times over, and %s.", len(body), strings.Repeat("on it goes ", len(body)%7)))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":20}}`, reply, len(body)/4)
	}))
	defer server.Close()
	dir := t.TempDir()
	parley := func(want int, args ...string) {
		t.Helper()
		var out, talk bytes.Buffer
		if got := Main(t.Context(), append([]string{"parley"}, args...), &out, &talk); got != want {
			t.Fatalf("parley %v: status %d, want %d\n%s%s", args, got, want, &out, &talk)
		}
	}
	exp := filepath.Join(dir, "exp.yaml")
	model := "openai:m?stream=false&strict=false@" + server.URL + "/v1"
	text := fmt.Sprintf("player: [%q]\nnpc: %q\nsessions: 1\nform: lines\nendings: {tokens: 24000}\nsampling: {player: {num_ctx: 512}, npc: {num_ctx: 512}}\n", model, model)
	if err := os.WriteFile(exp, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	turns := func(run string) (n int) {
		for row, err := range rows[session.Row](run, "sessions") {
			if err != nil {
				t.Fatal(err)
			}
			n = row.Turns
		}
		return n
	}
	plain, want := filepath.Join(dir, "plain"), filepath.Join(dir, "want")
	parley(exitOK, "run", exp, "--out", plain)
	asked = 0
	parley(exitOK, "run", exp, "--control", "no-conversation", "--out", want)
	if a, b := turns(plain), turns(want); a != b || a >= 30 {
		t.Errorf("%d turns, and %d with debriefs before them; tokens should have ended both alike", a, b)
	}
	requests := asked
	undisturbed, err := verifyRun(want)
	if err != nil {
		t.Fatal(err)
	}
	for _, stop = range spread(requests) {
		asked = 0
		got := filepath.Join(dir, fmt.Sprint("stopped", stop))
		parley(exitFailed, "run", exp, "--control", "no-conversation", "--out", got)
		parley(exitOK, "resume", got)
		resumed, err := verifyRun(got)
		if err != nil {
			t.Fatal(err)
		}
		for _, stream := range tableNames {
			if x, y := undisturbed.Tables[stream], resumed.Tables[stream]; x.Rows != y.Rows || x.Untimed != y.Untimed {
				t.Errorf("stopped at request %d: %s has %d rows, undisturbed %d; digests %.12s, %.12s", stop, stream, y.Rows, x.Rows, y.Untimed, x.Untimed)
			}
		}
	}
}

// spread returns the first two and the last two of so many places, and six between.
func spread(n int) (places []int) {
	for i := range 8 {
		places = append(places, 1+i*(n-1)/7)
	}
	places = append(places, 2, n-1)
	slices.Sort(places)
	return slices.Compact(places)
}
