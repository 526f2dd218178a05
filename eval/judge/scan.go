package judge

import "strings"

// deepest is how far containers may nest. What nests deeper is broken.
const deepest = 64

// node is a value that was found in a reply, with its place in the text.
type node struct {
	kind       byte // '{' object, '[' array, 's' string, '0' number, 't' true, 'f' false, 'n' null, 'w' bare word
	text       string
	keys       []string // of an object, beside kids; a key may stand twice
	kids       []*node
	start, end int
	inside     bool // of a root: it stands within an object that broke before it
}

// scanned is everything in a text that looks like data.
type scanned struct {
	roots  []*node // complete outermost containers that are not empty, in order
	broken []*node // begun objects with at least one key that a mistake or the end of the text stopped
}

// scanner finds containers in one pass. It never goes back: what a broken container has swallowed,
// strings included, is not searched again, so that text quoted inside of a broken verdict cannot
// become a verdict, and so that the time is linear in the text.
type scanner struct {
	text  string
	pos   int
	stack []*node // open containers
	after []bool  // beside stack: a value was read, and a comma or the end comes next
	owed  int     // closing brackets that the last broken object still lacks
	out   scanned
}

func scan(text string) scanned {
	s := &scanner{text: text}
	for {
		at := strings.IndexAny(text[s.pos:], "{[}]")
		if at < 0 {
			return s.out
		}
		s.pos += at
		if c := text[s.pos]; c == '}' || c == ']' {
			s.owed = max(0, s.owed-1)
			s.pos++
			continue
		}
		root := s.open()
		if s.fill() {
			s.keep(root)
			continue
		}
		s.drop(root)
	}
}

// keep takes a complete root. Within a broken object, and on the same line behind one, nothing is a
// verdict of its own.
func (s *scanner) keep(root *node) {
	if len(root.kids) == 0 {
		return
	}
	if n := len(s.out.broken); n > 0 {
		before := s.text[max(s.out.broken[n-1].end, root.start-longest):root.start]
		i := strings.LastIndexByte(before, '\n')
		root.inside = s.owed > 0 || i < 0 || strings.Trim(before[i+1:], " \t\r`*:") != ""
	}
	s.out.roots = append(s.out.roots, root)
}

// drop takes a broken root. What was complete within a list without keys still counts.
func (s *scanner) drop(root *node) {
	open := len(s.stack)
	keyed := false
	for _, n := range s.stack {
		keyed = keyed || len(n.keys) > 0
	}
	s.stack, s.after = s.stack[:0], s.after[:0]
	root.end = max(s.pos, root.start+1)
	s.pos = root.end
	if keyed || s.pos >= len(s.text) && (len(root.kids) > 0 || root.kind == '{' && opens(s.text, skip(s.text, root.start+1))) {
		s.out.broken = append(s.out.broken, root)
		s.owed = open
		return
	}
	for n := root; ; n = n.kids[len(n.kids)-1] {
		for _, kid := range n.kids {
			if kid.kind == '{' && kid.end > 0 {
				s.keep(kid)
			}
		}
		if len(n.kids) == 0 || n.kids[len(n.kids)-1].kind != '[' || n.kids[len(n.kids)-1].end > 0 {
			return
		}
	}
}

func (s *scanner) open() *node {
	n := &node{kind: s.text[s.pos], start: s.pos}
	if len(s.stack) > 0 {
		top := s.stack[len(s.stack)-1]
		top.kids = append(top.kids, n)
	}
	s.stack, s.after = append(s.stack, n), append(s.after, false)
	s.pos++
	return n
}

// fill reads the open container to its end, and reports whether it came to one.
func (s *scanner) fill() bool {
	for len(s.stack) > 0 {
		i := len(s.stack) - 1
		top := s.stack[i]
		s.space()
		if s.pos >= len(s.text) {
			return false
		}
		c := s.text[s.pos]
		switch {
		case c == '}' && top.kind == '{' || c == ']' && top.kind == '[':
			s.pos++
			top.end = s.pos
			s.stack, s.after = s.stack[:i], s.after[:i]
			continue
		case c == ',' && s.after[i]:
			s.pos++
			s.after[i] = false
			continue
		case s.after[i] && !(top.kind == '{' && keyAt(s.text, s.pos)):
			return false // a comma is missing; before a key that is read over
		}
		if top.kind == '{' && !s.key(top) {
			return false
		}
		s.after[i] = true
		if s.pos < len(s.text) && (s.text[s.pos] == '{' || s.text[s.pos] == '[') {
			if len(s.stack) >= deepest {
				return false
			}
			s.open()
			continue
		}
		kid := s.scalar(top.kind)
		if kid == nil {
			return false
		}
		top.kids = append(top.kids, kid)
	}
	return true
}

// space skips white space, invisible characters and comments.
func (s *scanner) space() {
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		if n := blank(rest); n > 0 {
			s.pos += n
			continue
		}
		end := comment(rest)
		if end == 0 {
			return
		}
		s.pos += end
	}
}

// blank returns the length of the white space or invisible character that the text starts with.
func blank(text string) int {
	if text == "" {
		return 0
	}
	switch text[0] {
	case ' ', '\t', '\n', '\r':
		return 1
	case 0xC2, 0xE2, 0xEF, 0xF3, 0xCD, 0xD8, 0xE1:
		for i, r := range text {
			if i > 0 {
				break
			}
			if r == 0xA0 || invisible(r) {
				return len(string(r))
			}
		}
	}
	return 0
}

// commented reports whether the text starts with a comment.
func commented(text string) bool {
	return strings.HasPrefix(text, "//") || strings.HasPrefix(text, "/*") || strings.HasPrefix(text, "# ")
}

// comment returns the length of the comment that the text starts with.
func comment(text string) int {
	if !commented(text) {
		return 0
	}
	end := strings.IndexByte(text, '\n')
	if text[1] == '*' {
		if end = strings.Index(text, "*/"); end >= 0 {
			end += 2
		}
	}
	if end < 0 {
		return len(text)
	}
	return end
}

// key reads a key and its colon.
func (s *scanner) key(object *node) bool {
	key := ""
	if open, n := quote(s.text[s.pos:]); n > 0 {
		text, end, ok := s.quoted(open, s.pos+n, func(end int) bool {
			at := skip(s.text, end)
			return at < len(s.text) && s.text[at] == ':'
		})
		s.pos = end
		if !ok || len(text) > longest || strings.ContainsAny(text, "\n{}") {
			return false
		}
		key = text
	} else {
		n := word(s.text[s.pos:])
		if n == 0 {
			return false
		}
		key, s.pos = s.text[s.pos:s.pos+n], s.pos+n
	}
	s.space()
	if s.pos >= len(s.text) || s.text[s.pos] != ':' {
		return false
	}
	s.pos++
	object.keys = append(object.keys, key)
	s.space()
	return true
}
