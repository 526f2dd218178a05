package formats

import (
	"unicode/utf8"

	"parley/finetune"
)

// appendString appends a JSON string. Letters stay as they are; what readers of lines take for the end
// of one is escaped, and HTML is not.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == '\u0085' || r == '\u2028' || r == '\u2029' {
				b = append(b, s[start:i]...)
				b = append(b, '\\', 'u', hex[r>>12], hex[r>>8&15], hex[r>>4&15], hex[r&15])
				start = i + n
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' && c != 0x7f {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(append(b, s[start:]...), '"')
}

// appendPair appends a key and a string.
func appendPair(b []byte, key, s string) []byte {
	b = appendString(b, key)
	return appendString(append(b, ':'), s)
}

// appendMessage appends a message in the words of OpenAI.
func appendMessage(b []byte, m finetune.Message) []byte {
	b = appendPair(append(b, '{'), "role", string(m.Role))
	return append(appendPair(append(b, ','), "content", m.Content), '}')
}

// appendMessages appends a list of messages as one appends them.
func appendMessages(b []byte, messages []finetune.Message, one func([]byte, finetune.Message) []byte) []byte {
	b = append(b, '[')
	for i, m := range messages {
		if i > 0 {
			b = append(b, ',')
		}
		b = one(b, m)
	}
	return append(b, ']')
}
