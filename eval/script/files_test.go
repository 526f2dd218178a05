package script_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/characters"
	"parley/eval/judge"
	"parley/eval/run"
	"parley/eval/run/runtest"
	"parley/eval/script"
	"parley/sim"
	"parley/sim/llm"
)

// outcome is a value as JSON, or an error.
func outcome(v any, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Abstract tasks come from lines, perhaps behind a topic, and two of one name get ids of their own.
func TestReadAbstracts(t *testing.T) {
	for _, test := range []struct{ reason, text, want string }{
		{"lines", "\ufeffMake tea\n\n# not this\n Food \t Bake bread \n", `[{"ID":"make-tea","Topic":"","Text":"Make tea"},{"ID":"bake-bread","Topic":"Food","Text":"Bake bread"}]`},
		{"one name three times", "Make tea\nmake TEA\nMake tea!", `[{"ID":"make-tea","Topic":"","Text":"Make tea"},{"ID":"make-tea-2","Topic":"","Text":"make TEA"},{"ID":"make-tea-3","Topic":"","Text":"Make tea!"}]`},
		{"names without letters", "???\n!!!", `[{"ID":"-1","Topic":"","Text":"???"},{"ID":"-2","Topic":"","Text":"!!!"}]`},
		{"nothing", "\n# a\n", "error: f holds no abstract task"},
		{"a line that is too long", strings.Repeat("x", 70000), "error: f: bufio.Scanner: token too long"},
	} {
		if got := outcome(script.ReadAbstracts(strings.NewReader(test.text), "f")); got != test.want {
			t.Errorf("%s: %s, want %s", test.reason, got, test.want)
		}
	}
	if list := script.Abstracts(); len(list) != 20 || list[0] != (script.Abstract{ID: "pancakes", Topic: "Food and Entertaining", Text: "Make pancakes"}) || list[1].ID != "dinner-party" {
		t.Errorf("%d abstract tasks, of which the first are %v", len(list), list[:2])
	}
}

// Tasks are made with one constraint, then two, and so on; what could not be made is counted by reason.
func TestMake(t *testing.T) {
	j := &judge.Judge{Name: "test:judge", Now: clock, Model: llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
		if req.Tag.Session == "out-1" {
			return nil, &llm.Error{Fault: llm.Denied}
		}
		var constraints []string
		for i := range int(req.Tag.Session[len(req.Tag.Session)-1] - '0') {
			constraints = append(constraints, fmt.Sprintf(`"c%d"`, i+1))
		}
		specific := "Make tea in a way"
		if req.Tag.Session == "tea-2" {
			specific = " make TEA "
		}
		return &llm.Response{Text: withNonce(req, fmt.Sprintf(`{"constraints": [%s], "specific_task": %q}`, strings.Join(constraints, ", "), specific)), Finish: llm.Stop}, nil
	})}
	tasks, failed, err := script.Make(t.Context(), j, []script.Abstract{{ID: "tea", Topic: "Food", Text: "Make tea"}}, 3, 1)
	if err != nil || len(tasks) != 2 || tasks[0].ID != "tea-1" || tasks[0].Topic != "Food" || tasks[0].Abstract != "Make tea" || tasks[0].Depth() != 1 || tasks[1].ID != "tea-3" || tasks[1].Depth() != 3 {
		t.Errorf("%+v, %v", tasks, err)
	}
	if len(failed) != 1 || !strings.Contains(fmt.Sprint(failed), "still the general one:1") {
		t.Errorf("failed %v", failed)
	}
	if _, _, err := script.Make(t.Context(), j, []script.Abstract{{ID: "out", Text: "Go out"}}, 1, 1); err == nil {
		t.Error("a model that is out of reach is asked on")
	}
}

// A sheet of tasks is written for people, and what they keep of it is read.
func TestReview(t *testing.T) {
	var b strings.Builder
	four := script.Task{ID: "four-4", Constraints: []string{"a", "b", "c", "d"}, Specific: "Do four."}
	if err := script.WriteReview(&b, []script.Task{*tea, four}); err != nil {
		t.Fatal(err)
	}
	const head = "keep,id,topic,abstract,constraint 1,constraint 2,constraint 3,specific task,note\n"
	if want := head + ",tea-2,Food and Entertaining,Make tea,without sugar,for two people,,Make tea without sugar for two people,\n,four-4,,,a,b,c,Do four.,\n"; b.String() != want {
		t.Errorf("%s", b.String())
	}
	for _, test := range []struct{ reason, rows, want string }{
		{"kept and dropped", "Yes,t,Food,Make tea,a,,c,Make tea so,\nno,u,,,,,,,\ndrop,v,,,,,,,\nx,w,,,,b,,Do it,\n",
			`2 [{"id":"t","topic":"Food","abstract":"Make tea","constraints":["a","c"],"specific":"Make tea so"},{"id":"w","topic":"","abstract":"","constraints":["b"],"specific":"Do it"}]`},
		{"not decided", "perhaps,t,,,a,,,b,\n", `error: f:2: task t: keep is "perhaps"; say yes or no`},
		{"kept without a constraint", "yes,t,,,,,,b,\n", "error: f:2: task t has no constraint"},
	} {
		tasks, dropped, err := script.ReadReview(strings.NewReader(head+test.rows), "f")
		if got := strings.TrimPrefix(fmt.Sprint(dropped, " ", outcome(tasks, err)), "0 "); got != test.want {
			t.Errorf("%s: %s, want %s", test.reason, got, test.want)
		}
	}
	if _, _, err := script.ReadReview(strings.NewReader("keep,id\nyes,t\n"), "f"); err == nil || !strings.Contains(err.Error(), "f: it is no sheet of tasks") {
		t.Errorf("%v", err)
	}
}

