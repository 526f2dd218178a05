package corpora

import (
	"html"
	"regexp"
	"strings"
)

var (
	tags   = regexp.MustCompile(`(?s)<!--.*?-->|<[a-zA-Z/!][^<>]*>`)
	breaks = regexp.MustCompile(`(?i)^</?(?:p|div|br|li|tr|td|h\d|section|header|article)\b`)
	unseen = regexp.MustCompile(`(?is)<(?:script|style)\b.*?</(?:script|style)>`)
)

// plain is the text of a message as the table reads it: without tags, in one line.
func plain(text string) string {
	if strings.ContainsRune(text, '<') {
		text = unseen.ReplaceAllString(text, " ")
		text = tags.ReplaceAllStringFunc(text, func(tag string) string {
			if breaks.MatchString(tag) {
				return " "
			}
			return ""
		})
	}
	return strings.Join(strings.Fields(html.UnescapeString(text)), " ")
}

// element is a start or an end of something in HTML, with the text before it.
type element struct {
	text    string // what stands before the tag, plain
	name    string // lower case
	end     bool
	classes []string
	at      int // byte of the tag
}

var (
	tagName = regexp.MustCompile(`^</?([a-zA-Z][\w-]*)`)
	classIn = regexp.MustCompile(`(?i)\bclass\s*=\s*(?:"([^"]*)"|'([^']*)')`)
	tagged  = regexp.MustCompile(`(?s)<!--.*?-->|</?[a-zA-Z][^<>"']*(?:"[^"]*"[^<>"']*|'[^']*'[^<>"']*)*>`)
)

// elements goes through HTML tag by tag. What is broken in it is text.
func elements(text string) func(func(element) bool) {
	return func(yield func(element) bool) {
		last := 0
		for last < len(text) {
			at := tagged.FindStringIndex(text[last:])
			if at == nil {
				return
			}
			tag := text[last+at[0] : last+at[1]]
			e := element{text: html.UnescapeString(text[last : last+at[0]]), at: last + at[0], end: strings.HasPrefix(tag, "</")}
			last += at[1]
			if m := tagName.FindStringSubmatch(tag); m != nil {
				e.name = strings.ToLower(m[1])
			}
			if m := classIn.FindStringSubmatch(tag); m != nil {
				e.classes = strings.Fields(m[1] + m[2])
			}
			if !yield(e) {
				return
			}
		}
	}
}
