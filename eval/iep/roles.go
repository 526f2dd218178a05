package iep

import (
	"slices"
	"strings"

	"parley/eval/iep/wordnet"
)

// The parts that a word may play in its sentence: the one that does it, the one that it is done to, or
// the preposition before it.
const (
	agent   = "agent"
	patient = "patient"
)

var (
	prepositions = words(lists["prepositions"])
	beWords      = words(lists["to be"])
	auxiliaries  = words(lists["auxiliaries"])
	determiners  = words(lists["determiners"])
	pronouns     = words(lists["pronouns"])
)

// crossing are the parts that make another statement where they are exchanged.
var crossing = words(agent + " " + patient + " to from for against")

// roles returns the part that each word plays, and where the first verb is, or the first form of "to be"
// where there is none; -1: nowhere.
func roles(list []token) (parts []string, verb int) {
	parts, verb = make([]string, len(list)), -1
	be, governed := -1, 0 // words since the preposition
	prep, passive, modal, seen := "", false, false, false
	for i := range list {
		t := &list[i]
		before := ""
		if i > 0 {
			before = list[i-1].word
		}
		switch {
		case len(t.word) == 1 && strings.Contains(",;:()-", t.word):
			prep = ""
		case prepositions[t.word]:
			prep, governed = t.word, 0
			continue
		case beWords[t.word]:
			if be < 0 {
				be = i
			}
			seen, prep = true, ""
			if pronouns[t.word] {
				parts[i] = agent
			}
			continue
		case !seen && (auxiliaries[t.word] || t.negates && t.word != "no" && t.word != "nobody" && t.word != "none"):
			seen, modal, prep = true, true, ""
			continue
		case verb < 0 && i > 0 && !determiners[before] && list[i-1].number == 0 && (prep == "" || governed > 0) && (t.verb(modal) || i+1 < len(list) && list[i+1].word == "to" && t.verb(true)):
			seen, verb, prep = true, i, ""
			passive = !strings.HasSuffix(t.word, "s") && (beWords[before] || i > 1 && beWords[list[i-2].word])
			continue
		}
		governed++
		switch {
		case prep != "":
			parts[i] = prep
		case seen:
			parts[i] = patient
		default:
			parts[i] = agent
		}
	}
	for i := range parts {
		if passive && parts[i] == agent {
			parts[i] = patient
		} else if passive && parts[i] == "by" {
			parts[i] = agent
		}
	}
	if verb < 0 {
		verb = be
	}
	return parts, verb
}

// verb reports whether a word is a form of a verb, as far as its ending tells; after a modal it needs
// none.
func (t *token) verb(modal bool) bool {
	if t.name || len(t.keys) == 0 || !wordnet.Verb(t.keys[len(t.keys)-1]) || t.word == "called" || t.word == "named" {
		return false
	}
	return modal || len(t.keys) > 1 || strings.HasSuffix(t.word, "ed") || strings.HasSuffix(t.word, "s") && !strings.HasSuffix(t.word, "ss")
}

// swapped reports whether two things of a gold point have exchanged their parts in a stretch with the same
// verb, or its agent is something else of it.
func swapped(p *point, title map[string]bool, said []word, a alignment) bool {
	want, verb := roles(p.tokens())
	if verb < 0 {
		return false
	}
	list := bare(said)
	from, to := mainSentence(list, a)
	got, other := roles(list[from:to])
	same := other >= 0 && (a.by[verb] == from+other && a.alike[verb] == wordnet.Same || beWords[p.parts[verb].word] && beWords[list[from+other].word])
	if !same {
		return false
	}
	var wants, gots []string
	for i := range p.parts {
		if at := a.by[i] - from; i != verb && p.parts[i].weight > 0 && at >= 0 && at < len(got) && a.alike[i] == wordnet.Same {
			wants, gots = append(wants, want[i]), append(gots, got[at])
		}
	}
	subject := slices.IndexFunc(p.parts, func(w part) bool { return w.title })
	at := slices.IndexFunc(list[from:to], func(t token) bool { return pronouns[t.word] || title[t.key()] })
	if subject >= 0 && at >= 0 {
		wants, gots = append(wants, want[subject]), append(gots, got[at])
	}
	lost, gained := false, false
	for i := range wants {
		if wants[i] == "" || gots[i] == "" || wants[i] == gots[i] {
			continue
		}
		lost = lost || wants[i] == agent
		gained = gained || gots[i] == agent
		for j := range i {
			if wants[i] == gots[j] && wants[j] == gots[i] && crossing[wants[i]] && crossing[wants[j]] {
				return true
			}
		}
	}
	return lost && gained
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
