package agent

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// fields are what a reply's object says, before it is checked: a move, or a referee's verdict.
type fields struct {
	speech, deed, check, speaker  string
	to, target                    []string
	whisper, manner               []string // ways to say that it is a whisper
	addressed                     bool     // there is a key that says to whom
	pass                          bool
	class, mode, success, failure string
	known                         bool // at least one key that was asked for
}

// state says how the search for an object ended.
type state int

const (
	none state = iota // there is no object with a key that was asked for
	whole
	halved // it begins and does not end
)

// object finds the first object in a text that has one of the keys that a function folds names into,
// in JSON or in what models take for it: fences and prose around, line breaks inside of strings, single or curly quotes, quotes that
// are not escaped, keys without quotes, None, trailing commas, one object within another. It returns
// where the object begins and ends. The work is linear in the text: it gives up where starting over and over
// would make it more.
func object(text string, key func(name string) string) (f fields, begin, end int, s state) {
	r := reader{text: text, fold: key}
	work := 0
	for from := 0; work <= 4*len(text)+4096; {
		open := strings.IndexByte(text[from:], '{')
		if open < 0 {
			return fields{}, 0, 0, none
		}
		r.at, r.f, r.cut = from+open, fields{}, false
		ok := r.object(0)
		work += r.at - (from + open)
		switch {
		case ok && r.f.known:
			return r.f, from + open, r.at, whole
		case ok:
			from = r.at
		case r.cut && r.f.known:
			return r.f, from + open, r.at, halved
		case r.cut && strings.TrimSpace(text[:from+open]) == "" && r.key:
			return r.f, from + open, r.at, halved // it ended within its first key
		default:
			from += open + 1
		}
	}
	return fields{}, 0, 0, none
}

type reader struct {
	text string
	fold func(name string) string
	at   int
	f    fields
	cut  bool // the text ended
	key  bool // at least the beginning of a key was there
}

const (
	maxDepth = 16
	maxKey   = 64
)

// space skips white space and reports whether anything is left.
func (r *reader) space() bool {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return true
		}
	}
	r.cut = true
	return false
}

// object reads from "{" to its "}".
func (r *reader) object(depth int) bool {
	if depth > maxDepth {
		return false
	}
	r.at++
	for {
		if !r.space() {
			return false
		}
		switch r.text[r.at] {
		case '}':
			r.at++
			return true
		case ',':
			r.at++
			continue
		}
		name, ok := r.name()
		if !ok || !r.space() {
			return false
		}
		if r.text[r.at] != ':' {
			return false
		}
		r.at++
		if !r.value(r.fold(name), depth) || !r.space() {
			return false
		}
		if ch := r.text[r.at]; ch != ',' && ch != '}' {
			return false
		}
	}
}

// name reads a key, quoted or not.
func (r *reader) name() (string, bool) {
	r.key = true
	if closer, size := quote(r.text[r.at:]); size > 0 {
		r.at += size
		return r.quoted(closer, maxKey)
	}
	from := r.at
	for r.at < len(r.text) && r.at-from < maxKey {
		ch := r.text[r.at]
		if ch == '_' || ch == '-' || 'a' <= ch|0x20 && ch|0x20 <= 'z' || '0' <= ch && ch <= '9' {
			r.at++
			continue
		}
		break
	}
	r.cut = r.at == len(r.text)
	return r.text[from:r.at], r.at > from
}

// value reads a value and keeps it where the key is one that was asked for.
func (r *reader) value(key string, depth int) bool {
	if !r.space() {
		r.know(key)
		return false
	}
	switch ch := r.text[r.at]; ch {
	case '{':
		return r.object(depth + 1)
	case '[':
		return r.list(key, depth+1)
	default:
		r.know(key)
		if closer, size := quote(r.text[r.at:]); size > 0 {
			r.at += size
			text, ok := r.quoted(closer, len(r.text))
			if ok {
				r.keep(key, text)
			}
			return ok
		}
		from := r.at
		for r.at < len(r.text) && !strings.ContainsRune(",}]\n", rune(r.text[r.at])) {
			r.at++
		}
		if r.at == len(r.text) {
			r.cut = true
			return false
		}
		switch bare := strings.TrimSpace(r.text[from:r.at]); strings.ToLower(bare) {
		case "null", "none", "nil", "false", "undefined":
			if key == "check" && r.f.check == "" {
				r.f.check = "none"
			}
		case "":
			return false
		case "true":
			r.f.pass = r.f.pass || key == "pass"
			if key == "whisper" {
				r.keep(key, bare)
			}
		default:
			r.keep(key, bare)
		}
		return true
	}
}

// list reads from "[" to its "]".
func (r *reader) list(key string, depth int) bool {
	if depth > maxDepth {
		return false
	}
	r.know(key)
	r.at++
	for {
		if !r.space() {
			return false
		}
		switch r.text[r.at] {
		case ']':
			r.at++
			return true
		case ',':
			r.at++
			continue
		}
		if !r.value(key, depth) {
			return false
		}
	}
}

func (r *reader) know(key string) {
	switch key {
	case "", "speaker", "target", "manner":
		return
	}
	r.f.known = true
	r.f.addressed = r.f.addressed || key == "to"
}

