package survey_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/characters"
	"parley/eval"
	"parley/eval/run"
	"parley/eval/run/runtest"
	"parley/eval/stat"
	"parley/eval/survey"
	"parley/sim/llm"
)

// words is a text without the room between words.
func words(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(lines, "\n") + "\n"
}

// write puts files into a directory, which it returns.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What the evaluator and the critic of the printed run say: of tea, of water, and of anything else.
const (
	evaluators = `
- {purpose: judge:survey-checklist, reply: '{"q1": "yes", "q2": "no", "q3": "no", "q4": "no"}'}
- {actor: sentiment, when: Water, reply: "Well."}
- {actor: sentiment, reply: '{"reason": "plain words", "label": "neutral"}'}
- {actor: relevancy, when: Water, reply: "I cannot say."}
- {when: Tea, reply: '{"reason": "fits", "score": 4}'}
- {reply: '{"reason": "fits", "score": 2}'}
`
	critics = `
- {purpose: judge:survey-criteria, when: Tea, reply: '{"changes": [{"aspect": "relevancy", "reason": "vague", "definition": "It asks what was to be asked."}, {"aspect": "relevancy", "reason": "again", "definition": "Once more."}, {"aspect": "fairness", "reason": "no", "definition": " "}], "new": [{"name": "Creativity", "reason": "missed", "definition": "It surprises."}, {"name": "Fairness", "reason": "there", "definition": "x"}, {"name": "!", "reason": "no name", "definition": "x"}]}'}
- {purpose: judge:survey-criteria, when: Water, reply: "Nothing."}
- {purpose: judge:survey-criteria, reply: '{"changes": [], "new": [{"name": "Creativity level", "reason": "missed", "definition": "It is new."}]}'}
- {actor: sentiment, when: Tea, reply: '{"reason": "bare nouns", "label": "formal"}'}
- {actor: sentiment, reply: '{"reason": "bare nouns", "label": "neutral"}'}
- {actor: fairness, when: Tea, reply: '{"reason": "unfair", "score": 1}'}
- {actor: fairness, reply: '{"reason": "fair", "score": 3}'}
- {reply: '{"reason": "agreed", "score": 4}'}
`
)

// judged runs an evaluation of five documents, one of which holds nothing and one a fault, and returns its directory.
func judged(t *testing.T) (dir string, d *survey.RunData, m *run.Manifest) {
	t.Helper()
	at := write(t, map[string]string{
		"a.md": "# Tea\n1. Which tea do you drink? (text)\n", "b.md": "# Water\n1. Do you drink water? (single)\n   - Yes\n", "c.md": "",
		"d.md": "# Bread\n1. Which bread do you eat? (text)\n", "e.md": "# Milk\n1. Which milk do you drink? (text)\n",
	})
	t.Chdir(at)
	c := survey.DefaultConfig()
	c.Files, c.Evaluator, c.Sage, c.Trusting, c.AllowSelfJudge = []string{"a.md", "b.md", "c.md", "d.md", "e.md"}, "script:evaluators.yaml", "script:critics.yaml", true, true
	c.Baselines, c.Aspects = []survey.Agent{survey.Twice, survey.Checklist}, []string{"relevancy", "fairness", "sentiment"}
	if err := c.Complete(); err != nil {
		t.Fatal(err)
	}
	scripts := map[string]string{"evaluators.yaml": evaluators, "critics.yaml": critics}
	o := run.Options{Now: now, ID: "r1", Kinds: run.Kinds{survey.Kind: survey.Decode}, Registry: llm.Registry{
		llm.ScriptAdapter(func(name string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(scripts[name])), nil }),
	}}
	dir = filepath.Join(at, "run")
	if _, err := run.Run(context.Background(), dir, survey.New(c), o); err != nil {
		t.Fatal(err)
	}
	m, d, err := survey.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir, d, m
}

const sheet = `document,annotator,aspect,score
a.md,ann,relevancy,4
d,ann,relevancy,2
e.md,ann,relevancy,2
a.md,bob,relevancy,5
d.md,bob,relevancy,1
e.md,bob,relevancy,
a.md,ann,fairness,2
d.md,ann,fairness,3
e.md,bob,fairness,3
a.md,bob,sentiment,Formal
a.md,ann,sentiment,neutral
zzz.md,ann,relevancy,5
`

