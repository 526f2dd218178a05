package llmtest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"parley/sim/llm"
	"parley/sim/llm/llmtest"
)

func say(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Content: text}}}
}

func ExampleReply() {
	m := llmtest.NewTape(llmtest.Reply("Well met.", "Farewell."))
	for _, text := range []string{"Hail!", "I must go.", "Still here?"} {
		resp, err := m.Generate(context.Background(), say(text))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(resp.Text, *resp.Usage.Completion)
	}
	fmt.Println(len(m.Requests()), m.Requests()[1].Messages[0].Content)
	// Output:
	// Well met. 2
	// Farewell. 1
	// test: bad request: no reply is left
	// 3 I must go.
}

func TestModels(t *testing.T) {
	gone := errors.New("gone")
	tests := []struct {
		name  string
		model llm.Model
		want  string
		err   error
	}{
		{"echo", llmtest.Echo(), "Hail!", nil},
		{"func", llmtest.Func(func(r llm.Request) string { return r.Messages[0].Content + "?" }), "Hail!?", nil},
		{"instant", llmtest.Instant("Aye."), "Aye.", nil},
		{"fail", llmtest.Fail(gone), "", gone},
	}
	for _, tt := range tests {
		resp, err := tt.model.Generate(t.Context(), say("Hail!"))
		if !errors.Is(err, tt.err) || err == nil && (resp.Text != tt.want || resp.Finish != llm.Stop) {
			t.Errorf("%s: got %+v, %v", tt.name, resp, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := llmtest.Echo().Generate(ctx, say("Hail!")); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}

func BenchmarkInstant(b *testing.B) {
	m, req := llmtest.Instant("Aye."), say("Hail!")
	for b.Loop() {
		if _, err := m.Generate(b.Context(), req); err != nil {
			b.Fatal(err)
		}
	}
}
