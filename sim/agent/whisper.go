package agent

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/characters"
)

// A whisper can be marked in many ways besides the fields and labels that are asked for:
//
//	SAY (to Bren): ...            WHISPER TO Bren: ...       Orla (aside to Bren): ...
//	SAY: (to Bren only) ...       [whispers to Bren] ...     ... (for Bren's ears only)
//	DO: leans over and whispers to Bren                      I whisper to Bren, "..."
//
// A mark that names somebody at the table makes the move a whisper to them. One that names somebody else,
// or says only that not all may hear it, leaves it open who may: an unknown addressee. To whisper with
// nobody named, or to a horse, is how a thing is said, and for everybody. Of a move that is only in part
// a whisper, all is one. Being spoken to is no mark: "To Bren I say: ..." is for everybody.

// hints reports whether a text can have a mark of a whisper in it.
func hints(text string) bool {
	return strings.IndexByte(text, '(') >= 0 || strings.IndexByte(text, '[') >= 0 || strings.IndexByte(text, '<') >= 0 ||
		strings.Contains(text, "hisper") || strings.Contains(text, "HISPER") || text != "" && text[0] == '/'
}

// whisper notes a mark and whom it names.
func (d *draft) whisper(to []string) {
	d.whispered = true
	d.aside = append(d.aside, to...)
}

// bare is a word in small letters without what stands around it.
func bare(word string) string {
	return strings.ToLower(strings.Trim(word, "\"'“”‘’«»()[]<>*_.,;:!?…—–-"))
}

func isWhisper(word string) bool {
	switch word {
	case "whisper", "whispers", "whispering", "whispered":
		return true
	}
	return false
}

// listed reads the names at the beginning of some words, as in "Bren, Old Maud and the others about it".
func (c *cast) listed(words []string) (to []string) {
	for len(words) > 0 {
		n := min(3, len(words))
		for ; n > 0; n-- {
			name := strings.Trim(strings.Join(words[:n], " "), ",.;:\"“”()[]*")
			name = strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "’s")
			who, known := c.lookup(key(name))
			if known && who != c.self || !known && meansEverybody[key(name)] {
				to = append(to, name)
				break
			}
		}
		if n == 0 {
			break
		}
		more := strings.HasSuffix(words[n-1], ",")
		words = words[n:]
		if len(words) > 0 && words[0] == "and" {
			more, words = true, words[1:]
		}
		if !more {
			break
		}
	}
	return to
}

// to is whom some words behind a "to" name: names at the table, else whatever stands there.
func (c *cast) to(words []string) []string {
	if names := c.listed(words); len(names) > 0 {
		return names
	}
	return []string{strings.Join(words[:min(3, len(words))], " ")}
}

// leads reports whether the verb at a place of a text is what its author does: it begins the text or
// a clause, behind adverbs at most. "Maud whispers" is what somebody else does.
func (c *cast) leads(words []string, at int) bool {
	for at > 0 && (strings.HasSuffix(words[at-1], "ly") || bare(words[at-1]) == "just" || bare(words[at-1]) == "very") {
		at--
	}
	if at == 0 {
		return true
	}
	before := words[at-1]
	switch bare(before) {
	case "and", "then", "or", "but", "i", "she", "he", "they", "":
		return true
	case "to": // "leans over to whisper", but not "asks Maud to whisper"
		return at < 2 || !c.other(c.named(bare(words[at-2])))
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	return strings.ContainsRune(",;:.!?—–", last) || c.named(bare(before)) == c.self
}

// behind are words that may follow a verb and are not what is whispered.
var behind = map[string]bool{
	"to": true, "in": true, "into": true, "at": true, "for": true, "toward": true, "towards": true, "back": true, "only": true,
	"under": true, "with": true, "from": true, "so": true, "as": true, "while": true, "and": true, "then": true, "again": true,
	"over": true, "across": true, "without": true, "just": true, "near": true, "beside": true, "through": true, "behind": true,
}

// prayer reports whether a word is something that is whispered to nobody at the table.
func prayer(word string) bool {
	switch bare(word) {
	case "prayer", "prayers", "blessing", "oath", "vow", "spell", "incantation", "charm":
		return true
	}
	return false
}

// somebody reports whether a word behind a "to" may stand for one of the cast: a name, or a pronoun.
func somebody(word string) bool {
	switch bare(word) {
	case "her", "him", "them", "you":
		return true
	}
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(word, "\"'“‘(["))
	return unicode.IsUpper(r)
}

