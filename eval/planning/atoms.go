package planning

import (
	"regexp"
	"slices"
	"strings"
)

// Parentheses in a line with none within, which the end of the line also closes, with the words directly before them;
// a negation before those; and marks around arguments.
var (
	groupForm     = regexp.MustCompile(`(?:([A-Za-z]+)[ _-])?([A-Za-z0-9_-]*)\(([^()]*)(?:\)|$)`)
	notBefore     = regexp.MustCompile(`(?i)(?:(?:^|[ ,(])(?:not|no longer)|[¬~!]) *\(?$`)
	argumentMarks = strings.NewReplacer(",", " ", `"`, " ", "'", " ", "`", " ", "?", " ")
)

// strict reads the items of a line in the form "(name arg arg)" or "name(arg, arg)", and returns the line without them
// and without what else is in parentheses.
func (r *Reader) strict(text string, action bool) (list []found, rest string) {
	at := 0
	for _, m := range groupForm.FindAllStringSubmatchIndex(text, -1) {
		name, words := strings.ToLower(text[m[4]:m[5]]), strings.Fields(argumentMarks.Replace(strings.ToLower(text[m[6]:m[7]])))
		negated := name == "not" || notBefore.MatchString(text[:m[4]])
		if name != "" && name != "not" {
			if m[2] >= 0 && r.symbolNamed(text[m[2]:m[5]], action) != nil { // pick up(a)
				name = text[m[2]:m[5]]
			}
			if r.symbolNamed(name, action) == nil && !r.likeAtom(name, words) {
				continue
			}
			words = slices.Insert(words, 0, name)
		}
		if f := r.atom(words, action); f != nil {
			f.negated = f.negated || negated
			list = append(list, *f)
		} else if name != "" {
			continue
		}
		rest, at = rest+text[at:m[4]]+" ", m[1]
	}
	rest += text[at:]
	if list != nil && !action { // "clear(a), handempty"
		for _, w := range strings.FieldsFunc(rest, func(c rune) bool { return strings.ContainsRune(" ,;.[]", c) }) {
			if s := r.symbolNamed(w, false); s != nil && !s.action && len(s.params) == 0 {
				list = append(list, found{sym: s, name: s.name})
			}
		}
	}
	return list, rest
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
