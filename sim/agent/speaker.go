package agent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// head is what a line of a reply begins with, when it begins with a speaker's name.
type head struct {
	who   int    // a place in the cast, theTable or oneself
	aside string // "whispers to Bren" of "Orla (whispers to Bren): ..."
	rest  string // what stands behind it
}

// decoration may stand before and around a name or a label.
const decoration = " \t*_#>-•~|`\"'“”‘[("

// maxHead is how far into a line its colon is looked for, in bytes.
const maxHead = 96

// speaker reads the name at the head of a line: "Bren:", "**Bren Ironhand:**", "[Bren]: ", "Bren
// (whispers to Orla): ", "Bren says: ", "### Bren", and lines of the table: "[Bren rolls ...".
func (c *cast) speaker(line string) (head, bool) {
	bare := strings.TrimLeft(line, decoration)
	if bare == "" {
		return head{}, false
	}
	near := bare[:min(len(bare), maxHead)]
	colon, size := strings.IndexByte(near, ':'), 1
	if wide := strings.Index(near, "："); wide >= 0 && (colon < 0 || wide < colon) {
		colon, size = wide, len("：")
	}
	decorated := line[:len(line)-len(bare)]
	if colon < 0 {
		return c.heading(decorated, bare)
	}
	name, aside := near[:colon], ""
	if open := strings.IndexByte(name, '('); open >= 0 {
		aside = strings.Trim(name[open:], " \t()*_[]")
		name = name[:open]
	}
	who := c.named(name)
	if who == nobody {
		var verb string
		if who, verb = c.saying(name); who == nobody {
			return c.heading(decorated, bare)
		}
		if aside == "" {
			aside = verb
		}
	}
	if who == unclear { // two share the name, and one of them may be another
		who = theTable
	}
	rest := strings.TrimSpace(bare[colon+size:])
	if strings.HasPrefix(rest, "**") && !strings.Contains(rest[2:], "**") { // the end of **Bren:**
		rest = strings.TrimSpace(rest[2:])
	} else if strings.Contains(decorated, "**") {
		rest = strings.TrimSpace(strings.TrimPrefix(rest, "**"))
	}
	return head{who: who, aside: aside, rest: rest}, true
}

// heading reads a line that is a name and no more, where a heading, a bracket or bold type marks it
// so; a plain name alone is somebody who is called. And it reads the table's own lines.
func (c *cast) heading(decorated, bare string) (head, bool) {
	bracket := strings.Contains(decorated, "[")
	if !bracket && !strings.Contains(decorated, "#") && !strings.Contains(decorated, "**") {
		return head{}, false
	}
	if len(bare) <= maxHead {
		if who := c.named(strings.TrimRight(bare, " \t*_#]")); who != nobody && who != oneself {
			if who == unclear {
				who = theTable
			}
			return head{who: who}, true
		}
	}
	if bracket {
		first, rest, _ := strings.Cut(bare, " ")
		if who := c.named(first); who >= 0 && (who != c.self || strings.HasPrefix(rest, "rolls ") || strings.HasPrefix(rest, "says and does nothing")) {
			return head{who: theTable}, true
		}
	}
	return head{}, false
}

// named says whom a whole name means.
func (c *cast) named(name string) int {
	if len(name) == 0 || len(name) > maxHead {
		return nobody
	}
	k := key(name)
	if i, ok := c.lookup(k); ok {
		return i
	}
	if i, ok := notCast[k]; ok {
		return i
	}
	if strings.ContainsAny(name, ".,;!?") {
		return nobody
	}
	return c.find(strings.Trim(name, decoration+"])”’"))
}

// speechVerbs may stand between a speaker and the colon.
var speechVerbs = map[string]bool{
	"says": true, "said": true, "asks": true, "asked": true, "replies": true, "replied": true, "answers": true,
	"whispers": true, "whispered": true, "whispering": true, "shouts": true, "mutters": true, "adds": true,
	"continues": true, "responds": true, "speaks": true,
}

// saying reads "Bren says" and "Bren whispers to Orla".
func (c *cast) saying(text string) (who int, aside string) {
	rest := text
	for at := 0; at < 4; at++ {
		_, after, found := strings.Cut(rest, " ")
		if !found {
			return nobody, ""
		}
		verb, _, _ := strings.Cut(after, " ")
		if speechVerbs[strings.ToLower(verb)] {
			if who := c.named(text[:len(text)-len(after)]); who != oneself {
				return who, after
			}
			return nobody, ""
		}
		rest = after
	}
	return nobody, ""
}

// label is a labelled line of the lines form.
type label int

const (
	noLabel label = iota
	sayLabel
	doLabel
	toLabel
	checkLabel
	passLabel
	whisperLabel // of names or of what is whispered
)

// labels are how models spell them.
var labels = map[string]label{
	"say": sayLabel, "says": sayLabel, "speech": sayLabel, "speak": sayLabel, "dialogue": sayLabel, "said": sayLabel,
	"do": doLabel, "does": doLabel, "deed": doLabel, "act": doLabel, "action": doLabel,
	"to": toLabel, "whisper to": toLabel, "whispers to": toLabel, "whispering to": toLabel,
	"whisper": whisperLabel, "whispers": whisperLabel, "whispering": whisperLabel, "whispered": whisperLabel,
	"check": checkLabel, "skill": checkLabel, "skill check": checkLabel, "pass": passLabel,
}

// labelOf looks a word of at most 16 letters up in labels.
func labelOf(word string) label {
	var small [16]byte
	n := copy(small[:], word)
	for i := range n {
		small[i] |= 0x20 // a space stays one
	}
	return labels[string(small[:n])]
}

