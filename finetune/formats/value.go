package formats

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
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
	separator rune // an unescaped U+0085, U+2028 or U+2029
	surrogate bool // an escape that is half a character
	badUTF8   bool // a string is not UTF-8
	twice     bool // an object has a key twice:
	doubled   string
}

// maxDepth is how far values may nest. Python's own reader gives up near 1000.
const maxDepth = 500

var errDepth = errors.New("values nest too deeply")

// parse reads one JSON value of RFC 8259 and nothing after it. The result refers to raw.
func parse(raw []byte) (*document, error) {
	d := &document{}
	for loose := false; ; { // what jsontext refuses beyond RFC 8259 is noted, and read again
		dec := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(d.twice), jsontext.AllowInvalidUTF8(loose))
		v, err := read(dec)
		if err == nil {
			if _, err = dec.ReadToken(); err == io.EOF {
				d.value = v
				break
			}
		}
		broken := (*jsontext.SyntacticError)(nil)
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &broken):
			d.twice, d.doubled = true, broken.JSONPointer.LastToken()
		case loose || err == nil || errors.Is(err, errDepth):
			return nil, refusal(raw)
		default:
			loose, d.badUTF8 = true, !utf8.Valid(raw)
			d.surrogate = !d.badUTF8
		}
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
		return errDepth
	case errors.As(err, &syntax):
		return fmt.Errorf("%w, at byte %d", err, syntax.Offset)
	}
	return err
}

// kinds are the types of values that are neither object nor list, by how they begin.
var kinds = map[jsontext.Kind]kind{'n': null, 't': boolean, 'f': boolean, '0': number, '"': text}

// read reads the value that comes next.
func read(dec *jsontext.Decoder) (v value, err error) {
	begins := dec.PeekKind()
	if begins != '{' && begins != '[' {
		v.k = kinds[begins]
		v.text, err = plainText(dec)
		return v, err
	}
	if dec.StackDepth() > maxDepth {
		return v, errDepth
	}
	if v.k = list; begins == '{' {
		v.k = object
	}
	if _, err := dec.ReadToken(); err != nil {
		return v, err
	}
	for dec.PeekKind() != begins+2 { // the bracket that closes it
		var key []byte
		if v.k == object {
			if key, err = plainText(dec); err != nil {
				return v, err
			}
		}
		item, err := read(dec)
		if err != nil {
			return v, err
		}
		item.key = key
		v.parts = append(v.parts, item)
	}
	_, err = dec.ReadToken()
	return v, err
}

// plainText reads a string, unescaped, or another value that is no object or list, as written.
func plainText(dec *jsontext.Decoder) ([]byte, error) {
	raw, err := dec.ReadValue()
	switch {
	case err != nil || raw.Kind() != '"':
		return raw, err
	case bytes.IndexByte(raw, '\\') < 0:
		return raw[1 : len(raw)-1], nil
	}
	out, _ := jsontext.AppendUnquote(nil, raw) // the error is about invalid UTF-8, which is replaced
	return out, nil
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
