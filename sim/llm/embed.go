package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// Embedder turns texts into vectors of one length. The response holds them in the order of the texts.
type Embedder interface {
	Embed(ctx context.Context, texts []string) (*Response, error)
}

// Embedding makes a model of an embedder, which middleware can wrap as it does any other: a request's
// messages are the texts. The name is what errors call it.
func Embedding(e Embedder, name string) Model {
	return Func(func(ctx context.Context, req Request) (*Response, error) {
		texts := make([]string, len(req.Messages))
		for i := range texts {
			texts[i] = req.Messages[i].Content
		}
		resp, err := e.Embed(ctx, texts)
		if err != nil {
			return nil, err
		}
		if len(resp.Vectors) != len(texts) {
			return nil, &Error{Model: name, Fault: BadResponse, Err: errors.New("the vectors do not match the texts")}
		}
		for _, v := range resp.Vectors {
			if len(v) == 0 || len(v) != len(resp.Vectors[0]) {
				return nil, &Error{Model: name, Fault: BadResponse, Err: errors.New("the vectors are not of one length")}
			}
		}
		done := *resp
		done.Finish, done.Usage.Completion = Embedded, new(int) // nothing is written
		return &done, nil
	})
}

// Embed asks a model that Embedding made for the vectors of texts, a hundred texts a request. It
// returns the records of the requests too, also where one failed. The tag's Try counts them.
func Embed(ctx context.Context, m Model, name string, texts []string, t Tag, now func() time.Time) ([][]float32, []Call, error) {
	var vectors [][]float32
	var calls []Call
	for some := range slices.Chunk(texts, 100) {
		req := Request{Tag: t, Sampling: Sampling{MaxTokens: 1}} // of no reply; for a limiter's estimate
		for _, text := range some {
			req.Messages = append(req.Messages, Message{Role: User, Content: text})
		}
		resp, call, err := Ask(ctx, m, name, req, now)
		calls = append(calls, call)
		if err != nil {
			return nil, calls, err
		}
		vectors = append(vectors, resp.Vectors...)
		t.Try++
	}
	return vectors, calls, nil
}

// Cosine returns the cosine of two vectors, from -1 to 1. Vectors of different lengths, and those that are zero or
// hold what is no number, have none.
func Cosine(a, b []float32) (float64, error) {
	if len(a) != len(b) || len(a) == 0 {
		return 0, fmt.Errorf("embeddings of %d and %d numbers do not compare", len(a), len(b))
	}
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	c := ab / math.Sqrt(aa*bb)
	if math.IsNaN(c) || math.IsInf(c, 0) {
		return 0, errors.New("an embedding is zero or not a number")
	}
	return max(-1, min(1, c)), nil // rounding errors may lead beyond
}
