package viewer

import (
	"cmp"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"parley/eval"
)

// filter says which sessions are listed, in which order. The zero value lists all.
type filter struct {
	Text   string
	Fault  string // a kind, any or none
	State  string // complete, failed, or underway
	Metric string // scorer/metric, whose values are shown
	Min    string // of the metric
	Max    string
	Score  string // scored or unscored by the metric
	Sort   string // empty: by number; low, high, or apart: by the difference between arms
	Page   int    // from 1

	low, high float64
	wrong     []string // what was not understood
}

// readFilter reads a filter of a query.
func readFilter(q url.Values) filter {
	f := filter{
		Text: strings.TrimSpace(q.Get("q")), Fault: q.Get("fault"), State: q.Get("state"), Metric: q.Get("metric"),
		Min: strings.TrimSpace(q.Get("min")), Max: strings.TrimSpace(q.Get("max")), Score: q.Get("score"), Sort: q.Get("sort"),
		low: math.Inf(-1), high: math.Inf(1),
	}
	f.Page, _ = strconv.Atoi(q.Get("page"))
	f.Page = max(1, f.Page)
	for _, bound := range []struct {
		text string
		of   *float64
	}{{f.Min, &f.low}, {f.Max, &f.high}} {
		if bound.text == "" {
			continue
		}
		v, err := strconv.ParseFloat(bound.text, 64)
		if err != nil || math.IsNaN(v) {
			f.wrong = append(f.wrong, strconv.Quote(bound.text)+" is no number, and is passed over")
			continue
		}
		*bound.of = v
	}
	return f
}

// query writes the filter for a page.
func (f filter) query(page int) string {
	q := url.Values{}
	for key, value := range map[string]string{
		"q": f.Text, "fault": f.Fault, "state": f.State, "metric": f.Metric, "min": f.Min, "max": f.Max, "score": f.Score, "sort": f.Sort,
	} {
		if value != "" {
			q.Set(key, value)
		}
	}
	if page > 1 {
		q.Set("page", strconv.Itoa(page))
	}
	if len(q) == 0 {
		return "?"
	}
	return "?" + q.Encode()
}

// chosen returns the place of the metric whose values are shown: the one that was asked for, else the first
// that is a headline of the run, else the first. It is -1 where there is none.
func (x *index) chosen(name string) int {
	if i := slices.Index(x.metrics, name); i >= 0 {
		return i
	}
	for i, known := range x.metrics {
		scorer, metric, _ := strings.Cut(known, "/")
		if m := eval.Find(x.manifest.Metrics, scorer, metric); m.Headline {
			return i
		}
	}
	return min(0, len(x.metrics)-1)
}

// listed is one row of the matrix with the cells that the filter is after.
type listed struct {
	*item
	match uint64 // a bit for each arm
}

// list returns the items that have a session which the filter is after. Said holds the sessions in which its text
// was found. The index has to be locked.
func (x *index) list(f filter, said map[string]bool) []listed {
	metric := x.chosen(f.Metric)
	named := naming(f.Text)
	fault := uint64(0)
	if i := slices.Index(x.faults, f.Fault); i >= 0 {
		fault = 1 << i
	}
	keeps := func(e *entry) bool {
		return (f.Text == "" || said[e.id] || named(e)) && f.faulty(e.faults, fault) && f.inState(e) && f.scored(e.score(metric))
	}
	items := make([]listed, 0, len(x.items))
	for _, it := range x.items {
		row := listed{item: it}
		for arm, e := range it.cells {
			if e != nil && keeps(e) {
				row.match |= 1 << arm
			}
		}
		if row.match != 0 {
			items = append(items, row)
		}
	}
	sortItems(items, metric, f.Sort)
	return items
}

// faulty reports whether a session's faults, a bit for each kind, are what the filter is after; asked is the bit of its
// own kind.
func (f *filter) faulty(faults, asked uint64) bool {
	switch f.Fault {
	case "":
		return true
	case "any":
		return faults != 0
	case "none":
		return faults == 0
	}
	return faults&asked != 0
}

// inState reports whether a session is in the state that the filter is after.
func (f *filter) inState(e *entry) bool {
	return f.State == "" || f.State == "underway" && e.state == "" || string(e.state) == f.State
}

// scored reports whether a session's scores are what the filter is after.
func (f *filter) scored(c cell) bool {
	v := c.value()
	switch {
	case (f.low > math.Inf(-1) || f.high < math.Inf(1)) && !(v >= f.low && v <= f.high):
		return false
	case f.Score == "scored":
		return c.n > 0
	case f.Score == "unscored":
		return c.without > 0 || c.n == 0
	}
	return true
}

// sortItems sorts by the cells that match. What has no value comes last.
func sortItems(items []listed, metric int, by string) {
	if by != "low" && by != "high" && by != "apart" {
		return
	}
	keys := make(map[int]float64, len(items))
	for _, it := range items {
		low, high := math.Inf(1), math.Inf(-1)
		for arm, e := range it.cells {
			if e != nil && (it.match>>arm&1 == 1 || by == "apart") {
				if v := e.score(metric).value(); !math.IsNaN(v) {
					low, high = min(low, v), max(high, v)
				}
			}
		}
		key := low
		switch {
		case math.IsInf(low, 1):
			key = math.Inf(1)
		case by == "high":
			key = -high
		case by == "apart":
			key = low - high
		}
		keys[it.index] = key
	}
	slices.SortStableFunc(items, func(a, b listed) int { return cmp.Compare(keys[a.index], keys[b.index]) })
}
