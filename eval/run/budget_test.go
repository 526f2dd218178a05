package run_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/eval/run"
	"parley/sim/llm"
)

const prices = "currency: EUR\nmodels:\n  served:p: {input: 2, output: 8}\n"

// A budget stops a run once it is used up, over all of its passes: each call costs 1,000 x 2 + 500 x 8 millionths, is
// 1,500 tokens and takes a second.
func TestBudget(t *testing.T) {
	price := writeFile(t, t.TempDir(), "prices.yaml", prices)
	for _, test := range []struct {
		reason       string
		budget       run.Budget
		raised       run.Budget
		calls, again int64  // when it stops, and when it stops for the second time; 10: it does not stop
		says         string // of the budget
	}{
		{"tokens", run.Budget{Tokens: 4500}, run.Budget{Tokens: 9000}, 3, 6, "4500 of 4500 tokens"},
		{"tokens are exceeded by one call", run.Budget{Tokens: 4501}, run.Budget{Tokens: 100_000}, 4, 10, "6000 of 4501 tokens"},
		{"one token", run.Budget{Tokens: 1}, run.Budget{Tokens: 15_000}, 1, 10, "1500 of 1 tokens"},
		{"the last call uses it up", run.Budget{Tokens: 1500}, run.Budget{Tokens: 15_000}, 1, 10, "1500 of 1500 tokens"},
		{"cost", run.Budget{Cost: 0.018}, run.Budget{Cost: 0.0301}, 3, 6, "0.0180 of 0.018 EUR"},
		{"time", run.Budget{Time: 4 * time.Second}, run.Budget{Time: 7 * time.Second}, 4, 7, "4s of 4s"},
		{"the first to be used up", run.Budget{Tokens: 1e6, Time: 2 * time.Second, Cost: 1}, run.Budget{}, 2, 10, "2s of 2s"},
	} {
		w := &world{}
		plan := func() *small {
			return &small{settings: run.Settings{Limits: run.Limits{Budget: test.budget}, Prices: price}, uses: tested("served:p"), arms: []string{"a"}, of: 10}
		}
		o := w.options(plan)
		dir := filepath.Join(t.TempDir(), "run")
		m, err := run.Run(t.Context(), dir, plan(), o)
		var over *run.BudgetError
		if stopped := (*run.StoppedError)(nil); !errors.As(err, &over) || !errors.As(err, &stopped) || stopped.Dir != dir || w.calls.Load() != test.calls || over.Used != test.says {
			t.Errorf("%s: after %d calls, want %d: %v", test.reason, w.calls.Load(), test.calls, err)
			continue
		}
		if m.State != run.Interrupted || m.Elapsed != float64(test.calls) || m.Began != nil || m.Jobs[run.Complete] != int(test.calls) {
			t.Errorf("%s: %s after %v s with %v", test.reason, m.State, m.Elapsed, m.Jobs)
		}
		w.at.Add(3600) // the stop takes no time of the run
		if _, err := run.Resume(t.Context(), dir, o); !errors.As(err, new(*run.BudgetError)) || w.calls.Load() != test.calls {
			t.Errorf("%s: resumed as it was, after %d calls: %v", test.reason, w.calls.Load(), err)
		}
		o.Budget = func(b *run.Budget) { *b = test.raised }
		var log strings.Builder
		o.Log = &log
		m, err = run.Resume(t.Context(), dir, o)
		if w.calls.Load() != test.again || (err == nil) != (test.again == 10) {
			t.Errorf("%s: raised, after %d calls, want %d: %v", test.reason, w.calls.Load(), test.again, err)
		}
		if test.raised != (run.Budget{}) && !strings.Contains(log.String(), "used so far: "+strings.Fields(test.says)[0]) {
			t.Errorf("%s: %q does not say what is used", test.reason, log.String())
		}
		if kept, err := run.ReadManifest(dir); err != nil || strings.Contains(string(kept.Config), "max_") != (test.raised != run.Budget{}) {
			t.Errorf("%s: the configuration is kept as %s, %v", test.reason, kept.Config, err)
		}
		if m.Elapsed != float64(test.again) {
			t.Errorf("%s: in all it took %v s, want %d", test.reason, m.Elapsed, test.again)
		}
		if test.again == 10 && (m.State != run.Complete || math.Abs(*m.Usage.Total().Cost.Amount-0.06) > 1e-9 || m.Usage.Currency != "EUR") {
			t.Errorf("%s: %s, it cost %v", test.reason, m.State, m.Usage.Total().Cost)
		}
	}
}

