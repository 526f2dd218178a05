package formats

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Level says how bad a finding is.
type Level string

const (
	Error   Level = "error"   // the trainer stops, loses rows without a word, or learns something else
	Warning Level = "warning" // it trains, and it is unwise
)

// Finding is one thing that is wrong with a file.
type Finding struct {
	File    string `json:"file"`
	Line    int64  `json:"line"` // from 1; 0 for what is about the file as a whole
	Rule    string `json:"rule"`
	Level   Level  `json:"level"`
	Message string `json:"message"` // what is there, and what the trainer makes of it
	Remedy  string `json:"remedy"`
}

// String is the finding in one line: file:line: level rule: message (remedy).
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: %s %s: %s (%s)", f.File, f.Line, f.Level, f.Rule, f.Message, f.Remedy)
}

// Count is how often a rule was broken.
type Count struct {
	Rule  string `json:"rule"`
	Level Level  `json:"level"`
	N     int64  `json:"n"`
}

// Summary is what a validation comes to.
type Summary struct {
	Format   string
	Files    []string // that were read
	Rows     int64
	Bytes    int64
	Errors   int64
	Warnings int64
	Rules    []Count  // errors first, then the most frequent
	Notes    []string // what was not looked at, and why
}

func (v *validator) summary() Summary {
	s := v.sum
	s.Format = v.f.Name
	for key, n := range v.counts {
		s.Rules = append(s.Rules, Count{key.rule, key.level, n})
	}
	slices.SortFunc(s.Rules, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(b.N, a.N), cmp.Compare(a.Rule, b.Rule))
	})
	s.Notes = slices.Sorted(maps.Keys(v.notes))
	return s
}

type countKey struct {
	rule  string
	level Level
}

// find reports a finding about the current line.
func (v *validator) find(level Level, rule, remedy, message string, args ...any) {
	v.findAt(v.file.path, v.line, level, rule, remedy, message, args...)
}

func (v *validator) findAt(path string, line int64, level Level, rule, remedy, message string, args ...any) {
	if v.err != nil {
		return
	}
	v.counts[countKey{rule, level}]++
	if level == Error {
		v.sum.Errors++
	} else {
		v.sum.Warnings++
	}
	if len(args) > 0 {
		message = fmt.Sprintf(message, args...)
	}
	v.err = v.yield(Finding{path, line, rule, level, message, remedy})
}

func (v *validator) bad(rule, remedy, message string, args ...any) {
	v.find(Error, rule, remedy, message, args...)
}

func (v *validator) warn(rule, remedy, message string, args ...any) {
	v.find(Warning, rule, remedy, message, args...)
}

// once says whether something is met for the first time in the current file.
func (v *validator) once(what string) bool {
	if v.seen[what] {
		return false
	}
	v.seen[what] = true
	return true
}