// labelled reads the label at the head of a line: "SAY: ", "**Say:** ", "1. DO - ", "PASS". aside is
// what stands between a label and its colon: "SAY (to Bren): ".
func labelled(line string) (kind label, aside, rest string) {
	bare := strings.TrimLeft(line, decoration)
	if len(bare) > 2 && unicode.IsDigit(rune(bare[0])) && (bare[1] == '.' || bare[1] == ')') {
		bare = strings.TrimLeft(bare[2:], decoration)
	}
	end := 0
	for end < len(bare) && end < 16 && (bare[end] == ' ' && end > 0 || 'a' <= bare[end]|0x20 && bare[end]|0x20 <= 'z') {
		end++
	}
	word := strings.TrimRight(bare[:end], " ")
	kind = labelOf(word)
	if kind == noLabel {
		return directed(bare)
	}
	rest = strings.TrimLeft(bare[end:], " *_\"”`")
	if kind == passLabel {
		// "Pass the salt." is speech: the word stands alone, or behind it a mark.
		if tail := strings.TrimLeft(rest, ".:!])"); strings.TrimSpace(strings.Trim(tail, decoration+".")) == "" {
			return passLabel, "", ""
		}
		return noLabel, "", ""
	}
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r == ':' || r == '：' || r == '=':
	case (r == '-' || r == '–' || r == '—') && word == strings.ToUpper(word) && !strings.HasPrefix(rest, "->"):
	default:
		return directed(bare)
	}
	rest = strings.TrimSpace(rest[size:])
	if strings.HasPrefix(rest, "**") { // the end of **SAY:**
		rest = strings.TrimSpace(rest[2:])
	}
	return kind, "", rest
}

// directed reads a label with a stage direction: "SAY (to Bren): ", "WHISPER TO Bren: ", "TO Bren: ". The
// aside that it returns is a whisper's where it says to whom. Without parentheses the label has to be in
// capitals, or whisper: "Say to Bren: ..." may be said.
func directed(bare string) (kind label, aside, rest string) {
	end := 0
	for end < len(bare) && end < 16 && 'a' <= bare[end]|0x20 && bare[end]|0x20 <= 'z' {
		end++
	}
	if end == 0 || end == len(bare) || bare[end] == ':' {
		return noLabel, "", ""
	}
	word := bare[:end]
	kind = labelOf(word)
	switch kind {
	case sayLabel, doLabel, toLabel, whisperLabel:
	default:
		return noLabel, "", ""
	}
	capitals := word == strings.ToUpper(word)
	after := strings.TrimLeft(bare[end:], " ,*_")
	switch {
	case after == "":
		return noLabel, "", ""
	case strings.IndexByte("([<", after[0]) >= 0:
		end := strings.IndexByte(after[:min(len(after), maxHead)], closing(after[0]))
		if end < 0 {
			return noLabel, "", ""
		}
		aside, rest = after[1:end], strings.TrimLeft(after[end+1:], " *_")
		colon := strings.HasPrefix(rest, ":")
		if kind == toLabel && !capitals || !colon && !capitals {
			return noLabel, "", ""
		}
		rest = strings.TrimPrefix(rest, ":")
	default:
		end := strings.IndexByte(after[:min(len(after), maxHead)], ':')
		if end < 0 || strings.ContainsAny(after[:end], ".!?;\"“)]") {
			return noLabel, "", ""
		}
		aside, rest = after[:end], after[end+1:]
		first, _, _ := strings.Cut(strings.ToLower(aside), " ")
		arrow := strings.ContainsAny(first, ">→@")
		switch {
		case kind == toLabel && capitals, kind == whisperLabel && (capitals || first == "to"):
		case capitals && (arrow || first == "to" || first == "only" || first == "aside" || isWhisper(first) || strings.HasSuffix(first, "ly")):
		default:
			return noLabel, "", ""
		}
	}
	aside = strings.Trim(aside, " \t*_")
	names := strings.TrimLeft(aside, " ->→@")
	to := len(names) > 3 && strings.EqualFold(names[:3], "to ")
	if to {
		names = strings.TrimLeft(names[3:], " ")
	}
	if to || names != aside || kind == toLabel || kind == whisperLabel {
		aside = "whispers to " + names
	}
	if kind != doLabel {
		kind = sayLabel
	}
	return kind, aside, strings.TrimLeft(rest, " \t*_")
}

// inline finds the next label within a line, which has to be in capitals there.
func inline(line string) (before, after string, found bool) {
	at := -1
	for _, l := range [...]string{"SAY:", "DO:", "TO:", "CHECK:"} {
		from := 0
		for from < len(line) {
			i := strings.Index(line[from:], l)
			if i < 0 {
				break
			}
			i += from
			if i > 0 && strings.IndexByte(" \t*.!?\"'|,;", line[i-1]) >= 0 {
				if at < 0 || i < at {
					at = i
				}
				break
			}
			from = i + len(l)
		}
	}
	for _, l := range [...]string{"WHISPER", "SAY ("} { // such as WHISPER TO Bren:
		if i := strings.Index(line, l); i > 0 && (at < 0 || i < at) && strings.IndexByte(" \t*.!?\"'|,;", line[i-1]) >= 0 {
			if kind, _, _ := labelled(line[i:]); kind != noLabel {
				at = i
			}
		}
	}
	if at < 0 {
		return line, "", false
	}
	return strings.TrimRight(line[:at], " \t*|"), line[at:], true
}
