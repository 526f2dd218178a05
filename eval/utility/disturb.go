package utility

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/eval/iep"
)

// Ways to disturb a sample.
const (
	Drop    = "drop"    // leave out a share of the sentences
	Swap    = "swap"    // put the tested turns into another order
	Replace = "replace" // put a turn of another sample in place of one
)

// Disturb returns a sample that is worse than the given one: only what is under test is changed, never all of it taken
// away. The same random source gives the same sample. An error says why it cannot be made.
func Disturb(s *Sample, how string, share float64, others []Sample, r *rand.Rand) (*Sample, error) {
	d := *s
	d.Turns = slices.Clone(s.Turns)
	var tested []int
	for i, t := range d.Turns {
		if t.Tested && strings.TrimSpace(t.Text) != "" {
			tested = append(tested, i)
		}
	}
	var err error
	switch how {
	case Drop:
		err = drop(d.Turns, tested, share, r)
	case Swap:
		err = swap(d.Turns, tested, r)
	case Replace:
		err = replace(&d, tested, others, r)
	default:
		err = fmt.Errorf("disturb by %q: say drop, swap or replace", how)
	}
	if err == nil && d.Text() == s.Text() {
		err = fmt.Errorf("it stays the same")
	}
	if err != nil {
		return nil, err
	}
	return &d, nil
}

// drop leaves out a share of all sentences of the tested turns, at least one and not all.
func drop(turns []Turn, tested []int, share float64, r *rand.Rand) error {
	type place struct{ turn, unit int }
	units := map[int][]string{}
	var all []place
	for _, i := range tested {
		units[i] = sentences(turns[i].Text)
		for u := range units[i] {
			if strings.TrimSpace(units[i][u]) != "" {
				all = append(all, place{i, u})
			}
		}
	}
	if len(all) < 2 {
		return fmt.Errorf("it has fewer than two sentences")
	}
	n := min(len(all)-1, max(1, int(math.Round(share*float64(len(all))))))
	r.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	for _, p := range all[:n] {
		units[p.turn][p.unit] = ""
	}
	for _, i := range tested {
		turns[i].Text = strings.TrimSpace(strings.Join(units[i], ""))
	}
	return nil
}

// sentences cuts a text into pieces that make it up again: the sentences of prose, the lines of code.
func sentences(text string) []string {
	var out []string
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
			if len(out) > 0 { // a fence stays with what is before it
				out[len(out)-1] += line
				continue
			}
		}
		if code {
			out = append(out, line)
			continue
		}
		rest := line
		for _, s := range iep.Sentences(line) {
			if at := strings.Index(rest, s); at >= 0 {
				out = append(out, rest[:at+len(s)])
				rest = rest[at+len(s):]
			}
		}
		switch {
		case strings.TrimSpace(rest) == "" && len(out) > 0:
			out[len(out)-1] += rest
		case rest != "":
			out = append(out, rest)
		}
	}
	return out
}

// swap puts the texts of the tested turns into another order.
func swap(turns []Turn, tested []int, r *rand.Rand) error {
	if len(tested) < 2 {
		return fmt.Errorf("it has fewer than two turns")
	}
	texts := make([]string, len(tested))
	for at, i := range tested {
		texts[at] = turns[i].Text
	}
	for range 10 {
		order := r.Perm(len(tested))
		for at, i := range tested {
			turns[i].Text = texts[order[at]]
		}
		if !slices.IsSorted(order) {
			return nil
		}
	}
	return nil
}

// replace puts a tested turn of another sample in place of one.
func replace(d *Sample, tested []int, others []Sample, r *rand.Rand) error {
	var texts []string
	for i := range others {
		if others[i].ID == d.ID {
			continue
		}
		for _, t := range others[i].Turns {
			if t.Tested && strings.TrimSpace(t.Text) != "" {
				texts = append(texts, t.Text)
			}
		}
	}
	if len(tested) == 0 || len(texts) == 0 {
		return fmt.Errorf("there is no turn to replace, or no other sample with one")
	}
	d.Turns[tested[r.IntN(len(tested))]].Text = texts[r.IntN(len(texts))]
	return nil
}