// proper reports whether a text is written as names are, whoever they are of: Gorm the Red and Alys.
func proper(text string) bool {
	if text == "" || strings.ContainsAny(text, ".!?") {
		return false
	}
	for _, w := range strings.Fields(text) {
		if r, _ := utf8.DecodeRuneInString(w); !unicode.IsUpper(r) && w != "and" && !titles[bare(w)] {
			return false
		}
	}
	return true
}

// whispersTo says whether a text tells that its author whispers, and to whom. Where somebody at the
// table is named, it is these; where it tells what is whispered (a prayer), only then.
func (c *cast) whispersTo(text string) (to []string, marked bool) {
	if !strings.Contains(text, "hisper") && !strings.Contains(text, "HISPER") {
		return nil, false
	}
	words := strings.Fields(text[:min(len(text), 8*maxHead)])
	for at := range words {
		if !isWhisper(bare(words[at])) || !c.leads(words, at) {
			continue
		}
		if to, marked = c.addressed(words, at); marked && (len(to) > 0 || cued(text)) {
			return to, true
		}
	}
	return nil, false
}

// addressed looks for the names around the verb at a place of a text.
func (c *cast) addressed(words []string, at int) (to []string, marked bool) {
	rest := words[at+1:]
	thing := false // what is whispered is named
	if last := words[at][len(words[at])-1]; last == ':' || last == '.' || last == ';' {
		rest = nil
	} else if len(rest) > 0 {
		if to = c.listed(rest); len(to) > 0 {
			return to, true
		}
		first := bare(rest[0])
		thing = last != ',' && first != "" && !behind[first] && !strings.HasSuffix(first, "ly")
	}
	for i, word := range rest {
		switch w := bare(word); w {
		case "to", "in", "into", "at", "for", "toward", "towards", "only":
			if to = c.listed(rest[i+1:]); len(to) > 0 {
				return to, true
			}
			if w == "to" && i+1 < len(rest) {
				return c.to(rest[i+1:]), somebody(rest[i+1]) && !slices.ContainsFunc(rest[:i], prayer)
			}
		}
		if strings.ContainsAny(word, ":.;\"“") {
			break
		}
	}
	if thing {
		return nil, false
	}
	for i := at - 1; i >= 0; i-- { // "leans close to Bren and whispers"
		if who, ok := c.lookup(key(strings.TrimSuffix(strings.TrimSuffix(bare(words[i]), "'s"), "’s"))); ok && who != c.self {
			return []string{bare(words[i])}, true
		}
	}
	return nil, true
}

// secret are words of a stage direction that mark a whisper: in private, an aside.
var secret = map[string]bool{
	"aside": true, "private": true, "privately": true, "secret": true, "secretly": true, "confidentially": true,
	"telepathically": true, "whisper": true,
}

// hushed are words that may stand before them, or before the names: in a low voice, to Bren.
var hushed = map[string]bool{
	"in": true, "a": true, "an": true, "as": true, "low": true, "hushed": true, "quiet": true, "soft": true, "voice": true,
	"voices": true, "tone": true, "word": true, "words": true, "message": true, "under": true, "his": true, "her": true,
	"their": true, "my": true, "breath": true, "murmuring": true, "murmurs": true, "muttering": true, "mutters": true,
	"speaking": true, "says": true, "sotto": true, "voce": true,
}

// cues are parts of the words that mark a whisper in a stage direction, but for the verb.
var cues = []string{"to ", "for ", "toward", "near ", " ear", "only", "alone", "aside", "private", "secret", "confidential", "telepathic"}

func cued(text string) bool {
	text = lowered(text)
	return slices.ContainsFunc(cues, func(cue string) bool { return strings.Contains(text, cue) })
}

