package llm

import (
	"context"
	"fmt"
	"sync"
)

// Budget ends a run before it has used more than its owner wants. All models of a run share one.
//
// A call goes only if the budget also has room for the longest reply that it may bring, so that what
// is used stays below, as far as the estimate of the prompt is right. What servers do not count is
// estimated; calls that were cut off or came to nothing after the server had done its work count with
// their prompt.
type Budget struct {
	tokens int64
	cost   float64
	prices *Prices

	mu    sync.Mutex
	spent Spent
	ahead Spent // set aside for the calls under way
}

// Spent is what calls have used.
type Spent struct {
	Tokens    int64   `json:"tokens"`
	Cost      float64 `json:"cost"`      // in the currency of the prices; without a cost budget 0
	Estimated int     `json:"estimated"` // calls whose tokens are an estimate
}

// NewBudget returns a budget of so many tokens and so much money; 0 is no limit. A limit of cost
// needs the prices of all models: a call whose cost is unknown could not be held within it, and
// fails.
func NewBudget(tokens int64, cost float64, prices *Prices) (*Budget, error) {
	switch {
	case tokens < 0 || !(cost >= 0):
		return nil, fmt.Errorf("budget: %d tokens and a cost of %v: neither may be negative, 0 is no limit", tokens, cost)
	case cost > 0 && prices == nil:
		return nil, fmt.Errorf("budget: a limit of cost needs a price file")
	}
	return &Budget{tokens: tokens, cost: cost, prices: prices}, nil
}

// Spent returns what was used so far.
func (b *Budget) Spent() Spent {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

// Add counts a call that was recorded earlier, such as before a run was taken up again. Where its
// server did not count the prompt, the prompt stays out: it is not at hand.
func (b *Budget) Add(c Call) {
	if c.FromCache {
		return
	}
	u := Usage{Prompt: c.Tokens, Cached: c.Cached, Completion: c.Output}
	s := b.measure(c.Model, u, 0, EstimateTokens(c.Reply)+EstimateTokens(c.Reason))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent.add(s)
}

// Wrap returns the middleware that holds a model's calls within the budget. With a limit of cost, the
// price has to be listed under the same name. Put it inside of Retry, so that each attempt counts.
func (b *Budget) Wrap(model string) Middleware {
	return func(next Model) Model {
		return Func(func(ctx context.Context, req Request) (*Response, error) {
			prompt := EstimatePrompt(req.Messages)
			ahead := b.measure(model, Usage{}, prompt, req.Sampling.Complete().MaxTokens)
			if err := b.reserve(model, ahead); err != nil {
				return nil, err
			}
			resp, err := next.Generate(ctx, req)
			var actual Spent
			switch {
			case billed(err):
				actual = b.measure(model, Usage{}, prompt, 0)
			case err == nil && !resp.FromCache:
				actual = b.measure(model, resp.Usage, prompt, EstimateTokens(resp.Text)+EstimateTokens(resp.Reasoning))
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			b.ahead.take(ahead)
			b.spent.add(actual)
			return resp, err
		})
	}
}

// billed reports whether a server may have done its work although the call failed.
func billed(err error) bool {
	if err == nil {
		return false
	}
	switch FaultOf(err) {
	case TimedOut, BadResponse, "":
		return true
	}
	return false
}

// measure returns what a call uses, with the estimates for what was not counted.
func (b *Budget) measure(model string, u Usage, prompt, reply int) Spent {
	var s Spent
	if u.Prompt == nil || u.Completion == nil {
		s.Estimated = 1
	}
	if u.Prompt == nil {
		u.Prompt = &prompt
	}
	if u.Completion == nil {
		u.Completion = &reply
	}
	s.Tokens = int64(*u.Prompt) + int64(*u.Completion)
	if b.cost > 0 {
		s.Cost, _ = b.prices.Cost(model, "", u)
	}
	return s
}

// reserve sets aside what the call may use, or says why it cannot.
func (b *Budget) reserve(model string, s Spent) error {
	over := func(hint, format string, args ...any) error {
		return &Error{Model: model, Fault: OverBudget, Err: fmt.Errorf(format, args...), Hint: hint}
	}
	if _, unknown := b.prices.Of(model, ""); b.cost > 0 && unknown != "" {
		return over("list its price under this name", "its cost is unknown and cannot be held within the budget")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tokens > 0 && b.spent.Tokens+b.ahead.Tokens+s.Tokens > b.tokens {
		return over("raise the budget and go on", "%d of %d tokens are used or set aside, and the next call may need %d",
			b.spent.Tokens+b.ahead.Tokens, b.tokens, s.Tokens)
	}
	if b.cost > 0 && b.spent.Cost+b.ahead.Cost+s.Cost > b.cost {
		return over("raise the budget and go on", "%.4g of %.4g %s are used or set aside, and the next call may need %.2g",
			b.spent.Cost+b.ahead.Cost, b.cost, b.prices.Currency, s.Cost)
	}
	b.ahead.add(s)
	return nil
}

func (s *Spent) add(o Spent) {
	s.Tokens += o.Tokens
	s.Cost += o.Cost
	s.Estimated += o.Estimated
}

func (s *Spent) take(o Spent) {
	s.Tokens -= o.Tokens
	s.Cost -= o.Cost
	s.Estimated -= o.Estimated
}
