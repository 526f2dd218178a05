package llm

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The marks of reasoning, by family:
//
//	<think> <thinking> <thought> <reasoning> <seed:think> <think id="1"> <|think|>   tags
//	[THINK] ◁think▷                                                                 Mistral, Kimi
//	<|begin_of_thought|> <|START_THINKING|> <|inner_prefix|>                        OpenThinker, Cohere, Apertus
//	<unused94>thought ... <unused95>, <|channel>thought ... <channel|>              Gemma
//	<|channel|>analysis<|message|> ... <|channel|>final<|message|>                  gpt-oss
//	analysis...assistantfinal...                                                    gpt-oss without its marks
//	Here is my thought process: ... Here is my response: ...                        Granite
//	Thinking... ...done thinking.                                                   Ollama's client
const thinkWords = `(?:think|thinking|thoughts?|reason|reasoning|reflection|analysis|scratchpad|cot|reasoning_content|chain_of_thought|internal|inn?er(?:nal)?_(?:monologue|thoughts?))`

var (
	// thinkMark matches an opening mark, or a closing one, whose slash or name is in a group.
	thinkMark = regexp.MustCompile(`(?i:<\|?(?:begin_of|start_of|start|begin)_?` + thinkWords + `\|?>|<\|?(end_of|end|stop)_?` + thinkWords + `\|?>|` +
		`[<＜◁]\|?\s*(\\?/)?\s*(?:[a-z0-9]+[:_-]|ant)?` + thinkWords + `(?:\s+[^<>\n]{0,80}|=[^<>\n]{0,80})?\s*\|?[>＞▷]` +
		`|<\|` + thinkWords + `_(?:start|begin)\|>|<\|inner_prefix\|>|<details\s+type="reasoning"[^<>\n]*>|<unused94>(?:\s*thought\b)?|<\|channel>\s*` + thinkWords + `\b` +
		`|<\|` + thinkWords + `_(end|stop)\|>|<\|(inner_suffix)\|>|<(unused95)>|<(channel)\|>|<(/)details>)` +
		`|\[(/)?(?:THINK|THINKING|THOUGHT|REASONING)\]`)
	// answerMark begins the answer, whatever comes before it.
	answerMark = regexp.MustCompile(`(?i)<\|begin_of_solution\|>|<\|start_(?:response|text)\|>|<\|channel\|>\s*final[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>`)
	// channelMark begins a channel of gpt-oss other than the final one.
	channelMark = regexp.MustCompile(`(?i)<\|channel\|>\s*(analysis|commentary)([^<]*)(?:<\|constrain\|>[^<]*)?(?:<\|message\|>)?`)
	// answerTags wrap a whole answer.
	answerTags = regexp.MustCompile(`(?is)^(.*?)<(?:answer|final_answer|response|reply|speech|output)>(.*)</(?:answer|final_answer|response|reply|speech|output)>\s*$`)
	// spoken names the parts of a reply in words, as Granite does.
	spoken = regexp.MustCompile(`(?is)^here(?:'s| is) my (?:thought process|reasoning)\b[:.]?(.*?)(?:(here(?:'s| is) my (?:response|reply|answer)\b)[:.]?(.*))?$`)
	// answerEdge matches the marks around an answer behind its reasoning.
	answerEdge = regexp.MustCompile(`(?i)^(?:\s*<\|(?:begin_of_solution|start_response|start_text|begin_of_box)\|>)+|(?:\s*<\|(?:end_of_solution|end_response|end_text|end_of_box)\|>)+\s*$`)

	angles = strings.NewReplacer(`\u003c`, "<", `\u003C`, "<", `\u003e`, ">", `\u003E`, ">", "&lt;", "<", "&gt;", ">")
)

// SplitReasoning separates what a model thought aloud from its answer, in every form that is listed
// above. A text without reasoning comes back unchanged as rest. ok is false where it is not certain
// where the thought ends: a block that is not closed, as many closing marks as do not fit the opening
// ones, channels without an answer. rest is then empty, and the reply must not be shown to anybody.
//
// A closing mark without an opening one ends a thought that the prompt's template opened, unless it is
// in a string of a JSON object, or a word of a sentence. Other marks in such a string are left for whoever
// reads the object to split.
func SplitReasoning(text string) (thought, rest string, ok bool) {
	if strings.Contains(text, `\u003`) || strings.Contains(text, "&lt;") {
		text = angles.Replace(text)
	}
	if !mayHaveMarks(text) {
		return splitWords(text)
	}
	var before []string
	rest = text
	if at := answerMark.FindAllStringIndex(rest, -1); at != nil && !inString(rest, at[0][0]) {
		last := at[len(at)-1]
		before, rest = append(before, rest[:last[0]]), rest[last[1]:]
	} else if at := channelMark.FindStringSubmatchIndex(rest); at != nil && !inString(rest, at[0]) {
		if call := strings.Index(rest, "to=functions"); call >= 0 { // a call of a tool is no thought
			return clean(rest[:call]), rest[call:], true
		}
		return clean(rest), "", false
	}
	thoughts, rest, ok := splitMarks(rest)
	if !ok {
		return clean(append(before, text)...), "", false
	}
	if m := answerTags.FindStringSubmatch(rest); m != nil {
		thoughts, rest = append(thoughts, m[1]), m[2]
	}
	if before = append(before, thoughts...); len(before) == 0 {
		return splitWords(rest)
	}
	more, rest, ok := splitWords(strings.TrimSpace(answerEdge.ReplaceAllString(rest, "")))
	return clean(append(before, more)...), rest, ok
}

