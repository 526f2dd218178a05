package planning

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Parentheses in a line: what they hold, and as parts of the words around them or apart from these.
var (
	inside  = regexp.MustCompile(`\(([^()]*)\)`)
	opened  = strings.NewReplacer("(", " ", ")", " ")
	divided = strings.NewReplacer("(", ". ", ")", ". ")
)

// sentence reads the items of a line without its marker: those in PDDL, or else those in words; words
// in parentheses count where the words before them are incomplete, or where they correct these.
func (r *Reader) sentence(task Task, text string, prose bool, last string) []found {
	for _, m := range inside.FindAllStringSubmatch(text, -1) { // "pick up d (no, wait: unstack c from d)"
		if got := r.clauses(task, m[1], prose, last); len(got) > 0 && corrections.MatchString(m[1]) {
			return got
		}
	}
	strict, rest := r.strict(text, task.Actions())
	if slices.ContainsFunc(strict, func(f found) bool { return f.sym == nil || f.sym.action == task.Actions() }) {
		return strict
	}
	main := r.clauses(task, rest, prose, last)
	if len(main) == 0 && len(strict) > 0 {
		return strict
	}
	unsure := func(f found) bool { return f.loose || len(f.args) == 2 && f.args[0] == f.args[1] } // "unstack blue (B)"
	if rest == text || len(main) > 0 && !slices.ContainsFunc(main, unsure) {
		return main
	}
	for _, marks := range []*strings.Replacer{opened, divided} { // "load crate1 into truck0 (at depot0)", "unstack a (unstack a from b)"
		if all := r.clauses(task, marks.Replace(text), prose, last); len(all) > 0 && len(all) >= len(main) && !slices.ContainsFunc(all, unsure) {
			return all
		}
	}
	if len(main) == 0 {
		return r.clauses(task, divided.Replace(text), prose, last)
	}
	return main
}

// Ends of clauses; of the first kind also a colon ends them.
var (
	stops     = regexp.MustCompile(`\s*(?:[.;:](?:\s|$)|->|=>|\s[–—-]\s|\bthen\b|\n)\s*`)
	softStops = regexp.MustCompile(`\s*(?:[.;](?:\s|$)|->|=>|\s[–—-]\s|\bthen\b|\n)\s*`)
)

// subjectThen is where "then" belongs to a sentence: "you then put it down".
var subjectThen = regexp.MustCompile(`(?i)\b(i|we|you|can|will|must|should) then\b`)

// wordy is text of more than a few words.
var wordy = regexp.MustCompile(`(?:\S+\s+){5}`)

// clauses reads the items of running text.
func (r *Reader) clauses(task Task, text string, prose bool, last string) (out []found) {
	text = subjectThen.ReplaceAllString(strings.TrimSpace(text), "$1")
	if !task.Actions() {
		for _, part := range softStops.Split(text, -1) {
			out = append(out, r.told(part)...)
		}
		return out
	}
	for _, part := range stops.Split(text, -1) {
		got := r.actions(r.mark(part), !prose, &last)
		if !prose && len(got) == 0 && len(out) == 0 && wordy.MatchString(part) && !corrections.MatchString(part) {
			return nil // a sentence that goes on with an action is prose
		}
		for _, f := range got {
			out = appendNew(out, f)
		}
	}
	return out
}

// told reads the properties of a clause, in which a colon may end a heading: "clear: a, b".
func (r *Reader) told(clause string) (out []found) {
	if head, rest, ok := strings.Cut(clause, ":"); ok {
		if s := r.heading(head, State); s != nil {
			if out = r.listOf(s, rest); out != nil {
				return out
			}
		}
	}
	for part := range strings.SplitSeq(clause, ": ") {
		out = append(out, r.pieces(r.mark(part))...)
	}
	return out
}

// appendNew leaves out an action that the line has just named: "unstack a from b: unstack block a from block b".
func appendNew(list []found, f found) []found {
	if len(list) == 0 {
		return append(list, f)
	}
	l := &list[len(list)-1]
	switch same := l.sym == f.sym && (slices.Equal(l.args, f.args) || l.loose && len(f.args) > 0 && l.args[0] == f.args[0]); {
	case same && l.loose:
		*l = f
	case !same && !f.loose:
		list = append(list, f)
	}
	return list
}

var pieceEnds = wordSet(", and or but while &")

