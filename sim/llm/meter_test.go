package llm_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/sim/llm"
)

const priceFile = `
currency: USD
models:
  openai:big: {input: 2, cached: 0.5, output: 8}
  small-2025: {input: 1, output: 4}
  ollama:free: {input: 0, output: 0}
`

func prices(t testing.TB, text string) *llm.Prices {
	t.Helper()
	p, err := llm.ReadPrices(strings.NewReader(text), "prices.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func sum(n int64, known, of int) llm.Count { return llm.Count{Sum: &n, Known: known, Of: of} }

func dollars(amount float64, known, of int) llm.Cost {
	return llm.Cost{Amount: &amount, Known: known, Of: of}
}

// metered counts a model's calls.
func metered(meter *llm.Meter, name string, m llm.Model) llm.Model {
	return llm.Func(func(ctx context.Context, req llm.Request) (*llm.Response, error) {
		resp, call, err := llm.Ask(ctx, m, name, req, time.Now)
		meter.Add(call)
		return resp, err
	})
}

func TestMeter(t *testing.T) {
	counted := llm.Usage{Prompt: count(1000), Cached: count(400), Completion: count(100)}
	answer := func(u llm.Usage) *llm.Response {
		return &llm.Response{Text: "yes", Finish: llm.Stop, Usage: u, ServedBy: "big-2025"}
	}
	var (
		resp *llm.Response
		err  error
	)
	base := llm.Func(func(context.Context, llm.Request) (*llm.Response, error) {
		time.Sleep(time.Second)
		return resp, err
	})
	synctest.Test(t, func(t *testing.T) {
		meter := llm.NewMeter()
		ask := func(model, purpose string, r *llm.Response, e error) {
			resp, err = r, e
			metered(meter, model, base).Generate(t.Context(), llm.Request{Tag: llm.Tag{Purpose: purpose}})
		}
		ask("openai:big", "act", answer(counted), nil)
		retried := answer(counted)
		retried.Attempts, retried.Text, retried.Finish = 3, "", llm.Length
		retried.Timing = llm.Timing{Queue: time.Second, Load: 2 * time.Second, Prompt: 3 * time.Second, Generate: 4 * time.Second}
		ask("openai:big", "act", retried, nil)
		ask("openai:big", "act", answer(llm.Usage{Completion: count(7)}), nil)
		ask("openai:big", "act", nil, &llm.Error{Fault: llm.Overloaded, Attempts: 5})
		ask("openai:big", "act", nil, context.Canceled)
		ask("openai:big", "judge:iep", answer(counted), nil)
		kept := answer(counted)
		kept.FromCache = true
		ask("openai:big", "judge:iep", kept, nil)
		ask("ollama:free", "act", answer(counted), nil)
		ask("ollama:unlisted", "act", answer(counted), nil)

		const second = 1_000_000
		act := llm.Row{Model: "openai:big", Purpose: "act", Calls: 5, Asked: 1 + 3 + 1 + 5 + 1,
			Failed: map[llm.Fault]int{llm.Overloaded: 1, llm.Other: 1}, Finish: map[llm.Finish]int{llm.Stop: 2, llm.Length: 1}, Empty: 1,
			Prompt: sum(2000, 2, 3), Cached: sum(800, 2, 3), Completion: sum(207, 3, 3),
			Cost:  dollars(2*(600*2+400*0.5+100*8)/1e6, 2, 3),
			Queue: second, Load: 2 * second, Read: 3 * second, Write: 4 * second, Total: 5 * second,
			Timed: (1 + 4 + 1) * second, TimedTokens: 207}
		act.Cost.Unknown = map[string]int{"the server did not count the tokens": 1}
		judge := llm.Row{Model: "openai:big", Purpose: "judge:iep", Calls: 2, FromCache: 1, Asked: 1, Finish: map[llm.Finish]int{llm.Stop: 1},
			Prompt: sum(1000, 1, 1), Cached: sum(400, 1, 1), Completion: sum(100, 1, 1),
			Cost: dollars((600*2+400*0.5+100*8)/1e6, 1, 1), Total: second, Timed: second, TimedTokens: 100}
		free := llm.Row{Model: "ollama:free", Purpose: "act", Calls: 1, Asked: 1, Finish: map[llm.Finish]int{llm.Stop: 1},
			Prompt: sum(1000, 1, 1), Cached: sum(400, 1, 1), Completion: sum(100, 1, 1), Cost: dollars(0, 1, 1), Total: second, Timed: second, TimedTokens: 100}
		unlisted := free
		unlisted.Model = "ollama:unlisted"
		unlisted.Cost = llm.Cost{Of: 1, Unknown: map[string]int{"no price for ollama:unlisted": 1}}
		want := llm.Tally{Currency: "USD", Rows: []llm.Row{free, unlisted, act, judge}}
		tally := meter.Tally(prices(t, priceFile))
		if diff := cmp.Diff(want, tally); diff != "" {
			t.Errorf("tally (-want +got):\n%s", diff)
		}

		total := tally.Total()
		if total.Calls != 9 || total.Asked != 14 || *total.Prompt.Sum != 5000 || total.Prompt.Of != 6 || total.Cost.Known != 4 || total.Cost.Of != 6 {
			t.Errorf("total is %+v", total)
		}

		before, _ := json.Marshal(tally)
		ask("openai:big", "act", answer(counted), nil)
		if after, _ := json.Marshal(tally); string(after) != string(before) {
			t.Error("a later call changed an earlier tally")
		}
	})
}

// Generation is timed by the server's word, else from the first piece of a stream, else in the whole service.
func TestSpeed(t *testing.T) {
	for _, test := range []struct {
		reason string
		call   llm.Call
		rate   float64
		first  float64
	}{
		{"the server says how long", llm.Call{Queue: 1e6, First: 2e6, Write: 2e6, Total: 9e6}, 50, 2},
		{"a stream: from its first piece to its end, the queue aside", llm.Call{Queue: 1e6, First: 4e6, Total: 10e6}, 20, 4},
		{"a stream that came all at once at its end", llm.Call{First: 9.9e6, Total: 10e6}, 10, 9.9},
		{"a stream after a long prompt", llm.Call{First: 9.5e6, Total: 10e6}, 200, 9.5},
		{"no stream", llm.Call{Queue: 5e6, Total: 10e6}, 20, 0},
	} {
		test.call.Model, test.call.Reply, test.call.Output = "m", "yes", count(100)
		meter := llm.NewMeter()
		meter.Add(test.call)
		total := meter.Tally(nil).Total()
		rate, ok := total.Rate()
		first, streamed := total.ToFirst()
		if !ok || rate != test.rate || first != test.first || streamed != (test.first > 0) {
			t.Errorf("%s: %v tokens a second, %v s to the first piece", test.reason, rate, first)
		}
	}
}

// A cost that is not known says why, and what line of the price file is missing.
func TestCostNotes(t *testing.T) {
	meter := llm.NewMeter()
	meter.Add(llm.Call{Model: "openai:new", Reply: "a", Tokens: count(9), Output: count(1)})
	meter.Add(llm.Call{Model: "openai:big", Reply: "a"})
	for prices, want := range map[*llm.Prices][]string{
		nil:                  {"openai:big is unknown: no price file", "openai:new is unknown: no price file"},
		prices(t, priceFile): {"openai:big is unknown: the server did not count the tokens", `"openai:new": {input: 0, output: 0}`},
	} {
		notes := meter.Tally(prices).CostNotes()
		if len(notes) != 2 || !strings.Contains(notes[0], want[0]) || !strings.Contains(notes[1], want[1]) {
			t.Errorf("notes %q, want %q", notes, want)
		}
	}
}

func TestTallyJSON(t *testing.T) {
	meter := llm.NewMeter()
	meter.Add(llm.Call{Model: "ollama:x", Purpose: "act", Reply: "yes", Finish: llm.Stop, Output: count(3)})
	got, err := json.Marshal(meter.Tally(nil))
	if err != nil {
		t.Fatal(err)
	}
	// Unknown is null, never 0.
	const want = `{"rows":[{"model":"ollama:x","purpose":"act","calls":1,"from_cache":0,"asked":1,"finish":{"stop":1},"empty":0,` +
		`"prompt_tokens":{"sum":null,"known":0,"of":1},"cached_tokens":{"sum":null,"known":0,"of":1},"completion_tokens":{"sum":3,"known":1,"of":1},` +
		`"cost":{"amount":null,"known":0,"of":1,"unknown":{"no price file":1}},"queue_us":0,"load_us":0,"prompt_us":0,"generate_us":0,"total_us":0,"first_us":{"sum":null,"known":0,"of":0},"timed_us":0,"timed_tokens":0}]}`
	if string(got) != want {
		t.Errorf("tally is\n%s\nwant\n%s", got, want)
	}
	var back llm.Tally
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(back); string(again) != want {
		t.Errorf("read back, it is\n%s", again)
	}
	if empty, _ := json.Marshal(llm.NewMeter().Tally(nil)); string(empty) != `{"rows":[]}` {
		t.Errorf("an empty tally is %s", empty)
	}
}

func TestMeterConcurrent(t *testing.T) {
	meter := llm.NewMeter()
	model := metered(meter, "m", llm.Func(func(context.Context, llm.Request) (*llm.Response, error) {
		return &llm.Response{Text: "yes", Finish: llm.Stop, Usage: llm.Usage{Prompt: count(10)}}, nil
	}))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				model.Generate(t.Context(), llm.Request{})
				meter.Tally(nil)
			}
		})
	}
	wg.Wait()
	if got := meter.Tally(nil).Total(); got.Calls != 800 || *got.Prompt.Sum != 8000 {
		t.Errorf("counted %d calls and %d tokens, want 800 and 8000", got.Calls, *got.Prompt.Sum)
	}
}
