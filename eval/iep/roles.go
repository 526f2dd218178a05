package iep

import (
	"cmp"
	"slices"
	"strings"

	"parley/eval/iep/wordnet"
)

var (
	beWords     = words(lists["to be"])
	determiners = words(lists["determiners"])
	things      = words(lists["pronouns"])
)

// verb reports whether a word is a form of a verb, as far as its ending and the next word tell.
func (t *token) verb(after []token) bool {
	if t.name || len(t.keys) == 0 || !wordnet.Verb(t.keys[len(t.keys)-1]) {
		return false
	}
	return len(t.keys) > 1 || strings.HasSuffix(t.word, "ed") || strings.HasSuffix(t.word, "ing") ||
		strings.HasSuffix(t.word, "s") && !strings.HasSuffix(t.word, "ss") ||
		len(after) > 0 && (after[0].word == "to" || determiners[after[0].word] && after[0].word != "of")
}

// lightVerbs are verbs among the function words.
var lightVerbs = words("make take find get give go come put")

// lemma returns the stem of a word's base form.
func (t *token) lemma() string {
	s := stem(t.word)
	return cmp.Or(wordnet.Base(s), s)
}

// voice returns whether the verb at a place is "active" or "passive", which is a participle soon after a form of
// "to be" or before "by"; empty: it may be either.
func voice(list []token, verb int) string {
	w := list[verb].word
	switch {
	case strings.HasSuffix(w, "ing") || strings.HasSuffix(w, "s"):
		return "active"
	case verb+1 < len(list) && list[verb+1].word == "by",
		slices.ContainsFunc(list[max(0, verb-2):verb], func(t token) bool { return beWords[t.word] }):
		return "passive"
	case verb == 0 || list[verb-1].parts():
		return ""
	}
	return "active"
}

// swapped reports whether something that comes before a verb in a gold point comes behind it in a
// stretch, and the other way round, with the verb in the same voice: "the cook ate the carp", "the carp ate
// the cook". The subject of the gold points may be there by its title or as a pronoun.
func swapped(p *point, title map[string]bool, said []word, a alignment) bool {
	fact, list := p.tokens(), bare(said)
	from, to := mainSentence(list, a)
	places := p.places(title, list, a, from, to)
	if redirected(fact, list, places) {
		return true
	}
	for v := 1; v < len(fact); v++ {
		w := a.by[v]
		if lightVerbs[fact[v].lemma()] {
			w = from + slices.IndexFunc(list[from:to], func(t token) bool { return t.lemma() == fact[v].lemma() })
		} else if a.alike[v] < wordnet.Synonym || !fact[v].verb(fact[v+1:]) && !(predicate(fact, v) && predicate(list, w)) {
			continue
		}
		if w < from || w >= to || determiners[fact[v-1].word] || fact[v-1].number != 0 {
			continue
		}
		if turned, known := turned(voice(fact, v), voice(list, w)); known && p.exchanged(places, v, w, turned) {
			return true
		}
	}
	return false
}

// places pairs the places of what a gold point and a sentence of a stretch, from one word to another, both have.
func (p *point) places(title map[string]bool, list []token, a alignment, from, to int) [][2]int {
	places := [][2]int{}
	for i := range p.parts {
		if p.parts[i].weight > 0 && a.by[i] >= from && a.by[i] < to && a.alike[i] == wordnet.Same {
			places = append(places, [2]int{i, a.by[i]})
		}
	}
	if i, j := slices.IndexFunc(p.parts, func(w part) bool { return w.title }), subject(list[from:to], title); i >= 0 && j >= 0 {
		places = append(places, [2]int{i, from + j})
	}
	return places
}

// turned reports whether two voices differ, so that who does it and who it is done to change sides, and whether that
// is known: a verb that may be in either voice is taken to be in the other's, unless that is passive.
func turned(was, is string) (turned, known bool) {
	if was == "" || is == "" {
		return false, was != "passive" && is != "passive"
	}
	return was != is, true
}

// exchanged reports whether something before a verb comes behind it, and the other way round. Where the voice is
// turned that is as it should be for names and the subject, and the contrary is not.
func (p *point) exchanged(places [][2]int, verb, said int, turned bool) bool {
	lost, gained := false, false
	for _, at := range places {
		if w := &p.parts[at[0]]; at[1] == said || turned && !w.name && !w.title {
			continue
		}
		lost = lost || at[0] < verb && (at[1] > said) != turned
		gained = gained || at[0] > verb && (at[1] < said) != turned
	}
	return lost && gained
}

// subject returns the place of a title in a sentence, or else "it", or else another pronoun; -1: nowhere.
func subject(list []token, title map[string]bool) int {
	at := slices.IndexFunc(list, func(t token) bool { return title[t.key()] })
	if at < 0 {
		at = slices.IndexFunc(list, func(t token) bool { return t.word == "it" || t.word == "its" })
	}
	if at < 0 {
		at = slices.IndexFunc(list, func(t token) bool { return things[t.word] })
	}
	return at
}

// mainSentence returns where the sentence is that covers the most parts.
func mainSentence(list []token, a alignment) (from, to int) {
	best := -1
	for start := 0; start < len(list); {
		end := start + 1
		for end < len(list) && !list[end].first {
			end++
		}
		n := 0
		for _, at := range a.by {
			if at >= start && at < end {
				n++
			}
		}
		if n > best {
			best, from, to = n, start, end
		}
		start = end
	}
	return from, to
}

// predicate reports whether a word is the predicate of its sentence: "grew rich", "is younger".
func predicate(list []token, at int) bool { return at > 0 && beWords[list[at-1].word] }

// redirected reports whether something goes from where it goes to in a gold point, or two things change sides of a
// preposition: "stolen from the monk by the nun", "heard it from the nun".
func redirected(fact, said []token, places [][2]int) bool {
	lost, gained := map[string]bool{}, map[string]bool{}
	for _, at := range places {
		here, there := direction(fact, at[0]), direction(said, at[1])
		if here == "to" && there == "from" || here == "from" && there == "to" {
			return true
		}
		if here != there {
			lost[here], gained[there] = true, true
		}
	}
	for w := range lost {
		if w != "" && gained[w] && (w != "than" || lesser(fact) == lesser(said)) {
			return true
		}
	}
	return false
}

// lesser reports whether something is compared downwards.
func lesser(list []token) bool {
	return slices.ContainsFunc(list, func(t token) bool { return t.word == "less" || t.word == "fewer" })
}

// direction returns the preposition "to", "from", "by" or "than" of the noun at a place.
func direction(list []token, at int) string {
	for i := at - 1; i >= max(0, at-4); i-- {
		switch t := &list[i]; {
		case t.word == "from", t.word == "by", t.word == "than", t.word == "to" && (determiners[list[i+1].word] || list[i+1].name):
			return t.word
		case len(t.keys) == 0 && !determiners[t.word]:
			return ""
		}
	}
	return ""
}
