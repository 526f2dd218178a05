package scenarios

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// EncodeKnowledge writes knowledge as a YAML list that ReadKnowledge reads back to the same.
func EncodeKnowledge(w io.Writer, pieces []Knowledge) error {
	var p page
	for i, k := range pieces {
		p.next(i)
		p.field("- ", "id", k.ID)
		p.field("  ", "title", k.Title)
		p.field("  ", "topic", k.Topic)
		p.field("  ", "hook", k.Hook)
		p.field("  ", "text", k.Text)
		p.WriteString("  facts:\n")
		for _, f := range k.Facts {
			if f.Aspect == "" {
				p.field("    - ", "text", f.Text)
				continue
			}
			p.field("    - ", "aspect", string(f.Aspect))
			p.field("      ", "text", f.Text)
		}
		p.field("  ", "source", k.Source)
	}
	return p.to(w)
}

// EncodeScenes writes scenes as a YAML list that ReadScenes reads back to the same.
func EncodeScenes(w io.Writer, scenes []Scene) error {
	var p page
	for i, s := range scenes {
		p.next(i)
		p.field("- ", "id", s.ID)
		p.field("  ", "title", s.Title)
		p.field("  ", "premise", s.Premise)
		p.WriteString("  aims:\n")
		for _, a := range s.Aims {
			p.field("    - ", "skill", string(a.Skill))
			p.field("      ", "brief", a.Brief)
		}
	}
	return p.to(w)
}

// page is YAML laid out to be read and edited by hand. A general encoder writes paragraphs in one
// line, and the one at hand loses tabs.
type page struct{ bytes.Buffer }

func (p *page) to(w io.Writer) error {
	if p.Len() == 0 {
		p.WriteString("[]\n")
	}
	if _, err := w.Write(p.Bytes()); err != nil {
		return fmt.Errorf("write scenarios: %w", err)
	}
	return nil
}

// next leaves a blank line between pieces.
func (p *page) next(i int) {
	if i > 0 {
		p.WriteByte('\n')
	}
}

const column = 100 // where lines are folded

var (
	// bare texts mean the same with and without quotes.
	bare = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9'’.,;()-]*( [A-Za-z0-9'’.,;()-]+)*[A-Za-z0-9'’.;()!?]$`)
	// foldable texts can have any of their spaces turned into a line break, and back.
	foldable = regexp.MustCompile(`^[A-Za-z][\pL0-9'’"“”.,:;!?()+/-]*( [\pL0-9'’"“”.,:;!?()+/-]+)+$`)
	constant = regexp.MustCompile(`(?i)^(true|false|yes|no|on|off|null|nan|inf|y|n)$`)
)

// field writes a text with its name; an empty text is left out.
func (p *page) field(indent, name, text string) {
	if text == "" {
		return
	}
	p.WriteString(indent + name + ": ")
	switch {
	case bare.MatchString(text) && !constant.MatchString(text) && len(indent)+len(name)+len(text) < column:
		p.WriteString(text)
	case foldable.MatchString(text) && len(text) > column/2:
		p.fold(strings.Repeat(" ", len(indent)+2), text)
	default:
		p.quote(text)
	}
	p.WriteByte('\n')
}

func (p *page) fold(indent, text string) {
	p.WriteString(">-")
	at := column
	for word := range strings.SplitSeq(text, " ") {
		n := utf8.RuneCountInString(word)
		if at+1+n > column {
			p.WriteString("\n" + indent)
			at = len(indent)
		} else {
			p.WriteByte(' ')
			at++
		}
		p.WriteString(word)
		at += n
	}
}

// quote writes a text in double quotes, with escapes for all that is not plainly visible.
func (p *page) quote(text string) {
	p.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			p.WriteByte('\\')
			p.WriteRune(r)
		case r == '\n':
			p.WriteString(`\n`)
		case r == '\t':
			p.WriteString(`\t`)
		case r < ' ' || r >= 0x7f && r < 0xa1 || r >= 0x2028 && r <= 0x2029 || r == 0xfeff:
			fmt.Fprintf(p, `\u%04X`, r)
		default:
			p.WriteRune(r)
		}
	}
	p.WriteByte('"')
}
