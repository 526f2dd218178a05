package script

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"parley/characters"
	"parley/eval"
	"parley/eval/judge"
	"parley/sim/llm"
)

// Abstract is an abstract task that specific ones are made of.
type Abstract struct{ ID, Topic, Text string }

// Abstracts returns the abstract tasks of the library.
func Abstracts() (list []Abstract) {
	seen := map[string]bool{}
	for _, t := range Library() {
		if !seen[t.Abstract] {
			seen[t.Abstract] = true
			list = append(list, Abstract{strings.TrimSuffix(t.ID, "-1"), t.Topic, t.Abstract})
		}
	}
	return list
}

// ReadAbstracts reads abstract tasks, one a line, perhaps behind a topic and a tab. Lines that begin with # are comments.
func ReadAbstracts(r io.Reader, name string) (list []Abstract, err error) {
	lines := bufio.NewScanner(r)
	seen := map[string]int{}
	for lines.Scan() {
		text := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\uFEFF"))
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		topic, abstract, ok := strings.Cut(text, "\t")
		if !ok {
			topic, abstract = "", text
		}
		id := string(characters.Slug(abstract))
		if seen[id]++; id == "" || seen[id] > 1 {
			id = fmt.Sprintf("%s-%d", strings.TrimPrefix(id, "-"), seen[id])
		}
		list = append(list, Abstract{id, strings.TrimSpace(topic), strings.TrimSpace(abstract)})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s holds no abstract task", name)
	}
	return list, nil
}

// Make has a model make specific tasks of abstract ones, with one to so many constraints. Failed counts those that it
// could not make, by reason. The error is that of a context that was cancelled, or of a model that is out of reach.
func Make(ctx context.Context, j *judge.Judge, list []Abstract, depth int, seed uint64) (tasks []Task, failed map[string]int, err error) {
	failed = map[string]int{}
	for _, a := range list {
		for d := 1; d <= depth; d++ {
			t, status, reason, calls, err := Construct(ctx, j, fmt.Sprintf("%s-%d", a.ID, d), a.Topic, a.Text, d, seed)
			if err == nil {
				err = llm.OutOfReach(calls)
			}
			if err != nil {
				return nil, nil, err
			}
			if status == eval.Scored {
				tasks = append(tasks, t)
			} else {
				failed[reason]++
			}
		}
	}
	return tasks, failed, nil
}

var reviewHead = []string{"keep", "id", "topic", "abstract", "constraint 1", "constraint 2", "constraint 3", "specific task", "note"}

// WriteReview writes a sheet for people to look through tasks.
func WriteReview(w io.Writer, tasks []Task) error {
	rows := [][]string{reviewHead}
	for i := range tasks {
		t := &tasks[i]
		three := append(slices.Clone(t.Constraints), "", "", "")[:3]
		rows = append(rows, slices.Concat([]string{"", t.ID, t.Topic, t.Abstract}, three, []string{t.Specific, ""}))
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// ReadReview reads a sheet that people filled in, where they may also have corrected the texts. It returns the tasks that
// they keep, and how many they do not.
func ReadReview(r io.Reader, name string) (tasks []Task, dropped int, err error) {
	err = eval.EachRow(r, name, func(has map[string]bool) error {
		for _, column := range reviewHead {
			if !has[column] {
				return fmt.Errorf("it is no sheet of tasks: the columns are %s", strings.Join(reviewHead, ","))
			}
		}
		return nil
	}, func(cell func(string) string) error {
		t := Task{ID: cell("id"), Topic: cell("topic"), Abstract: cell("abstract"), Specific: cell("specific task")}
		switch strings.ToLower(cell("keep")) {
		case "yes", "y", "1", "true", "x", "keep":
		case "no", "n", "0", "false", "drop":
			dropped++
			return nil
		default:
			return fmt.Errorf("task %s: keep is %q; say yes or no", t.ID, cell("keep"))
		}
		for at := range 3 {
			if text := cell(fmt.Sprintf("constraint %d", at+1)); text != "" {
				t.Constraints = append(t.Constraints, text)
			}
		}
		tasks = append(tasks, t)
		return t.Validate()
	})
	return tasks, dropped, err
}
