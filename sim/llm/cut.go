package llm

import (
	"context"
	"sync"
	"unicode/utf8"
)

// promptCuts marks responses whose prompt the server cut without saying so (Truncated), by the number
// of prompt tokens that it counted: one that is far below what the text needs, one that is just the
// size of a context or of half of one, and one that does not grow with the prompt of a session.
func promptCuts() Middleware {
	w := cutWatch{most: map[promptOf]promptSize{}}
	return func(next Model) Model {
		return Func(func(ctx context.Context, req Request) (*Response, error) {
			resp, err := next.Generate(ctx, req)
			if err != nil || resp.Truncated || resp.Usage.Prompt == nil || resp.Finish == Embedded {
				return resp, err
			}
			if tokens := *resp.Usage.Prompt; cutByCount(req.Messages, tokens) || w.stalled(req, tokens) {
				cut := *resp
				cut.Truncated, resp = true, &cut
			}
			return resp, nil
		})
	}
}

// cutByCount reports whether a prompt of so many tokens must have been cut. Text runs to about 4
// characters a token, and never to 8 in a prompt of some length. A server that cuts leaves the context's
// size, a multiple of 1,024, or as newer Ollama versions do half of it and two.
func cutByCount(prompt []Message, tokens int) bool {
	n := 0
	for i := range prompt {
		n += len(prompt[i].Content)
	}
	if n <= 4096 || tokens <= 0 || n <= 4*tokens {
		return false
	}
	n = 0
	for i := range prompt {
		n += utf8.RuneCountInString(prompt[i].Content)
	}
	return n > 8*tokens || tokens >= 1024 && (tokens%1024 == 0 || tokens%1024 == 2) && n > 4*tokens
}

// cutWatch remembers the largest prompt of each actor of each session.
type cutWatch struct {
	mu   sync.Mutex
	most map[promptOf]promptSize
}

type promptOf struct{ session, actor, purpose string }

type promptSize struct{ estimate, tokens int }

// stalled reports whether a prompt is at least a tenth larger by estimate than an earlier one of the
// same actor in the same session, but not by the server's count.
func (w *cutWatch) stalled(req Request, tokens int) bool {
	if req.Tag.Session == "" || tokens < 512 {
		return false
	}
	key := promptOf{req.Tag.Session, req.Tag.Actor, req.Tag.Purpose}
	size := promptSize{EstimatePrompt(req.Messages), tokens}
	w.mu.Lock()
	defer w.mu.Unlock()
	before, known := w.most[key]
	if known && 10*size.estimate >= 11*before.estimate && tokens <= before.tokens {
		return true
	}
	if !known || tokens > before.tokens {
		if len(w.most) >= 10000 { // sessions that are over
			clear(w.most)
		}
		w.most[key] = size
	}
	return false
}
