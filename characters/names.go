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

// lists is a grammar ready to be drawn from.
type lists struct {
	starts, middles, ends, heads, tails []part
}

// part is a part of a name, and what becomes of it in an ID.
type part struct{ text, slug string }

func (g *grammar) split() lists {
	return lists{parts(g.Starts), parts(g.Middles), parts(g.Ends), parts(g.Heads), parts(g.Tails)}
}

func parts(words string) []part {
	var list []part
	for w := range strings.FieldsSeq(words) {
		list = append(list, part{w, string(Slug(w))})
	}
	return list
}

// spelling is a name in the making, and its ID, which is its Slug.
type spelling struct{ name, id []byte }

func (s spelling) with(text, slug string) spelling {
	return spelling{append(s.name, text...), append(s.id, slug...)}
}

// draw goes on with one of the parts.
func (s spelling) draw(r *rand.Rand, from []part) spelling {
	p := &from[r.IntN(len(from))]
	return s.with(p.text, p.slug)
}

// done returns name and ID, which share one piece of memory.
func (s spelling) done() (string, ID) {
	both := string(append(s.name, s.id...))
	return both[:len(s.name)], ID(both[len(s.name):])
}

// first draws a first name; longer by as many middles as asked for.
func (l *lists) first(s spelling, r *rand.Rand, middles int) spelling {
	s = s.draw(r, l.starts)
	for range middles {
		s = s.draw(r, l.middles)
	}
	return s.draw(r, l.ends)
}

// family draws a family name.
func (l *lists) family(s spelling, r *rand.Rand) spelling {
	return s.with(" ", "-").draw(r, l.heads).draw(r, l.tails)
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
