package llm_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"parley/sim/llm"
)

func TestCallID(t *testing.T) {
	for want, tag := range map[string]llm.Tag{
		"/0///0":              {},
		"s1/12/mara/act/0":    {Session: "s1", Turn: 12, Actor: "mara", Purpose: "act"},
		"s1/12/mara/act/1":    {Session: "s1", Turn: 12, Actor: "mara", Purpose: "act", Try: 1},
		"s1/0//judge:iep/0#2": {Session: "s1", Purpose: "judge:iep", Repeat: 2},
		"s1/0//judge:iep/1#2": {Session: "s1", Purpose: "judge:iep", Try: 1, Repeat: 2},
		"é/-1/a/b/0":          {Session: "é", Turn: -1, Actor: "a", Purpose: "b"},
	} {
		if got := llm.CallID(tag); got != want {
			t.Errorf("%+v is %q, want %q", tag, got, want)
		}
	}
}

func TestAskFailed(t *testing.T) {
	inner := &llm.Error{Model: "m", Fault: llm.Overloaded, Attempts: 3}
	for _, test := range []struct {
		err     error
		fault   llm.Fault
		attempt int
	}{
		{inner, llm.Overloaded, 3},
		{fmt.Errorf("wrapped: %w", inner), llm.Overloaded, 3},
		{fault(llm.Denied), llm.Denied, 1},
		{context.Canceled, "", 1},
		{errors.New("odd"), "", 1},
	} {
		model := llm.Func(func(context.Context, llm.Request) (*llm.Response, error) { return nil, test.err })
		resp, call, err := llm.Ask(t.Context(), model, "m", request("s1", 2), still)
		if resp != nil || err != test.err {
			t.Errorf("response is %v and error %v, want %v", resp, err, test.err)
		}
		if call.Fault != test.fault || call.Attempt != test.attempt || call.Error != test.err.Error() || len(call.Prompt) != 2 || call.Seed != 14 || call.ID != "s1/2/mara/act/0" {
			t.Errorf("%v: call is %+v", test.err, call)
		}
	}
}
