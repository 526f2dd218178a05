package vdm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/characters"
	"parley/eval"
	"parley/eval/ieg"
	"parley/eval/judge"
	"parley/sim/llm"
)

// Prompted is a virtual DM that asks a language model as it is. The model says who acts, what that
// character wants, and only then which skill that takes. What was said at the table stands in the
// prompt as quoted text that cannot answer for the model. A reply that cannot be read is asked for
// again as often as the judge may be, and then it is a prediction with a reason.
type Prompted struct {
	Judge *judge.Judge
	Shots []ieg.Interaction // solved windows that the prompt shows; see Draw
	Seed  uint64            // of fences, nonces and sampling
	// Record is told of every call. It is called by several at a time where Predict is. May be nil.
	Record func(llm.Call)
}

// Draw takes n examples for a prompt, in a random order, as far as possible of different skills and
// groups. There may be fewer windows than that.
func Draw(xs []ieg.Interaction, n int, seed uint64) []ieg.Interaction {
	order := rand.New(rand.NewPCG(seed, 3)).Perm(len(xs))
	var out []ieg.Interaction
	taken := make([]bool, len(xs))
	for _, fresh := range []bool{true, false} {
		for _, i := range order {
			if len(out) >= n {
				return out
			}
			x := &xs[i]
			if taken[i] || fresh && slices.ContainsFunc(out, func(o ieg.Interaction) bool { return o.Group == x.Group || akin(&o, x) }) {
				continue
			}
			taken[i] = true
			out = append(out, *x)
		}
	}
	return out
}

// akin reports whether two windows have a skill in common, or neither has one.
func akin(a, b *ieg.Interaction) bool {
	if len(a.Intentions) == 0 && len(b.Intentions) == 0 {
		return true
	}
	return slices.ContainsFunc(a.Intentions, func(i ieg.Intention) bool {
		return slices.ContainsFunc(b.Intentions, func(j ieg.Intention) bool { return i.Skill == j.Skill })
	})
}

// attempt is one intention as a model states it, in the order in which it is to think.
type attempt struct {
	Character string `json:"character"`
	Wants     string `json:"wants"`
	Skill     string `json:"skill"`
}

type attempts struct {
	Attempts []attempt `json:"attempts"`
}

// maxAttempts is how many intentions a model may state: small models else go on without end, and of
// two thousand real windows two hold more.
const maxAttempts = 6

// offered is the schema of the answers for a cast.
func offered(cast []string) (*judge.Schema, error) {
	who, err := json.Marshal(names(cast))
	if err != nil {
		return nil, err
	}
	skills, err := json.Marshal(characters.Skills())
	if err != nil {
		return nil, err
	}
	return judge.ParseSchema(json.RawMessage(fmt.Sprintf(`{"type":"object","required":["attempts"],"properties":{
"attempts":{"type":"array","maxItems":%d,"items":{"type":"object","required":["character","wants","skill"],"properties":{
"character":{"enum":%s},"wants":{"type":"string","maxLength":160,"description":"what the character wants to achieve, in a few words"},"skill":{"enum":%s}}}}}}`,
		min(2*len(cast), maxAttempts), who, skills)))
}

// Name returns "prompted:" and the model's name.
func (p *Prompted) Name() string { return "prompted:" + p.Judge.Name }

// Predict asks the model about one window. Its error is that of a cancelled context.
func (p *Prompted) Predict(ctx context.Context, x *ieg.Interaction) (ieg.Prediction, error) {
	if len(x.Cast) == 0 {
		return ieg.Prediction{}, ctx.Err() // no one could try anything
	}
	schema, err := offered(x.Cast)
	if err != nil {
		return ieg.Prediction{Reason: "the cast cannot be offered: " + err.Error()}, ctx.Err()
	}
	type shot struct{ Talk, Answer string }
	var shots []shot
	for i := range p.Shots {
		shots = append(shots, shot{strings.Join(talk(&p.Shots[i]), "\n"), answerOf(&p.Shots[i])})
	}
	v, err := judge.Ask(ctx, p.Judge, judge.Question[attempts]{
		Scorer: "vdm", Session: x.ID, Seed: p.Seed, Role: rendered("role", nil),
		Prompt: prompts["ask"], Data: map[string]any{"Cast": names(x.Cast), "Shots": shots, "Talk": strings.Join(talk(x), "\n")},
		Schema: schema,
	})
	if p.Record != nil {
		for _, c := range v.Calls {
			p.Record(c)
		}
	}
	switch {
	case err != nil:
		return ieg.Prediction{}, err
	case v.Status != eval.Scored:
		return ieg.Prediction{Reason: string(v.Status) + ": " + v.Reason}, nil
	}
	set, err := intentions(v.Value.Attempts, x.Cast)
	if err != nil {
		return ieg.Prediction{Reason: "unparsed: " + err.Error()}, nil
	}
	return ieg.Prediction{Intentions: set}, nil
}

// Tuned is a virtual DM that asks a model which was fine-tuned on the prompts and answers of Example:
// a hosted one, or a local one with an adapter. It adds nothing to that prompt.
type Tuned struct {
	Judge  *judge.Judge // its model, name, sampling and clock; a reply is not asked for again
	Seed   uint64
	Record func(llm.Call) // as in Prompted
}

// Name returns "tuned:" and the model's name.
func (m *Tuned) Name() string { return "tuned:" + m.Judge.Name }

// Predict asks the model about one window. Its error is that of a cancelled context.
func (m *Tuned) Predict(ctx context.Context, x *ieg.Interaction) (ieg.Prediction, error) {
	prompt, _ := Example(x)
	sampling := m.Judge.Sampling
	if sampling.Temperature == nil {
		sampling.Temperature = new(float64)
	}
	sampling = sampling.Complete()
	if sampling.Seed == nil {
		h := fnv.New64a()
		fmt.Fprint(h, m.Seed, x.ID)
		drawn := int64(h.Sum64() >> 33) // servers take 31 bits
		sampling.Seed = &drawn
	}
	req := llm.Request{
		Messages: []llm.Message{llm.NewMessage(llm.User, prompt)}, Sampling: sampling,
		Tag: llm.Tag{Session: x.ID, Purpose: "vdm"},
	}
	resp, call, err := llm.Ask(ctx, m.Judge.Model, m.Judge.Name, req, m.Judge.Now)
	if m.Record != nil {
		m.Record(call)
	}
	switch {
	case ctx.Err() != nil:
		return ieg.Prediction{}, ctx.Err()
	case err != nil:
		return ieg.Prediction{Reason: "failed: " + err.Error()}, nil
	}
	set, err := readAnswer(resp.Text, x.Cast)
	if err == nil && resp.Finish != llm.Stop && resp.Finish != llm.Length {
		err = errors.New("the model did not finish: " + string(resp.Finish))
	}
	if err != nil {
		return ieg.Prediction{Reason: "unparsed: " + err.Error()}, nil
	}
	return ieg.Prediction{Intentions: set}, nil
}