// directs says whether a stage direction, "aside to Bren" or "for Bren's ears only", marks a whisper.
// addressing also takes one that only says to whom somebody at the table is spoken to: "to Bren".
func (c *cast) directs(text string, addressing bool) (to []string, marked bool) {
	if to, marked = c.whispersTo(text); marked {
		return to, true
	}
	if len(text) > 2*maxHead || !cued(text) {
		return nil, false
	}
	words := strings.Fields(text)
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = bare(w)
	}
	private, i := false, 0
	for i < len(all) && (secret[all[i]] || hushed[all[i]] || strings.HasSuffix(all[i], "ly")) {
		private = private || secret[all[i]]
		i++
	}
	rest := words[i:]
	if len(rest) == 0 {
		return nil, private && all[0] != "secretly" && all[len(all)-1] != "breath"
	}
	only := slices.Contains(all, "only") || all[len(all)-1] == "alone"
	at := 0
	for at < len(rest) && slices.Contains([]string{"only", "to", "for", "just", "with", "so", "that"}, all[i+at]) {
		at++
	}
	spoken := at > 0 && slices.Contains(all[i:i+at], "to")
	to = c.listed(rest[at:])
	switch {
	case private && at > 0, spoken && only:
		return c.to(rest[at:]), true
	case len(to) > 0 && only && (at > 0 || len(rest) <= 4):
		return to, true
	case (only && i+at > 0 || len(to) > 0) && slices.ContainsFunc(all, func(w string) bool { return w == "ear" || w == "ears" }):
		return to, true
	case only && slices.Contains(all, "hear"), only && slices.Contains(all, "hears"):
		return to, true
	case addressing && spoken && !slices.Contains(all, "says") && !slices.Contains(all, "speaking"):
		if names := strings.Join(rest[at:], " "); c.allKnown([]string{names}) || proper(names) {
			return []string{names}, true
		}
	}
	return nil, false
}

// directions takes marks of a whisper out of a speech: "(whispers to Bren)", "[aside to Bren]", and at
// its beginning "*whispers to Bren*", "(to Bren)" or "/whisper Bren".
func (c *cast) directions(d *draft, speech string) string {
	if !hints(speech) && strings.IndexByte(speech, '*') < 0 {
		return speech
	}
	var own strings.Builder
	head, kept := true, 0 // nothing was said yet; up to where own holds what is not taken out
	for at := 0; at < len(speech); {
		open := strings.IndexAny(speech[at:], "([<*")
		if open < 0 {
			break
		}
		open += at
		head = head && strings.Trim(speech[at:open], " \t\n\"“'*_") == ""
		at = open + 1
		end := strings.IndexByte(speech[at:min(len(speech), at+2*maxHead)], closing(speech[open]))
		if end < 0 || speech[open] == '*' && !head {
			continue
		}
		to, marked := c.directs(strings.Trim(speech[at:at+end], " \t\n*_/"), head && speech[open] != '*' && !d.fielded)
		if !marked {
			continue
		}
		d.whisper(to)
		own.WriteString(speech[kept:open])
		if at += end + 1; head {
			at = len(speech) - len(strings.TrimLeft(speech[at:], " \t*_:"))
		}
		kept = at
	}
	if kept > 0 {
		own.WriteString(speech[kept:])
		speech = own.String()
	}
	if verb, rest, ok := strings.Cut(strings.TrimLeft(speech, " \t\n\"“"), " "); ok {
		switch strings.ToLower(verb) {
		case "/whisper", "/w", "/tell", "/msg", "/pm":
			d.whisper(c.to(strings.Fields(rest)))
			return rest
		}
	}
	return speech
}

// closing is the mark that closes what another opens.
func closing(open byte) byte {
	switch open {
	case '(':
		return ')'
	case '[':
		return ']'
	case '<':
		return '>'
	}
	return open
}

// narrates looks for a whisper in what a speech tells around its quotes, or before a colon: I whisper to
// Bren, "...". What a character says about whispers is none.
func (c *cast) narrates(d *draft, speech string) {
	if !strings.Contains(speech, "hisper") {
		return
	}
	if _, _, all := c.whom(d.to); all { // the field says so
		return
	}
	isQuote := func(r rune) bool { return strings.ContainsRune(`"“”«»`, r) }
	first := strings.IndexFunc(speech, isQuote)
	if colon := strings.IndexByte(speech[:min(len(speech), maxHead)], ':'); colon >= 0 && (first < 0 || colon < first) {
		to, marked := c.tells(speech[:colon])
		if marked && !strings.Contains(speech[:colon], "whispered") && (c.allKnown(to) || c.mine(speech[:colon]) && (len(to) == 0 || proper(to[0]))) {
			d.whisper(to)
		}
	}
	if first < 0 {
		return
	}
	inside, from := false, 0
	for i, r := range speech + `"` {
		if !isQuote(r) {
			continue
		}
		if !inside && i > from {
			part := strings.TrimLeft(speech[from:i], " .,!?")
			if to, marked := c.tells(part); marked && !recalled(part) && (c.allKnown(to) || c.mine(part)) {
				d.whisper(to)
			}
		}
		inside = r == '“' || r == '«' || r == '"' && !inside
		from = i + utf8.RuneLen(r)
	}
}

