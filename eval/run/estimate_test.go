package run_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"parley/eval/run"
	"parley/sim/llm"
)

// fixed asks a model often enough for replies that the schema fixes, so that all is known of them.
func fixed(spec string, times int) func(context.Context, *run.Env, *run.Writer, run.Job) (*float64, error) {
	return func(ctx context.Context, env *run.Env, _ *run.Writer, job run.Job) (*float64, error) {
		v := 1.0
		for turn := range times {
			_, err := env.Model(spec).Generate(ctx, llm.Request{
				Messages: []llm.Message{{Role: llm.User, Content: question}}, Schema: json.RawMessage(`{"const": "` + answer + `"}`),
				Tag: llm.Tag{Session: job.ID, Turn: turn + 1, Actor: "p", Purpose: "act"},
			})
			if err != nil {
				return nil, err
			}
		}
		return &v, nil
	}
}

var question, answer = strings.Repeat("What is the bell? ", 300), strings.Repeat("bell ", 600)

// An estimate rehearses some of the jobs of each stage and scales what they ask for to all of them.
func TestEstimate(t *testing.T) {
	in, out := llm.EstimatePrompt([]llm.Message{{Role: llm.User, Content: question}}), llm.EstimateTokens(`"`+answer+`"`)
	seconds := func(calls int, perCall float64) float64 { return float64(calls) * perCall / 60 }
	local := float64(out)/20 + float64(in)/400 // seconds of a call
	hosted := 1 + float64(out)/60
	price := writeFile(t, t.TempDir(), "prices.yaml", "currency: EUR\nmodels:\n  served:p: {input: 2, output: 8}\n  hosted:p: {input: 1, output: 1}\n")
	for _, test := range []struct {
		reason   string
		spec     string
		of       int
		stage    int
		settings run.Settings
		times    int
		want     run.Forecast // of it jobs, rehearsed, calls, minutes
		cost     float64      // per call, in millionths; -1: unknown
	}{
		{"all jobs are rehearsed", "served:p", 24, 0, run.Settings{Prices: price}, 1, run.Forecast{Jobs: 24, Rehearsed: 24, Calls: 24, Minutes: seconds(24, local)}, 2*float64(in) + 8*float64(out)},
		{"one job", "served:p", 1, 0, run.Settings{Prices: price}, 3, run.Forecast{Jobs: 1, Rehearsed: 1, Calls: 3, Minutes: seconds(3, local)}, 2*float64(in) + 8*float64(out)},
		{"some of 60 jobs", "served:p", 60, 0, run.Settings{Prices: price}, 2, run.Forecast{Jobs: 60, Rehearsed: 20, Calls: 120, Minutes: seconds(120, local)}, 2*float64(in) + 8*float64(out)},
		{"25 jobs", "served:p", 25, 0, run.Settings{}, 1, run.Forecast{Jobs: 25, Rehearsed: 13, Calls: 25, Minutes: seconds(25, local)}, -1},
		{"three stages of 20", "served:p", 60, 20, run.Settings{Prices: price}, 1, run.Forecast{Jobs: 60, Rehearsed: 21, Calls: 60, Minutes: seconds(60, local)}, 2*float64(in) + 8*float64(out)},
		{"four at once", "hosted:p", 12, 0, run.Settings{Prices: price}, 1, run.Forecast{Jobs: 12, Rehearsed: 12, Calls: 12, Minutes: seconds(12, hosted) / 4}, float64(in + out)},
		{"as many as asked for", "hosted:p", 12, 0, run.Settings{Jobs: 6}, 1, run.Forecast{Jobs: 12, Rehearsed: 12, Calls: 12, Minutes: seconds(12, hosted) / 6}, -1},
		{"not more than limits allow", "hosted:p", 12, 0, run.Settings{Jobs: 6, Limits: run.Limits{Endpoints: map[string]llm.Limits{"hosted": {Concurrent: 3}}}}, 1, run.Forecast{Jobs: 12, Rehearsed: 12, Calls: 12, Minutes: seconds(12, hosted) / 3}, -1},
		{"one job at once", "hosted:p", 12, 0, run.Settings{Jobs: 1}, 1, run.Forecast{Jobs: 12, Rehearsed: 12, Calls: 12, Minutes: seconds(12, hosted)}, -1},
		{"a limit of one", "hosted:p", 12, 0, run.Settings{Jobs: 6, Limits: run.Limits{Endpoints: map[string]llm.Limits{"hosted": {Concurrent: 1}}}}, 1, run.Forecast{Jobs: 12, Rehearsed: 12, Calls: 12, Minutes: seconds(12, hosted)}, -1},
		{"one request a minute", "hosted:p", 12, 0, run.Settings{Limits: run.Limits{Endpoints: map[string]llm.Limits{"hosted": {Requests: 1}}}}, 1, run.Forecast{Jobs: 12, Rehearsed: 12, Calls: 12, Minutes: 12}, -1},
		{"one token a minute", "hosted:p", 12, 0, run.Settings{Limits: run.Limits{Endpoints: map[string]llm.Limits{"hosted": {Tokens: 1}}}}, 1, run.Forecast{Jobs: 12, Rehearsed: 12, Calls: 12, Minutes: 12 * float64(in+out)}, -1},
		{"a host with a name", "hosted:p@https://api.example.org/v1", 12, 0, run.Settings{}, 1, run.Forecast{Jobs: 12, Rehearsed: 12, Calls: 12, Minutes: seconds(12, hosted) / 4}, -1},
		{"this machine by its name", "hosted:p@http://localhost:1/v1", 12, 0, run.Settings{}, 1, run.Forecast{Jobs: 12, Rehearsed: 12, Calls: 12, Minutes: seconds(12, local)}, -1},
		{"not more than there are jobs", "hosted:p", 2, 0, run.Settings{Jobs: 6}, 1, run.Forecast{Jobs: 2, Rehearsed: 2, Calls: 2, Minutes: seconds(2, hosted) / 2}, -1},
		{"a limit of requests", "hosted:p", 12, 0, run.Settings{Limits: run.Limits{Endpoints: map[string]llm.Limits{"hosted": {Requests: 2}}}}, 1, run.Forecast{Jobs: 12, Rehearsed: 12, Calls: 12, Minutes: 6}, -1},
		{"a limit of tokens", "hosted:p", 12, 0, run.Settings{Limits: run.Limits{Endpoints: map[string]llm.Limits{"hosted": {Tokens: 1000}}}}, 1, run.Forecast{Jobs: 12, Rehearsed: 12, Calls: 12, Minutes: 12 * float64(in+out) / 1000}, -1},
		{"limits that do not matter", "served:p", 12, 0, run.Settings{Limits: run.Limits{Endpoints: map[string]llm.Limits{"served": {Tokens: 1e9, Requests: 1e6}}}}, 1, run.Forecast{Jobs: 12, Rehearsed: 12, Calls: 12, Minutes: seconds(12, local)}, -1},
		{"somebody else's adapter in the private network", "hosted:p@http://10.0.0.3/v1", 12, 0, run.Settings{}, 1, run.Forecast{Jobs: 12, Rehearsed: 12, Calls: 12, Minutes: seconds(12, local)}, -1},
		{"replies from a file take no time", "local:p", 12, 0, run.Settings{}, 1, run.Forecast{Jobs: 12, Rehearsed: 12, Calls: 12}, -1},
		{"replies of an earlier run are no calls", "kept:p", 12, 0, run.Settings{}, 1, run.Forecast{Jobs: 12, Rehearsed: 12}, 0},
	} {
		w := &world{}
		p := &small{settings: test.settings, uses: tested(test.spec), of: test.of, stage: test.stage, do: fixed(test.spec, test.times)}
		f, err := run.Estimate(t.Context(), p, w.options(nil))
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
			continue
		}
		if f.Jobs != test.want.Jobs || f.Rehearsed != test.want.Rehearsed || f.Calls != test.want.Calls || math.Abs(f.Minutes-test.want.Minutes) > 1e-6 {
			t.Errorf("%s: %d jobs, %d rehearsed, %d calls, %v minutes; want %+v", test.reason, f.Jobs, f.Rehearsed, f.Calls, f.Minutes, test.want)
		}
		if w.calls.Load() != 0 {
			t.Errorf("%s: %d calls were made", test.reason, w.calls.Load())
		}
		if len(p.settings.Limits.Endpoints) != len(test.settings.Limits.Endpoints) || p.settings.AllowSelfJudge {
			t.Errorf("%s: the plan's settings are left as %+v", test.reason, p.settings)
		}
		total := f.Tally.Total()
		switch calls := int64(test.want.Calls); {
		case calls == 0:
			if len(f.Tally.Rows) > 0 {
				t.Errorf("%s: it uses %+v", test.reason, total)
			}
		case *total.Prompt.Sum != calls*int64(in) || *total.Completion.Sum != calls*int64(out) || total.Calls != int(calls) || total.Prompt.Of != int(calls) || total.Prompt.Known != int(calls) || total.Asked != int(calls):
			t.Errorf("%s: %+v, want %d calls of %d and %d tokens", test.reason, total, calls, in, out)
		case test.cost < 0 && (total.Cost.Amount != nil || total.Cost.Of != int(calls) || total.Cost.Unknown["no price file"] != int(calls)):
			t.Errorf("%s: it costs %+v", test.reason, total.Cost)
		case test.cost > 0 && (math.Abs(*total.Cost.Amount-float64(calls)*test.cost/1e6) > 1e-9 || total.Cost.Known != int(calls) || total.Cost.Of != int(calls)):
			t.Errorf("%s: it costs %v, want %v", test.reason, *total.Cost.Amount, float64(calls)*test.cost/1e6)
		}
		if total.Queue+total.Total+total.Read+total.Write+total.Load != 0 {
			t.Errorf("%s: the rehearsal's own times are left in %+v", test.reason, total)
		}
		if len(f.Assumes) != 3 || !strings.Contains(f.Assumes[0], fmt.Sprintf("%d of %d jobs", f.Rehearsed, f.Jobs)) {
			t.Errorf("%s: it assumes %q", test.reason, f.Assumes)
		}
	}
}

