package planning

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
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
	began := o.Now()
	var found pddl.Solution
	if err == nil {
		found, err = pddl.Solve(ctx, task, o)
	}
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

// ReadProblems reads problems from a file: JSON Lines as Generate writes them, rows of ACPBench-Hard, or a
// PDDL domain, whose problems are the other PDDL files beside it and in the directories below (such as
// PlanBench's instances). Costs are taken over where the source has them.
func ReadProblems(path string) ([]*World, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	read := ParseProblems
	if strings.EqualFold(filepath.Ext(path), ".pddl") {
		read = problemsBeside
	}
	list, err := read(path, src)
	if err != nil {
		return nil, err
	}
	return open(path, list)
}

// open makes problems ready.
func open(path string, list []Problem) ([]*World, error) {
	out := make([]*World, 0, len(list))
	for i, p := range list {
		w, err := p.Open()
		if err != nil {
			return nil, fmt.Errorf("%s, problem %d: %w", path, i+1, err)
		}
		out = append(out, w)
	}
	return out, nil
}

// ParseProblems reads the problems of a file of JSON Lines or of ACPBench-Hard, without opening them.
func ParseProblems(path string, src []byte) ([]Problem, error) {
	if start := bytes.TrimSpace(src); len(start) > 0 && start[0] == '[' {
		return readRows(path, src)
	}
	var out []Problem
	err := eval.EachLine(bytes.NewReader(src), path, func(line []byte) error {
		p := Problem{ID: fmt.Sprint(len(out) + 1)}
		if err := json.Unmarshal(line, &p); err != nil {
			return fmt.Errorf("want a problem as eval planning generate writes it: %w", err)
		}
		out = append(out, p)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, unique(path, out)
}

// unique refuses problems with one identifier.
func unique(path string, list []Problem) error {
	seen := map[string]bool{}
	for _, w := range list {
		if seen[w.ID] {
			return fmt.Errorf("%s: two problems have the identifier %q", path, w.ID)
		}
		seen[w.ID] = true
	}
	if len(list) == 0 {
		return fmt.Errorf("%s: no problems", path)
	}
	return nil
}

// readRows reads an ACPBench-Hard file. Rows of several tasks on one problem give it once.
func readRows(path string, src []byte) ([]Problem, error) {
	var rows []struct {
		ID      json.Number     `json:"id"`
		Rules   string          `json:"PDDL_domain"`
		Problem string          `json:"PDDL_problem"`
		Answer  json.RawMessage `json:"answer"`
	}
	if err := json.Unmarshal(src, &rows); err != nil {
		return nil, fmt.Errorf("%s: want rows of ACPBench-Hard: %w", path, err)
	}
	var out []Problem
	for _, r := range rows {
		if slices.ContainsFunc(out, func(p Problem) bool { return p.PDDL == r.Problem }) {
			continue
		}
		p := Problem{ID: r.ID.String(), Rules: r.Rules, PDDL: r.Problem}
		var next struct{ Opt json.Number }
		if json.Unmarshal(r.Answer, &next) == nil {
			if cost, err := next.Opt.Int64(); err == nil {
				p.Cost = new(int(cost))
			}
		}
		out = append(out, p)
	}
	return out, unique(path, out)
}

// isProblem tells PDDL files of problems from others.
var isProblem = regexp.MustCompile(`(?i)\(\s*define\s*\(\s*problem\b`)

// problemsBeside reads the problems in the directory of a domain and below it, in the order of their names.
func problemsBeside(domain string, rules []byte) ([]Problem, error) {
	dir := filepath.Dir(domain)
	var out []Problem
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.EqualFold(filepath.Ext(path), ".pddl") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil || !isProblem.Match(src) {
			return err
		}
		id, _ := filepath.Rel(dir, path)
		out = append(out, Problem{ID: strings.TrimSuffix(filepath.ToSlash(id), filepath.Ext(id)), Rules: string(rules), PDDL: string(src)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(out, func(a, b Problem) int { // instance-2 before instance-10
		return cmp.Or(len(a.ID)-len(b.ID), strings.Compare(a.ID, b.ID))
	})
	return out, unique(dir, out)
}
