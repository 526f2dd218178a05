package pddl

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds how deeply parentheses nest in a file.
const maxDepth = 200

// Error is a mistake in a PDDL text.
type Error struct {
	File      string
	Line, Col int // from 1; Col counts characters
	Msg       string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
}

// expr is a word or a list in parentheses.
type expr struct {
	word      string // lower case; empty for a list
	list      []*expr
	isList    bool
	line, col int
}

// head returns the first word of a list, or "".
func (e *expr) head() string {
	if !e.isList || len(e.list) == 0 {
		return ""
	}
	return e.list[0].word
}

// top is the place of errors that concern a whole text.
var top = &expr{line: 1, col: 1}

// reader reads one file. Its methods panic with an *Error, which exported functions return by caught.
type reader struct {
	file  string
	d     *Domain
	known []Object // names that may be arguments
}

// need panics with an error at a place, unless ok.
func (r *reader) need(ok bool, at *expr, format string, args ...any) {
	if !ok {
		panic(&Error{File: r.file, Line: at.line, Col: at.col, Msg: fmt.Sprintf(format, args...)})
	}
}

func caught(err *error) {
	switch e := recover().(type) {
	case nil:
	case *Error:
		*err = e
	default:
		panic(e)
	}
}

// tokens are comments, which run to the end of the line, parentheses and words.
var tokens = regexp.MustCompile(`;[^\n]*|[()]|[^\s\v\x{feff}();]+`)

// read returns the expressions of a text.
func (r *reader) read(src string) []*expr {
	stack := []*expr{{isList: true}}
	at, line, col := 0, 1, 1
	for _, m := range tokens.FindAllStringIndex(src, -1) {
		gap, word := src[at:m[0]], src[m[0]:m[1]]
		if n := strings.LastIndexByte(gap, '\n'); n >= 0 {
			line, col, gap = line+strings.Count(gap, "\n"), 1, gap[n+1:]
		}
		col += utf8.RuneCountInString(gap)
		e := &expr{line: line, col: col, isList: word == "("}
		at, col = m[1], col+utf8.RuneCountInString(word)
		in := stack[len(stack)-1]
		switch word[0] {
		case ';':
		case '(':
			r.need(len(stack) <= maxDepth, e, "parentheses nest deeper than %d", maxDepth)
			in.list, stack = append(in.list, e), append(stack, e)
		case ')':
			r.need(len(stack) > 1, e, `")" without "("`)
			stack = stack[:len(stack)-1]
		default:
			r.need(utf8.ValidString(word), e, "the text is not UTF-8")
			e.word = strings.ToLower(word)
			in.list = append(in.list, e)
		}
	}
	r.need(len(stack) == 1, stack[len(stack)-1], `"(" is never closed`)
	return stack[0].list
}

// define returns the name and the sections of "(define (KIND NAME) SECTION...)", by their heads, of which only those
// allowed may be there, each once but for :action.
func (r *reader) define(src, kind string, allowed ...string) (name string, sections map[string][]*expr) {
	all := r.read(src)
	r.need(len(all) > 0, top, "no PDDL here: want (define (%s NAME) ...)", kind)
	r.need(len(all) == 1, all[len(all)-1], "more text after the end of the %s", kind)
	def := all[0]
	r.need(def.head() == "define" && len(def.list) > 1, def, "want (define (%s NAME) ...)", kind)
	title := def.list[1]
	r.need(title.head() == kind && len(title.list) == 2 && !title.list[1].isList, title, "want (%s NAME)", kind)
	sections = map[string][]*expr{}
	for _, s := range def.list[2:] {
		h := s.head()
		r.need(slices.Contains(allowed, h), s, "%s is not supported in a %s, which has %s", h, kind, strings.Join(allowed, ", "))
		r.need(sections[h] == nil || h == ":action", s, "a second %s", h)
		sections[h] = append(sections[h], s)
	}
	return title.list[1].word, sections
}
