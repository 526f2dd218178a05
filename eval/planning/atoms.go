package planning

import (
	"regexp"
	"slices"
	"strings"
)

// group is a pair of parentheses in a line that has none within, and the name directly before it. One
// that is not closed ends with the line.
type group struct {
	start, end   int // in the line; start is that of the name
	before, name string
	inside       string
	negated      bool // "not" or a sign is before it
}

var (
	groupForm = regexp.MustCompile(`(?:([A-Za-z]+)[ _-])?([A-Za-z0-9_-]*)\(([^()]*)(?:\)|$)`)
	notBefore = regexp.MustCompile(`(?i)(?:(?:^|[ ,(])(?:not|no longer)|[¬~!]) *\(?$`)
)

func groups(line string) (out []group) {
	for _, m := range groupForm.FindAllStringSubmatchIndex(line, -1) {
		g := group{start: m[4], end: m[1], name: strings.ToLower(line[m[4]:m[5]]), inside: line[m[6]:m[7]], negated: notBefore.MatchString(line[:m[4]])}
		if m[2] >= 0 {
			g.before = strings.ToLower(line[m[2]:m[3]])
		}
		if g.name == "not" { // not(handempty)
			g.name, g.negated = "", true
		}
		out = append(out, g)
	}
	return out
}

var argumentMarks = strings.NewReplacer(",", " ", `"`, " ", "'", " ", "`", " ", "?", " ")

// strict reads a group as "(name arg arg)" or "name(arg, arg)". It returns nil where it is an aside in
// prose.
func (r *Reader) strict(g group, action bool) *found {
	words := strings.Fields(argumentMarks.Replace(strings.ToLower(g.inside)))
	if g.name != "" {
		if g.before != "" && r.symbolNamed(g.before+g.name, action) != nil { // pick up(a)
			g.name = g.before + g.name
		}
		if r.symbolNamed(g.name, action) == nil && !r.likeAtom(g.name, words) {
			return nil
		}
		words = slices.Insert(words, 0, g.name)
	}
	f := r.atom(words, action)
	if f != nil {
		f.negated = f.negated || g.negated
	}
	return f
}

// atom reads a name and its arguments, each a word or some words that name an object.
func (r *Reader) atom(words []string, action bool) *found {
	if len(words) > 1 && words[0] == "not" {
		f := r.atom(words[1:], action)
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
		args := r.objectsOf(words[n:])
		unknown := func(a mention) bool { return !a.known }
		inProse := func(a mention) bool { return !a.known && (notNames[a.name] || r.nouns[a.name]) }
		if !slices.ContainsFunc(args, unknown) || len(args) == len(s.params) && !slices.ContainsFunc(args, inProse) {
			return &found{sym: s, name: s.name, args: args}
		}
		return nil // words, as in "(unstack yellow from red)"
	}
	if len(words) > 1 && r.likeAtom(words[0], words[1:]) {
		return &found{name: words[0], args: r.objectsOf(words[1:])}
	}
	return nil
}

// objectsOf takes each word as the name of an object.
func (r *Reader) objectsOf(words []string) (list []mention) {
	for _, w := range words {
		name, known := r.names[squash(w)]
		if !known {
			name = w
		}
		list = append(list, mention{name, known})
	}
	return list
}

// likeAtom reports whether words look like an atom with an unknown name: it has arguments, one is a
// known object, and each is one or is written like one.
func (r *Reader) likeAtom(name string, args []string) bool {
	known := false
	for i, a := range r.objectsOf(args) {
		if !a.known && !lettersDigits.MatchString(args[i]) && len(args[i]) > 1 {
			return false
		}
		known = known || a.known
	}
	return known && r.names[squash(name)] == "" && (name == "move" || !notNames[name])
}
