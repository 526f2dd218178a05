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
	"parley/eval/run"
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

// check returns an error for a form or a number of steps that cannot be, and for a task that does not
// exist or is named twice.
func (a Asking) check(tasks []Task) error {
	switch {
	case a.Form != Words && a.Form != PDDL:
		return run.Usagef("form is words or pddl, not %q", a.Form)
	case a.Steps < 1:
		return run.Usagef("steps is %d: it is 1 or more", a.Steps)
	}
	for i, t := range tasks {
		if !slices.Contains(Tasks, t) || slices.Contains(tasks[:i], t) {
			return run.Usagef("tasks: %q is not one of %v, each once", t, Tasks)
		}
	}
	return nil
}

// Making says which problems and questions to make.
type Making struct {
	Domains []string // names of generators, or files of PDDL with problems beside them
	N       int      // problems of each domain
	Blocks  string   // such as 3-12
	Depots  string   // numbers of depots, distributors, trucks, pallets, hoists and crates: 3,1,3,4,4,3
	States  string   // stack or uniform
	Tasks   []Task   // of questions; none: all
	Asking
}

// Check returns an error for what is wrong.
func (m *Making) Check() error {
	switch {
	case m.N < 1:
		return run.Usagef("n is %d: it is 1 or more", m.N)
	case m.States != "stack" && m.States != "uniform":
		return run.Usagef("states is stack or uniform, not %q", m.States)
	}
	if len(m.Tasks) == 0 {
		m.Tasks = Tasks
	}
	return m.Asking.check(m.Tasks)
}

// Problems makes the problems of all domains. progress, which may be nil, is called after each with the
// number of those of one domain.
func (m *Making) Problems(ctx context.Context, o pddl.Options, progress func(done int)) ([]*World, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	var worlds []*World
	for _, domain := range m.Domains {
		list, err := m.domain(ctx, domain, o, progress)
		if err != nil {
			return nil, err
		}
		worlds = append(worlds, list...)
	}
	return worlds, nil
}

func (m *Making) domain(ctx context.Context, domain string, o pddl.Options, progress func(int)) ([]*World, error) {
	if strings.HasSuffix(strings.ToLower(domain), ".pddl") {
		given, err := ReadProblems(domain)
		if err != nil {
			return nil, err
		}
		return Vary(ctx, given, m.N, m.Seed, o, progress)
	}
	g := DefaultGenerator(domain)
	g.Uniform = m.States == "uniform"
	if _, err := fmt.Sscanf(m.Blocks, "%d-%d", &g.Blocks[0], &g.Blocks[1]); err != nil {
		return nil, run.Usagef("blocks is %q: write two numbers such as 3-12", m.Blocks)
	}
	if _, err := fmt.Sscanf(m.Depots, "%d,%d,%d,%d,%d,%d", &g.Depots[0], &g.Depots[1], &g.Depots[2], &g.Depots[3], &g.Depots[4], &g.Depots[5]); err != nil {
		return nil, run.Usagef("depots is %q: write six numbers such as 3,1,3,4,4,3", m.Depots)
	}
	if err := g.Validate(); err != nil {
		return nil, run.UsageError{Err: err}
	}
	return g.Generate(ctx, m.N, m.Seed, o, progress)
}

// Questions asks every task about every problem.
func (m *Making) Questions(worlds []*World) ([]Question, error) {
	var list []Question
	for _, w := range worlds {
		for _, task := range m.Tasks {
			q, err := w.Ask(task, m.Asking)
			if err != nil {
				return nil, err
			}
			list = append(list, *q)
		}
	}
	return list, nil
}
