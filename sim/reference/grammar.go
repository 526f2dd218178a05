package reference

import (
	"math/rand/v2"
	"strings"
)

// form is a sentence with choices: "[Well|Listen], tell us [more of it|everything]." is every sentence that takes
// one of each pair of brackets.
type form string

// pick takes one of the forms, and one of the choices in each of its brackets.
func pick(r *rand.Rand, forms []form) string {
	var b strings.Builder
	for rest := string(forms[r.IntN(len(forms))]); rest != ""; {
		text, more, _ := strings.Cut(rest, "[")
		choices, after, found := strings.Cut(more, "]")
		b.WriteString(text)
		if all := strings.Split(choices, "|"); found {
			b.WriteString(all[r.IntN(len(all))])
		}
		rest = after
	}
	return b.String()
}
