package utility

import (
	"fmt"
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
// away. The same random source gives the same sample. An error says why it cannot be made.
func Disturb(s *Sample, way string, share float64, others []Sample, r *rand.Rand) (*Sample, error) {
	d := *s
	d.Turns = slices.Clone(s.Turns)
	var err error
	switch tested := s.tested(); way {
	case Drop:
		err = drop(d.Turns, tested, share, r)
	case Swap:
		err = swap(d.Turns, tested, r)
	default:
		err = replace(&d, tested, others, r)
	}
	if err == nil && d.Text() == s.Text() {
		err = fmt.Errorf("it stays the same")
	}
	return &d, err
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
func drop(turns []Turn, tested []int, share float64, r *rand.Rand) error {
	units := map[int][]string{}
	var all []*string
	for _, i := range tested {
		units[i] = sentences(turns[i].Text)
		for u := range units[i] {
			all = append(all, &units[i][u])
		}
	}
	if len(all) < 2 {
		return fmt.Errorf("it has fewer than two sentences")
	}
	r.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	for _, unit := range all[:min(len(all)-1, max(1, int(math.Round(share*float64(len(all))))))] {
		*unit = ""
	}
	for _, i := range tested {
		turns[i].Text = strings.TrimSpace(strings.Join(units[i], ""))
	}
	return nil
}

// sentences cuts a text into pieces that make it up again: the sentences of prose, the lines of code. White space and a
// fence of code belong to the piece before them, and a number or mark without a letter to the piece behind it.
func sentences(text string) (pieces []string) {
	code, begin, at := false, 0, 0
	for line := range strings.Lines(text) {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		code = code != fence
		list := prose.Sentences(line)
		if code || fence {
			list = []string{strings.TrimSpace(line)}
		}
		for _, s := range list {
			start := at + strings.Index(text[at:], s)
			if !fence && strings.ContainsFunc(text[begin:start], unicode.IsLetter) {
				pieces, begin = append(pieces, text[begin:start]), start
			}
			at = start + len(s)
		}
	}
	return append(pieces, text[begin:])
}

// swap puts the texts of the tested turns into another order.
func swap(turns []Turn, tested []int, r *rand.Rand) error {
	if len(tested) < 2 {
		return fmt.Errorf("it has fewer than two turns")
	}
	order := r.Perm(len(tested))
	for slices.IsSorted(order) {
		order = r.Perm(len(tested))
	}
	before := slices.Clone(turns)
	for at, i := range tested {
		turns[i].Text = before[tested[order[at]]].Text
	}
	return nil
}

// replace puts a tested turn of another sample in place of one.
func replace(d *Sample, tested []int, others []Sample, r *rand.Rand) error {
	var texts []string
	for i := range others {
		for _, at := range others[i].tested() {
			if others[i].ID != d.ID {
				texts = append(texts, others[i].Turns[at].Text)
			}
		}
	}
	if len(tested) == 0 || len(texts) == 0 {
		return fmt.Errorf("there is no turn to replace, or no other sample with one")
	}
	d.Turns[tested[r.IntN(len(tested))]].Text = texts[r.IntN(len(texts))]
	return nil
}