// recalled reports whether a text tells of a whisper of the past.
func recalled(text string) bool {
	return strings.Contains(text, "whispered") && slices.ContainsFunc(
		[]string{" once", "yesterday", " ago", "before", " last ", "earlier", "already", " told ", " said "},
		func(word string) bool { return strings.Contains(text, word) })
}

// tells is whispersTo for a text that begins with its author, or with the verb.
func (c *cast) tells(text string) (to []string, marked bool) {
	first, _, _ := strings.Cut(text, " ")
	switch w := bare(first); {
	case w == "i", w == "she", w == "he", w == "they", isWhisper(w), strings.HasSuffix(w, "ing"), c.named(w) == c.self:
		return c.whispersTo(text)
	}
	return nil, false
}

// mine reports whether a text begins with the author as its subject.
func (c *cast) mine(text string) bool {
	first, _, _ := strings.Cut(text, " ")
	return first == "I" || strings.Contains(text, ", I ") || c.named(bare(first)) == c.self
}

func (c *cast) allKnown(names []string) bool {
	to, ok, all := c.whom(names)
	return ok && (len(to) > 0 || all)
}

// heard resolves who hears a draft: those whom its field names, else those whom its marks name. ok is
// false where one of them is not known, or where a mark names nobody.
func (c *cast) heard(d *draft) (to []characters.ID, ok bool) {
	to, ok, all := c.whom(d.to)
	if len(to) > 0 || !ok || !d.whispered || all && len(d.aside) == 0 {
		return to, ok
	}
	if to, ok, all = c.whom(d.aside); all { // but for one mark that names somebody
		aside := slices.DeleteFunc(d.aside, func(name string) bool { return slices.Equal(c.those(name), []int{everybody}) })
		if len(aside) > 0 {
			to, ok, all = c.whom(aside)
		}
	}
	return to, ok && (len(to) > 0 || all)
}

// quotes reports whether a deed tells what is said.
func quotes(deed string) bool {
	return strings.ContainsAny(deed, "\"“:") || strings.Contains(deed, " '") || strings.Contains(deed, " that ")
}

// announced looks for a mark on a line that is no part of the move: "(whispers to Bren)" alone, or
// "Orla leans to Bren and whispers:" before it.
func (c *cast) announced(d *draft, text string) {
	if !hints(text) && strings.IndexByte(text, '*') < 0 {
		return
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		inner := strings.Trim(line, "()[]<>*_ ")
		if line == "" || len(line) > 2*maxHead {
			continue
		}
		switch first, last := line[0], line[len(line)-1]; {
		case strings.IndexByte("([<*_", first) >= 0 && strings.IndexByte(")]>*_", last) >= 0:
			if to, marked := c.directs(inner, false); marked {
				d.whisper(to)
			}
		case last == ':':
			if to, marked := c.tells(line[:len(line)-1]); marked {
				d.whisper(to)
			}
		}
	}
}

// whisperLine reads what stands behind "WHISPER:": names, or what is whispered.
func (c *cast) whisperLine(d *draft, text string) (kind label, rest string) {
	if names, after, ok := strings.Cut(text, ":"); ok && c.allKnown([]string{names}) {
		d.whisper([]string{names})
		return sayLabel, strings.TrimSpace(after)
	}
	value, _, _ := inline(text)
	k := key(value)
	if meansNobody[k] || meansEverybody[k] || k == "no" || k == "false" || c.allKnown([]string{value}) {
		return toLabel, text
	}
	d.whisper(nil)
	return sayLabel, text
}

// marked takes over what an object says about who hears it besides its list of names.
func (c *cast) marked(d *draft, f *fields) {
	word := bare(f.deed)
	switch word {
	case "speak", "say", "talk", "speech", "dialogue", "respond", "reply": // a kind of move: {"action": "speak"}
		if f.speech != "" {
			f.deed = ""
		}
	}
	for _, w := range f.whisper {
		switch k := key(w); {
		case k == "" || k == "no" || k == "false" || meansNobody[k]:
		case k == "true" || k == "yes":
			d.whisper(nil)
		case c.allKnown([]string{w}):
			d.whisper([]string{w})
		default:
			d.whisper(nil)
			if f.speech == "" {
				f.speech = w
			}
		}
	}
	for _, manner := range f.manner {
		if m := bare(manner); m == "private" || isWhisper(m) && len(f.target) > 0 {
			d.whisper(nil)
		}
	}
	if word == "whisper" && f.speech != "" { // likewise
		f.deed = ""
		d.whisper(nil)
	}
	if d.whispered {
		d.aside = append(d.aside, f.target...)
	}
}
