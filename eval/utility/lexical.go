package utility

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"

	"parley/eval"
)

//go:embed roleplay.yaml
var roleplay []byte

// RolePlay returns the ready criteria for sessions of role-play.
func RolePlay() []Criterion {
	list, err := ReadCriteria(roleplay, "roleplay.yaml")
	if err != nil {
		panic(err)
	}
	return list
}

// measures are those of the lexical quantifier: whether a turn under test is of a kind. So large a share of the turns as
// enough says is as good as can be.
var (
	measures = map[string]func(s *Sample, at int) bool{
		"activity":  func(s *Sample, at int) bool { return s.Turns[at].Text != "" },
		"questions": func(s *Sample, at int) bool { return strings.ContainsAny(s.Turns[at].Text, "?？") },
		"uptake":    takesUp,
		"variety": func(s *Sample, at int) bool { // the first turn of its words
			return !slices.ContainsFunc(s.Turns[:at], func(t Turn) bool { return t.Tested && fold(t.Text) == fold(s.Turns[at].Text) })
		},
	}
	enough = map[string]float64{"questions": 0.5}
)

// takesUp reports whether a turn holds a word of six letters or more which another participant or the premise used before.
func takesUp(s *Sample, at int) bool {
	heard := fold(s.Task)
	for _, t := range s.Turns[:at] {
		if t.Who != s.Turns[at].Who {
			heard += " " + fold(t.Text)
		}
	}
	words := strings.Fields(heard)
	return slices.ContainsFunc(strings.Fields(fold(s.Turns[at].Text)), func(w string) bool { return len([]rune(w)) >= 6 && slices.Contains(words, w) })
}

// measureLexically labels a sample by the criteria that have a lexical measure: the range of the measure is cut into as
// many equal parts as there are values. For variety passes do not count.
func measureLexically(s *Sample, criteria []Criterion) (labels []Label) {
	for _, c := range criteria {
		hit, hits, of := measures[c.Lexical], 0.0, 0.0
		if hit == nil {
			labels = append(labels, Label{Status: eval.NotApplicable, Reason: strings.TrimSpace("it has no lexical measure " + c.Lexical)})
			continue
		}
		for at, t := range s.Turns {
			if t.Tested && (c.Lexical != "variety" || strings.TrimSpace(t.Text) != "") {
				of++
				if hit(s, at) {
					hits++
				}
			}
		}
		if of == 0 {
			labels = append(labels, unread("no turn is under test, or nothing was said or done in any"))
			continue
		}
		share := min(1, hits/of/cmp.Or(enough[c.Lexical], 1))
		labels = append(labels, Label{Status: eval.Scored, Value: c.Values[min(len(c.Values)-1, int(share*float64(len(c.Values))))]})
	}
	return labels
}
