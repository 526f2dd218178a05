package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Call is the record of one request and what came of it: a row of a run's calls.
type Call struct {
	Session string   `json:"session" parquet:"session,dict"`
	ID      string   `json:"id" parquet:"id"` // unique within the run, the same in every run of one seed
	Turn    int      `json:"turn" parquet:"turn"`
	Actor   string   `json:"actor" parquet:"actor,dict"`
	Purpose string   `json:"purpose" parquet:"purpose,dict"`
	Model   string   `json:"model" parquet:"model,dict"`    // as asked for
	Served  string   `json:"served" parquet:"served,dict"`  // as the server names it
	Prompt  []string `json:"prompt" parquet:"prompt,list"`  // hashes of the messages, in order
	Dropped int      `json:"dropped" parquet:"dropped"`     // oldest events left out to fit the context
	Schema  bool     `json:"schema" parquet:"schema"`       // the reply was constrained by a JSON schema
	Seed    int64    `json:"seed" parquet:"seed"`           // of the sampling
	Reply   string   `json:"reply" parquet:"reply"`         // raw
	Reason  string   `json:"reasoning" parquet:"reasoning"` // raw, kept apart
	Finish  Finish   `json:"finish" parquet:"finish,dict"`  // empty where the call failed
	// FinishRaw is the server's own word for the end of the reply.
	FinishRaw string    `json:"finish_raw" parquet:"finish_raw,dict"`
	Tokens    *int      `json:"prompt_tokens" parquet:"prompt_tokens,optional"`
	Cached    *int      `json:"cached_tokens" parquet:"cached_tokens,optional"`
	Output    *int      `json:"completion_tokens" parquet:"completion_tokens,optional"`
	Queue     int64     `json:"queue_us" parquet:"queue_us"` // microseconds, 0 where unknown; at parley's limits and to ask again
	Load      int64     `json:"load_us" parquet:"load_us"`
	First     int64     `json:"first_us" parquet:"first_us"` // until the first piece of a streamed reply, without the queue
	Read      int64     `json:"prompt_us" parquet:"prompt_us"`
	Write     int64     `json:"generate_us" parquet:"generate_us"`
	Total     int64     `json:"total_us" parquet:"total_us"`
	Started   time.Time `json:"started" parquet:"started,timestamp(microsecond)"`
	Attempt   int       `json:"attempt" parquet:"attempt"` // times asked, at least 1
	// Logprobs holds the tokens of the reply with their alternatives as JSON, where they were asked for.
	Logprobs string `json:"logprobs" parquet:"logprobs"`
	// FromCache: no server was asked; the tokens are those of the call whose reply was kept.
	FromCache bool   `json:"from_cache" parquet:"from_cache"`
	Fault     Fault  `json:"fault" parquet:"fault,dict"`
	Error     string `json:"error" parquet:"error"`

	// Messages are what Prompt names. They are stored once each, in a stream of their own.
	Messages []Message `json:"-" parquet:"-"`
}

// CallID names the call that the tag places: session/turn/actor/purpose/try, and #repeat behind it
// for the second and later repeats of one question.
func CallID(t Tag) string {
	var stack [96]byte
	id := append(stack[:0], t.Session...)
	id = strconv.AppendInt(append(id, '/'), int64(t.Turn), 10)
	id = append(append(id, '/'), t.Actor...)
	id = append(append(id, '/'), t.Purpose...)
	id = strconv.AppendInt(append(id, '/'), int64(t.Try), 10)
	if t.Repeat > 0 {
		id = strconv.AppendInt(append(id, '#'), int64(t.Repeat), 10)
	}
	return string(id)
}

// Ask puts a request to a model and returns the record with the response. The record is complete
// also where the call failed. A response whose prompt the server is known to have cut is a failure (TooLong).
func Ask(ctx context.Context, m Model, name string, req Request, now func() time.Time) (*Response, Call, error) {
	t, start := req.Tag, now()
	call := Call{
		Session: t.Session, Turn: t.Turn, Actor: t.Actor, Purpose: t.Purpose, Model: name,
		ID:       CallID(t),
		Dropped:  t.Dropped,
		Schema:   len(req.Schema) > 0,
		Messages: req.Messages, Prompt: hashes(req.Messages),
		Started: start.UTC().Truncate(time.Microsecond),
	}
	if req.Sampling.Seed != nil {
		call.Seed = *req.Sampling.Seed
	}
	resp, err := m.Generate(ctx, req)
	if err == nil && resp.Truncated {
		err = &Error{Model: name, Fault: TooLong, Attempts: resp.Attempts, Err: errCut}
	}
	call.Total = now().Sub(start).Microseconds()
	if call.note(resp, err); call.Attempt > 1 && err == nil && resp.Timing.Total > 0 {
		call.Queue = max(call.Queue, call.Total-(resp.Timing.Total-resp.Timing.Queue).Microseconds())
	}
	if err != nil {
		return nil, call, err
	}
	return resp.split(), call, nil
}

// split returns the response with its reasoning taken out of the text.
func (r *Response) split() *Response {
	thought, rest, ok := SplitReasoning(r.Text)
	if ok && thought == "" && rest == r.Text {
		return r
	}
	parts := *r
	parts.Text, parts.Unclear = rest, !ok
	parts.Reasoning = strings.TrimSpace(r.Reasoning + "\n" + thought)
	return &parts
}

// errCut is a prompt that a server shortened by itself: not the prompt that was asked.
var errCut = errors.New("prompt-cut: the server shortened the prompt by itself")

