package form

import (
	"strings"
	"unicode"

	snow "github.com/kljensen/snowball/english"
)

// Limits of the rule on reading level. A form for all should be readable for those who finished
// school; a single long question may be somewhat harder.
const (
	hardText      = 12
	hardQuestion  = 16
	leastWords    = 60
	leastQuestion = 12
)

// Grade is the Flesch-Kincaid grade level of an English text, 0.39 words a sentence + 11.8 syllables
// a word - 15.59 (Kincaid, Fishburne, Rogers and Chissom, "Derivation of new readability formulas",
// 1975), and its number of words. Syllables are counted by groups of vowels. False: no words.
func Grade(text string) (grade float64, words int, ok bool) {
	sentences, syllables := 0, 0
	open := false
	for _, f := range strings.Fields(text) {
		w := strings.TrimFunc(f, func(r rune) bool { return !unicode.IsLetter(r) })
		if w != "" {
			words++
			open = true
			syllables += Syllables(w)
		}
		if open && strings.ContainsAny(f[len(f)-1:], ".?!") {
			sentences++
			open = false
		}
	}
	if words == 0 {
		return 0, 0, false
	}
	if open {
		sentences++
	}
	return 0.39*float64(words)/float64(sentences) + 11.8*float64(syllables)/float64(words) - 15.59, words, true
}

// Syllables counts the groups of vowels of an English word, less a silent e at its end; at least 1.
func Syllables(word string) int {
	w := strings.ToLower(word)
	n := 0
	before := false
	for _, r := range w {
		vowel := strings.ContainsRune("aeiouy", r)
		if vowel && !before {
			n++
		}
		before = vowel
	}
	silent := strings.HasSuffix(w, "e") && !strings.HasSuffix(w, "le") && !strings.HasSuffix(w, "ee") ||
		strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "ted") && !strings.HasSuffix(w, "ded")
	if silent && n > 1 {
		n--
	}
	return max(n, 1)
}

// english reports whether a text looks like English: one word in five is one of its stop words.
func english(text string) bool {
	words := tokens(text)
	n := 0
	for _, w := range words {
		if snow.IsStopWord(w) {
			n++
		}
	}
	return 5*n >= len(words)
}
