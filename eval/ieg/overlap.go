package ieg

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// grams is how many words in a row are looked for when texts are compared.
const grams = 12

// overlaps returns the windows of xs that repeat text of the tested windows, each with the one that it
// repeats, at most three and how many more. What several groups of the tested windows say, or several of xs, is in
// common use, such as a greeting that opens every session; but not where half of a window is made of it.
func overlaps(xs, tested []Interaction) []string {
	said, own := groupsSaying(tested), groupsSaying(xs)
	var out []string
	more := 0
	for i := range xs {
		runs, hits, copied := runsOf(&xs[i]), 0, ""
		var from *Interaction
		for _, g := range runs {
			switch by := said[g]; {
			case by == nil || by.several:
			case !own[g].several:
				copied, from = g, by.first
			default:
				hits++
				if copied == "" && 2*hits >= len(runs) {
					copied, from = g, by.first
				}
			}
		}
		switch {
		case copied == "":
		case len(out) == 3:
			more++
		default:
			out = append(out, fmt.Sprintf("%s repeats %q of %s", xs[i].ID, copied, from.ID))
		}
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return out
}

// saying is the first window that holds a run of words, and whether windows of other groups hold it too.
type saying struct {
	first   *Interaction
	several bool
}

func groupsSaying(xs []Interaction) map[string]*saying {
	by := map[string]*saying{}
	for i := range xs {
		for _, g := range runsOf(&xs[i]) {
			if s := by[g]; s == nil {
				by[g] = &saying{first: &xs[i]}
			} else if s.first.Group != xs[i].Group {
				s.several = true
			}
		}
	}
	return by
}

// runsOf returns the distinct runs of words of a window, within the lines of players: scenes of the Dungeon
// Master are read out from the same books.
func runsOf(x *Interaction) []string {
	var out []string
	for _, l := range x.Lines {
		if l.Speaker == DM {
			continue
		}
		words := strings.FieldsFunc(strings.ToLower(l.Text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' })
		for i := 0; i+grams <= len(words); i++ {
			out = append(out, strings.Join(words[i:i+grams], " "))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
