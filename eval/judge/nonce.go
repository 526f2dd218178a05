package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/eval"
)

// The keys that a question adds to those of its schema.
const (
	nonceKey   = "nonce"
	verdictKey = "verdict"
)

// form is the shape in which one question wants its verdict: an object, which carries the nonce where there is
// one, and otherwise is the object of the question's schema, or holds its value under verdictKey.
type form struct {
	schema  *Schema // of the verdict
	outer   *Schema // of the object
	wire    json.RawMessage
	wrapped bool
}

// flatKeys are the keywords of a schema whose object can take the nonce beside its own properties.
var flatKeys = []string{"type", "properties", "required", "additionalProperties", "description", "title", "$schema"}

// formOf makes the form. The order of the properties is kept, since it is the order in which a model writes
// them.
func formOf(schema *Schema, nonce string) (*form, error) {
	if strings.Contains(string(schema.raw), `"$ref"`) {
		return nil, errors.New("the schema of a question may not use $ref: write each part out")
	}
	root, _ := schema.root.(map[string]any)
	_, taken := part(root).properties()[nonceKey]
	flat := part(root).properties() != nil && !taken
	for key := range root {
		flat = flat && slices.Contains(flatKeys, key)
	}
	f := &form{schema: schema, wrapped: !flat}
	var raw struct{ Properties, AdditionalProperties json.RawMessage }
	required := []string{verdictKey}
	properties := fmt.Sprintf("%q:%s", verdictKey, schema.raw)
	if flat {
		if err := json.Unmarshal(schema.raw, &raw); err != nil {
			return nil, err
		}
		required = part(root).required()
		inner := strings.TrimSpace(string(raw.Properties))
		properties = strings.TrimSpace(inner[1 : len(inner)-1])
	}
	if nonce != "" {
		required = append([]string{nonceKey}, required...)
		properties = strings.TrimSuffix(fmt.Sprintf(`%q:{"type":"string","enum":[%q]},%s`, nonceKey, nonce, properties), ",")
	}
	if raw.AdditionalProperties == nil {
		raw.AdditionalProperties = json.RawMessage("false")
	}
	keys, err := json.Marshal(append([]string{}, required...))
	if err != nil {
		return nil, err
	}
	f.wire = json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%s},"required":%s,"additionalProperties":%s}`, properties, keys, raw.AdditionalProperties))
	f.outer = &Schema{raw: f.wire, nonce: nonce, base: schema}
	f.outer.root, err = decode(f.wire)
	return f, err
}

// keys says in words what the form asks for, the nonce aside.
func (f *form) keys() []string {
	p := f.outer.part()
	var keys []string
	for _, key := range order(p, f.outer.raw) {
		if key == nonceKey && f.outer.nonce != "" {
			continue
		}
		text := key
		if !slices.Contains(p.required(), key) {
			text += " (may be left out)"
		}
		keys = append(keys, text+", "+describe(p.properties()[key], f.outer.raw))
	}
	return keys
}

// read reads a reply, and takes the form off its verdict again.
func (f *form) read(reply string) Reading {
	r := Read(reply, f.outer)
	delete(r.Keys, nonceKey)
	if r.Status != eval.Scored {
		if f.wrapped && f.outer.nonce == "" {
			return Read(reply, f.schema) // without the object around it
		}
		return r
	}
	object, ok := r.value.(map[string]any)
	if !ok {
		return unread("the reply is no object")
	}
	v := any(object)
	if f.wrapped {
		v = object[verdictKey]
	} else if f.outer.nonce != "" {
		object = maps.Clone(object)
		delete(object, nonceKey)
		v = object
	}
	inner := said(v, r.Method)
	if err := f.schema.valid(v); err != nil {
		inner = unread("the verdict is not in the schema: %v", err)
	}
	inner.Keys, inner.text, inner.object = r.Keys, r.text, r.object
	return inner
}
