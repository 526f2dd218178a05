// Package utility assesses how useful the work of a language model is to the person who asked for it, by the method of
// AgentEval (Arabzadeh et al. 2024): a critic proposes criteria for a task, similar ones are consolidated, a
// quantifier gives each sample a label by each criterion, and a verifier keeps the criteria whose labels are stable
// and fall when the sample is disturbed.
package utility

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/goccy/go-yaml"

	"parley/characters/yamlfile"
	"parley/eval/run"
)

// Kinds of criteria.
const (
	Ordinal   = "ordinal"
	Binary    = "binary"    // ordinal with two values
	Nominal   = "nominal"   // values without an order
	Attribute = "attribute" // of the task or problem, not of how it was solved
)

// How the order of accepted values was found.
const (
	ByWords   = "words"   // by words that grade, such as poor and good
	ByNumbers = "numbers" // by numbers or percentages
	ByCritic  = "critic"  // the critic was asked which is best and which worst
	ByPerson  = "person"  // a person wrote it
	Unknown   = "unknown" // not found; values are then only told apart
)

// Criterion is a question about a sample with the labels that answer it.
type Criterion struct {
	Name        string `yaml:"name" json:"name" doc:"required"`
	Description string `yaml:"description,omitempty" json:"description" doc:"what is looked at"`
	// Values are the accepted labels, from worst to best unless Order is unknown.
	Values  []string          `yaml:"accepted_values" json:"accepted_values" doc:"required; the labels, from worst to best unless order is unknown"`
	Meaning map[string]string `yaml:"meaning,omitempty" json:"meaning,omitempty" doc:"meaning of each value"`
	Kind    string            `yaml:"kind,omitempty" json:"kind,omitempty" doc:"ordinal, binary or nominal"`
	Order   string            `yaml:"order,omitempty" json:"order,omitempty" doc:"how the order was found; person where you put the values in order"`
	Sub     []Criterion       `yaml:"sub_criteria,omitempty" json:"sub_criteria,omitempty" doc:"criteria that are asked instead of this one"`
	Always  bool              `yaml:"always,omitempty" json:"always,omitempty" doc:"it applies to every sample; else the quantifier may say that it does not"`
	Lexical string            `yaml:"lexical,omitempty" json:"lexical,omitempty" doc:"measure of the lexical quantifier"`
	Seeds   []int             `yaml:"seeds,omitempty" json:"seeds,omitempty" doc:"seeds of the critics that proposed it"`
	Names   []string          `yaml:"merged,omitempty" json:"merged,omitempty" doc:"names of the criteria that were merged into it"`
	Verdict string            `yaml:"verdict,omitempty" json:"verdict,omitempty" doc:"keep, drop or flag"`
	Reason  string            `yaml:"reason,omitempty" json:"reason,omitempty" doc:"reason of the verdict"`
}

// Ordered reports whether values go from worst to best.
func (c *Criterion) Ordered() bool {
	return c.Order != Unknown && c.Order != "" && (c.Kind == Ordinal || c.Kind == Binary)
}

// Level returns the place of a value from 0, or -1 where it is not accepted.
func (c *Criterion) Level(value string) int { return slices.Index(c.Values, value) }

// maxCriteria and maxValues bound what is read.
const (
	maxCriteria = 2000
	maxValues   = 101 // 0 to 100
)

