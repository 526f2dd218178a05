package planning

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/eval"
)

// ReadProblems reads problems from a file: JSON Lines as Generate writes them, rows of ACPBench-Hard, or a
// PDDL domain, whose problems are the other PDDL files beside it and in the directories below (such as
// PlanBench's instances). Costs are taken over where the source has them.
func ReadProblems(path string) ([]*World, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []Problem
	if strings.EqualFold(filepath.Ext(path), ".pddl") {
		list, err = problemsBeside(path, string(src))
	} else {
		list, err = ParseProblems(path, src)
	}
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
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.Problem] {
			continue
		}
		seen[r.Problem] = true
		p := Problem{ID: r.ID.String(), Rules: r.Rules, PDDL: r.Problem}
		var next struct{ Opt json.Number }
		if json.Unmarshal(r.Answer, &next) == nil && next.Opt != "" {
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

// problemsBeside reads the PDDL problems in the directory of a domain and below it, in the order of
// their names.
func problemsBeside(domain, rules string) ([]Problem, error) {
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
		out = append(out, Problem{ID: strings.TrimSuffix(filepath.ToSlash(id), filepath.Ext(id)), Rules: rules, PDDL: string(src)})
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
