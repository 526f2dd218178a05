package formats

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"parley/finetune"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/goccy/go-yaml"
)

// Level says how bad a finding is.
type Level string

const (
	Error   Level = "error"   // the trainer stops, loses rows silently, or learns something else
	Warning Level = "warning" // it trains, and it is unwise
)

// Finding is one thing that is wrong with a file.
type Finding struct {
	File    string `json:"file"`
	Line    int64  `json:"line"` // from 1; 0 for what is about the file as a whole
	Rule    string `json:"rule"`
	Level   Level  `json:"level"`
	Message string `json:"message"` // what was found, and what the trainer makes of it
	Remedy  string `json:"remedy"`
}

// String returns the finding in one line: file:line: level rule: message (remedy).
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: %s %s: %s (%s)", f.File, f.Line, f.Level, f.Rule, f.Message, f.Remedy)
}

// Count is how often a rule was broken.
type Count struct {
	Rule  string `json:"rule"`
	Level Level  `json:"level"`
	N     int64  `json:"n"`
}

// Summary is the result of a validation.
type Summary struct {
	Format   string   `json:"format"`
	Trainer  string   `json:"trainer"` // and its version, from which the rules were read
	Files    []string `json:"files"`   // that were read
	Rows     int64    `json:"rows"`
	Bytes    int64    `json:"bytes"`
	Errors   int64    `json:"errors"`
	Warnings int64    `json:"warnings"`
	Rules    []Count  `json:"rules"`           // errors first, then the most frequent
	Notes    []string `json:"notes,omitempty"` // what was not looked at, and why
}

// Report is the result of a validation with the findings themselves.
type Report struct {
	Summary
	Findings []Finding `json:"findings"` // the first of each rule, up to the limit
	limit    int64
}

// Report validates files as Validate does. It hands the first findings of each rule to show, as many as the limit says,
// 0 being all; with a nil show it keeps them.
func (f *Format) Report(ctx context.Context, paths []string, o ValidateOptions, limit int, show func(Finding) error) (r *Report, err error) {
	r = &Report{Findings: []Finding{}, limit: int64(limit)}
	found := map[countKey]int{}
	r.Summary, err = f.Validate(ctx, paths, o, func(f Finding) error {
		key := countKey{f.Rule, f.Level}
		if found[key]++; limit > 0 && found[key] > limit {
			return nil
		}
		if show == nil {
			r.Findings = append(r.Findings, f)
			return nil
		}
		return show(f)
	})
	return r, err
}

// Print prints the counts that end the findings.
func (r *Report) Print(w io.Writer) error {
	for _, note := range r.Notes {
		fmt.Fprintln(w, "note:", note)
	}
	if len(r.Rules) > 0 {
		fmt.Fprintln(w)
		tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(tab, "LEVEL\tRULE\tFOUND\tSHOWN")
		for _, c := range r.Rules {
			shown := c.N
			if r.limit > 0 {
				shown = min(shown, r.limit)
			}
			fmt.Fprintf(tab, "%s\t%s\t%d\t%d\n", c.Level, c.Rule, c.N, shown)
		}
		if err := tab.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s: %s in %s, %s, %s\n", r.Format, finetune.Plural(r.Rows, "row"), finetune.Plural(len(r.Files), "file"), finetune.Plural(r.Errors, "error"), finetune.Plural(r.Warnings, "warning"))
	return err
}

// effect is a rule of rules.yaml, or what a trainer changes of one: a text in place of the whole is the
// effect alone.
type effect struct {
	Level  Level  `yaml:"level"`
	Says   string `yaml:"says"`
	Effect string `yaml:"effect"`
	Remedy string `yaml:"remedy"`
}

// UnmarshalYAML reads a text or a map.
func (e *effect) UnmarshalYAML(decode func(any) error) error {
	if decode(&e.Effect) == nil {
		return nil
	}
	type plain effect
	return decode((*plain)(e))
}

// ruleTable is rules.yaml.
type ruleTable struct {
	Marks   map[string][]string `yaml:"marks"`
	Markers []string            `yaml:"markers"`
	Rules   map[string]effect   `yaml:"rules"`
}

// rules reads rules.yaml, which is part of the program: an error in it is a panic.
var rules = sync.OnceValue(func() *ruleTable {
	raw, err := data.ReadFile("rules.yaml")
	t := &ruleTable{}
	if err == nil {
		err = yaml.UnmarshalWithOptions(raw, t, yaml.Strict())
	}
	if err != nil {
		panic(fmt.Errorf("rules.yaml: %w", err))
	}
	return t
})

type countKey struct {
	rule  string
	level Level
}

// report reports a finding about the current line. A rule may have a variant behind a colon; args are
// names in the text of the rule, each with its value.
func (v *validator) report(rule string, args ...any) { v.reportAt(v.file.path, v.line, rule, args...) }

// advise reports what is about a file as a whole, when it is first met in a row.
func (v *validator) advise(rule string, args ...any) {
	if v.once(rule) {
		v.since = v.line
		v.reportAt(v.file.path, 0, rule, args...)
		v.since = 0
	}
}

func (v *validator) reportAt(path string, line int64, rule string, args ...any) {
	if v.err != nil {
		return
	}
	r, known := rules().Rules[rule]
	if !known {
		panic("rules.yaml has no rule " + rule)
	}
	own := v.f.Effects[rule]
	name, _, _ := strings.Cut(rule, ":")
	level := cmp.Or(own.Level, r.Level)
	v.counts[countKey{name, level}]++
	if level == Error {
		v.sum.Errors++
	} else {
		v.sum.Warnings++
	}
	pairs := []string{"{trainer}", v.f.Trainer}
	for i := 0; i+1 < len(args); i += 2 {
		pairs = append(pairs, fmt.Sprint("{", args[i], "}"), fmt.Sprint(args[i+1]))
	}
	fill := strings.NewReplacer(pairs...)
	message := cmp.Or(own.Says, r.Says)
	if v.since > 0 {
		message += fmt.Sprintf(" (first in line %d)", v.since)
	}
	if e := cmp.Or(own.Effect, r.Effect); e != "" {
		message += ": " + e
	}
	v.err = v.yield(Finding{path, line, name, level, fill.Replace(message), fill.Replace(cmp.Or(own.Remedy, r.Remedy))})
}

// once says whether something is met for the first time in the current file.
func (v *validator) once(what string) bool {
	if v.seen[what] {
		return false
	}
	v.seen[what] = true
	return true
}

func (v *validator) summary() Summary {
	s := v.sum
	s.Files, s.Rules = append([]string{}, s.Files...), []Count{}
	s.Format, s.Trainer = v.f.Name, v.f.Trainer+" "+v.f.Version
	for key, n := range v.counts {
		s.Rules = append(s.Rules, Count{key.rule, key.level, n})
	}
	slices.SortFunc(s.Rules, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(b.N, a.N), cmp.Compare(a.Rule, b.Rule))
	})
	s.Notes = slices.Sorted(maps.Keys(v.notes))
	return s
}
