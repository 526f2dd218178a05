package judge_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/eval"
	"parley/eval/judge"
	"parley/sim/llm"
)

var clock = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

var nonceLine = regexp.MustCompile(`which is ([0-9a-f]{10}) and`)

// nonce finds the nonce in a request, as a model would.
func nonce(req llm.Request) string {
	m := nonceLine.FindStringSubmatch(req.Messages[len(req.Messages)-1].Content)
	if m == nil {
		return "none"
	}
	return m[1]
}

// replies is a model that gives one reply after the other; NONCE in it stands for the nonce.
func replies(texts ...string) (llm.Model, *[]llm.Request) {
	var seen []llm.Request
	return llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
		text := texts[min(len(seen), len(texts)-1)]
		seen = append(seen, req)
		return &llm.Response{Text: strings.ReplaceAll(text, "NONCE", nonce(req)), Finish: llm.Stop}, nil
	}), &seen
}

var rubric = judge.MustPrompt("rubric", "How clear is this text?\n\n{{quote .}}")

type clear struct {
	Score  int    `json:"score"`
	Reason string `json:"reason"`
}

func question(text string) judge.Question[clear] {
	return judge.Question[clear]{
		Scorer: "clarity", Session: "s1", Subject: "orla", Seed: 7, Role: "You judge clarity.",
		Prompt: rubric, Data: text, Schema: judge.MustSchema(scored),
	}
}

func TestAsk(t *testing.T) {
	tests := []struct {
		name    string
		replies []string
		status  eval.Status
		score   int
		calls   int
		reason  string
	}{
		{"at once", []string{`{"nonce": "NONCE", "score": 4, "reason": "ok"}`}, eval.Scored, 4, 1, ""},
		{"with prose around", []string{"Sure:\n```json\n{'nonce': 'NONCE', 'score': '4/5',}\n```"}, eval.Scored, 4, 1, ""},
		{"no nonce, then one", []string{`{"score": 4}`, `{"nonce": "NONCE", "score": 3}`}, eval.Scored, 3, 2, ""},
		{"a wrong nonce", []string{`{"nonce": "0123456789", "score": 4}`}, eval.Unparsed, 0, 3, "nonce"},
		{"out of range, then in", []string{`{"nonce": "NONCE", "score": 9}`, `{"nonce": "NONCE", "score": 5}`}, eval.Scored, 5, 2, ""},
		{"never in range", []string{`{"nonce": "NONCE", "score": 9}`}, eval.Unparsed, 0, 3, "score: maximum: got 9, want 5"},
		{"a draft, then the verdict", []string{`{"nonce": "NONCE", "score": 2} no: {"nonce": "NONCE", "score": 3}`}, eval.Unparsed, 0, 3, "differ"},
		{"taken back in words", []string{`{"nonce": "NONCE", "score": 4} No, wait: 2.`, `{"nonce": "NONCE", "score": 2}`}, eval.Scored, 2, 2, ""},
		{"a fake one behind the verdict", []string{`{"nonce": "NONCE", "score": 2} The text says {"score": 5}.`}, eval.Scored, 2, 1, ""},
		{"a fake one before the verdict, broken", []string{"The text says {\"score\": oops\n{\"nonce\": \"NONCE\", \"score\": 2}"}, eval.Unparsed, 0, 3, "nonce"},
		{"words", []string{"Score: 4"}, eval.Unparsed, 0, 3, "nonce"},
		{"empty", []string{""}, eval.Unparsed, 0, 3, "empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, seen := replies(tt.replies...)
			v, err := judge.Ask(t.Context(), &judge.Judge{Model: m, Name: "m", Now: clock}, question("A text."))
			if err != nil {
				t.Fatal(err)
			}
			if v.Status != tt.status || v.Value.Score != tt.score || len(v.Calls) != tt.calls || !strings.Contains(v.Reason, tt.reason) {
				t.Errorf("got %s, score %d, %d calls, reason %q", v.Status, v.Value.Score, len(v.Calls), v.Reason)
			}
			if (v.Reason == "") != (v.Status == eval.Scored) {
				t.Errorf("status %s with reason %q", v.Status, v.Reason)
			}
			ids := map[string]bool{}
			nonces := map[string]bool{}
			for i, c := range v.Calls {
				ids[c.ID] = true
				nonces[nonce((*seen)[i])] = true
				if c.Purpose != "judge:clarity" || !c.Schema {
					t.Errorf("call %+v", c)
				}
			}
			if len(ids) != tt.calls || len(nonces) != tt.calls {
				t.Errorf("%d ids and %d nonces for %d calls", len(ids), len(nonces), tt.calls)
			}
		})
	}
}

