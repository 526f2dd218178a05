package characters

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Encode writes the sheets as a YAML list that Read reads back to the same.
func Encode(w io.Writer, sheets []*Sheet) error {
	if _, err := w.Write(Marshal(sheets)); err != nil {
		return fmt.Errorf("write characters: %w", err)
	}
	return nil
}

// Marshal returns the sheets as a YAML list. Texts are laid out to be read and edited by hand, which
// is why this is not left to a general encoder.
func Marshal(sheets []*Sheet) []byte {
	var b bytes.Buffer
	if len(sheets) == 0 {
		b.WriteString("[]\n")
	}
	for i, s := range sheets {
		if i > 0 {
			b.WriteByte('\n')
		}
		a := s.Abilities
		fmt.Fprintf(&b, "- id: %s\n", scalar(string(s.ID)))
		field(&b, "name", s.Name)
		field(&b, "race", s.Race)
		field(&b, "class", s.Class)
		field(&b, "background", s.Background)
		field(&b, "alignment", s.Alignment)
		fmt.Fprintf(&b, "  level: %d\n", s.Level)
		fmt.Fprintf(&b, "  abilities: {str: %d, dex: %d, con: %d, int: %d, wis: %d, cha: %d}\n",
			a.Strength, a.Dexterity, a.Constitution, a.Intelligence, a.Wisdom, a.Charisma)
		b.WriteString("  skills: [")
		for j, skill := range s.Skills {
			if j > 0 {
				b.WriteString(", ")
			}
			b.WriteString(scalar(string(skill)))
		}
		b.WriteString("]\n")
		for _, f := range s.texts()[:6] {
			field(&b, f.name, *f.text)
		}
		if len(s.Secrets) > 0 {
			b.WriteString("  secrets:\n")
			for _, secret := range s.Secrets {
				fmt.Fprintf(&b, "    - %s\n", scalar(secret))
			}
		}
		field(&b, "description", s.Description)
	}
	return b.Bytes()
}

func field(b *bytes.Buffer, name, text string) {
	const width = 100
	if utf8.RuneCountInString(text) < width || !foldable(text) {
		fmt.Fprintf(b, "  %s: %s\n", name, scalar(text))
		return
	}
	fmt.Fprintf(b, "  %s: >-\n", name)
	column := 0
	for _, word := range strings.Split(text, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
			b.WriteString("    ")
			column = 4
		case column+1+n > width:
			b.WriteString("\n    ")
			column = 4
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	b.WriteByte('\n')
}

// foldable says whether a text can stand in a folded block, where every single space may become a
// line break and back: plain words between single spaces.
func foldable(text string) bool {
	for _, word := range strings.Split(text, " ") {
		if word == "" || !plainRunes(word) {
			return false
		}
		if r, _ := utf8.DecodeRuneInString(word); !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}

func plainRunes(text string) bool {
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" .,;:!?'’\"()-", r) {
			return false
		}
	}
	return true
}

// words that YAML readers, old ones among them, take for something other than a text.
var reserved = map[string]bool{
	"null": true, "true": true, "false": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true,
	"nan": true, "inf": true,
}

// scalar returns a text as it stands in YAML, in lists within brackets too: bare where nothing in it
// can be mistaken, else quoted.
func scalar(text string) string {
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	if unicode.IsLetter(first) && last != ' ' && plainRunes(text) && !strings.ContainsAny(text, ",:\"") && !reserved[strings.ToLower(text)] {
		return text
	}
	return quoted(text)
}

// quoted returns the text in double quotes, with escapes that every YAML reader knows.
func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
