package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/finetune/hosted"
	"parley/finetune/hosted/hostedtest"
)

const jobsKey = "sk-jobs-0123456789"

// jobsBench is a server and a dataset as finetune build makes it.
type jobsBench struct {
	*testing.T
	*hostedtest.Server
	url string
	dir string
}

func newJobsBench(t *testing.T, s *hostedtest.Server) *jobsBench {
	t.Helper()
	s.Now = time.Now
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Setenv("JOBS_KEY", jobsKey)
	b := &jobsBench{t, s, server.URL + "/v1", filepath.Join(t.TempDir(), "my data")}
	if s.Azure {
		b.url = server.URL
	}
	b.examples("openai-sft", "train.jsonl", 60, `{"messages":[{"role":"user","content":"Who tries what at door %d?"},{"role":"assistant","content":"[]","weight":1}]}`)
	b.examples("openai-sft", "validation.jsonl", 3, `{"messages":[{"role":"user","content":"And at gate %d?"},{"role":"assistant","content":"[]","weight":1}]}`)
	return b
}

func (b *jobsBench) examples(format, name string, n int, line string) {
	b.Helper()
	var text strings.Builder
	if format == "azure-sft" {
		text.WriteString("\ufeff")
	}
	for i := range n {
		fmt.Fprintf(&text, line+"\n", i)
	}
	path := filepath.Join(b.dir, "formats", format, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		b.Fatal(err)
	}
}

// parley runs a command and holds that no key stands in what it prints or in what it writes.
func (b *jobsBench) parley(ctx context.Context, want int, args ...string) (stdout, stderr string) {
	b.Helper()
	var out, talk bytes.Buffer
	got := Main(ctx, append([]string{"parley", "finetune"}, args...), &out, &talk)
	if got != want {
		b.Fatalf("status %d, want %d: %q\n%s%s", got, want, args, &out, &talk)
	}
	if strings.Contains(out.String()+talk.String(), jobsKey) {
		b.Errorf("the key is on the screen: %q\n%s%s", args, &out, &talk)
	}
	records, err := filepath.Glob(filepath.Join(b.dir, "jobs", "*"))
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range records {
		if text, err := os.ReadFile(name); err != nil || bytes.Contains(text, []byte(jobsKey)) {
			b.Errorf("the key is in %s (%v)", name, err)
		}
	}
	return out.String(), talk.String()
}

func (b *jobsBench) start(want int, more ...string) (stdout, stderr string) {
	b.Helper()
	args := []string{"start", b.dir, "--model", "base-1", "--base-url", b.url, "--key-env", "JOBS_KEY", "--yes", "--every", "5ms"}
	return b.parley(b.Context(), want, append(args, more...)...)
}

func (b *jobsBench) has(text string, wants ...string) {
	b.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			b.Errorf("%q is not in:\n%s", want, text)
		}
	}
}

