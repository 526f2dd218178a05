package survey

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/kljensen/snowball"

	"parley/eval/run"
)

// Cluster is proposals of new aspects that mean the same by their names.
type Cluster struct {
	Name       string   `json:"name"` // the most frequent one
	Names      []string `json:"names"`
	Count      int      `json:"count"`      // documents on which it was proposed
	Definition string   `json:"definition"` // the first under the name
}

// vague are words of names that tell no two aspects apart.
var vague = map[string]bool{"the": true, "of": true, "and": true, "a": true, "an": true, "for": true, "in": true, "to": true, "overall": true,
	"survey": true, "form": true, "question": true, "quality": true, "score": true, "aspect": true, "level": true, "degree": true}

// NewAspects clusters the proposed aspects by their names: two are one when they share at least half
// of their stems (Jaccard) with the cluster's first name. The most frequent come first.
func (d *Data) NewAspects() []Cluster {
	type group struct {
		stems     []string
		names     map[string]int
		documents map[string]bool
		defined   map[string]string
	}
	var groups []*group
	for i := range d.Proposals {
		p := &d.Proposals[i]
		if p.Kind != NewAspect {
			continue
		}
		own := stems(p.Aspect)
		at := slices.IndexFunc(groups, func(g *group) bool { return jaccard(g.stems, own) >= 0.5 })
		if at < 0 {
			at = len(groups)
			groups = append(groups, &group{stems: own, names: map[string]int{}, documents: map[string]bool{}, defined: map[string]string{}})
		}
		g := groups[at]
		g.names[p.Aspect]++
		g.documents[p.Document] = true
		if g.defined[p.Aspect] == "" {
			g.defined[p.Aspect] = p.Text
		}
	}
	var list []Cluster
	for _, g := range groups {
		c := Cluster{Count: len(g.documents)}
		for name := range g.names {
			c.Names = append(c.Names, name)
		}
		slices.SortFunc(c.Names, func(a, b string) int { return cmp.Or(g.names[b]-g.names[a], cmp.Compare(a, b)) })
		c.Name, c.Definition = c.Names[0], g.defined[c.Names[0]]
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b Cluster) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Name, b.Name)) })
	return list
}

func stems(name string) []string {
	var list []string
	for _, w := range strings.Split(slug(name), "-") {
		if w == "" || vague[w] {
			continue
		}
		if s, err := snowball.Stem(w, "english", true); err == nil && s != "" {
			w = s
		}
		list = append(list, w)
	}
	if list == nil {
		list = []string{strings.ToLower(strings.TrimSpace(name))}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func jaccard(a, b []string) float64 {
	both := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// Accepted returns the proposals that an apply step takes over: for each aspect whose definition at least so many
// documents would change, the first of the proposed texts, and each new aspect
// that at least so many documents ask for.
func (d *Data) Accepted(leastDocuments int) (changes map[string]string, added []Aspect) {
	counts := map[string]int{}
	first := map[string]string{}
	for i := range d.Proposals {
		if p := &d.Proposals[i]; p.Kind == Definition {
			counts[p.Aspect]++
			if first[p.Aspect] == "" {
				first[p.Aspect] = p.Text
			}
		}
	}
	changes = map[string]string{}
	for aspect, n := range counts {
		if n >= leastDocuments {
			changes[aspect] = first[aspect]
		}
	}
	for _, c := range d.NewAspects() {
		if c.Count >= leastDocuments && c.Definition != "" && !slices.Contains(d.Rubric.names(), slug(c.Name)) {
			added = append(added, Aspect{Name: slug(c.Name), Title: c.Name, Definition: c.Definition})
		}
	}
	return changes, added
}

// Next makes the next rubric of what at least so many documents propose, of the aspects that are accepted (nil: all) and
// not rejected. It returns the names of the aspects that are changed and added.
func (d *Data) Next(least int, accept, reject []string) (next *Rubric, changed, added []string, err error) {
	changes, aspects := d.Accepted(least)
	for _, name := range accept {
		if _, ok := changes[name]; !ok && !slices.ContainsFunc(aspects, func(a Aspect) bool { return a.Name == name }) {
			return nil, nil, nil, run.Usagef("--accept %s: nothing is proposed for it on %d documents or more", name, least)
		}
	}
	out := func(name string) bool {
		return accept != nil && !slices.Contains(accept, name) || slices.Contains(reject, name)
	}
	maps.DeleteFunc(changes, func(name, _ string) bool { return out(name) })
	aspects = slices.DeleteFunc(aspects, func(a Aspect) bool { return out(a.Name) })
	changed, added = append([]string{}, slices.Sorted(maps.Keys(changes))...), []string{}
	for _, a := range aspects {
		added = append(added, a.Name)
	}
	next, err = d.Rubric.Next(changes, aspects)
	return next, changed, added, err
}
