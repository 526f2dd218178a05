package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

var printer = message.NewPrinter(language.English)

// Schema is a JSON schema of verdicts, which decides in the end, and its parts, which say how a value in other
// words is to be understood.
type Schema struct {
	raw   json.RawMessage
	root  any // the schema as decoded
	check *jsonschema.Schema
	nonce string  // what an object has to carry to count; empty: nothing
	base  *Schema // of the form of a question: the question's own, which decides in its place
}

func decode(raw json.RawMessage) (any, error) { return jsonschema.UnmarshalJSON(bytes.NewReader(raw)) }

// ParseSchema reads a JSON schema. It loads nothing: a reference has to stay within the schema.
func ParseSchema(raw json.RawMessage) (*Schema, error) {
	doc, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("the schema of the verdict is no JSON: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{})
	const name = "urn:verdict"
	if err := compiler.AddResource(name, doc); err != nil {
		return nil, fmt.Errorf("the schema of the verdict is not valid: %w", err)
	}
	check, err := compiler.Compile(name)
	if err != nil {
		return nil, fmt.Errorf("the schema of the verdict is not valid: %w", err)
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

// valid reports what is wrong with a value by the schema; nil: nothing.
func (s *Schema) valid(v any) error {
	if s == nil || s.base != nil {
		return nil
	}
	return firstCause(s.check.Validate(v))
}

// checks returns the compiled schemas of the properties.
func (s *Schema) checks() map[string]*jsonschema.Schema {
	check := s.check
	if s.base != nil {
		check = s.base.check
	}
	for check.Ref != nil {
		check = check.Ref
	}
	return check.Properties
}

// firstCause shortens a validator's error to its first cause.
func firstCause(err error) error {
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

// part is one schema within a Schema; nil: it says nothing that this package knows.
type part map[string]any

func partOf(schema any) part {
	p, _ := schema.(map[string]any)
	return p
}

func (s *Schema) part() part { return partOf(s.root) }

// object reports whether the schema describes an object.
func (p part) object() bool { return p.properties() != nil || p.typed("object") }

func (p part) typed(name string) bool { return slices.Contains(p.types(), name) }

func (p part) types() []string {
	if name, ok := p["type"].(string); ok {
		return []string{name}
	}
	return p.texts("type")
}

func (p part) properties() map[string]any {
	props, _ := p["properties"].(map[string]any)
	return props
}

func (p part) required() []string { return p.texts("required") }

// texts returns the strings of a list.
func (p part) texts(key string) []string {
	list, _ := p[key].([]any)
	var names []string
	for _, one := range list {
		if name, ok := one.(string); ok {
			names = append(names, name)
		}
	}
	return names
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
