package utility

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"parley/sim/prose"
)

// Ways to disturb a sample.
const (
	Drop    = "drop"    // leave out a share of the sentences
	Swap    = "swap"    // put the tested turns into another order
	Replace = "replace" // put a turn of another sample in place of one
)

// Disturb returns a sample that is worse than the given one: only what is under test is changed, never all of it taken
// away. The same random source gives the same sample. An error says why it cannot be made. Way "" changes nothing.
func Disturb(s *Sample, way string, share float64, others []Sample, r *rand.Rand) (*Sample, error) {
	if way == "" {
		return s, nil
	}
	d := *s
	d.Turns = slices.Clone(s.Turns)
	tested := s.tested()
	switch way {
	case Drop:
		drop(d.Turns, tested, share, r)
	case Swap:
		order := r.Perm(len(tested))
		for len(order) > 1 && slices.IsSorted(order) {
			order = r.Perm(len(tested))
		}
		for k, at := range order {
			d.Turns[tested[k]].Text = s.Turns[tested[at]].Text
		}
	default:
		var texts []string
		for i := range others {
			for _, at := range others[i].tested() {
				if others[i].ID != s.ID {
					texts = append(texts, others[i].Turns[at].Text)
				}
			}
		}
		if len(tested) > 0 && len(texts) > 0 {
			d.Turns[tested[r.IntN(len(tested))]].Text = texts[r.IntN(len(texts))]
		}
	}
	if d.Text() == s.Text() {
		return nil, errors.New("it stays the same: it has too little that could be changed")
	}
	return &d, nil
}

// tested returns the places of the turns under test in which something is said or done.
func (s *Sample) tested() (places []int) {
	for i, t := range s.Turns {
		if t.Tested && strings.TrimSpace(t.Text) != "" {
			places = append(places, i)
		}
	}
	return places
}

// drop leaves out a share of all sentences of the tested turns, at least one and not all.
func drop(turns []Turn, tested []int, share float64, r *rand.Rand) {
	units := map[int][]string{}
	var all []*string
	for _, i := range tested {
		units[i] = sentences(turns[i].Text)
		for u := range units[i] {
			all = append(all, &units[i][u])
		}
	}
	if len(all) < 2 {
		return
	}
	r.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	n := max(1, int(math.Round(share*float64(len(all)))))
	for _, unit := range all[:min(len(all)-1, n)] {
		*unit = ""
	}
	for _, i := range tested {
		turns[i].Text = strings.TrimSpace(strings.Join(units[i], ""))
	}
}

// sentences cuts a text into pieces that make it up again: the sentences of its lines. White space belongs to the
// piece before it, and what has no letter, such as a number or a mark, to the piece behind it.
func sentences(text string) (pieces []string) {
	begin, at := 0, 0
	for _, s := range prose.Sentences(text) {
		start := at + strings.Index(text[at:], s)
		if strings.ContainsFunc(text[begin:start], unicode.IsLetter) {
			pieces, begin = append(pieces, text[begin:start]), start
		}
		at = start + len(s)
	}
	return append(pieces, text[begin:])
}
