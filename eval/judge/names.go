package judge

import (
	"strings"
	"unicode"
)

// A key of a reply names a property where it is the property, or where it equals one of these but for case
// and for what is neither letter nor digit: the property, also behind "final" or "overall", or a name beside the
// property in one line of this table. Anything else names nothing.
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

// answerKeys are the keys under which a verdict that is one bare value may stand.
var answerKeys = map[string]bool{"verdict": true, "score": true, "rating": true, "grade": true, "answer": true, "label": true}

// letters folds a name: letters and digits only, in lower case.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// names maps what a key may be called, folded, to the property; to nothing where it may be two.
func (p part) names() map[string]string {
	own, other := map[string]string{}, map[string]string{}
	add := func(to map[string]string, name, property string) {
		if had, twice := to[name]; twice && had != property {
			property = ""
		}
		to[name] = property
	}
	for property := range p.properties() {
		name := letters(property)
		add(own, name, property)
		for _, line := range alike {
			for _, member := range line {
				if member != name {
					continue
				}
				for _, alias := range line {
					add(other, alias, property)
				}
			}
		}
		add(other, "final"+name, property)
		add(other, "overall"+name, property)
	}
	for name, property := range other {
		if _, ok := own[name]; !ok {
			own[name] = property
		}
	}
	return own
}

// named returns the property that a key names, or "".
func (p part) named(key string, names map[string]string) string {
	if _, ok := p.properties()[key]; ok {
		return key
	}
	return names[letters(key)]
}
