package yamlfile

import (
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Schema makes the JSON schema of files that hold a value of the type, for editors. Keys are the yaml tags of the
// fields, or else the json tags. A doc tag describes a key; one that begins with "required" requires it. Docs and words
// describe keys, and list what may be written, by path: "endings.loop", "aims.skill". With list, a file may also hold a
// list of such values. A map with the tag schema:"other keys" holds all keys that have no field.
func Schema(title string, value any, list bool, docs map[string]string, words map[string][]string) ([]byte, error) {
	s := schemer{docs: docs, words: words, within: map[reflect.Type]bool{}}
	one := s.of("", reflect.TypeOf(value))
	schema := map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
	if list {
		schema["anyOf"] = []any{one, map[string]any{"type": "array", "items": one}}
	} else {
		maps.Copy(schema, one)
	}
	return json.MarshalIndent(schema, "", "  ")
}

type schemer struct {
	docs   map[string]string
	words  map[string][]string
	within map[reflect.Type]bool // structs that hold themselves
}

func (s *schemer) of(path string, t reflect.Type) map[string]any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if words := s.words[path]; words != nil && t.Kind() == reflect.String {
		return map[string]any{"enum": words}
	}
	texts := reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
	brief := shorthand(t)
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return map[string]any{} // anything
	case texts, t == reflect.TypeFor[time.Duration](), t.Kind() == reflect.String:
		return map[string]any{"type": "string"}
	case t.Kind() == reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int <= t.Kind() && t.Kind() <= reflect.Uint64:
		return map[string]any{"type": "integer"}
	case t.Kind() == reflect.Float64 || t.Kind() == reflect.Float32:
		return map[string]any{"type": "number"}
	case t.Kind() == reflect.Slice: // one stands for a list of one
		item := s.of(path, t.Elem())
		return map[string]any{"anyOf": []any{map[string]any{"type": "array", "items": item}, item}}
	case t.Kind() == reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.of(path, t.Elem())}
	case t.Kind() == reflect.Struct && !s.within[t]:
		object := s.object(path, t)
		if brief {
			return map[string]any{"anyOf": []any{map[string]any{"type": "string"}, object}}
		}
		return object
	}
	return map[string]any{} // anything
}

// shorthand reports whether a value may be written as a text instead of as fields.
func shorthand(t reflect.Type) bool {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	_, ok := reflect.New(t).Interface().(Shorthand)
	return ok
}

func (s *schemer) object(path string, t reflect.Type) map[string]any {
	s.within[t] = true
	defer delete(s.within, t)
	properties, required := map[string]any{}, []string{}
	for _, f := range tagged(t) {
		at := join(path, f.name)
		property := s.of(at, t.FieldByIndex(f.index).Type)
		doc := t.FieldByIndex(f.index).Tag.Get("doc")
		if doc == "" {
			doc = s.docs[at]
		}
		if doc != "" {
			property["description"] = doc
		}
		if strings.HasPrefix(doc, "required") {
			required = append(required, f.name)
		}
		properties[f.name] = property
	}
	object := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	for i := range t.NumField() {
		if f := t.Field(i); f.Tag.Get("schema") == "other keys" {
			object["additionalProperties"] = s.of(join(path, f.Name), f.Type.Elem())
		}
	}
	if len(required) > 0 {
		slices.Sort(required)
		object["required"] = required
	}
	return object
}

// tagged returns the fields that have a yaml tag, or, where none has, those with a json tag.
func tagged(t reflect.Type) []field {
	list := fieldsOf(t)
	if len(list) > 0 {
		return list
	}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			list = append(list, field{name: name, index: []int{i}})
		}
	}
	return list
}
