package iep

import (
	"slices"
	"strings"
)

// clause is a stretch of a sentence between commas and conjunctions, the least that can be a point.
type clause struct {
	text     string
	tokens   []token
	sentence int  // its number in the text
	asserted bool // stated as a fact: no question, guess, denial or confession of ignorance
	question bool
}

// clauseWords begin a clause.
var clauseWords = words(lists["clause"])

// joined are the phrases in which a negation denies nothing.
var joined = func() *strings.Replacer {
	var list []string
	for _, p := range phrases(lists["joined"]) {
		phrase, means, _ := strings.Cut(p, " =")
		list = append(list, phrase+" ", means, " "+strings.ToUpper(phrase[1:2])+phrase[2:]+" ", means) // within a sentence, and first
	}
	return strings.NewReplacer(list...)
}()

// clauses cuts a text into clauses and marks those that are asserted and the words that are negated.
func clauses(text string) []clause {
	var out []clause
	for n, s := range Sentences(text) {
		first := len(out)
		list := tokens(joined.Replace(" " + s + " "))
		negate(list)
		if len(list) > 0 {
			list[0].first = true
		}
		start := 0
		cut := func(end int) {
			if part := list[start:end]; slices.ContainsFunc(part, func(t token) bool { return len(t.word) > 1 || t.number > 0 }) {
				out = append(out, clause{tokens: part, sentence: n, asserted: true})
			}
		}
		for i := range list {
			if mark := len(list[i].word) == 1 && strings.Contains(",;:()-", list[i].word); mark || i > start && clauseWords[list[i].word] {
				cut(i)
				start = i
			}
		}
		cut(len(list))
		for i := range out[first:] {
			c := &out[first+i]
			c.text = s
		}
		judgeSpeech(out, first, s)
	}
	return out
}

// negate marks the words in the scope of a sentence's negations: those after each until the next clause
// that is no relative one, or those before it where none come after. "Not ... unless" is no negation.
func negate(list []token) {
	for i := 0; i < len(list); i++ {
		if !list[i].negates {
			continue
		}
		start, end := i, i+1
		for start > 0 && !list[start-1].parts() {
			start--
		}
		content, unless := false, false
		for end < len(list) && !list[end].parts() {
			w := list[end].word
			unless = unless || w == "unless" || w == "except" || w == "without"
			content = content || len(list[end].keys) > 0
			end++
		}
		switch {
		case unless:
		case content:
			mark(list[i+1 : end])
		default:
			mark(list[start:i])
		}
		i = end - 1 // a negation in the scope of another is no new one
	}
}

// parts reports whether a clause begins with the word that is none of a relative clause.
func (t *token) parts() bool {
	return len(t.word) == 1 && strings.Contains(",;:()-", t.word) || clauseWords[t.word] && t.word != "who" && t.word != "which"
}

// mark marks the words in the scope of one negation.
func mark(list []token) {
	var keys []string
	for i := range list {
		if len(list[i].keys) > 0 {
			keys = append(keys, list[i].keys[len(list[i].keys)-1])
		}
	}
	for i := range list {
		list[i].negated, list[i].denied = true, keys
	}
}

// What a speaker says about what is said. Each is looked for between words, in small letters.
var (
	asking  = phrases(lists["asking"])
	answer  = phrases(lists["answer"])
	guess   = phrases(lists["guess"])
	unknown = phrases(lists["unknown"])
	denial  = phrases(lists["denial"])
)

func says(text string, cues []string) bool {
	return slices.ContainsFunc(cues, func(cue string) bool { return strings.Contains(text, cue) })
}

// judgeSpeech marks the clauses of a sentence, list[first:], that assert nothing, and the sentence before
// where this one only denies it.
func judgeSpeech(list []clause, first int, sentence string) {
	own := list[first:]
	if strings.HasSuffix(strings.TrimRight(sentence, `"'”’)*. `), "?") {
		for i := range own {
			own[i].asserted, own[i].question = false, true
		}
		return
	}
	held, content := "", 0
	for i := range own {
		low := " "
		for _, t := range own[i].tokens {
			if len(t.keys) > 0 {
				content++
			}
			low += t.word + " "
		}
		if held = stance(held, low); held == "denial" {
			for j := range i {
				own[j].asserted = false
			}
		}
		own[i].asserted = held == ""
	}
	if held == "denial" && content <= 3 && first > 0 {
		for i := first - 1; i >= 0 && list[i].sentence == list[first-1].sentence; i-- {
			list[i].asserted = false
		}
	}
}

// stance returns how a speaker takes what a clause says, given how the clause before was taken: as a denial, as
// unknown, asked or guessed, which goes on until it is answered or a "but" ends it, or "": as a fact.
func stance(held, low string) string {
	switch {
	case says(low, denial):
		return "denial"
	case held == "asking" && !says(low, answer), held == "denial", (held == "guess" || held == "unknown") && !strings.HasPrefix(low, " but "):
		return held
	case says(low, unknown):
		return "unknown"
	case says(low, asking) || strings.HasPrefix(low, " i asked ") || strings.HasPrefix(low, " we asked "):
		return "asking"
	case says(low, guess):
		return "guess"
	}
	return ""
}

// content counts the words and numbers that carry content.
func (c *clause) content() int {
	n := 0
	for i := range c.tokens {
		if len(c.tokens[i].keys) > 0 || c.tokens[i].number != 0 {
			n++
		}
	}
	return n
}

// personal reports whether a clause is about the speaker.
func (c *clause) personal() bool {
	return slices.ContainsFunc(c.tokens, func(t token) bool { return firstPerson[t.word] })
}

var firstPerson = words(lists["first person"])

// words joins the words of a clause.
func (c *clause) words() string {
	var list []string
	for i := range c.tokens {
		if w := c.tokens[i].word; len(w) > 1 || !strings.Contains(",;:()-", w) {
			list = append(list, w)
		}
	}
	return strings.Join(list, " ")
}
