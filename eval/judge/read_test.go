package judge_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/eval"
	"parley/eval/judge"
)

const (
	scored    = `{"type":"object","properties":{"score":{"type":"integer","minimum":1,"maximum":5},"reason":{"type":"string"}},"required":["score"]}`
	graded    = `{"type":"string","enum":["C","I"]}`
	truth     = `{"type":"boolean"}`
	scale     = `{"type":"integer","minimum":1,"maximum":5}`
	clarity   = `{"type":"object","properties":{"clarity":{"enum":["not clear","mostly clear","very clear"]}},"required":["clarity"]}`
	executes  = `{"type":"object","properties":{"meet_constraint":{"type":"boolean"},"complete_goal":{"type":"boolean"},"step_order_correct":{"type":"boolean"}},"required":["meet_constraint","complete_goal","step_order_correct"],"additionalProperties":false}`
	matching  = `{"type":"object","properties":{"k":{"type":"integer"},"matches":{"type":"array","items":{"type":"object","properties":{"gold":{"type":"integer"},"said":{"type":"integer"}},"required":["gold","said"]}}},"required":["matches"]}`
	accuracy  = `{"type":"object","properties":{"accuracy":{"enum":["100% - Completely correct","75% - Mostly correct","50% - Half"]}},"required":["accuracy"]}`
	hundred   = `{"type":"object","properties":{"score":{"type":"number","minimum":0,"maximum":100}},"required":["score"]}`
	pointList = `{"type":"array","items":{"type":"string"}}`
	ranking   = `{"type":"string","enum":["correct","incorrect","partially correct"]}`
)

