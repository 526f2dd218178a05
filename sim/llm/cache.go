package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Store keeps bytes by key, for Cache. It is safe for concurrent use.
type Store interface {
	// Get returns what was put under the key; found is false where nothing was.
	Get(key string) (data []byte, found bool, err error)
	// Put keeps the data whole or not at all. Keys are lower-case hexadecimal.
	Put(key string, data []byte) error
}

// Cache answers a question that was answered before with the same reply, marked as FromCache, with
// the usage of that time and no times.
//
// A kept reply serves only the same question to the same model: the name as the user wrote it, what
// the server says of it (with its digest), RequestKey, and the tag's Try and Repeat, so that neither
// another try nor a repeat is answered with what it should be held against. Only whole replies are
// kept: no failure, no refusal, nothing filtered, cut, empty, or answered to a cut prompt.
//
// A hosted model has no digest: when its vendor changes what stands behind the name, the cache does
// not notice.
func Cache(store Store, model string, id Identity) Middleware {
	return func(next Model) Model {
		return Func(func(ctx context.Context, req Request) (*Response, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			key := cacheKey(model, id, req)
			data, found, err := store.Get(key)
			if err != nil {
				return nil, fmt.Errorf("read kept reply %s: %w", key, err)
			}
			if found {
				// What cannot be read is asked for anew, and overwritten.
				if resp, ok := unkeep(data); ok {
					return resp, nil
				}
			}
			resp, err := next.Generate(ctx, req)
			if err != nil || !whole(resp) {
				return resp, err
			}
			if data, err = keep(resp); err == nil {
				err = store.Put(key, data)
			}
			if err != nil {
				return nil, fmt.Errorf("keep reply %s: %w", key, err)
			}
			return resp, nil
		})
	}
}

func cacheKey(model string, id Identity, req Request) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q %s %d %d", model, id.Name, id.Digest, id.Quantization,
		id.Server, RequestKey(req), req.Tag.Try, req.Tag.Repeat))
	return hex.EncodeToString(sum[:])
}

// whole reports whether a reply may be kept.
func whole(r *Response) bool {
	return r.Finish == Stop && strings.TrimSpace(r.Text) != "" && !r.Truncated && !r.FromCache
}

// kept is a reply as it stands in a store.
type kept struct {
	Text      string
	Reasoning string
	Usage     Usage
	Logprobs  []TokenLogprob
	ServedBy  string
	Ignored   []string
}

func keep(r *Response) ([]byte, error) {
	return json.Marshal(kept{r.Text, r.Reasoning, r.Usage, r.Logprobs, r.ServedBy, r.Ignored})
}

func unkeep(data []byte) (*Response, bool) {
	var k kept
	if err := json.Unmarshal(data, &k); err != nil || k.Text == "" {
		return nil, false
	}
	return &Response{Text: k.Text, Reasoning: k.Reasoning, Finish: Stop, Usage: k.Usage, Logprobs: k.Logprobs,
		ServedBy: k.ServedBy, Ignored: k.Ignored, FromCache: true}, true
}
