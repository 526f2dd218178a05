package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is an offered set of verdicts: a JSON schema, which decides in the end, and its parts, which
// say how a value in other words is to be understood. A property may list other names for itself
// under "x-aliases".
type Schema struct {
	raw    json.RawMessage
	root   any // the schema as decoded
	check  *jsonschema.Schema
	ticket string  // what an object has to carry to count; empty: nothing
	base   *Schema // of the form of a question: what it was made from, which decides in its place
}

// ParseSchema reads a JSON schema. It loads nothing: a reference has to stay within the schema.
func ParseSchema(raw json.RawMessage) (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("the offered schema is no JSON: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{})
	const name = "urn:verdict"
	if err := compiler.AddResource(name, doc); err != nil {
		return nil, fmt.Errorf("the offered schema does not hold: %w", err)
	}
	check, err := compiler.Compile(name)
	if err != nil {
		return nil, fmt.Errorf("the offered schema does not hold: %w", err)
	}
	return &Schema{raw: raw, root: doc, check: check}, nil
}

// MustSchema is ParseSchema for a schema that is part of the program; it panics where that is wrong.
func MustSchema(raw string) *Schema {
	s, err := ParseSchema(json.RawMessage(raw))
	if err != nil {
		panic(err)
	}
	return s
}

// Labels offers one of several labels.
func Labels(labels ...string) *Schema {
	raw, err := json.Marshal(map[string]any{"type": "string", "enum": labels})
	if err != nil {
		panic(err)
	}
	return MustSchema(string(raw))
}

// JSON returns the schema as it was written.
func (s *Schema) JSON() json.RawMessage { return s.raw }

// valid reports what is wrong with a value, in the schema's own judgement; nil: nothing.
func (s *Schema) valid(v any) error {
	if s.base != nil {
		return nil
	}
	return verdictOf(s.check.Validate(v))
}

// verdictOf shortens a validator's error to its first cause.
func verdictOf(err error) error {
	if err == nil {
		return nil
	}
	fault, ok := err.(*jsonschema.ValidationError)
	if !ok {
		return err
	}
	for len(fault.Causes) > 0 {
		fault = fault.Causes[0]
	}
	at := strings.Join(fault.InstanceLocation, "/")
	if at != "" {
		at += ": "
	}
	return fmt.Errorf("%s%s", at, fault.ErrorKind.LocalizedString(printer))
}

// part is one schema within a Schema, with its references followed.
type part map[string]any

// follow resolves local references. An endless chain of them offers anything, which the whole schema
// then judges.
func (s *Schema) follow(schema any) part {
	for range 32 {
		p, ok := schema.(map[string]any)
		if !ok {
			return nil // true, false
		}
		ref, ok := p["$ref"].(string)
		if !ok {
			return p
		}
		schema = s.at(ref)
	}
	return nil
}

// at returns what a local JSON pointer such as "#/$defs/point" names, or nil.
func (s *Schema) at(ref string) any {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	here := s.root
	for _, step := range strings.Split(path, "/")[min(1, strings.Count(path, "/")):] {
		if step == "" && path == "" {
			break
		}
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		m, ok := here.(map[string]any)
		if !ok {
			return nil
		}
		here = m[step]
	}
	return here
}

// object reports whether the schema describes an object.
func (p part) object() bool {
	_, has := p["properties"].(map[string]any)
	return has || p.typed("object")
}

func (p part) typed(name string) bool {
	switch t := p["type"].(type) {
	case string:
		return t == name
	case []any:
		for _, one := range t {
			if one == name {
				return true
			}
		}
	}
	return false
}

func (p part) types() []string {
	switch t := p["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var names []string
		for _, one := range t {
			if name, ok := one.(string); ok {
				names = append(names, name)
			}
		}
		return names
	}
	return nil
}

func (p part) properties() map[string]any {
	props, _ := p["properties"].(map[string]any)
	return props
}

func (p part) required() []string {
	list, _ := p["required"].([]any)
	var names []string
	for _, one := range list {
		if name, ok := one.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

func (p part) list(key string) []any {
	list, _ := p[key].([]any)
	return list
}

// choices returns the values that an enum or const lists, and whether there is such a list.
func (p part) choices() ([]any, bool) {
	if c, ok := p["const"]; ok {
		return []any{c}, true
	}
	e, ok := p["enum"].([]any)
	return e, ok
}

func (p part) bound(key string) (float64, bool) {
	n, ok := p[key].(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}