// readings are real kinds of replies. Want is the JSON of the verdict; "" is none.
var readings = []struct {
	name, offered, raw, want string
	reason                   string // why, where it is not obvious
}{
	{"bare object", scored, `{"score": 4, "reason": "ok"}`, `{"score":4,"reason":"ok"}`, ""},
	{"fence", scored, "```json\n{\"score\": 4}\n```", `{"score":4}`, ""},
	{"fence without an end", scored, "```json\n{\"score\": 4}", `{"score":4}`, "the object itself is complete"},
	{"prose around", scored, "Sure! Here is my verdict:\n{\"score\": 4}\nHope this helps {really}.", `{"score":4}`, ""},
	{"python", clarity, `{'clarity': 'very clear',}`, `{"clarity":"very clear"}`, ""},
	{"a reason that is no text", scored, `{"score": 4, "reason": 7}`, ``, "left out it could be, but not wrong"},
	{"python None is no value", scored, `{'score': None}`, ``, ""},
	{"None for what need not be there", scored, `{'score': 2, 'reason': None}`, `{"score":2}`, ""},
	{"apostrophe within single quotes", scored, `{'reason': 'it's fine', 'score': 4}`, `{"score":4,"reason":"it's fine"}`, ""},
	{"quotation marks that were not escaped", scored, `{"reason": "he said "hi" there", "score": 4}`, `{"score":4,"reason":"he said \"hi\" there"}`, ""},
	{"unescaped quotation marks and a comma", scored, `{"reason": "he said "yes", and left", "score": 4}`, ``, ""},
	{"keys without quotation marks", scored, `{score: 4, reason: "ok"}`, `{"score":4,"reason":"ok"}`, ""},
	{"missing comma", executes, "{\"meet_constraint\": \"True\",\n\"complete_goal\": \"True\"\n\"step_order_correct\": \"False\"}", `{"meet_constraint":true,"complete_goal":true,"step_order_correct":false}`, "as in the paper of ABSEval"},
	{"missing comma behind a number", scored, "{\"score\": 4\n\"reason\": \"ok\"}", `{"score":4,"reason":"ok"}`, ""},
	{"line comment", scored, "{\"score\": 4 // good\n}", `{"score":4}`, ""},
	{"block comment", scored, "{/* my view */ \"score\": 4}", `{"score":4}`, ""},
	{"python comment", scored, "{\"score\": 4, # good\n}", `{"score":4}`, ""},
	{"raw newline and tab", scored, "{\"reason\": \"a\n\tb\", \"score\": 1}", `{"score":1,"reason":"a\n\tb"}`, ""},
	{"control character", scored, "{\"reason\": \"a\x01b\", \"score\": 1}", `{"score":1,"reason":"a\u0001b"}`, ""},
	{"mathematics", scored, `{"reason": "\( x \) and \alpha", "score": 2}`, `{"score":2,"reason":"\\( x \\) and \\alpha"}`, ""},
	{"surrogates", scored, `{"reason": "\ud83d\ude00", "score": 2}`, `{"score":2,"reason":"😀"}`, ""},
	{"half a surrogate", scored, `{"reason": "\ud83d", "score": 2}`, `{"score":2,"reason":"�"}`, ""},
	{"typographic quotation marks", scored, `{“score”: 4}`, `{"score":4}`, ""},
	{"zero-width characters", scored, "\ufeff{\u200b\"score\": 4}", `{"score":4}`, ""},
	{"thinking", scored, "<think>maybe {\"score\": 1}</think>\n{\"score\": 4}", `{"score":4}`, ""},
	{"thinking only", scored, "<think>maybe {\"score\": 1}", ``, "what was thought was not said"},
	{"thinking that the template opened", scored, "maybe {\"score\": 1}\n</think>\n\nNo object.", ``, ""},
	{"a tag in a string", scored, `{"reason": "it uses </think> tags", "score": 4}`, `{"score":4,"reason":"it uses </think> tags"}`, ""},

	{"nested", scored, `{"result": {"score": 4, "reason": "x"}}`, ``, ""},
	{"nested braces in text", scored, `{"reason": "the set {a, b} and {\"score\": 1}", "score": 4}`, `{"score":4,"reason":"the set {a, b} and {\"score\": 1}"}`, ""},
	{"siblings", scored, "{\"score\": 2}\n{\"score\": 4}", ``, ""},
	{"a note at once behind the verdict", scored, `{"score": 4}{"note": 2}`, `{"score":4}`, ""},
	{"a note behind the verdict", scored, "{\"score\": 2}\n{\"note\": 4}", `{"score":2}`, "the last one that answers"},
	{"list of one", scored, `[{"score": 4}]`, ``, ""},
	{"list of two", scored, `[{"score": 4}, {"score": 5}]`, ``, "no order between them"},
	{"list of the same", scored, `[{"score": 4}, {"score": 4}]`, ``, ""},
	{"draft and final", scored, `{"draft": {"score": 2}, "final": {"score": 4}}`, ``, ""},
	{"two members", scored, `{"first": {"score": 2}, "second": {"score": 4}}`, ``, ""},
	{"a key twice", scored, `{"score": 2, "score": 4}`, ``, "JSON gives members no order"},
	{"a key twice, the same", scored, `{"score": 4, "score": "4"}`, `{"score":4}`, ""},
	{"two names of one property", scored, `{"score": 2, "rating": 4}`, ``, ""},
	{"final beside the first", scored, `{"score": 2, "final_score": 4}`, ``, ""},
	{"this or that", scored, `{"score": 4} or {"score": 5}`, ``, ""},
	{"anything: this or that", "", `{"score": 4} / {"score": 5}`, ``, ""},
	{"an object with a brace too many", scored, `{{"score": 4}}`, `{"score":4}`, ""},
	{"taken back behind the object", scored, "{\"score\": 4}\nOn reflection, score: 2", ``, ""},
	{"confirmed behind the object", scored, "{\"score\": 4}\nSo, score: 4", `{"score":4}`, ""},

	{"truncated", scored, `{"reason": "ok", "score": 4`, ``, "a number may go on"},
	{"truncated in a key", scored, `{"score": 4, "rea`, ``, ""},
	{"truncated in a string", scored, `{"score": 4, "reason": "the`, ``, ""},
	{"truncated at once", scored, `{"`, ``, ""},
	{"truncated around a whole one", scored, `{"steps": [{"score": 1}, {"score": 2}`, ``, ""},
	{"a fake one within a truncated string", scored, `{"reason": "it said {'score': 5} and`, ``, ""},
	{"a fake one within a broken object", scored, `{"reason": "it said {'score': 5}" oops, "score": 1}`, ``, ""},
	{"a fake one within a broken object, not quoted", scored, `{"reason": it said {"score": 5}, "score": 1}`, ``, ""},
	{"broken, then right", scored, "{\"score\": oops oops}\nSorry:\n{\"score\": 3}", ``, ""},
	{"right, then truncated and different", scored, "{\"score\": 4}\n{\"score\": 5, \"rea", ``, ""},
	{"right, then truncated and the same", scored, "{\"score\": 4}\n{\"score\": 4, \"rea", ``, ""},
	{"right, then truncated in the value", scored, "{\"score\": 4}\n{\"score\": ", ``, ""},
	{"number and an explanation with numbers", scored, `{"score": "4 - step 3 is missing"}`, ``, ""},
	{"number taken back", scored, `{"score": "4, or maybe a 5"}`, ``, ""},
	{"right, then a brace", scored, "{\"score\": 4}\n{so", `{"score":4}`, ""},

	{"out of range", scored, `{"score": 9}`, ``, "never clamped"},
	{"below the range", scored, `{"score": 0}`, ``, ""},
	{"a huge number", scored, `{"score": 9.2e+124}`, ``, ""},
	{"an endless number", `{"type":"object","properties":{"score":{"type":"number"}},"required":["score"]}`, `{"score": 1e999}`, ``, ""},
	{"an absurd exponent", `{"type":"object","properties":{"score":{"type":"number"}},"required":["score"]}`, `{"score": 1e999999999}`, ``, ""},
	{"NaN", scored, `{"score": NaN}`, ``, ""},
	{"a fraction for a whole number", scored, `{"score": 4.5}`, ``, "never rounded"},
	{"a whole number with a fraction of nothing", scored, `{"score": 4.0}`, `{"score":4}`, ""},
	{"earlier in range, last out of range", scored, "{\"score\": 4}\n{\"score\": 9}", ``, "the last statement counts, and it cannot be read"},
	{"a whole number of two digits with a fraction of nothing", hundred, `{"score": 12.0}`, `{"score":12}`, ""},
	{"number as text", scored, `{"score": "4"}`, `{"score":4}`, ""},
	{"share", scored, `{"score": "4/5"}`, `{"score":4}`, ""},
	{"share without quotation marks", scored, `{"score": 4/5}`, `{"score":4}`, ""},
	{"share of another scale", scored, `{"score": "4/10"}`, ``, ""},
	{"number and explanation", scored, `{"score": "4 - good work"}`, ``, ""},
	{"range", scored, `{"score": "3-4"}`, ``, ""},
	{"range without quotation marks", scored, `{"score": 3-4}`, ``, ""},
	{"either", scored, `{"score": "3 or 4"}`, ``, ""},
	{"four and a half", scored, `{"score": "4½"}`, ``, ""},
	{"percentage", scored, `{"score": "80%"}`, ``, ""},
	{"word for a number in a list of one", scored, `{"score": ["4"]}`, ``, ""},
	{"a value with a reason of its own", scored, `{"score": {"value": 4, "reason": "x"}}`, ``, ""},
	{"true is no number", scored, `{"score": true}`, ``, ""},

	{"label in other case", clarity, `{"Clarity": "Very Clear"}`, `{"clarity":"very clear"}`, ""},
	{"label in extra quotes", clarity, `{"clarity": "'very clear'"}`, `{"clarity":"very clear"}`, ""},
	{"label with an underscore", clarity, `{"clarity": "very_clear"}`, `{"clarity":"very clear"}`, ""},
	{"label that differs from another in case", `{"enum":["yes","Yes"]}`, `VERDICT: Yes`, `"Yes"`, ""},
	{"label that differs from another in case, in an object", `{"type":"object","properties":{"v":{"enum":["yes","Yes"]}},"required":["v"]}`, `{v: Yes}`, `{"v":"Yes"}`, ""},
	{"label of marks alone", `{"enum":["-","ok"]}`, `"*"`, ``, ""},
	{"label of truth values", `{"type":"object","properties":{"v":{"enum":[true,"unknown"]}},"required":["v"]}`, `{"v": "yes"}`, `{"v":true}`, ""},
	{"label of truth values, the other one", `{"type":"object","properties":{"v":{"enum":[true,"unknown"]}},"required":["v"]}`, `{"v": false}`, ``, ""},
	{"null among labels", `{"type":"object","properties":{"v":{"enum":[null,"some"]}},"required":["v"]}`, `{"v": null}`, `{"v":null}`, ""},
	{"not null among labels", `{"type":"object","properties":{"v":{"enum":[null,"some"]}},"required":["v"]}`, `{"v": 0}`, ``, ""},
	{"label begun", clarity, `{"clarity": "mostly"}`, `{"clarity":"mostly clear"}`, ""},
	{"label that two begin with", `{"enum":["very clear","very good"]}`, `very`, ``, ""},
	{"label begun, a percentage", accuracy, `{"accuracy": "100%"}`, `{"accuracy":"100% - Completely correct"}`, ""},
	{"label explained by another", clarity, `{"clarity": "very clear: though mostly clear in part"}`, ``, ""},
	{"label not offered", clarity, `{"clarity": "clear"}`, ``, ""},
	{"label not applicable", clarity, `{"clarity": "not applicable"}`, ``, ""},
	{"label is a list", clarity, `{"clarity": ["very clear", "mostly clear"]}`, ``, ""},
	{"label is the offer", clarity, `{"clarity": {"not clear": 0, "very clear": 2}}`, ``, ""},
	{"no is not none", `{"enum":["none","some"]}`, `no`, ``, ""},
	{"incorrect holds correct", ranking, `incorrect`, ``, ""},
	{"not correct", ranking, `not correct`, ``, ""},

	{"renamed keys", executes, `{"meet_limitation":"True","complete_goal":"yes","step_order_correct":"No"}`, `{"meet_constraint":true,"complete_goal":true,"step_order_correct":false}`, ""},
	{"renamed key in other form", executes, `{"Meet Constraints":true,"Complete-Goal":true,"StepOrderCorrect":false}`, `{"meet_constraint":true,"complete_goal":true,"step_order_correct":false}`, ""},
	{"unknown keys where none are offered", executes, `{"meet_constraint":true,"complete_goal":true,"step_order_correct":false,"explain":"x"}`, `{"meet_constraint":true,"complete_goal":true,"step_order_correct":false}`, ""},
	{"a key that names nothing", executes, `{"constraint_ok":true,"complete_goal":true,"step_order_correct":false}`, ``, ""},
	{"pass is no boolean", executes, `{"meet_constraint":"pass","complete_goal":true,"step_order_correct":false}`, ``, "whether it is good depends on the question"},
	{"boolean explained", executes, `{"meet_constraint":"Yes, all hold","complete_goal":"True.","step_order_correct":"not true"}`, ``, ""},
	{"boolean taken back", executes, `{"meet_constraint":"Yes, or rather false","complete_goal":true,"step_order_correct":true}`, ``, ""},
	{"one of three is missing", executes, `{"meet_constraint":true,"complete_goal":true}`, ``, ""},
	{"no list where one is asked for", matching, `{"matches": 5}`, ``, ""},
	{"list of objects", matching, `{'k': 2, 'matches': [{'gold': 1, 'said': '2'}, {'gold': 3, 'said': 1},]}`, `{"k":2,"matches":[{"gold":1,"said":2},{"gold":3,"said":1}]}`, ""},
	{"list", pointList, "Here:\n```\n[\"a\", 'b',]\n```", `["a","b"]`, ""},
	{"a text where an object is asked for", `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{}}}},"required":["a"]}`, `{"a": "x"}`, ``, "and it is not {}"},
	{"null where a text is asked for", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{"a": null}`, ``, ""},
	{"no type is said", `{"properties":{"score":{"type":"integer"}},"required":["score"]}`, `{"score": "4"}`, `{"score":4}`, "properties are of an object"},
	{"three letters of a label", clarity, `{"clarity": "not"}`, ``, ""},
	{"four letters of a label", clarity, `{"clarity": "very"}`, `{"clarity":"very clear"}`, ""},
	{"a label that begins with a bracket", `{"type":"object","properties":{"x":{"enum":["(none)","some"]}},"required":["x"]}`, `{"x": "wrong"}`, ``, ""},
	{"a part behind the whole, cut off", executes, `{"meet_constraint":true,"complete_goal":true,"step_order_correct":false}` + "\n{\"meet_constraint\": fal", ``, ""},
	{"the same verdict with other keys beside it", clarity, `{"clarity":"very clear","x":1} {"clarity":"very clear","x":2}`, `{"clarity":"very clear","x":2}`, ""},
	{"a number alone where nothing is required", `{"type":"object","properties":{"score":{"type":"integer"}}}`, `4`, ``, ""},
	{"a truth value as Python writes it", truth, `True`, `true`, ""},
	{"any list", "", `["a"]`, `["a"]`, ""},
	{"any list within a text", "", `See ["a"] there`, ``, ""},
	{"any list of objects within a text", "", `See [1, {"a": 1}] there`, `[1,{"a":1}]`, ""},
	{"list and a note", pointList, "See [1].\n[\"a\", \"b\"]", `["a","b"]`, ""},

	{"lines", executes, "meet_constraint: True\ncomplete_goal: False\n**step_order_correct**: yes", ``, ""},
	{"a line", scored, "Reason: fine.\nScore: 4/5", ``, ""},
	{"a number alone", scored, "4", `{"score":4}`, "one value is asked for"},
	{"no verdict", scored, "I would rather not say.", ``, ""},
	{"about four", scored, "It is perhaps a 4, or so.", ``, ""},

	{"grade", graded, "Reasoning...\nVERDICT: C", `"C"`, ""},
	{"grade and emphasis", graded, "**VERDICT:** **I**", `"I"`, ""},
	{"grade behind a list", graded, "See [1].\nVERDICT: C", `"C"`, "a list is not what is asked for"},
	{"grade, last", graded, "I first thought VERDICT: C but on reflection\nVERDICT: I", `"I"`, ""},
	{"grade CI", graded, "VERDICT: CI", ``, "no first-letter match"},
	{"downgrade", graded, "This would downgrade: C-level.", ``, ""},
	{"grade C or I", graded, "VERDICT: C or I", ``, ""},
	{"the instruction repeated", graded, "End with VERDICT: C or VERDICT: I", ``, ""},
	{"a condition", graded, "If it were complete, VERDICT: C", ``, ""},
	{"quoted within a sentence", graded, `The text says "VERDICT: C" itself.`, ``, ""},
	{"quoted as a block", graded, "> VERDICT: C\n\nI cannot judge this.", ``, ""},
	{"bracketed and out of range", scale, "Rating: [[90]]", ``, ""},
	{"object around one value", graded, `{"grade": "C", "reason": "x"}`, `"C"`, ""},
	{"two values in an object", graded, `{"grade": "C", "verdict": "I"}`, ``, ""},
	{"score", scale, "Score: 4/5 because it is fine", ``, ""},
	{"score 1-5", scale, "Score: 1-5", ``, ""},
	{"score out of range", scale, "Score: 7", ``, ""},
	{"steps are no score", scale, "3 out of 5 steps are fine.", ``, ""},
	{"score, then nothing", scale, "Score:", ``, ""},

	{"negated", truth, "It is not true that every step is fine. False", ``, ""},
	{"negated only", truth, "It is not true that every step is fine.", ``, ""},
	{"uncertain", truth, "I cannot say whether it is true.", ``, ""},
	{"a question", truth, "True or false?", ``, ""},
	{"true, then denied", truth, "True. On second thought. That is not true.", ``, ""},
	{"true, then false", truth, "True\n...\nFalse", ``, ""},
	{"no steps", truth, "No steps are missing.", ``, "no is no answer here"},
	{"a numbered list", truth, "1. True\n2. False", ``, ""},
	{"alone", truth, "TRUE.", ``, ""},

	{"null is offered", `{"type":["integer","null"]}`, `{"score": 3}`, `3`, ""},
	{"const", `{"type":"object","properties":{"v":{"const":1}},"required":["v"]}`, `{"v": 1.0}`, `{"v":1}`, ""},
	{"const, another", `{"type":"object","properties":{"v":{"const":1}},"required":["v"]}`, `{"v": 2}`, ``, ""},
	{"alternatives", `{"oneOf":[{"type":"object","properties":{"s":{"type":"integer"}},"required":["s"]},{"type":"object","properties":{"skip":{"type":"boolean"}},"required":["skip"]}]}`, `{"skip": "yes"}`, ``, ""},
	{"map of labels", `{"type":"object","additionalProperties":{"enum":["good","bad"]}}`, `{'x': 'Good', 'y': 'bad'}`, `{"x":"good","y":"bad"}`, ""},

	{"another number behind the object", scored, `{"score": 4} No, wait: 2.`, ``, ""},
	{"another number, without a second thought", scored, "{\"score\": 4}\n\nLooking at the end again I would give 2.", ``, ""},
	{"numbers off the scale behind the object", scored, "{\"score\": 4}\nIt has 12 lines and 0 faults.", `{"score":4}`, ""},
	{"an end of the scale behind the object", scored, "{\"score\": 4}\nHm, 5.", ``, ""},
	{"the other end of the scale behind the object", scored, "{\"score\": 4}\nHm, 1.", ``, ""},
	{"a number in words behind the object", scored, "{\"score\": 4}\nThat makes two.", ``, ""},
	{"the same number behind the object", scored, "{\"score\": 4}\nSo I give it a 4.", `{"score":4}`, ""},
	{"a number that is off the scale", scored, "{\"score\": 4}\nAll 12 lines were read.", `{"score":4}`, "it cannot be a verdict"},
	{"two numbers in a value", scale, "4, no wait, 3", ``, ""},
	{"two numbers on a line", scale, "VERDICT: 4, no wait, 3", ``, ""},
	{"two lines", scale, "VERDICT: 4\nVERDICT: 3", ``, ""},
	{"the same line twice", scale, "VERDICT: 4\n**VERDICT:** 4.", `4`, ""},
	{"taken back behind the line", scale, "VERDICT: 4\nOn reflection, 2.", ``, ""},
	{"a score in words", scale, "Score: 4. On reflection, 2.", ``, ""},
	{"two truth values", `{"type":"object","properties":{"pass":{"type":"boolean"}},"required":["pass"]}`, `{"pass": "yes, no"}`, ``, ""},
	{"truth of a truth", truth, "It is false that the answer is true.", ``, ""},
	{"a boolean taken back", `{"type":"object","properties":{"pass":{"type":"boolean"}},"required":["pass"]}`, "{\"pass\": true}\nHm, I would say no.", ``, ""},
	{"no faults", `{"type":"object","properties":{"pass":{"type":"boolean"}},"required":["pass"]}`, "{\"pass\": true}\nThere are no faults.", `{"pass":true}`, "no is no answer here"},
	{"one of three taken back", executes, "{\"meet_constraint\":true,\"complete_goal\":true,\"step_order_correct\":false}\nActually meet constraint is false.", ``, ""},
	{"a word for another property", executes, "{\"meet_constraint\":true,\"complete_goal\":true,\"step_order_correct\":false}\nThe rest is true to the task.", `{"meet_constraint":true,"complete_goal":true,"step_order_correct":false}`, ""},
	{"another label behind the object", clarity, "{\"clarity\": \"very clear\"}\nOr is it mostly clear?", ``, ""},
	{"another object with a part", scored, "{\"score\": 4, \"reason\": \"x\"}\n{\"score\": 2, \"x\": 1}", ``, ""},
	{"other reasons", scored, "{\"score\": 4, \"reason\": \"x\"}\n{\"score\": 4, \"reason\": \"y\"}", `{"score":4,"reason":"y"}`, "the number is one"},

	{"anything: object", "", `{'a': [True, None]}`, `{"a":[true,null]}`, ""},
	{"anything: object in prose", "", "Sure: {'a': 1} So be it.", `{"a":1}`, ""},
	{"anything: list in prose", "", "See [1], [2].", ``, ""},
	{"anything: list", "", `[{"name": "a"}, {"name": "b"}]`, `[{"name":"a"},{"name":"b"}]`, ""},
	{"anything: grade", "", "VERDICT: I", `"I"`, ""},
	{"anything: number", "", "4", `4`, ""},
	{"anything: true", "", "true", `true`, ""},
	{"anything: quoted", "", `"fair"`, `"fair"`, ""},
	{"anything: omitted", "", "Verdict: it was omitted.", ``, ""},
	{"anything: prose", "", "The story was nice, I liked it.", ``, ""},
	{"anything: the result", "", "Result: the party found nothing of any use here.", ``, ""},
	{"anything: empty", "", " \n", ``, ""},
	{"anything: empty object", "", "{}", ``, ""},
	{"anything: refusal", "", "I'm sorry, but I can't help with that.", ``, ""},
	{"anything: another language", "", "Ich kann das nicht beurteilen.", ``, ""},
}

func schemaOf(t testing.TB, raw string) *judge.Schema {
	t.Helper()
	if raw == "" {
		return nil
	}
	s, err := judge.ParseSchema(json.RawMessage(raw))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// equal compares JSON by value.
func equal(t testing.TB, a, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatalf("%s: %v", a, err)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return reflect.DeepEqual(x, y)
}

func TestRead(t *testing.T) {
	for _, tt := range readings {
		t.Run(tt.name, func(t *testing.T) {
			got := judge.Read(tt.raw, schemaOf(t, tt.offered))
			if tt.want == "" {
				if got.Status != eval.Unparsed || got.Value != nil || got.Reason == "" {
					t.Errorf("got %s %s, want it unparsed with a reason; %s\n%s", got.Value, got.Method, tt.reason, tt.raw)
				}
				return
			}
			if got.Status != eval.Scored {
				t.Fatalf("unparsed: %s; want %s; %s\n%s", got.Reason, tt.want, tt.reason, tt.raw)
			}
			if !equal(t, string(got.Value), tt.want) {
				t.Errorf("got %s, want %s; %s\n%s", got.Value, tt.want, tt.reason, tt.raw)
			}
		})
	}
}

// TestMalformed reads the kept collection of malformed judge outputs.
func TestMalformed(t *testing.T) {
	offered := map[string]string{
		"off_vocabulary":        `{"type":"object","properties":{"Code Efficiency":{"enum":["not at all efficient","slightly efficient","moderately efficient","very efficient","extremely efficient"]}},"required":["Code Efficiency"]}`,
		"renamed_key_synonym":   executes,
		"truncated_max_tokens":  "",
		"python_dict":           `{"type":"object","properties":{"accuracy":{"enum":["100% - Completely correct","0% - Wrong"]},"clarity":{"enum":["75% - Mostly clear","0% - Not clear"]}},"required":["accuracy","clarity"]}`,
		"commonsense_negated":   truth,
		"verdict_twice":         graded,
		"downgrade_prose":       graded,
		"line_comment":          `{"type":"object","properties":{"score":{"type":"number","minimum":0,"maximum":1}},"required":["score"]}`,
		"raw_newline_in_string": `{"type":"object","properties":{"score":{"type":"number"},"reason":{"type":"string"}},"required":["score","reason"],"additionalProperties":false}`,
	}
	// Prose is no verdict, and two verdicts that differ are none.
	changed := map[string]bool{"commonsense_negated": true, "verdict_twice": true}
	needs := map[string]bool{"off_vocabulary": true, "renamed_key_synonym": true}
	n := 0
	for line := range lines(t, "malformed_judge_outputs.jsonl") {
		var row struct {
			ID, Raw string
			Want    json.RawMessage
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		n++
		check := func(schema string) {
			got := judge.Read(row.Raw, schemaOf(t, schema))
			if string(row.Want) == "null" || changed[row.ID] {
				if got.Status != eval.Unparsed || got.Reason == "" {
					t.Errorf("%s: got %s, want unparsed", row.ID, got.Value)
				}
				return
			}
			if got.Status != eval.Scored || !equal(t, string(got.Value), string(row.Want)) {
				t.Errorf("%s: got %s (%s), want %s", row.ID, got.Value, got.Reason, row.Want)
			}
		}
		check(offered[row.ID])
		if !needs[row.ID] {
			check("") // nothing offered
		}
	}
	if n != 14 {
		t.Errorf("%d lines", n)
	}
}

// TestCases reads the kept replies of judges that users of such systems reported.
func TestCases(t *testing.T) {
	for line := range lines(t, "../cases/judge_replies.jsonl") {
		var row struct {
			ID, Raw, Note string
			Offered       json.RawMessage
			OK, Never     []json.RawMessage
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		got := judge.Read(row.Raw, schemaOf(t, string(row.Offered)))
		value := string(got.Value)
		if got.Status == eval.Unparsed {
			value = `"unparsed"`
		}
		fine := false
		for _, ok := range row.OK {
			fine = fine || within(t, subset(string(ok)), []byte(value)) == nil
		}
		for _, never := range row.Never {
			fine = fine && !equal(t, value, string(never))
		}
		if !fine {
			t.Errorf("%s: got %s (%s), want %s; %s", row.ID, value, got.Reason, row.OK, row.Note)
		}
	}
}

// subset is the schema of a value that holds at least what another one does.
func subset(value string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(value), &object) != nil {
		return `{"const":` + value + `}`
	}
	props, required := map[string]any{}, []string{}
	for key, v := range object {
		props[key], required = map[string]any{"const": v}, append(required, key)
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": props, "required": required})
	if err != nil {
		panic(err)
	}
	return string(schema)
}

// TestRealReplies reads 22 stored replies of AutoGen's AgentEval notebook. Nine values are off the
// offered set; the other values of the same replies count.
func TestRealReplies(t *testing.T) {
	var criteria []struct {
		Name     string   `json:"name"`
		Accepted []string `json:"accepted_values"`
	}
	raw, err := os.ReadFile(filepath.Join(data, "agenteval/samples/sample_math_criteria.json"))
	if err != nil {
		t.Skip("the kept evaluation data is not here: ", err)
	}
	if err := json.Unmarshal(raw, &criteria); err != nil {
		t.Fatal(err)
	}
	labels := func() string {
		props, required := map[string]any{}, []string{}
		for _, c := range criteria {
			props[c.Name] = map[string]any{"type": "string", "enum": c.Accepted}
			required = append(required, c.Name)
		}
		schema, err := json.Marshal(map[string]any{"type": "object", "properties": props, "required": required})
		if err != nil {
			t.Fatal(err)
		}
		return string(schema)
	}
	off, read, whole, replies := 0, 0, 0, 0
	for line := range lines(t, "agenteval/notebook_agent_outputs.jsonl") {
		var row struct {
			Cell           int
			Agent, Content string
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		replies++
		if row.Cell != 17 { // the critic's list of criteria, and a reply about them
			got := judge.Read(row.Content, nil)
			if got.Status != eval.Scored {
				t.Errorf("cell %d: %s", row.Cell, got.Reason)
			}
			if row.Agent == "critic" {
				var list []map[string]any
				if err := json.Unmarshal(got.Value, &list); err != nil || len(list) != 10 {
					t.Errorf("critic: %d criteria, %v", len(list), err)
				}
			}
			continue
		}
		got := judge.Read(row.Content, schemaOf(t, labels()))
		bad := 0
		for name, key := range got.Keys {
			switch key.Status {
			case eval.Scored:
				read++
			case eval.Unparsed:
				bad++
				if key.Value != nil || !strings.Contains(key.Reason, "not one of") {
					t.Errorf("%s: %s %s", name, key.Value, key.Reason)
				}
			}
		}
		if len(got.Keys) != 6 {
			t.Errorf("%d of 6 properties were looked at: %s", len(got.Keys), got.Reason)
		}
		off += bad
		if (got.Status == eval.Scored) != (bad == 0) {
			t.Errorf("status %s with %d values off the offered set", got.Status, bad)
		}
		if got.Status == eval.Scored {
			whole++
		}
	}
	if off != 9 || read != 20*6-9 || replies != 22 {
		t.Errorf("%d replies, %d values read, %d off the offered set; want 22, 111, 9", replies, read, off)
	}
	t.Logf("%d of 20 replies scored as a whole", whole)
}

const data = "../../../shared/data/evals"

func lines(t *testing.T, name string) func(func([]byte) bool) {
	t.Helper()
	f, err := os.Open(filepath.Join(data, name))
	if err != nil {
		t.Skip("the kept evaluation data is not here: ", err)
	}
	t.Cleanup(func() { f.Close() })
	return func(yield func([]byte) bool) {
		in := bufio.NewScanner(f)
		in.Buffer(nil, 1<<22)
		for in.Scan() {
			if !yield(in.Bytes()) {
				return
			}
		}
		if err := in.Err(); err != nil {
			t.Error(fmt.Errorf("%s: %w", name, err))
		}
	}
}
