package loose

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	maxDepth = 64  // of nested containers; what nests deeper is broken
	maxKey   = 120 // bytes of a key
)

type parser struct {
	text  string
	at    int
	loose bool // something was overlooked
}

// stop ends a value that cannot go on.
func (p *parser) stop(v *Value) bool {
	v.State, v.End = Broken, p.at
	if p.at >= len(p.text) {
		v.State = Cut
	}
	return false
}

// container reads an object or array and reports whether it came to its end.
func (p *parser) container(v *Value, depth int) bool {
	v.Kind = Array
	closing := byte(']')
	if p.text[p.at] == '{' {
		v.Kind, closing = Object, '}'
	}
	if depth >= maxDepth {
		return p.stop(v)
	}
	p.at++
	for comma := false; ; comma = true {
		p.space()
		if p.at < len(p.text) && p.text[p.at] == closing {
			if comma {
				p.loose = true
			}
			break
		}
		if v.Kind == Object {
			key, ok := p.key()
			if !ok {
				return p.stop(v)
			}
			if v.Keys == nil { // most objects have a few
				v.Keys, v.Items = make([]string, 0, 4), make([]Value, 0, 4)
			}
			v.Keys = append(v.Keys, key)
		}
		p.space()
		if p.at >= len(p.text) {
			if v.Kind == Object { // the key has no value
				v.Items = append(v.Items, Value{State: Cut, Start: p.at, End: p.at})
			}
			return p.stop(v)
		}
		item := p.value(depth+1, v.Kind == Object)
		if item.State != Whole {
			if item.End > item.Start || v.Kind == Object {
				v.Items = append(v.Items, item)
			}
			v.State, v.End = item.State, p.at
			return false
		}
		v.Items = append(v.Items, item)
		behind := p.at
		p.space()
		if p.at == len(p.text) {
			return p.stop(v)
		}
		c := p.text[p.at]
		if c == closing {
			break
		}
		if c == ',' {
			p.at++
			continue
		}
		if c != '"' || !strings.Contains(p.text[behind:p.at], "\n") {
			return p.stop(v)
		}
		p.loose = true
	}
	p.at++
	v.End = p.at
	return true
}

// value reads any value. Within an object a value may be a word.
func (p *parser) value(depth int, word bool) Value {
	v := Value{Start: p.at}
	if c := p.text[p.at]; c == '{' || c == '[' {
		p.container(&v, depth)
		return v
	}
	if mark, size := opening(p.text[p.at:]); size > 0 {
		v.Kind = String
		p.at += size
		if mark != `"` {
			p.loose = true
		}
		text, ok := p.quoted(mark, ",}]/")
		v.Text, v.End = text, p.at
		if !ok {
			v.State = Cut
		}
		return v
	}
	n := strings.IndexAny(p.text[p.at:], ",{}[]\n\"")
	if n < 0 {
		n = len(p.text) - p.at
	}
	raw := p.text[p.at : p.at+n]
	for _, mark := range []string{"//", "/*", " #"} {
		raw, _, _ = strings.Cut(raw, mark)
	}
	v.Text = strings.TrimSpace(raw)
	v.Kind = p.scalar(&v.Text)
	if v.Text == "" || v.Kind == Word && !word {
		p.stop(&v)
		return v
	}
	p.at += len(strings.TrimRightFunc(raw, unicode.IsSpace))
	v.End = p.at
	return v
}

// scalar tells the kind of a value without quotation marks, and spells constants as JSON does.
func (p *parser) scalar(text *string) Kind {
	kind := Word
	switch *text {
	case "true", "false":
		return Bool
	case "null":
		return Null
	case "True", "False", "TRUE", "FALSE":
		kind = Bool
	case "None", "NULL", "Null", "undefined":
		*text, kind = "null", Null
	default:
		if number(*text) {
			return Number
		}
		return Word
	}
	*text = strings.ToLower(*text)
	p.loose = true
	return kind
}

