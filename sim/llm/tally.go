package llm

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Tally is what model calls came to, for a run's manifest. Rows are sorted by model and purpose.
type Tally struct {
	Currency string `json:"currency,omitempty"` // of the costs; empty without a price file
	Rows     []Row  `json:"rows"`
}

// Row is the calls to one model for one purpose.
type Row struct {
	Model     string         `json:"model,omitempty"`   // empty in a sum over models
	Purpose   string         `json:"purpose,omitempty"` // empty in a sum over purposes
	Calls     int            `json:"calls"`             // answered or failed
	FromCache int            `json:"from_cache"`        // of these, answered from parley's cache; they are in no number below
	Asked     int            `json:"asked"`             // requests put to the server, retries included
	Failed    map[Fault]int  `json:"failed,omitempty"`  // calls without a reply, by fault
	Finish    map[Finish]int `json:"finish,omitempty"`  // calls with a reply, by why it ended
	Empty     int            `json:"empty"`             // of these, replies without text

	// Tokens of the answered calls. What a failed call used, no server says.
	Prompt     Count `json:"prompt_tokens"`
	Cached     Count `json:"cached_tokens"`
	Completion Count `json:"completion_tokens"`
	Cost       Cost  `json:"cost"`

	// Times of all calls together in microseconds; unknown parts count as 0.
	Queue int64 `json:"queue_us"` // at parley's own limits and to ask again
	Load  int64 `json:"load_us"`
	Read  int64 `json:"prompt_us"`
	Write int64 `json:"generate_us"`
	Total int64 `json:"total_us"`
	// First sums the times to the first piece, of the replies that were streamed.
	First Count `json:"first_us"`
	// Timed is the time in which TimedTokens were generated; see Call.Generating.
	Timed       int64 `json:"timed_us"`
	TimedTokens int64 `json:"timed_tokens"`
}

// Service returns how long servers took, in microseconds: all but the queue.
func (r *Row) Service() int64 { return max(0, r.Total-r.Queue) }

// Rate returns the tokens that were generated in a second; ok is false where they were not counted.
func (r *Row) Rate() (tokens float64, ok bool) {
	if r.Timed <= 0 || r.TimedTokens == 0 {
		return 0, false
	}
	return float64(r.TimedTokens) / (float64(r.Timed) / 1e6), true
}

// ToFirst returns the mean time to the first piece of a streamed reply in seconds; ok is false where none was.
func (r *Row) ToFirst() (seconds float64, ok bool) {
	if r.First.Known == 0 {
		return 0, false
	}
	return float64(*r.First.Sum) / float64(r.First.Known) / 1e6, true
}

// CostNotes says for each model whose cost is not known why, and the line of a price file that settles it.
func (t Tally) CostNotes() []string {
	unknown, models := map[string]map[string]int{}, []string{}
	for _, r := range t.Rows {
		if len(r.Cost.Unknown) > 0 && unknown[r.Model] == nil {
			unknown[r.Model] = map[string]int{}
			models = append(models, r.Model)
		}
		for why, n := range r.Cost.Unknown {
			unknown[r.Model][why] += n
		}
	}
	var notes []string
	for _, model := range models {
		for _, why := range slices.Sorted(maps.Keys(unknown[model])) {
			note := fmt.Sprintf("the cost of %d calls to %s is unknown: %s", unknown[model][why], model, why)
			if why != uncounted {
				note += "; add " + PriceLine(model)
			}
			notes = append(notes, note)
		}
	}
	return notes
}

// PriceLine says how a model's price is written.
func PriceLine(model string) string {
	return fmt.Sprintf("the line  %q: {input: 0, output: 0}  below models: in the file for --prices, with what a million tokens cost, 0 where they are free", model)
}

// Count is a sum over calls of which some may be unknown: it covers Known of Of.
type Count struct {
	Sum   *int64 `json:"sum"` // nil: known for none
	Known int    `json:"known"`
	Of    int    `json:"of"`
}

// Cost is a sum over calls of which some may be unknown: it covers Known of Of.
type Cost struct {
	Amount  *float64       `json:"amount"` // in the tally's currency; nil: known for none
	Known   int            `json:"known"`
	Of      int            `json:"of"`
	Unknown map[string]int `json:"unknown,omitempty"` // the other calls, by the reason
}

// Other stands for the faults of unknown kind, a cancelled call's among them.
const Other Fault = "other"

// Total returns the sum of all rows.
func (t Tally) Total() Row {
	var sum Row
	for _, r := range t.Rows {
		sum.merge(r)
	}
	return sum
}

// Add adds the rows of another tally to those for the same model and purpose.
func (t *Tally) Add(o Tally) {
	t.Currency = o.Currency
	for _, row := range o.Rows {
		at, found := slices.BinarySearchFunc(t.Rows, row, func(a, b Row) int {
			return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.Purpose, b.Purpose))
		})
		if !found {
			t.Rows = slices.Insert(t.Rows, at, Row{Model: row.Model, Purpose: row.Purpose})
		}
		t.Rows[at].merge(row)
	}
}

// merge adds the other row's numbers.
func (r *Row) merge(o Row) {
	r.Calls += o.Calls
	r.FromCache += o.FromCache
	r.Asked += o.Asked
	r.Empty += o.Empty
	mergeMap(&r.Failed, o.Failed)
	mergeMap(&r.Finish, o.Finish)
	r.Prompt.merge(o.Prompt)
	r.Cached.merge(o.Cached)
	r.Completion.merge(o.Completion)
	r.Cost.merge(o.Cost)
	r.Queue += o.Queue
	r.Load += o.Load
	r.Read += o.Read
	r.Write += o.Write
	r.Total += o.Total
	r.First.merge(o.First)
	r.Timed += o.Timed
	r.TimedTokens += o.TimedTokens
}

func (c *Count) add(n *int) {
	c.Of++
	if n != nil {
		c.Known++
		c.grow(int64(*n))
	}
}

func (c *Count) grow(n int64) {
	if c.Sum == nil {
		c.Sum = new(int64)
	}
	*c.Sum += n
}

func (c *Count) merge(o Count) {
	c.Known += o.Known
	c.Of += o.Of
	if o.Sum != nil {
		c.grow(*o.Sum)
	}
}

func (c *Cost) grow(amount float64) {
	if c.Amount == nil {
		c.Amount = new(float64)
	}
	*c.Amount += amount
}

func (c *Cost) merge(o Cost) {
	c.Known += o.Known
	c.Of += o.Of
	if o.Amount != nil {
		c.grow(*o.Amount)
	}
	mergeMap(&c.Unknown, o.Unknown)
}

func mergeMap[K comparable](to *map[K]int, from map[K]int) {
	if *to == nil && len(from) > 0 {
		*to = map[K]int{}
	}
	for k, n := range from {
		(*to)[k] += n
	}
}
