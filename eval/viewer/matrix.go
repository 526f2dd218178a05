package viewer

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/report"
	"parley/eval/report/view"
	"parley/eval/run"
	"parley/eval/session"
)

// perPage is how many rows of the matrix a page has.
const perPage = 50

// choice is one option of a filter.
type choice struct {
	Value, Text string
	Chosen      bool
}

// matrix is the body of the page of a run of sessions.
type matrix struct {
	Tabs                                   []tab
	Summary                                string
	Filter                                 filter
	Metrics, Faults, States, Scores, Sorts []choice
	Metric                                 string // title of the one that is shown
	Caption                                string
	Arms                                   []armHead
	Rows                                   []matrixRow
	Shown                                  string
}

// armHead is the head of a column.
type armHead struct {
	Name   string
	Series int
	Note   string
}

type matrixRow struct {
	Number int
	Title  string
	URL    string // all arms of it; empty: there are no two
	Cells  []matrixCell
}

// matrixCell is one session.
type matrixCell struct {
	URL    string // empty: there is no session
	Arm    string
	Series int
	Dim    bool   // the filter is not after it
	Value  string // empty: not scored yet
	Width  float64
	Reason string // why there is no value
	Turns  int
	State  string // empty: complete
	Faults []string
	More   int // kinds of faults that are not shown
}

// run is the page of a run: its sessions by arms, or what its manifest says where it has no sessions.
func (v *Viewer) run(r *http.Request) (*document, error) {
	x, name, err := v.open(r)
	if err != nil {
		return nil, err
	}
	if x.kind() != session.Kind {
		return v.results(r)
	}
	f := readFilter(r.URL.Query())
	var said map[string]bool
	whole := true
	if f.Text != "" {
		said, whole = x.search(f.Text, pageWait)
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	items := x.list(f, said)
	of := max(1, (len(items)+perPage-1)/perPage)
	f.Page = min(f.Page, of)
	d := x.document("matrix", name, name)
	d.Notes = append(d.Notes, f.wrong...)
	if !whole {
		d.Live = runURL(name, "live")
		d.Notes = append(d.Notes, "The search is still under way. This page fills in by itself.")
	}
	b := x.matrix(name, f)
	from := (f.Page - 1) * perPage
	for _, it := range items[from:min(from+perPage, len(items))] {
		b.Rows = append(b.Rows, x.row(name, f, it))
	}
	b.Shown = fmt.Sprintf("%s of %s situations", report.Grouped(int64(len(items))), report.Grouped(int64(len(x.items))))
	if of > 1 {
		b.Shown += fmt.Sprintf(", page %d of %d", f.Page, of)
	}
	if f.Page > 1 {
		d.Prev = f.query(f.Page - 1)
	}
	if f.Page < of {
		d.Next = f.query(f.Page + 1)
	}
	d.Body = b
	return d, nil
}

func (x *index) kind() string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.manifest.Kind
}

// matrix makes what stands above the rows.
func (x *index) matrix(name string, f filter) *matrix {
	m := x.manifest
	b := &matrix{Tabs: x.tabs(name, ""), Filter: f}
	complete, failed, open := 0, 0, 0
	for _, e := range x.sessions {
		switch e.state {
		case run.Complete:
			complete++
		case run.Failed:
			failed++
		case "":
			open++
		}
	}
	parts := []string{fmt.Sprintf("%s: %s of %s sessions complete", m.State, report.Grouped(int64(complete)), report.Grouped(int64(max(m.Of, len(x.sessions)))))}
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("%s failed", report.Grouped(int64(failed))))
	}
	if open > 0 {
		parts = append(parts, fmt.Sprintf("%s under way", report.Grouped(int64(open))))
	}
	b.Summary = strings.Join(parts, ", ") + "; started " + m.Started.UTC().Format("2006-01-02 15:04 MST")
	metric := x.chosen(f.Metric)
	for i, known := range x.metrics {
		title := x.title(known)
		if i == metric {
			b.Metric = title
			scorer, own, _ := strings.Cut(known, "/")
			found := eval.Find(m.Metrics, scorer, own)
			b.Caption = found.Caption
		}
		b.Metrics = append(b.Metrics, choice{known, title, i == metric})
	}
	faults := append([]choice{{"", "all", false}, {"any", "with any fault", false}, {"none", "without a fault", false}}, each(x.faults)...)
	b.Faults = chosen(f.Fault, faults...)
	b.States = chosen(f.State, choice{"", "all", false}, choice{"complete", "complete", false}, choice{"failed", "failed", false}, choice{"underway", "under way", false})
	b.Scores = chosen(f.Score, choice{"", "all", false}, choice{"scored", "scored", false}, choice{"unscored", "unscored", false})
	b.Sorts = chosen(f.Sort, choice{"", "by number", false}, choice{"low", "lowest first", false}, choice{"high", "highest first", false}, choice{"apart", "arms furthest apart first", false})
	means := x.means(metric)
	for i, arm := range x.arms {
		b.Arms = append(b.Arms, armHead{arm, i % 6, means[i]})
	}
	return b
}

