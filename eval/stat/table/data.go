package table

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"parley/eval/stat"
)

// columnKind is the kind of values of a column.
type columnKind string

const (
	colNone    columnKind = ""
	colNumbers columnKind = "numbers"
	colLabels  columnKind = "labels"
	colYesNo   columnKind = "yes or no"
)

// groupNeed says whether a statistic takes a column of groups.
type groupNeed int

const (
	groupNever groupNeed = iota
	groupMaybe
	groupAlways
)

// data are the columns that a statistic computes from.
type data struct {
	x, y    []float64
	xLabels []string
	yLabels []string
	group   []string
	units   [][]string // of alpha: the ratings of each unit
	unit    string     // what n counts
	of      int        // rows, or of two samples values, that the table has
	dropped int        // of them, without a value
	grouped bool       // a column of groups was named
}

// n is the number of values, pairs or units.
func (d *data) n() int {
	switch d.unit {
	case "values":
		return len(d.x) + len(d.y)
	case "units":
		return len(d.units)
	}
	return max(len(d.x), len(d.xLabels))
}

// pick returns the data of some rows.
func (d *data) pick(rows []int) *data {
	return &data{
		x: picked(d.x, rows), y: picked(d.y, rows),
		xLabels: picked(d.xLabels, rows), yLabels: picked(d.yLabels, rows),
		units: picked(d.units, rows),
	}
}

func picked[T any](all []T, rows []int) []T {
	if all == nil {
		return nil
	}
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = all[row]
	}
	return out
}

// clusters are the groups as positions, or every row for itself.
func (d *data) clusters() [][]int {
	if d.grouped {
		return stat.Clusters(d.group)
	}
	return stat.Items(d.n())
}

// load reads the columns of a statistic.
func (t *Table) load(o *Options, s *Statistic, group groupNeed) (*data, error) {
	if s.byRater(o) {
		return t.loadRaters(o, s)
	}
	if o.Raters != "" {
		return nil, usage("%s takes no --raters; it needs %s", s.Name, s.Needs())
	}
	x, y, group := s.columns(o, group)
	at, err := t.find(o, s, map[string]bool{
		"x": x != colNone, "y": y != colNone, "group": group == groupAlways || group == groupMaybe && o.Group != "",
	})
	switch {
	case err != nil:
		return nil, err
	case s.samples && y == colNone:
		return t.loadGroupedSamples(at["x"], at["group"])
	case s.samples:
		return t.loadSamples(at["x"], at["y"])
	}
	d, err := t.loadRows(at, x, y)
	if err == nil && s.ratings != colNone {
		d.collectUnits()
	}
	return d, err
}

// byRater reports whether a row is a unit and a column a rater.
func (s *Statistic) byRater(o *Options) bool {
	return s.ratings != colNone && (o.Raters != "" || o.Y == "" && o.Group == "")
}

// columns returns the kinds of the columns that a statistic needs, which may depend on those that are named.
func (s *Statistic) columns(o *Options, group groupNeed) (x, y columnKind, g groupNeed) {
	switch {
	case s.ratings != colNone && o.Y != "":
		return s.ratings, s.ratings, groupNever
	case s.ratings != colNone:
		return s.ratings, colNone, groupAlways
	case s.samples && o.Group != "":
		return s.x, colNone, groupAlways
	}
	return s.x, s.y, group
}

// loadRows reads the rows that have a value in every column.
func (t *Table) loadRows(at map[string]int, x, y columnKind) (*data, error) {
	d := &data{unit: "rows", of: len(t.rows)}
	if y != colNone {
		d.unit = "pairs"
	}
	byGroup, grouped := at["group"]
	d.grouped = grouped
	for _, row := range t.rows {
		if slices.ContainsFunc(slices.Collect(maps.Values(at)), func(i int) bool { return noValue(row.cells[i]) }) {
			d.dropped++
			continue
		}
		if err := t.read(row, at["x"], "x", x, &d.x, &d.xLabels); err != nil {
			return nil, err
		}
		if err := t.read(row, at["y"], "y", y, &d.y, &d.yLabels); err != nil {
			return nil, err
		}
		if grouped {
			d.group = append(d.group, labelOf(row.cells[byGroup]))
		}
	}
	return d, nil
}

// find places the columns that are wanted: as named, or called as their flag, or in order where the
// table has just as many.
func (t *Table) find(o *Options, s *Statistic, wanted map[string]bool) (map[string]int, error) {
	flags := []string{"x", "y", "group"}
	byOrder := true
	count := 0
	for _, flag := range flags {
		if o.column(flag) != "" {
			byOrder = false
			if !wanted[flag] {
				return nil, usage("%s takes no --%s here; it needs %s", s.Name, flag, s.Needs())
			}
		}
		if wanted[flag] {
			count++
		}
	}
	at := map[string]int{}
	for _, flag := range flags {
		if !wanted[flag] {
			continue
		}
		name := o.column(flag)
		switch {
		case name != "":
		case slices.Contains(t.header, flag):
			name = flag
		case byOrder && count == len(t.header):
			at[flag] = len(at)
			continue
		default:
			return nil, usage("%s needs %s: say which of %s", s.Name, s.Needs(), strings.Join(t.header, ", "))
		}
		i, err := t.column(flag, name)
		if err != nil {
			return nil, err
		}
		at[flag] = i
	}
	return at, nil
}

