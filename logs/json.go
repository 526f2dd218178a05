package logs

import (
	"bytes"
	"reflect"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	fastjson "github.com/segmentio/encoding/json"
)

var timeType = reflect.TypeFor[time.Time]()

// rowForm adds to the rules of encoding/json/v2, which writes nil lists as [] and escapes nothing for
// HTML: keys of maps are sorted, each byte that is not UTF-8 becomes U+FFFD, U+2028 and U+2029 are
// escaped, and times are UTC in microseconds.
var rowForm = json.JoinOptions(
	json.Deterministic(true),
	jsontext.AllowInvalidUTF8(true),
	jsontext.EscapeForJS(true),
	json.WithMarshalers(json.MarshalToFunc(encodeTime)),
)

var encodeBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func encodeTime(e *jsontext.Encoder, t time.Time) error {
	text, err := inMicroseconds(t).MarshalText() // an error beyond the year 9999
	if err != nil {
		return err
	}
	return e.WriteToken(jsontext.String(string(text)))
}

// AppendJSON appends the canonical JSON of a row, without a line end: equal rows have equal bytes. It
// also escapes U+0085, which some readers take for the end of a line.
//
// Rows that both encoders write alike (see shape.plain) are written by the one of segmentio/encoding,
// which takes a fifth of the time.
func AppendJSON[T any](dst []byte, row *T) ([]byte, error) {
	s := shapeOf(reflect.TypeFor[T]())
	if s == nil {
		return appendRow(dst, row)
	}
	filled, v := row, reflect.ValueOf(row).Elem()
	for _, p := range s.other {
		if p.kind != reflect.Slice || !v.Field(p.index).IsNil() {
			continue
		}
		if filled == row { // a copy
			if filled, _ = s.spare.Get().(*T); filled == nil {
				filled = new(T)
			}
			defer s.spare.Put(filled)
			*filled = *row
			v = reflect.ValueOf(filled).Elem()
		}
		v.Field(p.index).Set(p.empty)
	}
	if s.plain(v) {
		whole, err := fastjson.Append(dst, filled, 0)
		if err == nil && !bytes.Contains(whole[len(dst):], []byte(`\ufffd`)) { // what it writes for a byte that is not UTF-8
			return escapeNext(whole, len(dst)), nil
		}
	}
	return appendRow(dst, row) // whose errors name the place
}

func appendRow(dst []byte, row any) ([]byte, error) {
	b := encodeBuffers.Get().(*bytes.Buffer)
	*b = *bytes.NewBuffer(dst)
	err := json.MarshalWrite(b, row, rowForm)
	whole := b.Bytes()
	*b = bytes.Buffer{}
	encodeBuffers.Put(b)
	if err != nil {
		return dst, err
	}
	return escapeNext(whole, len(dst)), nil
}

// escapeNext escapes U+0085 in what is behind a place.
func escapeNext(text []byte, from int) []byte {
	next := []byte("\u0085")
	if !bytes.Contains(text[from:], next) {
		return text
	}
	return append(text[:from], bytes.ReplaceAll(text[from:], next, []byte(`\u0085`))...)
}

// parseJSON reads the JSON of a row into a zero one. Members that the type lacks are passed over; a
// name in other letters is another name, and one that comes twice is an error.
func parseJSON[T any](data []byte, row *T) error {
	return json.Unmarshal(data, row, jsontext.AllowInvalidUTF8(true))
}