// mayHaveMarks reports whether a text has a sign that a mark begins with. Most have none, and the expressions
// are slow.
func mayHaveMarks(text string) bool {
	return strings.IndexByte(text, '<') >= 0 || strings.Contains(text, "＜") || strings.Contains(text, "◁") ||
		strings.Contains(text, "[/") || strings.Contains(text, "[T") || strings.Contains(text, "[R")
}

// clean joins thoughts without the marks in them.
func clean(thoughts ...string) string {
	text := thinkMark.ReplaceAllString(strings.Join(thoughts, "\n"), " ")
	return strings.TrimSpace(channelMark.ReplaceAllString(text, " "))
}

// splitMarks takes out the text between opening and closing marks.
func splitMarks(text string) (thoughts []string, rest string, ok bool) {
	var said strings.Builder
	depth, from, blocks := 0, 0, 0
	for _, m := range thinkMark.FindAllStringSubmatchIndex(text, -1) {
		closes := slices.Max(m[2:]) >= 0
		piece := text[from:m[0]]
		switch {
		case depth > 0:
			thoughts = append(thoughts, piece)
			if depth++; closes {
				depth -= 2
			}
			if depth == 0 {
				blocks++
			}
		case !closes:
			said.WriteString(piece)
			depth = 1
		case wordOfSentence(text, m[0], m[1]) && (blocks > 0 || inString(text, m[0])):
			said.WriteString(text[from:m[1]])
		case blocks > 0 || inString(text, m[0]) || wordOfSentence(text, m[0], m[1]):
			return nil, "", false
		default: // the prompt's template wrote the opening mark
			thoughts = append(thoughts, said.String()+piece)
			said.Reset()
			blocks++
		}
		from = m[1]
	}
	if depth > 0 {
		return nil, "", false
	}
	said.WriteString(text[from:])
	return thoughts, said.String(), true
}

// wordOfSentence reports whether a mark is between the words of one sentence.
func wordOfSentence(text string, from, to int) bool {
	before, behind := strings.TrimRight(text[:from], "\"'`“‘ "), strings.TrimLeft(text[to:], "\"'`”’ ")
	if len(before) == from || len(behind) == len(text)-to {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(behind)
	return (unicode.IsLetter(last) || last == ',') && (unicode.IsLower(first) || strings.ContainsRune(",.;", first))
}

// inString reports whether a place of a text that is a JSON object is within one of its strings.
func inString(text string, at int) bool {
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(text[:at]), "```json"), "```"))
	return strings.HasPrefix(text, "{") && strings.Count(strings.NewReplacer(`\\`, "", `\"`, "").Replace(text), `"`)%2 == 1
}

// splitWords separates reasoning that words announce instead of marks.
func splitWords(text string) (thought, rest string, ok bool) {
	const done, analysis, final = "...done thinking.", "analysis", "assistantfinal"
	if before, behind, found := strings.Cut(text, done); found && !inString(text, len(before)) {
		return strings.TrimSpace(before), strings.TrimSpace(behind), true
	}
	head := strings.TrimSpace(text)
	if len(head) > 4 && strings.EqualFold(head[:4], "here") {
		if m := spoken.FindStringSubmatch(head); m != nil {
			return strings.TrimSpace(m[1]), strings.TrimSpace(m[3]), m[2] != ""
		}
	}
	thought, gptOSS := strings.CutPrefix(head, analysis)
	if !gptOSS {
		return "", text, true
	}
	if at := strings.LastIndex(thought, final); at >= 0 {
		return strings.TrimSpace(thought[:at]), strings.TrimSpace(thought[at+len(final):]), true
	}
	if first, _ := utf8.DecodeRuneInString(thought); unicode.IsUpper(first) { // "analysisWe have to ..."
		return head, "", false
	}
	return "", text, true
}
