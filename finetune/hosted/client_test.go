package hosted_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/finetune/hosted"
	"parley/finetune/hosted/hostedtest"
	"parley/sim/llm"
)

const key = "sk-test-0123456789"

// bench is a server, a client of it and a dataset, in a bubble of testing/synctest.
type bench struct {
	*testing.T
	server *hostedtest.Server
	http   *http.Client
	*hosted.Client
	dir string
}

// inBubble runs a test against a server, with time that passes at once.
func inBubble(t *testing.T, s *hostedtest.Server, test func(b *bench)) {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "train.jsonl"), 12)
	write(t, filepath.Join(dir, "validation.jsonl"), 3)
	synctest.Test(t, func(t *testing.T) {
		s.Now = time.Now
		b := &bench{T: t, server: s, http: s.Client(), dir: dir}
		b.Client = b.open(hosted.Options{})
		test(b)
	})
}

func (b *bench) open(o hosted.Options) *hosted.Client {
	b.Helper()
	o.HTTP, o.Now, o.Retry.Rand = b.http, time.Now, rand.New(rand.NewPCG(1, 2))
	if o.Key == "" {
		o.Key = key
	}
	if o.BaseURL == "" {
		o.BaseURL = "http://host/v1"
		if b.server.Azure {
			o.BaseURL, o.Azure = "http://name.openai.azure.com/", true
		}
	}
	c, err := hosted.New(o)
	if err != nil {
		b.Fatal(err)
	}
	return c
}

