package llm

import (
	"regexp"
	"strings"
)

// ReasoningMark is a mark around a model's reasoning in a text.
type ReasoningMark struct {
	Text   string // as written
	Name   string // the word in it, in lower case; may be empty
	Closes bool
}

var thinkName = func() *regexp.Regexp {
	re := regexp.MustCompile(thinkWords)
	re.Longest()
	return re
}()

// ReasoningMarks returns the marks of reasoning in a text, in their order. What has words of prose in it, such
// as <thought about>, is none.
func ReasoningMarks(text string) (marks []ReasoningMark) {
	if !mayHaveMarks(text) {
		return nil
	}
	for _, m := range thinkMark.FindAllStringSubmatch(text, -1) {
		if inner := strings.Fields(strings.Trim(m[0], "<>[] /")); len(inner) > 1 && !strings.Contains(m[0], "=") {
			continue
		}
		marks = append(marks, ReasoningMark{m[0], thinkName.FindString(strings.ToLower(m[0])), strings.Join(m[1:], "") != ""})
	}
	return marks
}