// note fills in what came of the call.
func (c *Call) note(resp *Response, err error) {
	c.Attempt = 1
	if err != nil {
		c.Fault, c.Error = FaultOf(err), err.Error()
		if e := (*Error)(nil); errors.As(err, &e) {
			c.Attempt = max(1, e.Attempts)
		}
		return
	}
	c.Served, c.Reply, c.Reason = resp.ServedBy, resp.Text, resp.Reasoning
	c.Finish, c.FinishRaw = resp.Finish, resp.FinishRaw
	c.Tokens, c.Cached, c.Output = resp.Usage.Prompt, resp.Usage.Cached, resp.Usage.Completion
	c.Queue, c.Load = resp.Timing.Queue.Microseconds(), resp.Timing.Load.Microseconds()
	c.First = resp.Timing.First.Microseconds()
	c.Read, c.Write = resp.Timing.Prompt.Microseconds(), resp.Timing.Generate.Microseconds()
	c.Attempt, c.FromCache = max(1, resp.Attempts), resp.FromCache
	if len(resp.Logprobs) > 0 {
		c.Logprobs = encodeLogprobs(resp.Logprobs)
	}
}

// Response returns what the call brought: the recorded response, or the recorded failure as an error
// of the same fault and text.
func (c *Call) Response() (*Response, error) {
	if c.failed() {
		err := &replayed{text: c.Error}
		if c.Fault != "" {
			err.cause = &Error{Model: c.Model, Fault: c.Fault, Attempts: c.Attempt}
		}
		return nil, err
	}
	us := func(n int64) time.Duration { return time.Duration(n) * time.Microsecond }
	return &Response{
		Text: c.Reply, Reasoning: c.Reason, Finish: c.Finish, FinishRaw: c.FinishRaw, ServedBy: c.Served,
		Usage: Usage{Prompt: c.Tokens, Cached: c.Cached, Completion: c.Output},
		Timing: Timing{Queue: us(c.Queue), Load: us(c.Load), First: us(c.First), Prompt: us(c.Read), Generate: us(c.Write),
			Total: us(c.Total)},
		Logprobs: decodeLogprobs(c.Logprobs), Attempts: c.Attempt, FromCache: c.FromCache,
	}, nil
}

// Differs says how a request differs from the recorded call of the same name; empty where it does not,
// so that the recorded reply answers it.
func (c *Call) Differs(req Request) string {
	asked := Call{Prompt: hashes(req.Messages), Schema: len(req.Schema) > 0}
	if req.Sampling.Seed != nil {
		asked.Seed = *req.Sampling.Seed
	}
	if req.TopLogprobs > 0 && c.Logprobs == "" && !c.failed() {
		return "without log-probabilities"
	}
	return differs(*c, asked)
}

// encodeLogprobs writes log-probabilities as JSON. Values that JSON has no number for, such as minus
// infinity, are cut to the largest ones.
func encodeLogprobs(tokens []TokenLogprob) string {
	finite := func(v float64) float64 {
		if math.IsNaN(v) {
			return -math.MaxFloat64
		}
		return max(-math.MaxFloat64, min(math.MaxFloat64, v))
	}
	kept := make([]TokenLogprob, len(tokens))
	for i, t := range tokens {
		kept[i] = TokenLogprob{Logprob: Logprob{t.Token, finite(t.Value)}, Top: slices.Clone(t.Top)}
		for k := range kept[i].Top {
			kept[i].Top[k].Value = finite(kept[i].Top[k].Value)
		}
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return ""
	}
	return string(text)
}

func decodeLogprobs(text string) (tokens []TokenLogprob) {
	if text == "" || json.Unmarshal([]byte(text), &tokens) != nil {
		return nil
	}
	return tokens
}

// Service returns how long the server took, in microseconds: all but the queue.
func (c *Call) Service() int64 { return max(0, c.Total-c.Queue) }

// Generating returns how long the reply was written, in microseconds: as the server says, else from the first piece
// of a streamed reply to its end, else the whole service. A reply of which nearly all the time had passed at the first
// piece was not streamed, unless its tokens still came at less than 1,000 a second: then the prompt took that long.
func (c *Call) Generating() int64 {
	service := c.Service()
	if c.Write > 0 {
		return c.Write
	}
	rest := service - c.First
	if c.First > 0 && (10*rest > service || c.Output != nil && rest > 1000*int64(*c.Output)) {
		return rest
	}
	return service
}

// failed reports whether the call brought no reply.
func (c *Call) failed() bool { return c.Fault != "" || c.Error != "" }

// Ledger knows which messages of the calls so far are kept, so that each is kept once. Its zero value
// knows of none.
type Ledger struct {
	kept map[string]struct{} // by hash
	last []string            // the prompt before, whose beginning the next one often has too
}

// New yields the messages of a call's prompt that were in none before it, with their hashes.
func (l *Ledger) New(c *Call) iter.Seq2[string, *Message] {
	return func(yield func(string, *Message) bool) {
		if l.kept == nil {
			l.kept = make(map[string]struct{}, 64)
		}
		from := 0
		for from < len(l.last) && from < len(c.Prompt) && l.last[from] == c.Prompt[from] {
			from++
		}
		l.last = c.Prompt
		for i, hash := range c.Prompt[from:] {
			if _, known := l.kept[hash]; known {
				continue
			}
			l.kept[hash] = struct{}{}
			if !yield(hash, &c.Messages[from+i]) {
				return
			}
		}
	}
}

// IDs returns the ids of calls.
func IDs(calls []Call) (ids []string) {
	for i := range calls {
		ids = append(ids, calls[i].ID)
	}
	return ids
}

// OutOfReach returns an error where one of the calls failed in a way that every other call would, too, such as
// for a key that is missing, so that whoever made them had better stop.
func OutOfReach(calls []Call) error {
	for i := range calls {
		if c := &calls[i]; c.Fault.Lasting() {
			return fmt.Errorf("%s of session %s: %s", c.Purpose, c.Session, c.Error)
		}
	}
	return nil
}
