package script

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Row is what is known of one author's script for one task, or of an author's scripts all together: a
// number from 0 to 1 a metric, in the order of Metrics. Nil is unscored.
type Row struct {
	Arm    string
	Task   string // empty: all together
	Values [7]*float64
}

// Table is what authors are ranked by.
type Table struct {
	Rows []Row
	// Unit is what the numbers were rounded to, such as 0.001; 0: they are exact.
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

// Score is the weighted mean of the metrics, from 0 to 1, of a row that is whole.
func (r *Row) Score(w Weights) float64 { return r.score(w, 0) }

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
	in := csv.NewReader(r)
	in.FieldsPerRecord, in.TrimLeadingSpace = -1, true
	head, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: there is no head: %w", name, err)
	}
	at := map[string]int{}
	for i, column := range head {
		column = strings.TrimSpace(strings.TrimPrefix(column, "\uFEFF"))
		key := strings.ToLower(column)
		if Metric(strings.ToUpper(column)).index() >= 0 {
			key = strings.ToUpper(column)
		}
		if _, twice := at[key]; twice && (key == "model" || Metric(key).index() >= 0) {
			return nil, fmt.Errorf("%s: the column %s stands twice", name, column)
		}
		at[key] = i
	}
	for _, need := range append([]string{"model"}, metricNames()...) {
		if _, ok := at[need]; !ok {
			return nil, fmt.Errorf("%s: the column %s is missing; a table has model, perhaps size and task, and %s", name, need, strings.Join(metricNames(), ", "))
		}
	}
	t := &Table{}
	digits := 0
	seen := map[[2]string]bool{}
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		line, _ := in.FieldPos(0)
		cell := func(key string) string {
			if i, ok := at[key]; ok && i < len(record) {
				return strings.TrimSpace(record[i])
			}
			return ""
		}
		row := Row{Arm: strings.TrimSpace(cell("model") + " " + cell("size")), Task: cell("task")}
		if row.Arm == "" {
			return nil, fmt.Errorf("%s:%d: the row names no model", name, line)
		}
		key := [2]string{row.Arm, row.Task}
		if seen[key] {
			return nil, fmt.Errorf("%s:%d: %s stands twice; rows of one model need a column task that tells them apart", name, line, strings.TrimSpace(row.Arm+" "+row.Task))
		}
		seen[key] = true
		for i, m := range Metrics() {
			text := cell(string(m))
			v, d, err := readRate(text)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: column %s: %w", name, line, m, err)
			}
			row.Values[i] = v
			digits = max(digits, d)
		}
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 {
		return nil, fmt.Errorf("%s: the table has no rows", name)
	}
	if digits > 0 && digits < 9 {
		t.Unit = math.Pow(10, -float64(digits))
	}
	return t, nil
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
	zero, one := 0.0, 1.0
	switch strings.ToLower(text) {
	case "", "na", "n/a", "nan", "null", "none", "-":
		return nil, true
	case "1", "true", "yes", "y", "1.0":
		return &one, true
	case "0", "false", "no", "n", "0.0":
		return &zero, true
	}
	return nil, false
}