func TestFinetuneJob(t *testing.T) {
	b := newJobsBench(t, &hostedtest.Server{Key: jobsKey, Training: 50 * time.Millisecond, Steps: 4})
	prices := filepath.Join(t.TempDir(), "prices.yaml")
	if err := os.WriteFile(prices, []byte("currency: USD\nmodels:\n  base-1: {input: 0, output: 0, training: 10}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, talk := b.start(0, "--wait", "--prices", prices, "--epochs", "2", "--suffix", "valna", "--hyperparameter", "lora=true", "--metadata", "team=dm")
	b.has(out, "succeeded", "12345 tokens", "parley run --player 'openai:ft:base-1:org-test:valna:0001?key_env=JOBS_KEY@"+b.url+"'",
		"parley finetune eval --model 'tuned:openai:ft:base-1:org-test:valna:0001?key_env=JOBS_KEY@"+b.url+"'")
	b.has(talk, "60 examples", "2 epochs", "approximate", " USD", "sending train.jsonl", "sending validation.jsonl", "step 4 of 4", "Created fine-tuning job")
	for i, f := range b.Files() {
		want, err := os.ReadFile(filepath.Join(b.dir, "formats/openai-sft", f.Name))
		if err != nil || !bytes.Equal(f.Content, want) || f.Length <= int64(len(want)) || i > 1 {
			t.Errorf("file %d was sent as %q, %d bytes (%v)", i, f.Name, len(f.Content), err)
		}
	}
	var sent struct {
		Suffix     string
		Seed       int
		Validation string `json:"validation_file"`
		Metadata   map[string]string
		Method     struct {
			Type       string
			Supervised struct{ Hyperparameters map[string]any }
		}
	}
	if err := json.Unmarshal([]byte(b.Requests("POST /fine_tuning/jobs")[0].Body), &sent); err != nil {
		t.Fatal(err)
	}
	if h := sent.Method.Supervised.Hyperparameters; sent.Suffix != "valna" || sent.Seed != 1 || sent.Validation != "file-0002" || sent.Metadata["team"] != "dm" || sent.Method.Type != "supervised" || h["n_epochs"] != 2.0 || h["lora"] != true {
		t.Errorf("sent %+v", sent)
	}

	// The same again is the same job; all commands know it by its directory, and by its id.
	_, talk = b.start(0, "--epochs", "2", "--suffix", "valna", "--hyperparameter", "lora=true", "--metadata", "team=dm")
	b.has(talk, "was started before", "--again")
	out, _ = b.parley(t.Context(), 0, "status", b.dir, "--json")
	var status hosted.Answer
	if err := json.Unmarshal([]byte(out), &status); err != nil || status.Job.State != hosted.Succeeded || status.Player == "" || status.Predictor != "tuned:"+status.Player {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := registry().Open(t.Context(), status.Player, environment()); err != nil {
		t.Errorf("the model's name does not open: %v", err)
	}
	b.parley(t.Context(), 0, "wait", "ftjob-0001", "--base-url", b.url, "--key-env", "JOBS_KEY")
	out, _ = b.parley(t.Context(), 0, "events", b.dir, "--limit", "3")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 3 || !strings.Contains(lines[0], "Step 3/4") || !strings.Contains(lines[0], "train_loss 0.66") || !strings.Contains(lines[2], "completed") {
		t.Errorf("events are\n%s", out)
	}
	out, _ = b.parley(t.Context(), 0, "events", "ftjob-0001", "--base-url", b.url, "--key-env", "JOBS_KEY", "--json")
	b.has(out, `"id": "ftjob-0001"`, `"train_loss": 2`)
	out, _ = b.parley(t.Context(), 0, "list", b.dir)
	b.has(out, "ftjob-0001", "succeeded", "base-1", b.url)
	out, _ = b.parley(t.Context(), 0, "list", "--base-url", b.url, "--key-env", "JOBS_KEY", "--json")
	b.has(out, `"fine_tuned_model": "ft:base-1:org-test:valna:0001"`)
	_, talk = b.parley(t.Context(), 1, "cancel", b.dir)
	b.has(talk, "already completed")
	b.start(0, "--again", "--epochs", "2", "--suffix", "valna", "--hyperparameter", "lora=true", "--metadata", "team=dm")
	if jobs := b.Jobs(); len(jobs) != 2 || len(b.Files()) != 2 {
		t.Errorf("jobs are %v, with %d files", jobs, len(b.Files()))
	}
}

func TestFinetuneJobThatEndsBadly(t *testing.T) {
	tests := []struct {
		end, failure string
		status       int
		says         string
	}{
		{"failed", `{"code":"invalid_training_file","message":"Line 3 is \u001b[2Jodd ` + jobsKey + `","param":"training_file"}`, 1, "invalid_training_file: Line 3 is odd [key] (training_file)"},
		{"failed", `{}`, 1, "the server gave no reason"},
		{"failed", `null`, 1, "the server gave no reason"},
		{"cancelled", ``, 3, "was cancelled"},
	}
	for _, tt := range tests {
		b := newJobsBench(t, &hostedtest.Server{Key: jobsKey, End: tt.end, Failure: tt.failure})
		out, talk := b.start(tt.status, "--wait", "--json")
		b.has(talk, tt.says)
		var a hosted.Answer
		if err := json.Unmarshal([]byte(out), &a); err != nil || string(a.Job.State) != tt.end || a.Estimate == nil || a.Player != "" {
			t.Errorf("%v: %s", err, out)
		}
		b.parley(t.Context(), tt.status, "wait", b.dir)
		// What failed is done anew, with the files that are there.
		b.start(0)
		if len(b.Jobs()) != 2 || len(b.Files()) != 2 {
			t.Errorf("jobs are %v, with %d files", b.Jobs(), len(b.Files()))
		}
	}
}

func TestFinetuneCancel(t *testing.T) {
	b := newJobsBench(t, &hostedtest.Server{Key: jobsKey, Training: time.Hour})
	out, talk := b.start(0)
	b.has(out, "ftjob-0001: running")
	b.has(talk, "parley finetune wait '"+b.dir)
	out, _ = b.parley(t.Context(), 0, "cancel", b.dir)
	b.has(out, "cancelled")
	b.parley(t.Context(), 3, "wait", b.dir)
}

func TestFinetuneWaitIsInterrupted(t *testing.T) {
	b := newJobsBench(t, &hostedtest.Server{Key: jobsKey, Training: time.Hour})
	b.start(0)
	ctx, stop := context.WithTimeoutCause(t.Context(), time.Hour, nil)
	defer stop()
	ctx, interrupt := context.WithCancel(ctx)
	time.AfterFunc(100*time.Millisecond, interrupt)
	_, talk := b.parley(ctx, exitInterrupted, "wait", b.dir, "--every", "10ms")
	b.has(talk, "the job goes on at the server", "parley finetune wait")
	if n := len(b.Requests("POST /fine_tuning/jobs/*/cancel")); n > 0 {
		t.Error("the job was cancelled")
	}
}

func TestFinetuneAzureAndPreferences(t *testing.T) {
	b := newJobsBench(t, &hostedtest.Server{Key: jobsKey, Azure: true})
	b.examples("azure-sft", "train.jsonl", 60, `{"messages":[{"role":"user","content":"Who tries what at door %d?"},{"role":"assistant","content":"[]","weight":1}]}`)
	out, talk := b.start(0, "--azure", "--wait")
	b.has(out, "?azure=1&api_version=2024-10-21&key_env=JOBS_KEY@"+b.url)
	b.has(talk, "deploy the model")
	if f := b.Files(); len(f) != 1 || !bytes.HasPrefix(f[0].Content, []byte("\ufeff")) {
		t.Errorf("files are %v", f)
	}

	b = newJobsBench(t, &hostedtest.Server{Key: jobsKey})
	b.examples("openai-dpo", "train.jsonl", 60, `{"input":{"messages":[{"role":"user","content":"Who is at door %d?"}],"tools":[],"parallel_tool_calls":true},"preferred_output":[{"role":"assistant","content":"A"}],"non_preferred_output":[{"role":"assistant","content":"B"}]}`)
	b.start(0, "--method", "dpo", "--beta", "0.2")
	b.has(b.Requests("POST /fine_tuning/jobs")[0].Body, `"method":{"dpo":{"hyperparameters":{"beta":0.2}},"type":"dpo"}`)
}

func TestFinetuneStartAsksAndRefuses(t *testing.T) {
	b := newJobsBench(t, &hostedtest.Server{Key: jobsKey})
	base := []string{"start", b.dir, "--model", "base-1", "--base-url", b.url, "--key-env", "JOBS_KEY"}
	with := func(more ...string) []string { return append(base[:len(base):len(base)], more...) }
	bad := filepath.Join(t.TempDir(), "bad.jsonl")
	if err := os.WriteFile(bad, []byte("{\"messages\":[]}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	same := filepath.Join(b.dir, "formats/openai-sft/train.jsonl")
	for _, tt := range []struct {
		args   []string
		status int
		says   string
	}{
		{with(), 2, "--yes"},
		{[]string{"start", b.dir, "--model", "m"}, 2, "--base-url"},
		{[]string{"start", b.dir, "--base-url", b.url}, 2, "--model"},
		{[]string{"start", t.TempDir(), "--model", "m", "--base-url", b.url}, 1, "finetune build --format openai-sft"},
		{[]string{"start", b.dir, "--model", "m", "--base-url", "http://ann:secret@host/v1"}, 2, "credentials"},
		{[]string{"start", b.dir, "--model", "m", "--base-url", b.url, "--key-env", "NO_SUCH_KEY"}, 1, "NO_SUCH_KEY"},
		{[]string{"start", bad, "--model", "m", "--base-url", b.url, "--yes"}, 1, "--no-validate"},
		{with("--yes", "--epochs", "51"), 2, "1 to 50"},
		{with("--yes", "--beta", "0.1"), 2, "dpo only"},
		{with("--yes", "--suffix", strings.Repeat("x", 65)), 2, "may have 64"},
		{with("--yes", "--hyperparameter", "lora"), 2, "key=value"},
		{with("--yes", "--method", "magic"), 2, "sft or dpo"},
		{with("--yes", "--max-bytes", "100"), 1, "more than the 100"},
		{with("--yes", "--name", "../x"), 1, "no name for a job"},
		{with("--yes", "--validation", same), 1, "are the same"},
		{[]string{"wait", b.dir}, 1, "has no job"},
		{[]string{"wait", "ftjob-0001"}, 2, "--base-url"},
		{[]string{"wait", "no/such", "--base-url", b.url}, 2, "no id of a job"},
		{[]string{"list"}, 2, "--base-url"},
	} {
		_, talk := b.parley(t.Context(), tt.status, tt.args...)
		if !strings.Contains(talk, tt.says) || strings.Contains(talk, "secret") {
			t.Errorf("%q says %s, want %q in it", tt.args, talk, tt.says)
		}
	}
	if n := len(b.Requests("")); n != 0 {
		t.Errorf("%d requests were made", n)
	}
	if exists(filepath.Join(b.dir, "jobs")) {
		t.Error("there is a record of nothing")
	}
	_, talk := b.parley(t.Context(), 1, "start", b.dir, "--model", "base-1", "--base-url", b.url, "--yes")
	b.has(talk, "--key-env")
}

func TestFinetuneCost(t *testing.T) {
	b := newJobsBench(t, &hostedtest.Server{})
	prices := filepath.Join(t.TempDir(), "prices.yaml")
	if err := os.WriteFile(prices, []byte("currency: USD\nmodels:\n  gpt-4o-mini-2024-07-18: {input: 0, output: 0, training: 3}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := b.parley(t.Context(), 0, "cost", b.dir, "--model", "gpt-4o-mini-2024-07-18", "--prices", prices, "--json")
	var e hosted.Estimate
	if err := json.Unmarshal([]byte(out), &e); err != nil {
		t.Fatal(err)
	}
	// "Who tries what at door N?" is 8 tokens for every number here, as a number stands apart from the
	// space before it; "[]" is 1.
	if e.Examples != 60 || e.Sum != 60*(4+8+4+1+3) || e.Epochs != 3 || !e.Assumed || e.Billed != 3*e.Sum || e.Cost == nil || e.Inexact != "" || e.Tokenizer != "o200k_base" {
		t.Errorf("got %s", out)
	}
	out, _ = b.parley(t.Context(), 0, "cost", b.dir, "--model", "llama-3.2-1b", "--epochs", "4", "--prices", prices)
	b.has(out, "cost: unknown (no price for", "approximate", "4 epochs")
	out, _ = b.parley(t.Context(), 0, "cost", filepath.Join(b.dir, "formats/openai-sft/train.jsonl"), "--model", "gpt-4o", "--max-tokens", "10")
	b.has(out, "no price file", "60 examples are longer", "600 tokens")
}

// A parley that is killed between any two requests goes on where it was, in another process. Since it
// looks long for a job that may be there, it is killed before every third request only, unless
// PARLEY_TEST_KILLS asks for all.
func TestFinetuneJobsSurviveKills(t *testing.T) {
	const parley = "parley" // TestMain's, in PATH
	s := &hostedtest.Server{Key: jobsKey, Now: time.Now, Training: 300 * time.Millisecond, Steps: 3}
	b := newJobsBench(t, s)
	// The gate lets one request through more with each try, and kills whoever sent the next.
	var command *exec.Cmd
	let, left, step, least := 0, 0, 3, 2
	if os.Getenv("PARLEY_TEST_KILLS") != "" {
		step, least = 1, 5
	}
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if left--; left < 0 {
			_, _ = io.Copy(io.Discard, r.Body)
			_ = command.Process.Kill()
			return
		}
		s.ServeHTTP(w, r)
	}))
	defer gate.Close()
	args := []string{"finetune", "start", b.dir, "--model", "base-1", "--base-url", gate.URL + "/v1", "--key-env", "JOBS_KEY", "--wait", "--every", "100ms", "--json"}
	refused := exec.Command(parley, args...)
	refused.Stdin = strings.NewReader("n\n")
	if out, err := refused.CombinedOutput(); err == nil || !strings.Contains(string(out), "[y/N]") || !strings.Contains(string(out), "nothing was sent") || len(s.Requests("")) > 0 {
		t.Errorf("a no is not taken for one: %v\n%s", err, out)
	}
	for kills := 0; ; kills++ {
		command, left = exec.Command(parley, args...), let
		command.Stdin = strings.NewReader("y\n")
		out, err := command.Output()
		if err == nil {
			var a hosted.Answer
			if err := json.Unmarshal(out, &a); err != nil || a.Job.State != hosted.Succeeded {
				t.Errorf("%v: %s", err, out)
			}
			t.Logf("killed %d times", kills)
			if kills < least {
				t.Errorf("only %d kills", kills)
			}
			break
		}
		if command.ProcessState.Exited() || kills > 50 {
			t.Fatalf("after %d kills: %v\n%s\n%s", kills, err, out, err.(*exec.ExitError).Stderr)
		}
		let += step
	}
	if len(b.Jobs()) != 1 || len(b.Files()) != 2 {
		t.Errorf("%d jobs, %d files", len(b.Jobs()), len(b.Files()))
	}
}

// Commands that are given at the same moment, as by a job runner that starts twice, order one job between them.
func TestFinetuneStartsTwice(t *testing.T) {
	const parley = "parley" // TestMain's, in PATH
	s := &hostedtest.Server{Key: jobsKey, Now: time.Now, Training: time.Hour, Steps: 3}
	b := newJobsBench(t, s)
	for round := range 3 {
		name := fmt.Sprintf("round-%d", round)
		outs, errs := make([]string, 2), make([]error, 2)
		var both sync.WaitGroup
		for i := range 2 {
			both.Go(func() {
				c := exec.Command(parley, "finetune", "start", b.dir, "--model", "base-1", "--base-url", b.url, "--key-env", "JOBS_KEY", "--name", name, "--suffix", name, "--yes")
				out, err := c.CombinedOutput()
				outs[i], errs[i] = string(out), err
			})
		}
		both.Wait()
		if errs[0] != nil || errs[1] != nil || len(b.Jobs()) != round+1 {
			t.Fatalf("round %d: %d jobs were ordered\n%v: %s\n%v: %s", round, len(b.Jobs()), errs[0], outs[0], errs[1], outs[1])
		}
		id := b.Jobs()[round]
		b.has(outs[0], id)
		b.has(outs[1], id)
	}
}

// A dataset's directory may be somebody else's: the server that it names is not sent a key unasked.
func TestFinetuneKeepsKeys(t *testing.T) {
	b := newJobsBench(t, &hostedtest.Server{Key: jobsKey, Training: time.Millisecond, Steps: 1})
	b.start(0, "--wait")
	records, err := filepath.Glob(filepath.Join(b.dir, "jobs", "*.json"))
	if err != nil || len(records) != 1 {
		t.Fatal(records, err)
	}
	text, err := os.ReadFile(records[0])
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte(b.url), []byte("https://keys.example/v1"))
	if err := os.WriteFile(records[0], text, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"status", "wait", "cancel", "events"} {
		_, talk := b.parley(t.Context(), 1, command, b.dir)
		b.has(talk, records[0], "https://keys.example/v1", "JOBS_KEY", "--base-url")
	}
	for base, want := range map[string]bool{
		"https://api.openai.com/v1": true, "https://name.openai.azure.com": true, "http://127.0.0.1:8080/v1": true,
		"http://localhost:8080": true, "http://[::1]:8080/v1": true, "http://api.openai.com/v1": false,
		"https://api.openai.com.example/v1": false, "https://openai.azure.com.example": false, "https://localhost.example/v1": false, ":": false,
	} {
		if got := (hosted.Address{BaseURL: base}).Trusted(); got != want {
			t.Errorf("%s: %t", base, got)
		}
	}
}
