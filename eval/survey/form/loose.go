package form

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// pair is one key of an object, whose order is kept: models write questions as keys.
type pair struct {
	key   string
	value any
}

// object is a JSON object: keys in their order.
type object []pair

// get returns the first value that stands under one of the names, whatever their case and joints.
func (o object) get(names ...string) any {
	for _, name := range names {
		for _, p := range o {
			if squash(p.key) == name {
				return p.value
			}
		}
	}
	return nil
}

func (o object) has(name string) bool {
	for _, p := range o {
		if squash(p.key) == name {
			return true
		}
	}
	return false
}

// squash makes keys that differ in case, spaces, hyphens and underscores the same.
func squash(key string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, key)
}

// number is a JSON number, as written.
type number string

// depth is how far objects and lists may nest; a text that nests further is no document.
const depth = 64

// loose reads JSON as models write it: with comments, trailing commas, single or typographic
// quotation marks, bare keys, line ends within strings, and an end that is missing.
type loose struct {
	text string
	at   int
	cut  bool // the text ended before its end
	bent bool // it is not JSON to the letter
}

// parseLoose reads the value at the beginning of a text. Values are object, []any, string, number,
// bool and nil; ok says whether there was one.
func parseLoose(text string) (value any, p *loose, ok bool) {
	p = &loose{text: text}
	value, ok = p.value(0)
	return value, p, ok
}

func (p *loose) space() {
	for p.at < len(p.text) {
		rest := p.text[p.at:]
		switch {
		case strings.HasPrefix(rest, "//"):
			p.bent = true
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				p.at = len(p.text)
				return
			}
			p.at += end
		case strings.HasPrefix(rest, "/*"):
			p.bent = true
			end := strings.Index(rest, "*/")
			if end < 0 {
				p.at = len(p.text)
				return
			}
			p.at += end + 2
		default:
			r, n := utf8.DecodeRuneInString(rest)
			if !unicode.IsSpace(r) && r != '\ufeff' {
				return
			}
			p.at += n
		}
	}
}

func (p *loose) value(deep int) (any, bool) {
	p.space()
	if p.at >= len(p.text) || deep > depth {
		p.cut = true
		return nil, false
	}
	switch c := p.text[p.at]; {
	case c == '{':
		return p.object(deep), true
	case c == '[':
		return p.list(deep), true
	case p.closer() != "":
		return p.string(), true
	default:
		word := p.word()
		switch strings.ToLower(word) {
		case "":
			return nil, false
		case "true":
			return true, true
		case "false":
			return false, true
		case "null", "none", "undefined":
			return nil, true
		}
		if strings.Trim(word, "+-.0123456789eE") == "" {
			return number(word), true
		}
		p.bent = true
		return word, true
	}
}

// closer returns the mark that ends the string which begins here, or "".
func (p *loose) closer() string {
	for _, marks := range [][2]string{{`"`, `"`}, {"'", "'"}, {"“", "”"}, {"‘", "’"}, {"`", "`"}} {
		if strings.HasPrefix(p.text[p.at:], marks[0]) {
			return marks[1]
		}
	}
	return ""
}

func (p *loose) string() string {
	end := p.closer()
	if end != `"` {
		p.bent = true
	}
	_, n := utf8.DecodeRuneInString(p.text[p.at:])
	p.at += n
	var b strings.Builder
	for p.at < len(p.text) {
		rest := p.text[p.at:]
		switch {
		case strings.HasPrefix(rest, end):
			p.at += len(end)
			return b.String()
		case rest[0] == '\\' && len(rest) > 1:
			p.escape(&b)
		default:
			r, n := utf8.DecodeRuneInString(rest)
			if r == '\n' {
				p.bent = true
			}
			b.WriteRune(r)
			p.at += n
		}
	}
	p.cut = true
	return b.String()
}

func (p *loose) escape(b *strings.Builder) {
	c := p.text[p.at+1]
	p.at += 2
	switch c {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r', 'b', 'f':
		b.WriteByte(' ')
	case 'u':
		r, ok := p.hex()
		if ok && r >= 0xD800 && r < 0xDC00 && strings.HasPrefix(p.text[p.at:], `\u`) { // half of a pair
			at := p.at
			p.at += 2
			if low, ok := p.hex(); ok && low >= 0xDC00 && low < 0xE000 {
				r = (r-0xD800)<<10 + (low - 0xDC00) + 0x10000
			} else {
				p.at = at
			}
		}
		b.WriteRune(r) // half a pair becomes U+FFFD
	default:
		b.WriteByte(c)
		for p.at < len(p.text) && !utf8.RuneStart(p.text[p.at]) {
			b.WriteByte(p.text[p.at])
			p.at++
		}
	}
}

func (p *loose) hex() (rune, bool) {
	if p.at+4 > len(p.text) {
		p.at = len(p.text)
		return utf8.RuneError, false
	}
	r := rune(0)
	for _, c := range []byte(p.text[p.at : p.at+4]) {
		d := strings.IndexByte("0123456789abcdef", c|0x20)
		if d < 0 {
			return utf8.RuneError, false
		}
		r = r<<4 | rune(d)
	}
	p.at += 4
	return r, true
}

// word reads what is neither marked nor bracketed, up to what could follow it.
func (p *loose) word() string {
	rest := p.text[p.at:]
	end := strings.IndexAny(rest, ",:{}[]\n\"")
	if end < 0 {
		end = len(rest)
	}
	p.at += end
	return strings.TrimSpace(rest[:end])
}

func (p *loose) object(deep int) object {
	p.at++
	o := object{}
	for {
		p.space()
		switch {
		case p.at >= len(p.text):
			p.cut = true
			return o
		case p.text[p.at] == '}':
			p.at++
			return o
		case p.text[p.at] == ',' || p.text[p.at] == ']': // one too many
			p.bent = true
			p.at++
			continue
		}
		key := ""
		if p.closer() != "" {
			key = p.string()
		} else {
			key, p.bent = p.word(), true
		}
		p.space()
		if p.at >= len(p.text) {
			p.cut = true
			return o
		}
		if p.text[p.at] != ':' {
			p.bent = true
			if key == "" {
				p.at++
			}
			continue
		}
		p.at++
		v, ok := p.value(deep + 1)
		if !ok {
			if p.cut {
				return o
			}
			p.bent = true
		}
		o = append(o, pair{key, v})
		if p.cut {
			return o
		}
		p.comma('}')
	}
}

func (p *loose) list(deep int) []any {
	p.at++
	l := []any{}
	for {
		p.space()
		switch {
		case p.at >= len(p.text):
			p.cut = true
			return l
		case p.text[p.at] == ']':
			p.at++
			return l
		case p.text[p.at] == ',' || p.text[p.at] == ':' || p.text[p.at] == '}':
			p.bent = true
			p.at++
			continue
		}
		v, ok := p.value(deep + 1)
		if ok {
			l = append(l, v)
		}
		if p.cut {
			return l
		}
		p.comma(']')
	}
}

// comma passes over the comma behind a value, which may be missing, or the last one too many.
func (p *loose) comma(end byte) {
	p.space()
	if p.at < len(p.text) && p.text[p.at] == ',' {
		p.at++
		p.space()
		if p.at < len(p.text) && p.text[p.at] == end {
			p.bent = true
		}
	} else if p.at < len(p.text) && p.text[p.at] != end {
		p.bent = true
	}
}
