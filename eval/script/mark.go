package script

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// kind is the kind of mark before the text of a line.
type kind int

const (
	plain    kind = iota
	number        // 1. 1) (1) 1: #1 ① 一、
	stepWord      // Step 1:
	bullet        // - * •
	letter        // a) within a step
)

// line is a line of a reply, with the mark before its text.
type line struct {
	kind   kind
	n      int // of a number or step word
	indent int // columns
	text   string
	title  bool // a heading, or wholly bold
	fresh  bool // after a blank line
}

var (
	stepMark    = regexp.MustCompile(`^(?i:step|schritt|étape|paso)\s*(?:no\.?\s*|#\s*|number\s+)?(\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b\s*(?:of\s+\d+\s*)?[:.)\]–—-]*\s*`)
	digitMark   = regexp.MustCompile(`^[(\[#]?(\d{1,3})(?:[.)\]:、．）]|\s*[–—-]\s)[.)]?\s*`)
	otherMark   = regexp.MustCompile(`^(?:([①-⑳])|第?([一二三四五六七八九十]{1,3})(?:步|[、.．:：])[：:、.．]?)\s*`)
	bulletMark  = regexp.MustCompile(`^(?:[-*+•‣▪●◦–—✓✔→]|\[[ xX]\])\s+(?:\[[ xX]\]\s+)?`)
	letterMark  = regexp.MustCompile(`^[(]?([a-hA-H]|[ivx]{1,4})[.)]\s+`)
	heading     = regexp.MustCompile(`^#{1,6}\s+`)
	tableRow    = regexp.MustCompile(`^\|\s*(?i:step\s*)?(\d{1,3})\.?\s*\|(.*?)\|?\s*$`)
	numberWords = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve")
)

// lineOf takes the mark off a line.
func lineOf(raw string) line {
	l := line{}
	for _, r := range raw[:len(raw)-len(strings.TrimLeftFunc(raw, unicode.IsSpace))] {
		if l.indent++; r == '\t' {
			l.indent += 3
		}
	}
	text := strings.TrimLeft(strings.TrimSpace(raw), "> ") // quoted
	if cell := tableRow.FindStringSubmatch(text); cell != nil {
		l.kind, l.text = number, unbold(strings.ReplaceAll(strings.Trim(cell[2], "| "), " | ", ": "))
		l.n, _ = strconv.Atoi(cell[1]) // digits by the expression
		return l
	}
	if at := heading.FindString(text); at != "" {
		l.title, text = true, text[len(at):]
	}
	bare := strings.TrimLeft(text, "*_ ")
	switch {
	case strings.HasPrefix(text, "**"), strings.HasPrefix(text, "__"):
		l.title = l.title || strings.HasSuffix(strings.TrimRight(text, ":. "), text[:2]) && strings.Count(text, text[:2]) == 2
	case strings.HasPrefix(text, "* "):
		bare = text // a bullet
	}
	if l.step(bare) || l.number(bare) {
		return l
	}
	if found := bulletMark.FindString(text); found != "" {
		inner := lineOf(text[len(found):])
		if inner.kind != stepWord && inner.kind != number { // but - Step 1: ...
			inner = line{kind: bullet, text: unbold(text[len(found):]), title: l.title}
		}
		inner.indent = l.indent
		return inner
	}
	if found := letterMark.FindString(text); found != "" {
		l.kind, text = letter, text[len(found):]
	}
	l.text = unbold(text)
	return l
}

// step reads a line that begins with "Step 1".
func (l *line) step(bare string) bool {
	found := stepMark.FindStringSubmatch(bare)
	if found == nil || !heads(found[0], bare[len(found[0]):]) {
		return false
	}
	var err error
	if l.n, err = strconv.Atoi(found[1]); err != nil {
		l.n = slices.Index(numberWords, strings.ToLower(found[1]))
	}
	l.kind, l.text = stepWord, unbold(bare[len(found[0]):])
	return true
}

// number reads a line that begins with a number.
func (l *line) number(bare string) bool {
	if found := digitMark.FindStringSubmatch(bare); found != nil {
		rest := bare[len(found[0]):]
		if !startsWithDigit(rest) || strings.HasSuffix(found[0], " ") { // 1.5 litres is no first step
			l.n, _ = strconv.Atoi(found[1]) // digits by the expression
			l.kind, l.text = number, unbold(rest)
			if inner := stepMark.FindString(l.text); strings.ContainsAny(inner, ":.-") { // 1. Step 1: ...
				l.text = unbold(l.text[len(inner):])
			}
			return true
		}
	}
	found := otherMark.FindStringSubmatch(bare)
	if found == nil {
		return false
	}
	if l.n = chinese(found[2]); found[1] != "" {
		l.n = int([]rune(found[1])[0]-'①') + 1
	}
	l.kind, l.text = number, unbold(bare[len(found[0]):])
	return true
}

// heads reports whether "Step 1" begins a step rather than a sentence about one: a mark follows
// it, or a capital letter, or nothing.
func heads(mark, rest string) bool {
	if strings.ContainsAny(strings.TrimSpace(mark)[len("step"):], ":.)]–—-") || rest == "" || rest[0] == '*' || rest[0] == '_' {
		return true
	}
	return strings.HasSuffix(mark, " ") && unicode.IsUpper([]rune(rest)[0])
}

func startsWithDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// chinese reads a numeral from 1 to 99.
func chinese(s string) int {
	n, last := 0, 0
	for _, r := range s {
		if r == '十' {
			n, last = n+max(1, last)*10, 0
			continue
		}
		last = strings.IndexRune("一二三四五六七八九", r)/3 + 1
	}
	return n + last
}

// unbold takes emphasis off a text: pairs of ** and __, a single * around all of it.
func unbold(s string) string {
	s = strings.TrimSpace(strings.NewReplacer("**", "", "__", "").Replace(s))
	if len(s) > 2 && (s[0] == '*' || s[0] == '_') && s[len(s)-1] == s[0] {
		s = s[1 : len(s)-1]
	}
	return strings.Join(strings.Fields(s), " ")
}
