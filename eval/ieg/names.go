package ieg

import (
	"strings"

	"parley/characters"
)

// Names finds members of a cast by what people and models call them. It knows a name by identity and
// not by spelling: case, accents, apostrophes and punctuation do not matter, a first name or a known
// alias is as good as the whole name, and so is a beginning that only one member's name has.
type Names struct {
	cast  []string
	exact map[characters.ID]string // whole names and aliases; the first to claim one keeps it
	part  map[characters.ID]string // first names, last names; "" where several have it
}

// shortest is the least that the beginning of a name may have, in letters: Vex for Vex'ahlia.
const shortest = 3

// titles may stand before a name.
var titles = []string{"the-", "lord-", "lady-", "sir-", "captain-", "master-", "mistress-"}

// NewNames makes names of a cast. Aliases map other names to members of the cast; those of
// other people are left out.
func NewNames(cast []string, aliases map[string]string) *Names {
	n := &Names{cast: cast, exact: map[characters.ID]string{}, part: map[characters.ID]string{}}
	claim := func(id characters.ID, name string) {
		if _, taken := n.exact[id]; !taken && id != "" {
			n.exact[id] = name
		}
	}
	for _, name := range cast {
		claim(identity(name), name)
	}
	for alias, name := range aliases {
		if member, ok := n.exact[identity(name)]; ok {
			claim(identity(alias), member)
		}
	}
	for _, name := range cast {
		words := strings.Split(string(identity(name)), "-")
		for i, w := range words {
			if i > 0 && i < len(words)-1 || len(w) < shortest {
				continue
			}
			id := characters.ID(w)
			if other, known := n.part[id]; known && other != name {
				n.part[id] = ""
			} else {
				n.part[id] = name
			}
		}
	}
	return n
}

// Find returns the member of the cast that is meant. It finds none where several could be.
func (n *Names) Find(text string) (string, bool) {
	const longest = 200 // bytes; transcripts are long, and no name is
	if len(text) > longest {
		return "", false
	}
	if i := strings.IndexAny(text, "(["); i > 0 {
		text = text[:i] // "Vex (rogue)"
	}
	id := identity(text)
	for {
		if name, ok := n.exact[id]; ok {
			return name, true
		}
		if name, ok := n.part[id]; ok {
			return name, name != ""
		}
		short := id
		for _, t := range titles {
			if cut, ok := strings.CutPrefix(string(id), t); ok {
				short = characters.ID(cut)
				break
			}
		}
		if short == id {
			break
		}
		id = short
	}
	if len(id) < shortest {
		return "", false
	}
	found := ""
	for _, name := range n.cast {
		if strings.HasPrefix(string(identity(name)), string(id)) {
			if found != "" {
				return "", false
			}
			found = name
		}
	}
	return found, found != ""
}

// identity reduces a name to its letters and digits, folded, with dashes between words. A
// possessive is the name.
func identity(name string) characters.ID {
	name = strings.Trim(name, " \t\r\n.,:;!?\"*_`“”")
	for _, s := range []string{"'s", "’s"} {
		name = strings.TrimSuffix(name, s)
	}
	return characters.Slug(name)
}
