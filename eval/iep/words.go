package iep

import (
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
	lower := strings.IndexFunc(text, unicode.IsLetter)
	terse := lower >= 0 && unicode.IsLower(rune(text[lower])) // names may have small letters too
	flush := func(raw string) {
		for _, part := range strings.Split(raw, "-") {
			part = strings.Trim(part, "'")
			word := strings.ToLower(part)
			for _, s := range []string{"'s", "'d", "'ll", "'ve", "'re", "'m"} {
				word = strings.TrimSuffix(word, s)
			}
			if word = strings.TrimSuffix(word, "'"); word != "" {
				out = append(out, newToken(word, unicode.IsUpper(rune(part[0])), terse))
			}
		}
	}
	start := -1
	for i, r := range text + " " {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' || r == '-' && start >= 0 ||
			(r == ',' || r == '.') && start >= 0 && i+1 < len(text) && unicode.IsDigit(rune(text[i-1])) && unicode.IsDigit(rune(text[i+1])) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			flush(text[start:i])
			start = -1
		}
		if strings.ContainsRune(",;:()-", r) {
			out = append(out, token{word: string(r)})
		}
	}
	return properNames(numbers(out))
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
	if functionWords[base] {
		return t
	}
	t.keys = []string{s}
	if base != "" {
		t.keys = append(t.keys, base)
	}
	known := base != "" || wordnet.Known(s)
	t.name = upper || terse && !known && len(word) > 2 && numerals[word] == 0
	return t
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
var numerals = map[string]float64{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "thousand": 1000,
	"dozen": 12, "once": 1, "twice": 2, "thrice": 3, "half": 0.5, "single": 1, "fortnight": 2, "first": -1, "second": -2, "third": -3, "fourth": -4,
	"fifth": -5, "sixth": -6, "seventh": -7, "eighth": -8, "ninth": -9, "tenth": -10, "eleventh": -11, "twelfth": -12, "thirteenth": -13, "fifteenth": -15, "twentieth": -20, "thirtieth": -30, "hundredth": -100,
}

// approximate words say that the number after them is not exact.
var approximate = words("about around nearly almost roughly over some under")

// numbers joins the words of a number: "four hundred and three", "half a dozen".
func numbers(list []token) []token {
	var out []token
	for i := 0; i < len(list); i++ {
		n := numerals[list[i].word]
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
		out = append(out, token{word: list[i].word, number: n, about: i > 0 && approximate[list[i-1].word]})
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
		w := list[end].word
		n := numerals[w]
		next := 0.0
		if end+1 < len(list) {
			next = numerals[list[end+1].word]
		}
		switch {
		case w == "thousand":
			total, part = total+max(part, 1)*1000, 0
		case w == "hundred":
			part = max(part, 1) * 100
		case w == "dozen" && part < 100:
			if part == 0 {
				part = 1
			}
			part *= 12
		case w == "a" && part == 0.5 && next == 12:
		case w == "and" && end > i && (part == 0 && total > 0 || part >= 100) && next >= 1 && next < 100:
		case n > 0 && (part == 0 || part >= 100 && n < 100 || part >= 20 && part < 100 && n < 10 && n >= 1):
			part += n
		default:
			return total + part, end
		}
	}
	return total + part, end
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

func words(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// functionWords carry no content. Those that carry the sense (before, under, only ...) are not here, and
// negations are apart.
var functionWords = words(`a an the and or but so yet if then than that this these those there here it its itself he him his
	himself she her hers herself they them their theirs themselves em we us our ours you your yours yourself i me my mine myself who whom
	whose which what is are was were be been being am 's do does did done doing has have having had can could may might must shall should
	will would to of in on at by for with from into onto upon about as out off again also just very too still even ever some any all each
	every both such own same other another more most much many few one ones told tell tells said say says saying learned learnt learn
	find heard hears hear seems seem apparently when where why how because while whereas though although during through
	thing things get gets got getting gotten well oh yes let like really quite put puts make makes made go goes going come comes take takes
	someone somebody something anyone anybody anything whoever whatever whenever cause used way`)

var negations = words(`not no never none nobody nothing neither nor without cannot cant dont doesnt didnt wont isnt wasnt arent aint
	unable hardly`)

func negation(word string) bool { return negations[word] || strings.HasSuffix(word, "n't") }
