package pddl_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"parley/eval/planning/pddl"
)

const shared = "../../../../shared/data/planning"

// data returns the path of shared data, or skips the test.
func data(t testing.TB, elem ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{shared}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the reference data is not here: %v", err)
	}
	return path
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func load(t testing.TB, domain, problem string) *pddl.Task {
	t.Helper()
	d, err := pddl.ParseDomain(domain, read(t, domain))
	if err != nil {
		t.Fatal(err)
	}
	return ground(t, d, problem, read(t, problem))
}

func ground(t testing.TB, d *pddl.Domain, file, src string) *pddl.Task {
	t.Helper()
	p, err := pddl.ParseProblem(d, file, src)
	if err != nil {
		t.Fatal(err)
	}
	task, err := pddl.Ground(p)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// solve solves a task, checks that the plan is valid and returns the solution.
func solve(t testing.TB, task *pddl.Task, o pddl.Options) pddl.Solution {
	t.Helper()
	s, err := pddl.Solve(context.Background(), task, o)
	if err != nil {
		t.Fatal(err)
	}
	if s.Outcome == pddl.Optimal {
		if v := task.Problem.Validate(s.Plan); !v.Valid || v.Cost != s.Cost {
			t.Errorf("%s: the plan found is not valid: %+v", task.Problem.Name, v)
		}
	}
	return s
}

// reference is a line of a costs.tsv.
type reference struct {
	file string
	cost int
}

func references(t testing.TB, set string) []reference {
	t.Helper()
	f, err := os.Open(data(t, set, "costs.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.FieldsPerRecord = '\t', -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []reference
	for _, row := range rows[1:] {
		if cost, err := strconv.Atoi(row[1]); err == nil {
			out = append(out, reference{row[0], cost})
		}
	}
	return out
}

// all asks for every reference problem; without it tests take a sample of the sets that need minutes.
var all = flag.Bool("all", false, "solve every reference problem (about two minutes)")

// The sets of reference problems: directory, subdirectory of the problems, every how many to solve
// without -all, and the greatest cost to solve without -all.
var sets = []struct {
	dir, sub    string
	every, most int
}{
	{"bw12", "", 1, 99}, {"depots18", "", 1, 99}, {"ipc_blocks", "", 1, 99}, {"ipc_depot", "", 1, 20},
	{"bw_nonneutral", "instances", 1, 99}, {"planbench_depots", "instances", 15, 99},
}

func TestNextActionRowsHaveTheOptimalCost(t *testing.T) {
	var rows []struct {
		Domain  string `json:"PDDL_domain"`
		Problem string `json:"PDDL_problem"`
		Answer  struct{ Opt string }
	}
	if err := json.Unmarshal([]byte(read(t, data(t, "acpbench_hard", "nexta.bw_depots.json"))), &rows); err != nil {
		t.Fatal(err)
	}
	for i, r := range rows {
		d, err := pddl.ParseDomain("row", r.Domain)
		if err != nil {
			t.Fatal(err)
		}
		want, err := strconv.Atoi(r.Answer.Opt)
		if err != nil {
			t.Fatal(err)
		}
		if s := solve(t, ground(t, d, "row", r.Problem), pddl.Options{}); s.Cost != want {
			t.Errorf("row %d: cost %d, want %d", i, s.Cost, want)
		}
	}
}

// problemFiles lists the problems of a set in the order of their names.
func problemFiles(t testing.TB, dir, sub string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(data(t, dir, sub), "*.pddl"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(files, func(f string) bool { return filepath.Base(f) == "domain.pddl" })
}