// The calls of Prepare are not scaled.
func TestEstimateOfPreparing(t *testing.T) {
	w := &world{}
	p := &small{uses: tested("served:p"), of: 48, do: fixed("served:p", 1)}
	p.prepare = func(ctx context.Context, env *run.Env) error {
		for n, purpose := range []string{"probe", "criteria"} {
			if _, err := env.Model("served:p").Generate(ctx, llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "?"}}, Tag: llm.Tag{Turn: n, Purpose: purpose}}); err != nil {
				return err
			}
		}
		return nil
	}
	f, err := run.Estimate(t.Context(), p, w.options(nil))
	if err != nil || f.Calls != 50 || f.Rehearsed != 24 {
		t.Errorf("%+v, %v", f, err)
	}
	p.prepare = func(ctx context.Context, env *run.Env) error {
		texts := []string{"one text", "and another one"}
		vectors, calls, err := llm.Embed(ctx, env.Embedder("served:p"), "served:p", texts, llm.Tag{Purpose: "embed"}, w.now)
		if err == nil && (len(vectors) != 2 || vectors[0][0] == 0 || *calls[0].Tokens != llm.EstimateTokens(texts[0])+llm.EstimateTokens(texts[1])) {
			err = fmt.Errorf("%v %+v", vectors, calls)
		}
		return err
	}
	if f, err = run.Estimate(t.Context(), p, w.options(nil)); err != nil || f.Calls != 49 {
		t.Errorf("%+v, %v", f, err)
	}
}

