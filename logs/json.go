package logs

import (
	"bytes"
	"reflect"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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
	b := bytes.NewBuffer(dst)
	if err := json.MarshalWrite(b, row, rowForm); err != nil {
		return dst, err
	}
	whole := b.Bytes()
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
