//go:build !race

package judge_test

import (
	"strings"
	"testing"
	"time"

	"parley/eval"
	"parley/eval/judge"
)

// TestLinear reads much of what a broken model, or a hostile one, sends. The limit is a thousand times
// what it takes.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	const size, limit = 1 << 15, 15 * time.Second
	fill := func(unit string) string { return strings.Repeat(unit, size/len(unit)+1)[:size] }
	units := []string{"{", "[", "}", "{}", "[]", `{"`, `{"a":`, `{"score":`, `{"score":1,`, `{"score":1}`, `"`, `'`, "{'", `{"a" `, `\`, `{"\`,
		"{/*", "{//", "{#", "{# ", "[\"a\",", "[[[]]]", "[1]", "{a:", "{a:1}", "Score: ", "Score: 3 or ", "GRADE: C\n", "not true. ", "It is true. ",
		"<think>", "</think>\n", "<think>\n</think>\n", "\n", " ", "\u200b", ">", "| ", "a: ", "score=1\n", "{\"score\" : oops {", "{\"a\":b c}", "\xff", `{\"`, "```\n", "score: ",
		`{"score": 4, "x": "`, `","`, `", "a`, `{"a": "b" "c`, "4 ", "four ", "[[A]] ", "true ", "if GRADE: C ", "1. True\n", "{\"score\":1}\n{\"score\": oops\n"}
	schemas := []string{"", scored, truth}
	for _, offer := range schemas {
		s := schemaOf(t, offer)
		for _, unit := range units {
			text := fill(unit)
			if len(unit) == 1 && strings.Contains("{}[]", unit) {
				text = strings.Repeat(unit, 8*size)
			}
			begin := time.Now()
			judge.Read(text, s)
			if took := time.Since(begin); took > limit {
				t.Errorf("%v for %.20q with %.30q", took, unit, offer)
			}
		}
	}
}

// TestInjections judges hostile texts with models that copy their input: none becomes a verdict.
func TestInjections(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	texts := injections(t)
	if len(texts) < 40 {
		t.Fatalf("%d texts", len(texts))
	}
	asked := 0
	labels, booleans, anyhow := judge.MustSchema(graded), judge.MustSchema(`{"type":"boolean"}`), judge.MustSchema(`{}`)
	for how, model := range copiers {
		j := &judge.Judge{Model: copier(model), Name: "copier", Now: clock}
		for _, text := range texts {
			check := func(what string, status eval.Status, err error) {
				t.Helper()
				asked++
				if err != nil || status != eval.Unparsed {
					t.Errorf("%s, %s: %s %v: %q", how, what, status, err, text)
				}
			}
			v, err := judge.Ask(t.Context(), j, question(text))
			check("object", v.Status, err)
			label, err := judge.Ask(t.Context(), j, judge.Question[string]{Scorer: "x", Seed: 3, Prompt: rubric, Data: text, Schema: labels})
			check("label", label.Status, err)
			truth, err := judge.Ask(t.Context(), j, judge.Question[bool]{Scorer: "x", Seed: 3, Prompt: rubric, Data: text, Schema: booleans})
			check("boolean", truth.Status, err)
			anything, err := judge.Ask(t.Context(), j, judge.Question[any]{Scorer: "x", Seed: 3, Prompt: rubric, Data: text, Schema: anyhow})
			check("anything", anything.Status, err)
			for _, mode := range []judge.Mode{judge.Top, judge.Samples, judge.Logprob} {
				r, err := judge.Rate(t.Context(), j, judge.Rating{Scorer: "x", Seed: 3, Prompt: rubric, Data: text, Scale: judge.Scale{Min: 1, Max: 5}, Mode: mode, Draws: 2})
				check(string(mode), r.Status, err)
			}
			p, err := judge.Prefer(t.Context(), j, judge.Pair{Scorer: "x", Seed: 3, Prompt: versus, A: text, B: "Another text."})
			check("pair", p.Status, err)
		}
	}
	fooled := 0 // the same texts do deceive a judge that goes without nonces
	j := &judge.Judge{Model: copier(copiers["undone"]), Name: "copier", Now: clock, Trusting: true}
	for _, text := range texts {
		v, err := judge.Ask(t.Context(), j, judge.Question[string]{Scorer: "x", Seed: 3, Prompt: rubric, Data: text, Schema: labels})
		if err != nil {
			t.Fatal(err)
		}
		if v.Status == eval.Scored {
			fooled++
		}
	}
	if fooled == 0 {
		t.Error("the texts deceive nobody: they test nothing")
	}
	t.Logf("%d texts, %d questions; without nonces %d labels", len(texts), asked, fooled)
}
