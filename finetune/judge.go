package finetune

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"parley/eval"
	"parley/eval/judge"
	"parley/sim/llm"
)

// Why a verdict is no example.
const (
	Unscored   Reason = "unscored"    // no verdict was read out of the reply, or nothing came of it
	AskedAgain Reason = "asked again" // the verdict was had only after a reply without one
)

// Verdict is what a judge said and what it was asked, for distilling.
type Verdict struct {
	Call     llm.Call
	Messages []llm.Message // what the call's prompt names
	Group    string        // what was judged
	Scenario string
	Source   string
	ID       string   // of the run, before the call's
	Labels   []string // of the verdict, beside what it is about
	Score    *float64
	// Fate is why the verdict is no example; empty: it was read, and it counted.
	Fate   Reason
	Detail string
}

// FromVerdict makes an example of the task judge: the question, and the verdict without what the judge
// said around it. A verdict that did not count is a *Dropped.
func FromVerdict(v *Verdict) (Example, error) {
	about := strings.TrimPrefix(v.Call.Purpose, "judge:")
	x := Example{
		ID: v.ID + "/" + v.Call.ID, Task: Judge, Group: v.Group, Scenario: v.Scenario, Source: v.Source, Model: v.Call.Model,
		Labels: unique(append([]string{about}, v.Labels...)), Score: v.Score,
	}
	drop := func(r Reason, detail string) (Example, error) {
		return Example{}, &Dropped{ID: x.ID, Group: x.Group, Source: x.Source, Reason: r, Detail: detail}
	}
	if v.Fate != "" {
		return drop(v.Fate, v.Detail)
	}
	reply := stated(v.Call.Reply)
	if reply == "" {
		return drop(Unscored, "the reply holds no verdict")
	}
	if x.Prompt = joined(v.Messages); len(x.Prompt) == 0 || x.Prompt[len(x.Prompt)-1].Role != User {
		return drop(Unscored, fmt.Sprintf("the question of the call %s is not kept", v.Call.ID))
	}
	x.Completion = []Message{{Assistant, reply}}
	x.Body = material(x.Prompt[len(x.Prompt)-1].Content) + reply
	return x, nil
}

// stated cuts the verdict's object out of a reply, as it was written. A reply that states its verdict
// in another form is taken whole, without its reasoning.
func stated(reply string) string {
	r := judge.Read(reply, nil)
	if at := strings.LastIndex(reply, "</think>"); at >= 0 {
		reply = reply[at+len("</think>"):]
	}
	reply = strings.TrimSpace(reply)
	if r.Status != eval.Scored {
		return reply
	}
	for at := strings.LastIndexByte(reply, '{'); at >= 0; at = strings.LastIndexByte(reply[:at], '{') {
		var object json.RawMessage
		if json.NewDecoder(strings.NewReader(reply[at:])).Decode(&object) == nil && same(object, r.Value) {
			return string(object)
		}
	}
	return reply
}

// same reports whether two texts are one JSON value.
func same(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	p, err := json.Marshal(x)
	if err != nil {
		return false
	}
	q, err := json.Marshal(y)
	return err == nil && bytes.Equal(p, q)
}

// material is what a question is about, without the instructions around it that are the same every
// time: the quoted lines, or all of it where nothing is quoted.
func material(question string) string {
	var b strings.Builder
	for line := range strings.Lines(question) {
		if text, ok := strings.CutPrefix(line, "| "); ok {
			b.WriteString(text)
		}
	}
	if b.Len() == 0 {
		return question + "\n"
	}
	return b.String()
}
