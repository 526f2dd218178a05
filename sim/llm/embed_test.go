package llm_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"parley/sim/llm"
)

// lengths embeds a text as its length, after some refusals.
type lengths struct{ refusals, asked int }

func (l *lengths) Embed(_ context.Context, texts []string) (*llm.Response, error) {
	if l.asked++; l.asked <= l.refusals {
		return nil, &llm.Error{Model: "lengths", Fault: llm.RateLimited, RetryAfter: time.Second, Err: errors.New("slow down")}
	}
	resp := &llm.Response{ServedBy: "lengths-1"}
	for _, text := range texts {
		resp.Vectors = append(resp.Vectors, []float32{float32(len(text)), 1})
	}
	n := len(texts)
	resp.Usage.Prompt = &n
	return resp, nil
}

// Embeddings are asked for again, held within limits and recorded as replies are, a hundred a request.
func TestEmbed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := llm.NewLimiter(llm.Limits{Requests: 2}, time.Now)
		m := llm.Wrap(llm.Embedding(&lengths{refusals: 1}, "lengths"), llm.Retry(llm.Retrier{}), limiter.Limit)
		texts := make([]string, 150)
		for i := range texts {
			texts[i] = fmt.Sprintf("%*d", i, i)
		}
		start := time.Now()
		vectors, calls, err := llm.Embed(t.Context(), m, "lengths", texts, llm.Tag{Session: "s", Actor: "orla", Purpose: "judge:iep-embed"}, time.Now)
		if err != nil || len(vectors) != 150 || vectors[149][0] != 149 {
			t.Fatalf("%d vectors, %v", len(vectors), err)
		}
		if took := time.Since(start); took < time.Minute {
			t.Errorf("3 requests within %s; two a minute are allowed", took)
		}
		if len(calls) != 2 {
			t.Fatalf("%d calls", len(calls))
		}
		for i, want := range []struct{ texts, attempts int }{{100, 2}, {50, 1}} {
			c := calls[i]
			if c.ID != fmt.Sprintf("s/0/orla/judge:iep-embed/%d", i) || c.Attempt != want.attempts || len(c.Prompt) != want.texts ||
				*c.Tokens != want.texts || *c.Output != 0 || c.Finish != llm.Embedded || c.Served != "lengths-1" {
				t.Errorf("%+v", c)
			}
		}
		meter := llm.NewMeter()
		meter.Add(calls[0])
		if row := meter.Tally(nil).Total(); row.Asked != 2 || row.Empty != 0 || *row.Prompt.Sum != 100 {
			t.Errorf("%+v", row)
		}
	})
}

// A failure is on record too.
func TestEmbedFails(t *testing.T) {
	_, calls, err := llm.Embed(t.Context(), llm.Embedding(&lengths{refusals: 1}, "lengths"), "lengths", []string{"a"}, llm.Tag{}, time.Now)
	if llm.FaultOf(err) != llm.RateLimited || len(calls) != 1 || calls[0].Fault != llm.RateLimited || calls[0].Error == "" {
		t.Errorf("%v, %+v", err, calls)
	}
}