// The stand-in for a model gives the shortest reply that the schema allows, and a text of 50 words where it is free.
func TestRehearsedReplies(t *testing.T) {
	tests := []struct{ schema, want, reason string }{
		{`{"const": 4}`, `4`, "a constant"},
		{`{"enum": ["a", "b"], "type": "string"}`, `"a"`, "the first of a list"},
		{`{"enum": [], "type": "integer"}`, `0`, "an empty list says nothing"},
		{`{"anyOf": [{"const": 1}, {"const": 2}]}`, `1`, "any of some"},
		{`{"oneOf": [{"type": "boolean"}]}`, `false`, "one of some"},
		{`{"allOf": [{"type": "null"}]}`, `null`, "all of some"},
		{`{"anyOf": [], "type": "null"}`, `null`, "none of none"},
		{`{"type": ["integer", "null"], "minimum": 3}`, `3`, "one of two types"},
		{`{"type": [], "const": true}`, `true`, "no type"},
		{`{"type": "number"}`, `0`, "a number without a bound"},
		{`{"type": "array", "items": {"const": 1}}`, `[]`, "an empty array"},
		{`{"type": "array", "minItems": 2, "items": {"const": 1}}`, `[1,1]`, "an array with a least length"},
		{`{"type": "object"}`, `{}`, "an object without properties"},
		{`{"type": "object", "properties": {"a": {"const": 1}, "b": {"type": "object", "properties": {"c": {"type": "null"}}}}}`, `{"a":1,"b":{"c":null}}`, "objects in each other"},
	}
	var mu sync.Mutex
	got := map[string]string{}
	p := &small{uses: tested("served:p"), of: len(tests) + 4}
	text := []string{
		"", `{"type": "string"}`, `{"type": "string", "maxLength": 12}`,
		`{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string", "enum": ["x"]}, "d": {"type": "string", "const": "y"}, "e": {"type": "array", "minItems": 2, "items": {"type": "string"}}}}`,
	}
	p.do = func(ctx context.Context, env *run.Env, _ *run.Writer, job run.Job) (*float64, error) {
		var n int
		fmt.Sscanf(job.ID, "s%02d", &n)
		req := llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "?"}}, Tag: llm.Tag{Session: job.ID, Purpose: "act"}}
		if n < len(tests) {
			req.Schema = json.RawMessage(tests[n].schema)
		} else {
			req.Schema = json.RawMessage(text[n-len(tests)])
		}
		resp, err := env.Model("served:p").Generate(ctx, req)
		if err == nil {
			mu.Lock()
			got[job.ID] = resp.Text
			mu.Unlock()
		}
		return new(float64), err
	}
	w := &world{}
	if _, err := run.Estimate(t.Context(), p, w.options(nil)); err != nil {
		t.Fatal(err)
	}
	for i, test := range tests {
		if text := got[fmt.Sprintf("s%02d", i)]; text != test.want {
			t.Errorf("%s: %s gets %s, want %s", test.reason, test.schema, text, test.want)
		}
	}
	reply := func(n int) string { return got[fmt.Sprintf("s%02d", len(tests)+n)] }
	free, found := strings.CutPrefix(reply(0), "SAY: ")
	if words := strings.Fields(free); !found || len(words) != 50 || strings.Count(free, ".") != 5 || words[0][0] < 'A' || words[0][0] > 'Z' || words[12][0] > 'Z' || !strings.HasSuffix(words[11], ".") {
		t.Errorf("a free reply is %q", reply(0))
	}
	var whole, cut string
	var parts struct {
		A, B, C, D string
		E          []string
	}
	for n, into := range []any{&whole, &cut, &parts} {
		if err := json.Unmarshal([]byte(reply(n+1)), into); err != nil {
			t.Fatalf("%q: %v", reply(n+1), err)
		}
	}
	if n := len(strings.Fields(whole)); n != 50 {
		t.Errorf("a text has %d words: %q", n, whole)
	}
	if len(cut) > 12 || len(cut) < 10 || cut != strings.TrimSpace(cut) {
		t.Errorf("a text of at most 12 letters is %q", cut)
	}
	if a, b := len(parts.A), len(parts.B); a != b || a < 100 || a > 160 || parts.C != "x" || parts.D != "y" || len(parts.E) != 2 || math.Abs(float64(a-len(parts.E[0])-len(parts.E[1]))) > 1 || parts.E[0] == parts.E[1] {
		t.Errorf("the texts of an object are %q", parts)
	}
}
