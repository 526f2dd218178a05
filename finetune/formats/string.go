package formats

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// string reads a string and unescapes it. What has no escapes is returned as it stands in the text.
func (d *document) string() ([]byte, error) {
	d.at++
	start := d.at
	for d.at < len(d.raw) {
		switch c := d.raw[d.at]; {
		case c == '"':
			s := d.raw[start:d.at]
			d.at++
			return s, nil
		case c == '\\':
			return d.unescape(start)
		case c < ' ':
			return nil, d.fail("a control character stands in a string unescaped")
		case c < utf8.RuneSelf:
			d.at++
		default:
			d.wide()
		}
	}
	return nil, d.fail("a string does not end")
}

// unescape goes on where the first escape of a string stands.
func (d *document) unescape(start int) ([]byte, error) {
	from := len(d.chars)
	d.chars = append(d.chars, d.raw[start:d.at]...)
	for d.at < len(d.raw) {
		switch c := d.raw[d.at]; {
		case c == '"':
			d.at++
			return d.chars[from:len(d.chars):len(d.chars)], nil
		case c == '\\':
			if err := d.escape(); err != nil {
				return nil, err
			}
		case c < ' ':
			return nil, d.fail("a control character stands in a string unescaped")
		case c < utf8.RuneSelf:
			d.chars = append(d.chars, c)
			d.at++
		default:
			was := d.at
			d.wide()
			d.chars = append(d.chars, d.raw[was:d.at]...)
		}
	}
	return nil, d.fail("a string does not end")
}

// wide passes a character beyond ASCII.
func (d *document) wide() {
	r, n := utf8.DecodeRune(d.raw[d.at:])
	switch {
	case r == utf8.RuneError && n == 1:
		d.badUTF8 = true
	case r == '\u0085' || r == '\u2028' || r == '\u2029':
		d.separator = r
	}
	d.at += n
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (d *document) escape() error {
	d.at++
	c := d.peek()
	if plain := escapes[c]; plain != 0 {
		d.chars = append(d.chars, plain)
		d.at++
		return nil
	}
	if c != 'u' {
		return d.fail("an escape in a string is not one of JSON")
	}
	d.at++
	r, ok := d.hex()
	if !ok {
		return d.fail("an escape in a string has not four hexadecimal digits")
	}
	if utf16.IsSurrogate(r) {
		whole := rune(utf8.RuneError)
		if was := d.at; bytes.HasPrefix(d.raw[d.at:], []byte(`\u`)) {
			d.at += 2
			low, ok := d.hex()
			if whole = utf16.DecodeRune(r, low); !ok || whole == utf8.RuneError {
				d.at = was // the other half is read as an escape of its own
				whole = utf8.RuneError
			}
		}
		if r = whole; r == utf8.RuneError {
			d.surrogate = true
		}
	}
	d.chars = utf8.AppendRune(d.chars, r)
	return nil
}

func (d *document) hex() (rune, bool) {
	if d.at+4 > len(d.raw) {
		return 0, false
	}
	var r rune
	for _, c := range d.raw[d.at : d.at+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	d.at += 4
	return r, true
}
