package iep

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"

	"parley/eval/iep/wordnet"
	"parley/scenarios"
	"parley/sim/llm"
)

// Floor is the share of a key point's weight that a stretch of text has to cover for the two to say the
// same.
const Floor = 0.45

// hearFloor is the share that counts for what may have been heard.
const hearFloor = 0.35

// Lexical is the built-in judge. It cuts an answer into clauses and compares stretches of them with the
// gold points by their words: folded to ASCII, without function words, stemmed (Snowball's English), also
// by synonyms (WordNet), each word weighted by how rare it is in a background corpus and among the gold
// points themselves. A stretch says a gold point when it covers at least Floor of its weight and does not
// contradict it (see refuse.go); each word serves one gold point at most.
//
// It has no idea of meaning: what is said in quite other words does not match, and some of what is said
// about the wrong cause or with roles exchanged does.
type Lexical struct {
	df   map[string]int
	docs int

	mu       sync.Mutex
	prepared map[string]*matcher // by title and gold points
}

// maxPrepared bounds what is kept of pieces of knowledge that were matched before.
const maxPrepared = 1024

// NewLexical returns the judge with the documents that tell common words from rare ones.
func NewLexical(corpus []string) *Lexical {
	l := &Lexical{df: map[string]int{}, docs: len(corpus), prepared: map[string]*matcher{}}
	for _, text := range corpus {
		seen := map[string]bool{}
		for _, t := range tokens(text) {
			if key := t.key(); key != "" && !seen[key] {
				seen[key] = true
				l.df[key]++
			}
		}
	}
	return l
}

// Name returns the judge's name.
func (l *Lexical) Name() string { return "lexical" }

// Gold returns the authored facts: there is nothing to condense by words.
func (l *Lexical) Gold(_ context.Context, _ Ask, k *scenarios.Knowledge, _ int) ([]string, []llm.Call, error) {
	var gold []string
	for i := range k.Facts {
		gold = append(gold, k.Facts[i].Text)
	}
	return gold, nil, nil
}

// Match condenses an answer to as many points as there are gold points and matches them.
func (l *Lexical) Match(_ context.Context, _ Ask, k *scenarios.Knowledge, gold []string, answer string) (Verdict, []llm.Call, error) {
	m := l.against(k.Title, gold)
	h := m.listener(Floor)
	h.hear(answer)
	return h.verdict(len(gold)), nil, nil
}

// Heard looks for the gold points in each thing that was said, and takes less cover for enough: who may
// have heard a thing is not to be blamed for it.
func (l *Lexical) Heard(_ context.Context, _ Ask, k *scenarios.Knowledge, gold, said []string) ([]bool, []llm.Call, error) {
	m := l.against(k.Title, gold)
	heard, memo := make([]bool, len(gold)), map[string][]int{}
	for _, text := range said {
		m.note(heard, text, memo)
	}
	return heard, nil, nil
}

// note notes the gold points that a text says. What it finds it keeps in memo.
func (m *matcher) note(heard []bool, text string, memo map[string][]int) {
	found, known := memo[text]
	if !known && text != "" {
		h := m.listener(hearFloor)
		h.hear(text)
		for _, c := range h.matches() {
			found = append(found, c.gold)
		}
		memo[text] = found
	}
	for _, g := range found {
		heard[g] = true
	}
}

// part is a word of a gold point.
type part struct {
	token
	weight float64
	title  bool
}

// point is a gold point, ready to be matched.
type point struct {
	parts []part
	total float64
}

// hit says that a word bears on a part of a gold point.
type hit struct {
	gold, part int
	alike      float64 // 0: the opposite
}

// matcher holds gold points. It does not change once it is prepared.
type matcher struct {
	title map[string]bool
	gold  []point
	at    map[string][]hit // by key
}

