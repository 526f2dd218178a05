package vdm

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/characters"
	"parley/eval/ieg"
)

// table is an interaction as the linear virtual DM sees it: turns of words, and who of the cast spoke
// each. Nothing in it holds a name.
type table struct {
	cast  []string
	turns []turn
}

// turn is one line of talk.
type turn struct {
	by       []int // of the cast; several where they spoke as one
	dm       bool
	words    []word
	question bool  // there is a question in it
	first    bool  // it says what its speaker does: I, I'm, I'd ...
	number   bool  // it is little more than a number: the reply to a check that is over
	skills   []int // that it names outright
}

// word is a word of a turn, or a member of the cast who is named there.
type word struct {
	hash uint32
	stem uint32 // of its first letters; 0 where it is shorter than these
	who  int    // index in the cast; -1 for other words
	end  bool   // last of its clause
}

const (
	reach      = 30  // turns back from the end that a table goes
	stemLength = 5   // bytes of a word that stand for its family
	longest    = 400 // words of a turn that are read; more is hardly said in one breath
)

// newTable reads an interaction.
func newTable(x *ieg.Interaction) *table {
	t := &table{cast: x.Cast}
	names := calls(x.Cast)
	lines := x.Lines[max(0, len(x.Lines)-reach):]
	t.turns = make([]turn, len(lines))
	for i := range lines {
		t.turns[i] = t.read(&lines[i], names)
	}
	return t
}

// member returns the index of a name in the cast, or -1.
func (t *table) member(name string) int {
	id := characters.Slug(name)
	return slices.IndexFunc(t.cast, func(c string) bool { return c == name || id != "" && characters.Slug(c) == id })
}

// speakers finds who said a line; a line may be said by several: "Ann & Bob".
func (t *table) speakers(name string) (by []int, dm bool) {
	if c := t.member(name); c >= 0 {
		return []int{c}, false
	}
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '&' || r == ',' || r == '+' }) {
		if strings.EqualFold(strings.TrimSpace(part), ieg.DM) {
			dm = true
		}
		if c := t.member(strings.TrimSpace(part)); c >= 0 {
			by = append(by, c)
		}
	}
	return by, dm
}

func (t *table) read(l *ieg.Line, names map[string]int) turn {
	var out turn
	out.by, out.dm = t.speakers(l.Speaker)
	text := l.Text
	numbers := 0
	for len(text) > 0 && len(out.words) < longest {
		r, n := utf8.DecodeRuneInString(text)
		if !wordly(r) {
			switch r {
			case '?':
				out.question = true
				fallthrough
			case '.', '!', ';', ',', ':', '(', ')', '"', '-':
				if k := len(out.words); k > 0 {
					out.words[k-1].end = true
				}
			}
			text = text[n:]
			continue
		}
		end := strings.IndexFunc(text, func(r rune) bool { return !wordly(r) })
		if end < 0 {
			end = len(text)
		}
		raw := strings.Trim(text[:end], "'’")
		text = text[end:]
		if raw == "" {
			continue
		}
		w := strings.ReplaceAll(strings.ToLower(raw), "’", "'")
		who := -1
		if first, _ := utf8.DecodeRuneInString(raw); unicode.IsUpper(first) {
			if at, ok := names[strings.TrimSuffix(w, "'s")]; ok {
				who = at
			}
		}
		if first := w[0]; first >= '0' && first <= '9' {
			numbers++
			w = "#"
		}
		switch w {
		case "i", "i'm", "i'll", "i'd", "i've":
			out.first = true
		}
		stem := uint32(0)
		if len(w) >= stemLength {
			stem = mix(hashWord(w[:stemLength]), stemLength)
		}
		out.words = append(out.words, word{hash: hashWord(w), stem: stem, who: who})
		if k := mention(w); k >= 0 {
			out.skills = append(out.skills, k)
		}
	}
	out.number = numbers > 0 && len(out.words) <= 5
	return out
}

func wordly(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' || r == '’'
}

// stems begin the words by which a skill is named outright, in any form: deceive, deception.
var stems = []struct {
	stem  string
	skill characters.Skill
}{
	{"acroba", characters.Acrobatics}, {"handl", characters.AnimalHandling}, {"arcan", characters.Arcana},
	{"athlet", characters.Athletics}, {"decei", characters.Deception}, {"decept", characters.Deception},
	{"histor", characters.History}, {"insight", characters.Insight}, {"intimid", characters.Intimidation},
	{"investig", characters.Investigation}, {"medic", characters.Medicine}, {"natur", characters.Nature},
	{"percep", characters.Perception}, {"percei", characters.Perception}, {"perform", characters.Performance},
	{"persua", characters.Persuasion}, {"religi", characters.Religion}, {"sleight", characters.SleightOfHand},
	{"stealth", characters.Stealth}, {"surviv", characters.Survival},
}

// mention returns the skill that a word names outright, or -1.
func mention(w string) int {
	for i := range stems {
		if s := stems[i].stem; w[0] == s[0] && strings.HasPrefix(w, s) {
			return skillAt[stems[i].skill]
		}
	}
	return -1
}

// calls are the words by which the cast is called: whole names, their parts, and what they are
// shortened to, where that means one of them alone.
func calls(cast []string) map[string]int {
	names := map[string]int{}
	claim := func(name string, i int) {
		if utf8.RuneCountInString(name) < 3 {
			return
		}
		if j, taken := names[name]; taken && j != i {
			names[name] = -1
			return
		}
		names[name] = i
	}
	for i, c := range cast {
		whole := strings.ToLower(strings.ReplaceAll(c, "’", "'"))
		claim(whole, i)
		for _, part := range strings.FieldsFunc(whole, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if part != whole && (part == "the" || part == "von" || part == "guest") {
				continue
			}
			claim(part, i)
			r := []rune(part)
			for n := 4; n < len(r); n++ {
				claim(string(r[:n]), i)
			}
		}
	}
	for name, i := range names {
		if i < 0 {
			delete(names, name)
		}
	}
	return names
}

func hashWord(s string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

// mix joins two hashes.
func mix(a, b uint32) uint32 {
	h := (a ^ (b + 0x9e3779b9 + a<<6 + a>>2)) * 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}
