package iep

import (
	"math"
	"slices"
	"strings"

	"parley/eval/iep/wordnet"
)

// maxConflict is the share of a gold point's weight that may be said to be otherwise.
const maxConflict = 0.05

// opposites are antonyms that WordNet does not have, as stems.
var opposites = pairs(lists["opposites"])

// synonyms are those that WordNet, which has no prepositions, does not have, as stems.
var synonyms = pairs(lists["synonyms"])

// family are words whose antonyms tell the same from the other side: "his wife", "whose husband".
var family = words(lists["family"])

// classes are words of which one excludes the others, as stems: within a class, between the groups that
// a slash parts.
var classes = exclusive(lists["classes"])

func exclusive(list string) map[string][]string {
	m := map[string][]string{}
	for _, class := range phrases(list) {
		groups := strings.Split(class, "/")
		for i, group := range groups {
			for w := range strings.FieldsSeq(group) {
				for j, other := range groups {
					if i != j {
						m[w] = append(m[w], strings.Fields(other)...)
					}
				}
			}
		}
	}
	return m
}

func pairs(list string) map[string][]string {
	m := map[string][]string{}
	for _, pair := range phrases(list) {
		a, b, _ := strings.Cut(strings.TrimSpace(pair), " ")
		m[a], m[b] = append(m[a], b), append(m[b], a)
	}
	return m
}

// refuses says why a stretch that covers a gold point does not say it: something in it, or around it in
// its sentences, is said to be otherwise. Empty: it says it.
func (m *matcher) refuses(g int, said, around []word, a alignment) string {
	p := &m.gold[g]
	b := align(p, g, around)
	switch {
	case swapped(p, m.title, around, b):
		return "roles"
	case verbatim(p, a) && !bareList(said) && !otherNumber(p, said, a):
		return ""
	case a.conflict > maxConflict || b.conflict > maxConflict:
		return "contrary"
	case otherNumber(p, said, a) || b.cover > a.cover+0.05 && otherNumber(p, around, b):
		return "number"
	case m.otherName(p, g, said, a) || m.otherName(p, g, around, b):
		return "name"
	case bareList(said) || bareList(around):
		return "list"
	case substituted(p, around, b):
		return "substituted"
	case m.otherCause(around, b):
		return "cause"
	case b.cover < 0.8 && mixed(g, said, a):
		return "mixed"
	}
	return ""
}

// verbatim reports whether a stretch has all words of a gold point in their order.
func verbatim(p *point, a alignment) bool {
	before := -1
	for i := range p.parts {
		if p.parts[i].weight == 0 {
			continue
		}
		if a.alike[i] < wordnet.Same || a.by[i] < before {
			return false
		}
		before = a.by[i]
	}
	return true
}

// substituted reports whether a stretch repeats a gold point word for word but for one place, where
// something else is said after, or before, the same word.
func substituted(p *point, said []word, a alignment) bool {
	first, left, right, hole := p.gap(a, len(said))
	if hole < 0.08 || hole > 1-Floor {
		return false
	}
	j := left + 1
	if left < 0 { // from the beginning of the clause
		for j = right; j > 0 && !said[j-1].parts() && said[j-1].word != "that"; j-- {
		}
	}
	for ; j < right; j++ {
		if (len(said[j].keys) == 0 || senseWords[said[j].word]) && said[j].number == 0 || slices.Contains(a.by, j) {
			continue
		}
		if left < 0 || outerWord(p.tokens(), first, -1) == outerWord(bare(said), j, -1) {
			return true
		}
	}
	return false
}

// gap returns the first part that a stretch of n words lacks where it lacks parts in one place, and has the others in
// their order: where the stretch has the parts before and behind the gap, -1 and n if none, and the share of the
// weight that is missing. It is 0 where there is no gap, or more than one.
func (p *point) gap(a alignment, n int) (first, left, right int, hole float64) {
	first, left, right = -1, -1, n
	before := -1
	for i := range p.parts {
		switch w := &p.parts[i]; {
		case w.weight == 0:
		case a.alike[i] == 0 && right < n, a.alike[i] > 0 && a.by[i] < before:
			return first, left, right, 0 // a second gap, or another order
		case a.alike[i] == 0:
			if first < 0 {
				first = i
			}
			hole += w.weight / p.total
		default:
			before = a.by[i]
			if first < 0 {
				left = before
			} else if right == n {
				right = before
			}
		}
	}
	return first, left, right, hole
}

// senseWords carry sense without content of their own.
var senseWords = words(lists["sense"])

