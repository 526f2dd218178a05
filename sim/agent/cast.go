package agent

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/characters"
)

// What a name means where it is not a place in the cast.
const (
	unknown   = -1
	ambiguous = -2 // two share it
	outside   = -3 // the game master, the system, the user
	oneself   = -4 // what models call themselves: "assistant"
	everybody = -5
)

// cast holds the names at a table: how each is written in the transcript, and which character a name in a
// reply means.
type cast struct {
	people []person
	self   int // place in people
	names  []name
}

// name is one way to call a character. A table has so few of them that a linear search is faster than a
// map, which every agent of every session would have to build.
type name struct {
	key string
	who int // a place in people, or ambiguous
}

// lookup returns what a key means, and whether it is known at all.
func (c *cast) lookup(key string) (who int, ok bool) {
	for i := range c.names {
		if c.names[i].key == key {
			return c.names[i].who, true
		}
	}
	return unknown, false
}

// put enters a name.
func (c *cast) put(key string, who int) {
	if key == "" {
		return
	}
	for i := range c.names {
		if c.names[i].key == key {
			if c.names[i].who != who {
				c.names[i].who = ambiguous
			}
			return
		}
	}
	c.names = append(c.names, name{key, who})
}

// titles are first words that are no name.
var titles = map[string]bool{
	"the": true, "old": true, "young": true, "big": true, "little": true, "sir": true, "dame": true, "lord": true,
	"lady": true, "master": true, "mistress": true, "captain": true, "mother": true, "father": true,
	"brother": true, "sister": true, "doctor": true, "dr": true, "mr": true, "mrs": true, "of": true,
	"van": true, "von": true, "de": true, "da": true, "del": true, "la": true, "le": true,
}

// roles are names of those who are not of the cast.
var roles = map[string]int{
	"narrator": outside, "narration": outside, "dm": outside, "gm": outside, "dungeon-master": outside, "game-master": outside,
	"referee": outside, "system": outside, "user": outside, "human": outside, "the-table": outside, "tool": outside, "instruction": outside, "input": outside,
	"assistant": oneself, "ai": oneself, "bot": oneself, "model": oneself, "me": oneself, "response": oneself,
	"my-response": oneself, "answer": oneself, "reply": oneself, "my-reply": oneself, "output": oneself,
}

// openNames are ways to say in a list of addressees that everybody hears it; "" are ways to leave it empty.
var openNames = map[string]bool{
	"": true, "none": true, "nobody": true, "no-one": true, "noone": true, "null": true, "n-a": true, "na": true, "empty": true,
	"all": true, "everyone": true, "everybody": true, "the-group": true, "group": true, "the-party": true, "party": true,
	"the-table": true, "table": true, "the-room": true, "others": true, "the-others": true, "public": true, "aloud": true,
	"anyone": true, "all-of-you": true, "everyone-else": true, "all-players": true, "the-whole-group": true,
}

