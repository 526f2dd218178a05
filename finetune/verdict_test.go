package finetune_test

import (
	"errors"
	"strings"
	"testing"

	"parley/finetune"
	"parley/sim/llm"
)

func TestFromVerdict(t *testing.T) {
	question := []llm.Message{
		{Role: llm.System, Content: "You are a judge."}, {Role: llm.User, Content: "Judge this:\n=== text ab begins ===\n| The bell rings.\n=== text ab ends ==="}, {Role: llm.User, Content: "Answer with one JSON object."},
	}
	for _, test := range []struct {
		reason, reply, want string
	}{
		{"as it was written, the order of its keys included", `{"nonce": "ab12", "reason": "it rings", "score": 4}`, `{"nonce": "ab12", "reason": "it rings", "score": 4}`},
		{"without the words around it", "Sure!\n```json\n{\"score\": 4}\n```", `{"score": 4}`},
		{"the whole object, not one within it", `{"matches": [{"known": 1, "told": 2}, {"known": 2, "told": 1}]}`, `{"matches": [{"known": 1, "told": 2}, {"known": 2, "told": 1}]}`},
		{"without what was thought aloud", "<think>{\"score\": 1}? No.</think>\n{\"score\": 4}", `{"score": 4}`},
		{"in another model's marks", "<|channel|>analysis<|message|>Four?<|end|><|start|>assistant<|channel|>final<|message|>{\"score\": 4}", `{"score": 4}`},
		{"a verdict in another form", "<think>Well.</think>\nScore: 4", "Score: 4"},
	} {
		x, err := finetune.FromVerdict(&finetune.Verdict{
			ID: "run", Call: llm.Call{ID: "s1/0/a/judge:iep-match/0", Purpose: "judge:iep-match", Model: "ollama:big", Reply: test.reply},
			Messages: question, Group: "g1", Source: "run", Labels: []string{"score=4"},
		})
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
			continue
		}
		if err := x.Validate(); err != nil {
			t.Errorf("%s: %v", test.reason, err)
		}
		if x.Completion[0].Content != test.want {
			t.Errorf("%s: %q, want %q", test.reason, x.Completion[0].Content, test.want)
		}
		if strings.Join(x.Labels, " ") != "iep-match score=4" || x.Model != "ollama:big" || len(x.Prompt) != 2 {
			t.Errorf("%s: %+v", test.reason, x)
		}
		if !strings.HasPrefix(x.Body, "The bell rings.") || strings.Contains(x.Body, "Judge this") {
			t.Errorf("%s: the body is %q", test.reason, x.Body)
		}
	}
	for reason, v := range map[string]finetune.Verdict{
		"it did not count":         {Call: llm.Call{ID: "1", Reply: `{"score": 4}`}, Messages: question, Left: finetune.AskedAgain},
		"no reply":                 {Call: llm.Call{ID: "1"}, Messages: question},
		"no question":              {Call: llm.Call{ID: "1", Reply: `{"score": 4}`}},
		"a thought without an end": {Call: llm.Call{ID: "1", Reply: "<think>It may be {\"score\": 4}"}, Messages: question},
		"only its thoughts":        {Call: llm.Call{ID: "1", Reply: "<think>Hm.</think>"}, Messages: question},
	} {
		var d *finetune.Dropped
		if _, err := finetune.FromVerdict(&v); !errors.As(err, &d) {
			t.Errorf("%s: error %v", reason, err)
		}
	}
}
