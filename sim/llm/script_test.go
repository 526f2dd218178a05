package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/sim/llm"
)

func script(t testing.TB, text, file string) *llm.Script {
	t.Helper()
	s, err := llm.OpenScript(strings.NewReader(text), file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestScriptText(t *testing.T) {
	for _, test := range []struct {
		text string
		tag  llm.Tag
		want string
	}{
		{"one\n---\ntwo\nlines\n---\nthree\n", llm.Tag{Turn: 1}, "one"},
		{"one\n---\ntwo\nlines\n---\nthree\n", llm.Tag{Turn: 2}, "two\nlines"},
		{"one\n---\ntwo\nlines\n---\nthree\n", llm.Tag{Turn: 3}, "three"},
		{"one\n---\ntwo\nlines\n---\nthree\n", llm.Tag{Turn: 4}, "one"},
		{"one\n---\ntwo\nlines\n---\nthree\n", llm.Tag{Turn: 0}, "one"},
		{"one\n---\ntwo\nlines\n---\nthree\n", llm.Tag{Turn: 1, Try: 1}, "two\nlines"},
		{"one\n---\ntwo\nlines\n---\nthree\n", llm.Tag{Turn: 1, Repeat: 2}, "three"},
		{"one\r\n--- \r\ntwo\r\n", llm.Tag{Turn: 2}, "two"},
		{"one\n---\n---\nthree\n", llm.Tag{Turn: 2}, ""},
		{"one\n---\ntwo\n---\n", llm.Tag{Turn: 3}, "one"},
		{"one -- two\n----\n", llm.Tag{Turn: 2}, "one -- two\n----"},
		{"  kept  \n\n", llm.Tag{}, "  kept  "},
	} {
		resp, err := script(t, test.text, "s.txt").Generate(t.Context(), llm.Request{Tag: test.tag})
		if err != nil {
			t.Fatal(err)
		}
		if resp.Text != test.want || resp.Finish != llm.Stop || resp.ServedBy != "script:s.txt" || resp.Usage != (llm.Usage{}) {
			t.Errorf("%q, %+v: response is %+v, want text %q", test.text, test.tag, resp, test.want)
		}
	}
}

func TestScriptTakenUp(t *testing.T) {
	// What a script says is the same however often and in whatever order it was asked before.
	const text = "a\n---\nb\n---\nc"
	used, fresh := script(t, text, "s.txt"), script(t, text, "s.txt")
	for turn := 9; turn > 0; turn-- {
		used.Generate(t.Context(), llm.Request{Tag: llm.Tag{Turn: turn}})
	}
	for turn := range 9 {
		req := llm.Request{Tag: llm.Tag{Turn: turn}}
		a, _ := used.Generate(t.Context(), req)
		b, _ := fresh.Generate(t.Context(), req)
		if a.Text != b.Text {
			t.Errorf("turn %d: %q after other calls, %q at once", turn, a.Text, b.Text)
		}
	}
}

const ruleFile = `
- when: '(?i)knife\s+please'
  reply: Here it is.
- purpose: debrief
  actor: mara
  replies: [first, second]
- purpose: judge
  reply: '{"score": 1}'
  reasoning: It is clear.
- turn: 3
  try: 0
  reply: ""
  finish: length
- actor: kord
  fault: rate limited
  retry_after: 3s
  times: 2
  delay: 100ms
- actor: kord
  reply: At last.
  delay: 2s
- actor: ghost
  fault: blocked
`

func TestScriptRules(t *testing.T) {
	for _, test := range []struct {
		name   string
		prompt []string
		tag    llm.Tag
		want   llm.Response
	}{
		{name: "prompt", prompt: []string{"The KNIFE", "please."}, want: llm.Response{Text: "Here it is."}},
		{name: "across messages", prompt: []string{"a knife", "please"}, want: llm.Response{Text: "Here it is."}},
		{name: "purpose and actor", tag: llm.Tag{Purpose: "debrief", Actor: "mara", Turn: 2}, want: llm.Response{Text: "second"}},
		{name: "purpose with a scorer", tag: llm.Tag{Purpose: "judge:iep"}, want: llm.Response{Text: `{"score": 1}`, Reasoning: "It is clear."}},
		{name: "empty reply", tag: llm.Tag{Turn: 3}, want: llm.Response{Finish: llm.Length}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var req llm.Request
			req.Tag = test.tag
			for _, text := range test.prompt {
				req.Messages = append(req.Messages, llm.Message{Role: llm.User, Content: text})
			}
			resp, err := script(t, ruleFile, "s.yaml").Generate(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if test.want.Finish == "" {
				test.want.Finish = llm.Stop
			}
			if resp.Text != test.want.Text || resp.Reasoning != test.want.Reasoning || resp.Finish != test.want.Finish {
				t.Errorf("response is %+v, want %+v", resp, test.want)
			}
		})
	}
}

func TestScriptFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script(t, ruleFile, "s.yaml")
		start := time.Now()
		resp, err := llm.Retry(llm.Retrier{})(s).Generate(t.Context(), llm.Request{Tag: llm.Tag{Actor: "kord"}})
		if err != nil {
			t.Fatal(err)
		}
		if resp.Text != "At last." || resp.Attempts != 3 {
			t.Errorf("response is %+v, want the second rule's after 3 attempts", resp)
		}
		// Two delays of 0.1 s, two waits of 3 s and 0.5 s and 1 s of backoff, and a delay of 2 s.
		if took := time.Since(start); took != 9700*time.Millisecond {
			t.Errorf("took %s, want 9.7s", took)
		}
		_, err = s.Generate(t.Context(), llm.Request{Tag: llm.Tag{Actor: "ghost"}})
		if llm.FaultOf(err) != llm.Blocked || !strings.Contains(err.Error(), "rule 7") {
			t.Errorf("error is %v, want blocked by rule 7", err)
		}
		_, err = s.Generate(t.Context(), llm.Request{Tag: llm.Tag{Session: "s1", Turn: 4, Actor: "mara", Purpose: "act"}})
		if llm.FaultOf(err) != llm.NotFound || !strings.Contains(err.Error(), "s1/4/mara/act/0") {
			t.Errorf("error is %v, want no rule for the call", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := s.Generate(ctx, llm.Request{Tag: llm.Tag{Actor: "kord"}}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v, want the context's", err)
		}
	})
}

func TestScriptIdentify(t *testing.T) {
	a, _ := script(t, "one", "s.txt").Identify(t.Context())
	b, _ := script(t, "two", "s.txt").Identify(t.Context())
	if a.Name != "script:s.txt" || a.Digest == b.Digest || !strings.HasPrefix(a.Digest, "sha256:") {
		t.Errorf("identities are %+v and %+v", a, b)
	}
}

func TestOpenScriptErrors(t *testing.T) {
	for _, test := range []struct{ file, text, want string }{
		{"s.txt", "", "s.txt: the script is empty"},
		{"s.yaml", "", "s.yaml:1: the file is empty"},
		{"s.yaml", "[]", "s.yaml:1: the file: no rules"},
		{"s.yml", "hello", "s.yml:1: "},
		{"s.yaml", "- reply: a\n  repply: b\n", "s.yaml:2: unknown field"},
		{"s.yaml", "- reply: a\n- when: x\n", "s.yaml:2: [1]: a rule needs reply"},
		{"s.yaml", "- reply: a\n  fault: blocked\n", "s.yaml:1: [0]: a rule has only one"},
		{"s.yaml", "- reply: a\n\n- when: '('\n  reply: b\n", "s.yaml:3: [1]: when: error parsing regexp"},
		{"s.yaml", "- fault: lazy\n", `s.yaml:1: [0]: unknown fault "lazy"`},
		{"s.yaml", "- reply: a\n  finish: done\n", `s.yaml:1: [0]: unknown finish "done"`},
		{"s.yaml", "- reply: a\n  retry_after: 1s\n", "s.yaml:1: [0]: retry_after is for"},
		{"s.yaml", "- fault: blocked\n  reasoning: b\n", "s.yaml:1: [0]: a rule with a fault"},
		{"s.yaml", "- reply: a\n  delay: -1s\n", "s.yaml:1: [0]: times, delay"},
		{"s.yaml", "- reply: a\n  delay: soon\n", "s.yaml"},
		{"s.yaml", "-\n", "s.yaml"},
	} {
		_, err := llm.OpenScript(strings.NewReader(test.text), test.file)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s with %q: error is %v, want %q", test.file, test.text, err, test.want)
		}
	}
}

