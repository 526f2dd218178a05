package characters

import (
	"math/rand/v2"
	"strings"
)

// grammar makes names: a start, now and then a middle, an end; then the head and the tail of a family
// name. Starts end and middles end in a consonant, middles and ends begin with a vowel, so that any
// of them can be joined and said.
type grammar struct {
	Starts  string `yaml:"starts"` // of first names; words divided by spaces
	Middles string `yaml:"middles"`
	Ends    string `yaml:"ends"`
	Heads   string `yaml:"heads"` // of family names
	Tails   string `yaml:"tails"`
}

// first draws a first name; longer by as many middles as asked for.
func (g *grammar) first(r *rand.Rand, middles int) string {
	name := pick(r, strings.Fields(g.Starts))
	for range middles {
		name += pick(r, strings.Fields(g.Middles))
	}
	return name + pick(r, strings.Fields(g.Ends))
}

// family draws a family name.
func (g *grammar) family(r *rand.Rand) string {
	return pick(r, strings.Fields(g.Heads)) + pick(r, strings.Fields(g.Tails))
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
