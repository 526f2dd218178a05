package ieg

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// grams is how many words in a row are looked for when texts are compared.
const grams = 12

// copiedShare is the share of the distinct runs of words of both windows, in percent, from which one counts
// as a copy of the other. Generated play of one author repeats a phrase now and then; a copy repeats nearly all.
const copiedShare = 50

// overlaps returns the windows of xs that repeat text of the tested windows, each with the one that it
// repeats, at most three and how many more. What several groups of the tested windows say, such as a
// greeting that opens every session, is nobody's text.
func overlaps(xs, tested []Interaction) []string {
	said := map[string]int{} // by run of words: the tested window, or -1 where several groups say it
	for i := range tested {
		for _, g := range runsOf(&tested[i]) {
			if k, known := said[g]; known && (k < 0 || tested[k].Group != tested[i].Group) {
				said[g] = -1
			} else if !known {
				said[g] = i
			}
		}
	}
	var out []string
	more := 0
	for i := range xs {
		runs, hits, near := runsOf(&xs[i]), 0, map[int]bool{}
		for _, g := range runs {
			if k, known := said[g]; known && k >= 0 {
				hits++
				near[k] = true
			}
		}
		if hits == 0 || 100*hits < copiedShare*len(runs) {
			continue
		}
		for _, k := range slices.Sorted(maps.Keys(near)) {
			theirs := runsOf(&tested[k])
			if both := shared(runs, theirs); 100*both < copiedShare*len(theirs) {
				continue
			}
			if len(out) == 3 {
				more++
			} else {
				out = append(out, fmt.Sprintf("%s repeats %s", xs[i].ID, tested[k].ID))
			}
			break
		}
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return out
}

// shared counts what two sorted lists have in common.
func shared(a, b []string) (n int) {
	for _, g := range a {
		if _, found := slices.BinarySearch(b, g); found {
			n++
		}
	}
	return n
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