// key folds a name, so that case, accents, apostrophes and Markdown make no difference.
func key(name string) string {
	if slug := characters.Slug(strings.ReplaceAll(name, `\`, "")); slug != "" {
		return string(slug)
	}
	return strings.ToLower(strings.TrimFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }))
}

func newCast(self characters.ID, public []characters.Public) *cast {
	c := &cast{people: make([]person, len(public)), self: unknown, names: make([]name, 0, 4*len(public))}
	type called struct {
		words, keys []string
		whole       string // the keys joined
	}
	all := make([]called, len(public))
	for i, p := range public {
		if p.ID == self {
			c.self = i
		}
		clean := tidy(p.Name)
		words := strings.Fields(clean)
		if len(words) == 0 {
			words = []string{string(p.ID)}
		}
		keys := make([]string, len(words))
		for j, w := range words {
			keys[j] = key(w)
		}
		all[i] = called{words, keys, strings.Join(keys, "-")}
		c.people[i] = person{id: p.ID, Name: strings.Join(words, " "), Race: p.Race, Class: p.Class, Appearance: p.Appearance}
	}
	// A label is the first name, or the whole one where the first is shared or is no name.
	for i := range all {
		label := all[i].words[0]
		alone := !titles[all[i].keys[0]]
		for j := range all {
			alone = alone && (j == i || all[j].keys[0] != all[i].keys[0])
		}
		if !alone {
			label = c.people[i].Name
			for j := range all {
				if j != i && all[j].whole == all[i].whole {
					label += " (" + string(c.people[i].id) + ")"
					break
				}
			}
		}
		c.people[i].Label = label
	}
	for i := range all { // whole names and ids win over single words
		c.put(all[i].whole, i)
		c.put(string(c.people[i].id), i)
	}
	wholes := len(c.names)
	for i := range all {
		for _, k := range all[i].keys {
			if len(k) > 2 && !titles[k] && !c.has(k, wholes) {
				c.put(k, i)
			}
		}
	}
	return c
}

// of returns the same cast with another character as its self.
func (c *cast) of(self characters.ID) *cast {
	mine := *c
	mine.self = unknown
	for i := range mine.people {
		if mine.people[i].id == self {
			mine.self = i
		}
	}
	return &mine
}

// has reports whether one of the first n names has the key.
func (c *cast) has(key string, n int) bool {
	for i := range c.names[:n] {
		if c.names[i].key == key {
			return true
		}
	}
	return false
}

// tidy takes the marks of the transcript out of a name.
func tidy(name string) string {
	if strings.IndexFunc(name, marks) < 0 {
		return name
	}
	return strings.Map(func(r rune) rune {
		if marks(r) {
			return ' '
		}
		return r
	}, name)
}

func marks(r rune) bool {
	return strings.ContainsRune("\"*:<>[]()`“”：", r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError
}

// find returns what a name means: a place in people, unknown or ambiguous.
func (c *cast) find(name string) int {
	k := key(name)
	if i, ok := c.lookup(k); ok || k == "" {
		return i
	}
	// "Bren (the dwarf)", "Bren, dwarf", "Bren Stonehand" where the name is Bren alone.
	if at := strings.IndexAny(name, "(,"); at > 0 {
		return c.find(name[:at])
	}
	words := strings.Fields(name)
	if len(words) < 2 || len(words) > 4 || !capitalized(words...) || titles[key(words[0])] {
		return unknown
	}
	i, _ := c.lookup(key(words[0]))
	return i
}

// capitalized reports whether words are written as names are: Gorm the Red.
func capitalized(words ...string) bool {
	for _, w := range words {
		if r, _ := utf8.DecodeRuneInString(w); !unicode.IsUpper(r) && w != "and" && !titles[key(w)] {
			return false
		}
	}
	return len(words) > 0
}

// named returns what the name of a speaker means, those who are not of the cast included.
func (c *cast) named(name string) int {
	if len(name) == 0 || len(name) > maxHead {
		return unknown
	}
	k := key(name)
	if i, ok := c.lookup(k); ok {
		return i
	}
	if i, ok := roles[k]; ok {
		return i
	}
	if i, ok := c.lookup(strings.TrimPrefix(k, "player-")); ok {
		return i
	}
	if strings.ContainsAny(name, ".,;!?\"“”") {
		return unknown
	}
	return c.find(strings.Trim(name, decoration+"])”’"))
}

// other reports whether a speaker is somebody else. A name that two share may be the other one's.
func (c *cast) other(who int) bool { return who != unknown && who != oneself && who != c.self }

// addressees resolves a list of names. It is empty where all may hear it: where every
// character is named, or none.
// ok is false where a name is not known or ambiguous; to then holds those who are known, and none where
// it is open who is meant.
func (c *cast) addressees(names []string) (to []characters.ID, ok bool) {
	ok = true
	named, open := false, false
	for _, name := range names {
		for _, i := range c.entries(name, 0) {
			switch {
			case i == everybody:
				return nil, true
			case i == unknown || i == ambiguous:
				ok, open = false, open || i == ambiguous
			case i != c.self && !slices.Contains(to, c.people[i].id):
				to = append(to, c.people[i].id)
			}
			named = true
		}
	}
	switch {
	case !named:
		return nil, true
	case open || len(to) == 0:
		return nil, false
	case ok && c.self >= 0 && len(to) == len(c.people)-1:
		return nil, true // all the others are everybody
	}
	return to, ok
}

// entries resolves one entry of a list of addressees, which may itself be a list. It is empty for a way to
// leave the list empty.
func (c *cast) entries(entry string, depth int) []int {
	entry = strings.TrimLeft(strings.TrimSpace(entry), "@ ")
	k := key(entry)
	if _, taken := c.lookup(k); !taken && openNames[k] {
		switch k {
		case "", "none", "nobody", "no-one", "noone", "null", "n-a", "na", "empty":
			return nil
		}
		return []int{everybody}
	}
	if len(entry) > 200 {
		return []int{unknown}
	}
	parts := strings.FieldsFunc(strings.ReplaceAll(entry, " and ", ","), func(r rune) bool { return strings.ContainsRune(",;&/|", r) })
	if i := c.find(entry); len(parts) < 2 || depth > 0 || i >= 0 && strings.Contains(entry, "(") {
		return []int{i}
	}
	var all []int
	for _, p := range parts {
		all = append(all, c.entries(p, depth+1)...)
	}
	return all
}
