package planning

import (
	"regexp"
	"slices"
	"strings"
)

// found is an action or property that was read, before it is checked.
type found struct {
	sym     *symbol // nil: name names none
	name    string
	args    []mention
	negated bool
	loose   bool   // incomplete words: some argument is missing
	rest    bool   // words follow that were not used
	text    string // the line that it was read from
}

// leads may stand before an action in a list, and say nothing of it.
var leads = regexp.MustCompile(`^(?:(?:the \w+ (?:action|step|move) (?:is|will be|would be)|then|next|finally|lastly|now|first|firstly|second|secondly|third|afterwards?|after that|again|also|and|so|,|:|-|please|start by|begin by|(?:you|we|i|it|the [a-z]+|let's|let us)(?: (?:can|could|may|will|'ll|would|should|must|need to|have to|then|now|first|next|can then|again|also))*|to|step \d+|action \d+|\d+ [.):]) )+`)

var subjects = regexp.MustCompile(`\b(?:you|i|we)\b`)

// endings are words from which on the rest of a clause explains.
var endings = wordSet(`because since so as which that while when where if in_order ( - -> => for — – . ; : " ' thus allowing making leaving resulting after before without again`)

// refusing are words by which a line says that its action is not taken.
var refusing = wordSet("not impossible unnecessary already cannot under below beneath")

// fillers say nothing within an action.
var fillers = wordSet("the a an block crate now currently then directly gently carefully just back both so located which , again ' \" `")

// modal are words between who acts and the verb.
var modal = wordSet("to , can could may will must should then now")

// actor takes the object that acts from the beginning of a clause: "hoist0 lifts crate1", "use hoist0 to lift crate1".
func (m *marked) actor(words []string) (before, rest []string) {
	for k := 0; len(words) > 2 && k < min(4, len(words)); k++ {
		if _, object := m.mention(words[k]); !object {
			continue
		}
		if intro := strings.Join(words[:k], " "); slices.Contains([]string{"", "use", "using", "with", "have", "let"}, intro) {
			before, words = words[k:k+1], words[k+1:]
			if len(words) > 3 && prepositions[words[0]] && words[2] == "to" { // "use hoist0 at depot0 to lift crate1"
				words = slices.Concat(words[3:], words[:2])
			}
			for len(words) > 0 && modal[words[0]] {
				words = words[1:]
			}
		}
		break
	}
	return before, words
}

// action reads one action that a clause tells, from its first word on; bare refuses a clause that
// begins with a subject such as "you", which is prose unless the whole answer is prose.
func (r *Reader) action(m *marked, words []string, bare bool) *found {
	text := strings.Join(words, " ")
	if lead := leads.FindString(text + " "); lead != "" {
		if bare && subjects.MatchString(lead) {
			return nil
		}
		text = strings.TrimPrefix(text+" ", lead)
	}
	words = strings.Fields(text)
	before, words := m.actor(words)
	text = strings.Join(words, " ")
	var best *found
	bestScore := -1
	for _, s := range r.symbols {
		if s.verb == nil || !s.verb.MatchString(text) {
			continue
		}
		verb := s.verb.FindString(text)
		f, used := r.fill(s, m, strings.Fields(text[len(verb):]), before, squash(verb) == squash(s.name))
		if f == nil {
			continue
		}
		// Complete before incomplete, then arguments that fit, then the longer verb.
		score := len(verb) + used
		for k, a := range f.args {
			if !f.loose && r.fits(s, k, a) {
				score += 1000
			}
		}
		if !f.loose {
			score += 10000
		}
		if score > bestScore {
			best, bestScore = f, score
		}
	}
	return best
}

// fill assigns the objects after a verb to the arguments of an action. It returns nil where words
// remain that could change the meaning, and how much it used. plain lets the arguments follow without
// prepositions, as they do behind the name of the action.
func (r *Reader) fill(s *symbol, m *marked, words, before []string, plain bool) (*found, int) {
	args := make([]*mention, len(s.slots))
	for _, w := range before {
		o, _ := m.mention(w)
		if s.actor < 0 {
			return nil, 0
		}
		args[s.actor] = &o
	}
	var with []string
	used := 0
	for i := 0; i < len(words); i++ {
		if o, ok := m.mention(words[i]); ok {
			k := r.slotFor(s, args, strings.Join(with, " "), o, plain)
			if k < 0 {
				return nil, 0
			}
			args[k], with = &o, nil
			used++
			continue
		}
		if s.extra != nil && len(with) == 0 {
			if extra := s.extra.FindString(strings.Join(words[i:], " ")); extra != "" {
				i += strings.Count(strings.TrimSpace(extra), " ")
				used++
				continue
			}
		}
		if endings[words[i]] && len(with) == 0 {
			break
		}
		if fillers[words[i]] {
			continue
		}
		with = append(with, words[i])
	}
	// Words that remain are let pass only after a complete action.
	f := &found{sym: s, name: s.name, rest: len(with) > 0}
	for _, a := range args {
		if a == nil {
			f.loose = true
			continue
		}
		f.args = append(f.args, *a)
	}
	if len(with) > 0 && (f.loose || slices.ContainsFunc(with, func(w string) bool { return refusing[w] })) || len(f.args) < s.short && len(s.slots) > 0 {
		return nil, 0
	}
	return f, used
}