// What is written for short becomes authors and judges, or an error that says what is wrong.
func TestConfigs(t *testing.T) {
	find := func(name string) ([]*characters.Sheet, error) {
		if name == "nobody" {
			return nil, fmt.Errorf("there is no character %s", name)
		}
		return []*characters.Sheet{{ID: "orla", Name: "Orla Venn"}, {ID: "pim", Name: "Pim Ash"}}, nil
	}
	var b strings.Builder
	for _, test := range []struct {
		reason string
		change func(*script.Config)
	}{
		{"no model", func(c *script.Config) { c.Model = nil }},
		{"an arm of its own seed and temperature", func(c *script.Config) {
			c.Model = []string{"openai:m?temperature=0.5&seed=7&key_env=K@http://h/v1", "openai:m?temperature=0", "openai:m?temperature=5", "openai:m?seed=2147483647", "openai:m?key_env=K"}
		}},
		{"too warm", func(c *script.Config) { c.Model = []string{"openai:m?temperature=5.1"} }},
		{"too cold", func(c *script.Config) { c.Model = []string{"openai:m?temperature=-0.1"} }},
		{"not a temperature", func(c *script.Config) { c.Model = []string{"openai:m?temperature=warm"} }},
		{"not a seed", func(c *script.Config) { c.Model = []string{"openai:m?seed=2147483648"} }},
		{"no fault of that name", func(c *script.Config) { c.Model = []string{"reference:clumsy"} }},
		{"reference authors", func(c *script.Config) { c.Model = []string{"reference:intact", "reference:goal"} }},
		{"personas of models alone", func(c *script.Config) {
			c.Model, c.Persona = []string{"openai:m", "reference:intact"}, []string{"both"}
		}},
		{"a persona that is not there", func(c *script.Config) { c.Persona = []string{"nobody"} }},
		{"one author twice", func(c *script.Config) { c.Model = []string{"openai:m", "openai:m"} }},
		{"all faults", func(c *script.Config) { c.Perturb, c.By = true, "openai:m" }},
		{"a fault twice", func(c *script.Config) { c.Perturb, c.Kind, c.Gold = true, []string{"goal", " goal", "order"}, "none" }},
		{"no kind", func(c *script.Config) { c.Perturb, c.Kind = true, []string{"clumsy"} }},
		{"planted by a reference author", func(c *script.Config) { c.Perturb, c.By = true, "reference:intact" }},
		{"a judge that acts", func(c *script.Config) { c.Execute = "reference:intact" }},
		{"no judge", func(c *script.Config) { c.Judge = "" }},
		{"the critic alone, without gold", func(c *script.Config) { c.Judge, c.Critic, c.Gold = "", "openai:c", "none" }},
		{"the critic alone, and nobody to write gold", func(c *script.Config) { c.Judge, c.Critic = "", "openai:c" }},
		{"common sense alone needs no gold", func(c *script.Config) { c.Judge, c.Commonsense = "", "openai:c" }},
		{"a baseline alone needs gold", func(c *script.Config) { c.Judge, c.Baseline = "", []string{"rouge"} }},
		{"a baseline with the tasks' own steps", func(c *script.Config) { c.Judge, c.Baseline, c.Gold = "", []string{"rouge"}, "reference" }},
		{"no baseline", func(c *script.Config) { c.Baseline = []string{"bleu"} }},
		{"one judge alone needs a model", func(c *script.Config) { c.Judge, c.Baseline, c.Gold = "", []string{"single"}, "none" }},
		{"one judge alone is the critic", func(c *script.Config) {
			c.Judge, c.Critic, c.Baseline, c.Gold = "", "openai:c", []string{"single", "embed"}, "none"
		}},
		{"no source of gold", func(c *script.Config) { c.Gold = "thin air" }},
		{"weights of nothing", func(c *script.Config) { c.Weights = script.Weights{"XX": 1} }},
		{"the shortest script", func(c *script.Config) { c.MaxTokens = 16 }},
		{"too short a script", func(c *script.Config) { c.MaxTokens = 15 }},
	} {
		c := script.Default()
		c.Judge, c.Model = "openai:j", []string{"openai:m"}
		test.change(c)
		err := c.Complete(find)
		fmt.Fprintf(&b, "# %s\n%s\n", test.reason, outcome(c, err))
		if err == nil {
			fmt.Fprintf(&b, "%s\n%v\n", script.Summary(c, 3), script.New(c).Models())
		}
	}
	runtest.Golden(t, "config.txt", b.String())
}

