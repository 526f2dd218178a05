package judge

import (
	"regexp"
	"strings"
)

var (
	thinkTag = regexp.MustCompile(`(?i)</?(?:think|thinking|thought|reasoning)>`)
	channel  = "<|channel|>final<|message|>"
)

// outside blanks out a reply's reasoning, without moving the rest, and reports whether there was any.
func outside(raw string) (string, bool) {
	hide := func(text string, from, to int) string {
		return text[:from] + strings.Repeat(" ", to-from) + text[to:]
	}
	found := false
	if at := strings.LastIndex(raw, channel); at >= 0 {
		raw, found = hide(raw, 0, at+len(channel)), true
	}
	tags := thinkTag.FindAllStringIndex(raw, -1)
	if len(tags) == 0 {
		return raw, found
	}
	text := []byte(raw)
	hidden := 0 // up to here
	blankTo := func(from, to int) {
		for i := max(from, hidden); i < to; i++ {
			text[i] = ' '
		}
		hidden, found = to, true
	}
	open := -1
	for _, tag := range tags {
		closing := raw[tag[0]+1] == '/'
		switch {
		case !closing && open < 0 && lineStart(raw, tag[0]):
			open = tag[0]
		case closing && open >= 0:
			blankTo(open, tag[1])
			open = -1
		case closing && (lineStart(raw, tag[0]) || tag[1] == len(raw) || raw[tag[1]] == '\n' || raw[tag[1]] == '\r'):
			blankTo(0, tag[1]) // the server's template wrote the opening tag
		}
	}
	if open >= 0 {
		blankTo(open, len(text))
	}
	return string(text), found
}

// lineStart reports whether only white space stands between a place and the line's beginning.
func lineStart(text string, at int) bool {
	for at--; at >= 0; at-- {
		switch text[at] {
		case '\n':
			return true
		case ' ', '\t', '\r':
		default:
			return false
		}
	}
	return true
}