// split returns where the parts of marked words that commas and conjunctions separate begin and end.
func split(words []string) (parts [][2]int) {
	start := 0
	for i := 0; i <= len(words); i++ {
		if i == len(words) || pieceEnds[words[i]] {
			if i > start {
				parts = append(parts, [2]int{start, i})
			}
			start = i + 1
		}
	}
	return parts
}

var prepositions = wordSet("from on onto off using with at in into out")

// actions reads one action after another; "and" and commas may join them or belong to one. last is the
// object that "it" refers to: the first one of the action before.
func (r *Reader) actions(m *marked, bare bool, last *string) (out []found) {
	if len(m.words) > 200 {
		return nil
	}
	parts := split(m.words)
	if len(parts) == 2 && prepositions[m.words[0]] { // "from block b, unstack block a"
		m.words = slices.Concat(m.words[parts[1][0]:parts[1][1]], m.words[:parts[0][1]])
		parts = split(m.words)
	}
	for i := 0; i < len(parts); {
		m.resolve(parts[i], *last)
		if o, ok := m.mention(m.words[parts[i][0]]); ok && parts[i][1] == parts[i][0]+1 && len(out) > 0 && len(out[len(out)-1].args) == 1 { // "pick up a and b"
			again := out[len(out)-1]
			again.args = []mention{o}
			out = append(out, again)
			i++
			continue
		}
		best, used := r.longest(m, parts[i:], bare || i > 0 && len(out) == 0)
		i += used
		if best == nil {
			if len(out) == 0 && i == used && bare {
				return nil // a list of actions begins with one
			}
			continue
		}
		out = append(out, *best)
		if len(best.args) > 0 {
			*last = best.args[0].name
		}
	}
	return out
}

// resolve marks "it" and "them" in a part as the object that they refer to.
func (m *marked) resolve(part [2]int, last string) {
	for k := part[0] + 1; k < part[1]; k++ {
		if w := m.words[k]; (w == "it" || w == "them") && last != "" && m.words[k-1] != "then" {
			m.words[k] = m.add(mention{last, true})
		}
	}
}

// longest reads the action of the most of the next parts, five at most; complete ones go first, others take one part.
func (r *Reader) longest(m *marked, parts [][2]int, bare bool) (best *found, used int) {
	used = 1
	for n := min(5, len(parts)); n > 0 && (best == nil || best.loose); n-- {
		words := m.words[parts[0][0]:parts[n-1][1]]
		if f := r.action(m, words, bare); f != nil && !(n > 1 && f.rest) && (best == nil || !f.loose) {
			best, used = f, n
		}
	}
	if best != nil && best.loose {
		used = 1
	}
	return best, used
}

// Places where a clause goes on about the object that it has just named, or adds a place: "@0 is on @1 , which is on
// @2", "@0 on @1 on @2", "@0 is on @1 at @2".
var (
	goesOn   = regexp.MustCompile(`\b(on|of|atop) (@\d+) (?:, )?(?:(?:which|that) (is )?)?((?:directly |stacked |placed )?(?:on|atop)) `)
	alsoAt   = regexp.MustCompile(`\b((?:on|of|in|atop) @\d+) (at @\d+)$`)
	describe = regexp.MustCompile(`(@\d+) , (?:which|that) `)
)

// pieces reads properties that commas and conjunctions join; the subject of one goes on to the next.
func (r *Reader) pieces(m *marked) (out []found) {
	if len(m.words) > 400 {
		return nil
	}
	text := strings.Join(m.words, " ")
	for range 3 { // "a on b on c on d" shares its objects
		text = goesOn.ReplaceAllString(text, "$1 $2 , $2 $3$4 ")
	}
	m.words = strings.Fields(alsoAt.ReplaceAllString(describe.ReplaceAllString(text, "$1 , $1 "), "$1 , $2"))
	parts, subject := split(m.words), ""
	for len(parts) > 0 {
		used := 1
		for n := min(len(parts), 14); n > 0; n-- {
			if got, last := r.properties(m, m.words[parts[0][0]:parts[n-1][1]], subject); len(got) > 0 {
				out, subject, used = append(out, got...), cmp.Or(last, subject), n
				break
			}
		}
		parts = parts[used:]
	}
	return out
}

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
		if len(args) == 0 && len(s.params) > 0 && !s.action {
			return nil // "hoist0 (available)"
		}
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

// likeAtom reports whether arguments look like those of an atom with an unknown name: objects, one of them known.
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
