package scenarios

import (
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

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

// share returns the share of the list that is in another, 0 to 1.
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

// phrasing is a form of words, with the roots of its content words, each of three letters or more.
type phrasing struct {
	text  string
	stems []string
}

func phrasings(texts []string) []phrasing {
	list := make([]phrasing, len(texts))
	for i, text := range texts {
		list[i] = phrasing{text, stems(strings.ReplaceAll(text, "%s", ""))}
	}
	return list
}

// harmless returns the first phrasing, counted round from the id's hash, that shares no content word
// with the facts, or fallback. A root found inside a longer word counts as shared.
func (k *Knowledge) harmless(list []phrasing, fallback string) string {
	var b strings.Builder
	for _, f := range k.Facts {
		b.WriteString(f.Text)
		b.WriteByte('\n')
	}
	facts := strings.ToLower(b.String())
	h := fnv.New64a() // the choice has to be the same on every machine and in every release
	io.WriteString(h, k.ID)
	start := int(h.Sum64() % uint64(len(list)))
	for i := range list {
		p := &list[(start+i)%len(list)]
		if !slices.ContainsFunc(p.stems, func(s string) bool { return strings.Contains(facts, s) }) {
			return p.text
		}
	}
	return fallback
}
