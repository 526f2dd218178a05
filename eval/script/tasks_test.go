package script_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/eval"
	"parley/eval/script"
	"parley/sim/llm"
)

func TestLibrary(t *testing.T) {
	tasks := script.Library()
	depth, topics := map[int]int{}, map[string]int{}
	specific := map[string]bool{}
	for i := range tasks {
		task := &tasks[i]
		if err := task.Validate(); err != nil {
			t.Error(err)
		}
		depth[task.Depth()]++
		topics[task.Topic]++
		if specific[task.Specific] {
			t.Errorf("%s: %q stands twice", task.ID, task.Specific)
		}
		specific[task.Specific] = true
		if len(task.Breaks) != task.Depth() || len(task.Key) < 2 {
			t.Errorf("%s has %d breaks and %d key steps", task.ID, len(task.Breaks), len(task.Key))
		}
		if found := script.Duplicates(task.Steps); len(found) > 0 {
			t.Errorf("%s: steps %v are duplicates", task.ID, found)
		}
		for _, s := range task.Steps {
			if !strings.HasSuffix(s, ".") || strings.Contains(s, "  ") {
				t.Errorf("%s: %q", task.ID, s)
			}
		}
	}
	if len(tasks) != 60 || len(topics) != 10 || depth[1] != 20 || depth[2] != 20 || depth[3] != 20 {
		t.Errorf("%d tasks, topics %v, depths %v", len(tasks), topics, depth)
	}
	for topic, n := range topics {
		if n != 6 {
			t.Errorf("%d tasks of %s", n, topic)
		}
	}
	var out bytes.Buffer
	if err := script.WriteTasks(&out, tasks); err != nil {
		t.Fatal(err)
	}
	back, err := script.ReadTasks(&out, "tasks.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tasks, back); diff != "" {
		t.Error(diff)
	}
}

