package main

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/eval/stat"
)

// columnKind is what a column must hold.
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

// statData are the columns that a statistic computes from.
type statData struct {
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
func (d *statData) n() int {
	switch d.unit {
	case "values":
		return len(d.x) + len(d.y)
	case "units":
		return len(d.units)
	}
	return max(len(d.x), len(d.xLabels))
}

// pick returns the data of some rows.
func (d *statData) pick(rows []int) *statData {
	return &statData{
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
func (d *statData) clusters() [][]int {
	if d.grouped {
		return stat.Clusters(d.group)
	}
	return stat.Items(d.n())
}

// statOptions are the settings beside the columns.
type statOptions struct {
	level, power, diff float64
	hasDiff            bool
	alternative        stat.Alternative
	zeros              stat.Zeros
	method             string
	boot               stat.Bootstrap
	of                 *statistic
	labels             []string
}

func statOptionsOf(c *cli.Context, s *statistic) (*statOptions, error) {
	o := &statOptions{
		level: c.Float64("level"), power: c.Float64("power"), diff: c.Float64("diff"), hasDiff: c.IsSet("diff"),
		zeros: stat.Zeros(c.String("zeros")), method: c.String("method"),
	}
	switch alt := c.String("alternative"); alt {
	case "two-sided":
	case "greater", "less":
		if !s.sided {
			return nil, usagef("%s is two-sided only", s.name)
		}
		o.alternative = stat.Alternative(alt)
	default:
		return nil, usagef("--alternative %s is none of two-sided, greater and less", alt)
	}
	if o.zeros != stat.DropZeros && o.zeros != stat.RankZeros {
		return nil, usagef("--zeros %s is neither wilcox nor pratt", o.zeros)
	}
	if o.method != "" && !slices.Contains(s.methods, o.method) {
		if len(s.methods) == 0 {
			return nil, usagef("%s takes no --method", s.name)
		}
		return nil, usagef("--method %s of %s is none of %s", o.method, s.name, strings.Join(s.methods, ", "))
	}
	if o.method == "" && len(s.methods) > 0 {
		o.method = s.methods[0]
	}
	if !(o.level > 0 && o.level < 1) {
		return nil, usagef("--level %v is not between 0 and 1", o.level)
	}
	if !(o.power > 0 && o.power < 1) {
		return nil, usagef("--power %v is not between 0 and 1", o.power)
	}
	if c.Int("draws") < stat.MinDraws {
		return nil, usagef("--draws %d are too few for an interval: take %d or more", c.Int("draws"), stat.MinDraws)
	}
	if c.String("labels") != "" {
		for _, l := range strings.Split(c.String("labels"), ",") {
			o.labels = append(o.labels, labelOf(l))
		}
	}
	seed := c.Uint64("seed")
	o.boot = stat.Bootstrap{Draws: c.Int("draws"), Level: o.level, BCa: o.method == "bca", Rand: rand.New(rand.NewPCG(seed, seed))}
	if s.name == "bootstrap" {
		of, err := findStatistic(c.String("of"))
		if err != nil {
			return nil, err
		}
		if of.value == nil {
			return nil, usagef("--of %s cannot be resampled row by row", of.name)
		}
		o.of = of
	} else if c.IsSet("of") {
		return nil, usagef("--of goes with --test bootstrap")
	}
	return o, nil
}

// load reads the columns of a statistic.
func (t *statTable) load(c *cli.Context, s *statistic, group groupNeed) (*statData, error) {
	named := func(flag string) bool { return c.String(flag) != "" }
	x, y := s.x, s.y
	switch {
	case s.ratings != colNone && (named("raters") || !named("y") && !named("group")):
		return t.loadRaters(c, s)
	case s.ratings != colNone && named("y"):
		x, y, group = s.ratings, s.ratings, groupNever
	case s.ratings != colNone:
		x, group = s.ratings, groupAlways
	case s.samples && named("group"):
		y, group = colNone, groupAlways
	}
	if named("raters") {
		return nil, usagef("%s takes no --raters; it needs %s", s.name, s.needs())
	}
	at, err := t.find(c, s, map[string]bool{
		"x": x != colNone, "y": y != colNone, "group": group == groupAlways || group == groupMaybe && named("group"),
	})
	switch {
	case err != nil:
		return nil, err
	case s.samples && y == colNone:
		return t.loadGroupedSamples(at["x"], at["group"])
	case s.samples:
		return t.loadSamples(at["x"], at["y"])
	}
	d := &statData{unit: "rows", of: len(t.rows)}
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
	if s.ratings != colNone {
		d.collectUnits()
	}
	return d, nil
}

// find places the columns that are wanted: as named, or called as their flag, or in order where the
// table has just as many.
func (t *statTable) find(c *cli.Context, s *statistic, wanted map[string]bool) (map[string]int, error) {
	flags := []string{"x", "y", "group"}
	byOrder := true
	count := 0
	for _, flag := range flags {
		if c.String(flag) != "" {
			byOrder = false
			if !wanted[flag] {
				return nil, usagef("%s takes no --%s here; it needs %s", s.name, flag, s.needs())
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
		name := c.String(flag)
		switch {
		case name != "":
		case slices.Contains(t.header, flag):
			name = flag
		case byOrder && count == len(t.header):
			at[flag] = len(at)
			continue
		default:
			return nil, usagef("%s needs %s: say which of %s", s.name, s.needs(), strings.Join(t.header, ", "))
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
func (t *statTable) read(row statRow, at int, flag string, k columnKind, values *[]float64, names *[]string) error {
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
func (t *statTable) loadSamples(x, y int) (*statData, error) {
	d := &statData{unit: "values", of: 2 * len(t.rows)}
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
func (t *statTable) loadGroupedSamples(x, group int) (*statData, error) {
	d := &statData{unit: "values", of: len(t.rows)}
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
func (t *statTable) loadRaters(c *cli.Context, s *statistic) (*statData, error) {
	if c.String("x") != "" {
		return nil, usagef("%s needs %s", s.name, s.needs())
	}
	names := t.header
	if c.String("raters") != "" {
		names = strings.Split(c.String("raters"), ",")
	}
	d := &statData{unit: "units", of: len(t.rows)}
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
func (d *statData) collectUnits() {
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
func (d *statData) scale(given []string) ([]string, string) {
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
