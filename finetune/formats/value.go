package formats

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
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
	text  []byte  // of a string, unescaped; of a number, true, false and null, as written
	key   []byte  // of a member of an object, unescaped
	parts []value // items of a list, members of an object in their order
}

// document is a JSON text that was read, and what is unusual about it.
type document struct {
	value
	separator rune   // an unescaped U+0085, U+2028 or U+2029
	surrogate bool   // an escape that is half a character
	badUTF8   bool   // a string is not UTF-8
	doubled   []byte // a key that an object has twice

	raw   []byte
	at    int
	stack []value // items of the lists and objects that are being read
}

// maxDepth is how far values may nest. Python's own reader gives up near 1000.
const maxDepth = 500

// parse reads one JSON value of RFC 8259 and nothing after it. The result refers to raw.
func parse(raw []byte) (*document, error) {
	d := &document{raw: raw, badUTF8: !utf8.Valid(raw), stack: make([]value, 0, 8)}
	var ok bool
	if d.value, ok = d.read(0); !ok || d.peek() != 0 || d.at < len(raw) {
		return nil, refusal(raw)
	}
	for _, r := range "\u0085\u2028\u2029" {
		if bytes.Contains(raw, []byte(string(r))) && !d.badUTF8 {
			d.separator = r
		}
	}
	return d, nil
}

// refusal says why a text cannot be read.
func refusal(raw []byte) error {
	err := json.Unmarshal(raw, new(json.RawMessage))
	var syntax *json.SyntaxError
	switch {
	case len(raw) == 0:
		return errors.New("there is no value")
	case err == nil || strings.Contains(err.Error(), "max depth"):
		return errors.New("values nest too deeply")
	case errors.As(err, &syntax):
		return fmt.Errorf("%w, at byte %d", err, syntax.Offset)
	}
	return err
}

// read reads the value that comes next. It returns false if there is none.
func (d *document) read(depth int) (value, bool) {
	switch c := d.peek(); {
	case c == '"':
		s, ok := d.string()
		return value{k: text, text: s}, ok
	case (c == '[' || c == '{') && depth > maxDepth:
		return value{}, false
	case c == '[':
		return d.several(list, ']', depth)
	case c == '{':
		return d.several(object, '}', depth)
	}
	start := d.at
	for d.at < len(d.raw) && strings.IndexByte(",]}: \t\r\n", d.raw[d.at]) < 0 {
		d.at++
	}
	v := value{k: number, text: d.raw[start:d.at]}
	switch string(v.text) {
	case "null":
		v.k = null
	case "true", "false":
		v.k = boolean
	default:
		return v, json.Valid(v.text)
	}
	return v, true
}

// several reads the items of a list or the members of an object, and the bracket that ends it.
func (d *document) several(k kind, end byte, depth int) (value, bool) {
	if d.at++; d.take(end) {
		return value{k: k}, true
	}
	from := len(d.stack)
	for more := true; more; more = d.take(',') {
		var key []byte
		if k == object {
			var ok bool
			if key, ok = d.string(); !ok || !d.take(':') {
				return value{}, false
			}
		}
		v, ok := d.read(depth + 1)
		if !ok {
			return value{}, false
		}
		v.key = key
		d.stack = append(d.stack, v)
	}
	v := value{k: k, parts: slices.Clone(d.stack[from:])}
	d.stack = d.stack[:from]
	if k == object {
		d.unique(v.parts)
	}
	return v, d.take(end)
}

// peek passes white space and returns the byte after it, or 0 at the end.
func (d *document) peek() byte {
	for ; d.at < len(d.raw); d.at++ {
		switch c := d.raw[d.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// take passes the byte c, and says whether it came next.
func (d *document) take(c byte) bool {
	if d.peek() != c {
		return false
	}
	d.at++
	return true
}

// string reads the string that comes next. One without escapes refers to the text.
func (d *document) string() ([]byte, bool) {
	if !d.take('"') {
		return nil, false
	}
	start, escaped := d.at, false
	for ; ; d.at++ {
		if d.at >= len(d.raw) || d.raw[d.at] < ' ' {
			return nil, false
		}
		if d.raw[d.at] == '"' {
			break
		}
		if d.raw[d.at] == '\\' {
			escaped = true
			d.at++
		}
	}
	d.at++
	if !escaped {
		return d.raw[start : d.at-1], true
	}
	token := d.raw[start-1 : d.at]
	var s string
	if err := json.Unmarshal(token, &s); err != nil {
		return nil, false
	}
	d.surrogate = d.surrogate || halfCharacter(token)
	return []byte(s), true
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
func (d *document) unique(members []value) {
	if len(members) > 16 {
		seen := make(map[string]bool, len(members))
		for i := range members {
			if seen[string(members[i].key)] {
				d.doubled = members[i].key
			}
			seen[string(members[i].key)] = true
		}
		return
	}
	for i := range members {
		for j := range i {
			if bytes.Equal(members[i].key, members[j].key) {
				d.doubled = members[i].key
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
		for i := len(v.parts) - 1; i >= 0; i-- {
			if string(v.parts[i].key) == key {
				return &v.parts[i]
			}
		}
	}
	return nil
}

// has says whether an object has a key with something other than null.
func (v *value) has(key string) bool { return v.get(key).kind() > null }

// members yields keys and values of an object; nothing else has any.
func (v *value) members() iter.Seq2[[]byte, *value] {
	return func(yield func([]byte, *value) bool) {
		if v.kind() != object {
			return
		}
		for i := range v.parts {
			if !yield(v.parts[i].key, &v.parts[i]) {
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
			b = append(binary.AppendUvarint(b, uint64(len(v.parts[i].key))), v.parts[i].key...)
		}
		b = appendCanonical(b, &v.parts[i])
	}
	return b
}

// same says whether two values hold the same, however they are written.
func same(a, b *value) bool {
	if a.kind() != b.kind() || !bytes.Equal(a.bytes(), b.bytes()) || a.len() != b.len() {
		return false
	}
	for i := range a.len() {
		if !bytes.Equal(a.parts[i].key, b.parts[i].key) || !same(&a.parts[i], &b.parts[i]) {
			return false
		}
	}
	return true
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
