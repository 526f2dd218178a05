package survey

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley/eval"
	"parley/eval/survey/form"
	"parley/sim/llm"
)

// Author is a model that draws up forms.
type Author struct {
	Model    llm.Model
	Name     string // as it was asked for
	Persona  string // the character that it plays, as the rest of "You are ..."; empty: none
	Schema   bool   // the reply is constrained to the form's JSON schema, where the server can
	Sampling llm.Sampling
	Now      func() time.Time
}

// Draft is the answer to a prompt.
type Draft struct {
	Status   eval.Status
	Reason   string // why there is no form
	Document *form.Document
	Reply    string // raw
	Calls    []llm.Call
}

// formSchema is the schema of a constrained reply.
var formSchema = func() json.RawMessage {
	types, err := json.Marshal(form.Types)
	if err != nil {
		panic(err)
	}
	return json.RawMessage(fmt.Sprintf(`{"type":"object","required":["title","description","sections"],"additionalProperties":false,"properties":{
		"title":{"type":"string"},"description":{"type":"string"},"sections":{"type":"array","minItems":1,"maxItems":6,"items":{
		"type":"object","required":["title","questions"],"additionalProperties":false,"properties":{"title":{"type":"string"},"questions":{
		"type":"array","minItems":1,"maxItems":12,"items":{"type":"object","required":["text","type"],"additionalProperties":false,"properties":{
		"text":{"type":"string"},"type":{"type":"string","enum":%s},"options":{"type":"array","maxItems":12,"items":{"type":"string"}},
		"rows":{"type":"array","maxItems":12,"items":{"type":"string"}},"min":{"type":"integer"},"max":{"type":"integer"},"required":{"type":"boolean"}}}}}}}}}`, types))
}()

// Write has the author draw up a form for a prompt. A reply that holds no form is a status; the error
// is that of a context that was cancelled.
func (a *Author) Write(ctx context.Context, id, prompt string, seed int64) (Draft, error) {
	var text strings.Builder
	if err := generatePrompt.Execute(&text, map[string]any{"Persona": a.Persona, "Prompt": prompt, "JSON": a.Schema}); err != nil {
		return Draft{}, err
	}
	req := llm.Request{
		Messages: []llm.Message{llm.NewMessage(llm.User, strings.TrimSpace(text.String()))}, Sampling: a.Sampling.Complete(),
		Tag: llm.Tag{Session: id, Purpose: "generate"},
	}
	if req.Sampling.Seed == nil {
		req.Sampling.Seed = &seed
	}
	if a.Schema {
		req.Schema = formSchema
	}
	var d Draft
	resp, call, err := llm.Ask(ctx, a.Model, a.Name, req, a.Now)
	d.Calls = append(d.Calls, call)
	if llm.FaultOf(err) == llm.Unsupported && a.Schema {
		req.Schema = nil
		req.Tag.Try++
		resp, call, err = llm.Ask(ctx, a.Model, a.Name, req, a.Now)
		d.Calls = append(d.Calls, call)
	}
	if ctx.Err() != nil {
		return d, ctx.Err()
	}
	if err != nil {
		d.Status, d.Reason = eval.Failed, err.Error()
		return d, nil
	}
	d.Reply = resp.Text
	doc, err := form.Read([]byte(resp.Text), "reply")
	switch {
	case err != nil:
		d.Status, d.Reason = eval.Unparsed, "the reply is empty"
	case doc.Form == nil || doc.Form.Questions() == 0:
		d.Status, d.Reason = eval.Unparsed, "the reply holds no form"
	default:
		d.Status, d.Document = eval.Scored, doc
		doc.Prompt = prompt
		if resp.Finish == llm.Length {
			doc.Notes = append(doc.Notes, "the reply was cut off")
		}
	}
	return d, nil
}