// against prepares gold points for matching, or finds them prepared: every player of every session on
// one piece of knowledge is matched against the same.
func (l *Lexical) against(title string, gold []string) *matcher {
	key := title + "\x00" + strings.Join(gold, "\x00")
	l.mu.Lock()
	m := l.prepared[key]
	l.mu.Unlock()
	if m != nil {
		return m
	}
	m = &matcher{title: map[string]bool{}, at: map[string][]hit{}}
	df := map[string]int{} // among the gold points
	var parsed [][]token
	for _, text := range gold {
		list := tokens(joined.Replace(" " + text + " "))
		negate(list)
		parsed = append(parsed, list)
		seen := map[string]bool{}
		for _, t := range list {
			if key := t.key(); !seen[key] {
				seen[key] = true
				df[key]++
			}
		}
	}
	m.subject(title, df, len(gold))
	for g, list := range parsed {
		p := point{}
		for _, t := range list {
			w := part{token: t, title: m.title[t.key()]}
			if key := t.key(); key != "" && !w.title {
				w.weight = math.Log(1+float64(l.docs+1)/float64(l.df[key]+1)) * (1 - float64(df[key]-1)/float64(len(gold)+1))
			}
			p.parts = append(p.parts, w)
			p.total += w.weight
			m.index(hit{gold: g, part: len(p.parts) - 1}, &w)
		}
		m.gold = append(m.gold, p)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.prepared) >= maxPrepared {
		clear(l.prepared)
	}
	l.prepared[key] = m
	return m
}

// subject notes the words of the title, and those of most gold points: they say what all is about, and
// tell none from another.
func (m *matcher) subject(title string, df map[string]int, gold int) {
	for _, t := range tokens(title) {
		if k := t.key(); k != "" {
			m.title[k] = true
		}
	}
	for k, n := range df {
		if gold >= 4 && n*10 >= gold*7 && k != "" {
			m.title[k] = true
		}
	}
}

// key is what a word is counted by.
func (t *token) key() string {
	switch {
	case t.number != 0:
		return "#"
	case len(t.keys) > 0:
		return t.keys[len(t.keys)-1]
	}
	return ""
}

// index notes which words bear on a part.
func (m *matcher) index(h hit, w *part) {
	if w.weight == 0 || w.number != 0 {
		return
	}
	alike := map[string]float64{}
	for _, k := range w.keys {
		if w.name {
			continue
		}
		for o, a := range wordnet.Related(k) {
			alike[o] = max(alike[o], a)
		}
		for _, o := range synonyms[k] {
			alike[o] = wordnet.Synonym
		}
	}
	for _, k := range w.keys {
		if w.name && classes[k] == nil {
			continue
		}
		for _, o := range slices.Concat(wordnet.Opposites(k), opposites[k], classes[k]) {
			if !family[k] {
				alike[o] = 0
			}
		}
	}
	for _, k := range w.keys {
		alike[k] = wordnet.Same
	}
	for k, a := range alike {
		h.alike = a
		m.at[k] = append(m.at[k], h)
	}
}

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
	against, taken := make([]float64, n), make([]bool, len(said))
	bears := map[string]bool{} // words that are of the gold point, or the contrary
	outside := 0.0             // weight of what is said outside of negations
	for j := range said {
		for _, hit := range said[j].hits {
			if hit.gold == gold && (hit.alike == wordnet.Same || hit.alike == 0) {
				taken[j] = taken[j] || hit.alike == wordnet.Same
				for _, k := range said[j].keys {
					bears[k] = true
				}
				if !said[j].negated {
					outside += p.parts[hit.part].weight / p.total
				}
			}
		}
	}
	for j := range said {
		for _, hit := range said[j].hits {
			if hit.gold != gold {
				continue
			}
			w := &p.parts[hit.part]
			alike, contrary := hit.alike, said[j].negated != w.negated
			if said[j].negated && !w.negated && outside >= 0.2 && !bears[p.head(said[j].denied)] {
				contrary = false // something else is denied
			}
			if alike == 0 { // the opposite
				if alike, contrary = wordnet.Synonym, !contrary; taken[j] {
					continue
				}
			}
			switch {
			case contrary && alike >= wordnet.Synonym:
				against[hit.part] = max(against[hit.part], alike)
			case !contrary && alike > a.alike[hit.part]:
				a.by[hit.part], a.alike[hit.part] = j, alike
			}
		}
	}
	for i := range p.parts {
		if w := &p.parts[i]; w.number != 0 {
			for j := range said {
				if sameNumber(w.number, &said[j].token) {
					a.by[i], a.alike[i] = j, wordnet.Same
				}
			}
		}
		if against[i] > a.alike[i] {
			a.by[i], a.alike[i] = -1, 0
			a.conflict += p.parts[i].weight / p.total
		}
		a.cover += a.alike[i] * p.parts[i].weight / p.total
	}
	return a
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
