package formats

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// kind is the type of a JSON value; none is a value that is not there.
type kind uint8

const (
	none kind = iota
	null
	boolean
	number
	text
	list
	object
)

func (k kind) String() string {
	return [...]string{"nothing", "null", "true or false", "a number", "a string", "a list", "an object"}[k]
}

// value is a JSON value. A nil value is nothing, and has nothing in it.
type value struct {
	k     kind
	text  []byte   // of a string, unescaped; of a number, true, false and null, as written
	keys  []string // of an object, in its order
	parts []value  // items of a list, members of an object
}

// document is a JSON text that was read, and what is unusual about it.
type document struct {
	value
	separator rune   // an unescaped U+0085, U+2028 or U+2029
	surrogate bool   // an escape that is half a character
	badUTF8   bool   // a string is not UTF-8
	doubled   string // a key that an object has twice
	deep      bool   // nested more deeply than maxDepth

	raw []byte
	at  int
}

// maxDepth is how far values may nest. Python's own reader gives up near 1000.
const maxDepth = 500

// parse reads one JSON value of RFC 8259 and nothing after it. The result refers to raw.
func parse(raw []byte) (*document, error) {
	if !json.Valid(raw) {
		err := json.Unmarshal(raw, new(any))
		var syntax *json.SyntaxError
		switch {
		case errors.As(err, &syntax) && strings.Contains(err.Error(), "max depth"):
			err = errors.New("values nest too deeply")
		case errors.As(err, &syntax):
			err = fmt.Errorf("%w, at byte %d", err, syntax.Offset)
		case err == nil: // as it is empty
			err = errors.New("there is no value")
		}
		return nil, err
	}
	d := &document{raw: raw, badUTF8: !utf8.Valid(raw)}
	for _, r := range "\u0085\u2028\u2029" {
		if bytes.Contains(raw, []byte(string(r))) && !d.badUTF8 {
			d.separator = r
		}
	}
	d.value = d.read(0)
	if d.deep {
		return nil, errors.New("values nest too deeply")
	}
	return d, nil
}

// read reads the value at d.at of a text that is known to be JSON.
func (d *document) read(depth int) value {
	d.deep = d.deep || depth > maxDepth
	switch c := d.next(); c {
	case '"':
		return value{k: text, text: d.string()}
	case '[', '{':
		v := value{k: list}
		if c == '{' {
			v.k = object
		}
		for d.at++; d.next() != ']' && d.raw[d.at] != '}'; {
			if c == '{' {
				v.keys = append(v.keys, string(d.string()))
				d.next()
			}
			v.parts = append(v.parts, d.read(depth+1))
		}
		d.at++
		d.unique(v.keys)
		return v
	}
	start := d.at
	for d.at < len(d.raw) && strings.IndexByte(",]}: \t\r\n", d.raw[d.at]) < 0 {
		d.at++
	}
	v := value{k: number, text: d.raw[start:d.at]}
	switch v.text[0] {
	case 'n':
		v.k = null
	case 't', 'f':
		v.k = boolean
	}
	return v
}

// next passes white space, commas and colons, and returns the byte after them.
func (d *document) next() byte {
	for strings.IndexByte(",: \t\r\n", d.raw[d.at]) >= 0 {
		d.at++
	}
	return d.raw[d.at]
}

// string reads the string at d.at. One without escapes refers to the text.
func (d *document) string() []byte {
	start, escaped := d.at, false
	d.at++
	if end := d.at + bytes.IndexByte(d.raw[d.at:], '"'); bytes.IndexByte(d.raw[d.at:end], '\\') < 0 {
		d.at = end
	}
	for ; d.raw[d.at] != '"'; d.at++ {
		if d.raw[d.at] == '\\' {
			escaped = true
			d.at++
		}
	}
	d.at++
	token := d.raw[start:d.at]
	if !escaped {
		return token[1 : len(token)-1]
	}
	var s string
	if err := json.Unmarshal(token, &s); err != nil {
		panic(err) // the text is JSON
	}
	d.surrogate = d.surrogate || halfCharacter(token)
	return []byte(s)
}

