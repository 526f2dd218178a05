package planning

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/planning/pddl"
	"parley/eval/report"
	"parley/eval/report/view"
)

// Solution holds the result of the search for one problem. Its JSON form is a documented interface.
type Solution struct {
	Problem  string       `json:"problem"`
	Cost     *int         `json:"cost"` // nil without a plan
	State    pddl.Outcome `json:"state"`
	Plan     []string     `json:"plan"`
	Seconds  float64      `json:"seconds"` // of the search, without reading and grounding
	Expanded int          `json:"expanded"`
}

// SolveFile finds a cheapest plan for the problem in a file. o.Now is required.
func SolveFile(ctx context.Context, d *pddl.Domain, file string, o pddl.Options) (Solution, error) {
	s := Solution{Problem: file, Plan: []string{}}
	src, err := os.ReadFile(file)
	if err != nil {
		return s, err
	}
	p, err := pddl.ParseProblem(d, file, string(src))
	if err != nil {
		return s, err
	}
	task, err := pddl.Ground(p)
	if err != nil {
		return s, fmt.Errorf("%s: %w", file, err)
	}
	began := o.Now()
	found, err := pddl.Solve(ctx, task, o)
	if err != nil {
		return s, fmt.Errorf("%s: %w", file, err)
	}
	s.State, s.Expanded, s.Seconds = found.Outcome, found.Expanded, o.Now().Sub(began).Seconds()
	if found.Outcome == pddl.Optimal {
		s.Cost = &found.Cost
	}
	s.Plan = append(s.Plan, atomStrings(found.Plan)...)
	return s, nil
}

// PrintSolutions prints a table, and the plan of a single problem.
func PrintSolutions(w io.Writer, list []Solution) error {
	t := &view.Table{Head: view.Columns("problem", "state", "#cost", "#expanded", "#seconds")}
	for _, s := range list {
		cost := "-"
		if s.Cost != nil {
			cost = fmt.Sprint(*s.Cost)
		}
		t.Add(s.Problem, string(s.State), cost, fmt.Sprint(s.Expanded), fmt.Sprintf("%.3f", s.Seconds))
	}
	if err := report.Print(w, t); err != nil || len(list) != 1 {
		return err
	}
	for _, action := range list[0].Plan {
		fmt.Fprintf(w, "  %s\n", action)
	}
	return nil
}

// PrintHistogram prints how many problems of each domain have each size and each cost.
func PrintHistogram(w io.Writer, problems []Problem) error {
	type key struct {
		domain, what string
		value        int
	}
	counts := map[key]int{}
	for _, p := range problems {
		counts[key{p.Domain, "objects", p.Size}]++
		counts[key{p.Domain, "cost", *p.Cost}]++
	}
	t := &view.Table{Head: view.Columns("domain", "of", "#value", "#problems")}
	for _, k := range slices.SortedFunc(maps.Keys(counts), func(a, b key) int {
		return cmp.Or(strings.Compare(a.domain, b.domain), strings.Compare(b.what, a.what), a.value-b.value)
	}) {
		t.Add(k.domain, k.what, fmt.Sprint(k.value), fmt.Sprint(counts[k]))
	}
	return report.Print(w, t)
}

// ReadAnswer is the reading of one line of a file of answers. Its JSON form is a documented interface.
type ReadAnswer struct {
	ID json.RawMessage `json:"id"`
	Reading
}

// ReadAnswers reads answers from JSON lines {"id", "domain", "problem" or "objects", "task", "raw", "cut"} and yields the
// reading of each. Its errors name the file and the line.
func ReadAnswers(r io.Reader, name string, yield func(ReadAnswer) error) error {
	readers := map[string]*Reader{}
	return eval.EachLine(r, name, func(line []byte) error {
		var in struct {
			ID     json.RawMessage `json:"id"`
			Raw    string          `json:"raw"`
			Cut    bool            `json:"cut"`
			Task   Task            `json:"task"`
			Domain string          `json:"domain"`
			Vocabulary
		}
		if err := json.Unmarshal(line, &in); err != nil {
			return fmt.Errorf("want a JSON object with id, domain, problem or objects, task and raw: %w", err)
		}
		if !slices.Contains(Tasks, in.Task) {
			return fmt.Errorf("task %q is not one of %v", in.Task, Tasks)
		}
		key := in.Domain + "\x00" + in.Problem + "\x00" + string(in.Objects)
		reader := readers[key]
		if reader == nil {
			var err error
			if reader, err = in.Vocabulary.Reader(in.Domain); err != nil {
				return err
			}
			readers[key] = reader
		}
		return yield(ReadAnswer{in.ID, reader.Read(in.Task, in.Raw, in.Cut)})
	})
}
