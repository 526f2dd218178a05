package run

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"parley/sim/llm"
)

// Budget is the most that a run may use, over all of its passes; 0 is without limit. A run that has used one of
// them up asks no model any more; calls that are under way are answered and kept, so that it is exceeded by these
// at most.
type Budget struct {
	Cost   float64       `yaml:"max_cost,omitempty" json:"max_cost,omitempty"`     // in the currency of the prices
	Tokens int64         `yaml:"max_tokens,omitempty" json:"max_tokens,omitempty"` // of prompts and replies
	Time   time.Duration `yaml:"max_time,omitempty" json:"max_time,omitempty"`     // in which the run is under way
}

// Limits are what the whole run may use, and what each endpoint may be asked at a time. In a file they stand side by
// side: max_cost, max_tokens and max_time beside the names of endpoints.
type Limits struct {
	Budget    `yaml:",inline"`
	Endpoints map[string]llm.Limits `json:"endpoints,omitempty" schema:"other keys"` // by a scheme or a base URL
}

// MarshalYAML writes limits as they are read.
func (l Limits) MarshalYAML() (any, error) {
	all := map[string]any{}
	for name, e := range l.Endpoints {
		all[name] = e
	}
	if l.Cost > 0 {
		all["max_cost"] = l.Cost
	}
	if l.Tokens > 0 {
		all["max_tokens"] = l.Tokens
	}
	if l.Time > 0 {
		all["max_time"] = l.Time
	}
	return all, nil
}

// Validate reports budgets that make no sense.
func (b Budget) Validate() error {
	if !(b.Cost >= 0) || b.Tokens < 0 || b.Time < 0 {
		return fmt.Errorf("limits: max_cost %v, max_tokens %d and max_time %s have to be 0 (none) or more", b.Cost, b.Tokens, b.Time)
	}
	return nil
}

// BudgetError says that a run stopped because its budget is used up.
type BudgetError struct {
	Used string // of what, such as 1.02 of 1 USD
	Flag string // that raises it
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("the budget of the run is used up (%s): raise it with %s to go on", e.Used, e.Flag)
}

// account adds up what a run uses. It is safe for concurrent use.
type account struct {
	budget Budget
	prices *llm.Prices
	now    func() time.Time
	began  time.Time     // of the pass
	before time.Duration // that earlier passes took

	mu     sync.Mutex
	meter  *llm.Meter
	tokens int64
}

// add takes in a call. Tokens that the server did not count are estimated.
func (a *account) add(c llm.Call) {
	if c.FromCache {
		return
	}
	if c.Error == "" {
		if c.Tokens == nil {
			n := llm.EstimatePrompt(c.Messages)
			c.Tokens = &n
		}
		if c.Output == nil {
			n := llm.EstimateTokens(c.Reply + c.Reason)
			c.Output = &n
		}
		a.mu.Lock()
		a.tokens += int64(*c.Tokens) + int64(*c.Output)
		a.mu.Unlock()
	}
	a.meter.Add(c)
}

// elapsed is the time in which the run was under way, over all passes.
func (a *account) elapsed() time.Duration { return a.before + a.now().Sub(a.began) }

// spent lists what is used of each budget that is set, the one that is used up alone where there is one.
func (a *account) spent() (used []string, over *BudgetError) {
	a.mu.Lock()
	tokens := a.tokens
	a.mu.Unlock()
	note := func(is bool, flag, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if used = append(used, text); is && over == nil {
			over = &BudgetError{text, flag}
		}
	}
	if b := a.budget; b.Cost > 0 {
		tally := a.meter.Tally(a.prices)
		cost := 0.0
		if total := tally.Total().Cost; total.Amount != nil {
			cost = *total.Amount
		}
		note(cost >= b.Cost, "--max-cost", "%.4f of %v %s", cost, b.Cost, tally.Currency)
	}
	if a.budget.Tokens > 0 {
		note(tokens >= a.budget.Tokens, "--max-tokens", "%d of %d tokens", tokens, a.budget.Tokens)
	}
	if spent := a.elapsed(); a.budget.Time > 0 {
		note(spent >= a.budget.Time, "--max-time", "%s of %s", spent.Round(time.Second/10), a.budget.Time)
	}
	return used, over
}

// open begins to count for a pass.
func (r *execution) openAccount() {
	m := r.manifest
	r.account = &account{
		budget: r.plan.Settings().Limits.Budget, now: r.now, began: r.now(), before: seconds(m.Elapsed), meter: llm.NewMeter(),
	}
	m.Began = &r.account.began
}

// closeAccount keeps the time that the run was under way.
func (r *execution) closeAccount() {
	r.manifest.Elapsed, r.manifest.Began = r.account.elapsed().Seconds(), nil
}

// countUsed takes in the calls of earlier passes, and of a pass that was killed its time. The calls of jobs that are
// done again are in two files.
func (r *execution) countUsed(calls ...func(yield func(llm.Call, error) bool)) error {
	seen := map[string]bool{}
	var last time.Time
	for _, list := range calls {
		for c, err := range list {
			if err != nil {
				return err
			}
			key := fmt.Sprint(c.ID, c.Started.UnixMicro())
			if served := r.manifest.Models[c.Model]; seen[key] || served != nil && served.Recorded {
				continue
			}
			seen[key] = true
			r.account.add(c)
			if end := c.Started.Add(time.Duration(c.Total) * time.Microsecond); end.After(last) {
				last = end
			}
		}
	}
	if r.killed != nil && last.After(*r.killed) {
		r.account.before += last.Sub(*r.killed)
	}
	return nil
}

// affordable reads the prices, and returns an error where the cost of a run with a budget would not be known.
func (r *execution) affordable() error {
	if err := r.readPrices(); err != nil {
		return err
	}
	r.account.prices = r.price
	if r.account.budget.Cost == 0 {
		return nil
	}
	for _, use := range r.plan.Models() {
		spec, adapter, err := r.options.Registry.Lookup(use.Model)
		if err != nil || !adapter.Defaults.Server {
			continue
		}
		if _, unknown := r.price.Of(use.Model, spec.Name); unknown != "" {
			return Usagef("--max-cost needs the price of every model: %s; add %s", unknown, llm.PriceLine(use.Model))
		}
	}
	return nil
}

// usedSoFar returns what a run that goes on has used of its budgets, for a message; empty where it has none.
func (r *execution) usedSoFar() string {
	used, _ := r.account.spent()
	if len(used) == 0 {
		return ""
	}
	return "; used so far: " + strings.Join(used, ", ")
}
