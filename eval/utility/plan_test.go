package utility_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/eval"
	"parley/eval/run"
	"parley/eval/run/runtest"
	"parley/eval/session"
	"parley/eval/utility"
	"parley/sim/llm"
	"parley/sim/llm/llmtest"
)

// planted is a criterion with what the quantifier does by it.
type planted struct {
	name, description string
	values            []string // from worst to best
	noise             float64  // share of labels that are drawn at random
	whole, disturbed  int      // levels of samples as they are and disturbed
	verdict           string
}

var scale = []string{"poor", "fair", "adequate", "good", "excellent"}

var study = []planted{
	{"Accuracy", "whether the facts are right", scale, 0, 3, 1, utility.Keep},
	{"Brevity", "how much is said in few words", scale, 0, 4, 2, utility.Keep},
	{"Tone", "manners of the speaker", []string{"rude", "neutral", "polite"}, 0, 2, 1, utility.Keep},
	{"Done in time", "the share of the work that is finished", []string{"0%", "50%", "100%"}, 0, 2, 0, utility.Keep},
	{"Steadiness", "no jumps from one thing to the next", scale, 0.15, 3, 1, utility.Keep},
	{"Charm", "delight of the audience", scale, 1, 3, 1, utility.Out},
	{"Vigour", "strength of the expression", scale, 0.8, 3, 1, utility.Out},
	{"Grammar", "rules of the language", scale, 0, 3, 3, utility.Out},
	{"Layout", "paragraphs, headings and lists", scale, 0, 2, 2, utility.Out},
	{"Mystery", "what is left open to the reader", scale, 0, 1, 3, utility.Out},
	{"Colour", "which colour it brings to mind", []string{"red", "green", "blue"}, 0, 1, 0, utility.Flag},
	{"Problem type", "the field that the question is from", []string{"basic", "intermediate", "advanced"}, 0, 1, 0, utility.Flag},
}

func hash(values ...any) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, values...)
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// critic proposes eight of the planted criteria, in a spelling of its own and with values in either direction.
func critic(req llm.Request) string {
	r := hash("critic", *req.Sampling.Seed)
	list := []map[string]any{}
	for _, i := range r.Perm(len(study))[:8] {
		values := slices.Clone(study[i].values)
		if study[i].name != "Colour" && r.IntN(2) == 0 {
			slices.Reverse(values)
		}
		name := study[i].name
		if r.IntN(2) == 0 {
			name = strings.ToUpper(name)
		}
		list = append(list, map[string]any{"name": name, "description": study[i].description, "accepted_values": values})
	}
	reply, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	return "These are my criteria:\n```json\n" + string(reply) + "\n```"
}

// quantifier labels by the plan: a sample is whole where all of its ten points are in the prompt.
func quantifier(req llm.Request) string {
	prompt := req.Messages[0].Content
	whole := strings.Count(prompt, "Point ") == 10
	labels := map[string]string{}
	for _, c := range study {
		at := strings.Index(strings.ToLower(prompt), "- "+strings.ToLower(c.name)+":")
		if at < 0 {
			continue
		}
		level := c.disturbed
		if whole {
			level = c.whole
		}
		if r := hash(c.name, prompt, *req.Sampling.Seed); r.Float64() < c.noise {
			level = r.IntN(len(c.values))
		}
		labels[prompt[at+2:at+2+len(c.name)]] = c.values[level]
	}
	reply, err := json.Marshal(labels)
	if err != nil {
		panic(err)
	}
	return string(reply)
}

// registry has the models planted:critic, planted:quantifier and others by name.
func registry(models map[string]llm.Model) llm.Registry {
	return llm.Registry{{Scheme: "planted", Open: func(_ context.Context, s llm.Spec, _ llm.Env) (llm.Model, error) { return models[s.Name], nil }}}
}

var (
	kinds  = run.Kinds{utility.Kind: utility.Decode}
	models = map[string]llm.Model{"critic": llmtest.Func(critic), "quantifier": llmtest.Func(quantifier)}
)

func points(n int) []utility.Sample {
	var list []utility.Sample
	for i := range n {
		var b strings.Builder
		for k := range 10 {
			fmt.Fprintf(&b, "Point %d of text %d is made. ", k+1, i+1)
		}
		list = append(list, utility.Sample{ID: fmt.Sprintf("s%02d", i+1), Group: utility.Success, Turns: []utility.Turn{{Text: b.String(), Tested: true}}})
	}
	return list
}

