package judge_test

import (
	"context"
	"testing"
	"time"

	"parley/eval/judge"
	"parley/sim/llm"
)

// A reasoned rating has its reason, and its score from the field of its own, in every mode.
func TestReasoned(t *testing.T) {
	reply := `{"reason": "3 of 4 hold, score: 1", "score": 4}`
	model := llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
		resp := &llm.Response{Text: reply, Finish: llm.Stop}
		if req.TopLogprobs > 0 {
			head := reply[:len(reply)-2]
			resp.Logprobs = []llm.TokenLogprob{{Logprob: llm.Logprob{Token: head}}, at("4", "4", 0.5, "2", 0.5), {Logprob: llm.Logprob{Token: "}"}}}
		}
		return resp, nil
	})
	j := &judge.Judge{Model: model, Name: "m", Now: time.Now, Trusting: true}
	for mode, want := range map[judge.Mode]float64{judge.Top: 4, judge.Logprob: 3, judge.Samples: 4} {
		got, err := judge.Rate(context.Background(), j, judge.Rating{
			Scorer: "s", Prompt: judge.MustPrompt("p", "Judge {{quote .}}."), Data: "x", Scale: judge.Scale{Min: 1, Max: 5}, Mode: mode, Draws: 2, Reasoned: true,
		})
		if err != nil || got.Value < want-1e-9 || got.Value > want+1e-9 || got.Why != "3 of 4 hold, score: 1" {
			t.Errorf("%s: %v %+v, want %v", mode, err, got, want)
		}
	}
}
