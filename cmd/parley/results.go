package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"
	"text/tabwriter"

	"parley/eval"
	"parley/eval/iep"
	"parley/eval/stat"
)

const confidence = 0.95

// cell is what becomes one result: the values of one metric of one arm under one control.
type cell struct {
	scorer, metric, arm, control string
	values                       []float64
	sessions                     []int // of each value, by index
	of                           int
	reasons                      map[string]int // why the rest is unscored
}

// measure reads the scores and sessions of a run and makes the results, in the order of the arms.
func measure(dir string, e *Experiment) ([]eval.Result, map[State]int, error) {
	m := newMeasurement()
	for row, err := range rows[sessionRow](dir, streamSessions) {
		if err != nil {
			return nil, nil, err
		}
		m.session(row)
	}
	for score, err := range rows[eval.Score](dir, streamScores) {
		if err != nil {
			return nil, nil, err
		}
		m.score(&score)
	}
	return m.results(e), m.states, nil
}

// measurement takes in the rows of a run, all sessions before the first score.
type measurement struct {
	cells    map[string]*cell
	states   map[State]int
	sessions []sessionRow
	index    map[string]int // of a session, by id
}

func newMeasurement() *measurement {
	return &measurement{cells: map[string]*cell{}, states: map[State]int{}, index: map[string]int{}}
}

func (m *measurement) session(row sessionRow) {
	m.states[row.State]++
	m.index[row.ID] = row.Index
	row.Scenario, row.Cast, row.Questions = "", nil, nil
	m.sessions = append(m.sessions, row)
}

func (m *measurement) score(s *eval.Score) {
	if s.Status == eval.NotApplicable {
		return
	}
	metric := s.Metric
	if s.Turn > 0 {
		metric = fmt.Sprintf("%s@%d", metric, s.Turn)
	}
	key := strings.Join([]string{s.Scorer, metric, s.Arm, s.Control}, "\x00")
	c := m.cells[key]
	if c == nil {
		c = &cell{scorer: s.Scorer, metric: metric, arm: s.Arm, control: s.Control, reasons: map[string]int{}}
		m.cells[key] = c
	}
	c.of++
	if s.Value == nil {
		c.reasons[string(s.Status)+": "+s.Reason]++
		return
	}
	if s.Reason != "" {
		c.reasons[s.Reason]++
	}
	c.values = append(c.values, *s.Value)
	c.sessions = append(c.sessions, m.index[s.Session])
}

func (m *measurement) results(e *Experiment) []eval.Result {
	order := map[string]int{}
	for i := range e.Player {
		order[e.Player[i].Name] = i
	}
	list := slices.Collect(maps.Values(m.cells))
	rank := func(c *cell) string { // the measure itself, its controls, then what explains it
		metric, _, _ := strings.Cut(c.metric, "@")
		return fmt.Sprintf("%06d %t %s %s %08d", order[c.arm], metric != c.scorer, metric, c.control, turnOf(c.metric))
	}
	sort.Slice(list, func(i, j int) bool { return rank(list[i]) < rank(list[j]) })
	var results []eval.Result
	for _, c := range list {
		results = append(results, c.result())
	}
	for i := range e.Player {
		results = append(results, validTurns(e.Player[i].Name, m.sessions))
	}
	return append(results, differences(e, list)...)
}

func turnOf(metric string) int {
	turn := 0
	if _, at, ok := strings.Cut(metric, "@"); ok {
		fmt.Sscan(at, &turn)
	}
	return turn
}

// result is the mean over players and sessions. Players of one session go together, so the interval
// is clustered by session.
func (c *cell) result() eval.Result {
	i := stat.ClusteredMean(c.values, c.sessions, confidence)
	r := eval.Result{
		Scorer: c.scorer, Metric: c.metric, Arm: c.arm, Control: c.control,
		Value: i.Value, Low: i.Low, High: i.High, N: len(c.values), Of: c.of, Unit: "players", Reason: i.Reason,
	}
	if r.Low != nil { // the scale ends at 0 and 100
		low, high := max(0, *r.Low), min(100, *r.High)
		r.Low, r.High = &low, &high
	}
	if len(c.reasons) > 0 {
		r.Reason = strings.TrimPrefix(r.Reason+"; "+tallied(c.reasons), "; ")
	}
	return r
}