// whole is the configuration of the whole algorithm.
func whole(samples, seeds, critics int) func() run.Plan {
	return func() run.Plan {
		c := utility.DefaultConfig()
		c.Task = &utility.Task{Name: "Writing", Description: "Write ten points."}
		c.Critic, c.Critics, c.Quantifier = "planted:critic", critics, "planted:quantifier"
		c.Samples, c.Seeds, c.Rounds, c.Disturb = points(samples), seeds, 3, []string{utility.Drop}
		if err := c.Complete(); err != nil {
			panic(err)
		}
		return utility.New(c)
	}
}

func TestPlannedStudy(t *testing.T) {
	for _, seed := range []uint64{1, 4242} {
		plannedStudy(t, seed)
	}
}

func plannedStudy(t *testing.T, seed uint64) {
	dir := filepath.Join(t.TempDir(), "run")
	p := whole(12, 18, 12)()
	p.Settings().Seed = seed
	m, err := run.Run(t.Context(), dir, p, run.Options{Kinds: kinds, Registry: registry(models), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	s, err := utility.ReadStudy(dir, p.Config().(*utility.Config))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Findings) != len(study) || s.Rounds != 2 {
		t.Errorf("%d criteria in %d rounds, want %d in 2", len(s.Findings), s.Rounds, len(study))
	}
	for _, f := range s.Findings {
		at := slices.IndexFunc(study, func(c planted) bool { return strings.EqualFold(c.name, f.Criterion.Name) })
		if at < 0 || f.Verdict != study[at].verdict {
			t.Errorf("%s: %s (%s), planted %+v", f.Criterion.Name, f.Verdict, f.Reason, study[max(0, at)])
			continue
		}
		if f.Criterion.Order != utility.Unknown && !slices.Equal(f.Criterion.Values, study[at].values) {
			t.Errorf("%s: %q", f.Criterion.Name, f.Criterion.Values)
		}
		t.Logf("%s: %s (%s) cv %v range %v agreement %v", f.Criterion.Name, f.Verdict, f.Reason, f.Figure("cv"), f.Figure("range_sd"), f.Figure("agreement"))
	}
	keep := map[string]float64{}
	for _, r := range m.Results {
		if r.Metric == "keep" {
			keep[strings.ToLower(r.Arm)] = *r.Value
		}
	}
	for _, c := range study {
		if got, want := keep[strings.ToLower(c.name)], c.verdict == utility.Keep; (got == 1) != want {
			t.Errorf("results keep %s: %v", c.name, got)
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, run.ReportName))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`id="growth"`, `id="by-group"`, `id="spread"`, `id="seeds"`, `id="sensitivity"`, `id="disturbed-labels"`, "<svg"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	growth := s.Growth()
	first, last := growth[0], growth[len(growth)-1]
	if first.Mean != 8 || last.Mean != float64(len(study)) || last.Low != last.High {
		t.Errorf("growth from %+v to %+v, want from 8 to %d", first, last, len(study))
	}
	for i := 1; i < len(growth); i++ {
		if growth[i].Mean < growth[i-1].Mean || growth[i].Low > growth[i].High || growth[i].Low < growth[i-1].Low {
			t.Errorf("growth: %+v after %+v", growth[i], growth[i-1])
		}
	}
}

// Two criteria have the same labels over seeds, three levels apart. The rule of the coefficient of variation drops the
// one near the start of the scale alone, and would keep it with levels from 1; figures that do not divide by the mean are
// the same for both, and so is the verdict by them.
func TestSensitivity(t *testing.T) {
	shifted := func(req llm.Request) string {
		up := 0
		if whole := strings.Count(req.Messages[0].Content, "Point ") == 10; whole && req.Tag.Repeat%3 == 0 {
			up = 1
		}
		return fmt.Sprintf(`{"Low": %q, "High": %q}`, scale[up], scale[3+up])
	}
	tests := []struct{ stability, low, high string }{
		{"cv", utility.Out, utility.Keep}, {"range_sd", utility.Keep, utility.Keep}, {"agreement", utility.Keep, utility.Keep},
	}
	for _, test := range tests {
		c := utility.DefaultConfig()
		c.Criteria = []utility.Criterion{{Name: "Low", Values: slices.Clone(scale)}, {Name: "High", Values: slices.Clone(scale)}}
		c.Quantifier, c.Samples, c.Seeds, c.Disturb, c.Thresholds.Stability = "planted:shifted", points(6), 18, []string{utility.Drop}, test.stability
		if err := c.Complete(); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "run")
		o := run.Options{Kinds: kinds, Registry: registry(map[string]llm.Model{"shifted": llmtest.Func(shifted)}), Now: time.Now}
		if _, err := run.Run(t.Context(), dir, utility.New(c), o); err != nil {
			t.Fatal(err)
		}
		s, err := utility.ReadStudy(dir, c)
		if err != nil {
			t.Fatal(err)
		}
		low, high := s.Findings[0], s.Findings[1]
		if low.Verdict != test.low || high.Verdict != test.high {
			t.Errorf("by %s: %s (%s) and %s (%s), want %s and %s", test.stability, low.Verdict, low.Reason, high.Verdict, high.Reason, test.low, test.high)
		}
		for _, figure := range []string{"range_sd", "agreement"} {
			if a, b := low.Figure(figure).V, high.Figure(figure).V; math.Abs(a-b) > 1e-12 {
				t.Errorf("%s is %g near the start of the scale, and %g at its end", figure, a, b)
			}
		}
		page, err := os.ReadFile(filepath.Join(dir, run.ReportName))
		if err != nil {
			t.Fatal(err)
		}
		_, section, _ := strings.Cut(string(page), `id="sensitivity"`)
		for _, want := range []string{"1.414 not stable", "0.354 stable", "0.141 stable", "0.118 stable", "0.667 stable", "Here 1 of 2 criteria pass or fail by where the scale starts",
			"The verdict rests on " + test.stability} {
			if !strings.Contains(section, want) {
				t.Errorf("by %s, the page has no %q", test.stability, want)
			}
		}
	}
}

