package openai

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// text reads a string; what is no string is empty. Bytes of a character that was split between two
// chunks are kept as they are.
type text string

func (t *text) UnmarshalJSON(raw []byte) error {
	if len(raw) == 0 || raw[0] != '"' {
		return nil
	}
	s, err := unquote(raw)
	*t = text(s)
	return err
}

// unquote reads a JSON string as encoding/json does, except that invalid UTF-8 is not replaced: on
// the way through, such bytes are the last characters of a private plane.
func unquote(raw []byte) (string, error) {
	const plane = 0x10FE00
	if utf8.Valid(raw) {
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	}
	var valid bytes.Buffer
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		if r == utf8.RuneError && n == 1 {
			r = plane + rune(raw[0])
		}
		valid.WriteRune(r)
		raw = raw[n:]
	}
	var s string
	if err := json.Unmarshal(valid.Bytes(), &s); err != nil {
		return "", err
	}
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if r >= plane && r <= plane+0xFF {
			out = append(out, byte(r-plane))
			continue
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out), nil
}
