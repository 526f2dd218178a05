package llm_test

import (
	"math"
	"strings"
	"testing"

	"parley/sim/llm"
)

func TestSamplingValidate(t *testing.T) {
	for _, tt := range []struct {
		s    llm.Sampling
		want string // empty: nothing is wrong
	}{
		{llm.Sampling{}, ""},
		{llm.Sampling{}.Complete(), ""},
		{llm.Sampling{Temperature: new(0.0), TopP: new(1.0), TopK: new(0), RepeatLastN: new(-1), PresencePenalty: new(-2.0), KeepAlive: "-1", Think: "true"}, ""},
		{llm.Sampling{KeepAlive: "10m", Think: "high"}, ""},
		{llm.Sampling{Temperature: new(math.NaN())}, "temperature is NaN"},
		{llm.Sampling{Temperature: new(-1.0)}, "temperature is -1: say 0 to 100"},
		{llm.Sampling{TopP: new(7.0)}, "top_p is 7: say 0 to 1"},
		{llm.Sampling{MinP: new(math.Inf(1))}, "min_p is +Inf"},
		{llm.Sampling{RepeatPenalty: new(0.0)}, "repeat_penalty is 0"},
		{llm.Sampling{PresencePenalty: new(3.0)}, "presence_penalty is 3"},
		{llm.Sampling{FrequencyPenalty: new(-3.0)}, "frequency_penalty is -3"},
		{llm.Sampling{TopK: new(-1)}, "top_k is -1: say 0 or more"},
		{llm.Sampling{RepeatLastN: new(-2)}, "repeat_last_n is -2"},
		{llm.Sampling{MaxTokens: -5}, "max_tokens is -5"},
		{llm.Sampling{NumCtx: -1}, "num_ctx is -1"},
		{llm.Sampling{NumThread: -1}, "num_thread is -1"},
		{llm.Sampling{KeepAlive: "banana"}, `keep_alive "banana"`},
		{llm.Sampling{Think: "maybe"}, `think is "maybe"`},
	} {
		got := ""
		if err := tt.s.Validate(); err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%+v: %q, want %q", tt.s, got, tt.want)
		}
	}
	for text, want := range map[string]string{"true": "on", "false": "off", "on": "on", "": ""} {
		if got := (llm.Sampling{Think: text}).Complete().Think; got != want {
			t.Errorf("think %q is %q, want %q", text, got, want)
		}
	}
}
