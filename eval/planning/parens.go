package planning

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// group is a parenthesis in a line: its place, the name that is written directly before it, and
// its inside.
type group struct {
	start, end int // in the line; start is that of the name
	name       string
	inside     string
	negated    bool   // "not" or a sign is before it
	before     string // the word before the name
}

// lastWord is a word before the name of a group, as in "pick up(a)".
var lastWord = regexp.MustCompile(`([A-Za-z]+)[ _-]$`)

// groups finds the outermost parentheses of a line. One that is not closed ends with the line.
func groups(line string) (out []group) {
	depth, open := 0, 0
	for i, c := range line {
		switch c {
		case '(':
			if depth == 0 {
				open = i
			}
			depth++
		case ')':
			if depth == 1 {
				out = append(out, newGroup(line, open, i, i+1))
			}
			depth = max(0, depth-1)
		}
	}
	if depth > 0 {
		out = append(out, newGroup(line, open, len(line), len(line)))
	}
	return out
}

func newGroup(line string, open, inner, end int) group {
	start := open
	for start > 0 && (line[start-1] == '-' || line[start-1] == '_' || line[start-1] < 128 && (unicode.IsLetter(rune(line[start-1])) || unicode.IsDigit(rune(line[start-1])))) {
		start--
	}
	g := group{start: start, end: end, name: line[start:open], inside: line[open+1 : inner]}
	if m := lastWord.FindStringSubmatch(line[:start]); m != nil && g.name != "" {
		g.before = m[1]
	}
	before := strings.TrimRight(line[:start], " ")
	for _, sign := range []string{"not", "no longer", "¬", "~", "!"} {
		if rest, ok := strings.CutSuffix(strings.ToLower(before), sign); ok && (len(sign) < 3 || rest == "" || strings.HasSuffix(rest, " ") || strings.HasSuffix(rest, ",")) {
			g.negated = true
		}
	}
	return g
}

// strict reads a group as "(name arg arg)" or "name(arg, arg)". It returns nil where it is an aside in
// prose.
func (r *Reader) strict(g group, action bool) []found {
	inside := strings.NewReplacer(",", " ", `"`, " ", "'", " ", "`", " ", "?", " ").Replace(strings.ToLower(g.inside))
	name := strings.ToLower(g.name)
	if name == "not" || name == "and" || name == "" && strings.Contains(g.inside, "(") {
		if out, ok := r.nested(g, name, inside, action); ok {
			return out
		}
	}
	words := strings.Fields(inside)
	if name != "" && g.before != "" && r.symbolNamed(g.before+name, action) != nil {
		name = strings.ToLower(g.before) + name
	}
	if name != "" {
		if s := r.symbolNamed(name, action); s == nil && !r.likeAtom(name, words) {
			return nil
		}
		words = append([]string{name}, words...)
	}
	if f := r.strictWords(words, action); f != nil {
		f.negated = f.negated || g.negated
		return []found{*f}
	}
	return nil
}

// nested reads the atoms within "(and (...) (...))" and "not(...)"; ok is false where a group is neither.
func (r *Reader) nested(g group, name, inside string, action bool) (out []found, ok bool) {
	word := name
	if name == "" {
		word, _, _ = strings.Cut(strings.TrimSpace(inside), "(")
		word = strings.TrimSpace(word)
	}
	negates := word == "not" || word == "¬"
	if !negates && word != "and" && word != "" {
		return nil, false
	}
	inner := groups(g.inside)
	if len(inner) == 0 && word == "not" { // not(handempty)
		inner = []group{{inside: strings.TrimPrefix(strings.TrimSpace(inside), "not")}}
	}
	for _, in := range inner {
		for _, f := range r.strict(in, action) {
			f.negated = f.negated || g.negated || negates
			out = append(out, f)
		}
	}
	return out, true
}

// strictWords reads a name and its arguments, each a word or some words that name an object.
func (r *Reader) strictWords(words []string, action bool) *found {
	if len(words) == 0 {
		return nil
	}
	if words[0] == "not" && len(words) > 1 {
		f := r.strictWords(words[1:], action)
		if f != nil {
			f.negated = true
		}
		return f
	}
	for n := min(2, len(words)); n > 0; n-- {
		s := r.symbolNamed(strings.Join(words[:n], "-"), action)
		if s == nil {
			continue
		}
		f := &found{sym: s, name: s.name}
		if len(words)-n == len(s.params) || !slices.ContainsFunc(words[n:], func(w string) bool { return r.names[squash(w)] == "" }) {
			for _, w := range words[n:] {
				name, known := r.names[squash(w)]
				if !known {
					name = w
				}
				f.args = append(f.args, mention{name, known})
			}
			if r.plausible(f, words[n:]) {
				return f
			}
			f.args = nil
		}
		m := r.mark(strings.Join(words[n:], " "))
		plain := true
		for _, w := range m.words {
			if o, ok := m.mention(w); ok {
				f.args = append(f.args, o)
			} else {
				plain = false
			}
		}
		if plain {
			return f
		}
		return nil // words, as in "(unstack yellow from red)"
	}
	if r.likeAtom(words[0], words[1:]) {
		f := &found{name: words[0]}
		for _, w := range words[1:] {
			name, known := r.names[squash(w)]
			if !known {
				name = w
			}
			f.args = append(f.args, mention{name, known})
		}
		return f
	}
	return nil
}

// plausible refuses arguments that are words of a sentence.
func (r *Reader) plausible(f *found, words []string) bool {
	for i, a := range f.args {
		if !a.known && (notNames[words[i]] || r.nouns[words[i]]) {
			return false
		}
	}
	return true
}

// likeAtom reports whether words look like an atom with an unknown name: it has arguments, and each is
// a known object or is written like one.
func (r *Reader) likeAtom(name string, args []string) bool {
	if len(args) == 0 || len(args) > 6 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-_0123456789") != "" || name == "" || digits(name) {
		return false
	}
	if _, object := r.names[squash(name)]; object || notNames[name] && name != "move" {
		return false
	}
	known := 0
	for _, w := range args {
		if _, ok := r.names[squash(w)]; ok && w != "a" && w != "i" || len(args) == 1 && ok {
			known++
		} else if !lettersDigits.MatchString(w) && len(w) > 1 {
			return false
		}
	}
	return known > 0
}
