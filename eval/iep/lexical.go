package iep

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"

	"parley/scenarios"
	"parley/sim/llm"
)

// Floor is the share of a key point's weight that a sentence has to cover for the two to say the
// same. It was set on planted debriefs (see Check): lower, and what was made up begins to count;
// higher, and rewording begins to cost.
const Floor = 0.45

// Lexical is the built-in judge. It takes the sentences of an answer as its points and compares them
// with the gold points by their words: folded to ASCII, without function words, stemmed (Snowball's
// English), each weighted by how rare it is in a background corpus and among the gold points
// themselves. A pair counts when the sentence covers at least Floor of the gold point's weight; the
// assignment is one to one and optimal. A sentence made of several clauses may carry as many points.
//
// It has no idea of meaning: synonyms do not match, and a fact retold wrong in one word does.
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
		words := stems(text)
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			l.df[w]++
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

// Match matches the sentences of an answer against the gold points.
func (l *Lexical) Match(_ context.Context, _ Ask, k *scenarios.Knowledge, gold []string, answer string) (Verdict, []llm.Call, error) {
	h := l.against(k.Title, gold).listener()
	h.hear(answer)
	return Verdict{Points: h.points, Matches: h.matches()}, nil, nil
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
	m = l.prepare(title, gold)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.prepared) >= maxPrepared {
		clear(l.prepared)
	}
	l.prepared[key] = m
	return m
}

// prepare weighs the words of gold points.
func (l *Lexical) prepare(title string, gold []string) *matcher {
	m := &matcher{at: map[string][]int{}}
	subject := map[string]bool{}
	for _, w := range stems(title) {
		subject[w] = true
	}
	local := map[string]int{} // in how many of the gold points
	var sets [][]string
	for _, g := range gold {
		words := stems(g)
		slices.Sort(words)
		words = slices.Compact(words)
		for _, w := range words {
			local[w]++
		}
		sets = append(sets, words)
	}
	for i, words := range sets {
		p := point{weight: make(map[string]float64, len(words))}
		for _, w := range words {
			x := math.Log(1 + float64(l.docs+1)/float64(l.df[w]+1))
			x *= math.Log1p(float64(len(gold))/float64(local[w])) / math.Log1p(float64(len(gold)))
			if subject[w] {
				x /= 4 // everything is about the subject
			}
			p.weight[w] = x
			p.total += x
			m.at[w] = append(m.at[w], i)
		}
		m.gold = append(m.gold, p)
	}
	return m
}

type point struct {
	weight map[string]float64
	total  float64
}

// matcher holds gold points. It does not change once it is prepared.
type matcher struct {
	gold []point
	at   map[string][]int // stem -> gold points that hold it
}

// listener takes in what is said, piece by piece.
type listener struct {
	m      *matcher
	seen   map[string]bool
	points []string
	said   [][]float64 // points x gold: share of the gold point's weight that is covered
}

func (m *matcher) listener() *listener { return &listener{m: m, seen: map[string]bool{}} }

// maxPoints bounds what a flood can cost: more sentences than that are not points any more.
const maxPoints = 400

// hear takes in a text. Questions and confessions of ignorance say nothing; a sentence counts once.
func (h *listener) hear(text string) {
	for _, s := range Sentences(text) {
		if len(h.points) >= maxPoints {
			return
		}
		if strings.HasSuffix(strings.TrimRight(s, `"'”’)*`), "?") || ignorant(s) {
			continue
		}
		words := stems(s)
		if len(words) == 0 {
			continue
		}
		slices.Sort(words)
		words = slices.Compact(words)
		key := strings.Join(words, " ")
		if h.seen[key] {
			continue
		}
		h.seen[key] = true
		cover := make([]float64, len(h.m.gold))
		touched := false
		for _, w := range words {
			for _, g := range h.m.at[w] {
				cover[g] += h.m.gold[g].weight[w] / h.m.gold[g].total
				touched = true
			}
		}
		if !touched && len(h.points) > 0 {
			continue // matches nothing: not worth keeping apart
		}
		for range min(clauses(s), 4) {
			h.points = append(h.points, s)
			h.said = append(h.said, cover)
		}
	}
}

// matches returns the best one-to-one assignment so far.
func (h *listener) matches() []Match {
	if len(h.points) == 0 || len(h.m.gold) == 0 {
		return nil
	}
	weight := make([][]float64, len(h.m.gold))
	for g := range weight {
		weight[g] = make([]float64, len(h.points))
		for p := range h.points {
			weight[g][p] = h.said[p][g]
		}
	}
	var found []Match
	for g, p := range assign(weight, Floor) {
		if p >= 0 {
			found = append(found, Match{Gold: g, Said: p, Weight: weight[g][p]})
		}
	}
	return found
}

// clauses counts the clauses of a sentence by the commas and conjunctions that join them.
func clauses(s string) int {
	low := strings.ToLower(s)
	n := 1 + strings.Count(low, ", ") + strings.Count(low, ": ") + strings.Count(low, " - ")
	for _, w := range []string{" and ", " but ", " which ", " who ", " while ", " because "} {
		n += strings.Count(low, w) - strings.Count(low, ","+w)
	}
	return n
}

// ignorant reports whether a sentence says that something is not known.
func ignorant(s string) bool {
	low := " " + strings.ToLower(asciiFold(s)) + " "
	for _, w := range []string{" did not learn", " didn't learn", " do not know", " don't know", " did not find out", " didn't find out", " no idea", " never found out", " not sure", " did not say", " didn't say", " would not say", " wouldn't say", " refused to say", " learned nothing", " learnt nothing", " nothing new", " remains unknown", " is unclear", " could not learn", " couldn't learn"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}
