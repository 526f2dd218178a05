package llm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

func TestLedgerYieldsEachMessageOnce(t *testing.T) {
	said := func(texts ...string) *llm.Call {
		c := &llm.Call{}
		for _, text := range texts {
			m := llm.NewMessage(llm.User, text)
			c.Messages, c.Prompt = append(c.Messages, m), append(c.Prompt, m.Hash())
		}
		return c
	}
	var l llm.Ledger
	for _, tt := range []struct {
		call *llm.Call
		want []string
	}{
		{said("rules", "a", "persona 1"), []string{"rules", "a", "persona 1"}},
		{said("rules", "a", "b", "persona 2"), []string{"b", "persona 2"}},
		{said("rules", "a", "b", "c", "persona 1"), []string{"c"}}, // what an earlier prompt had
		{said("rules", "a", "b", "c", "persona 1"), nil},
		{said("rules"), nil},
		{said("other", "rules", "other"), []string{"other"}}, // twice in one prompt
		{said(), nil},
	} {
		var got []string
		for hash, m := range l.New(tt.call) {
			if hash != m.Hash() {
				t.Errorf("%q comes with the hash %s", m.Content, hash)
			}
			got = append(got, m.Content)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("of %d messages %q are new, want %q", len(tt.call.Messages), got, tt.want)
		}
	}
}
