// Package loose reads JSON as language models write it. It is the one lenient reader of the project:
// players' replies, judges' verdicts, scripts and forms all go through it.
//
// Beside JSON it reads what models were seen to write: prose and code fences around the value, comments,
// trailing commas, a comma missing at a line's end, Python's quotation marks and constants, typographic quotation marks, keys without
// quotation marks, line breaks and unescaped quotation marks within a string, and escapes that JSON does not
// know. A value that has any of these is marked as loose. It repairs nothing else: a value that is cut off or
// breaks off is returned as such, with what was read of it, and nothing inside of it becomes a value of its
// own, so that text which a broken reply quotes cannot pass for the reply.
package loose

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Kind is the type of a value.
type Kind uint8

const (
	Null Kind = iota
	Bool
	Number
	String
	Word // a value without quotation marks that is none of the other kinds, such as 4/5 or yes
	Array
	Object
)

// State says whether a value was read to its end.
type State uint8

const (
	Whole  State = iota
	Broken       // something stands where the value could not go on
	Cut          // the text ended within the value
)

// Value is a value in a text, with its place there.
type Value struct {
	Kind  Kind
	State State
	Loose bool     // of an outermost value: something within it is not JSON to the letter
	Text  string   // of a scalar: a string decoded, anything else as written ("true", "false" and "null" in JSON's spelling)
	Keys  []string // of an object, beside Items; a repeated key stands twice
	Items []Value  // of an object or array, in order; the last one of a broken or cut value may itself be unfinished

	Start, End int // bytes of the text
}

// Get returns the first value under a key, or nil.
func (v *Value) Get(key string) *Value {
	for i := range v.Keys {
		if v.Keys[i] == key && i < len(v.Items) {
			return &v.Items[i]
		}
	}
	return nil
}

// Any returns a whole value in Go's terms: nil, bool, json.Number, string, []any and map[string]any. It
// fails for a value that is not whole, for a key that is given twice with different values, and for a
// Word.
func (v *Value) Any() (any, error) {
	if v.State != Whole {
		return nil, fmt.Errorf("the value is not complete")
	}
	switch v.Kind {
	case Null:
		return nil, nil
	case Bool:
		return v.Text == "true", nil
	case Number:
		return json.Number(v.Text), nil
	case String:
		return v.Text, nil
	case Word:
		return nil, fmt.Errorf("%.40q is neither a number nor a string", v.Text)
	case Array:
		list := make([]any, len(v.Items))
		for i := range v.Items {
			item, err := v.Items[i].Any()
			if err != nil {
				return nil, err
			}
			list[i] = item
		}
		return list, nil
	}
	object := make(map[string]any, len(v.Items))
	for i, key := range v.Keys {
		item, err := v.Items[i].Any()
		if err != nil {
			return nil, err
		}
		if had, twice := object[key]; twice && !reflect.DeepEqual(had, item) {
			return nil, fmt.Errorf("%.40q is given twice, with different values", key)
		}
		object[key] = item
	}
	return object, nil
}

// Find returns the outermost objects and arrays of a text, in order. An object that breaks off or is cut
// off after its first key is returned with that state, and ends where its brackets are closed, or with the
// text; an opening bracket that begins neither is prose. The time is linear in the text: where brackets
// pile up without end, the search stops with a broken value.
func Find(text string) []Value {
	var found []Value
	spent := 0
	for at := 0; ; {
		i := strings.IndexAny(text[at:], "{[")
		if i < 0 {
			return found
		}
		p := parser{text: text, at: at + i}
		v := Value{Start: p.at}
		ok := p.container(&v, 0)
		switch open, keyed := v.unclosed(); {
		case !ok && (keyed || v.State == Cut && len(v.Items) > 0):
			v.End = closed(text, v.End, open)
			fallthrough
		case ok:
			v.Loose = p.loose
			found = append(found, v)
			at = v.End
		default:
			if spent += p.at - v.Start; spent > 2*len(text)+4096 {
				return append(found, Value{Kind: v.Kind, State: Broken, Start: v.Start, End: len(text)})
			}
			at = v.Start + 1
		}
	}
}

// unclosed counts the containers that were not read to their end, and reports whether one of them is an
// object with a key.
func (v *Value) unclosed() (open int, keyed bool) {
	for v.State != Whole && v.Kind >= Array {
		open++
		keyed = keyed || len(v.Keys) > 0
		if len(v.Items) == 0 {
			break
		}
		v = &v.Items[len(v.Items)-1]
	}
	return open, keyed
}

// closed returns the place behind the bracket that closes the last of so many open ones, or the text's end.
func closed(text string, at, open int) int {
	for ; at < len(text); at++ {
		switch text[at] {
		case '{', '[':
			open++
		case '}', ']':
			if open--; open == 0 {
				return at + 1
			}
		}
	}
	return at
}
