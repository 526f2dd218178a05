package iep

import (
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
const Floor = 0.42

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

// subject notes the words of the title, and those of most gold points: all gold points have them, so that
// they tell none from another.
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

// key returns the form under which a word is counted.
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
