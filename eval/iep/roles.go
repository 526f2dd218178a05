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

// passive reports whether the verb at a place is passive: a participle soon after a form of "to be".
func passive(list []token, verb int) bool {
	if w := list[verb].word; strings.HasSuffix(w, "ing") || strings.HasSuffix(w, "s") {
		return false
	}
	return slices.ContainsFunc(list[max(0, verb-2):verb], func(t token) bool { return beWords[t.word] })
}

// swapped reports whether something that stands before a verb in a gold point stands behind it in a
// stretch, and the other way round, with the verb in the same voice: "the cook ate the carp", "the carp ate
// the cook". What the gold points are about stands there under its title or as a pronoun.
func swapped(p *point, title map[string]bool, said []word, a alignment) bool {
	fact, list := p.tokens(), bare(said)
	from, to := mainSentence(list, a)
	places := [][2]int{} // of what both have
	for i := range p.parts {
		if w := &p.parts[i]; w.weight > 0 && a.by[i] >= from && a.by[i] < to && a.alike[i] == wordnet.Same {
			places = append(places, [2]int{i, a.by[i]})
		}
	}
	if i, j := slices.IndexFunc(p.parts, func(w part) bool { return w.title }), subject(list[from:to], title); i >= 0 && j >= 0 {
		places = append(places, [2]int{i, from + j})
	}
	for v := 1; v < len(fact); v++ {
		w := a.by[v]
		if lightVerbs[fact[v].lemma()] {
			w = from + slices.IndexFunc(list[from:to], func(t token) bool { return t.lemma() == fact[v].lemma() })
		} else if !fact[v].verb(fact[v+1:]) || a.alike[v] < wordnet.Synonym {
			continue
		}
		if w < from || w >= to || determiners[fact[v-1].word] || fact[v-1].number != 0 {
			continue
		}
		turned := passive(fact, v) != passive(list, w) // then what changes sides is right
		lost, gained := false, false
		for _, at := range places {
			lost = lost || at[0] < v && at[1] != w && (at[1] > w) != turned
			gained = gained || at[0] > v && at[1] != w && (at[1] < w) != turned
		}
		if lost && gained {
			return true
		}
	}
	return false
}

// subject returns where a title stands in a sentence, or else "it", or else another pronoun; -1: nowhere.
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
