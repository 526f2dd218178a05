package judge

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
)

// Quote makes a judged text safe in a prompt. It is put between two lines with a fence that
// the text cannot foresee; every line of it has a bar before it, so that none can
// pass for a line of the prompt; characters that are not seen or turn the direction of writing are
// spelled out; and angle brackets, of which the role tokens of chat templates are made, are replaced
// by their typographic likes. The fence follows from the seed and the text, so that a prompt is the
// same in every run of one seed.
func Quote(text string, seed uint64) string {
	fence := token(seed, "fence", text)[:8]
	var out strings.Builder
	fmt.Fprintf(&out, "=== text %s begins ===\n", fence)
	for _, line := range strings.Split(visible(text), "\n") {
		out.WriteString("| ")
		out.WriteString(line)
		out.WriteByte('\n')
	}
	fmt.Fprintf(&out, "=== text %s ends ===", fence)
	return out.String()
}

// token derives an unforeseeable text of 16 hexadecimal digits from a seed and its purpose.
func token(seed uint64, parts ...string) string {
	h := sha256.New()
	h.Write(binary.LittleEndian.AppendUint64(nil, seed))
	for _, p := range parts {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(p))))
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// visible spells out what cannot be seen and breaks up what a chat template could take for its own.
func visible(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var out strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		switch {
		case r == '\n', r == '\t':
			out.WriteRune(r)
		case r == '\r', r == '\v', r == '\f', r == 0x85, r == 0x2028, r == 0x2029:
			out.WriteByte('\n')
		case r == '<':
			out.WriteRune('‹')
		case r == '>':
			out.WriteRune('›')
		case r == '[':
			out.WriteRune('⟦') // [INST]
		case r == ']':
			out.WriteRune('⟧')
		case r < 0x20, r == 0x7F, invisible(r):
			fmt.Fprintf(&out, "(U+%04X)", r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// invisible reports whether a character takes no room on the page: zero-width and soft characters,
// marks and overrides of direction, tags, selectors beyond the plain ones.
func invisible(r rune) bool {
	if r >= 0xFE00 && r <= 0xFE0F {
		return false
	}
	return r == 0x2800 || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
