package form

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/kljensen/snowball"
	"golang.org/x/text/unicode/norm"

	"parley/eval/iep/wordnet"
)

// twins are two texts that say the same.
type twins struct {
	first, second int
	how           string // "the same as", "nearly the same as"
}

// filler are the small words of English, which carry no meaning for telling questions apart.
var filler = set(`a an the of in on at to for with and or by as is are was were be been do does did have has had
	you your yours we us our i me my it its this that these those there here please tell say let know kindly
	would could can may will shall should opinion view generally overall moment currently now today again once more
	all just really very so which`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// tokens are the words of a text, in small letters.
func tokens(text string) []string {
	return strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '\'' && !unicode.Is(unicode.Mn, r)
	})
}

// normal makes texts that differ in case, spaces and punctuation the same. What has neither letters
// nor numbers stays as it is.
func normal(text string) string {
	if words := tokens(text); len(words) > 0 {
		return strings.Join(words, " ")
	}
	return line(text)
}

// stem is an English word without its ending.
func stem(w string) string {
	if len(w) > 64 {
		return w
	}
	if s, err := snowball.Stem(w, "english", true); err == nil && s != "" {
		return s
	}
	return w
}

// minWords is the least number of words that carry meaning by which two texts are nearly the same.
const minWords = 2

// matter returns what two texts that ask the same have in common: their words that carry meaning, reduced to stems, in any
// order, and their marks; "" for fewer than minWords.
func matter(text string) string {
	var words []string
	for _, w := range tokens(text) {
		if !filler[w] {
			words = append(words, stem(w))
		}
	}
	slices.Sort(words)
	if words = slices.Compact(words); len(words) < minWords {
		return ""
	}
	return strings.Join(words, " ") + " " + marks(text)
}

// alike finds texts that say what an earlier one says; each is found once.
func alike(texts []string) []twins {
	var found []twins
	same, near := map[string]int{}, map[string]int{}
	for i, t := range texts {
		key, words := normal(t), matter(t)
		first, ok := same[key]
		earlier, nearly := near[words]
		switch {
		case key == "":
			continue
		case ok:
			found = append(found, twins{first, i, "the same as"})
			continue
		case nearly:
			found = append(found, twins{earlier, i, "nearly the same as"})
		case words != "":
			near[words] = i
		}
		same[key] = i
	}
	return found
}

// digits are the digits of a text: questions that differ in a number differ.
func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

var letters = regexp.MustCompile(`\b[A-HJ-Z]\b`)

// marks are the digits and the single capital letters of a text behind its beginning: box A is not box B.
func marks(s string) string {
	return digits(s) + strings.Join(letters.FindAllString(s[min(len(s), 1):], -1), "")
}

var smallWords = set("a an the of and or to in on at")

// sameOptions finds options that repeat an earlier one: the same but for case and punctuation, in
// another order or number of the words, or with one letter wrong. In a quiz an ending or a letter may be what is asked,
// and on a scale a cry is another step.
func sameOptions(options []string, quiz, scale bool) []twins {
	options = options[:min(len(options), 1000)]
	var found []twins
	type key struct{ normal, words string }
	var keys []key
	for i, o := range options {
		k := key{normal: normal(o)}
		var words []string
		if scale && strings.HasSuffix(o, "!") { // children's scales go from "No!" and "no" to "yes" and "Yes!"
			k.normal += "!"
			words = append(words, "!")
		}
		for _, w := range tokens(o) {
			if !smallWords[w] && quiz {
				words = append(words, w)
			} else if !smallWords[w] {
				words = append(words, stem(w))
			}
		}
		if digits(k.normal) == "" {
			slices.Sort(words)
		}
		k.words = strings.Join(words, " ")
		for j, other := range keys {
			if k.normal == "" {
				break
			}
			how := ""
			switch {
			case k.normal == other.normal:
				how = "the same as"
			case k.words != "" && k.words == other.words, !quiz && slip(k.normal, other.normal):
				how = "nearly the same as"
			}
			if how != "" {
				found = append(found, twins{j, i, how})
				break
			}
		}
		keys = append(keys, k)
	}
	return found
}

// slip reports whether two texts differ by one letter, past the first: a typing mistake, and not the
// prefix that turns a word into its opposite. Numbers, short words, and two words of WordNet (painting, printing) do not count.
func slip(a, b string) bool {
	unknown := func(w string) bool { return !wordnet.Known(stem(w)) }
	if !slices.ContainsFunc(tokens(a), unknown) && !slices.ContainsFunc(tokens(b), unknown) {
		return false
	}
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) < 6 || len(y)-len(x) > 1 || digits(a)+digits(b) != "" || x[0] != y[0] {
		return false
	}
	if n := len(x); n == len(y) && x[n-2] == ' ' { // room a, room b
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	if len(x) == len(y) {
		if i == len(x) {
			return false
		}
		if i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] { // two letters have changed places
			return string(x[i+2:]) == string(y[i+2:])
		}
		return string(x[i+1:]) == string(y[i+1:])
	}
	return string(x[i:]) == string(y[i+1:])
}
