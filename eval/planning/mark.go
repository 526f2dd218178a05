package planning

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// mention is an object that a text names.
type mention struct {
	name  string
	known bool
}

// marked is a text in which mentions are written @0, @1 and so on, and the rest in lower-case words.
type marked struct {
	words []string
	seen  []mention
}

func (m *marked) add(o mention) string {
	m.seen = append(m.seen, o)
	return fmt.Sprintf("@%d", len(m.seen)-1)
}

// mention returns the mention that a word of the form @n marks.
func (m *marked) mention(word string) (mention, bool) {
	at, found := strings.CutPrefix(word, "@")
	n, err := strconv.Atoi(at)
	if !found || err != nil || n >= len(m.seen) {
		return mention{}, false
	}
	return m.seen[n], true
}

var token = regexp.MustCompile(`[\p{L}\p{N}_][\p{L}\p{N}_']*(?:-[\p{L}\p{N}_]+)*|->|=>|[^\s]`)

// afterLetter are words that show that a single letter before them is a name, not an article or "I".
var afterLetter = wordSet("from on onto to is and or off in at with using down up over atop under below beneath has above becomes was are then , . ; : ) ] - -> => back")

// notNames are words before a noun that name no object: "the first block".
var notNames = wordSet(`the a an each every any no this that these those first second third fourth fifth last next other another top
	bottom same single one two three all both clear held remaining current target desired your its their my our of on in with from
	and or is are upper lower only goal stacked unstacked more particular given specific corresponding correct uncovered free
	available empty to at by for it i you we not be unstack stack pick put place move take remove lift drop load unload drive
	holding lifting moving following initial final whole entire wrong right blocks' if when then up down off onto into existing`)

func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// nounMarks may stand between a noun and a name: "block #3".
var nounMarks = wordSet(`# named called number no " '`)

// scanner finds the objects in a list of words.
type scanner struct {
	*Reader
	words  []string
	plural string // the noun of a list that goes on: "hoists 0, 1 and 2"
}

func (s *scanner) at(k int) string {
	if k < len(s.words) {
		return s.words[k]
	}
	return ""
}

// mark finds the objects that a text names, known or not.
func (r *Reader) mark(text string) *marked {
	m := &marked{}
	s := &scanner{Reader: r, words: token.FindAllString(strings.ReplaceAll(strings.ToLower(text), "n't", " not"), -1)}
	for i := 0; i < len(s.words); {
		w, n := s.words[i], 1
		if o, used := s.mention(i); used > 0 {
			w, n = m.add(o), used
		} else if w == "@" { // would look like a mark
			w = "at"
		} else if w != "," && w != "and" {
			s.plural = ""
		}
		m.words = append(m.words, w)
		i += n
	}
	return m
}

// mention returns the object named at words[i] and how many words name it, or 0.
func (s *scanner) mention(i int) (o mention, used int) {
	j, noun := i, ""
	if w := s.at(i); (w == "the" || w == "a" || w == "an") && s.at(i+1) != "" && !(s.names[w] != "" && (s.afterName(i+1) || s.names[s.at(i+1)] != "")) {
		j++ // an article, and no name
	}
	article := j > i
	if w := s.at(j); s.nouns[w] && s.names[w] == "" {
		for noun, j = w, j+1; nounMarks[s.at(j)]; j++ {
		}
	} else if digits(w) {
		noun = s.plural
	}
	if strings.HasSuffix(noun, "s") {
		s.plural = noun
	}
	name, n := s.name(j, noun)
	if n == 0 {
		return s.unknown(i, j, noun, article)
	}
	if j > i && s.nouns[s.at(j-1)] && !s.nounFits(s.at(j-1), name) { // "place crate1": a verb
		return o, 0
	}
	end := j + n
	if s.at(end) == `"` || s.at(end) == "'" {
		end++
	}
	_, next := s.name(end+1, s.at(end)) // "red block b" has two objects where b is one
	switch after := s.at(end); {
	case s.nouns[after] && s.names[after] == "" && (next == 0 || afterLetter[s.at(end+1)]): // "red block"
		end++
	case noun == "" && (name == "a" || name == "i") && s.at(end-1) == name && !s.afterName(end) && after != "" && s.names[after] == "":
		return o, 0 // an article, or "I"
	}
	return mention{name, true}, end - i
}

// afterName reports whether words[k] shows that a single letter before it is a name: "a clear", not "a clear block".
func (s *scanner) afterName(k int) bool {
	return afterLetter[s.at(k)] || s.at(k) == "clear" && !s.nouns[s.at(k+1)]
}

// name returns the known object named at words[j], which may follow its noun, and the number of words of the name.
func (s *scanner) name(j int, noun string) (string, int) {
	if s.at(j) == "" {
		return "", 0
	}
	if name := s.names[squash(s.at(j)+s.at(j+1))]; name != "" && digits(s.at(j+1)) {
		return name, 2
	}
	if name := s.names[squash(s.at(j))]; name != "" {
		return name, 1
	}
	if name := s.names[strings.TrimSuffix(noun, "s")+s.at(j)]; name != "" && noun != "" {
		return name, 1
	}
	return "", 0
}

// nounFits reports whether an object may be called by a noun: a type that it is of, or a general word.
func (r *Reader) nounFits(noun, name string) bool {
	noun = strings.TrimSuffix(noun, "s")
	types := r.objects[name].Types
	_, isType := r.domain.Types[noun]
	return !isType || len(types) == 0 || r.domain.Fits(types, []string{noun})
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// A letter that names an object and is no article, and a word that may name one.
var (
	letterName = regexp.MustCompile(`^[b-hj-z]$`)
	plainWord  = regexp.MustCompile(`^[a-z]{3,}$`)
)

// unknown returns an object that the problem lacks: "block z", "crate9", "the purple block".
func (s *scanner) unknown(i, j int, noun string, article bool) (o mention, used int) {
	w, next := s.at(j), s.at(j+1)
	part := lettersDigits.FindStringSubmatch(w)
	switch {
	case noun != "" && digits(w):
		return mention{name: noun + w}, j + 1 - i
	case noun != "" && (letterName.MatchString(w) || part != nil), part != nil && (s.nouns[part[1]] || s.stems[part[1]]):
		return mention{name: w}, j + 1 - i
	case noun == "" && article && s.nouns[next] && !strings.HasSuffix(next, "s") && plainWord.MatchString(w) && !notNames[w]:
		return mention{name: w}, j + 2 - i
	}
	return o, 0
}