// outerWord returns the first word before, or after, a place that is no article.
func outerWord(list []token, i, step int) string {
	for i += step; i >= 0 && i < len(list); i += step {
		if w := list[i].word; w != "a" && w != "an" && w != "the" && w != "one" {
			return w
		}
	}
	return ""
}

func (p *point) tokens() []token {
	list := make([]token, len(p.parts))
	for i := range p.parts {
		list[i] = p.parts[i].token
	}
	return list
}

func bare(said []word) []token {
	list := make([]token, len(said))
	for i := range said {
		list[i] = said[i].token
	}
	return list
}

// otherCause reports whether a cause is said that has no word of the gold point.
func (m *matcher) otherCause(said []word, a alignment) bool {
	for j := 1; j < len(said); j++ {
		if !causes[said[j].word] || !slices.ContainsFunc(a.by, func(at int) bool { return at >= 0 && at < j }) {
			continue
		}
		content, shared := 0, 0
		for ; j < len(said) && !said[j].first; j++ {
			if len(said[j].keys) > 0 && !m.title[said[j].key()] {
				content++
			}
			if slices.Contains(a.by, j) {
				shared++
			}
		}
		return content > 0 && shared == 0
	}
	return false
}

// mixed reports whether a clause puts together words of a gold point and of another one, two of each at least.
func mixed(g int, said []word, a alignment) bool {
	own, other := 0, map[int]int{}
	for j := range said {
		if said[j].parts() {
			own, other = 0, map[int]int{}
		}
		if slices.Contains(a.by, j) {
			own++
		} else if !slices.ContainsFunc(said[j].hits, func(h hit) bool { return h.gold == g }) {
			for _, h := range said[j].hits {
				if h.alike == wordnet.Same {
					other[h.gold]++
				}
			}
		}
		for _, n := range other {
			if own >= 2 && n >= 2 {
				return true
			}
		}
	}
	return false
}

var causes = words("because since due")

// sameNumber compares a number with one that was said.
func sameNumber(n float64, said *token) bool {
	if said.number == n {
		return true
	}
	return said.about && n > 0 && said.number > 0 && math.Abs(said.number-n) <= 0.15*n
}

// otherNumber reports whether a number of the gold point is missing and another one is said, or a number
// is said of what is one in the gold point.
func otherNumber(p *point, said []word, a alignment) bool {
	for j := range said {
		s := said[j].number
		if s == 0 || slices.Contains(a.by, j) {
			continue
		}
		for i := range p.parts {
			n := p.parts[i].number
			if n != 0 && a.by[i] < 0 && (s < 0) == (n < 0) && (s != 1 || n > 1 && said[j].word != "one") {
				return true
			}
			if s > 1 && i > 0 && a.by[i] == j+1 && a.alike[i] == wordnet.Same && ones[p.parts[i-1].word] {
				return true
			}
		}
	}
	return false
}

// ones say before a noun that there is one of it.
var ones = words("a an one each every single")

// otherName reports whether a name of the gold point is missing, in whole or in part, and another one is
// said in its place.
func (m *matcher) otherName(p *point, g int, said []word, a alignment) bool {
	var alien []int // words that are names and not of the gold point
	for j := range said {
		if said[j].name && !slices.Contains(a.by, j) && !m.title[said[j].key()] && !bearsOnOther(said[j].hits, g) {
			alien = append(alien, j)
		}
	}
	if len(alien) == 0 {
		return false
	}
	for i := 0; i < len(p.parts); i++ {
		if w := &p.parts[i]; !w.name || w.title {
			continue
		}
		end, named, whole := i, -1, true
		for ; end < len(p.parts) && p.parts[end].name; end++ {
			if a.by[end] >= 0 {
				named = a.by[end]
			} else {
				whole = false
			}
		}
		if named < 0 {
			return true
		}
		if !whole && slices.ContainsFunc(alien, func(j int) bool {
			return j == named+1 || j == named-1 || j == named+2 && said[j-1].word == "of"
		}) {
			return true
		}
		i = end
	}
	return false
}

// bearsOnOther reports whether a word is one of another gold point, word for word.
func bearsOnOther(hits []hit, g int) bool {
	return slices.ContainsFunc(hits, func(h hit) bool { return h.gold != g && h.alike == wordnet.Same })
}

// bareList reports whether words stand one after the other without the function words of a sentence, or
// with a mark after each.
func bareList(said []word) bool {
	content, function, marks := 0, 0, 0
	for j := range said {
		switch {
		case len(said[j].keys) > 0 || said[j].number != 0:
			content++
		case len(said[j].word) > 1 && said[j].word != "and":
			function++
		default:
			marks++
		}
	}
	return content >= 3 && function == 0 || content >= 6 && function*8 < content || content >= 3 && marks+1 >= content
}
