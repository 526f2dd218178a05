package llm

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
	Queue int64 `json:"queue_us"`
	Load  int64 `json:"load_us"`
	Read  int64 `json:"prompt_us"`
	Write int64 `json:"generate_us"`
	Total int64 `json:"total_us"`
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