// problems fills in what follows from the rest of a criterion, and returns what is wrong with it, at a path of a file.
func (c *Criterion) problems(path string) (list []yamlfile.Problem) {
	bad := func(broken bool, key, format string, args ...any) {
		if broken {
			list = append(list, yamlfile.Problem{Path: path + key, Text: fmt.Sprintf(format, args...)})
		}
	}
	c.Name = strings.Join(strings.Fields(c.Name), " ")
	if c.Order == "" {
		c.findOrder()
	}
	c.Kind = cmp.Or(c.Kind, c.kind())
	n, twice := len(c.Values), repeated(c.Values)
	bad(c.Name == "", "", "it has no name")
	bad(n < 2 || n > maxValues, ".accepted_values", "%d values; write 2 to %d", n, maxValues)
	bad(twice >= 0, fmt.Sprintf(".accepted_values[%d]", twice), "it is empty or given twice; write another")
	bad(!slices.Contains([]string{Ordinal, Binary, Nominal, Attribute}, c.Kind), ".kind", "%q: write ordinal, binary, nominal or attribute", c.Kind)
	bad(!slices.Contains([]string{ByWords, ByNumbers, ByCritic, ByPerson, Unknown}, c.Order), ".order",
		"%q: write person (accepted values then go from worst to best) or unknown", c.Order)
	for i := range c.Sub {
		at := fmt.Sprintf(".sub_criteria[%d]", i)
		bad(len(c.Sub[i].Sub) > 0, at, "sub-criteria have none themselves; move them up")
		list = append(list, c.Sub[i].problems(path+at)...)
	}
	return list
}

// repeated returns the place of a name that is empty or, but for its spelling, an earlier one; -1 where there is none.
func repeated(names []string) int {
	seen := map[string]bool{"": true}
	return slices.IndexFunc(names, func(name string) bool {
		was := seen[fold(name)]
		seen[fold(name)] = true
		return was
	})
}

// kind tells the kind by name and values.
func (c *Criterion) kind() string {
	words := " " + fold(c.Name) + " "
	named := func(name string) bool { return strings.Contains(words, " "+name+" ") }
	switch {
	case slices.ContainsFunc(loadLexicon().Attributes, named):
		return Attribute
	case c.Order == Unknown && named("type"):
		return Nominal
	case len(c.Values) == 2:
		return Binary
	}
	return Ordinal
}

// fold writes a text in lower case with single spaces for all but letters, digits and signs of numbers, so that
// spellings of one name compare equal.
func fold(text string) string {
	text = negative.ReplaceAllString(strings.ToLower(text), "$1−$2")
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("<>%+−", r)
	}), " ")
}

// negative is the beginning of a number below 0.
var negative = regexp.MustCompile(`(^|[\s"'(])-(\d)`)

// leaves returns the criteria that are quantified: sub-criteria instead of the criterion that has them, under both
// names.
func leaves(list []Criterion) []Criterion {
	var out []Criterion
	for _, c := range list {
		if len(c.Sub) == 0 {
			out = append(out, c)
		}
		for _, s := range c.Sub {
			s.Name, s.Seeds = c.Name+": "+s.Name, c.Seeds
			out = append(out, s)
		}
	}
	return out
}

// file is a list of criteria as a YAML file holds it.
type file struct {
	Criteria []Criterion `yaml:"criteria"`
}

// Problems returns what is wrong with the criteria.
func (f *file) Problems() (list []yamlfile.Problem) {
	if n := len(f.Criteria); n == 0 || n > maxCriteria {
		list = append(list, yamlfile.Problem{Path: "criteria", Text: fmt.Sprintf("%d criteria; write 1 to %d", n, maxCriteria)})
	}
	for i := range f.Criteria {
		list = append(list, f.Criteria[i].problems(fmt.Sprintf("criteria[%d]", i))...)
	}
	return list
}

// ReadCriteria reads criteria from a file: the YAML that EncodeCriteria writes, or JSON as critics write it.
func ReadCriteria(data []byte, name string) ([]Criterion, error) {
	if slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(name)) {
		var f file
		err := yamlfile.Value(data, name, &f)
		return f.Criteria, err
	}
	list, rejected := ReadCritic(string(data))
	if len(rejected) > 0 {
		return nil, fmt.Errorf("%s: %s", name, strings.Join(rejected, "; "))
	}
	return list, nil
}

// EncodeCriteria writes criteria as YAML that a person can edit and ReadCriteria reads.
func EncodeCriteria(list []Criterion) ([]byte, error) {
	const head = "# Criteria of parley eval utility. accepted_values go from worst to best; where you put them in order\n" +
		"# yourself, write order: person. order: unknown means that labels are only told apart.\n"
	text, err := run.EncodeConfig(&file{list}, func() any { return &file{} })
	return append([]byte(head), text...), err
}

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
