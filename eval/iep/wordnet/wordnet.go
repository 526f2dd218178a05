// Package wordnet says which English words mean nearly the same and which exclude each other, from
// Princeton's WordNet 3.0 (see LICENSE). The embedded extract of 630 kB holds single words and verbs with
// a particle, in their more frequent senses, as stems of Snowball's English; TestExtract makes it.
package wordnet

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The extract has three parts with an empty line after each but the last: irregular forms and their
// bases; synsets, a line each; pairs of antonyms. A synset's line is its part of speech (n v a r), its
// stems with the numbers of the senses, and its relations to other synsets, as differences of line
// numbers: @ and ^ to a hypernym with few and with many hyponyms, & to one that is similar, entailed or
// caused.
//
//go:embed wordnet.gz
var extract []byte

type sense struct{ synset, number int }

type synset struct {
	pos   byte
	words []string // with the numbers of their senses in nums
	nums  []int
	up    []int // hypernyms with few hyponyms
	near  []int // hyponyms of such, similar ones
}

type net struct {
	bases    map[string]string
	senses   map[string][]sense
	synsets  []synset
	opposite map[string][]string
}

// load reads the extract. It is part of the program, so that a fault in it is a fault of the build.
var load = sync.OnceValue(func() *net {
	z, err := gzip.NewReader(bytes.NewReader(extract))
	if err != nil {
		panic("wordnet.gz: " + err.Error())
	}
	n := &net{bases: map[string]string{}, senses: map[string][]sense{}, opposite: map[string][]string{}}
	part := 0
	in := bufio.NewScanner(z)
	for in.Scan() {
		line := in.Text()
		if line == "" {
			part++
			continue
		}
		a, b, _ := strings.Cut(line, " ")
		switch part {
		case 0:
			n.bases[a] = b
		case 1:
			n.add(line)
		case 2:
			n.opposite[a], n.opposite[b] = append(n.opposite[a], b), append(n.opposite[b], a)
		}
	}
	if in.Err() != nil {
		panic("wordnet.gz: " + in.Err().Error())
	}
	for i := range n.synsets {
		for _, up := range n.synsets[i].up {
			n.synsets[up].near = append(n.synsets[up].near, i)
		}
	}
	return n
})

// add reads the line of a synset.
func (n *net) add(line string) {
	s := synset{pos: line[0]}
	here := len(n.synsets)
	for f := range strings.FieldsSeq(line[1:]) {
		if d, err := strconv.Atoi(f[1:]); err == nil {
			switch f[0] {
			case '@':
				s.up = append(s.up, here+d)
			case '&':
				s.near = append(s.near, here+d)
			}
			continue
		}
		word, number, _ := strings.Cut(f, ":")
		rank, _ := strconv.Atoi(number)
		s.words, s.nums = append(s.words, word), append(s.nums, rank)
		n.senses[word] = append(n.senses[word], sense{here, rank})
	}
	n.synsets = append(n.synsets, s)
}

// Base returns the stem of the base form of an irregular form's stem ("geese", "sold"), or nothing.
func Base(stem string) string { return load().bases[stem] }

// Known reports whether a stem belongs to a word that WordNet has, names and irregular forms apart.
func Known(stem string) bool { return len(load().senses[stem]) > 0 }

// Verb reports whether a stem belongs to a verb.
func Verb(stem string) bool {
	n := load()
	return slices.ContainsFunc(n.senses[stem], func(s sense) bool { return n.synsets[s.synset].pos == 'v' })
}

// How alike two stems are by their relation.
const (
	Same     = 1.0
	Synonym  = 0.9 // they share a synset
	Relative = 0.6 // the one's synset is a hypernym, or similar to, the other's
)

// Related returns the stems that mean nearly what a stem means, with how alike they are.
func Related(stem string) map[string]float64 {
	n := load()
	out := map[string]float64{}
	add := func(id int, alike float64) {
		s := &n.synsets[id]
		for i, w := range s.words {
			if w != stem && s.nums[i] <= 4 {
				out[w] = max(out[w], alike)
			}
		}
	}
	for _, s := range n.senses[stem] {
		add(s.synset, Synonym)
		if s.number > 3 {
			continue
		}
		for _, id := range slices.Concat(n.synsets[s.synset].up, n.synsets[s.synset].near) {
			add(id, Relative)
		}
	}
	return out
}

// Opposites returns the antonyms of a stem, and those of similar adjectives where it is never a noun.
func Opposites(stem string) []string {
	n := load()
	out := slices.Clone(n.opposite[stem])
	if slices.ContainsFunc(n.senses[stem], func(s sense) bool { return n.synsets[s.synset].pos == 'n' }) {
		return out
	}
	for _, s := range n.senses[stem] {
		set := &n.synsets[s.synset]
		if set.pos != 'a' || s.number > 2 {
			continue
		}
		for _, id := range set.near {
			for _, w := range n.synsets[id].words {
				out = append(out, n.opposite[w]...)
			}
		}
	}
	return out
}
