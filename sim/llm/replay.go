package llm

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"
	"strings"
	"sync"
)

// Recording is the calls of an earlier run, in the order of their recording. Their messages are not
// needed.
type Recording []Call

// Collect reads calls into memory, without their messages. The hashes of the prompts, of which most
// are in many calls, are kept once each.
func Collect(calls iter.Seq2[Call, error]) (Recording, error) {
	var all Recording
	once := map[string]string{}
	for c, err := range calls {
		if err != nil {
			return nil, err
		}
		c.Messages = nil
		c.Prompt = slices.Clone(c.Prompt)
		for i, hash := range c.Prompt {
			if _, ok := once[hash]; !ok {
				hash = strings.Clone(hash)
				once[hash] = hash
			}
			c.Prompt[i] = once[hash]
		}
		all = append(all, c)
	}
	return all, nil
}

// Replay is a model that answers from a recording, failures included, without any server.
//
// A request is answered by the call of the same CallID, if that had the same prompt and seed. If
// there is none, as where sessions have other names now, it is answered by the calls with the same
// prompt and seed, one after the other in the order of their recording, and then by the last of them
// again. A request that was never asked fails as not found, and the error says what differs.
type Replay struct {
	name  string
	calls Recording
	seed  maphash.Seed
	ids   map[string]int   // call ID -> number of the call
	alike map[uint64][]int // hashed prompt and seed -> numbers of such calls

	mu   sync.Mutex
	next map[uint64]int // hashed prompt and seed -> how many of them have answered
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
			return NewReplay(spec.String(), recording), nil
		},
	}
}

// NewReplay returns a replay of a recording. The name is what errors call the model.
func NewReplay(name string, calls Recording) *Replay {
	r := &Replay{name: name, calls: calls, seed: maphash.MakeSeed(),
		ids: make(map[string]int, len(calls)), alike: map[uint64][]int{}, next: map[uint64]int{}}
	for n := range calls {
		c := &calls[n]
		if _, known := r.ids[c.ID]; !known {
			r.ids[c.ID] = n
		}
		key := r.key(c)
		r.alike[key] = append(r.alike[key], n)
	}
	return r
}

// key hashes what has to agree between a request and a recorded call.
func (r *Replay) key(c *Call) uint64 {
	var h maphash.Hash
	h.SetSeed(r.seed)
	for _, hash := range c.Prompt {
		h.WriteString(hash)
	}
	maphash.WriteComparable(&h, c.Seed)
	maphash.WriteComparable(&h, c.Schema)
	return h.Sum64()
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
	if n, ok := r.ids[asked.ID]; ok {
		difference := r.calls[n].Differs(req)
		if difference == "" {
			return r.calls[n].Response()
		}
		why = "it was recorded, but " + difference
	}
	key := r.key(&asked)
	if all := r.alike[key]; len(all) > 0 {
		r.mu.Lock()
		n := all[min(r.next[key], len(all)-1)]
		r.next[key]++
		r.mu.Unlock()
		if r.calls[n].Differs(req) == "" {
			return r.calls[n].Response()
		}
	}
	return nil, &Error{Model: r.name, Fault: NotFound, Err: fmt.Errorf("call %s: %s", asked.ID, why),
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
