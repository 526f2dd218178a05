package llm_test

import (
	"strings"
	"testing"

	"parley/sim/llm"
)

func TestSplitReasoning(t *testing.T) {
	for _, tt := range []struct {
		reason, text, thought, rest string
		ok                          bool
	}{
		{"no reasoning", " Aye.\n", "", " Aye.\n", true},
		{"a block", "<think>say aye</think>\n\nAye.", "say aye", "Aye.", true},
		{"a block in the middle", "Aye. <think>more</think>No.", "more", "Aye. No.", true},
		{"two blocks", "<think>a</think>Aye.<think>b</think> No.", "a\nb", "Aye. No.", true},
		{"nested", "<think>a<think>b</think>c</think>Aye.", "a\nb\nc", "Aye.", true},
		{"nested and closed once", "<thinking><thinking>a</thinking>plan b", "", "", false},
		{"closed by another name", "<think>a</thinking>Aye.", "a", "Aye.", true},
		{"not closed", "<think>a\n\n\"Aye.\"", "", "", false},
		{"not closed behind an answer", "Aye. <think>a", "", "", false},
		{"nothing behind it", "<think>a</think>\n \n", "a", "", true},
		{"the opener is in the template", "say aye\n</think>\nAye.", "say aye", "Aye.", true},
		{"the same on one line", "I say aye.</think>Aye.", "I say aye.", "Aye.", true},
		{"a closer as a word, without a block", "The word </think> is carved here.", "", "", false},
		{"a closer as a word, behind a block", "<think>a</think>The word </think> is carved.", "a", "The word </think> is carved.", true},
		{"a second closer that may end the thought", "<think>a</think>b, so.</think>Aye.", "", "", false},
		{"a second closer on its own line", "<think>I write\n</think>\nnow.\n</think>\nAye.", "", "", false},
		{"a closer as a word of a string", `{"speech": "The word </think> is carved."}`, "", `{"speech": "The word </think> is carved."}`, true},
		{"a closer that ends a thought in a string", `{"speech": "I greet them.</think>Aye."}`, "", "", false},
		{"a closer with an escaped slash", `<think>a<\/think>Aye.`, "a", "Aye.", true},
		{"a block in a string", `{"speech": "<think>a</think>Aye."}`, "a", `{"speech": "Aye."}`, true},
		{"a closer behind an object", `{"plan": "a"}</think>{"speech": "Aye."}`, `{"plan": "a"}`, `{"speech": "Aye."}`, true},
		{"a draft with a closer in the thought", `<think>{"speech": "</think>"}</think>{"speech": "Aye."}`, "", "", false},
		{"angles escaped", `\u003cthink\u003ea\u003c/think\u003eAye.`, "a", "Aye.", true},
		{"capitals", "<THINK>a</THINK>Aye.", "a", "Aye.", true},
		{"an attribute", `<think effort="low">a</think>Aye.`, "a", "Aye.", true},
		{"a value", `<thinking=high>a</thinking>Aye.`, "a", "Aye.", true},
		{"a namespace", "<seed:think>a</seed:think>Aye.", "a", "Aye.", true},
		{"a namespace, not closed", "<seed:think>a\nAye.", "", "", false},
		{"square brackets", "[THINK]a[/THINK]Aye.", "a", "Aye.", true},
		{"a stage direction is no mark", "[thinking] Aye.", "", "[thinking] Aye.", true},
		{"triangles", "◁think▷a◁/think▷Aye.", "a", "Aye.", true},
		{"triangles, not closed", "◁think▷a. Aye.", "", "", false},
		{"Cohere", "<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>Aye.<|END_RESPONSE|>", "a", "Aye.", true},
		{"Cohere, not closed", "<|START_THINKING|>a. Aye.", "", "", false},
		{"Cohere, without marks of the answer", "<|START_THINKING|>a<|END_THINKING|>Aye.", "a", "Aye.", true},
		{"OpenThinker", "<|begin_of_thought|>\na\n<|end_of_thought|>\n\n<|begin_of_solution|>\nAye.\n<|end_of_solution|>", "a", "Aye.", true},
		{"Apertus", "<|inner_prefix|>a<|inner_suffix|>Aye.", "a", "Aye.", true},
		{"a token of the template", "<|think|>a<|/think|>Aye.", "a", "Aye.", true},
		{"Gemma with unused tokens", "<unused94>thought\na<unused95>Aye.", "a", "Aye.", true},
		{"Gemma with channels", "<|channel>thought\na<channel|>Aye.", "a", "Aye.", true},
		{"Gemma, not closed", "<|channel>thought\na. Aye.", "", "", false},
		{"gpt-oss", "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>Aye.", "a<|end|><|start|>assistant", "Aye.", true},
		{"gpt-oss whose first mark is missing", "a<|end|><|start|>assistant<|channel|>final<|message|>Aye.", "a<|end|><|start|>assistant", "Aye.", true},
		{"gpt-oss under a schema", "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>{}", "a<|end|><|start|>assistant", "{}", true},
		{"gpt-oss, thought alone", "<|channel|>analysis<|message|>a. Aye.", "", "", false},
		{"gpt-oss without marks", "analysisI greet.assistantfinalAye.", "I greet.", "Aye.", true},
		{"gpt-oss without marks, thought alone", "analysisI greet. Aye.", "", "", false},
		{"gpt-oss calls a tool", `<|channel|>commentary to=functions.say<|message|>{"a": 1}`, "", `to=functions.say<|message|>{"a": 1}`, true},
		{"the word analysis", "analysis is for scholars.", "", "analysis is for scholars.", true},
		{"an answer in its tag", "<think>a</think><answer>Aye.</answer>", "a", "Aye.", true},
		{"Granite", "Here is my thought process: a. Here is my response: Aye.", "a.", "Aye.", true},
		{"Granite, thought alone", "Here is my thought process: a. Aye.", "", "", false},
		{"Ollama's client", "Thinking...\na\n...done thinking.\n\nAye.", "Thinking...\na", "Aye.", true},
		{"other angles stay", `It reads "<I.M.>" and [MAGES].`, "", `It reads "<I.M.>" and [MAGES].`, true},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			thought, rest, ok := llm.SplitReasoning(tt.text)
			if rest != tt.rest || ok != tt.ok || tt.ok && thought != tt.thought {
				t.Errorf("%q: got thought %q, rest %q, %v, want %q, %q, %v", tt.text, thought, rest, ok, tt.thought, tt.rest, tt.ok)
			}
		})
	}
}

// FuzzSplitReasoning checks that nothing of an open block comes back, and that a text without marks is
// left as it is.
func FuzzSplitReasoning(f *testing.F) {
	f.Add("a<think>b</think>c")
	f.Add("<|channel|>analysis<|message|>a")
	f.Fuzz(func(t *testing.T, text string) {
		if _, rest, ok := llm.SplitReasoning(text); !ok && rest != "" {
			t.Errorf("an open thought leaves %q", rest)
		}
		if strings.ContainsAny(text, "<[＜◁/") {
			return
		}
		if _, rest, _ := llm.SplitReasoning("<think>xqz" + text + "</think>Aye."); strings.Contains(rest, "xqz") {
			t.Errorf("the thought is in %q", rest)
		}
	})
}