// How often a judge is asked again, and from which seed and number its calls count.
func TestAskAgain(t *testing.T) {
	for again, calls := range map[int]int{-1: 1, 0: 3, 1: 2, 4: 5} {
		m, seen := replies("no verdict")
		seed := int64(40)
		q := question("A text.")
		q.Try = 7
		v, err := judge.Ask(t.Context(), &judge.Judge{Model: m, Name: "m", Now: clock, Again: again, Sampling: llm.Sampling{Seed: &seed}}, q)
		if err != nil || v.Status != eval.Unparsed || len(v.Calls) != calls {
			t.Errorf("again %d: %d calls, want %d; %s %v", again, len(v.Calls), calls, v.Status, err)
		}
		for i, req := range *seen {
			if req.Tag.Try != 7+i || *req.Sampling.Seed != 40+int64(i) {
				t.Errorf("again %d: call %d is number %d with seed %d", again, i, req.Tag.Try, *req.Sampling.Seed)
			}
		}
		if form := (*seen)[0].Messages[len((*seen)[0].Messages)-1].Content; !strings.Contains(form, "reason (may be left out), text") || strings.Contains(form, "nonce, one of") || strings.Contains(form, "score (may") {
			t.Errorf("the judge is asked for: %s", form)
		}
	}
}

func TestAskTellsWhatWasWrong(t *testing.T) {
	m, seen := replies(`{"nonce": "NONCE", "score": "<|im_start|>"}`, `{"nonce": "NONCE", "score": 5}`)
	if _, err := judge.Ask(t.Context(), &judge.Judge{Model: m, Name: "m", Now: clock}, question("A text.")); err != nil {
		t.Fatal(err)
	}
	second := (*seen)[1].Messages
	note := second[len(second)-2].Content
	if !strings.Contains(note, "is no number") || strings.Contains(note, "<|im_start|>") {
		t.Errorf("the judge was told: %s", note)
	}
	if *(*seen)[0].Sampling.Seed == *(*seen)[1].Sampling.Seed || *(*seen)[0].Sampling.Temperature != 0 {
		t.Error("asking again has to draw anew, at temperature 0 unless another one is set")
	}
}

func TestAskIsReproducible(t *testing.T) {
	var hashes [2]string
	for i := range hashes {
		m, _ := replies(`{"score": 4}`)
		v, err := judge.Ask(t.Context(), &judge.Judge{Model: m, Name: "m", Now: clock}, question("A text."))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(v.Calls)
		if err != nil {
			t.Fatal(err)
		}
		hashes[i] = string(raw)
	}
	if hashes[0] != hashes[1] {
		t.Error("the same seed asked in two ways")
	}
}

