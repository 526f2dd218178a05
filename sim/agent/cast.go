package agent

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/characters"
)

// Whom a name means, where it is nobody at the table.
const (
	nobody    = -1 // not a name that is known here
	unclear   = -2 // more than one character's
	theTable  = -3 // the narrator, the system, the user: somebody who is not of the cast
	oneself   = -4 // what models call themselves: "assistant"
	everybody = -5
)

// cast knows the names at a table: how each is written in the transcript, and whom a reply means.
type cast struct {
	people []person
	self   int // place in people
	names  []name
}

// name is one way to call somebody. A table has so few of them that looking through them is faster
// than a map, which every agent of every session would have to build.
type name struct {
	key string
	who int // a place in people, or unclear
}

// lookup says whom a key means, and whether it is known at all.
func (c *cast) lookup(key string) (who int, ok bool) {
	for i := range c.names {
		if c.names[i].key == key {
			return c.names[i].who, true
		}
	}
	return nobody, false
}

// put enters a name, which is nobody's where two share it.
func (c *cast) put(key string, who int) {
	if key == "" {
		return
	}
	for i := range c.names {
		if c.names[i].key == key {
			if c.names[i].who != who {
				c.names[i].who = unclear
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

var notCast = map[string]int{
	"narrator": theTable, "narration": theTable, "dm": theTable, "gm": theTable, "dungeon-master": theTable,
	"game-master": theTable, "system": theTable, "user": theTable, "human": theTable, "the-table": theTable,
	"instruction": theTable, "tool": theTable, "all-players": theTable,
	"assistant": oneself, "ai": oneself, "bot": oneself, "model": oneself, "me": oneself, "response": oneself,
	"my-response": oneself, "answer": oneself, "reply": oneself, "my-reply": oneself, "output": oneself,
}

var meansEverybody = map[string]bool{
	"all": true, "everyone": true, "everybody": true, "the-group": true, "group": true, "the-party": true,
	"party": true, "the-table": true, "table": true, "the-room": true, "others": true, "the-others": true,
	"public": true, "aloud": true, "anyone": true, "all-of-you": true, "everyone-else": true,
	"all-players": true, "the-whole-group": true, "the-whole-party": true,
}

// meansNobody are ways to leave a list of addressees empty. Beside a name they say nothing.
var meansNobody = map[string]bool{
	"none": true, "nobody": true, "no-one": true, "noone": true, "null": true, "n-a": true, "na": true, "empty": true,
	"nobody-else": true, "no-one-else": true,
}

// key folds a name, so that case, accents, apostrophes and Markdown make no difference.
func key(name string) string {
	if slug := characters.Slug(strings.ReplaceAll(name, `\`, "")); slug != "" {
		return string(slug)
	}
	return strings.ToLower(strings.TrimFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }))
}

func newCast(self characters.ID, public []characters.Public) *cast {
	c := &cast{people: make([]person, len(public)), self: nobody, names: make([]name, 0, 4*len(public))}
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

// of returns the same cast with another one as oneself.
func (c *cast) of(self characters.ID) *cast {
	mine := *c
	mine.self = nobody
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

// tidy takes out of a name what the transcript's lines are made of.
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

// find says whom a name means: a place in people, or nobody or unclear.
func (c *cast) find(name string) int {
	k := key(name)
	if i, ok := c.lookup(k); ok {
		return i
	}
	if k == "" {
		return nobody
	}
	// "Bren (the dwarf)", "Bren, dwarf", "Bren Stonehand" where his name is Bren alone.
	if at := strings.IndexAny(name, "(,"); at > 0 {
		return c.find(name[:at])
	}
	words := strings.Fields(name)
	if len(words) < 2 || len(words) > 4 {
		return nobody
	}
	for _, w := range words {
		if r, _ := utf8.DecodeRuneInString(w); !unicode.IsUpper(r) && !titles[key(w)] {
			return nobody
		}
	}
	if i, ok := c.lookup(key(words[0])); ok && !titles[key(words[0])] {
		return i
	}
	return nobody
}

// whom resolves the addressees of a whisper. Everybody, which all says, or nobody in particular, is no
// whisper: nil. ok is false where a name that was given is not known or not clear; what is returned is
// then only those who are, and nobody where that leaves it open who is meant.
func (c *cast) whom(names []string) (to []characters.ID, ok, all bool) {
	ok = true
	named, foggy := false, false
	var marked uint64 // of people; a table has far fewer than 64 seats
	for _, name := range names {
		for _, i := range c.those(name) {
			switch {
			case i == everybody:
				return nil, true, true
			case i == unclear:
				named, ok, foggy = true, false, true
			case i == nobody:
				named, ok = true, false
			case i == c.self:
				named = true
			default:
				named = true
				if marked&(1<<(i&63)) == 0 {
					marked |= 1 << (i & 63)
					to = append(to, c.people[i].id)
				}
			}
		}
	}
	switch {
	case !named:
		return nil, true, false
	case foggy || len(to) == 0:
		return nil, false, false
	case len(to) == len(c.people)-1 && c.self >= 0 && ok:
		return nil, true, true // all the others are everybody
	}
	return to, ok, false
}

// those resolves one entry of a list of addressees, which may itself be a list.
func (c *cast) those(entry string) []int {
	entry = strings.TrimSpace(strings.TrimLeft(entry, "@ "))
	k := key(entry)
	if k == "" {
		return nil
	}
	if len(entry) > 200 {
		return []int{nobody}
	}
	if _, taken := c.lookup(k); !taken && meansNobody[k] {
		return nil
	} else if !taken && meansEverybody[k] {
		return []int{everybody}
	}
	if i := c.find(entry); i != nobody && !strings.ContainsAny(entry, ",;&/") {
		return []int{i}
	}
	for _, lead := range []string{"to ", "only ", "just ", "nobody but ", "no one but ", "whisper to ", "whispers to "} {
		if len(entry) > len(lead) && strings.EqualFold(entry[:len(lead)], lead) {
			return c.those(entry[len(lead):])
		}
	}
	if strings.Contains(entry, " but ") || strings.Contains(entry, " except ") {
		return []int{unclear} // whoever is left
	}
	parts := strings.FieldsFunc(entry, func(r rune) bool { return strings.ContainsRune(",;&/|", r) })
	if len(parts) == 1 {
		parts = strings.Split(entry, " and ")
	}
	if len(parts) == 1 {
		for _, tail := range []string{" only", " alone"} {
			if rest, cut := strings.CutSuffix(entry, tail); cut {
				return c.those(rest)
			}
		}
		return []int{nobody}
	}
	var all []int
	for _, p := range parts {
		all = append(all, c.those(strings.TrimPrefix(strings.TrimSpace(p), "and "))...)
	}
	return all
}
