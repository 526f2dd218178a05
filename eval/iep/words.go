package iep

import (
	"cmp"
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/kljensen/snowball/english"

	"parley/eval/iep/wordnet"
)

// token is a word of a text, or a number of several words.
type token struct {
	word    string   // in small letters, folded to ASCII
	keys    []string // its stem and that of its base form; none: a function word
	number  float64  // of a number that was said in words or digits; 0: it is none
	about   bool     // a number said to be nearly so
	name    bool     // a proper name, as far as capitals and the vocabulary tell
	negates bool     // a negation
	negated bool     // in the scope of one
	denied  []string // the keys of all words in that scope
	first   bool     // of a sentence
}

// tokens returns the words of a sentence in order, with the marks , ; : ( and - that part its clauses
// as tokens of their own.
func tokens(sentence string) []token {
	var out []token
	text := strings.ReplaceAll(asciiFold(sentence), "/", " , ")
	letter := strings.IndexFunc(text, unicode.IsLetter)
	terse := letter >= 0 && unicode.IsLower(rune(text[letter])) // names may have small letters too
	start := -1
	for i, r := range text + " " {
		if inWord(text, i, r, start >= 0) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			out = append(out, split(text[start:i], terse)...)
			start = -1
		}
		if strings.ContainsRune(",;:()-", r) {
			out = append(out, token{word: string(r)})
		}
	}
	return properNames(numbers(out))
}

