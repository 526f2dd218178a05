package script

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"parley/eval"
)

// Row is the marks of one author's script for one task, or of an author's scripts all together: a
// number from 0 to 1 a metric, in the order of Metrics. Nil is unscored.
type Row struct {
	Arm    string
	Task   string // empty: all together
	Values [7]*float64
}

// Table holds the marks that authors are ranked by.
type Table struct {
	Rows []Row
	// Unit is the unit that the numbers were rounded to, such as 0.001; 0: they are exact.
	Unit float64
}

// Whole reports whether every metric that has a weight is scored.
func (r *Row) Whole(w Weights) bool {
	for i, m := range Metrics() {
		if r.Values[i] == nil && w.Of(m) > 0 {
			return false
		}
	}
	return true
}

// score is the weighted mean of the metrics, with what is unscored taken as a given value.
func (r *Row) score(w Weights, unscored float64) float64 {
	sum, of := 0.0, 0.0
	for i, m := range Metrics() {
		v := unscored
		if r.Values[i] != nil {
			v = *r.Values[i]
		}
		sum, of = sum+w.Of(m)*v, of+w.Of(m)
	}
	return sum / of
}

// ReadTable reads a table from CSV: a column model, perhaps size, perhaps task, and one for each of
// the seven metrics, with numbers from 0 to 1 or True and False, 1 being good. Other columns are
// passed over. An arm is called by its model and size. An empty cell is unscored.
func ReadTable(r io.Reader, name string) (*Table, error) {
	t := &Table{}
	digits := 0
	seen := map[[2]string]bool{}
	err := eval.EachRow(r, name, func(has map[string]bool) error {
		for _, need := range append([]string{"model"}, metricNames()...) {
			if !has[strings.ToLower(need)] {
				return fmt.Errorf("the column %s is missing; a table has model, perhaps size and task, and %s", need, strings.Join(metricNames(), ", "))
			}
		}
		return nil
	}, func(cell func(string) string) error {
		row := Row{Arm: strings.TrimSpace(cell("model") + " " + cell("size")), Task: cell("task")}
		switch key := [2]string{row.Arm, row.Task}; {
		case row.Arm == "":
			return errors.New("the row names no model")
		case seen[key]:
			return fmt.Errorf("%s is there twice; rows of one model need a column task that tells them apart", strings.TrimSpace(row.Arm+" "+row.Task))
		default:
			seen[key] = true
		}
		for i, m := range metricNames() {
			v, d, err := readRate(cell(strings.ToLower(m)))
			if err != nil {
				return fmt.Errorf("column %s: %w", m, err)
			}
			row.Values[i], digits = v, max(digits, d)
		}
		t.Rows = append(t.Rows, row)
		return nil
	})
	if err == nil && len(t.Rows) == 0 {
		err = fmt.Errorf("%s: the table has no rows", name)
	}
	if digits > 0 && digits < 9 {
		t.Unit = math.Pow(10, -float64(digits))
	}
	return t, err
}

func metricNames() []string {
	var names []string
	for _, m := range Metrics() {
		names = append(names, string(m))
	}
	return names
}

// readRate reads a cell, and how many decimals it is given with.
func readRate(text string) (*float64, int, error) {
	if v, ok := readYes(text); ok {
		return v, 0, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return nil, 0, fmt.Errorf("%q is neither a number from 0 to 1 nor True or False", text)
	}
	_, decimals, _ := strings.Cut(text, ".")
	return &v, len(decimals), nil
}

// readYes reads a plain verdict; an empty one is nil.
func readYes(text string) (*float64, bool) {
	switch strings.ToLower(text) {
	case "", "na", "n/a", "nan", "null", "none", "-":
		return nil, true
	case "1", "true", "yes", "y", "1.0":
		return new(1.0), true
	case "0", "false", "no", "n", "0.0":
		return new(0.0), true
	}
	return nil, false
}
