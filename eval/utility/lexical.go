package utility

import (
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

// measures are those of the lexical quantifier: shares of the tested turns, or of those in which something is said or
// done, that are of a kind.
var measures = map[string]struct {
	spoken bool                         // passes do not count
	enough float64                      // share that is as good as can be
	hit    func(s *Sample, at int) bool // reports whether a turn is of the kind
}{
	"activity":  {false, 1, func(s *Sample, at int) bool { return s.Turns[at].Text != "" }},
	"questions": {false, 0.5, func(s *Sample, at int) bool { return strings.ContainsAny(s.Turns[at].Text, "?？") }},
	"uptake":    {false, 1, takesUp},
	// The first turn of its words.
	"variety": {true, 1, func(s *Sample, at int) bool {
		return !slices.ContainsFunc(s.Turns[:at], func(t Turn) bool { return t.Tested && fold(t.Text) == fold(s.Turns[at].Text) })
	}},
}

// takesUp reports whether a turn holds a word of six letters or more which another participant or the premise used before.
func takesUp(s *Sample, at int) bool {
	heard := fold(s.Task)
	for _, t := range s.Turns[:at] {
		if t.Who != s.Turns[at].Who {
			heard += " " + fold(t.Text)
		}
	}
	for w := range strings.FieldsSeq(fold(s.Turns[at].Text)) {
		if len([]rune(w)) >= 6 && strings.Contains(" "+heard+" ", " "+w+" ") {
			return true
		}
	}
	return false
}

// measureLexically labels a sample by the criteria that have a lexical measure: the range of the measure is cut into as
// many equal parts as there are values.
func measureLexically(s *Sample, criteria []Criterion) []Label {
	labels := make([]Label, len(criteria))
	for i := range criteria {
		c := &criteria[i]
		m, known := measures[c.Lexical]
		if !known {
			labels[i] = Label{Status: eval.NotApplicable, Reason: strings.TrimSpace("it has no lexical measure " + c.Lexical)}
			continue
		}
		hits, of := 0, 0
		for at, t := range s.Turns {
			if !t.Tested || m.spoken && strings.TrimSpace(t.Text) == "" {
				continue
			}
			if of++; m.hit(s, at) {
				hits++
			}
		}
		if labels[i] = unread("no turn is under test, or nothing was said or done in any"); of > 0 {
			share := min(1, float64(hits)/float64(of)/m.enough)
			labels[i] = Label{Status: eval.Scored, Value: c.Values[min(len(c.Values)-1, int(share*float64(len(c.Values))))]}
		}
	}
	return labels
}
