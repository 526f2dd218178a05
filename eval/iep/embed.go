package iep

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/scenarios"
	"parley/sim/llm"
)

// EmbedFloor is the cosine from which two points say the same. It was set for sentence embedding
// models of the MiniLM kind.
const EmbedFloor = 0.6

// Embedding is a judge that compares points by the cosine of their embeddings. What the built-in judge
// knows to be no assertion, or to say otherwise, does not match whatever its cosine. Texts are folded to
// ASCII, since servers' tokenizers disagree about accents and curly quotes.
type Embedding struct {
	Model llm.Model // as llm.Embedding makes it
	Spec  string    // as the user wrote it
	Now   func() time.Time
	Words *Lexical // refuses contradictions; nil: one without a corpus
	// Floor is the cosine from which a pair counts; 0 means EmbedFloor.
	Floor float64
}

// Name returns the judge's name.
func (e *Embedding) Name() string { return "embed:" + e.Spec }

// Gold returns the authored facts: an embedding condenses nothing.
func (e *Embedding) Gold(ctx context.Context, a Ask, k *scenarios.Knowledge, n int) ([]string, []llm.Call, error) {
	return (*Lexical)(nil).Gold(ctx, a, k, n)
}

// Match embeds both sides and matches them, the pairs that are most alike first.
func (e *Embedding) Match(ctx context.Context, a Ask, k *scenarios.Knowledge, gold []string, answer string) (Verdict, []llm.Call, error) {
	list := clauses(answer)
	found, calls, err := e.pairs(ctx, a, k, gold, list[:min(len(list), maxClauses)])
	if err != nil {
		return Verdict{}, calls, err
	}
	slices.SortStableFunc(found, func(a, b pair) int { return cmp.Compare(b.alike, a.alike) })
	var points []said
	matched, done := map[int]bool{}, map[int]bool{}
	for _, p := range found {
		if done[p.gold] || matched[p.from] || matched[p.to-1] {
			continue
		}
		done[p.gold] = true
		point := said{text: p.text, gold: p.gold, at: p.from, weight: p.alike}
		for i := p.from; i < p.to; i++ {
			matched[i] = true
			point.words += len(list[i].tokens)
		}
		points = append(points, point)
	}
	return condense(append(points, others(list, matched)...), len(gold)), calls, nil
}

// Heard embeds what was said. A gold point was heard where anything is like it.
func (e *Embedding) Heard(ctx context.Context, a Ask, k *scenarios.Knowledge, gold, said []string) ([]bool, []llm.Call, error) {
	a.Control += "heard"
	list := clauses(strings.Join(said, "\n"))
	found, calls, err := e.pairs(ctx, a, k, gold, list[:min(len(list), maxClauses)])
	heard := make([]bool, len(gold))
	for _, p := range found {
		heard[p.gold] = true
	}
	return heard, calls, err
}

// pair is a gold point and a stretch of clauses that is like it.
type pair struct {
	gold, from, to int
	text           string
	alike          float64
}

// pairs embeds the gold points and whatever is asserted, sentences and single clauses, and returns the
// pairs that reach the floor and do not contradict each other.
func (e *Embedding) pairs(ctx context.Context, a Ask, k *scenarios.Knowledge, gold []string, list []clause) ([]pair, []llm.Call, error) {
	var stretches []pair
	for i := 0; i < len(list); {
		end, whole := i, true
		for ; end < len(list) && list[end].sentence == list[i].sentence; end++ {
			whole = whole && list[end].asserted
		}
		if whole {
			stretches = append(stretches, pair{from: i, to: end, text: asciiFold(list[i].text)})
		}
		for j := i; j < end && end-i > 1; j++ {
			if list[j].asserted && list[j].content() >= 3 {
				stretches = append(stretches, pair{from: j, to: j + 1, text: list[j].words()})
			}
		}
		i = end
	}
	if len(stretches) == 0 {
		return nil, nil, nil
	}
	var texts []string
	for _, s := range gold {
		texts = append(texts, asciiFold(s))
	}
	for _, s := range stretches {
		texts = append(texts, s.text)
	}
	vectors, calls, err := llm.Embed(ctx, e.Model, e.Spec, texts,
		llm.Tag{Session: a.Session, Actor: a.Subject, Purpose: "judge:iep-embed" + a.suffix()}, e.Now)
	if err != nil {
		return nil, calls, err
	}
	lexical := e.Words
	if lexical == nil {
		lexical = NewLexical(nil)
	}
	h := lexical.against(k.Title, gold).listener(Floor)
	h.take(list)
	var found []pair
	for g := range gold {
		for i, s := range stretches {
			s.gold = g
			if s.alike, err = llm.Cosine(vectors[g], vectors[len(gold)+i]); err != nil {
				return nil, calls, fmt.Errorf("%s: %w", e.Spec, err)
			}
			if s.alike >= cmp.Or(e.Floor, EmbedFloor) && !h.contradicts(g, s.from, s.to) {
				found = append(found, s)
			}
		}
	}
	return found, calls, nil
}