func (r *reader) keep(key, text string) {
	add := func(to *string) {
		if *to != "" && text != "" {
			*to += "\n"
		}
		*to += text
	}
	switch key {
	case "speech":
		add(&r.f.speech)
	case "deed":
		add(&r.f.deed)
	case "to":
		if len(r.f.to) < 64 {
			r.f.to = append(r.f.to, text)
		}
	case "target":
		r.f.target = append(r.f.target, text)
	case "whisper":
		r.f.whisper = append(r.f.whisper, text)
	case "manner":
		r.f.manner = append(r.f.manner, text)
	case "check":
		r.f.check = text
	case "speaker":
		if r.f.speaker == "" {
			r.f.speaker = text
		}
	case "difficulty":
		r.f.class = text
	case "mode":
		r.f.mode = text
	case "success":
		add(&r.f.success)
	case "failure":
		add(&r.f.failure)
	}
}

var spelling = strings.NewReplacer("-", "_", " ", "_")

// field folds the names that models give to the fields of a move.
func field(name string) string {
	switch name {
	case "speech", "deed", "to", "check":
		return name
	}
	switch strings.ToLower(spelling.Replace(strings.TrimSpace(name))) {
	case "speech", "say", "says", "said", "speak", "dialogue", "dialog", "utterance", "words", "text", "content", "message":
		return "speech"
	case "deed", "deeds", "do", "does", "action", "actions", "act":
		return "deed"
	case "to", "whisper_to", "whispers_to", "whispered_to", "whispering_to", "whisperto", "whispersto", "private_to", "visible_to",
		"heard_by", "audience", "addressee", "addressees", "recipient", "recipients":
		return "to"
	case "target", "targets", "listener", "listeners":
		return "target"
	case "whisper", "whispers", "whispered", "whispering", "is_whisper", "private", "privately", "secret":
		return "whisper"
	case "type", "kind", "mode", "manner", "tone", "volume", "style", "visibility", "voice":
		return "manner"
	case "check", "skill", "skill_check":
		return "check"
	case "pass":
		return "pass"
	case "speaker", "name", "character", "actor", "role":
		return "speaker"
	}
	return ""
}

// quote returns the mark that closes the string that begins here, and the length of the opening one.
func quote(text string) (closer string, size int) {
	switch {
	case text == "":
	case text[0] == '"':
		return `"`, 1
	case text[0] == '\'':
		return `'`, 1
	case strings.HasPrefix(text, "“"):
		return "”", len("“")
	case strings.HasPrefix(text, "‘"):
		return "’", len("‘")
	}
	return "", 0
}

// quoted reads up to the closing mark. A mark closes where the object goes on after it; any other
// belongs to the text and was not escaped.
func (r *reader) quoted(closer string, most int) (string, bool) {
	from, kept := r.at, r.at
	var b []byte // what stands before kept, only where something had to be decoded
	for r.at < len(r.text) {
		if r.at-from > most {
			return "", false
		}
		switch rest := r.text[r.at:]; {
		case rest[0] == '\\':
			if b == nil {
				b = make([]byte, 0, 128)
			}
			b = r.escape(append(b, r.text[kept:r.at]...))
			kept = r.at
		case rest[0] == closer[0] && strings.HasPrefix(rest, closer) && r.closes(r.at+len(closer)):
			text := r.text[kept:r.at]
			r.at += len(closer)
			if b != nil {
				return string(append(b, text...)), true
			}
			return text, true
		default:
			r.at++
			for r.at < len(r.text) && r.at-from <= most && r.text[r.at] != '\\' && r.text[r.at] != closer[0] {
				r.at++
			}
		}
	}
	r.cut = true
	return "", false
}

// closes reports whether an object can go on here, after a string.
func (r *reader) closes(at int) bool {
	for ; at < len(r.text); at++ {
		switch r.text[at] {
		case ' ', '\t', '\n', '\r':
		case ',', '}', ']', ':':
			return true
		default:
			return false
		}
	}
	return true
}

// escape decodes what stands behind a backslash. An escape that JSON does not know is the letter
// itself.
func (r *reader) escape(b []byte) []byte {
	r.at++
	if r.at == len(r.text) {
		return b
	}
	ch := r.text[r.at]
	r.at++
	switch ch {
	case 'n', 'r':
		return append(b, '\n')
	case 't', 'b', 'f':
		return append(b, ' ')
	case 'u':
		if c, ok := r.hex(); ok {
			if utf16.IsSurrogate(c) && strings.HasPrefix(r.text[r.at:], `\u`) {
				r.at += 2
				low, _ := r.hex()
				c = utf16.DecodeRune(c, low)
			}
			return utf8.AppendRune(b, c)
		}
	}
	return append(b, ch)
}

// hex reads four hexadecimal digits.
func (r *reader) hex() (rune, bool) {
	if r.at+4 > len(r.text) {
		return 0, false
	}
	n, err := strconv.ParseUint(r.text[r.at:r.at+4], 16, 32)
	if err != nil {
		return 0, false
	}
	r.at += 4
	return rune(n), true
}