// slotFor returns the argument for an object after some words, or -1.
func (r *Reader) slotFor(s *symbol, args []*mention, with string, o mention, plain bool) int {
	best, rank := -1, 0
	for k := range s.slots {
		n := 0
		switch {
		case args[k] != nil:
			continue
		case s.slots[k] == nil && with == "" || is(s.slots[k], with):
			n = 2
		case with == "" && plain: // bare arguments in the order of the schema, as in "lift hoist0 crate1 pallet2 depot0"
			n = 1
		}
		if n > 0 && r.fits(s, k, o) {
			n += 2
		}
		if n > rank {
			best, rank = k, n
		}
	}
	return best
}

// fits reports whether an object may be an argument, as far as is known.
func (r *Reader) fits(s *symbol, k int, o mention) bool {
	have := r.objects[o.name].Types
	return !o.known || len(have) == 0 || r.domain.Fits(have, s.params[k].Types)
}

// stateLeads may stand before a property.
var stateLeads = regexp.MustCompile(`^(?:(?:then|now|currently|also|and|but|so|thus|,|:|-|therefore|finally|additionally|(?:in|at) (?:the|this) (?:current|initial|resulting|final|new|end)? ?(?:state|point|situation)|after (?:this|that|these|the)(?: \w+)?|as a result|the fact that|the propert(?:y|ies) that [^@,]*? (?:is|are)|while|with|\d+ [.):]) ,? ?)+`)

var (
	negation   = regexp.MustCompile(`(?:\bit is )?\b(?:not|no longer|never|neither)\b(?: (?:the case|true) that)?|[¬~!]`)
	bothWords  = regexp.MustCompile(`\b(?:both|all of|each of|either) `)
	asides     = regexp.MustCompile(` ?(?:with (?:no|nothing|@\d+)\b|because|since|as|which|so|due to|—|–|->|=>|" ?|\( )[^,]*$`)
	oneMention = regexp.MustCompile(`@\d+`)
)

// properties reads a clause that tells properties of a state, first as it is, then without a negation and without what
// explains it. subject, which may be empty, is used where the clause leaves out its own; the last subject is returned.
func (r *Reader) properties(m *marked, words []string, subject string) (out []found, last string) {
	text := strings.Join(words, " ")
	text = bothWords.ReplaceAllString(strings.TrimPrefix(text+" ", stateLeads.FindString(text+" ")), "")
	plain := negation.ReplaceAllString(text, "")
	for _, t := range []string{text, asides.ReplaceAllString(text, ""), plain, asides.ReplaceAllString(plain, "")} {
		if len(t) < len(plain) && strings.Contains(t, ",") {
			continue
		}
		if out = r.matched(m, strings.Join(strings.Fields(t), " "), subject); out == nil {
			continue
		}
		for i := range out {
			out[i].negated = plain != text && len(t) <= len(plain)
		}
		return out, strings.TrimSpace(subjectForm.FindString(t))
	}
	return nil, ""
}

// subjectForm is the objects with which a clause begins.
var subjectForm = regexp.MustCompile(`^(?:(?:@\d+|,|and) ?)+`)

// matched matches a whole clause with the forms of the predicates; one that fits the types of its arguments goes first.
func (r *Reader) matched(m *marked, text, subject string) (got []found) {
	text = strings.ReplaceAll(" "+strings.Trim(text, " ,\"'`."), " the ", " ")
	tries := []string{text}
	if subject != "" && !strings.HasPrefix(text, " @") {
		tries = append(tries, subject+text, subject+" is"+text)
	}
	unfit := func(f found) bool {
		for i, a := range f.args {
			if !r.fits(f.sym, i, a) {
				return true
			}
		}
		return false
	}
	for _, t := range tries {
		for _, s := range r.symbols {
			for _, f := range s.forms {
				g := f.re.FindStringSubmatch(strings.TrimSpace(t))
				if g == nil {
					continue
				}
				all := s.each(m, f, g[1:])
				if !slices.ContainsFunc(all, unfit) {
					return all
				}
				if got == nil {
					got = all
				}
			}
		}
		if got != nil {
			return got
		}
	}
	return nil
}

// each makes one property for each of the objects in a match; one of its groups may name several.
func (s *symbol) each(m *marked, f form, groups []string) (out []found) {
	words, n := make([][]string, len(s.params)), 1
	for i, g := range groups {
		words[f.args[i]] = oneMention.FindAllString(g, -1)
		n = max(n, len(words[f.args[i]]))
	}
	for k := range n {
		x := found{sym: s, name: s.name}
		for _, list := range words {
			o, _ := m.mention(list[min(k, len(list)-1)])
			x.args = append(x.args, o)
		}
		out = append(out, x)
	}
	return out
}