// halfCharacter says whether a string as written has an escape of half a character without the other.
func halfCharacter(token []byte) bool {
	unit := func(i int) rune {
		if i+6 > len(token) || token[i] != '\\' || token[i+1] != 'u' {
			return 0
		}
		n, _ := strconv.ParseUint(string(token[i+2:i+6]), 16, 16)
		return rune(n)
	}
	for i := 0; i < len(token); i++ {
		if token[i] != '\\' {
			continue
		}
		if r := unit(i); utf16.IsSurrogate(r) {
			if utf16.DecodeRune(r, unit(i+6)) == utf8.RuneError {
				return true
			}
			i += 6
		}
		i++
	}
	return false
}

// unique looks for a key that an object has twice.
func (d *document) unique(keys []string) {
	if len(keys) > 16 {
		seen := make(map[string]bool, len(keys))
		for _, key := range keys {
			if seen[key] {
				d.doubled = key
			}
			seen[key] = true
		}
		return
	}
	for i, key := range keys {
		for _, other := range keys[:i] {
			if key == other {
				d.doubled = key
			}
		}
	}
}

func (v *value) kind() kind {
	if v == nil {
		return none
	}
	return v.k
}

// len returns the number of items or members.
func (v *value) len() int {
	if v == nil {
		return 0
	}
	return len(v.parts)
}

// bytes returns the text of a string, number, true, false or null.
func (v *value) bytes() []byte {
	if v == nil {
		return nil
	}
	return v.text
}

// is says whether the value is a certain string.
func (v *value) is(s string) bool { return v.kind() == text && string(v.text) == s }

// blank says whether the value is no string, or one of white space.
func (v *value) blank() bool { return v.kind() != text || len(bytes.TrimSpace(v.text)) == 0 }

// get returns the last member of a key, as most readers do, or nil.
func (v *value) get(key string) *value {
	if v.kind() == object {
		for i := len(v.keys) - 1; i >= 0; i-- {
			if v.keys[i] == key {
				return &v.parts[i]
			}
		}
	}
	return nil
}

// has says whether an object has a key with something other than null.
func (v *value) has(key string) bool { return v.get(key).kind() > null }

// members yields keys and values of an object; nothing else has any.
func (v *value) members() iter.Seq2[string, *value] {
	return func(yield func(string, *value) bool) {
		if v.kind() != object {
			return
		}
		for i, key := range v.keys {
			if !yield(key, &v.parts[i]) {
				return
			}
		}
	}
}

// items yields the values of a list, counted from 1; nothing else has any.
func (v *value) items() iter.Seq2[int, *value] {
	return func(yield func(int, *value) bool) {
		for i := range v.len() {
			if v.k != list || !yield(i+1, &v.parts[i]) {
				return
			}
		}
	}
}

// first and last return an item of a list, or nil.
func (v *value) first() *value { return v.item(0) }
func (v *value) last() *value  { return v.item(v.len() - 1) }

func (v *value) item(i int) *value {
	if v.kind() != list || i < 0 || i >= len(v.parts) {
		return nil
	}
	return &v.parts[i]
}

// appendCanonical appends what a value holds, however it is written.
func appendCanonical(b []byte, v *value) []byte {
	b = binary.AppendUvarint(append(b, byte(v.kind())), uint64(len(v.bytes())))
	b = binary.AppendUvarint(append(b, v.bytes()...), uint64(v.len()))
	for i := range v.len() {
		if v.k == object {
			b = append(binary.AppendUvarint(b, uint64(len(v.keys[i]))), v.keys[i]...)
		}
		b = appendCanonical(b, &v.parts[i])
	}
	return b
}

// same says whether two values hold the same, however they are written.
func same(a, b *value) bool {
	return bytes.Equal(appendCanonical(nil, a), appendCanonical(nil, b))
}

// quote shows foreign text in a message: short, and without what a terminal would act on.
func quote[T string | []byte](s T) string {
	const most = 60
	if len(s) <= most {
		return strconv.Quote(string(s))
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strconv.QuoteToASCII(string(s[:cut])) + "..."
}