func TestPlan(t *testing.T) {
	runtest.TestPlan(t, runtest.Case{New: whole(3, 3, 3), Editable: utility.CriteriaName, Options: run.Options{Kinds: kinds, Registry: registry(models)}})
}

func TestPlanOneCriterionAtATime(t *testing.T) {
	runtest.TestPlan(t, runtest.Case{
		New: func() run.Plan {
			c := utility.DefaultConfig()
			for _, one := range study[:3] {
				c.Criteria = append(c.Criteria, utility.Criterion{Name: one.name, Description: one.description, Values: slices.Clone(one.values)})
			}
			c.Quantifier, c.Samples, c.Seeds, c.Each = "planted:quantifier", points(3), 2, true
			if err := c.Complete(); err != nil {
				t.Fatal(err)
			}
			return utility.New(c)
		},
		Options: run.Options{Kinds: kinds, Registry: registry(models)}, Stops: 3, Editable: utility.CriteriaName,
	})
}

// The published logs run as samples, successes and failures apart, and nothing of the answers is in a prompt.
func TestPublishedLogs(t *testing.T) {
	r := &utility.Reader{}
	var samples []utility.Sample
	secrets := map[string][]string{}
	for i := range 20 {
		name := fmt.Sprintf("prealgebra_logs/%d.json", i)
		content := readFile(t, name)
		list, err := r.Read(content, name)
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %d samples, %v", name, len(list), err)
		}
		samples = append(samples, list...)
		var log map[string]any
		if err := json.Unmarshal(content, &log); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"solution", "check_result"} {
			secrets[list[0].ID] = append(secrets[list[0].ID], log[key].(string))
		}
	}
	task := &utility.Task{Name: "Math", Description: "Solve the problem."}
	for _, name := range []string{"samples/sample_math_response_successful.txt", "samples/sample_math_response_failed.txt"} {
		list, err := r.Read(readFile(t, name), name)
		if err != nil {
			t.Fatal(err)
		}
		task.Successful = append(task.Successful, list[0].Text())
		if text := list[0].Text(); strings.Contains(text, `\boxed{226}.$`) || strings.Contains(text, "either both positive") {
			t.Errorf("the solution is in the example of %s", name)
		}
	}
	criteria, err := utility.ReadCriteria(readFile(t, "samples/sample_math_criteria.json"), "criteria.json")
	if err != nil {
		t.Fatal(err)
	}
	c := utility.DefaultConfig()
	c.Task, c.Criteria, c.Samples, c.Quantifier, c.Disturb = task, criteria, samples, "planted:tape", []string{utility.Drop, utility.Swap, utility.Replace}
	if err := c.Complete(); err != nil {
		t.Fatal(err)
	}
	tape := llmtest.NewTape(llmtest.Func(func(llm.Request) string {
		return `{"Problem Interpretation": "relevant", "Code Efficiency": "not applicable"}`
	}))
	dir := filepath.Join(t.TempDir(), "run")
	m, err := run.Run(t.Context(), dir, utility.New(c), run.Options{Kinds: kinds, Registry: registry(map[string]llm.Model{"tape": tape}), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	for _, req := range tape.Requests() {
		for _, list := range secrets {
			for _, secret := range list {
				for line := range strings.Lines(secret) {
					if line = strings.TrimSpace(line); len(line) > 40 && strings.Contains(req.Messages[0].Content, line) && !inMessages(samples, line) {
						t.Fatalf("%q is in a prompt", line)
					}
				}
			}
		}
	}
	n := map[string]int{}
	for _, r := range m.Results {
		if r.Metric == "utility" {
			n[r.Arm] = r.Of
		}
	}
	if n[utility.Success] != 13 || n[utility.Failure] != 7 || len(n) != 2 {
		t.Errorf("groups %v, want 13 successes and 7 failures", n)
	}
	rows := 0
	for row, err := range utility.Labels.Read(dir) {
		if err != nil {
			t.Fatal(err)
		}
		rows++
		if row.Criterion != "Problem Interpretation" && (row.Status == eval.Scored || row.Reason == "" || row.Level != nil) {
			t.Errorf("%+v", row)
		}
	}
	if rows < 20*6 || len(tape.Requests())*6 != rows {
		t.Errorf("%d labels of %d calls", rows, len(tape.Requests()))
	}
}

// inMessages reports whether the solvers themselves said a line.
func inMessages(samples []utility.Sample, line string) bool {
	return slices.ContainsFunc(samples, func(s utility.Sample) bool { return strings.Contains(s.Text(), line) })
}

// Keys that tell the answer are left out at any depth, and those of the user too.
func TestGroundTruth(t *testing.T) {
	r := &utility.Reader{Hidden: []string{"Key-Points"}}
	log := `{"id": "a", "question": "Why?", "Correct_Answer": "leak-1", "key points": "leak-2", "extra": {"solution": "leak-3", "note": "kept"}, "is_correct": "false",
		"messages": [{"role": "assistant", "content": "said", "gold": "leak-4"}]}`
	for _, text := range []string{log, strings.Replace(log, `"messages"`, `"unknown"`, 1)} {
		list, err := r.Read([]byte(text), "log.json")
		if err != nil {
			t.Fatal(err)
		}
		s := list[0]
		if all := s.Task + s.Text(); strings.Contains(all, "leak") || !strings.Contains(all, "said") || s.Group != utility.Failure {
			t.Errorf("group %s: %s", s.Group, all)
		}
	}
}

func TestWrongLogs(t *testing.T) {
	tests := []struct{ reason, text, want string }{
		{"nothing", " \n", "log.json: empty"},
		{"broken JSON", "{\"id\": 1}\n{\"id\": ", "log.json:2: a message log as JSON is needed"},
		{"a number in a list", `[{"id": "a", "messages": ["said"]}, 7]`, "log.json: log 2 is no JSON object"},
		{"a number behind a log", "{\"id\": 1, \"messages\": [\"said\"]}\n7", "log.json: log 2 is no JSON object"},
		{"a key that is given twice", `{"id": "a", "success": true, "success": false}`, `log.json: log 1: "success" is given twice`},
		{"a key that is too long", `{"` + strings.Repeat("k", 200) + `": 1}`, "log.json: log 1 is no JSON object with keys of at most 120 bytes"},
	}
	for _, test := range tests {
		list, err := (&utility.Reader{}).Read([]byte(test.text), "log.json")
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, %v, want %q", test.reason, list, err, test.want)
		}
	}
}

