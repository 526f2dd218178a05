package planning

import (
	"fmt"
	"regexp"
	"slices"
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

	plural string // the noun of a list that goes on: "hoists 0, 1 and 2"
}

func (m *marked) add(name string, known bool) {
	m.words = append(m.words, fmt.Sprintf("@%d", len(m.seen)))
	m.seen = append(m.seen, mention{name, known})
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

// mentions returns the mentions that words mark; ok is false where one of them is another word.
func (m *marked) mentions(words []string) (list []mention, ok bool) {
	for _, w := range words {
		o, ok := m.mention(w)
		if !ok {
			return nil, false
		}
		list = append(list, o)
	}
	return list, true
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

// mark finds the objects that a text names, known or not.
func (r *Reader) mark(text string) *marked {
	m := &marked{}
	words := token.FindAllString(strings.ToLower(text), -1)
	for i := 0; i < len(words); {
		if n := r.markAt(m, words, i); n > 0 {
			i += n
			continue
		}
		if words[i] != "," && words[i] != "and" {
			m.plural = ""
		}
		if words[i] == "@" { // would look like a mark
			words[i] = "at"
		}
		m.words = append(m.words, words[i])
		i++
	}
	return m
}

// markAt adds the object named at words[i] and returns how many words name it, or 0.
func (r *Reader) markAt(m *marked, words []string, i int) int {
	at := func(k int) string {
		if k < len(words) {
			return words[k]
		}
		return ""
	}
	j := r.afterArticle(at, i)
	noun, j := r.nounAt(m, at, j)
	name, n := r.nameAt(at, j, noun)
	if n == 0 {
		return r.unknownAt(m, at, i, j, noun)
	}
	if j > i && r.nouns[at(j-1)] && !r.nounFits(at(j-1), name) { // "place crate1": a verb
		return 0
	}
	end := j + n
	if at(end) == `"` || at(end) == "'" {
		end++
	}
	switch {
	case r.nouns[at(end)] && r.names[at(end)] == "" && !r.namedNext(at, end): // "red block"
		end++
	case noun == "" && len(name) == 1 && !r.afterName(at, end) && at(end) != "" && r.names[at(end)] == "" && (at(end-1) == "a" || at(end-1) == "i"):
		return 0 // an article, or "I"
	}
	m.add(name, true)
	return end - i
}

// afterArticle returns the place after an article at words[i], or i; "a" may be the name of an object.
func (r *Reader) afterArticle(at func(int) string, i int) int {
	w := at(i)
	if w != "the" && w != "a" && w != "an" || at(i+1) == "" || r.names[w+at(i+1)] != "" {
		return i
	}
	if _, object := r.names[w]; object && (r.afterName(at, i+1) || r.names[at(i+1)] != "") {
		return i
	}
	return i + 1
}

// nounAt returns the noun of a type at words[j], or that of a list that goes on, and the place after it.
func (r *Reader) nounAt(m *marked, at func(int) string, j int) (noun string, after int) {
	if w := at(j); r.nouns[w] && r.names[w] == "" {
		noun = w
		j++
		for slices.Contains([]string{"#", "named", "called", "number", "no", `"`, "'"}, at(j)) {
			j++
		}
	}
	if noun == "" && m.plural != "" && digits(at(j)) {
		noun = m.plural
	}
	if strings.HasSuffix(noun, "s") {
		m.plural = noun
	}
	return noun, j
}

// afterName reports whether words[k] shows that a single letter before it is a name: "a clear", not "a clear block".
func (r *Reader) afterName(at func(int) string, k int) bool {
	return afterLetter[at(k)] || at(k) == "clear" && !r.nouns[at(k+1)]
}

// namedNext reports whether the noun at words[k] belongs to the name after it: "red block b" has two
// objects in a domain where b is one.
func (r *Reader) namedNext(at func(int) string, k int) bool {
	_, n := r.nameAt(at, k+1, at(k))
	return n > 0 && !afterLetter[at(k+1)]
}

// nameAt returns the known object named at words[j] and the number of words of the name.
func (r *Reader) nameAt(at func(int) string, j int, noun string) (string, int) {
	if at(j) == "" {
		return "", 0
	}
	if name, ok := r.names[squash(at(j)+at(j+1))]; ok && at(j+1) != "" && digits(at(j+1)) {
		return name, 2
	}
	if name, ok := r.names[squash(at(j))]; ok {
		return name, 1
	}
	if part := lettersDigits.FindStringSubmatch(at(j)); part != nil {
		if name, ok := r.numbers[part[1]+" "+part[2]]; ok {
			return name, 1
		}
	}
	if name, ok := r.numbers[strings.TrimSuffix(noun, "s")+" "+at(j)]; ok && noun != "" {
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

// unknownAt adds an object that the problem lacks but that a text plainly names: "block z", "crate9",
// "the purple block".
func (r *Reader) unknownAt(m *marked, at func(int) string, i, j int, noun string) int {
	w := at(j)
	part := lettersDigits.FindStringSubmatch(w)
	switch {
	case noun != "" && digits(w):
		m.add(noun+w, false)
	case noun != "" && (letterName.MatchString(w) || part != nil), part != nil && (r.nouns[part[1]] || r.stems[part[1]]):
		m.add(w, false)
	case noun == "" && j > i && r.nouns[at(j+1)] && !strings.HasSuffix(at(j+1), "s") && plainWord.MatchString(w) && !notNames[w]:
		m.add(w, false)
		return j + 2 - i
	default:
		return 0
	}
	return j + 1 - i
}
