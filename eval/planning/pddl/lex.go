package pddl

import (
	"fmt"
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

// text is an error maker for one file.
type text struct{ file string }

func (t text) errorf(at *expr, format string, args ...any) error {
	return &Error{File: t.file, Line: at.line, Col: at.col, Msg: fmt.Sprintf(format, args...)}
}

// read returns the expressions of a text. Comments run from ";" to the end of the line.
func (t text) read(src string) ([]*expr, error) {
	top := &expr{isList: true}
	stack := []*expr{top}
	line, col := 1, 1
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRuneInString(src[i:])
		switch {
		case r == '\n':
			line, col = line+1, 0
		case r == ';':
			for i+size < len(src) && src[i+size] != '\n' {
				size++
			}
		case r == '(':
			if len(stack) > maxDepth {
				return nil, t.errorf(&expr{line: line, col: col}, "parentheses nest deeper than %d", maxDepth)
			}
			e := &expr{isList: true, line: line, col: col}
			in := stack[len(stack)-1]
			in.list = append(in.list, e)
			stack = append(stack, e)
		case r == ')':
			if len(stack) == 1 {
				return nil, t.errorf(&expr{line: line, col: col}, `")" without "("`)
			}
			stack = stack[:len(stack)-1]
		case strings.ContainsRune(" \t\r\f\v\ufeff", r):
		default:
			end := i + strings.IndexAny(src[i:]+" ", " \t\r\n\f\v();")
			word := src[i:end]
			if !utf8.ValidString(word) {
				return nil, t.errorf(&expr{line: line, col: col}, "the text is not UTF-8")
			}
			in := stack[len(stack)-1]
			in.list = append(in.list, &expr{word: strings.ToLower(word), line: line, col: col})
			size = len(word)
			col += utf8.RuneCountInString(word) - 1
		}
		i += size
		col++
	}
	if open := stack[len(stack)-1]; open != top {
		return nil, t.errorf(open, `"(" is never closed`)
	}
	return top.list, nil
}

// define returns the name and the sections of "(define (KIND NAME) SECTION...)", by their heads, of which only those
// allowed may be there, each once but for :action.
func (t text) define(src, kind string, allowed ...string) (name string, sections map[string][]*expr, err error) {
	all, err := t.read(src)
	if err != nil {
		return "", nil, err
	}
	if len(all) == 0 {
		return "", nil, t.errorf(&expr{line: 1, col: 1}, "no PDDL here: want (define (%s NAME) ...)", kind)
	}
	def := all[0]
	if len(all) > 1 {
		return "", nil, t.errorf(all[1], "more text after the end of the %s", kind)
	}
	if def.head() != "define" || len(def.list) < 2 {
		return "", nil, t.errorf(def, "want (define (%s NAME) ...)", kind)
	}
	title := def.list[1]
	if title.head() != kind || len(title.list) != 2 || title.list[1].isList {
		return "", nil, t.errorf(title, "want (%s NAME)", kind)
	}
	sections = map[string][]*expr{}
	for _, s := range def.list[2:] {
		h := s.head()
		if !slices.Contains(allowed, h) {
			return "", nil, t.errorf(s, "%s is not supported in a %s, which has %s", h, kind, strings.Join(allowed, ", "))
		}
		if sections[h] = append(sections[h], s); len(sections[h]) > 1 && h != ":action" {
			return "", nil, t.errorf(s, "a second %s", h)
		}
	}
	return title.list[1].word, sections, nil
}
