package llm

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"sync"
)

// Replay is a model that answers from a recording, failures included, without any server.
//
// A request is answered by the call of the same CallID, if that had the same prompt and seed. If
// there is none, as where sessions have other names now, it is answered by the calls with the same
// prompt and seed, one after the other in the order of their recording, and then by the last of them
// again. A request that was never asked fails as not found, and the error says what differs.
//
// Of the recording it keeps 30 to 50 bytes a call.
type Replay struct {
	name string
	rec  Recording
	seed maphash.Seed
	ids  map[uint64]int32 // hashed call ID -> number of the call
	like map[uint64]int32 // hashed prompt and seed -> number of the first such call
	next []int32          // number of the next call with the same prompt and seed; 0: none

	mu sync.Mutex
	at map[uint64]int32 // hashed prompt and seed -> number of the call that answers next
}

// ReplayAdapter opens the recorded calls of runs, which the function reads: replay:RUN.
func ReplayAdapter(calls func(run string) (Recording, error)) Adapter {
	return Adapter{
		Scheme: "replay", Usage: "replay:RUN  the recorded replies of a run", Defaults: Defaults{Recorded: true},
		Open: func(_ context.Context, spec Spec, _ Env) (Model, error) {
			recording, err := calls(spec.Name)
			if err != nil {
				return nil, err
			}
			return NewReplay(spec.String(), recording)
		},
	}
}

// NewReplay goes through the recording once. The name is what errors call the model.
func NewReplay(name string, rec Recording) (*Replay, error) {
	r := &Replay{name: name, rec: rec, seed: maphash.MakeSeed(),
		ids: map[uint64]int32{}, like: map[uint64]int32{}, at: map[uint64]int32{}}
	last := map[uint64]int32{}
	for c, err := range rec.All() {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(r.next) == math.MaxInt32 {
			return nil, fmt.Errorf("%s: more than %d calls", name, math.MaxInt32)
		}
		n := int32(len(r.next))
		r.next = append(r.next, 0)
		if id := maphash.String(r.seed, c.ID); !has(r.ids, id) {
			r.ids[id] = n
		}
		key := r.key(c.Prompt, c.Seed, c.Schema)
		if before, ok := last[key]; ok {
			r.next[before] = n
		} else {
			r.like[key] = n
		}
		last[key] = n
	}
	return r, nil
}

func has(m map[uint64]int32, key uint64) bool {
	_, ok := m[key]
	return ok
}

// Generate answers as was answered then.
func (r *Replay) Generate(ctx context.Context, req Request) (*Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	asked := Call{ID: CallID(req.Tag), Prompt: hashes(req.Messages), Schema: len(req.Schema) > 0}
	if req.Sampling.Seed != nil {
		asked.Seed = *req.Sampling.Seed
	}
	why := "no call of that name was recorded, and none with the same prompt and seed"
	if n, ok := r.ids[maphash.String(r.seed, asked.ID)]; ok {
		c, err := r.rec.At(int(n))
		if err != nil {
			return nil, fmt.Errorf("%s: call %d: %w", r.name, n, err)
		}
		if c.ID == asked.ID {
			difference := c.Differs(req)
			if difference == "" {
				return c.Response()
			}
			why = "it was recorded, but " + difference
		}
	}
	c, ok, err := r.alike(asked, req)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, r.missing(req.Tag, why)
	}
	return c.Response()
}

// alike returns the next call with the same prompt and seed.
func (r *Replay) alike(asked Call, req Request) (Call, bool, error) {
	key := r.key(asked.Prompt, asked.Seed, asked.Schema)
	n, ok := r.like[key]
	if !ok {
		return Call{}, false, nil
	}
	r.mu.Lock()
	if at, begun := r.at[key]; begun {
		n = at
	}
	if next := r.next[n]; next != 0 {
		r.at[key] = next
	}
	r.mu.Unlock()
	c, err := r.rec.At(int(n))
	if err != nil {
		return Call{}, false, fmt.Errorf("%s: call %d: %w", r.name, n, err)
	}
	return c, c.Differs(req) == "", nil
}

func (r *Replay) missing(t Tag, why string) error {
	return &Error{Model: r.name, Fault: NotFound, Err: fmt.Errorf("call %s: %s", CallID(t), why),
		Hint: "a replay answers only what its run asked; use the same experiment, seed and prompts"}
}

// replayed is a recorded failure. It reads as it did then.
type replayed struct {
	text  string
	cause *Error
}

func (e *replayed) Error() string { return e.text }

func (e *replayed) Unwrap() error {
	if e.cause == nil {
		return errors.New(e.text)
	}
	return e.cause
}

// key hashes what has to agree between a request and a recorded call.
func (r *Replay) key(prompt []string, seed int64, schema bool) uint64 {
	var h maphash.Hash
	h.SetSeed(r.seed)
	for _, hash := range prompt {
		h.WriteString(hash)
	}
	maphash.WriteComparable(&h, seed)
	maphash.WriteComparable(&h, schema)
	return h.Sum64()
}

// differs says what keeps the recorded call from answering the one that is asked.
func differs(recorded, asked Call) string {
	switch {
	case len(recorded.Prompt) != len(asked.Prompt):
		return fmt.Sprintf("with %d messages, not %d", len(recorded.Prompt), len(asked.Prompt))
	case !slices.Equal(recorded.Prompt, asked.Prompt):
		for i := range asked.Prompt {
			if recorded.Prompt[i] != asked.Prompt[i] {
				return fmt.Sprintf("message %d of %d was another", i+1, len(asked.Prompt))
			}
		}
	case recorded.Seed != asked.Seed:
		return fmt.Sprintf("with seed %d, not %d", recorded.Seed, asked.Seed)
	case recorded.Schema != asked.Schema:
		return fmt.Sprintf("with schema: %t, not %t", recorded.Schema, asked.Schema)
	}
	return ""
}
