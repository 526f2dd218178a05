package llm_test

import (
	"context"
	"math"
	"strings"
	"sync"
	"testing"

	"parley/sim/llm"
)

// costing answers with the usage.
func costing(u llm.Usage) llm.Model {
	return llm.Func(func(context.Context, llm.Request) (*llm.Response, error) {
		return &llm.Response{Text: "abcdef", Finish: llm.Stop, Usage: u}, nil
	})
}

func TestBudget(t *testing.T) {
	counted := llm.Usage{Prompt: count(60), Completion: count(20)} // of at most 100 by the estimate
	for _, test := range []struct {
		name   string
		reason string
		tokens int64
		cost   float64
		model  string
		base   llm.Model
		goes   int // calls until it is used up
		spent  llm.Spent
		says   string
	}{
		{name: "tokens", tokens: 500, base: costing(counted), goes: 6, spent: llm.Spent{Tokens: 480},
			reason: "after six calls 480 are used, and the next may need 100", says: "480 of 500 tokens are used"},
		{name: "uncounted", tokens: 300, base: costing(llm.Usage{}), goes: 3, spent: llm.Spent{Tokens: 276, Estimated: 3},
			reason: "90 for the prompt and 2 for the reply are estimates"},
		{name: "cost", cost: 0.0021, model: "openai:big", base: costing(counted), goes: 7, spent: llm.Spent{Tokens: 560, Cost: 0.00196},
			reason: "a call costs 0.00028 and may need 0.00026: 90 for the prompt and 10 for the reply", says: "USD"},
		{name: "no price", cost: 1, model: "ollama:unlisted", base: costing(counted), goes: 0, says: "list its price"},
		{name: "no limit", base: costing(counted), goes: 20, spent: llm.Spent{Tokens: 1600}},
		{name: "failed after work", tokens: 300, base: &failing{errs: times(99, fault(llm.TimedOut))}, goes: 3, spent: llm.Spent{Tokens: 270, Estimated: 3}},
		{name: "failed before work", tokens: 300, base: &failing{errs: times(99, fault(llm.Unreachable))}, goes: 20},
		{name: "from the cache", tokens: 300, base: llm.Func(func(context.Context, llm.Request) (*llm.Response, error) {
			return &llm.Response{Text: "yes", Usage: counted, FromCache: true}, nil
		}), goes: 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			b, err := llm.NewBudget(test.tokens, test.cost, prices(t, priceFile))
			if err != nil {
				t.Fatal(err)
			}
			model := b.Wrap(test.model)(test.base)
			goes := 0
			for ; goes < 20; goes++ {
				if _, err = model.Generate(t.Context(), long(100)); llm.FaultOf(err) == llm.OverBudget {
					break
				}
			}
			if goes != test.goes {
				t.Errorf("%d calls went, want %d", goes, test.goes)
			}
			if goes < 20 && !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %q does not say %q", err, test.says)
			}
			got := b.Spent()
			if got.Tokens != test.spent.Tokens || got.Estimated != test.spent.Estimated || math.Abs(got.Cost-test.spent.Cost) > 1e-12 {
				t.Errorf("spent %+v, want %+v", got, test.spent)
			}
		})
	}
}

func TestBudgetConcurrent(t *testing.T) {
	// Calls that go at the same time must not pass the limit together.
	b, err := llm.NewBudget(1000, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	model := b.Wrap("m")(costing(llm.Usage{Prompt: count(90), Completion: count(10)}))
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() { model.Generate(t.Context(), long(100)) })
	}
	wg.Wait()
	if got := b.Spent().Tokens; got != 1000 {
		t.Errorf("spent %d tokens, want 1000", got)
	}
}

func TestBudgetTakenUp(t *testing.T) {
	b, err := llm.NewBudget(300, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.Add(llm.Call{Tokens: count(150), Output: count(50)})
	b.Add(llm.Call{Tokens: count(150), Output: count(50), FromCache: true})
	b.Add(llm.Call{Reply: "abcdef"})
	if got, want := b.Spent(), (llm.Spent{Tokens: 202, Estimated: 1}); got != want {
		t.Errorf("spent %+v, want %+v", got, want)
	}
	if _, err := b.Wrap("m")(costing(llm.Usage{})).Generate(t.Context(), long(100)); llm.FaultOf(err) != llm.OverBudget {
		t.Errorf("error is %v, want over budget", err)
	}
}

func TestNewBudgetErrors(t *testing.T) {
	for _, bad := range []struct {
		tokens int64
		cost   float64
	}{{-1, 0}, {0, -1}, {0, math.NaN()}, {0, 5}} {
		if _, err := llm.NewBudget(bad.tokens, bad.cost, nil); err == nil {
			t.Errorf("a budget of %d tokens and %v money without prices is valid", bad.tokens, bad.cost)
		}
	}
}
