package scenarios

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// light words carry no content of their own: they may stand in a hook without giving a fact away.
var light = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`a about after again against all along already also although always am
		among an and another any anybody anyone anything are as ask asked asking asks at away back be became
		because become been before being below beneath between beyond both but by call called calls came can
		cannot come comes coming could did do does doing done down during each either else even ever every
		everybody everyone everything few for from further gave get gets give given gives go goes going gone
		got had has have having he hear heard hears her here hers herself him himself his how however i if in
		inside into is it its itself just keep keeps kept know known knows less let like made make makes many
		may me might mine more most much must my myself name named names neither never no nobody none nor not
		nothing now of off on once one ones oneself only onto or other others our out over own put puts quite
		rather said same say says see seen self shall she should since so some somebody someone something speak
		still such take taken takes talk tell tells than that the their theirs them themselves then there these
		they thing things this those though through thus till to together told too took toward towards under
		until up upon us use used uses very want wants was we well went were what whatever when whenever where
		whether which while who whoever whom whose why will with within without would yes yet you your yours
		yourself`) {
		set[w] = true
	}
	return set
})

// stems returns the content words of a text, stemmed, in order, each once.
func stems(text string) []string {
	var out []string
	for _, w := range words(text) {
		if light()[w] {
			continue
		}
		if s := english.Stem(w, false); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// words returns a text's words in lower case. An apostrophe ends a word and drops what follows it,
// so that "miller's" is "miller".
func words(text string) []string {
	text = strings.ReplaceAll(strings.ToLower(text), "’", "'")
	var out []string
	for field := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r != '\'' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		field = strings.TrimLeft(field, "'")
		if w, _, _ := strings.Cut(field, "'"); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// without returns the stems that are not in drop.
func without(list, drop []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(drop, s) {
			out = append(out, s)
		}
	}
	return out
}

// share returns the share of the list that stands in another, 0 to 1.
func share(list, other []string) float64 {
	if len(list) == 0 {
		return 0
	}
	return float64(len(list)-len(without(list, other))) / float64(len(list))
}

// overlap is share for the shorter of two lists.
func overlap(a, b []string) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	return share(a, b)
}

// slug makes an id of a title.
func slug(title string) string {
	list := words(title)
	if len(list) > 1 && (list[0] == "the" || list[0] == "a" || list[0] == "an") {
		list = list[1:]
	}
	id := strings.Map(func(r rune) rune {
		if r == '-' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.Join(list, "-"))
	parts := strings.FieldsFunc(id, func(r rune) bool { return r == '-' }) // words may have dashes at their ends
	return strings.Join(parts, "-")
}

// hash is FNV-1a of an id. Choices that have to be the same on every machine and in every release
// hang on it.
func hash(id string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(id) {
		h = (h ^ uint64(id[i])) * 1099511628211
	}
	return h
}

// phrasing is a form of words, with what it would give away if a fact had it too.
type phrasing struct {
	text   string
	stems  []string    // roots of its content words, of three letters or more
	starts [512]uint64 // a bit for every three letters that a root begins with
}

func phrasings(texts ...string) []phrasing {
	list := make([]phrasing, len(texts))
	for i, text := range texts {
		p := &list[i]
		p.text, p.stems = text, stems(strings.ReplaceAll(text, "%s", ""))
		for _, s := range p.stems {
			n := three(three(three(0, s[0]), s[1]), s[2])
			p.starts[n/64] |= 1 << (n % 64)
		}
	}
	return list
}

// three is a number for three letters, small or capital: the two that the number before stands for,
// and another. What is no letter counts as one.
func three(before uint, letter byte) uint { return (before<<5 | uint(letter&31)) % (512 * 64) }

// shares reports whether a text, in small letters or capitals, holds one of the roots.
func (p *phrasing) shares(text string) bool {
	n := uint(0)
	for i := range len(text) {
		n = three(n, text[i])
		if p.starts[n/64]>>(n%64)&1 == 0 {
			continue
		}
		for _, s := range p.stems {
			if from, to := i-2, i-2+len(s); from >= 0 && to <= len(text) && strings.EqualFold(text[from:to], s) {
				return true
			}
		}
	}
	return false
}

// harmless returns the first phrasing, counted round from the id's hash, that shares no content word
// with the facts, or fallback. A root found inside a longer word counts as shared.
func (k *Knowledge) harmless(list []phrasing, fallback string) string {
	facts := make([]string, 0, 16)
	for _, f := range k.Facts {
		text := f.Text
		if strings.Contains(text, "İ") || strings.Contains(text, "\u212a") {
			text = strings.ToLower(text) // of all that is not ASCII, these two have small letters that are: i and k
		}
		facts = append(facts, text)
	}
	start := int(hash(k.ID) % uint64(len(list)))
	for i := range list {
		p := &list[(start+i)%len(list)]
		if !slices.ContainsFunc(facts, p.shares) {
			return p.text
		}
	}
	return fallback
}
