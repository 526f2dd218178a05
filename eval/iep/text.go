package iep

import (
	"strings"
	"sync"
	"unicode"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// Sentences cuts a text into sentences: at full stops, question and exclamation marks, semicolons and
// line ends. List marks and numbering at a line's beginning go; a full stop within a number or after
// a single letter or a common abbreviation does not end a sentence.
func Sentences(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		line = strings.TrimLeft(line, "-*•–—>#\t ")
		if i := strings.IndexFunc(line, func(r rune) bool { return r < '0' || r > '9' }); i > 0 && i < 4 && strings.ContainsRune(".):", rune(line[i])) {
			line = strings.TrimSpace(line[i+1:])
		}
		out = cut(out, line)
	}
	return out
}

func cut(out []string, line string) []string {
	keep := func(s string) {
		if s = strings.TrimSpace(s); strings.IndexFunc(s, unicode.IsLetter) >= 0 {
			out = append(out, s)
		}
	}
	start := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '.', '!', '?', ';':
		default:
			continue
		}
		end := i + 1
		for end < len(line) && strings.IndexByte(".!?\"')*”’", line[end]) >= 0 {
			end++
		}
		if end < len(line) && line[end] != ' ' || line[i] == '.' && abbreviation(line[start:i]) {
			continue
		}
		keep(line[start:end])
		start, i = end, end-1
	}
	keep(line[start:])
	return out
}

// abbreviation reports whether a full stop after s belongs to its last word.
func abbreviation(s string) bool {
	word := s[strings.LastIndexByte(s, ' ')+1:]
	if len(word) == 1 {
		return unicode.IsUpper(rune(word[0]))
	}
	switch strings.ToLower(word) {
	case "mr", "mrs", "ms", "dr", "st", "e.g", "i.e", "etc", "vs", "no", "approx":
		return true
	}
	return false
}

// asciiFold takes accents off and makes curly quotes straight, which embedding models need too.
func asciiFold(s string) string {
	ascii := true
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			ascii = false
			break
		}
	}
	if ascii {
		return s
	}
	folded, _, err := transform.String(transform.Chain(norm.NFKD, runes.Remove(runes.In(unicode.Mn))), s)
	if err != nil {
		folded = s
	}
	return quotes.Replace(folded)
}

var quotes = strings.NewReplacer("‘", "'", "’", "'", "“", `"`, "”", `"`, "–", "-", "—", "-", "…", "...", "ß", "ss", "æ", "ae", "ø", "o", "đ", "d", "ł", "l")

// stems returns the content words of a text, reduced to their stems, in order.
func stems(text string) []string {
	text = strings.ToLower(asciiFold(text))
	var out []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	}) {
		w = strings.TrimSuffix(strings.Trim(w, "'"), "'s")
		if w == "" || stopwords[w] {
			continue
		}
		if d, ok := numerals[w]; ok {
			w = d
		}
		out = append(out, stem(w))
	}
	return out
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

var numerals = map[string]string{
	"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
	"eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14", "fifteen": "15", "sixteen": "16", "seventeen": "17", "eighteen": "18", "nineteen": "19",
	"twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90", "hundred": "100", "thousand": "1000",
	"first": "1st", "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th", "sixth": "6th", "seventh": "7th", "eighth": "8th", "ninth": "9th", "tenth": "10th",
	"once": "1x", "twice": "2x", "thrice": "3x", "dozen": "12",
}

var stopwords = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`a an the and or but nor so yet if then than that this these those there here it its itself he him his
himself she her hers herself they them their theirs themselves we us our ours you your yours i me my mine myself who whom whose which what
is are was were be been being am do does did done doing has have had having can could may might must shall should will would
to of in on at by for with from into onto upon about as up down out over under again off only also just very too still even ever
not no any some all each every both such own same other another more most much many few
told tell tells said say says saying learned learnt learn found find know known knows heard hear seems seem apparently
when where why how because while until before after during through between against without within`) {
		set[w] = true
	}
	return set
}()
