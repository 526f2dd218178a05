package reference

import (
	"math/rand/v2"
	"strings"
)

// form is a sentence with choices: "[Well|Listen], tell us [[more|all] of it|everything]." is
// every sentence that takes one way through each pair of brackets.
type form string

// pick takes one of the forms and expands it.
func pick(r *rand.Rand, forms []form) string {
	var b strings.Builder
	forms[r.IntN(len(forms))].expand(r, &b)
	return b.String()
}

func (f form) expand(r *rand.Rand, b *strings.Builder) {
	rest := string(f)
	for {
		open := strings.IndexByte(rest, '[')
		if open < 0 {
			b.WriteString(rest)
			return
		}
		b.WriteString(rest[:open])
		choices, after := split(rest[open+1:])
		form(choices[r.IntN(len(choices))]).expand(r, b)
		rest = after
	}
}

// split cuts the inside of a bracket into its choices and returns what follows the bracket.
func split(s string) (choices []string, after string) {
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[':
			depth++
		case ']':
			if depth == 0 {
				return append(choices, s[start:i]), s[i+1:]
			}
			depth--
		case '|':
			if depth == 0 {
				choices, start = append(choices, s[start:i]), i+1
			}
		}
	}
	return append(choices, s[start:]), ""
}
