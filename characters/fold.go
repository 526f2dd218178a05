package characters

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"parley/characters/yamlfile"
)

// letters spells out the Latin letters that do not come apart into a plain one and an accent.
var letters = strings.NewReplacer("æ", "ae", "œ", "oe", "ø", "o", "ß", "ss", "ð", "d", "þ", "th", "ł", "l", "đ", "d", "ı", "i")

// fold returns the text in lower case and without accents.
func fold(text string) string {
	if ascii(text) {
		return strings.ToLower(text)
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ToLower(text)) {
		if !unicode.Is(unicode.Mn, r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return letters.Replace(b.String())
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Slug makes an ID of a name: "Élan O'Mirë" becomes "elan-omire". It is empty where the name has no
// Latin letter and no digit.
func Slug(name string) ID {
	if !ascii(name) {
		name = fold(name)
	}
	out := make([]byte, 0, len(name))
	gap := false
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			if gap && len(out) > 0 {
				out = append(out, '-')
			}
			out, gap = append(out, byte(r)), false
		case r == '\'' || r == '’' || r == 'ʼ':
		default:
			gap = true
		}
	}
	return ID(out)
}

// Alike reports whether two names are too close to tell their characters apart at one table: they
// share a word of three letters or more, one's first word starts with the other's, or the first words
// are a slip of the pen apart (one edit, or two where both have five letters or more).
func Alike(a, b string) bool {
	words := strings.Split(string(Slug(a)), "-")
	return alike(words[:1], words, strings.Split(string(Slug(b)), "-"))
}

// alike says whether a name is too close to one of those whose first and whose other words are given.
func alike(firsts, words, name []string) bool {
	return slices.ContainsFunc(firsts, func(first string) bool { return near(first, name[0]) }) ||
		slices.ContainsFunc(name, func(w string) bool {
			return len(w) >= 3 && w != "the" && slices.Contains(words, w)
		})
}

// near says whether two folded first words are too close.
func near(a, b string) bool {
	if strings.HasPrefix(a, b) || strings.HasPrefix(b, a) {
		return true
	}
	limit := 1
	if min(len(a), len(b)) >= 5 {
		limit = 2
	}
	return yamlfile.Within(a, b, limit)
}
