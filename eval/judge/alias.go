package judge

import (
	"strings"
	"unicode"
)

// A key of a reply names a property where, in this order, it is the property; it equals it but for
// case, spaces, dashes, underscores and quotation marks; the property's schema lists it under
// "x-aliases"; it is the property with "final" or "overall" before it; or both are in one line of
// this table. Anything else names nothing.
var alike = [][]string{
	{"meetconstraint", "meetconstraints", "meetlimitation", "meetlimitations", "meetsconstraint", "meetsconstraints"},
	{"completegoal", "completesgoal", "goalcomplete", "goalcompleted", "completedgoal"},
	{"stepordercorrect", "steporder", "correctsteporder", "ordercorrect"},
	{"missingsteps", "missingstep", "hasmissingsteps"},
	{"redundantsteps", "redundantstep", "hasredundantsteps"},
	{"duplicatesteps", "duplicatestep", "duplicatedsteps", "hasduplicatesteps"},
	{"reason", "reasoning", "explanation", "rationale", "justification"},
	{"score", "rating"},
	{"verdict", "judgement", "judgment"},
}

var line = func() map[string]int {
	lines := map[string]int{}
	for i, names := range alike {
		for _, name := range names {
			lines[name] = i + 1
		}
	}
	return lines
}()

// answers are the keys under which a verdict that is one bare value may be wrapped.
var answers = map[string]bool{
	"score": true, "rating": true, "verdict": true, "judgement": true, "judgment": true, "grade": true,
	"answer": true, "label": true, "result": true, "value": true, "decision": true, "choice": true,
	"finalanswer": true, "finalscore": true, "finalverdict": true, "winner": true,
}

// plain folds a key: letters and digits only, in lower case.
func plain(key string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, key)
}

// names finds the properties that keys name.
type names struct {
	exact map[string]any
	loose map[string]string // folded name or alias -> property; empty: more than one
}

func (p part) names() names {
	n := names{exact: p.properties(), loose: map[string]string{}}
	add := func(as, property string) {
		if had, ok := n.loose[as]; ok && had != property {
			property = ""
		}
		n.loose[as] = property
	}
	for property := range n.exact {
		add(plain(property), property)
	}
	second := map[string]string{}
	for property, schema := range n.exact {
		own := plain(property)
		also := []string{"final" + own, "overall" + own}
		if i := line[own]; i > 0 {
			also = append(also, alike[i-1]...)
		}
		if m, ok := schema.(map[string]any); ok {
			for _, alias := range part(m).list("x-aliases") {
				if text, ok := alias.(string); ok {
					also = append(also, plain(text))
				}
			}
		}
		for _, as := range also {
			if _, own := n.loose[as]; own {
				continue // a name of its own
			}
			if had, ok := second[as]; ok && had != property {
				second[as] = ""
				continue
			}
			second[as] = property
		}
	}
	for as, property := range second {
		n.loose[as] = property
	}
	return n
}

// of returns the property that a key names, or "".
func (n names) of(key string) string {
	if _, ok := n.exact[key]; ok {
		return key
	}
	return n.loose[plain(key)]
}