func TestReadTasks(t *testing.T) {
	good := `{"id":"t","topic":"Food","abstract":"Make tea","constraints":["without sugar"],"specific":"Make tea without sugar"}`
	co := `{"id": 7, "Abstract Goal": "Make tea", "Specific Goal": "Make tea without sugar", "Constraint": "without sugar", "Script": ["1. Boil water", "2. Add tea"], "Category": "Food"}`
	tasks, err := script.ReadTasks(strings.NewReader("\xEF\xBB\xBF"+good+"\n\n"+co), "f.jsonl")
	if err != nil || len(tasks) != 2 {
		t.Fatal(tasks, err)
	}
	want := script.Task{ID: "coscript-7", Topic: "Food", Abstract: "Make tea", Constraints: []string{"without sugar"}, Specific: "Make tea without sugar", Steps: []string{"Boil water", "Add tea"}}
	if diff := cmp.Diff(want, tasks[1]); diff != "" {
		t.Error(diff)
	}
	for refs, fits := range map[string]bool{
		`"key":[1,2],"breaks":[{"constraint":1,"step":1},{"constraint":1,"step":2}]`: true, `"key":[0]`: false, `"key":[3]`: false,
		`"breaks":[{"constraint":0,"step":1}]`: false, `"breaks":[{"constraint":2,"step":1}]`: false, `"breaks":[{"constraint":1,"step":0}]`: false, `"breaks":[{"constraint":1,"step":3}]`: false,
	} {
		_, err := script.ReadTasks(strings.NewReader(`{"id":"t","specific":"x","constraints":["y"],"steps":["a","b"],`+refs+"}"), "f.jsonl")
		if (err == nil) != fits {
			t.Errorf("%s: %v", refs, err)
		}
	}
	for _, bad := range []string{
		"{", "[]", `{"id":"t"}`, `{"id":"t","specific":"x","constraints":[""]}`, good + "\n" + good,
		`{"id":"t","specific":"x","constraints":["y"],"key":[3]}`, `{"id":"t","specific":"x","constraints":["y"],"stpes":[]}`,
		`{"Specific Goal": "x", "Constraint": "y"}`, `{"id": 1, "Specific Goal": "x", "Constraint": "y", "Script": 5}`,
	} {
		if _, err := script.ReadTasks(strings.NewReader(bad), "f.jsonl"); err == nil || !strings.Contains(err.Error(), "f.jsonl:") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzReadTasks(f *testing.F) {
	f.Add(`{"id":"t","constraints":["a"],"specific":"b"}`)
	f.Add(`{"id": 7, "Specific Goal": "b", "Constraint": "a", "Script": ["1. Boil water"]}`)
	f.Fuzz(func(t *testing.T, text string) {
		tasks, err := script.ReadTasks(strings.NewReader(text), "f")
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := script.WriteTasks(&out, tasks); err != nil {
			t.Fatal(err)
		}
		if back, err := script.ReadTasks(&out, "g"); err != nil || len(back) != len(tasks) {
			t.Fatalf("%d of %d: %v", len(back), len(tasks), err)
		}
	})
}

func TestPlant(t *testing.T) {
	tasks := script.Library()
	task := &tasks[2]
	for _, f := range script.Faults() {
		for seed := range uint64(40) {
			r := rand.New(rand.NewPCG(seed, 1))
			s := script.Plant(f, task, tasks, r)
			again := script.Plant(f, task, tasks, rand.New(rand.NewPCG(seed, 1)))
			if s.Status != eval.Scored || !slices.Equal(s.Steps, again.Steps) {
				t.Fatalf("%s, seed %d: %+v", f, seed, s)
			}
			n, was := len(s.Steps), len(task.Steps)
			dup := len(script.Duplicates(s.Steps))
			var ok bool
			switch f {
			case script.LacksStep:
				ok = n == was-1
			case script.HasRedundant:
				ok = n == was+1 && dup == 0
			case script.HasDuplicate:
				ok = n == was+1 && dup == 1
			case script.BreaksOrder:
				ok = n == was && dup == 0
			case script.BreaksConstraint:
				ok = n == was
			case script.MissesGoal:
				ok = n < was
			}
			if !ok || slices.Equal(s.Steps, task.Steps) {
				t.Errorf("%s, seed %d: %q", f, seed, s.Steps)
			}
		}
	}
	bare := script.Task{ID: "bare", Constraints: []string{"x"}, Specific: "y"}
	if s := script.Plant(script.LacksStep, &bare, tasks, rand.New(rand.NewPCG(1, 1))); s.Status != eval.NotApplicable || s.Reason == "" {
		t.Errorf("%+v", s)
	}
}

// Worked out by hand: of "the cat sat on the mat" (6 words) against "the cat lay on a mat" (6).
func TestRouge(t *testing.T) {
	a, b := []string{"The cat sat", "on the mat."}, []string{"the cat lay on a mat"}
	for name, tt := range map[string]struct {
		got  script.Overlap
		want float64
	}{
		"1": {script.RougeN(1, a, b), 4.0 / 6}, // the, cat, on, mat
		"2": {script.RougeN(2, a, b), 1.0 / 5}, // the cat
		"L": {script.RougeL(a, b), 4.0 / 6},    // the cat on mat
	} {
		if math.Abs(tt.got.F1-tt.want) > 1e-12 {
			t.Errorf("ROUGE-%s %+v, want %v", name, tt.got, tt.want)
		}
	}
	if o := script.RougeL(a, a); o.F1 != 1 {
		t.Error(o)
	}
	if o := script.RougeN(2, nil, b); o.F1 != 0 {
		t.Error(o)
	}
}

type vectors map[string][]float32

func (v vectors) Embed(_ context.Context, texts []string) (*llm.Response, error) {
	var out [][]float32
	for _, t := range texts {
		out = append(out, v[t])
	}
	return &llm.Response{Vectors: out}, nil
}

func TestEmbedded(t *testing.T) {
	embedded := func(v vectors, steps, gold []string) (script.Overlap, error) {
		o, calls, err := script.Embedded(t.Context(), llm.Embedding(v, "fixed"), "fixed", steps, gold, llm.Tag{}, time.Now)
		if len(calls) != 1 {
			t.Errorf("%d requests are on record", len(calls))
		}
		return o, err
	}
	v := vectors{"a": {1, 0}, "b": {0, 1}, "c": {1, 1}}
	o, err := embedded(v, []string{"a", "b"}, []string{"a"})
	if err != nil || math.Abs(o.Precision-0.5) > 1e-6 || math.Abs(o.Recall-1) > 1e-6 || math.Abs(o.F1-2.0/3) > 1e-6 {
		t.Errorf("%+v %v", o, err)
	}
	o, err = embedded(v, []string{"c"}, []string{"a", "b"})
	if err != nil || math.Abs(o.F1-math.Sqrt(0.5)) > 1e-6 {
		t.Errorf("%+v %v", o, err)
	}
	if _, err := embedded(vectors{"a": {0, 0}, "b": {1, 1}}, []string{"a"}, []string{"b"}); err == nil {
		t.Error("a zero vector has a direction")
	}
}
