package scenarios

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"parley/characters/yamlfile"
)

// aspectRow is a row of the file aspects.yaml, whose order settles ties.
type aspectRow struct {
	Name  Aspect `yaml:"name"`
	Means string `yaml:"means"`
	Marks string `yaml:"marks"` // divided by ", "

	marks []mark
}

// mark is a word or a phrase that marks an aspect.
type mark struct {
	pattern string // as it is found in words that are divided by spaces
	weight  float64
}

// aspects are the rows of aspects.yaml.
var aspects = sync.OnceValue(func() []*aspectRow {
	format := yamlfile.Format[*aspectRow]{Noun: "aspect", Nouns: "aspects", New: func() *aspectRow { return new(aspectRow) }}
	rows, err := format.Read(bytes.NewReader(embedded("tables/aspects.yaml")), "aspects.yaml")
	check(err)
	plain := strings.Split(vocabulary().PlainMarks, ", ")
	for _, row := range rows {
		for text := range strings.SplitSeq(row.Marks, ", ") {
			m := mark{" " + text + " ", 1 + float64(strings.Count(text, " "))}
			if stem, open := strings.CutSuffix(text, "*"); open {
				m.pattern = " " + stem
			}
			if slices.Contains(plain, text) {
				m.weight = 0.25
			}
			row.marks = append(row.marks, m)
		}
	}
	return rows
})

// Aspects returns every aspect, in the order in which a curious person would ask.
func Aspects() []Aspect {
	return []Aspect{Nature, Look, Place, Origin, History, Power, Use, Price, Danger, Weakness, Keeper, Seeker, Time, Plan}
}

// AspectOf guesses by rule which aspect a fact answers: the one with most marks in the text, where a
// phrase counts for each of its words, and the plainest marks ("is", "can") decide only when nothing
// else speaks. Proper names count for nothing. A text without any mark is of no aspect.
func AspectOf(text string) Aspect {
	list := words(withoutNames(text))
	joined := " " + strings.Join(list, " ") + " "
	best, most := Aspect(""), 0.0
	for _, row := range aspects() {
		score := 0.0
		for _, mark := range row.marks {
			if strings.Contains(joined, mark.pattern) {
				score += mark.weight
			}
		}
		if score > most {
			best, most = row.Name, score
		}
	}
	return best
}

// withoutNames leaves out the words that begin with a capital letter but do not begin the text.
func withoutNames(text string) string {
	fields := strings.Fields(text)
	kept := fields[:0]
	for i, f := range fields {
		if r, _ := utf8.DecodeRuneInString(f); i == 0 || !unicode.IsUpper(r) {
			kept = append(kept, f)
		}
	}
	return strings.Join(kept, " ")
}
