package characters

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Print writes the sheet to be read by people, secrets included.
func (s *Sheet) Print(w io.Writer) error {
	var b strings.Builder
	people := strings.TrimSpace(s.Race + " " + s.Class)
	facts := slices.DeleteFunc([]string{people, fmt.Sprintf("level %d", s.Level), s.Background, s.Alignment}, func(fact string) bool { return fact == "" })
	fmt.Fprintf(&b, "%s (%s)\n%s\n\n", s.Name, s.ID, strings.Join(facts, ", "))
	for i, ability := range abilityOrder {
		if i > 0 {
			b.WriteString("  ")
		}
		score := s.Abilities.Score(ability)
		fmt.Fprintf(&b, "%s %d (%+d)", strings.ToUpper(string(ability)), score, (score-10)>>1)
	}
	b.WriteString("\n\n")
	var skills []string
	for _, skill := range s.Skills {
		skills = append(skills, fmt.Sprintf("%s %+d", skill, s.Modifier(skill)))
	}
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-11s %s\n", label, hang(text, 12, 100))
		}
	}
	line("Skills", strings.Join(skills, ", "))
	line("Trait", s.Trait)
	line("Ideal", s.Ideal)
	line("Bond", s.Bond)
	line("Flaw", s.Flaw)
	line("Appearance", s.Appearance)
	line("Voice", s.Voice)
	for _, secret := range s.Secrets {
		line("Secret", secret)
	}
	fmt.Fprintf(&b, "\n%s\n", hang(s.Description, 0, 100))
	_, err := io.WriteString(w, b.String())
	return err
}

// hang breaks a text into lines of at most width letters, indented but for the first.
func hang(text string, indent, width int) string {
	var b strings.Builder
	column := indent
	for i, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
