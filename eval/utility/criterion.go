// Package utility assesses how useful what a language model does is to the one who asked for it, by the method of
// AgentEval (Arabzadeh et al. 2024): a critic proposes criteria for a task, similar ones are consolidated, a
// quantifier gives each sample a label by each criterion, and a verifier keeps the criteria whose labels are stable
// and fall when the sample is disturbed.
package utility

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

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
	Name        string `yaml:"name" json:"name"`
	Description string `yaml:"description,omitempty" json:"description"`
	// Values are the accepted labels, from worst to best unless Order is unknown.
	Values  []string          `yaml:"accepted_values" json:"accepted_values"`
	Meaning map[string]string `yaml:"meaning,omitempty" json:"meaning,omitempty"` // of values, where it was given
	Kind    string            `yaml:"kind,omitempty" json:"kind,omitempty"`
	Order   string            `yaml:"order,omitempty" json:"order,omitempty"` // how the order was found
	Sub     []Criterion       `yaml:"sub_criteria,omitempty" json:"sub_criteria,omitempty"`
	Lexical string            `yaml:"lexical,omitempty" json:"lexical,omitempty"` // measure of the lexical quantifier; none: it cannot say
	Seeds   []int             `yaml:"seeds,omitempty" json:"seeds,omitempty"`     // of the critics that proposed it
	Names   []string          `yaml:"merged,omitempty" json:"merged,omitempty"`   // of the criteria that it stands for
	Verdict string            `yaml:"verdict,omitempty" json:"verdict,omitempty"` // of the verifier: keep, drop or flag
	Reason  string            `yaml:"reason,omitempty" json:"reason,omitempty"`   // of the verdict
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
	maxValues   = 50
)

// complete fills in what follows from the rest, and returns what is wrong.
func (c *Criterion) complete() error {
	c.Name = strings.Join(strings.Fields(c.Name), " ")
	switch {
	case c.Name == "":
		return fmt.Errorf("a criterion has no name")
	case len(c.Values) < 2:
		return fmt.Errorf("%s: %d accepted values; at least 2 are needed", c.Name, len(c.Values))
	case len(c.Values) > maxValues:
		return fmt.Errorf("%s: %d accepted values are more than %d", c.Name, len(c.Values), maxValues)
	}
	seen := map[string]bool{}
	for i, v := range c.Values {
		key := fold(v)
		if key == "" || seen[key] {
			return fmt.Errorf("%s: accepted value %d (%q) is empty or given twice", c.Name, i+1, v)
		}
		seen[key] = true
	}
	if c.Order == "" {
		c.findOrder()
	}
	if c.Kind == "" {
		c.Kind = kindOf(c)
	}
	if !slices.Contains([]string{Ordinal, Binary, Nominal, Attribute}, c.Kind) {
		return fmt.Errorf("%s: kind is %q: say ordinal, binary, nominal or attribute", c.Name, c.Kind)
	}
	if !slices.Contains([]string{ByWords, ByNumbers, ByCritic, ByPerson, Unknown}, c.Order) {
		return fmt.Errorf("%s: order is %q: say person (accepted values then go from worst to best) or unknown", c.Name, c.Order)
	}
	for i := range c.Sub {
		if len(c.Sub[i].Sub) > 0 {
			return fmt.Errorf("%s: sub-criteria of sub-criteria are not read", c.Name)
		}
		if err := c.Sub[i].complete(); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return nil
}

// kindOf tells the kind by name and values.
func kindOf(c *Criterion) string {
	words := " " + fold(c.Name) + " "
	for _, w := range []string{" problem type ", " problem level ", " problem difficulty ", " task type ", " difficulty level ", " category ", " topic ", " domain ", " genre "} {
		if strings.Contains(words, w) {
			return Attribute
		}
	}
	if c.Order == Unknown && strings.Contains(words, " type ") {
		return Nominal
	}
	if len(c.Values) == 2 {
		return Binary
	}
	return Ordinal
}

// fold writes a text in lower case with single spaces for all but letters, digits and signs of numbers, so that
// spellings of one name compare equal.
func fold(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("<>%+", r)
	}), " ")
}

// Set is a list of criteria as its YAML file holds it.
type Set struct {
	Criteria []Criterion `yaml:"criteria" json:"criteria"`
}

// complete checks all criteria and that no two have one name.
func (s *Set) complete() error {
	if len(s.Criteria) == 0 || len(s.Criteria) > maxCriteria {
		return fmt.Errorf("%d criteria; between 1 and %d are read", len(s.Criteria), maxCriteria)
	}
	for i := range s.Criteria {
		if err := s.Criteria[i].complete(); err != nil {
			return fmt.Errorf("criterion %d: %w", i+1, err)
		}
	}
	return nil
}

// unique returns an error where two criteria have one name, by which labels are told apart.
func unique(list []Criterion) error {
	seen := map[string]bool{}
	for i := range list {
		key := fold(list[i].Name)
		if seen[key] {
			return fmt.Errorf("two criteria are called %q: consolidate them, or rename one", list[i].Name)
		}
		seen[key] = true
	}
	return nil
}

// Leaves returns the criteria that are quantified: sub-criteria instead of the criterion that has them, under both
// names.
func Leaves(list []Criterion) []Criterion {
	var out []Criterion
	for _, c := range list {
		if len(c.Sub) == 0 {
			out = append(out, c)
		}
		for _, s := range c.Sub {
			s.Name = c.Name + ": " + s.Name
			out = append(out, s)
		}
	}
	return out
}

// ReadCriteria reads criteria from a file: the YAML that EncodeCriteria writes, or JSON as critics write it.
func ReadCriteria(data []byte, file string) ([]Criterion, error) {
	if strings.HasSuffix(file, ".yaml") || strings.HasSuffix(file, ".yml") {
		var s Set
		if err := run.DecodeConfig(file, data, &s); err != nil {
			return nil, err
		}
		if err := s.complete(); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return s.Criteria, nil
	}
	list, rejected, err := ReadCritic(string(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(rejected) > 0 {
		return nil, fmt.Errorf("%s: %s", file, rejected[0])
	}
	return list, nil
}

// EncodeCriteria writes criteria as YAML that a person can edit and ReadCriteria reads.
func EncodeCriteria(list []Criterion) ([]byte, error) {
	const head = "# Criteria of parley eval utility. accepted_values go from worst to best; where you put them in order\n" +
		"# yourself, write order: person. order: unknown means that labels are only told apart.\n"
	text, err := run.EncodeConfig(&Set{list}, func() any { return &Set{} })
	return append([]byte(head), text...), err
}
