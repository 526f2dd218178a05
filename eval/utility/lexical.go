package utility

import (
	_ "embed"
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

// measures are those of the lexical quantifier: each returns a number from 0 to 1 for the tested turns of a sample, or
// the reason why there is none.
var measures = map[string]func(s *Sample) (float64, string){
	// The share of tested turns in which something is said or done.
	"activity": func(s *Sample) (float64, string) {
		return shareOf(s, func(t Turn, _ map[string]bool) bool { return t.Text != "" })
	},
	// The share of tested turns that ask something, where every second turn is as much as can be wished.
	"questions": func(s *Sample) (float64, string) {
		x, why := shareOf(s, func(t Turn, _ map[string]bool) bool { return strings.ContainsAny(t.Text, "?？") })
		return min(1, 2*x), why
	},
	// The share of tested turns that hold a longer word which another participant or the premise used before.
	"uptake": func(s *Sample) (float64, string) {
		return shareOf(s, func(t Turn, heard map[string]bool) bool {
			for w := range strings.FieldsSeq(fold(t.Text)) {
				if heard[w] {
					return true
				}
			}
			return false
		})
	},
	"variety": variety,
}

// measureLexically labels a sample by the criteria that have a lexical measure: the range of the measure is cut into as
// many equal parts as there are values.
func measureLexically(s *Sample, criteria []Criterion) []Label {
	labels := make([]Label, len(criteria))
	for i := range criteria {
		c := &criteria[i]
		measure := measures[c.Lexical]
		if measure == nil {
			labels[i] = Label{Status: eval.NotApplicable, Reason: strings.TrimSpace("it has no lexical measure " + c.Lexical)}
			continue
		}
		x, why := measure(s)
		if labels[i] = (Label{Status: eval.Unparsed, Reason: why}); why == "" {
			labels[i] = Label{Status: eval.Scored, Value: c.Values[min(len(c.Values)-1, int(x*float64(len(c.Values))))]}
		}
	}
	return labels
}

// shareOf counts the tested turns for which hit is true. Heard are the words of six letters or more that others used
// before a turn.
func shareOf(s *Sample, hit func(t Turn, heard map[string]bool) bool) (float64, string) {
	said := map[string][]string{} // by who
	note := func(who, text string) {
		for w := range strings.FieldsSeq(fold(text)) {
			if len([]rune(w)) >= 6 {
				said[who] = append(said[who], w)
			}
		}
	}
	note("", s.Task)
	n, of := 0, 0
	for _, t := range s.Turns {
		if t.Tested {
			heard := map[string]bool{}
			for who, list := range said {
				for _, w := range list {
					heard[w] = heard[w] || who != t.Who
				}
			}
			if of++; hit(t, heard) {
				n++
			}
		}
		note(t.Who, t.Text)
	}
	if of == 0 {
		return 0, "no turn is under test"
	}
	return float64(n) / float64(of), ""
}

// variety is the share of different texts among the tested turns in which something is said or done.
func variety(s *Sample) (float64, string) {
	texts := map[string]bool{}
	places := s.tested()
	for _, i := range places {
		texts[fold(s.Turns[i].Text)] = true
	}
	if len(places) == 0 {
		return 0, "nothing was said or done"
	}
	return float64(len(texts)) / float64(len(places)), ""
}
