package judge_test

import (
	"encoding/json"
	"testing"

	"parley/eval"
	"parley/eval/judge"
)

// A judge that changes its mind gives no verdict, in whatever words, unless it settles it within its reasons before.
func TestChangedMind(t *testing.T) {
	const (
		pass     = `{"type":"object","properties":{"pass":{"type":"boolean"}},"required":["pass"]}`
		reasoned = `{"type":"object","properties":{"score":{"type":"integer","minimum":1,"maximum":5},"reason":{"type":"string"}},"required":["score","reason"]}`
		before   = `{"type":"object","properties":{"reason":{"type":"string"},"score":{"type":"integer","minimum":1,"maximum":5}},"required":["score","reason"]}`
		label    = `{"type":"object","properties":{"result":{"enum":["PASS","FAIL"]}},"required":["result"]}`
		order    = `{"type":"object","properties":{"better":{"enum":["A","B","tie"]},"why":{"type":"string"}},"required":["better"]}`
		texts    = `{"type":"object","properties":{"better":{"type":"string","enum":["A","B"]},"why":{"type":"string"}},"required":["better"]}`
		two      = `{"type":"object","properties":{"clear":{"type":"integer","minimum":1,"maximum":5},"kind":{"type":"integer","minimum":1,"maximum":5}},"required":["clear","kind"]}`
	)
	for _, test := range []struct{ schema, reply string }{
		{scored, "{\"score\": 4}\nMake that a 3."},
		{scored, "{\"score\": 4}\nHmm, make it three."},
		{scored, "{\"score\": 4}\nActually 2/5."},
		{scale, "Score: 4/5 — actually 2/5"},
		{scale, "VERDICT: 4/5 - actually 2/5"},
		{scale, "VERDICT: 4\nActually, I'd lower this to a 3."},
		{scale, "VERDICT: 4\nNo. 3."},
		{scale, "VERDICT: 4 or 5"},
		{scale, "VERDICT: 4-5"},
		{scale, "VERDICT: 3.5"},
		{scale, "4... hmm, 3"},
		{scale, "4 -> 3"},
		{scale, "~~4~~ 3"},
		{scale, "VERDICT: ~~4~~ 3"},
		{label, "PASS... hmm, FAIL"},
		{label, "VERDICT: PASS... hmm, FAIL"},
		{label, "VERDICT: PASS\nHmm, FAIL after all."},
		{label, `{"result": "PASS"} Sorry, FAIL.`},
		{label, `{"result": "PASS -> FAIL"}`},
		{label, `{"result": "PASS"}` + "\n" + `{"result": "FAIL"}`},
		{label, `{"result": "PASS", "result": "FAIL"}`},
		{label, "```json\n{\"result\": \"PASS\"}\n```\nEdit: should be a fail."},
		{label, `{"result": "PASS"} I take that back.`},
		{label, `{"result": "PASS"} Disregard the above.`},
		{label, `{"result": "PASS"} Ignore that; I was too quick.`},
		{label, `{"result": "PASS"} Sorry, that was wrong.`},
		{`{"type":"object","properties":{"result":{"enum":["OK","BAD"]}},"required":["result"]}`, `{"result": "BAD"} But the rest of it is surely OK by me.`},
		{pass, `{"pass": true} Oops, I misread step 3, so it does not pass.`},
		{pass, `{"pass": true}` + "\nThat should be false."},
		{pass, `{"pass": true}` + "\nOn closer inspection it fails."},
		{pass, `{"pass": "true (no, false)"}`},
		{pass, `{"pass": true, "pass": false}`},
		{pass, `[{"pass": true}, {"pass": false}]`},
		{scored, `{"score": 4, "score": 2}`},
		{scored, `{"score": "4 - no, 2"}`},
		{scored, `{"score": [4, 2]}`},
		{scored, `{"score": 4}` + "\n" + `{"score": 2}`},
		{reasoned, `{"score": 4, "reason": "Well told. No wait, that is a 2."}`},
		{reasoned, `{"score": 4, "reason": "Fine at first; on reflection I would give 2."}`},
		{reasoned, `{"score": 4, "reason": "ok"} Final: 2`},
		{order, `{"better": "A", "why": "A is shorter. Actually B is better."}`},
		{order, `{"better": "A"} B has better ends.`},
		{order, `{"better": "A"} Second thoughts: B.`},
		{two, "{\"clear\": 4, \"kind\": 3}\nUpdate: kind is 5."},
		{two, "{\"clear\": 4, \"kind\": 3}\nI revise clear down to 2."},
		{two, "{\"clear\": 4, \"kind\": 3}\n{\"kind\": 5}"},
	} {
		if got := judge.Read(test.reply, judge.MustSchema(test.schema)); got.Status == eval.Scored {
			t.Errorf("%q is read as %s", test.reply, got.Value)
		}
	}
	// What is settled before the verdict, and what only sounds like a change.
	for _, test := range []struct{ schema, reply, want string }{
		{before, `{"reason": "At first a 2, but no wait, the end is good.", "score": 4}`, `{"reason":"At first a 2, but no wait, the end is good.","score":4}`},
		{reasoned, `{"score": 4, "reason": "The hero should instead have asked 2 people."}`, `{"reason":"The hero should instead have asked 2 people.","score":4}`},
		{reasoned, `{"score": 4, "reason": "Of 5 steps, 2 are actually vague."}`, `{"reason":"Of 5 steps, 2 are actually vague.","score":4}`},
		{scored, "I thought of a 2 first.\n{\"score\": 4}", `{"score":4}`},
		{order, `{"better": "A", "why": "B is actually longer, and A is better."}`, `{"better":"A","why":"B is actually longer, and A is better."}`},
		{order, `{"better": "A"} B has the better end.`, `{"better":"A"}`}, // B may be a name in a sentence of five words
		{texts, `{"why": "Actually B is fine.", "better": "A"}`, `{"better":"A","why":"Actually B is fine."}`},
		{two, "{\"clear\": 4, \"kind\": 3}\nIt has 5 scenes.", `{"clear":4,"kind":3}`},
		{label, `{"result": "PASS"} PASS PASS`, `{"result":"PASS"}`},
		{label, `{"result": "PASS"} All steps pass.`, `{"result":"PASS"}`},
		{label, `{"result": "PASS"} Nothing was ignored or wrong.`, `{"result":"PASS"}`},
		{pass, `{"pass": true} It does not miss a step.`, `{"pass":true}`},
		{two, "{\"clear\": 4, \"kind\": 3}\n{\"kind\": 3}", `{"clear":4,"kind":3}`},
		{two, "{\"clear\": 4, \"kind\": 3}\n{\"kind\": 9}", `{"clear":4,"kind":3}`}, // off the scale
		{reasoned, "{\"score\": 4, \"reason\": \"x\"}\n{\"reason\": \"y\"}", `{"reason":"x","score":4}`},
	} {
		got := judge.Read(test.reply, judge.MustSchema(test.schema))
		var a, b any
		if got.Status != eval.Scored || json.Unmarshal(got.Value, &a) != nil || json.Unmarshal([]byte(test.want), &b) != nil || string(got.Value) != test.want {
			t.Errorf("%q: %s %s %s, want %s", test.reply, got.Status, got.Value, got.Reason, test.want)
		}
	}
}
