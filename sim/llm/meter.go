package llm

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// Meter counts calls, tokens, times and faults by model and purpose. It is safe for concurrent use.
type Meter struct {
	mu   sync.Mutex
	rows map[meterKey]*meterRow
}

type meterKey struct{ model, purpose, served string }

// meterRow is a row with the sums that a cost is made of: of the calls with all their tokens
// counted.
type meterRow struct {
	Row
	prompt, cached, output int64
	counted                int
}

// NewMeter returns a meter that has counted nothing.
func NewMeter() *Meter { return &Meter{rows: map[meterKey]*meterRow{}} }

// Add counts a recorded call.
func (m *Meter) Add(c Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := meterKey{c.Model, c.Purpose, c.Served}
	r := m.rows[key]
	if r == nil {
		r = &meterRow{Row: Row{Failed: map[Fault]int{}, Finish: map[Finish]int{}}}
		m.rows[key] = r
	}
	r.Calls++
	if c.FromCache {
		r.FromCache++
		return
	}
	r.Queue += c.Queue
	r.Total += c.Total
	r.Asked += max(1, c.Attempt)
	if c.failed() {
		r.Failed[cmp.Or(c.Fault, Other)]++
		return
	}
	r.Finish[c.Finish]++
	if c.Reply == "" && c.Finish != Embedded {
		r.Empty++
	}
	r.Load += c.Load
	r.Read += c.Read
	r.Write += c.Write
	if c.First > 0 {
		first := int(c.First)
		r.First.add(&first)
	}
	if us := c.Generating(); c.Output != nil && us > 0 {
		r.Timed += us
		r.TimedTokens += int64(*c.Output)
	}
	r.Prompt.add(c.Tokens)
	r.Cached.add(c.Cached)
	r.Completion.add(c.Output)
	if c.Tokens != nil && c.Output != nil {
		r.counted++
		r.prompt += int64(*c.Tokens)
		r.output += int64(*c.Output)
		if c.Cached != nil {
			r.cached += int64(min(*c.Cached, *c.Tokens))
		}
	}
}

// Tally returns what was counted so far, with what it cost. Without prices every cost is unknown. A
// tally does not change with later calls.
func (m *Meter) Tally(prices *Prices) Tally {
	m.mu.Lock()
	defer m.mu.Unlock()
	priced := Tally{Rows: []Row{}}
	if prices != nil {
		priced.Currency = prices.Currency
	}
	keys := slices.SortedFunc(maps.Keys(m.rows), func(a, b meterKey) int {
		return cmp.Or(cmp.Compare(a.model, b.model), cmp.Compare(a.purpose, b.purpose), cmp.Compare(a.served, b.served))
	})
	for _, k := range keys { // those that differ by the served model only are neighbours
		r := m.rows[k]
		row := r.Row
		row.Cost = r.cost(prices, k)
		if n := len(priced.Rows); n == 0 || priced.Rows[n-1].Model != k.model || priced.Rows[n-1].Purpose != k.purpose {
			priced.Rows = append(priced.Rows, Row{Model: k.model, Purpose: k.purpose})
		}
		priced.Rows[len(priced.Rows)-1].merge(row)
	}
	return priced
}

// cost is what the row's calls cost, as far as it is known.
func (r *meterRow) cost(prices *Prices, k meterKey) Cost {
	answered := r.Prompt.Of
	if answered == 0 {
		return Cost{}
	}
	price, unknown := prices.Of(k.model, k.served)
	if unknown != "" {
		return Cost{Of: answered, Unknown: map[string]int{unknown: answered}}
	}
	c := Cost{Of: answered, Known: r.counted}
	if r.counted > 0 {
		c.grow(price.of(r.prompt, r.cached, r.output))
	}
	if rest := answered - r.counted; rest > 0 {
		c.Unknown = map[string]int{uncounted: rest}
	}
	return c
}