// The reference players are ordered by the ready criteria, without a model.
func TestReferencePlayers(t *testing.T) {
	c := session.Default()
	c.Sessions, c.Turns = 4, 24
	for _, name := range []string{"diligent", "small-talk", "silent"} {
		c.Player = append(c.Player, session.Arm{Name: name, Model: "reference:" + name})
	}
	if err := c.Complete(); err != nil {
		t.Fatal(err)
	}
	played := filepath.Join(t.TempDir(), "sessions")
	o := run.Options{Kinds: kinds, Registry: registry(nil), Now: time.Now}
	if _, err := run.Run(t.Context(), played, session.New(c), o); err != nil {
		t.Fatal(err)
	}
	samples, err := (&utility.Reader{}).Sessions(played, "iep", 50)
	if err != nil || len(samples) != 12 {
		t.Fatalf("%d samples, %v", len(samples), err)
	}
	u := utility.DefaultConfig()
	u.Criteria, u.Samples, u.Quantifier = utility.RolePlay(), samples, utility.LexicalModel
	if err := u.Complete(); err != nil {
		t.Fatal(err)
	}
	m, err := run.Run(t.Context(), filepath.Join(t.TempDir(), "utility"), utility.New(u), o)
	if err != nil {
		t.Fatal(err)
	}
	value := map[string]float64{}
	for _, r := range m.Results {
		if r.Metric == "utility" && r.Value != nil {
			value[r.Arm] = *r.Value
		}
	}
	t.Log(value)
	if len(value) != 3 || value["diligent"] <= value["small-talk"] || value["small-talk"] <= value["silent"] {
		t.Errorf("utility %v", value)
	}
}
