package iep

import (
	"cmp"
	"slices"

	"parley/eval/iep/wordnet"
)

// candidate is a stretch of clauses that may say a gold point.
type candidate struct {
	gold     int
	from, to int // clauses, to exclusive
	cover    float64
	score    float64
	by       []int // which word of the stretch serves each part; -1: none
}

// listener takes in what is said.
type listener struct {
	m       *matcher
	floor   float64
	clauses []clause
	words   []word // of all clauses
	starts  []int  // of each clause among them, and their end
	found   []candidate
	refused map[int]float64 // by gold point: the most that a sentence covers which gets it wrong
	wrong   map[[2]int]bool // gold points and sentences that get them wrong
}

func (m *matcher) listener(floor float64) *listener {
	return &listener{m: m, floor: floor, refused: map[int]float64{}, wrong: map[[2]int]bool{}}
}

// The limits of what is looked at: clauses of a flood, clauses in a stretch, sentences in a stretch.
const (
	maxClauses   = 1500
	maxStretch   = 5
	maxSentences = 2
)

// hear takes in the text and matches it.
func (h *listener) hear(text string) {
	h.take(clauses(text))
	for from := range h.clauses {
		for to := from + 1; to <= len(h.clauses) && to-from <= maxStretch; to++ {
			if h.clauses[to-1].sentence-h.clauses[from].sentence >= maxSentences {
				break
			}
			if c := &h.clauses[to-1]; !c.asserted && !(c.question && to-1 == from) {
				break
			}
			h.try(from, to)
		}
	}
}

// take takes in clauses without matching them.
func (h *listener) take(list []clause) {
	for _, c := range list[:min(len(list), maxClauses)] {
		h.clauses = append(h.clauses, c)
		h.starts = append(h.starts, len(h.words))
		for _, t := range c.tokens {
			w := word{token: t}
			for _, k := range t.keys {
				w.hits = append(w.hits, h.m.at[k]...)
			}
			h.words = append(h.words, w)
		}
	}
	h.starts = append(h.starts, len(h.words))
}

// contradicts reports whether a stretch says otherwise than a gold point.
func (h *listener) contradicts(g, from, to int) bool {
	said := h.stretch(from, to)
	around := h.around(from, to)
	return h.m.refuses(g, said, around, align(&h.m.gold[g], g, said)) != ""
}

// try compares a stretch with every gold point that it bears on, alone and with the rest of what its
// sentences assert.
func (h *listener) try(from, to int) {
	if h.clauses[to-1].question {
		return
	}
	said := h.stretch(from, to)
	around := h.around(from, to)
	touched := map[int]bool{}
	for _, s := range said {
		for _, hit := range s.hits {
			touched[hit.gold] = true
		}
	}
	for g := range touched {
		p := &h.m.gold[g]
		a := align(p, g, said)
		if a.cover+a.conflict < h.floor {
			continue
		}
		if reason := h.m.refuses(g, said, around, a); reason != "" {
			if reason != "list" && h.clauses[from].sentence == h.clauses[to-1].sentence {
				h.refused[g] = max(h.refused[g], a.cover+a.conflict)
				h.wrong[[2]int{g, h.clauses[from].sentence}] = true
			}
			continue
		}
		if a.cover < h.floor {
			continue
		}
		score := a.cover - 0.02*float64(to-from-1) - 0.03*float64(h.clauses[to-1].sentence-h.clauses[from].sentence)
		h.found = append(h.found, candidate{gold: g, from: from, to: to, cover: a.cover, score: score, by: a.by})
	}
}

// around lists the words of all that is asserted in the sentences of a stretch.
func (h *listener) around(from, to int) []word {
	first, last := from, to
	for first > 0 && h.clauses[first-1].sentence == h.clauses[from].sentence && h.clauses[first-1].asserted {
		first--
	}
	for last < len(h.clauses) && h.clauses[last].sentence == h.clauses[to-1].sentence && h.clauses[last].asserted {
		last++
	}
	return h.stretch(first, last)
}

// word is a word of a stretch.
type word struct {
	token
	hits []hit
}

// stretch lists the words of clauses.
func (h *listener) stretch(from, to int) []word { return h.words[h.starts[from]:h.starts[to]] }

