package judge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"parley/eval"
)

// The keys that a question adds to the offered ones.
const (
	ticketKey  = "ticket"
	verdictKey = "verdict"
)

// form is the shape in which one question wants its verdict: an object, which carries the ticket
// where there is one, and is the offered object itself where that can be.
type form struct {
	offered *Schema
	schema  *Schema
	wire    json.RawMessage // what is sent to a server
	wrapped bool            // the verdict stands under verdictKey
}

// formOf makes the form for an offered set. The order of the offered keys is kept, since it is the
// order in which a model writes them.
func formOf(offered *Schema, ticket string) (*form, error) {
	f := &form{offered: offered}
	root, err := members(offered.raw)
	flat := err == nil && f.flat()
	var props []member
	required := []string{}
	if flat {
		own, err := members(get(root, "properties"))
		if err != nil {
			return nil, err
		}
		props, required = own, offered.follow(offered.root).required()
	} else {
		bare := slices.DeleteFunc(slices.Clone(root), func(m member) bool { return m.key == "$defs" || m.key == "definitions" || m.key == "$schema" })
		raw := offered.raw
		if err == nil {
			raw = compose(bare)
		}
		props, required = []member{{verdictKey, raw}}, []string{verdictKey}
		root = slices.DeleteFunc(root, func(m member) bool { return m.key != "$defs" && m.key != "definitions" })
		root = append([]member{{"type", json.RawMessage(`"object"`)}}, root...)
		f.wrapped = true
	}
	if ticket != "" {
		props = append([]member{{ticketKey, json.RawMessage(fmt.Sprintf(`{"type":"string","enum":[%q]}`, ticket))}}, props...)
		required = append([]string{ticketKey}, required...)
	}
	list, err := json.Marshal(required)
	if err != nil {
		return nil, err
	}
	root = set(root, "properties", compose(props))
	root = set(root, "required", list)
	f.schema = &Schema{raw: compose(root), ticket: ticket, base: offered}
	if f.schema.root, err = jsonschema.UnmarshalJSON(bytes.NewReader(f.schema.raw)); err != nil {
		return nil, err
	}
	if get(root, "additionalProperties") == nil {
		root = set(root, "additionalProperties", json.RawMessage("false"))
	}
	f.wire = strip(compose(root))
	return f, nil
}

// flat reports whether the ticket can stand among the offered keys themselves.
func (f *form) flat() bool {
	p, ok := f.offered.root.(map[string]any)
	if !ok {
		return false
	}
	props := part(p).properties()
	if props == nil || props[ticketKey] != nil || f.offered.follow(p) == nil || p["$ref"] != nil || p["minProperties"] != nil || p["maxProperties"] != nil {
		return false
	}
	for _, word := range []string{"oneOf", "anyOf", "allOf", "not", "if", "propertyNames", "enum", "const"} {
		if p[word] != nil {
			return false
		}
	}
	return true
}

// keys says in words what the form asks for, the ticket aside.
func (f *form) keys() []string {
	p := f.schema.follow(f.schema.root)
	required := p.required()
	var keys []string
	for _, key := range order(p, f.schema.raw) {
		if key == ticketKey && f.schema.ticket != "" {
			continue
		}
		text := key
		if !slices.Contains(required, key) {
			text += " (may be left out)"
		}
		keys = append(keys, text+", "+f.schema.describe(p.properties()[key], 0))
	}
	return keys
}

// read reads a reply, and takes the form off its verdict again.
func (f *form) read(reply string) Reading {
	r := Read(reply, f.schema)
	delete(r.Keys, ticketKey)
	if r.Status != eval.Scored {
		if f.wrapped && f.schema.ticket == "" {
			return Read(reply, f.offered) // as it was offered, without the object around it
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
	} else if f.schema.ticket != "" {
		delete(object, ticketKey)
	}
	if err := f.offered.valid(v); err != nil {
		return unread("the verdict is not among the offered ones: %v", err)
	}
	inner := said(v, r.Method)
	inner.Keys, inner.spans, inner.tail = r.Keys, r.spans, r.tail
	return inner
}

// member is one key of a JSON object, whose order is kept.
type member struct {
	key string
	raw json.RawMessage
}

func members(raw json.RawMessage) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("%.40q is no JSON object", raw)
	}
	var list []member
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := t.(string)
		var m json.RawMessage
		if err := d.Decode(&m); err != nil {
			return nil, err
		}
		list = append(list, member{key, m})
	}
	return list, nil
}

func compose(list []member) json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range list {
		if i > 0 {
			out.WriteByte(',')
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			continue
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(m.raw)
	}
	out.WriteByte('}')
	return out.Bytes()
}

func get(list []member, key string) json.RawMessage {
	for _, m := range list {
		if m.key == key {
			return m.raw
		}
	}
	return nil
}

func set(list []member, key string, raw json.RawMessage) []member {
	list = slices.DeleteFunc(slices.Clone(list), func(m member) bool { return m.key == key })
	return append(list, member{key, raw})
}

// strip takes out what is said to this package alone, which strict servers refuse.
func strip(raw json.RawMessage) json.RawMessage {
	switch trimmed := bytes.TrimSpace(raw); {
	case len(trimmed) > 0 && trimmed[0] == '{':
		list, err := members(trimmed)
		if err != nil {
			return raw
		}
		kept := list[:0]
		for _, m := range list {
			if m.key == "x-aliases" && bytes.HasPrefix(bytes.TrimSpace(m.raw), []byte("[")) {
				continue
			}
			kept = append(kept, member{m.key, strip(m.raw)})
		}
		return compose(kept)
	case len(trimmed) > 0 && trimmed[0] == '[':
		var list []json.RawMessage
		if json.Unmarshal(trimmed, &list) != nil {
			return raw
		}
		texts := make([]string, len(list))
		for i := range list {
			texts[i] = string(strip(list[i]))
		}
		return json.RawMessage("[" + strings.Join(texts, ",") + "]")
	}
	return raw
}

func sortBy(keys []string, place func(string) int) {
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b)) })
}