// tallied lists reasons with their counts, the most frequent first.
func tallied(reasons map[string]int) string {
	keys := slices.Collect(maps.Keys(reasons))
	sort.Slice(keys, func(i, j int) bool {
		if reasons[keys[i]] != reasons[keys[j]] {
			return reasons[keys[i]] > reasons[keys[j]]
		}
		return keys[i] < keys[j]
	})
	var parts []string
	for i, k := range keys {
		if i == 5 {
			parts = append(parts, fmt.Sprintf("and %d other reasons", len(keys)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%d x %s", reasons[k], k))
	}
	return strings.Join(parts, "; ")
}

// validTurns is the share of the players' moves that were not malformed, in percent, with an interval
// clustered by session.
func validTurns(arm string, sessions []sessionRow) eval.Result {
	var shares []float64
	var ids []int
	valid, moves := 0, 0
	for i := range sessions {
		s := &sessions[i]
		if s.Arm != arm || s.State != stateComplete {
			continue
		}
		valid, moves = valid+s.Valid, moves+s.Moves
		if s.Moves > 0 {
			shares = append(shares, 100*float64(s.Valid)/float64(s.Moves))
			ids = append(ids, s.Index)
		}
	}
	r := eval.Result{Scorer: "play", Metric: "valid_turns", Arm: arm, N: valid, Of: moves, Unit: "turns"}
	i := stat.ClusteredMean(shares, ids, confidence)
	r.Low, r.High, r.Reason = i.Low, i.High, i.Reason
	if moves > 0 {
		share := 100 * float64(valid) / float64(moves)
		r.Value = &share
	}
	if r.Low != nil {
		low, high := max(0, *r.Low), min(100, *r.High)
		r.Low, r.High = &low, &high
	}
	return r
}

// differences compares every arm with the first, session by session.
func differences(e *Experiment, cells []*cell) []eval.Result {
	means := func(arm string) map[int]float64 {
		for _, c := range cells {
			if c.arm == arm && c.metric == iep.Metric && c.control == "" {
				sum, n := map[int]float64{}, map[int]int{}
				for i, v := range c.values {
					sum[c.sessions[i]] += v
					n[c.sessions[i]]++
				}
				for s := range sum {
					sum[s] /= float64(n[s])
				}
				return sum
			}
		}
		return nil
	}
	var results []eval.Result
	if len(e.kind().Scorers) == 0 || len(e.Player) < 2 {
		return nil
	}
	first := means(e.Player[0].Name)
	for _, arm := range e.Player[1:] {
		other := means(arm.Name)
		var diffs []float64
		for _, s := range slices.Sorted(maps.Keys(other)) {
			if v, ok := first[s]; ok {
				diffs = append(diffs, other[s]-v)
			}
		}
		i := stat.Mean(diffs, confidence)
		results = append(results, eval.Result{
			Scorer: "iep", Metric: "iep_difference", Arm: arm.Name + " - " + e.Player[0].Name,
			Value: i.Value, Low: i.Low, High: i.High, N: len(diffs), Of: e.Sessions, Unit: "pairs of sessions", Reason: i.Reason,
		})
	}
	return results
}

// answer is what commands that measure print with --json.
type answer struct {
	Run      string        `json:"run,omitempty"`
	Sessions map[State]int `json:"sessions,omitempty"`
	Results  []eval.Result `json:"results"`
}

// printJSON prints one object and nothing else.
func printJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

// printResults prints results as a table. What has no value says so.
func printResults(w io.Writer, results []eval.Result) error {
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tab, "METRIC\tARM\tCONTROL\tVALUE\t95 % INTERVAL\tN\tUNIT\tNOTE")
	for _, r := range results {
		value, interval := "unscored", "-"
		if r.Value != nil {
			value = fmt.Sprintf("%.2f", *r.Value)
		}
		if r.Low != nil && r.High != nil {
			interval = fmt.Sprintf("%.2f to %.2f", *r.Low, *r.High)
		}
		control := r.Control
		if control == "" {
			control = "-"
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\t%d of %d\t%s\t%s\n", r.Metric, r.Arm, control, value, interval, r.N, r.Of, r.Unit, shorten(r.Reason, 100))
	}
	return tab.Flush()
}

// shorten cuts a text that is too long for a line.
func shorten(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-3]) + "..."
	}
	return s
}
