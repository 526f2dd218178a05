package judge_test

import (
	"os"
	"testing"
	"time"

	"parley/eval"
	"parley/eval/judge"
	"parley/sim/llm"
	"parley/sim/llm/ollama"
)

// TestLiveLogprob weighs a score of a real model on a real server.
func TestLiveLogprob(t *testing.T) {
	address, name := os.Getenv("PARLEY_TEST_OLLAMA"), os.Getenv("PARLEY_TEST_MODEL")
	if address == "" || name == "" {
		t.Skip("PARLEY_TEST_OLLAMA and PARLEY_TEST_MODEL do not name a server's address and a model there")
	}
	spec, err := llm.ParseSpec("ollama:" + name + "?num_thread=1&num_ctx=1024")
	if err != nil {
		t.Fatal(err)
	}
	model, err := ollama.Open(t.Context(), spec, ollama.Options{Host: address, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	j := &judge.Judge{Model: model, Name: spec.String(), Now: time.Now, Again: -1, Sampling: llm.Sampling{MaxTokens: 60}}
	r := rating(judge.Logprob)
	r.Data = "The bell hangs in the north tower. Ring it thrice, and the gate opens."
	r.Floor = 1e-9 // whether a small model keeps to the scale by itself is not the question here
	got, err := judge.Rate(t.Context(), j, r)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range got.Calls {
		t.Logf("schema %v: %q %s", c.Schema, c.Reply, c.Error)
	}
	if got.Status != eval.Scored || got.Value < 1 || got.Value > 5 || got.Mass <= 0 || got.Mass > 1 || got.Method != "logprob" {
		t.Fatalf("%+v", got)
	}
	t.Logf("score %.4f, mass %.4f, spread %v", got.Value, got.Mass, got.Spread)
	again, err := judge.Rate(t.Context(), j, r)
	if err != nil || again.Value != got.Value {
		t.Errorf("the same question again: %v, want %v (%v)", again.Value, got.Value, err)
	}
	said, err := judge.Rate(t.Context(), j, rating(judge.Top))
	if err != nil || said.Status != eval.Scored {
		t.Errorf("top: %+v %v", said, err)
	}
}
