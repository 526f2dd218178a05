package judge

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// quotes pairs what opens a string with what closes it.
var quotes = map[rune]string{'"': `"`, '\'': `'`, '`': "`", '“': "”", '‘': "’"}

// quote returns the mark that closes the string that the text opens with, and the length of the
// opening mark; 0 where the text does not open a string.
func quote(text string) (string, int) {
	if text == "" || text[0] < utf8.RuneSelf && strings.IndexByte("\"'`", text[0]) < 0 {
		return "", 0
	}
	for _, triple := range []string{`"""`, `'''`} {
		if strings.HasPrefix(text, triple) {
			return triple, 3
		}
	}
	r, n := utf8.DecodeRuneInString(text)
	if end, ok := quotes[r]; ok {
		return end, n
	}
	return "", 0
}

// opens reports whether a string opens at a place.
func opens(text string, at int) bool {
	_, n := quote(text[at:])
	return n > 0
}

// quoted reads a string up to the first closing mark that the given function agrees to, so that a
// quotation mark inside of a string that was not escaped does not end it. At the end of the text it
// returns false.
func (s *scanner) quoted(end string, from int, ends func(after int) bool) (string, int, bool) {
	var out strings.Builder
	text := s.text
	for i := from; i < len(text); {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i += escape(&out, text[i:])
		case strings.HasPrefix(text[i:], end) && ends(i+len(end)):
			return strings.ToValidUTF8(out.String(), "\uFFFD"), i + len(end), true
		default:
			out.WriteByte(text[i])
			i++
		}
	}
	return "", len(text), false
}

// escape writes what an escape stands for and returns its length. One that JSON does not know is
// kept as it stands, since it is nearly always mathematics.
func escape(out *strings.Builder, text string) int {
	switch c := text[1]; c {
	case '"', '\'', '\\', '/':
		out.WriteByte(c)
	case 'b':
		out.WriteByte('\b')
	case 'f':
		out.WriteByte('\f')
	case 'n':
		out.WriteByte('\n')
	case 'r':
		out.WriteByte('\r')
	case 't':
		out.WriteByte('\t')
	case '\n':
	case 'u':
		r, ok := hex4(text[2:])
		if !ok {
			out.WriteByte('\\')
			return 1
		}
		if utf16.IsSurrogate(r) && len(text) >= 12 && text[6] == '\\' && text[7] == 'u' {
			if low, ok := hex4(text[8:]); ok {
				if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
					out.WriteRune(both)
					return 12
				}
			}
		}
		out.WriteRune(r) // half a pair becomes U+FFFD
		return 6
	default:
		out.WriteByte('\\')
		return 1
	}
	return 2
}

func hex4(text string) (rune, bool) {
	if len(text) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(text[:4], 16, 16)
	return rune(n), err == nil
}

// skip returns the place of the first character that is no white space.
func skip(text string, at int) int {
	for at < len(text) {
		n := blank(text[at:])
		if n == 0 {
			break
		}
		at += n
	}
	return at
}

// word returns the length of the identifier that the text starts with.
func word(text string) int {
	n := 0
	for n < len(text) {
		c := text[n]
		letter := c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (n == 0 || c != '-' && (c < '0' || c > '9')) {
			break
		}
		n++
	}
	return n
}

// longest is how many bytes of a key are looked at to tell whether it is one.
const longest = 120

// keyAt reports whether a key and its colon stand at a place.
func keyAt(text string, at int) bool {
	rest := text[at:min(len(text), at+longest)]
	end, n := quote(rest)
	if n == 0 {
		n = word(rest)
		return n > 0 && colon(rest, n)
	}
	close := strings.Index(rest[n:], end)
	return close > 0 && !strings.ContainsAny(rest[n:n+close], "\n{}") && colon(rest, n+close+len(end))
}

func colon(text string, at int) bool {
	at = skip(text, at)
	return at < len(text) && text[at] == ':'
}

// endsValue reports whether a string value of a container may end where the rest of the text is
// what follows at this place.
func endsValue(text string, at int, within byte) bool {
	start := at
	at = skip(text, at)
	if at >= len(text) || commented(text[at:]) {
		return true
	}
	switch c := text[at]; {
	case within == '[' && c == ']', within == '{' && c == '}':
		return true
	case c == ',':
		at = skip(text, at+1)
		if at >= len(text) || commented(text[at:]) {
			return true
		}
		if within == '{' {
			return text[at] == '}' || keyAt(text, at)
		}
		if _, n := quote(text[at:]); n > 0 {
			return true
		}
		return strings.IndexByte("]{[-0123456789tfnTFN", text[at]) >= 0
	}
	return within == '{' && at > start && keyAt(text, at)
}

// bare is a value without quotes that is more than a word: a number, a share such as 4/5 or 4 out of
// 5, or something like them that is refused later, for its reason.
var bare = regexp.MustCompile(`^[-+.]?[0-9][-+.0-9eE_%]*(?: ?(?:/|out of|or|to) ?[0-9][0-9.]*)?`)

// scalar reads a value that is no container, or returns nil.
func (s *scanner) scalar(within byte) *node {
	rest := s.text[s.pos:]
	n := &node{start: s.pos}
	if end, open := quote(rest); open > 0 {
		text, at, ok := s.quoted(end, s.pos+open, func(after int) bool { return endsValue(s.text, after, within) })
		s.pos = at
		if !ok {
			return nil
		}
		n.kind, n.text, n.end = 's', text, at
		return n
	}
	if size := word(rest); size > 0 {
		n.text, n.kind = rest[:size], 'w'
		switch n.text {
		case "true", "True", "TRUE":
			n.kind = 't'
		case "false", "False", "FALSE":
			n.kind = 'f'
		case "null", "None", "NULL", "Null":
			n.kind = 'n'
		case "NaN", "nan", "Infinity", "inf", "undefined":
			return nil
		default:
			if within == '[' { // [sic] is prose
				return nil
			}
		}
	} else if n.text = bare.FindString(rest); n.text != "" {
		n.kind = '0'
	} else {
		return nil
	}
	at := s.pos + len(n.text)
	// a value ends at a comma, a bracket, a new line or a comment, and not in the middle of a sentence
	if !endsBare(s.text, at, within) {
		return nil
	}
	s.pos, n.end = at, at
	return n
}

func endsBare(text string, at int, within byte) bool {
	start := at
	at = skip(text, at)
	if at >= len(text) || commented(text[at:]) || strings.IndexByte(",}]", text[at]) >= 0 {
		return true
	}
	return within == '{' && at > start && keyAt(text, at)
}