// title returns what a metric is called.
func (x *index) title(metric string) string {
	scorer, name, _ := strings.Cut(metric, "/")
	return cmp.Or(eval.Find(x.manifest.Metrics, scorer, name).Title, name)
}

// means says what a metric is on average in each arm: as the manifest has it, else of the sessions so far.
func (x *index) means(metric int) []string {
	list := make([]string, len(x.arms))
	sums, n := make([]float64, len(x.arms)), make([]int, len(x.arms))
	for _, e := range x.sessions {
		if c := e.score(metric); e.arm >= 0 && c.n > 0 {
			sums[e.arm] += c.sum
			n[e.arm] += int(c.n)
		}
	}
	for i, arm := range x.arms {
		if n[i] > 0 {
			mean := sums[i] / float64(n[i])
			list[i] = "mean so far " + view.Number(&mean)
		}
		for k := range x.manifest.Results {
			if r := &x.manifest.Results[k]; metric >= 0 && r.Scorer+"/"+r.Metric == x.metrics[metric] && r.Arm == arm && r.Control == "" {
				list[i] = "unscored"
				if r.Value != nil {
					list[i] = "mean " + view.Number(r.Value)
				}
				if r.Value != nil && r.Low != nil && r.High != nil {
					list[i] += fmt.Sprintf(" (%s to %s)", view.Number(r.Low), view.Number(r.High))
				}
			}
		}
	}
	return list
}

func each(values []string) (list []choice) {
	for _, v := range slices.Sorted(slices.Values(values)) {
		list = append(list, choice{v, v, false})
	}
	return list
}

// chosen marks the choice that a filter has; one that is not offered is added.
func chosen(value string, list ...choice) []choice {
	i := slices.IndexFunc(list, func(c choice) bool { return c.Value == value })
	if i < 0 {
		i, list = len(list), append(list, choice{value, value, false})
	}
	list[i].Chosen = true
	return list
}

// row makes a row of the matrix.
func (x *index) row(name string, f filter, it listed) matrixRow {
	row := matrixRow{Number: it.index + 1, Title: it.title}
	var ids []string
	metric := x.chosen(f.Metric)
	for arm, title := range x.arms {
		c := matrixCell{Arm: title, Series: arm % 6}
		if arm < len(it.cells) && it.cells[arm] != nil {
			e := it.cells[arm]
			ids = append(ids, e.id)
			c.URL, c.Turns, c.Dim = runURL(name, "session", "id", e.id), e.turns, it.match>>arm&1 == 0
			c.State = map[run.State]string{run.Complete: "", "": "under way"}[e.state]
			if e.state == run.Failed {
				c.State = "failed: " + e.failure
			}
			x.value(&c, e.score(metric), metric)
			for i, fault := range x.faults {
				if e.faults>>i&1 == 1 {
					c.Faults = append(c.Faults, fault)
				}
			}
			if len(c.Faults) > 2 {
				c.Faults, c.More = c.Faults[:2], len(c.Faults)-2
			}
		}
		row.Cells = append(row.Cells, c)
	}
	if len(ids) > 1 {
		row.URL = runURL(name, "session", "id", ids[0], "with", ids[1])
	}
	return row
}

// value fills in what a cell says of a score: its value, or why there is none.
func (x *index) value(c *matrixCell, s cell, metric int) {
	reason := "see the session"
	if int(s.reason) < len(x.reasons) {
		reason = x.reasons[s.reason]
	}
	switch {
	case s.n > 0:
		v := s.value()
		c.Value = view.Number(&v)
		scorer, own, _ := strings.Cut(x.metrics[metric], "/")
		m := eval.Find(x.manifest.Metrics, scorer, own)
		if m.Bounded() {
			c.Width = math.Round(100 * max(0, min(1, (v-m.Low)/(m.High-m.Low))))
		}
		if s.without > 0 {
			c.Reason = fmt.Sprintf("%d unscored: %s", s.without, reason)
		}
	case s.without > 0:
		c.Value, c.Reason = "unscored", reason
	case s.reason > 0:
		c.Value, c.Reason = "not applicable", reason
	}
}
