// Package eval turns records of play into scores, and scores into results with intervals.
//
// A score that could not be had is a status with its reason, never a number. The package reads no file
// and opens no model; the measures are in the packages below it.
package eval

import (
	"context"

	"parley/sim"
	"parley/sim/llm"
)

// Status says whether there is a value.
type Status string

const (
	Scored        Status = "scored"
	NotApplicable Status = "not applicable" // the measure does not ask this of this subject
	Unparsed      Status = "unparsed"       // there is an answer, of a judge or in the play, from which no value could be read
	Failed        Status = "failed"         // no answer was had
)

// Score is one value of one subject in one session: a row of a run's scores.
type Score struct {
	Session  string     `json:"session" parquet:"session,dict"`
	Item     string     `json:"item" parquet:"item,dict"` // what the session has in common with one session of every other arm, such as its situation
	Arm      string     `json:"arm" parquet:"arm,dict"`
	Scorer   string     `json:"scorer" parquet:"scorer,dict"` // iep, ieg ...
	Metric   string     `json:"metric" parquet:"metric,dict"`
	Subject  string     `json:"subject" parquet:"subject,dict"` // who or what it is about; empty: the whole session
	Control  string     `json:"control" parquet:"control,dict"` // empty: the measurement itself
	Turn     int        `json:"turn" parquet:"turn"`            // of a curve; 0: the whole session
	Value    *float64   `json:"value" parquet:"value,optional"` // nil unless scored
	Weight   int        `json:"weight" parquet:"weight"`        // how many things the value is the mean of, such as turns; 0 counts as 1
	Status   Status     `json:"status" parquet:"status,dict"`
	Reason   string     `json:"reason" parquet:"reason"` // why there is no value
	Method   string     `json:"method" parquet:"method,dict"`
	Evidence []Evidence `json:"evidence" parquet:"evidence,list"`
	Calls    []string   `json:"calls" parquet:"calls,list"` // judge's calls, by id
}

// Evidence is a reason for a score: what was looked for, and what was found for it.
type Evidence struct {
	Want   string  `json:"want" parquet:"want"`
	Got    string  `json:"got" parquet:"got"` // empty: nothing
	Weight float64 `json:"weight" parquet:"weight"`
}

// Scorer measures one finished session.
type Scorer interface {
	// Name returns the name that its scores bear.
	Name() string
	// Metrics lists the numbers that it gives.
	Metrics() []Metric
	// Score returns the scores of a session. The calls that it made of a judge come with them, also with
	// an error.
	Score(ctx context.Context, ep *sim.Episode) ([]Score, []llm.Call, error)
}

// Result is one line of a table: an aggregate with its interval and its basis. The JSON form is a
// documented interface.
type Result struct {
	Scorer  string   `json:"scorer"`
	Metric  string   `json:"metric"`
	Arm     string   `json:"arm"`
	Control string   `json:"control"`
	Value   *float64 `json:"value"` // nil where nothing was scored
	Low     *float64 `json:"low"`   // 95 % interval; nil where there is none
	High    *float64 `json:"high"`
	Least   *float64 `json:"least,omitempty"` // the value if all that is unscored had the worst value, where something is
	Most    *float64 `json:"most,omitempty"`  // and the best
	P       *float64 `json:"p,omitempty"`     // of a difference: two-sided p-value of no difference
	PHolm   *float64 `json:"p_holm,omitempty"`
	Items   int      `json:"items,omitempty"`  // of a difference: items, such as situations, that both arms have scores of
	Effect  *float64 `json:"effect,omitempty"` // of a difference: over the standard deviation between items (Cohen's dz)
	N       int      `json:"n"`                // scored
	Of      int      `json:"of"`               // in all
	Unit    string   `json:"unit"`             // what n counts
	Reason  string   `json:"reason"`           // why value or interval is missing
}
