package utility

import (
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed grades.yaml
var gradesFile []byte

// lexicon holds the words of grades.yaml.
type lexicon struct {
	Grades, Degrees         map[float64]string // words by grade
	Faults, Good, Opposites string
	Attributes              []string

	grade, degree map[string]float64
}

var loadLexicon = sync.OnceValue(func() *lexicon {
	l := &lexicon{grade: map[string]float64{}, degree: map[string]float64{}}
	if err := yaml.UnmarshalWithOptions(gradesFile, l, yaml.Strict()); err != nil {
		panic("grades.yaml: " + err.Error())
	}
	for into, lists := range map[*map[string]float64]map[float64]string{&l.grade: l.Grades, &l.degree: l.Degrees} {
		for grade, words := range lists {
			for w := range strings.FieldsSeq(words) {
				(*into)[w] = grade
			}
		}
	}
	return l
})

// findOrder puts accepted values from worst to best where their words or numbers tell, and says how it was found.
// Critics list values in either direction (in the published runs one in five of those that tell begins with the
// best), so that the order of the list itself tells nothing.
func (c *Criterion) findOrder() {
	c.Order = Unknown
	if grades, ok := numbers(c.Values); ok && c.arrange(grades) {
		c.Order = ByNumbers
		return
	}
	grades, known := make([]float64, len(c.Values)), make([]bool, len(c.Values))
	n, up, down := 0, 0, 0
	for i, v := range c.Values {
		if grades[i], known[i] = grade(v); !known[i] {
			continue
		}
		n++
		for j := range i {
			switch {
			case known[j] && grades[i] > grades[j]:
				up++
			case known[j] && grades[i] < grades[j]:
				down++
			}
		}
	}
	switch {
	case n < 2 || 2*n < len(c.Values) || up+down == 0:
		return
	case up >= 4*down: // the list goes up, but for words that grade by too little
	case down >= 4*up:
		slices.Reverse(c.Values)
	case n < len(c.Values) || !c.arrange(grades):
		return
	}
	c.Order = ByWords
}

// arrange sorts the values by their grades, if no two are the same.
func (c *Criterion) arrange(grades []float64) bool {
	by := map[float64]string{}
	for i, g := range grades {
		by[g] = c.Values[i]
	}
	if len(by) < len(grades) {
		return false
	}
	for i, g := range slices.Sorted(maps.Keys(by)) {
		c.Values[i] = by[g]
	}
	return true
}

var number = regexp.MustCompile(`^([<>≤≥]?)=?\s*([0-9]+(?:\.[0-9]+)?)\s*(%|percent|points?|stars?)?(?:\s*(?:-|–|to)\s*[0-9]+(?:\.[0-9]+)?\s*(?:%|percent|points?|stars?)?)?\+?(?:\s*[:(/].*)?$`)

// numbers reads values that are numbers, percentages or ranges of them. Of times and counts of other things, more may
// be worse: they are not read.
func numbers(values []string) ([]float64, bool) {
	var list []float64
	for _, v := range values {
		m := number.FindStringSubmatch(strings.ToLower(strings.TrimSpace(v)))
		if m == nil {
			return nil, false
		}
		x, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return nil, false
		}
		switch m[1] {
		case "<", "≤":
			x -= 1e-6
		case ">", "≥":
			x += 1e-6
		}
		list = append(list, x)
	}
	return list, true
}

// grade says how good a label is, from its words.
func grade(label string) (float64, bool) {
	l := loadLexicon()
	var degree, plain *float64 // of the first word that has one
	good, bad := false, false
	for w := range strings.FieldsSeq(fold(label)) {
		if d, ok := l.degree[w]; ok && degree == nil {
			degree = &d
		}
		isGood, isBad := l.stem(w)
		good, bad = good || isGood, bad || isBad
		if g, ok := l.grade[w]; ok && plain == nil {
			plain = &g
			bad = bad || g == 1
		}
	}
	much := degree
	if much == nil && plain != nil && *plain != 1 {
		much = plain
	}
	switch {
	case bad && much != nil && *much <= 1: // not confusing, no errors
		return 5, true
	case bad && much != nil: // the more it is so, the worse: high risk
		return max(0, 2.6-*much/2), true
	case bad:
		return 1, true
	case degree != nil && (good || plain == nil):
		return *degree, true
	case plain != nil:
		return *plain, true
	}
	return 4, good
}

// stem reports whether a word says something good, or a fault or the opposite of something good.
func (l *lexicon) stem(w string) (good, bad bool) {
	begins := func(w string) bool {
		return slices.ContainsFunc(strings.Fields(l.Good), func(s string) bool { return strings.HasPrefix(w, s) })
	}
	if begins(w) {
		return true, false
	}
	return false, slices.Contains(strings.Fields(l.Faults), w) || slices.ContainsFunc(strings.Fields(l.Opposites), func(p string) bool {
		rest, ok := strings.CutPrefix(w, p)
		return ok && begins(rest)
	})
}