// inWord reports whether a character is of a word or number: a letter, a digit, an apostrophe, and within what has
// begun also a hyphen and the mark between two digits.
func inWord(text string, i int, r rune, begun bool) bool {
	switch r {
	case '\'':
		return true
	case '-':
		return begun
	case ',', '.':
		return begun && i+1 < len(text) && unicode.IsDigit(rune(text[i-1])) && unicode.IsDigit(rune(text[i+1]))
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// split makes tokens of the words that hyphens join, without what a verb or a genitive leaves at their ends.
func split(raw string, terse bool) []token {
	var out []token
	for part := range strings.SplitSeq(raw, "-") {
		part = strings.Trim(part, "'")
		word := strings.ToLower(part)
		if pronoun, is := strings.CutSuffix(word, "'s"); is && things[pronoun] {
			out = append(out, token{word: pronoun}, token{word: "is"})
			continue
		}
		for _, s := range []string{"'s", "'d", "'ll", "'ve", "'re", "'m"} {
			word = strings.TrimSuffix(word, s)
		}
		if word != "" {
			out = append(out, newToken(word, unicode.IsUpper(rune(part[0])), terse))
		}
	}
	return out
}

func newToken(word string, upper, terse bool) token {
	t := token{word: word}
	switch {
	case upper && negation(word) && !terse: // "Captain Nobody", unless the sentence begins with it
	case upper && (word == "may" || word == "will"): // a month, a name
	case functionWords[word], negation(word):
		t.negates = negation(word)
		return t
	}
	digits := strings.TrimRight(word, "stndrh")
	if d, err := strconv.ParseFloat(strings.ReplaceAll(digits, ",", ""), 64); err == nil && unicode.IsDigit(rune(word[0])) {
		if t.number = d; digits != word {
			t.number = -d
		}
		return t
	}
	s := stem(word)
	base := wordnet.Base(s)
	if functionWords[base] && !wordnet.Known(s) {
		return t
	}
	if base == "" {
		base = positive(s)
	}
	t.keys = []string{s}
	if base != "" {
		t.keys = append(t.keys, base)
	}
	known := base != "" || wordnet.Known(s)
	t.name = upper || terse && !known && len(word) > 2 && numerals[word] == 0
	return t
}

// positive returns the word of which a stem is the superlative, or the comparative: "long", "old"; empty: of none.
func positive(stem string) string {
	for _, degree := range []string{"est", "er"} {
		p, cut := strings.CutSuffix(stem, degree)
		if cut && (degree == "est" || !wordnet.Known(stem)) && len(wordnet.Opposites(p)) > 0 {
			return p
		}
	}
	return ""
}

// properNames takes back what a capital says at a sentence's beginning, unless the word is unknown or
// another capital follows.
func properNames(list []token) []token {
	for i := range list {
		t := &list[i]
		if i == 0 && (negation(t.word) || functionWords[t.word]) {
			*t = token{word: t.word, negates: negation(t.word)}
		}
		if i == 0 && t.name && len(t.keys) > 0 {
			t.name = !wordnet.Known(t.keys[0]) && len(t.keys) == 1 || len(list) > 1 && list[1].name
		}
	}
	return list
}

// numerals are the words of numbers. Ordinals are negative.
var numerals = func() map[string]float64 {
	m := map[string]float64{}
	for _, p := range phrases(lists["numerals"]) {
		word, number, _ := strings.Cut(strings.TrimSpace(p), " ")
		m[word], _ = strconv.ParseFloat(number, 64)
	}
	return m
}()

// approximate words say that the number after them is not exact.
var approximate = words(lists["approximate"])

// numbers joins the words of a number: "four hundred and three", "half a dozen".
func numbers(list []token) []token {
	var out []token
	for i := 0; i < len(list); i++ {
		n := numerals[list[i].word]
		list[i].about = i > 0 && approximate[list[i-1].word]
		if n == 0 || list[i].name && i > 0 {
			out = append(out, list[i])
			continue
		}
		end := i + 1
		if n > 0 {
			n, end = number(list, i)
		}
		if n == 7 && end < len(list) && list[end].word == "days" {
			list[end] = token{word: "week", keys: []string{"week"}}
			i = end - 1
			continue
		}
		out = append(out, token{word: list[i].word, number: n, about: list[i].about})
		if list[i].word == "fortnight" {
			out = append(out, token{word: "weeks", keys: []string{"week"}})
		}
		i = end - 1
	}
	return out
}

// number reads the cardinal that begins at a word, and returns where it ends.
func number(list []token, i int) (value float64, end int) {
	total, part := 0.0, 0.0
	for end = i; end < len(list); end++ {
		n, next := numerals[list[end].word], 0.0
		if end+1 < len(list) {
			next = numerals[list[end+1].word]
		}
		switch w := list[end].word; {
		case w == "thousand":
			total, part = total+cmp.Or(part, 1)*1000, 0
		case w == "hundred" || w == "dozen":
			part = cmp.Or(part, 1) * n
		case w == "a" && part == 0.5 && next == 12:
		case w == "and" && (part >= 100 || part == 0 && total > 0) && next >= 1 && next < 100:
		case n > 0 && extends(part, n):
			part += n
		default:
			return total + part, end
		}
	}
	return total + part, end
}

// extends reports whether a numeral goes on a number below a thousand: "twenty" with "three", "two hundred" with "ten".
func extends(part, n float64) bool {
	return part == 0 || n >= 1 && (part >= 100 && n < 100 || part >= 20 && n < 10)
}

var stemmed sync.Map // word -> stem; the vocabulary of a run is small

func stem(w string) string {
	if s, ok := stemmed.Load(w); ok {
		return s.(string)
	}
	s := english.Stem(w, false)
	if len(w) < 32 { // what a flood is made of is not worth keeping
		stemmed.Store(w, s)
	}
	return s
}

//go:embed words.txt
var wordLists string

// lists holds the word lists of words.txt by their names.
var lists = func() map[string]string {
	m := map[string]string{}
	for section := range strings.SplitSeq(wordLists, "\n[") {
		if name, list, ok := strings.Cut(section, "]\n"); ok {
			m[name] = list
		}
	}
	return m
}()

// words makes a set of the words of a list.
func words(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// phrases returns the phrases of a list, which commas part, with a space at each end.
func phrases(list string) []string {
	var out []string
	for p := range strings.SplitSeq(list, ",") {
		if p = strings.Join(strings.Fields(p), " "); p != "" {
			out = append(out, " "+p+" ")
		}
	}
	return out
}

// functionWords carry no content. Those that carry the sense (before, under, only ...) are not here, and
// negations are apart.
var functionWords = words(lists["function"])

var negations = words(lists["negations"])

func negation(word string) bool { return negations[word] || strings.HasSuffix(word, "n't") }