// Tables, runs and databases are ranked by what they hold, with weights as they are written.
func TestRankFile(t *testing.T) {
	csv := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(csv, []byte("model,NM,NR,ND,EX,SC,CG,OC\nx,1,0,0,0,0,0,0\ny,0,1,1,0,0,0,0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir, o := filepath.Join(t.TempDir(), "run"), options()
	o.Registry, o.Now = llm.Registry{llm.ScriptAdapter(scriptOf(varied))}, clock
	if _, err := run.Run(t.Context(), dir, planOf(t, func(c *script.Config) {
		c.Judge, c.Critic, c.Gold, c.Model = "", "script:judge.yaml", "none", []string{"reference:intact", "reference:missing"}
	})(), o); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ reason, file, scorer, weights, want string }{
		{"a run in which the critic alone judged", dir, "script", "", "reference:intact:1 reference:missing:1"},
		{"by what it did not judge", dir, "script", "NM=0,NR=0,ND=0,EX=1", "all weights are 0"},
		{"a table", csv, "script", "", "y:1 x:2"},
		{"with weights", csv, "script", "NM=2, nr=0.5,ND=0", "x:1 y:2"},
		{"a database of one judge", "sqlite/testdata/plain.db", "script", "", "x:1 y:2"},
		{"by another", "sqlite/testdata/plain.db", "script-single", "", "holds no verdicts of script-single, only of [j"},
		{"no file", "nowhere", "script", "", "no such file"},
		{"no weight", csv, "script", "NM", "--weights NM: a weight is written METRIC=NUMBER"},
		{"not a number", csv, "script", "NM=a", "--weights NM=a"},
		{"no metric", csv, "script", "XX=1", "--weights: there is no metric"},
	} {
		var texts []string
		if test.weights != "" {
			texts = []string{test.weights}
		}
		w, err := script.ParseWeights(texts)
		got := ""
		if err == nil {
			var g *script.Ranking
			if g, err = script.RankFile(test.file, test.scorer, w, 1); err == nil {
				for _, one := range g.Ranked {
					got += fmt.Sprintf(" %s:%d", one.Arm, one.Rank)
				}
			}
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", test.reason, got, test.want)
		}
	}
}

// Where faults are planted into tasks of few steps and many, draw by draw.
func TestPlantedSteps(t *testing.T) {
	var b strings.Builder
	for _, n := range []int{3, 4, 7} {
		task := script.Task{ID: "t", Topic: "Food", Constraints: []string{"a", "b"}, Specific: "s"}
		for i := range n {
			task.Steps = append(task.Steps, fmt.Sprint(i+1))
		}
		task.Key, task.Breaks = []int{1, n}, []script.Break{{Constraint: 1, Step: 2, Text: "b1"}, {Constraint: 2, Step: n, Text: "b2"}}
		bare := script.Task{ID: "bare", Topic: "Food", Steps: task.Steps}
		others := []script.Task{{Topic: "Food", Steps: []string{"own"}}, {Topic: "Home", Steps: []string{"foreign", "strange"}}}
		for _, f := range append(script.Faults(), script.Intact, "odd") {
			fmt.Fprintf(&b, "%s %d:", f, n)
			for seed := range uint64(8) {
				fmt.Fprintf(&b, " %s", strings.Join(script.Plant(f, &task, others, sim.Rand(seed)).Steps, ","))
			}
			fmt.Fprintf(&b, "\n  bare: %s\n", script.Plant(f, &bare, others[:1], sim.Rand(1)).Reason)
		}
	}
	if err := script.PrintTasks(&b, append(script.Library()[:4], script.Task{ID: "long", Specific: strings.Repeat("x", 121)})); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&b, script.Topics(script.Library()))
	runtest.Golden(t, "planted.txt", b.String())
}

// The shares of words in which two steps are alike, at the bound and beside it.
func TestDuplicates(t *testing.T) {
	for _, test := range []struct {
		steps []string
		want  string
	}{
		{[]string{"a b c d e", "e d c b A!"}, "[2]"}, {[]string{"a b c d", "a b c d e"}, "[2]"}, {[]string{"a b c d e", "a b c d f"}, "[]"},
		{[]string{"...", "!"}, "[]"}, {[]string{"a", "b", "a", "b"}, "[3 4]"},
	} {
		if got := fmt.Sprint(script.Duplicates(test.steps)); got != test.want {
			t.Errorf("%q: %s, want %s", test.steps, got, test.want)
		}
	}
}
