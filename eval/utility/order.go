package utility

import (
	"cmp"
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

// lexicon holds what grades.yaml says.
type lexicon struct {
	Words  map[string]string // expressions by name
	Labels []struct {
		Has   string // names of words
		Grade float64
		words *regexp.Regexp
	}
	Attributes []string
}

var loadLexicon = sync.OnceValue(func() *lexicon {
	l := &lexicon{}
	if err := yaml.UnmarshalWithOptions(gradesFile, l, yaml.Strict()); err != nil {
		panic("grades.yaml: " + err.Error())
	}
	spaces := regexp.MustCompile(`\s`) // of lines that go on
	for name, words := range l.Words {
		l.Words[name] = strings.ReplaceAll(spaces.ReplaceAllString(words, ""), "-", `\w*`)
	}
	l.Words["bad"] += "|(?:" + l.Words["opposite"] + ")(?:" + l.Words["good"] + ")"
	for i := range l.Labels {
		var words []string
		for name := range strings.FieldsSeq(l.Labels[i].Has) {
			words = append(words, `\b(?:`+l.Words[name]+`)\b`)
		}
		l.Labels[i].words = regexp.MustCompile(strings.Join(words, ".*"))
	}
	return l
})

// grade says how good a label is, from its words, or -1.
func grade(label string) float64 {
	for _, l := range loadLexicon().Labels {
		if l.words.MatchString(fold(label)) {
			return l.Grade
		}
	}
	return -1
}

var numbers = regexp.MustCompile(`^([<>≤≥]?)=?\s*([0-9]+(?:\.[0-9]+)?)\s*(%|percent|points?|stars?)?(?:\s*(?:-|–|to)\s*[0-9]+(?:\.[0-9]+)?\s*(?:%|percent|points?|stars?)?)?\+?(?:\s*[:(/].*)?$`)

// number reads a label that is a number, percentage or range of them, or returns -1. Of times and counts of other
// things, more may be worse: they are not read.
func number(label string) float64 {
	m := numbers.FindStringSubmatch(strings.ToLower(label))
	if m == nil {
		return -1
	}
	x, _ := strconv.ParseFloat(m[2], 64) // which it is
	return max(0, x+map[string]float64{"<": -1e-6, "≤": -1e-6, ">": 1e-6, "≥": 1e-6}[m[1]])
}

// findOrder puts accepted values from worst to best where their numbers or words tell, and says how it was found.
// Critics list values in either direction (in the published runs one in five of those that tell begins with the
// best), so that the order of the list itself tells nothing.
func (c *Criterion) findOrder() {
	c.Order = Unknown
	order, of := ByNumbers, number
	if slices.ContainsFunc(c.Values, func(v string) bool { return number(v) < 0 }) {
		order, of = ByWords, grade
	}
	known, pairs, trend, by := []float64{}, 0, 0, map[float64]string{}
	for _, v := range c.Values {
		g := of(v)
		if g < 0 {
			continue
		}
		for _, before := range known {
			if trend += cmp.Compare(g, before); g != before {
				pairs++
			}
		}
		known, by[g] = append(known, g), v
	}
	switch {
	case 2*len(known) < len(c.Values) || pairs == 0:
		return
	case 5*trend >= 3*pairs: // the list goes up, but for words that grade by too little
	case -5*trend >= 3*pairs:
		slices.Reverse(c.Values)
	case len(by) < len(c.Values):
		return
	default:
		for i, g := range slices.Sorted(maps.Keys(by)) {
			c.Values[i] = by[g]
		}
	}
	c.Order = order
}