// Calls that a cache or a recording answered use nothing, and of calls without a count the tokens are estimated.
func TestWhatUsesABudget(t *testing.T) {
	for _, test := range []struct {
		reason string
		answer func(*llm.Response) *llm.Response
		calls  int64
	}{
		{"from a cache", func(r *llm.Response) *llm.Response { r.FromCache = true; return r }, 10},
		{"not counted", func(r *llm.Response) *llm.Response { r.Usage = llm.Usage{}; return r }, 2},
	} {
		w := &world{}
		one := llm.EstimatePrompt([]llm.Message{{Role: llm.User, Content: "item s00"}}) + llm.EstimateTokens("one two three")
		w.answer = func(string, llm.Request) (*llm.Response, error) {
			n := 1000
			return test.answer(&llm.Response{Text: "one two three", Finish: llm.Stop, Usage: llm.Usage{Prompt: &n, Completion: &n}}), nil
		}
		plan := func() *small {
			return &small{settings: run.Settings{Limits: run.Limits{Budget: run.Budget{Tokens: int64(2 * one)}}}, uses: tested("served:p"), of: 10}
		}
		_, err := run.Run(t.Context(), filepath.Join(t.TempDir(), "run"), plan(), w.options(plan))
		if w.calls.Load() != test.calls || (err == nil) != (test.calls == 10) {
			t.Errorf("%s: stopped after %d calls, want %d: %v", test.reason, w.calls.Load(), test.calls, err)
		}
	}
}

// The time of a pass that was killed counts up to its last call.
func TestBudgetOfAKilledPass(t *testing.T) {
	w := &world{}
	killed := filepath.Join(t.TempDir(), "killed")
	var dir string
	plan := func() *small {
		return &small{settings: run.Settings{Limits: run.Limits{Budget: run.Budget{Time: time.Hour}}}, uses: tested("served:p"), of: 6, do: func(ctx context.Context, env *run.Env, wr *run.Writer, job run.Job) (*float64, error) {
			if job.ID == "s04" && dir == "" { // as a kill leaves it
				dir = killed
				w.at.Add(2) // seconds of which a killed pass leaves no trace
				if err := os.CopyFS(killed, os.DirFS(env.Dir)); err != nil {
					return nil, err
				}
			}
			return askOnce(ctx, env, wr, job)
		}}
	}
	o := w.options(plan)
	done(t, plan(), o)
	if err := os.Remove(filepath.Join(killed, ".lock")); err != nil {
		t.Fatal(err)
	}
	w.calls.Store(0)
	w.at.Add(3600)
	m, err := run.Resume(t.Context(), killed, o)
	if err != nil {
		t.Fatal(err)
	}
	if n := w.calls.Load(); n < 2 || n > 3 || m.Elapsed != 6 {
		t.Errorf("%d calls are made again, want those of the last two jobs; it took %v s, want 6", n, m.Elapsed)
	}
}

func TestBudgetsThatMakeNoSense(t *testing.T) {
	for _, b := range []run.Budget{{Cost: -1}, {Cost: math.NaN()}, {Tokens: -1}, {Time: -1}} {
		if err := b.Validate(); err == nil || !strings.Contains(err.Error(), "0 (none) or more") {
			t.Errorf("%+v: %v", b, err)
		}
	}
	if err := (run.Budget{}).Validate(); err != nil {
		t.Error(err)
	}
	all, err := run.Limits{Budget: run.Budget{Cost: 0.5, Tokens: 1, Time: 1}, Endpoints: map[string]llm.Limits{"e": {Concurrent: 1}}}.MarshalYAML()
	if m := all.(map[string]any); err != nil || len(m) != 4 || m["max_cost"] != 0.5 || m["max_tokens"] != int64(1) || m["max_time"] != time.Duration(1) {
		t.Errorf("%v, %v", all, err)
	}
	if all, err = (run.Limits{}).MarshalYAML(); err != nil || len(all.(map[string]any)) != 0 {
		t.Errorf("no limits are written as %v, %v", all, err)
	}
}

// A run with a maximum cost does not begin where the price of a model is not known.
func TestUnknownPrices(t *testing.T) {
	price := writeFile(t, t.TempDir(), "prices.yaml", prices)
	for _, test := range []struct {
		uses []run.Use
		want string
	}{
		{tested("served:p"), ""},
		{tested("served:p", "local:other"), ""}, // no server is paid
		{tested("served:p", "served:other"), "no price for served:other"},
	} {
		w := &world{}
		plan := func() *small {
			return &small{settings: run.Settings{Limits: run.Limits{Budget: run.Budget{Cost: 1}}, Prices: price}, uses: test.uses, of: 1}
		}
		dir := filepath.Join(t.TempDir(), "above", "run")
		_, err := run.Run(t.Context(), dir, plan(), w.options(plan))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) || !errors.As(err, new(run.UsageError))) {
			t.Errorf("%v: %v, want %q", test.uses, err, test.want)
		}
		if _, err := os.Stat(filepath.Dir(dir)); (err == nil) != (test.want == "") {
			t.Errorf("%v: what is left of the directory: %v", test.uses, err)
		}
	}
}
