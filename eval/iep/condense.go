package iep

import (
	"cmp"
	"slices"
)

// verdict makes a verdict of what says a gold point, and of what else is asserted.
func (h *listener) verdict(k int) Verdict {
	var points []said
	matched := map[int]bool{} // clauses
	for _, c := range h.matches() {
		p := said{text: h.clauses[c.to-1].text, gold: c.gold, at: c.from, weight: min(1, c.cover)}
		for i := c.from; i < c.to; i++ {
			matched[i] = true
			p.words += len(h.clauses[i].tokens)
		}
		points = append(points, p)
	}
	return condense(append(points, others(h.clauses, matched)...), k)
}

// said is a point of an answer.
type said struct {
	text      string
	gold      int // that it matches; -1: none
	at, words int // its place, and how many words it has
	weight    float64
}

// others lists what is asserted in clauses that match nothing, about anything but the speaker.
func others(list []clause, matched map[int]bool) []said {
	var points []said
	partly := map[int]bool{} // sentences of which a part matches
	for i := range matched {
		partly[list[i].sentence] = true
	}
	for i := 0; i < len(list); i++ {
		p, content := said{text: list[i].text, gold: -1, at: i}, 0
		for sentence := list[i].sentence; i < len(list) && list[i].sentence == sentence && list[i].asserted && !matched[i] && !list[i].personal(); i++ {
			p.words += len(list[i].tokens)
			content += list[i].content()
		}
		if content > 3 || content > 1 && !partly[list[p.at].sentence] {
			points = append(points, p)
		}
	}
	return points
}

// condense makes a verdict of at most k points, whether or not they match. Where there are somewhat more,
// those with the most words stay, and of these the first; of more than twice as many, as in a flood, points
// at equal distances stay.
func condense(points []said, k int) Verdict {
	slices.SortStableFunc(points, func(a, b said) int { return cmp.Compare(a.at, b.at) })
	if n := len(points); n > 2*k {
		for i := range k {
			points[i] = points[(2*i+1)*n/(2*k)]
		}
		points = points[:k]
	}
	slices.SortStableFunc(points, func(a, b said) int { return cmp.Compare(min(b.words, 5), min(a.words, 5)) })
	v := Verdict{}
	for i, p := range points[:min(k, len(points))] {
		v.Points = append(v.Points, p.text)
		if p.gold >= 0 {
			v.Matches = append(v.Matches, Match{Gold: p.gold, Said: i, Weight: p.weight})
		}
	}
	slices.SortFunc(v.Matches, func(a, b Match) int { return a.Gold - b.Gold })
	return v
}
