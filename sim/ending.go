package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// AllPass ends the play when everybody has passed in a row. A pass in place of a reply that was malformed
// does not count.
func AllPass() Ending {
	return func(ep *Episode) (string, bool) {
		n := len(ep.cast)
		if len(ep.moves) < n {
			return "", false
		}
		for _, m := range ep.moves[len(ep.moves)-n:] {
			if m.Kind != KindPass || m.Fault != "" {
				return "", false
			}
		}
		return "all pass", true
	}
}

// TokenBudget ends the play when the calls of its turns have used that many prompt and completion
// tokens, as far as servers said. Debriefs do not count.
func TokenBudget(tokens int) Ending {
	return func(ep *Episode) (string, bool) {
		return fmt.Sprintf("token budget of %d", tokens), ep.Played.Tokens >= tokens
	}
}

// WallClock ends the play when its turns have taken that long. Debriefs and stops do not count.
func WallClock(limit time.Duration) Ending {
	return func(ep *Episode) (string, bool) {
		return "wall clock of " + limit.String(), ep.Played.Time >= limit
	}
}

// Loop ends the play when the table goes round in circles: everybody's last two moves say the same
// as the two before, or everybody's last words were a farewell.
func Loop() Ending {
	return func(ep *Episode) (string, bool) {
		n := len(ep.cast)
		if len(ep.moves) < n {
			return "", false
		}
		round := ep.moves[len(ep.moves)-n:]
		bye := 0
		for _, m := range round {
			if farewell(m.Speech) {
				bye++
			}
		}
		if bye == n {
			return "farewell", true
		}
		if len(ep.moves) < 3*n {
			return "", false
		}
		spoken := false
		for i := len(ep.moves) - 2*n; i < len(ep.moves); i++ {
			said := fold(ep.moves[i].Speech + " " + ep.moves[i].Deed)
			if said != fold(ep.moves[i-n].Speech+" "+ep.moves[i-n].Deed) {
				return "", false
			}
			spoken = spoken || said != ""
		}
		return "loop", spoken
	}
}

// fold keeps letters and digits in lower case, words apart by one space.
func fold(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}

var farewells = []string{"farewell", "goodbye", "good bye", "until we meet again", "safe travels", "safe journey", "fare well", "fare thee well", "be well", "good night", "so long", "see you"}

// farewell reports whether a speech takes leave. A question is none.
func farewell(speech string) bool {
	if strings.HasSuffix(strings.TrimSpace(speech), "?") {
		return false
	}
	s := " " + fold(speech) + " "
	return slices.ContainsFunc(farewells, func(w string) bool { return strings.Contains(s, " "+w+" ") })
}