// read takes one cell into the column that its kind goes to.
func (t *Table) read(row record, at int, flag string, k columnKind, values *[]float64, names *[]string) error {
	var v float64
	var err error
	switch k {
	case colNone:
		return nil
	case colLabels:
		*names = append(*names, labelOf(row.cells[at]))
		return nil
	case colYesNo:
		v, err = t.yes(row, at, flag)
	case colNumbers:
		v, err = t.number(row, at, flag)
	}
	*values = append(*values, v)
	return err
}

// loadSamples reads two independent columns: a missing cell of one does not drop the other.
func (t *Table) loadSamples(x, y int) (*data, error) {
	d := &data{unit: "values", of: 2 * len(t.rows)}
	for _, row := range t.rows {
		for _, to := range []struct {
			at     int
			flag   string
			values *[]float64
		}{{x, "x", &d.x}, {y, "y", &d.y}} {
			if noValue(row.cells[to.at]) {
				d.dropped++
				continue
			}
			if err := t.read(row, to.at, to.flag, colNumbers, to.values, nil); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// loadGroupedSamples reads one column of values and one that says which of two samples each is of.
// The sample that comes first is x.
func (t *Table) loadGroupedSamples(x, group int) (*data, error) {
	d := &data{unit: "values", of: len(t.rows)}
	var names []string
	for _, row := range t.rows {
		if noValue(row.cells[x]) || noValue(row.cells[group]) {
			d.dropped++
			continue
		}
		name := labelOf(row.cells[group])
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		if len(names) > 2 {
			return nil, fmt.Errorf("%s:%d: column %q: %q is a third sample after %s and %s; keep the rows of two",
				t.name, row.line, t.header[group], name, names[0], names[1])
		}
		to := &d.x
		if name != names[0] {
			to = &d.y
		}
		if err := t.read(row, x, "x", colNumbers, to, nil); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// loadRaters reads one row a unit, one column a rater: those named, or all.
func (t *Table) loadRaters(o *Options, s *Statistic) (*data, error) {
	if o.X != "" {
		return nil, usage("%s needs %s", s.Name, s.Needs())
	}
	names := t.header
	if o.Raters != "" {
		names = strings.Split(o.Raters, ",")
	}
	d := &data{unit: "units", of: len(t.rows)}
	for _, row := range t.rows {
		var unit []string
		for _, name := range names {
			at, err := t.column("raters", strings.TrimSpace(name))
			if err != nil {
				return nil, err
			}
			if noValue(row.cells[at]) {
				continue
			}
			if s.ratings == colNumbers {
				if _, err := t.number(row, at, "raters"); err != nil {
					return nil, err
				}
			}
			unit = append(unit, labelOf(row.cells[at]))
		}
		d.units = append(d.units, unit)
	}
	return d, nil
}

// collectUnits makes units of two columns of raters, or of one column of ratings by group.
func (d *data) collectUnits() {
	text := func(values []float64, names []string) []string {
		for _, v := range values {
			names = append(names, strconv.FormatFloat(v, 'g', -1, 64))
		}
		return names
	}
	x, y := text(d.x, d.xLabels), text(d.y, d.yLabels)
	d.x, d.y, d.xLabels, d.yLabels, d.unit = nil, nil, nil, nil, "units"
	if len(y) > 0 {
		for i := range x {
			d.units = append(d.units, []string{x[i], y[i]})
		}
		return
	}
	for _, rows := range stat.Clusters(d.group) {
		d.units = append(d.units, picked(x, rows))
	}
	d.grouped, d.of = false, len(d.units)
}

// scale is the full list of labels: as given, or every whole number from the least to the greatest.
func (d *data) scale(given []string) ([]string, string) {
	if given != nil {
		return given, ""
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range slices.Concat(d.xLabels, d.yLabels) {
		v, err := strconv.ParseFloat(l, 64)
		if err != nil || v != math.Trunc(v) || math.Abs(v) > 1<<53 {
			return nil, fmt.Sprintf("label %s is no whole number below 2^53: give all labels in their order with --labels", l)
		}
		low, high = math.Min(low, v), math.Max(high, v)
	}
	if high-low > 10_000 {
		return nil, "the labels span more than 10000 whole numbers: give them with --labels"
	}
	var out []string
	for v := low; v <= high; v++ {
		out = append(out, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return out, ""
}