// A run in print: verdicts by document, means, what the critic changed, distributions, proposals, and people.
func TestPrintedRun(t *testing.T) {
	dir, d, m := judged(t)
	var b bytes.Buffer
	if err := d.Print(&b, true); err != nil {
		t.Fatal(err)
	}
	runtest.Golden(t, "run.txt", words(b.String()))
	for i := range d.Verdicts {
		if v := &d.Verdicts[i]; v.Scored() != (v.Mass == 1) {
			t.Errorf("%s of %s: mass %v of what was said", v.Aspect, v.Agent, v.Mass)
		}
	}
	for _, r := range d.Results() {
		if r.Metric == "relevancy:mean" && strings.HasPrefix(r.Reason, "1 x unparsed: ") != (r.Arm == "evaluator") || r.Metric == "fairness:mean" && r.Reason != "" {
			t.Errorf("%s of %s: reason %q", r.Metric, r.Arm, r.Reason)
		}
	}
	var short strings.Builder
	if err := d.Print(&short, false); err != nil || strings.Contains(short.String(), "RECTIFICATIONS") || !strings.Contains(b.String(), "RECTIFICATIONS") {
		t.Errorf("%v, in short: %s", err, &short)
	}
	for _, missing := range []func() (int, error){func() (int, error) { return d.Unscored(), nil }, func() (int, error) { return survey.Missing(dir, m) }} {
		// Four agents on three aspects of a document that could not be read; two verdicts of the evaluator, and one on the rubric.
		if n, err := missing(); err != nil || n != 4*3+2+1 {
			t.Errorf("%d verdicts are missing, %v", n, err)
		}
	}
	for text, reason := range map[string]string{sheet: "", "document,annotator,aspect,score\nzzz,ann,relevancy,5\n": "none of its 1 verdicts", "x\n": "no column"} {
		file := filepath.Join(write(t, map[string]string{"people.csv": text}), "people.csv")
		if err := d.Compare(file, survey.EachAnnotator); (err == nil) != (reason == "") || err != nil && !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := d.Compare("nothing.csv", survey.MeanAnnotator); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	file := filepath.Join(write(t, map[string]string{"people.csv": sheet}), "people.csv")
	if err := d.Compare(file, survey.MeanAnnotator); err != nil {
		t.Fatal(err)
	}
	b.Reset()
	if err := d.Print(&b, true); err != nil {
		t.Fatal(err)
	}
	_, people, _ := strings.Cut(b.String(), "\nAgainst people")
	runtest.Golden(t, "people.txt", words(people))
	b.Reset()
	if err := d.Page(m, &b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{"c.md could not be read", "Compared with people", "Spearman", "1 verdicts are on documents", "It asks what was to be asked.", "single-option", "unparsed", "asked for on 4 documents, and had on 3"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(page, "no second agent") || strings.Contains(page, "more documents are in") {
		t.Error("the page says what is not so")
	}
}

// The next rubric takes over what enough documents propose and is accepted.
func TestNextRubric(t *testing.T) {
	_, d, _ := judged(t)
	for _, test := range []struct {
		least          int
		accept, reject []string
		changed, added string
		err            bool
	}{
		{1, nil, nil, "relevancy", "creativity-level", false}, {2, nil, nil, "", "creativity-level", false}, {3, nil, nil, "", "creativity-level", false},
		{4, nil, nil, "", "", false}, {1, []string{"relevancy"}, nil, "relevancy", "", false}, {1, nil, []string{"relevancy"}, "", "creativity-level", false},
		{1, []string{"creativity-level"}, nil, "", "creativity-level", false}, {1, []string{"beauty"}, nil, "", "", true}, {2, []string{"relevancy"}, nil, "", "", true},
	} {
		next, changed, added, err := d.Next(test.least, test.accept, test.reject)
		if (err != nil) != test.err || strings.Join(changed, " ") != test.changed || strings.Join(added, " ") != test.added {
			t.Errorf("%+v: %v, %v, %v", test, changed, added, err)
		}
		if err == nil && (next.Version != 2 || len(next.Aspects) != 3+len(added)) {
			t.Errorf("%+v: %+v", test, next)
		}
	}
}

// A rating of a label is whether the later agent changed it; where the first gave none there is none.
func TestScoresOfLabels(t *testing.T) {
	verdict := func(agent survey.Agent, label string) survey.Verdict {
		v := survey.Verdict{Document: "d", Agent: agent, Aspect: "sentiment", Label: label, Status: eval.Scored}
		if label == "" {
			v.Status, v.Reason = eval.Unparsed, "nothing"
		}
		return v
	}
	for _, test := range []struct{ first, second, want string }{
		{"neutral", "neutral", "sage sentiment_changed scored 0"}, {"neutral", "formal", "sage sentiment_changed scored 1"},
		{"", "formal", "evaluator sentiment unparsed, sage sentiment_changed not applicable"}, {"neutral", "", "sage sentiment unparsed"},
	} {
		o := survey.Outcome{Verdicts: []survey.Verdict{verdict(survey.Evaluator, test.first), verdict(survey.Sage, test.second)}}
		var got []string
		for _, s := range o.Scores("arm") {
			text := fmt.Sprintf("%s %s %s", s.Subject, s.Metric, s.Status)
			if s.Value != nil {
				text += fmt.Sprintf(" %v", *s.Value)
			}
			got = append(got, text)
		}
		if strings.Join(got, ", ") != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}

// A change counts from half a point, whole half points included, and only between two verdicts.
func TestRectifiedFromHalfAPoint(t *testing.T) {
	num := func(v float64) *float64 { return &v }
	d := &survey.Data{Rubric: &survey.Rubric{Version: 1, Aspects: []survey.Aspect{{Name: "a", Title: "A", Definition: "d"}}}}
	add := func(id string, before, after *float64) {
		d.Documents = append(d.Documents, id)
		for agent, v := range map[survey.Agent]*float64{survey.Evaluator: before, survey.Sage: after} {
			one := survey.Verdict{Document: id, Agent: agent, Aspect: "a", Value: v, Status: eval.Scored}
			if v == nil {
				one.Status, one.Reason = eval.Failed, "away"
			}
			d.Verdicts = append(d.Verdicts, one)
		}
	}
	add("up", num(3), num(3.5))
	add("hardly up", num(3), num(3.49))
	add("down", num(3), num(2.5))
	add("far down", num(3), num(1))
	add("hardly down", num(3), num(2.51))
	add("no first", nil, num(3))
	add("no second", num(3), nil)
	d.Documents = append(d.Documents, "none at all")
	want := survey.Rectified{Aspect: "a", Agent: survey.Sage, Graded: true, Negative: 2, Positive: 1, Total: 3, Kept: 2, Unscored: 3, Of: 8}
	if got := d.Rectifications(); len(got) != 1 || got[0] != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, s := range d.Spreads() {
		want := map[survey.Agent][5]int{survey.Evaluator: {0, 0, 6, 0, 0}, survey.Sage: {1, 0, 4, 1, 0}}[s.Agent]
		if s.Scores != want || s.Unscored != 2 || s.Of != 8 {
			t.Errorf("%+v, want %v", s, want)
		}
	}
	for _, r := range d.Results() {
		if r.Metric == "a:mean" && (r.N != 6 || r.Of != 8 || r.Reason != "1 x failed: away") {
			t.Errorf("%+v", r)
		}
		if w := stat.Wilson(2, 5, 0.95); r.Metric == "a:negative" && (*r.Value != 2 || r.N != 5 || *r.Low != 5**w.Low || *r.High != 5**w.High) {
			t.Errorf("%+v", r)
		}
	}
}

// Names of new aspects are one where they share half of their words.
func TestNewAspects(t *testing.T) {
	for _, test := range []struct {
		names []string
		want  int
	}{
		{[]string{"Order", "Order and clarity"}, 1}, {[]string{"Order of the layout", "Order and clarity"}, 2}, {[]string{"Clear orders", "Clear order"}, 1},
		{[]string{"Survey quality", "Form quality"}, 2}, {[]string{"Depth", "Tone", "Depth"}, 2},
	} {
		d := survey.Data{Rubric: survey.Builtin()}
		for i, name := range test.names {
			d.Proposals = append(d.Proposals, survey.Proposal{Document: fmt.Sprint(i), Kind: survey.NewAspect, Aspect: name, Text: name})
		}
		if got := d.NewAspects(); len(got) != test.want {
			t.Errorf("%q: %+v", test.names, got)
		}
	}
}

// Documents are files and those in directories but hidden ones, once each and in order.
func TestFiles(t *testing.T) {
	dir := write(t, map[string]string{"b.md": "# B\n", "a.md": "", ".hidden.md": "x", ".git/c.md": "x", "sub/d.json": "{}"})
	t.Chdir(dir)
	if err := os.Mkdir("none", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ names, want string }{
		{".", "a.md b.md sub/d.json"}, {"b.md . b.md", "a.md b.md sub/d.json"}, {".hidden.md", ".hidden.md"}, {".git", ".git/c.md"}, {"sub", "sub/d.json"},
		{"", "error: name a file"}, {"none", "error: there are no files in none"}, {"nowhere", "error: find files"},
	} {
		files, err := run.Files(strings.Fields(test.names))
		got := strings.Join(files, " ")
		if err != nil {
			got = "error: " + err.Error()
		}
		if !strings.HasPrefix(got, test.want) || err == nil && got != test.want {
			t.Errorf("%q: %s, want %s", test.names, got, test.want)
		}
	}
}

// The library, good and spoiled, and what checks find in it.
func TestLibrary(t *testing.T) {
	dir := t.TempDir()
	for spoil, want := range map[string]struct{ forms, files, findings int }{"": {40, 40, 0}, "leading": {40, 40, 40}} {
		at := filepath.Join(dir, "of-"+spoil)
		if err := os.Mkdir(at, 0o700); err != nil {
			t.Fatal(err)
		}
		made, err := survey.WriteLibrary(at, spoil, 1)
		if err != nil || len(made.Forms) != want.forms || made.Missing() != 0 {
			t.Fatalf("%q: %+v, %v", spoil, made, err)
		}
		files, err := run.Files([]string{at})
		if err != nil {
			t.Fatal(err)
		}
		c := survey.Check(append(files, filepath.Join(dir, "none")))
		if spoil == "leading" {
			c = survey.Check(files)
		}
		if c.Files != want.files || len(c.Findings) != want.findings || len(c.Unread) != len(append(files, "none"))-len(files) && spoil == "" {
			t.Errorf("%q: %d files, %d findings, unread %v", spoil, c.Files, len(c.Findings), c.Unread)
		}
		var b strings.Builder
		if err := made.Print(&b); err != nil || !strings.HasPrefix(b.String(), fmt.Sprintf("%d of %d forms lie in ", want.forms, want.forms)) {
			t.Errorf("%q, %v", b.String(), err)
		}
		b.Reset()
		if err := c.Print(&b); err != nil || !strings.HasSuffix(b.String(), fmt.Sprintf("%d findings in %d documents\n", want.findings, want.files)) || spoil != "" && !strings.Contains(b.String(), "suggests an answer") {
			t.Errorf("%q, %v", b.String(), err)
		}
	}
	all, err := survey.WriteLibrary(dir, "all", 1)
	if err != nil {
		t.Fatal(err)
	}
	good := 0
	for _, f := range all.Forms {
		if f.Rule == "" {
			good++
		} else if f.Where == "" || !strings.HasSuffix(f.File, "."+string(f.Rule)+".json") {
			t.Errorf("%+v", f)
		}
	}
	if good != 40 || len(all.Forms) <= 400 {
		t.Errorf("%d good of %d", good, len(all.Forms))
	}
	var usage run.UsageError
	if _, err := survey.WriteLibrary(dir, "beauty", 1); !errors.As(err, &usage) {
		t.Error(err)
	}
}

// Forms are asked for once, kept with their calls, and missing ones are counted.
func TestGenerate(t *testing.T) {
	dir := t.TempDir()
	var asked []llm.Tag
	var seeds []int64
	reply := `{"title":"T","description":"D","sections":[{"title":"S","questions":[{"text":"Who are you?","type":"text"}]}]}`
	author := func(name string, fault error) *survey.Author {
		return &survey.Author{Name: name, Now: now, Model: llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
			asked, seeds = append(asked, req.Tag), append(seeds, *req.Sampling.Seed)
			text := reply
			if strings.Contains(req.Messages[0].Content, "nothing") {
				text = "I would rather not, key k."
			}
			return &llm.Response{Text: text, Finish: llm.Stop}, fault
		})}
	}
	clean := func(s string) string { return strings.ReplaceAll(s, "key", "***") }
	var told []string
	tell := func(s string) { told = append(told, strings.TrimPrefix(s, dir+"/")) }
	made, err := survey.Generate(context.Background(), dir, []*survey.Author{author("one", nil), author("two", nil)}, []string{"Ask for names.", "Ask nothing."}, 7, clean, tell)
	if err != nil || len(made.Forms) != 4 || made.Missing() != 2 || len(asked) != 4 {
		t.Fatalf("%+v, %v; asked %v", made, err, asked)
	}
	if f := made.Forms[2]; f.File != filepath.Join(dir, "m02-0001.json") || f.Model != "two" || f.Prompt != "Ask for names." || f.Status != eval.Scored || f.Reason != "" {
		t.Errorf("%+v", f)
	}
	if f := made.Forms[1]; f.Status != eval.Unparsed || f.Reason != "the reply holds no form" {
		t.Errorf("%+v", f)
	}
	if slices.Sort(seeds); len(slices.Compact(seeds)) != 4 || strings.Join(told, ", ") != "m01-0001.json: 1 questions, m02-0001.json: 1 questions" {
		t.Errorf("seeds %v, told %q", seeds, told)
	}
	text, err := os.ReadFile(filepath.Join(dir, ".m01-0001.calls.jsonl"))
	var call llm.Call
	if err != nil || bytes.Count(text, []byte("\n")) != 1 || json.Unmarshal(text, &call) != nil || call.Session != "m01-0001" {
		t.Errorf("%s, %v", text, err)
	}
	again, err := survey.Generate(context.Background(), dir, []*survey.Author{author("one", nil)}, []string{"Ask for names.", "Ask nothing."}, 7, clean, tell)
	if err != nil || len(asked) != 5 || again.Missing() != 1 {
		t.Errorf("%+v, %v; asked %d times", again, err, len(asked))
	}
	var b strings.Builder
	if err := again.Print(&b); err != nil || b.String() != filepath.Join(dir, "m01-0002.json")+": unparsed: the reply holds no form\n1 of 2 forms lie in "+dir+"\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
	away := author("away", &llm.Error{Fault: llm.Unreachable, Err: errors.New("no route")})
	if _, err := survey.Generate(context.Background(), t.TempDir(), []*survey.Author{away}, []string{"x"}, 7, clean, tell); err == nil || !strings.Contains(err.Error(), "away: ") {
		t.Error(err)
	}
}

func TestPromptsOfAFile(t *testing.T) {
	file := filepath.Join(write(t, map[string]string{"p.txt": "\n one \n\ntwo\nthree", "none.txt": " \n"}), "p.txt")
	for first, want := range map[int]string{0: "one two three", 1: "one", 2: "one two", 3: "one two three", 9: "one two three"} {
		if got, err := survey.Prompts(file, first); err != nil || strings.Join(got, " ") != want {
			t.Errorf("first %d: %q, %v", first, got, err)
		}
	}
	if got, err := survey.Prompts("", 3); err != nil || len(got) != 3 {
		t.Errorf("%q, %v", got, err)
	}
	for _, name := range []string{filepath.Join(filepath.Dir(file), "none.txt"), "nowhere"} {
		if _, err := survey.Prompts(name, 0); err == nil || !strings.Contains(err.Error(), "prompts") {
			t.Error(name, err)
		}
	}
	if got := survey.Persona(&characters.Sheet{Name: "Orla", Race: "Elf", Class: "Bard", Description: "Sings."}); got != "Orla, a Elf Bard. Sings." {
		t.Error(got)
	}
	if got := survey.Persona(&characters.Sheet{Name: "Orla", Race: "Elf", Class: "Bard"}); got != "Orla, a Elf Bard." {
		t.Error(got)
	}
}

// What a run cannot be made of is refused, and what follows from the rest is filled in.
func TestConfig(t *testing.T) {
	for _, test := range []struct {
		reason string
		change func(*survey.Config)
		want   string // of the error; none: complete
	}{
		{"as it is", func(*survey.Config) {}, ""},
		{"no files", func(c *survey.Config) { c.Files = nil }, "name a file"},
		{"no evaluator", func(c *survey.Config) { c.Evaluator = "" }, "needs an evaluator"},
		{"a reference actor", func(c *survey.Config) { c.Evaluator = "reference:diligent" }, "cannot judge"},
		{"a reference critic", func(c *survey.Config) { c.Sage = "reference:diligent" }, "cannot judge"},
		{"too few tokens", func(c *survey.Config) { c.MaxTokens = 15 }, "too few"},
		{"just enough tokens", func(c *survey.Config) { c.MaxTokens = 16 }, ""},
		{"fewer than no draws", func(c *survey.Config) { c.Draws = -1 }, "at least one"},
		{"an unknown aspect", func(c *survey.Config) { c.Aspects = []string{"beauty"} }, "no aspect"},
		{"a rubric without aspects", func(c *survey.Config) { c.Rubric = &survey.Rubric{Version: 1} }, "no aspects"},
		{"unknown scores", func(c *survey.Config) { c.Scores = "guess" }, "unknown scores"},
	} {
		c := survey.DefaultConfig()
		c.Files, c.Evaluator = []string{"a.md"}, "script:x"
		test.change(c)
		err := c.Complete()
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.reason, err)
		}
	}
	for scores, want := range map[string][2]int{"top": {0, 0}, "samples": {20, 5}} {
		for i, draws := range []int{0, 5} {
			c := survey.DefaultConfig()
			c.Files, c.Evaluator, c.Scores, c.Draws = []string{"a.md"}, "script:x", scores, draws
			if err := c.Complete(); err != nil || c.Draws != want[i] {
				t.Errorf("%s with %d draws: %d, %v", scores, draws, c.Draws, err)
			}
		}
	}
	for _, config := range []string{"{}", "[", `{"rubric": {"version": 1}}`} {
		if _, err := survey.Decode([]byte(config)); err == nil {
			t.Errorf("%s is a configuration", config)
		}
	}
}
