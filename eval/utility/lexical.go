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
		return shareOf(s, func(i int) bool { return s.Turns[i].Text != "" })
	},
	// The share of tested turns that ask something, where every second turn is as much as can be wished.
	"questions": func(s *Sample) (float64, string) {
		x, why := shareOf(s, func(i int) bool { return strings.ContainsAny(s.Turns[i].Text, "?？") })
		return min(1, 2*x), why
	},
	// The share of tested turns that hold a word of six letters or more which another participant or the premise used
	// before.
	"uptake": func(s *Sample) (float64, string) {
		return shareOf(s, func(i int) bool {
			heard := fold(s.Task)
			for _, t := range s.Turns[:i] {
				if t.Who != s.Turns[i].Who {
					heard += " " + fold(t.Text)
				}
			}
			for w := range strings.FieldsSeq(fold(s.Turns[i].Text)) {
				if len([]rune(w)) >= 6 && strings.Contains(" "+heard+" ", " "+w+" ") {
					return true
				}
			}
			return false
		})
	},
	// The share of different texts among the tested turns in which something is said or done.
	"variety": func(s *Sample) (float64, string) {
		texts, places := map[string]bool{}, s.tested()
		for _, i := range places {
			texts[fold(s.Turns[i].Text)] = true
		}
		if len(places) == 0 {
			return 0, "nothing was said or done"
		}
		return float64(len(texts)) / float64(len(places)), ""
	},
}

// shareOf returns the share of tested turns for which hit, called with the place of a turn, is true.
func shareOf(s *Sample, hit func(place int) bool) (float64, string) {
	n, of := 0, 0
	for i := range s.Turns {
		if !s.Turns[i].Tested {
			continue
		}
		if of++; hit(i) {
			n++
		}
	}
	if of == 0 {
		return 0, "no turn is under test"
	}
	return float64(n) / float64(of), ""
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
