package ieg

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"parley/eval"
	"parley/eval/stat"
)

// Sheet is a table of F-scores that are known already, as papers print them.
type Sheet struct {
	rows []sheetRow
	real []sheetRow
}

// sheetRow is one source of play under one virtual DM.
type sheetRow struct {
	line       int
	source, dm string
	cells      map[string]float64 // by column
}

// columns are the names that a sheet's first line may hold for each column.
var columns = map[string][]string{
	"source": {"source", "model", "agent", "arm"},
	"dm":     {"dm", "virtual_dm"},
	"iep":    {"iep", "p"},
	"f_c":    {"f_c", "f_g_c"},
	"f_o":    {"f_o", "f_g_o"},
	"f_r_c":  {"f_r_c"},
	"f_r_o":  {"f_r_o"},
	"G_c":    {"g_c"},
	"G_o":    {"g_o"},
}

// ReadSheet reads a table of comma-separated values whose first line names its columns: source (or
// model), f_c and f_o (or f_g_c and f_g_o), from 0 to 100; and where there are several virtual DMs, dm.
//
// The F-scores on real play stand in columns of their own, f_r_c and f_r_o, or in rows whose source is
// real or human: one for every dm, or one without dm for all of them. Columns G_c and G_o, where
// there are any, hold gaps that are known already, and are compared with those computed here. Other
// columns are passed over. A cell that is empty, "-" or NA has no value.
func ReadSheet(r io.Reader) (*Sheet, error) {
	in := csv.NewReader(r)
	in.TrimLeadingSpace = true
	head, err := in.Read()
	if err == io.EOF {
		return nil, errors.New("the table is empty; its first line names the columns: source, dm, f_c, f_o")
	}
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	for i, title := range head {
		title = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(title, "\ufeff")))
		for name, titles := range columns {
			for _, t := range titles {
				if t != title {
					continue
				}
				if _, twice := at[name]; twice {
					return nil, fmt.Errorf("line 1: two columns are the same: %s and %s", head[at[name]], head[i])
				}
				at[name] = i
			}
		}
	}
	for _, name := range []string{"source", "f_c", "f_o"} {
		if _, ok := at[name]; !ok {
			return nil, fmt.Errorf("line 1: there is no column %s", strings.Join(columns[name], " or "))
		}
	}
	s := &Sheet{}
	for {
		record, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		line, _ := in.FieldPos(0)
		row, err := readRow(record, at)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		row.line = line
		if err := s.add(row); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	if len(s.rows) == 0 {
		return nil, errors.New("the table has no row of generated play")
	}
	return s, nil
}

func readRow(record []string, at map[string]int) (sheetRow, error) {
	row := sheetRow{cells: map[string]float64{}}
	for name, i := range at {
		text := strings.TrimSpace(record[i])
		switch name {
		case "source":
			row.source = text
			continue
		case "dm":
			row.dm = text
			continue
		}
		switch strings.ToLower(text) {
		case "", "-", "na", "n/a", "nan", "null":
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || v < 0 || v > 100 {
			return row, fmt.Errorf("column %s: %q is not a number from 0 to 100", name, text)
		}
		row.cells[name] = v
	}
	if row.source == "" {
		return row, errors.New("the row has no source")
	}
	return row, nil
}

func (s *Sheet) add(row sheetRow) error {
	rows := &s.rows
	switch strings.ToLower(row.source) {
	case "real", "human":
		rows, row.source = &s.real, "real"
	}
	for _, other := range *rows {
		if other.source == row.source && other.dm == row.dm {
			return fmt.Errorf("%s stands in line %d already", row.name(), other.line)
		}
	}
	*rows = append(*rows, row)
	return nil
}

// SetReal gives the F-scores on real play where the sheet has none.
func (s *Sheet) SetReal(c, o float64) error {
	return s.add(sheetRow{source: "real", cells: map[string]float64{"f_c": c, "f_o": o}})
}

func (r *sheetRow) name() string {
	if r.dm == "" {
		return r.source
	}
	return r.source + " / " + r.dm
}

// Results are the F-scores of the sheet with the gaps that follow from them, each row an arm called
// after its source, and "source / dm" where it names one. No interval can be had from two numbers.
// A gap that a number is missing for says which. One that differs by more than rounding from what the sheet says
// itself says so too.
func (s *Sheet) Results() (out []eval.Result) {
	for i := range s.real {
		out = append(out, s.real[i].known("f_c"), s.real[i].known("f_o"))
	}
	for i := range s.rows {
		row := &s.rows[i]
		if v, ok := row.cells["iep"]; ok {
			out = append(out, eval.Result{Scorer: metricIEP, Metric: metricIEP, Arm: row.name(), Value: &v, N: 1, Of: 1, Unit: "rows", Reason: noSpread})
		}
		out = append(out, row.known("f_c"), row.known("f_o"), s.gap(row, "c"), s.gap(row, "o"))
	}
	return out
}

const noSpread = "a single number has no interval"

func (r *sheetRow) known(column string) eval.Result {
	out := eval.Result{Scorer: Scorer, Metric: column, Arm: r.name(), Of: 1, Unit: "rows", Reason: "the row has no " + column}
	if v, ok := r.cells[column]; ok {
		out.Value, out.N, out.Reason = &v, 1, noSpread
	}
	return out
}

// rounding is the most that two decimals can move a gap of F-scores that have two decimals, with a
// little to spare.
const rounding = 0.0151

func (s *Sheet) gap(row *sheetRow, which string) eval.Result {
	out := eval.Result{Scorer: Scorer, Metric: "G_" + which, Arm: row.name(), Of: 1, Unit: "rows"}
	real, why := s.realOf(row, which)
	generated, ok := row.cells["f_"+which]
	switch {
	case !ok:
		out.Reason = "the row has no f_" + which
	case why != "":
		out.Reason = why
	default:
		g, blank := Gap(real, generated)
		if blank {
			out.Reason = blankGap
			break
		}
		out.Value, out.N, out.Reason = stat.Number(g).Ptr(), 1, noSpread
		if said, ok := row.cells["G_"+which]; ok && math.Abs(said-g) > rounding {
			out.Reason = fmt.Sprintf("the table says %.2f, which does not follow from %.2f and %.2f", said, real, generated)
		}
	}
	return out
}

func (s *Sheet) realOf(row *sheetRow, which string) (float64, string) {
	if v, ok := row.cells["f_r_"+which]; ok {
		return v, ""
	}
	for _, dm := range []string{row.dm, ""} {
		for i := range s.real {
			if v, ok := s.real[i].cells["f_"+which]; ok && s.real[i].dm == dm {
				return v, ""
			}
		}
	}
	why := fmt.Sprintf("there is no F-score on real play: add a row real, or columns f_r_%s", which)
	if row.dm != "" {
		why = fmt.Sprintf("there is no F-score on real play under %s: add a row real with this dm", row.dm)
	}
	return 0, why
}