func FuzzOpenScript(f *testing.F) {
	f.Add(ruleFile, true, 3)
	f.Add("one\n---\ntwo\n", false, 1)
	f.Add("- reply: &a x\n- reply: *a\n", true, 0)
	f.Add("- - reply: x\n", true, -1)
	f.Add("- when: '\\p{L}+'\n  replies: [a, b]\n  delay: 1ns\n", true, 7)
	f.Fuzz(func(t *testing.T, text string, rules bool, turn int) {
		file := "s.txt"
		if rules {
			file = "s.yaml"
		}
		s, err := llm.OpenScript(strings.NewReader(text), file)
		if err != nil {
			if !strings.HasPrefix(err.Error(), file+":") {
				t.Errorf("error does not name the file: %v", err)
			}
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		req := llm.Request{Messages: []llm.Message{{Role: llm.User, Content: text}}, Tag: llm.Tag{Turn: turn}}
		resp, err := s.Generate(ctx, req)
		if (resp == nil) == (err == nil) {
			t.Errorf("response is %v and error %v", resp, err)
		}
	})
}

func BenchmarkScript(b *testing.B) {
	s := script(b, "- when: zzz\n  reply: a\n- reply: b\n", "s.yaml")
	req := llm.Request{Messages: []llm.Message{{Role: llm.User, Content: strings.Repeat("a transcript line that is long enough\n", 100)}}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Generate(b.Context(), req); err != nil {
			b.Fatal(err)
		}
	}
}

// A file of brackets would take the parser gigabytes.
func TestScriptTooDeep(t *testing.T) {
	for _, text := range []string{strings.Repeat("[", 100_000), strings.Repeat("{a: ", 30_000), strings.Repeat("- ", 50_000)} {
		if _, err := llm.OpenScript(strings.NewReader(text), "s.yaml"); err == nil || !strings.Contains(err.Error(), "s.yaml:1: nested more than") {
			t.Errorf("%.10s: got %.100v", text, err)
		}
		if _, err := llm.ReadPrices(strings.NewReader(text), "p.yaml"); err == nil || !strings.Contains(err.Error(), "nested more than") {
			t.Errorf("%.10s: got %.100v", text, err)
		}
	}
}
