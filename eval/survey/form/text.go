package form

import (
	"fmt"
	"strings"
)

// Text writes the document as agents and people read it. The words in it are the document's
// own, so a judge has to be shown it as a quotation.
func (d *Document) Text() string {
	var b strings.Builder
	switch d.Kind {
	case Survey:
		b.WriteString(d.Form.Text())
	case Table:
		head(&b, d.Title, "")
		for i, row := range append([][]string{d.Head}, d.Rows...) {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(lines(row), " | "))
			if i == 0 {
				b.WriteString("|" + strings.Repeat("---|", len(d.Head)) + "\n")
			}
		}
	default:
		head(&b, d.Title, "")
		for _, item := range d.Items {
			switch {
			case d.Kind == Conversation:
				fmt.Fprintf(&b, "%s: %s\n", item.Who, item.Text)
			case item.Number != "":
				fmt.Fprintf(&b, "%s. %s\n", item.Number, line(item.Text))
			default:
				fmt.Fprintf(&b, "- %s\n", line(item.Text))
			}
		}
	}
	for _, note := range d.Notes {
		fmt.Fprintf(&b, "(Note of the reader: %s.)\n", note)
	}
	return strings.TrimSpace(b.String())
}

func lines(cells []string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = strings.ReplaceAll(line(c), "|", `\|`)
	}
	return out
}

func head(b *strings.Builder, title, description string) {
	if title != "" {
		fmt.Fprintf(b, "# %s\n", line(title))
	}
	if description != "" {
		fmt.Fprintf(b, "%s\n", line(description))
	}
	if title+description != "" {
		b.WriteByte('\n')
	}
}

// Text writes the form in Markdown that Read reads.
func (f *Form) Text() string {
	var b strings.Builder
	head(&b, f.Title, f.Description)
	n := 0
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Title != "" {
			fmt.Fprintf(&b, "## %s\n", line(s.Title))
		}
		if s.Description != "" {
			fmt.Fprintf(&b, "%s\n", line(s.Description))
		}
		for j := range s.Questions {
			q := &s.Questions[j]
			n++
			number := q.Number
			if number == "" {
				number = fmt.Sprint(n)
			}
			fmt.Fprintf(&b, "%s. %s (%s)\n", number, line(q.Text), q.about())
			if q.Help != "" {
				fmt.Fprintf(&b, "   %s\n", line(q.Help))
			}
			for _, r := range q.Rows {
				fmt.Fprintf(&b, "   - Row: %s\n", line(r))
			}
			for _, o := range q.Options {
				fmt.Fprintf(&b, "   - %s\n", line(o))
			}
			if q.Answer != "" {
				fmt.Fprintf(&b, "   - Answer: %s\n", line(q.Answer))
			}
		}
		b.WriteByte('\n')
	}
	return strings.TrimSpace(b.String()) + "\n"
}

// about returns the text of the brackets behind a question.
func (q *Question) about() string {
	text := string(q.Type)
	if q.Written != "" {
		text = fmt.Sprintf("%s, written as %s", text, line(q.Written))
	}
	if q.Min != nil && q.Max != nil {
		text += fmt.Sprintf(" %d-%d", *q.Min, *q.Max)
	}
	if q.Required {
		text += ", required"
	}
	return text
}