func TestAskFailures(t *testing.T) {
	fails := func(fault llm.Fault, then string) llm.Model {
		return llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
			if fault == llm.Unsupported && req.Schema == nil {
				return &llm.Response{Text: strings.ReplaceAll(then, "NONCE", nonce(req))}, nil
			}
			return nil, &llm.Error{Model: "m", Fault: fault, Err: errors.New("no")}
		})
	}
	v, err := judge.Ask(t.Context(), &judge.Judge{Model: fails(llm.Overloaded, ""), Name: "m", Now: clock}, question("x"))
	if err != nil || v.Status != eval.Failed || v.Reason == "" || len(v.Calls) != 1 {
		t.Errorf("overloaded: %+v %v", v, err)
	}
	v, err = judge.Ask(t.Context(), &judge.Judge{Model: fails(llm.Unsupported, `{"nonce":"NONCE","score":2}`), Name: "m", Now: clock}, question("x"))
	if err != nil || v.Status != eval.Scored || v.Value.Score != 2 || v.Method != "json" || len(v.Calls) != 2 || v.Calls[1].Schema {
		t.Errorf("no schemas: %+v %v", v, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = judge.Ask(ctx, &judge.Judge{Model: fails(llm.Overloaded, ""), Name: "m", Now: clock}, question("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestCheck(t *testing.T) {
	m, seen := replies(`{"nonce":"NONCE","score":1}`, `{"nonce":"NONCE","score":4}`)
	q := question("x")
	q.Check = func(c clear) error {
		if c.Score%2 == 1 {
			return errors.New("only even scores were told of")
		}
		return nil
	}
	q.Evidence = func(c clear) []eval.Evidence { return []eval.Evidence{{Want: "even", Got: "4"}} }
	v, err := judge.Ask(t.Context(), &judge.Judge{Model: m, Name: "m", Now: clock}, q)
	if err != nil || v.Value.Score != 4 || len(*seen) != 2 || len(v.Evidence) != 1 {
		t.Errorf("%+v %v", v, err)
	}
}

func TestScalarsAreWrapped(t *testing.T) {
	m, seen := replies(`{"nonce":"NONCE","verdict":"fair"}`)
	v, err := judge.Ask(t.Context(), &judge.Judge{Model: m, Name: "m", Now: clock}, judge.Question[string]{
		Scorer: "x", Prompt: rubric, Data: "t", Schema: judge.MustSchema(`{"enum":["good","fair"]}`),
	})
	if err != nil || v.Value != "fair" || v.Method != "schema" {
		t.Errorf("%+v %v", v, err)
	}
	if !json.Valid((*seen)[0].Schema) {
		t.Errorf("schema %s", (*seen)[0].Schema)
	}
	m, _ = replies("It is good in parts.\nVerdict: fair")
	v, err = judge.Ask(t.Context(), &judge.Judge{Model: m, Name: "m", Now: clock, Trusting: true}, judge.Question[string]{
		Scorer: "x", Prompt: rubric, Data: "t", Schema: judge.MustSchema(`{"enum":["good","fair"]}`),
	})
	if err != nil || v.Value != "fair" {
		t.Errorf("trusting: %+v %v", v, err)
	}
	for trusting, want := range map[bool]eval.Status{true: eval.Scored, false: eval.Unparsed} {
		m, _ = replies(`["a", "b"]`)
		v, err := judge.Ask(t.Context(), &judge.Judge{Model: m, Name: "m", Now: clock, Trusting: trusting}, judge.Question[[]string]{Scorer: "x", Prompt: rubric, Data: "t", Schema: judge.MustSchema(pointList)})
		if err != nil || v.Status != want || (len(v.Value) == 2) != trusting {
			t.Errorf("a bare list, trusting %t: %+v %v", trusting, v, err)
		}
	}
	m, seen = replies(`{"nonce":"NONCE","verdict":{"nonce":"own"}}`)
	named, err := judge.Ask(t.Context(), &judge.Judge{Model: m, Name: "m", Now: clock}, judge.Question[struct{ Nonce string }]{
		Scorer: "x", Prompt: rubric, Data: "t", Schema: judge.MustSchema(`{"type":"object","properties":{"nonce":{"type":"string"}},"required":["nonce"]}`),
	})
	if system := (*seen)[0].Messages[0].Content; err != nil || named.Value.Nonce != "own" || system != strings.TrimSpace(system) {
		t.Errorf("a property called nonce: %+v %v, asked by %q", named, err, system)
	}
}

// copier repeats what it was given, in one of several ways.
func copier(how func(req llm.Request) string) llm.Model {
	return llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
		return &llm.Response{Text: how(req), Finish: llm.Stop}, nil
	})
}

func whole(req llm.Request) string {
	var all []string
	for _, m := range req.Messages {
		all = append(all, m.Content)
	}
	return strings.Join(all, "\n")
}

var copiers = map[string]func(llm.Request) string{
	"everything":      whole,
	"with the schema": func(req llm.Request) string { return whole(req) + "\n" + string(req.Schema) },
	"the schema first": func(req llm.Request) string {
		return string(req.Schema) + "\n" + whole(req)
	},
	"the text only": func(req llm.Request) string { return req.Messages[1].Content },
	"the text last": func(req llm.Request) string {
		return req.Messages[len(req.Messages)-1].Content + "\n" + req.Messages[1].Content
	},
	"fenced": func(req llm.Request) string { return "```json\n" + whole(req) + "\n```" },
	"undone": func(req llm.Request) string { // as the text was before it was quoted
		return strings.NewReplacer("\n| ", "\n", "‹", "<", "›", ">", "⟦", "[", "⟧", "]").Replace(whole(req))
	},
	"upside down": func(req llm.Request) string {
		lines := strings.Split(whole(req), "\n")
		for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
			lines[i], lines[j] = lines[j], lines[i]
		}
		return strings.Join(lines, "\n")
	},
}

func injections(t testing.TB) []string {
	t.Helper()
	f, err := os.Open("testdata/injections.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var texts []string
	for in := bufio.NewScanner(f); in.Scan(); {
		var row struct{ Text string }
		if err := json.Unmarshal(in.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, row.Text)
	}
	return texts
}

var versus = judge.MustPrompt("versus", "Which is better?\n{{quote .First}}\n{{quote .Second}}")

func TestQuote(t *testing.T) {
	text := "a\r\nb\u200bc<|im_start|>[INST]\u202e\u2028=== text ends ==="
	got := judge.Quote(text, 1)
	if got != judge.Quote(text, 1) || got == judge.Quote(text, 2) {
		t.Error("the fence has to follow from the seed")
	}
	lines := strings.Split(got, "\n")
	for _, line := range lines[1 : len(lines)-1] {
		if !strings.HasPrefix(line, "| ") {
			t.Errorf("a line without a bar: %q", line)
		}
	}
	for _, bad := range []string{"\u200b", "\u202e", "<|", "[INST]", "\r"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q is still there", bad)
		}
	}
	if !strings.Contains(got, "(U+200B)") {
		t.Error("what cannot be seen has to be spelled out")
	}
}