func write(t *testing.T, path string, lines int) {
	t.Helper()
	var text strings.Builder
	for i := range lines {
		fmt.Fprintf(&text, `{"messages":[{"role":"user","content":"What is behind door %d?"},{"role":"assistant","content":"Nothing."}]}`+"\n", i)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// record is a record of a job on the bench's files, as the command makes one.
func (b *bench) record(change func(*hosted.Record)) *hosted.Record {
	b.Helper()
	train, err := hosted.Inspect(filepath.Join(b.dir, "train.jsonl"), 0)
	if err != nil {
		b.Fatal(err)
	}
	validation, err := hosted.Inspect(filepath.Join(b.dir, "validation.jsonl"), 0)
	if err != nil {
		b.Fatal(err)
	}
	seed := int64(7)
	r := &hosted.Record{
		BaseURL: "http://host/v1", KeyVariable: "TEST_KEY", Training: *train, Validation: validation,
		Order: hosted.Order{Model: "base-1", Method: hosted.SFT, Suffix: "valna", Seed: &seed},
	}
	if change != nil {
		change(r)
	}
	r.Name = "job"
	if err := r.Open(b.dir, false); err != nil {
		b.Fatal(err)
	}
	return r
}

func (b *bench) start(r *hosted.Record) error {
	return b.Start(b.Context(), r, rand.New(rand.NewPCG(3, 4)), nil)
}

func TestRequestsAreMadeAgain(t *testing.T) {
	busy := hostedtest.Trouble{Status: 503, Body: "busy"}
	now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // when bubbles begin
	tests := []struct {
		reason   string
		troubles []hostedtest.Trouble
		fault    llm.Fault     // of the error; empty: it works in the end
		says     string        // in the error
		asked    int           // times in all
		atLeast  time.Duration // between the first and the last
	}{
		{"it is busy for a moment", []hostedtest.Trouble{busy, busy}, "", "", 3, 0},
		{"it is busy for long", []hostedtest.Trouble{busy, busy, busy, busy, busy}, llm.Overloaded, "asked 5 times", 5, 0},
		{"seconds", []hostedtest.Trouble{{Status: 429, Header: map[string]string{"Retry-After": "30"}}}, "", "", 2, 30 * time.Second},
		{"a date", []hostedtest.Trouble{{Status: 429, Header: map[string]string{"Retry-After": now.Add(50 * time.Second).Format(http.TimeFormat)}}}, "", "", 2, 49 * time.Second},
		{"a date by the server's own clock", []hostedtest.Trouble{{Status: 429, Header: map[string]string{
			"Date": now.Add(time.Hour).Format(http.TimeFormat), "Retry-After": now.Add(time.Hour + 40*time.Second).Format(http.TimeFormat)}}}, "", "", 2, 40 * time.Second},
		{"longer than anyone waits", []hostedtest.Trouble{{Status: 429, Header: map[string]string{"Retry-After": "7200"}}}, llm.RateLimited, "asks to wait 2h0m0s", 1, 0},
		{"it says that asking again is no use", []hostedtest.Trouble{{Status: 500, Header: map[string]string{"X-Should-Retry": "false"}}}, llm.Overloaded, "500", 1, 0},
		{"money does not come by waiting", []hostedtest.Trouble{{Status: 429, Body: `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`}}, llm.Denied, "insufficient_quota", 1, 0},
		{"the connection is cut", []hostedtest.Trouble{{}, {}}, "", "", 3, 0},
		{"the answer takes too long", []hostedtest.Trouble{{Stall: 2 * time.Minute}}, "", "", 2, time.Minute},
		{"no JSON, once", []hostedtest.Trouble{{Status: 200, Body: `{"id": "ftjob`}}, "", "", 2, 0},
		{"no JSON, always", []hostedtest.Trouble{{Status: 200, Body: "<html>"}, {Status: 200, Body: "<html>"}, busy}, llm.BadResponse, "no fine-tuning job", 2, 0},
		{"an error as a text", []hostedtest.Trouble{{Status: 400, Body: `{"error":"no such thing"}`}}, llm.BadRequest, "400: no such thing", 1, 0},
		{"an error as an object", []hostedtest.Trouble{{Status: 404, Body: `{"error":{"message":"gone","param":"id","code":null}}`}}, llm.NotFound, "404: gone [id]", 1, 0},
		{"an error within a good reply", []hostedtest.Trouble{{Status: 200, Body: `{"error":{"message":"backend gone","code":502}}`}}, "", "", 2, 0},
		{"an error within good replies", []hostedtest.Trouble{{Status: 200, Body: `{"error":{"message":"backend gone"}}`}, {Status: 200, Body: `{"error":{"message":"backend gone"}}`}}, "", "", 3, 0},
		{"a list of faults", []hostedtest.Trouble{{Status: 422, Body: `{"detail":[{"loc":["path","id"],"msg":"too odd"}]}`}}, llm.BadRequest, "id: too odd", 1, 0},
		{"a web page", []hostedtest.Trouble{{Status: 404, Body: "<!doctype html><html>..."}}, llm.NotFound, "usually ends in /v1", 1, 0},
		{"wrong key", []hostedtest.Trouble{{Status: 401, Body: `{"error":{"message":"Incorrect API key provided: ` + key + `"}}`}}, llm.Denied, "[key]", 1, 0},
		{"another host must not see the key", []hostedtest.Trouble{{Status: 307, Header: map[string]string{"Location": "http://evil/v1/x"}}}, llm.BadResponse, "http://evil", 1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			inBubble(t, &hostedtest.Server{Key: key}, func(b *bench) {
				r := b.record(nil)
				if err := b.start(r); err != nil {
					b.Fatal(err)
				}
				time.Sleep(time.Until(now) + time.Second) // whole seconds for dates
				client := b.open(hosted.Options{})
				const route = "GET /fine_tuning/jobs/*"
				before := len(b.server.Requests(route))
				b.server.Order(route, tt.troubles...)
				job, err := client.Job(b.Context(), r.Job.ID)
				asked := b.server.Requests(route)[before:]
				if llm.FaultOf(err) != tt.fault || err != nil && !strings.Contains(err.Error(), tt.says) || (job == nil) != (err != nil) {
					b.Errorf("got %v (%q), want %q with %q in it", err, llm.FaultOf(err), tt.fault, tt.says)
				}
				if err != nil && strings.Contains(err.Error(), key) {
					b.Errorf("the key is in %v", err)
				}
				if len(asked) != tt.asked {
					b.Fatalf("asked %d times, want %d", len(asked), tt.asked)
				}
				if gap := asked[len(asked)-1].At.Sub(asked[0].At); gap < tt.atLeast || gap > tt.atLeast+time.Minute {
					b.Errorf("asked again after %v, want at least %v", gap, tt.atLeast)
				}
			})
		})
	}
}

func TestReserveOfRepetitions(t *testing.T) {
	inBubble(t, &hostedtest.Server{}, func(b *bench) {
		client := b.open(hosted.Options{Retry: llm.Retrier{Reserve: 3}})
		for range 10 {
			b.server.Order("GET /fine_tuning/jobs/*", hostedtest.Trouble{Status: 500})
		}
		_, err := client.Job(b.Context(), "ftjob-1")
		if llm.FaultOf(err) != llm.OverBudget || len(b.server.Requests("")) != 4 {
			b.Errorf("got %v after %d requests", err, len(b.server.Requests("")))
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
