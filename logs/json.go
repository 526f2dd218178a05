package logs

import (
	"bytes"
	"reflect"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var timeType = reflect.TypeFor[time.Time]()

// rowForm adds to the rules of encoding/json/v2, which writes nil lists as [] and escapes nothing for
// HTML: keys of maps are sorted, each byte that is not UTF-8 becomes U+FFFD, and U+2028 and U+2029 are
// escaped.
var rowForm = json.JoinOptions(
	json.Deterministic(true),
	jsontext.AllowInvalidUTF8(true),
	jsontext.EscapeForJS(true),
)

// timeForm also makes times UTC in microseconds. It takes half again as long, because the encoder then
// looks for a rule of its own at every value.
var timeForm = json.JoinOptions(rowForm, json.WithMarshalers(json.MarshalToFunc(encodeTime)))

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
func AppendJSON[T any](dst []byte, row *T) ([]byte, error) {
	if timesKept(row) {
		return appendRow(dst, row, rowForm)
	}
	return appendRow(dst, row, timeForm)
}

func appendRow(dst []byte, row any, form json.Options) ([]byte, error) {
	b := encodeBuffers.Get().(*bytes.Buffer)
	*b = *bytes.NewBuffer(dst)
	err := json.MarshalWrite(b, row, form)
	whole := b.Bytes()
	*b = bytes.Buffer{}
	encodeBuffers.Put(b)
	if err != nil {
		return dst, err
	}
	if next := []byte("\u0085"); bytes.Contains(whole[len(dst):], next) {
		escaped := bytes.ReplaceAll(whole[len(dst):], next, []byte(`\u0085`))
		return append(whole[:len(dst)], escaped...), nil
	}
	return whole, nil
}

// parseJSON reads the JSON of a row into a zero one. Members that the type lacks are passed over; a
// name in other letters is another name, and one that comes twice is an error.
func parseJSON[T any](data []byte, row *T) error {
	return json.Unmarshal(data, row, jsontext.AllowInvalidUTF8(true))
}
