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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"parley/finetune"
	"parley/finetune/publish"
	"parley/logs"
)

// runParley runs a command as a user does.
func runParley(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, talk bytes.Buffer
	if got := Main(t.Context(), append([]string{"parley"}, args...), &out, &talk); got != want {
		t.Fatalf("parley %s: status %d, want %d\n%s%s", strings.Join(args, " "), got, want, out.String(), talk.String())
	}
	return out.String(), talk.String()
}

// exampleRows reads a split of a dataset.
func exampleRows(t *testing.T, dir string, s finetune.Split) (list []publish.Row) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "data", string(s)+"-*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for row, err := range logs.ReadParquet[publish.Row](file) {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, row)
		}
	}
	return list
}

var nonce = regexp.MustCompile(`nonce of this question, which is ([0-9a-f]+)`)

var schemaItems = regexp.MustCompile(`"minItems": ?(\d+)`)

// judgeServer is a chat model behind OpenAI's interface that judges key points. It copies the nonce
// as a good judge does; of its first replies some are none.
func judgeServer(t *testing.T) string {
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/models") {
			fmt.Fprint(w, `{"object":"list","data":[{"id":"big","object":"model"}]}`)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r)
			return
		}
		var req struct {
			Messages []struct{ Content string }
		}
		if err := json.Unmarshal(body, &req); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		question := req.Messages[len(req.Messages)-1].Content
		reply := "I would rather not say."
		if found := nonce.FindStringSubmatch(question); found != nil && asked.Add(1)%5 != 1 {
			reply = fmt.Sprintf("Here it is:\n{\"nonce\": %q, \"matches\": [{\"known\": 1, \"told\": 1}]}", found[1])
			if strings.Contains(question, "are stated") {
				reply = fmt.Sprintf(`{"nonce": %q, "stated": [1]}`, found[1])
			} else if n := schemaItems.FindSubmatch(body); n != nil {
				k, err := strconv.Atoi(string(n[1]))
				if err != nil {
					t.Error(err)
				}
				points := slices.Repeat([]string{`"a point"`}, k)
				reply = fmt.Sprintf(`{"nonce": %q, "points": [%s]}`, found[1], strings.Join(points, ", "))
			}
		}
		text, err := json.Marshal(reply)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, `{"id":"1","object":"chat.completion","model":"big","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}`, text)
	}))
	t.Cleanup(s.Close)
	return "openai:big@" + s.URL + "/v1"
}

// A run that a model judged teaches how it judged: with the questions' nonces, and without what was
// asked again.
func TestBuildOfAJudgedRun(t *testing.T) {
	run, out := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "out")
	runParley(t, exitOK, "run", "--sessions", "4", "--turns", "12", "--jobs", "1", "--judge", judgeServer(t), "--out", run)
	printed, _ := runParley(t, exitOK, "finetune", "build", "--task", "judge", "--split", "100/0/0", "--out", out, "--json", run)
	var report struct {
		Read, Kept int
		Dropped    []finetune.Count
	}
	if err := json.Unmarshal([]byte(printed), &report); err != nil {
		t.Fatal(err)
	}
	reasons := map[string]int{}
	for _, c := range report.Dropped {
		reasons[c.Name] = c.N
	}
	if reasons["unscored"] == 0 || reasons["asked again"] == 0 || report.Kept == 0 || len(reasons) != 2 {
		t.Errorf("%d kept, dropped %v", report.Kept, reasons)
	}
	list := exampleRows(t, out, finetune.Train)
	if len(list) != report.Kept {
		t.Errorf("%d rows, and %d were kept", len(list), report.Kept)
	}
	purposes := map[string]int{}
	for _, row := range list {
		purposes[row.Labels[0]]++
		question, answer := row.Prompt[len(row.Prompt)-1].Content, row.Completion[0].Content
		found := nonce.FindStringSubmatch(question)
		var object map[string]any
		if json.Unmarshal([]byte(answer), &object) != nil || found == nil || object["nonce"] != found[1] {
			t.Errorf("%s: %q is no answer to %q", row.ID, answer, question)
		}
		if strings.Contains(question, "earlier answer") || row.Score == nil || len(row.Prompt) != 2 {
			t.Errorf("%s: %+v", row.ID, row)
		}
	}
	if purposes["iep-points"] == 0 || purposes["iep-match"] == 0 {
		t.Errorf("verdicts %v", purposes)
	}
}

// The acceptance in small: from one run, with every format that holds the task, and every format is
// valid by parley's own validator.
func TestBuildWritesEveryFormat(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	runParley(t, exitOK, "run", "--sessions", "40", "--player", "reference:diligent", "--player", "reference:loner", "--out", at("exchange"))
	runParley(t, exitOK, "run", "--scenario", "intention", "--sessions", "40", "--out", at("intention"))
	teaching := []string{"openai-sft", "azure-sft", "trl-sft", "axolotl", "llama-factory", "sharegpt", "alpaca", "mlx", "unsloth"}
	for _, test := range []struct {
		name    string
		formats []string
		args    []string
	}{
		{"dm", teaching, []string{"--task", "dm", at("intention")}},
		{"turns", teaching, []string{"--task", "roleplay", at("exchange"), at("intention")}},
		{"conversations", teaching, []string{"--task", "roleplay", "--per", "conversation", at("exchange")}},
		{"preference", []string{"openai-dpo", "trl-dpo"}, []string{"--task", "preference", at("exchange")}},
	} {
		args := []string{"finetune", "build", "--split", "60/20/20", "--out", at(test.name)}
		for _, f := range test.formats {
			args = append(args, "--format", f)
		}
		runParley(t, exitOK, append(args, test.args...)...)
		for _, f := range test.formats {
			runParley(t, exitOK, "finetune", "validate", "--for", f, filepath.Join(at(test.name), "formats", f))
		}
		ids := map[string]bool{}
		groups := map[string]finetune.Split{}
		for _, s := range finetune.Splits() {
			list := exampleRows(t, at(test.name), s)
			if len(list) == 0 {
				t.Errorf("%s: %s is empty", test.name, s)
			}
			for _, row := range list {
				if ids[row.ID] || groups[row.Group] != "" && groups[row.Group] != s {
					t.Fatalf("%s: %s of the group %s stands twice", test.name, row.ID, row.Group)
				}
				ids[row.ID], groups[row.Group] = true, s
				if !slices.Equal(row.Messages, slices.Concat(row.Prompt, row.Completion)) || (test.name == "preference") != (len(row.Rejected) == 1) {
					t.Fatalf("%s: %+v", test.name, row)
				}
			}
		}
	}
}

// A build that ends in an error or is stopped leaves nothing behind.
func TestBuildLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	runParley(t, exitOK, "run", "--sessions", "2", "--out", run)
	for _, args := range [][]string{{"--task", "judge", run}, {"--task", "roleplay", "--max-tokens", "10", run}} {
		runParley(t, exitFailed, append([]string{"finetune", "build", "--out", filepath.Join(dir, "out")}, args...)...)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v is left, %v", entries, err)
	}
}