// alignment says how a stretch covers a gold point.
type alignment struct {
	by       []int     // the word for each part; -1: none
	alike    []float64 // how alike they are
	cover    float64   // share of the weight
	conflict float64   // share of the weight that is said to be otherwise
}

// align finds the best word for each part of a gold point. A word that is negated in one of them only
// says the contrary, and so does an opposite that is negated in both or in neither.
func align(p *point, gold int, said []word) alignment {
	n := len(p.parts)
	a := alignment{by: slices.Repeat([]int{-1}, n), alike: make([]float64, n)}
	against := make([]float64, n)
	bears, outside := p.bears(gold, said)
	for j := range said {
		own := slices.ContainsFunc(said[j].hits, func(h hit) bool { return h.gold == gold && h.alike == wordnet.Same })
		for _, hit := range said[j].hits {
			if hit.gold != gold || hit.alike == 0 && own {
				continue
			}
			w := &p.parts[hit.part]
			alike, contrary := hit.alike, said[j].negated != w.negated
			if said[j].negated && !w.negated && outside >= 0.2 && !bears[p.head(said[j].denied)] {
				contrary = false // something else is denied
			}
			if alike == 0 { // the opposite
				alike, contrary = wordnet.Synonym, !contrary
			}
			switch {
			case contrary && alike >= wordnet.Synonym:
				against[hit.part] = max(against[hit.part], alike)
			case !contrary && alike > a.alike[hit.part]:
				a.by[hit.part], a.alike[hit.part] = j, alike
			}
		}
	}
	a.weigh(p, said, against)
	return a
}

// bears returns the words said that are of a gold point, or the contrary, and the share of its weight that is said
// outside of negations.
func (p *point) bears(gold int, said []word) (bears map[string]bool, outside float64) {
	bears = map[string]bool{}
	for j := range said {
		for _, hit := range said[j].hits {
			if hit.gold != gold || hit.alike != wordnet.Same && hit.alike != 0 {
				continue
			}
			for _, k := range said[j].keys {
				bears[k] = true
			}
			if !said[j].negated {
				outside += p.parts[hit.part].weight / p.total
			}
		}
	}
	return bears, outside
}

// weigh adds the numbers, takes out the parts of which the contrary is said more closely, and sums up.
func (a *alignment) weigh(p *point, said []word, against []float64) {
	for i := range p.parts {
		w := &p.parts[i]
		for j := range said {
			if w.number != 0 && sameNumber(w.number, &said[j].token) {
				a.by[i], a.alike[i] = j, wordnet.Same
			}
		}
		if against[i] > a.alike[i] {
			a.by[i], a.alike[i] = -1, 0
			a.conflict += w.weight / p.total
		}
		a.cover += a.alike[i] * w.weight / p.total
	}
}

// head returns the first of the words in the scope of a negation that is not of the title.
func (p *point) head(denied []string) string {
	for _, k := range denied {
		if !slices.ContainsFunc(p.parts, func(w part) bool { return w.title && slices.Contains(w.keys, k) }) {
			return k
		}
	}
	return ""
}

// matches returns the pairs so far, the best first. A word serves one gold point at most.
func (h *listener) matches() []candidate {
	list := slices.Clone(h.found)
	slices.SortStableFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.gold, b.gold), cmp.Compare(a.from, b.from))
	})
	var out []candidate
	used, done := map[int]bool{}, map[int]bool{}
	for _, c := range list {
		if done[c.gold] || h.wrong[[2]int{c.gold, h.clauses[c.from].sentence}] || h.wrong[[2]int{c.gold, h.clauses[c.to-1].sentence}] || c.cover < h.refused[c.gold]-0.05 {
			continue
		}
		cover := c.cover
		p := &h.m.gold[c.gold]
		for i, j := range c.by {
			if j >= 0 && used[h.starts[c.from]+j] {
				cover -= p.parts[i].weight / p.total
			}
		}
		if cover < h.floor {
			continue
		}
		done[c.gold] = true
		for _, j := range c.by {
			if j >= 0 {
				used[h.starts[c.from]+j] = true
			}
		}
		out = append(out, c)
	}
	return out
}
