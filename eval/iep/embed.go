package iep

import (
	"context"
	"fmt"
	"math"
	"time"

	"parley/scenarios"
	"parley/sim/llm"
)

// EmbedFloor is the cosine from which two points say the same. It was set for sentence embedding
// models of the MiniLM kind.
const EmbedFloor = 0.6

// Embedding is a judge that compares points by the cosine of their embeddings, with the same
// one-to-one assignment as Lexical. Texts are folded to ASCII, since servers' tokenizers disagree
// about accents and curly quotes.
type Embedding struct {
	Model llm.Model // as llm.Embedding makes it
	Spec  string    // as the user wrote it
	Now   func() time.Time
	// Floor is the cosine from which a pair counts; 0 means EmbedFloor.
	Floor float64
}

// Name returns the judge's name.
func (e *Embedding) Name() string { return "embed:" + e.Spec }

// Gold returns the authored facts: an embedding condenses nothing.
func (e *Embedding) Gold(ctx context.Context, a Ask, k *scenarios.Knowledge, n int) ([]string, []llm.Call, error) {
	return (*Lexical)(nil).Gold(ctx, a, k, n)
}

// Match embeds both sides and matches them.
func (e *Embedding) Match(ctx context.Context, a Ask, _ *scenarios.Knowledge, gold []string, answer string) (Verdict, []llm.Call, error) {
	var points []string
	for _, s := range Sentences(answer) {
		if !ignorant(s) && len(points) < 4*len(gold) {
			points = append(points, s)
		}
	}
	if len(points) == 0 {
		return Verdict{}, nil, nil
	}
	var texts []string
	for _, s := range gold {
		texts = append(texts, asciiFold(s))
	}
	for _, s := range points {
		texts = append(texts, asciiFold(s))
	}
	vectors, calls, err := llm.Embed(ctx, e.Model, e.Spec, texts,
		llm.Tag{Session: a.Session, Actor: a.Subject, Purpose: "judge:iep-embed" + a.suffix()}, e.Now)
	if err != nil {
		return Verdict{}, calls, err
	}
	floor := e.Floor
	if floor == 0 {
		floor = EmbedFloor
	}
	weight := make([][]float64, len(gold))
	for g := range gold {
		weight[g] = make([]float64, len(points))
		for p := range points {
			c, err := cosine(vectors[g], vectors[len(gold)+p])
			if err != nil {
				return Verdict{}, calls, fmt.Errorf("%s: %w", e.Spec, err)
			}
			weight[g][p] = c
		}
	}
	v := Verdict{Points: points}
	for g, p := range assign(weight, floor) {
		if p >= 0 {
			v.Matches = append(v.Matches, Match{Gold: g, Said: p, Weight: weight[g][p]})
		}
	}
	return v, calls, nil
}

func cosine(a, b []float32) (float64, error) {
	if len(a) != len(b) || len(a) == 0 {
		return 0, fmt.Errorf("embeddings of %d and %d numbers do not compare", len(a), len(b))
	}
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 || math.IsNaN(ab) || math.IsInf(ab, 0) || math.IsInf(aa*bb, 0) {
		return 0, fmt.Errorf("an embedding is zero or not a number")
	}
	return ab / math.Sqrt(aa*bb), nil
}