// number reports whether a text is a finite number in JSON's grammar.
func number(text string) bool {
	if strings.Trim(text, "+-.0123456789eE") != "" || !json.Valid([]byte(text)) {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// key reads a key and its colon.
func (p *parser) key() (string, bool) {
	var key string
	if mark, size := opening(p.text[p.at:]); size > 0 {
		if mark != `"` {
			p.loose = true
		}
		from := p.at + size
		head := parser{text: p.text[:min(len(p.text), from+maxKey)], at: from}
		text, ok := head.quoted(mark, ":")
		// What is not JSON's own form and holds brackets is prose behind a quotation mark that was not closed.
		if p.at = head.at; !ok || (mark != `"` || head.loose) && strings.ContainsAny(text, "\n{}") {
			return "", false
		}
		key, p.loose = text, p.loose || head.loose
	} else {
		rest := p.text[p.at:min(len(p.text), p.at+maxKey)]
		n := strings.IndexFunc(rest, func(r rune) bool { return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if n < 0 {
			n = len(rest)
		}
		if n == 0 {
			return "", false
		}
		key = rest[:n]
		p.at += n
		p.loose = true
	}
	p.space()
	if p.at >= len(p.text) || p.text[p.at] != ':' {
		return "", false
	}
	p.at++
	return key, true
}

// space skips white space, byte order marks and comments, of Python too.
func (p *parser) space() {
	for p.at < len(p.text) {
		rest := p.text[p.at:]
		end := "\n"
		switch {
		case strings.HasPrefix(rest, "/*"):
			end = "*/"
		case !strings.HasPrefix(rest, "//") && rest[0] != '#':
			r, n := utf8.DecodeRuneInString(rest)
			if !unicode.IsSpace(r) && r != '\ufeff' && r != '\u200b' {
				return
			}
			p.at += n
			continue
		}
		p.loose = true
		n := strings.Index(rest, end)
		if n < 0 {
			p.at = len(p.text)
			return
		}
		p.at += n + len(end)
	}
}

// opening returns the mark that closes the string which a text begins with, and the length of the opening
// mark; 0: the text begins with no string.
func opening(text string) (mark string, size int) {
	switch {
	case text == "":
	case text[0] == '"':
		return `"`, 1
	case text[0] == '\'':
		return "'", 1
	case strings.HasPrefix(text, "“"):
		return "”", len("“")
	case strings.HasPrefix(text, "‘"):
		return "’", len("‘")
	}
	return "", 0
}

// quoted reads a string up to its closing mark: one behind which one of the given characters, or nothing,
// stands. Any other belongs to the string. It returns false where the text ends first, with the text until
// there.
func (p *parser) quoted(mark, after string) (string, bool) {
	var b strings.Builder
	for p.at < len(p.text) {
		from := p.at
		for p.at < len(p.text) && p.text[p.at] >= ' ' && p.text[p.at] != '\\' && p.text[p.at] != mark[0] {
			p.at++
		}
		plain := p.text[from:p.at]
		if p.at == len(p.text) {
			b.WriteString(plain)
			break
		}
		closes := strings.HasPrefix(p.text[p.at:], mark) && p.followed(p.at+len(mark), after)
		if closes && b.Len() == 0 { // as it is written
			p.at += len(mark)
			return strings.ToValidUTF8(plain, "\uFFFD"), true
		}
		b.WriteString(plain)
		switch c := p.text[p.at]; {
		case closes:
			p.at += len(mark)
			return strings.ToValidUTF8(b.String(), "\uFFFD"), true
		case c == '\\':
			p.escape(&b)
			continue
		case c < ' ':
			p.loose = true
		case strings.HasPrefix(p.text[p.at:], mark):
			p.loose = true
		}
		b.WriteByte(p.text[p.at])
		p.at++
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD"), false
}

// followed reports whether the first character behind white space is one of those given, or a quotation mark
// in another line, or the text ends.
func (p *parser) followed(at int, by string) bool {
	rest := strings.TrimLeft(p.text[at:], " \t\r\n")
	if rest == "" || strings.IndexByte(by, rest[0]) >= 0 {
		return true
	}
	return rest[0] == '"' && strings.Contains(p.text[at:len(p.text)-len(rest)], "\n")
}

var escapes = map[byte]string{'"': `"`, '\'': "'", '\\': `\`, '/': "/", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t"}

// escape reads what stands behind a backslash. The backslash of an escape that JSON does not know is kept:
// it is nearly always mathematics. Half of a surrogate pair becomes U+FFFD.
func (p *parser) escape(b *strings.Builder) {
	rest := p.text[p.at:]
	if len(rest) > 1 {
		if text, ok := escapes[rest[1]]; ok {
			b.WriteString(text)
			p.at += 2
			return
		}
	}
	r, ok := unicodeEscape(rest)
	if !ok {
		p.loose = true
		b.WriteByte('\\')
		p.at++
		return
	}
	p.at += 6
	if utf16.IsSurrogate(r) {
		low, ok := unicodeEscape(rest[6:])
		if both := utf16.DecodeRune(r, low); ok && both != utf8.RuneError {
			r = both
			p.at += 6
		}
	}
	b.WriteRune(r)
}

// unicodeEscape reads \u and four hexadecimal digits.
func unicodeEscape(text string) (rune, bool) {
	if len(text) < 6 || text[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(n), err == nil
}
