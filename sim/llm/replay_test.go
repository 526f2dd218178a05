package llm_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/sim/llm"
)

// request is one of a game: a transcript that grows, and a seed of the turn.
func request(session string, turn int) llm.Request {
	seed := int64(turn * 7)
	req := llm.Request{
		Sampling: llm.Sampling{Seed: &seed},
		Tag:      llm.Tag{Session: session, Turn: turn, Actor: "mara", Purpose: "act"},
	}
	for i := range turn {
		req.Messages = append(req.Messages, llm.NewMessage(llm.User, fmt.Sprint("line ", i)))
	}
	return req
}

// record plays so many turns of each session and returns the calls.
func record(t testing.TB, turns int, sessions ...string) llm.Recording {
	t.Helper()
	n := 0
	model := llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
		n++
		switch n % 5 {
		case 3:
			return nil, &llm.Error{Model: "ollama:x", Fault: llm.TimedOut, Attempts: 4, Hint: "try a smaller model"}
		case 4:
			return nil, errors.New("odd")
		}
		return &llm.Response{Text: fmt.Sprint("reply ", n), Reasoning: "because", Finish: llm.Length, ServedBy: "x-2025", Attempts: 2,
			Usage:  llm.Usage{Prompt: count(n), Completion: count(2)},
			Timing: llm.Timing{Queue: time.Second, Load: 2 * time.Second, Prompt: 3 * time.Second, Generate: 4 * time.Second}}, nil
	})
	var calls llm.Recording
	for turn := 1; turn <= turns; turn++ {
		for _, session := range sessions {
			_, call, _ := llm.Ask(t.Context(), model, "ollama:x", request(session, turn), still)
			calls = append(calls, call)
		}
	}
	return calls
}

func still() time.Time { return time.Unix(1_700_000_000, 0) }

func replay(t testing.TB, calls llm.Recording) *llm.Replay {
	t.Helper()
	kept, err := llm.Collect(each(calls))
	if err != nil {
		t.Fatal(err)
	}
	return llm.NewReplay("replay:runs/a", kept)
}

func each(calls llm.Recording) iter.Seq2[llm.Call, error] {
	return func(yield func(llm.Call, error) bool) {
		for _, c := range calls {
			if !yield(c, nil) {
				return
			}
		}
	}
}

func TestReplay(t *testing.T) {
	calls := record(t, 6, "s1", "s2")
	r := replay(t, calls)
	// Backwards, as parallel sessions come in any order.
	for i := len(calls) - 1; i >= 0; i-- {
		want := calls[i]
		_, got, _ := llm.Ask(t.Context(), r, "ollama:x", request(want.Session, want.Turn), still)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(llm.Message{})); diff != "" {
			t.Errorf("call %s (-recorded +replayed):\n%s", want.ID, diff)
		}
	}
}

func TestReplayElsewhere(t *testing.T) {
	calls := record(t, 2, "s1", "s2")
	calls = calls[:2] // turn 1 of both: the same prompt and seed
	r := replay(t, calls)
	ask := func(session string) string {
		resp, err := r.Generate(t.Context(), request(session, 1))
		if err != nil {
			t.Fatal(err)
		}
		return resp.Text
	}
	// Sessions with other names get the replies in recorded order, and the last one again.
	if got, want := []string{ask("x"), ask("y"), ask("z")}, []string{"reply 1", "reply 2", "reply 2"}; !cmp.Equal(got, want) {
		t.Errorf("replies are %q, want %q", got, want)
	}
	if got := ask("s1"); got != "reply 1" {
		t.Errorf("reply to the session itself is %q, want its own", got)
	}
}

func TestReplayMissing(t *testing.T) {
	r := replay(t, record(t, 4, "s1"))
	for _, test := range []struct {
		name   string
		change func(*llm.Request)
		says   string
	}{
		{"never asked", func(r *llm.Request) { *r = request("s1", 9) }, "call s1/9/mara/act/0: no call of that name"},
		{"seed", func(r *llm.Request) { r.Sampling.Seed = new(int64) }, "recorded, but with seed 14, not 0"},
		{"message", func(r *llm.Request) { r.Messages[1] = llm.NewMessage(llm.User, "another") }, "recorded, but message 2 of 2 was another"},
		{"role", func(r *llm.Request) { r.Messages[0] = llm.NewMessage(llm.System, "line 0") }, "message 1 of 2"},
		{"messages", func(r *llm.Request) { r.Messages = r.Messages[:1] }, "recorded, but with 2 messages, not 1"},
		{"schema", func(r *llm.Request) { r.Schema = []byte(`{}`) }, "recorded, but with schema: false, not true"},
		{"logprobs", func(r *llm.Request) { r.TopLogprobs = 5 }, "without log-probabilities"},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := request("s1", 2)
			test.change(&req)
			_, err := r.Generate(t.Context(), req)
			if llm.FaultOf(err) != llm.NotFound || !strings.Contains(err.Error(), test.says) || !strings.HasPrefix(err.Error(), "replay:runs/a: ") {
				t.Errorf("error is %v, want not found: %s", err, test.says)
			}
		})
	}
}

func TestCollectBroken(t *testing.T) {
	torn := func(yield func(llm.Call, error) bool) { yield(llm.Call{}, errors.New("torn")) }
	if _, err := llm.Collect(torn); err == nil {
		t.Error("a broken recording was collected")
	}
}

func BenchmarkReplay(b *testing.B) {
	var calls llm.Recording
	for i := range 200_000 {
		_, call, _ := llm.Ask(b.Context(), costing(llm.Usage{}), "m", request(fmt.Sprint(i/4), i%4), still)
		calls = append(calls, call)
	}
	r := llm.NewReplay("replay:a", calls)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		i %= len(calls)
		if _, err := r.Generate(b.Context(), request(fmt.Sprint(i/4), i%4)); err != nil {
			b.Fatal(err)
		}
	}
}

// costing answers with the usage.
func costing(u llm.Usage) llm.Model {
	return llm.Func(func(context.Context, llm.Request) (*llm.Response, error) {
		return &llm.Response{Text: "abcdef", Finish: llm.Stop, Usage: u}, nil
	})
}
