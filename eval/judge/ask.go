package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"parley/eval"
	"parley/sim/llm"
)

// Question is put to a judge. Its verdict decodes into a T.
type Question[T any] struct {
	Scorer  string // names the calls' purpose: judge:<scorer>
	Session string // what is judged
	Subject string // character or thing that it is about
	Turn    int
	Try     int    // number of its first call, where one subject is asked about more than once
	Seed    uint64 // fences, nonces and sampling seeds follow from it

	Role   string             // instructions: who the judge is, what it looks at
	Prompt *template.Template // made by Prompt
	Data   any                // what the prompt is filled in with

	Schema *Schema
	// Check looks for what a schema cannot say, such as that each point is matched once. Its error is
	// told to the judge when it is asked again. Nil checks nothing.
	Check func(T) error
	// Evidence says what a verdict rests on, for the record. Nil: nothing.
	Evidence func(T) []eval.Evidence
}

// Ask puts a question to a judge until there is a verdict, as often as the judge may be asked. The
// error is that of a context that was cancelled, or of a question that cannot be put; that a judge
// fails or says nothing of use is a status of the verdict.
//
// Nothing that judged text says can become a verdict, even where the model copies its whole
// prompt into its reply: only an object that carries the nonce of the question counts. The nonce
// follows from the seed and the whole prompt and is another one for every call, so that no text in
// the prompt can hold it, and the prompt states it in a sentence, outside of quotation marks, so that
// the prompt repeated is no answer. A judge that is Trusting goes without.
func Ask[T any](ctx context.Context, j *Judge, q Question[T]) (Verdict[T], error) {
	var value T
	out, err := put(ctx, j, q.inquiry(), func(r Reading, _ *llm.Response) error {
		value = *new(T)
		if err := json.Unmarshal(r.Value, &value); err != nil {
			return fmt.Errorf("the verdict does not decode: %w", err)
		}
		if q.Check != nil {
			return q.Check(value)
		}
		return nil
	})
	v := Verdict[T]{Status: out.status, Reason: out.reason, Method: out.method, Calls: out.calls, Keys: out.keys}
	if out.status == eval.Scored {
		v.Value = value
		if q.Evidence != nil {
			v.Evidence = q.Evidence(value)
		}
	}
	return v, err
}

func (q *Question[T]) inquiry() inquiry {
	return inquiry{
		tag:  llm.Tag{Session: q.Session, Actor: q.Subject, Purpose: "judge:" + q.Scorer, Turn: q.Turn, Try: q.Try},
		seed: q.Seed, role: q.Role, prompt: q.Prompt, data: q.Data, schema: q.Schema,
	}
}

// inquiry is a question without its type.
type inquiry struct {
	tag    llm.Tag
	seed   uint64
	role   string
	prompt *template.Template
	data   any
	schema *Schema

	temperature *float64 // where the judge's own does not count
	logprobs    int
	once        bool // never asked again
}

// outcome is a verdict without its type.
type outcome struct {
	status eval.Status
	reason string
	method string
	keys   map[string]Reading
	calls  []llm.Call
}

// put asks until accept takes a reading.
func put(ctx context.Context, j *Judge, q inquiry, accept func(Reading, *llm.Response) error) (outcome, error) {
	out := outcome{status: eval.Failed}
	text, err := Render(q.prompt, q.seed, q.data)
	if err != nil {
		return out, err
	}
	sampling := j.Sampling
	if q.temperature != nil {
		sampling.Temperature = q.temperature
	} else if sampling.Temperature == nil {
		sampling.Temperature = new(float64)
	}
	sampling = sampling.Complete()
	first, constrain := q.tag.Try, true
	asks := 1 + j.again()
	if q.once {
		asks = 1
	}
	for asked := 0; asked < asks; {
		q.tag.Try = first + len(out.calls)
		try := strconv.Itoa(q.tag.Try)
		nonce := ""
		if !j.Trusting {
			nonce = token(q.seed, "nonce", try, q.tag.Purpose, q.role, text)[:10]
		}
		f, err := formOf(q.schema, nonce)
		if err != nil {
			return out, err
		}
		req := llm.Request{Tag: q.tag, Sampling: sampling, TopLogprobs: q.logprobs, Messages: q.messages(text, f, out.reason)}
		req.Sampling.Seed = seedOf(j.Sampling.Seed, q.seed, asked, q.tag)
		if constrain {
			req.Schema = f.wire
		}
		resp, call, err := llm.Ask(ctx, j.Model, j.Name, req, j.Now)
		out.calls = append(out.calls, call)
		if ctx.Err() != nil {
			out.reason = "the judge was interrupted"
			return out, ctx.Err()
		}
		if err != nil {
			if constrain && llm.FaultOf(err) == llm.Unsupported {
				constrain = false // the same question, in words alone
				continue
			}
			out.status, out.reason = eval.Failed, err.Error()
			return out, nil
		}
		asked++
		reading := f.read(resp.Text)
		if why := cut(reading, resp); why != "" {
			reading = Reading{Status: eval.Unparsed, Reason: why, Keys: reading.Keys}
		}
		out.keys = reading.Keys
		if reading.Status == eval.Scored {
			if err := accept(reading, resp); err != nil {
				reading.Status, reading.Reason = eval.Unparsed, err.Error()
			}
		}
		out.status, out.reason = reading.Status, reading.Reason
		if reading.Status == eval.Scored {
			out.method = reading.Method
			if constrain {
				out.method = "schema"
			}
			return out, nil
		}
	}
	return out, nil
}

// cut says how the reply's end takes away from a reading; "": it does not.
func cut(r Reading, resp *llm.Response) string {
	over := resp.Finish == llm.Length || resp.Finish == llm.Cut
	switch {
	case r.Status == eval.Scored && over && r.Method == "line":
		return "the reply was cut off where it states the verdict"
	case r.Status == eval.Scored:
		return ""
	case over:
		return r.Reason + " (the reply was cut off)"
	case resp.Finish == llm.Filtered || resp.Finish == llm.Refused:
		return fmt.Sprintf("the judge did not answer: %s", resp.Finish)
	}
	return ""
}

// messages are the prompt of one call. The text comes before what differs from call to call.
func (q *inquiry) messages(text string, f *form, wrong string) []llm.Message {
	system := strings.TrimSpace(q.role + "\n\n" + own("guard.tmpl", nil))
	list := []llm.Message{{Role: llm.System, Content: system}, {Role: llm.User, Content: text}}
	if wrong != "" {
		list = append(list, llm.Message{Role: llm.User, Content: own("again.tmpl", visible(wrong))})
	}
	format := own("format.tmpl", map[string]any{"Nonce": f.outer.nonce, "Keys": f.keys()})
	return append(list, llm.Message{Role: llm.User, Content: format})
}

// seedOf draws the sampling seed of one call: from the question's seed, or upwards from a set one.
func seedOf(set *int64, seed uint64, asked int, tag llm.Tag) *int64 {
	if set != nil {
		s := *set + int64(asked)
		return &s
	}
	hex := token(seed, "sampling", tag.Session, tag.Actor, tag.Purpose, strconv.Itoa(tag.Turn), strconv.Itoa(tag.Try))
	n, err := strconv.ParseUint(hex[:8], 16, 32)
	if err != nil {
		panic(err)
	}
	s := int64(n >> 1) // servers take 31 bits
	return &s
}
