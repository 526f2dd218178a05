package script

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// kind is what stands before the text of a line.
type kind int

const (
	plain    kind = iota
	number        // 1. 1) (1) 1: #1 ① 一、
	stepWord      // Step 1:
	bullet        // - * •
	letter        // a) within a step
)

// mark is a line with what stood before its text.
type mark struct {
	kind   kind
	n      int // of a number or step word
	indent int // columns
	text   string
	title  bool // a heading, or wholly bold
}

var (
	stepMark    = regexp.MustCompile(`^(?i:step|schritt|étape|paso)\s*(?:no\.?\s*|#\s*|number\s+)?(\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b\s*(?:of\s+\d+\s*)?[:.)\]–—-]*\s*`)
	chineseStep = regexp.MustCompile(`^第?([一二三四五六七八九十]{1,3})(?:步|[、.．:：])[：:、.．]?\s*`)
	digitMark   = regexp.MustCompile(`^[(\[#]?(\d{1,3})(?:[.)\]:、．）]|\s*[–—-]\s)[.)]?\s*`)
	circled     = regexp.MustCompile(`^([①-⑳])\s*`)
	bulletMark  = regexp.MustCompile(`^(?:[-*+•‣▪●◦–—✓✔→]|\[[ xX]\])\s+(?:\[[ xX]\]\s+)?`)
	letterMark  = regexp.MustCompile(`^[(]?([a-hA-H]|[ivx]{1,4})[.)]\s+`)
	heading     = regexp.MustCompile(`^#{1,6}\s+`)
	tableRow    = regexp.MustCompile(`^\|\s*(?i:step\s*)?(\d{1,3})\.?\s*\|(.*?)\|?\s*$`)
)

var words = []string{"", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// markOf takes the mark off a line.
func markOf(line string) mark {
	m := mark{}
	for _, r := range line {
		if r == '\t' {
			m.indent += 4
		} else if unicode.IsSpace(r) {
			m.indent++
		} else {
			break
		}
	}
	text := strings.TrimSpace(line)
	for strings.HasPrefix(text, ">") { // quoted
		text = strings.TrimSpace(text[1:])
	}
	if cell := tableRow.FindStringSubmatch(text); cell != nil {
		n, _ := strconv.Atoi(cell[1]) // digits by the expression
		return mark{kind: number, n: n, text: unbold(strings.ReplaceAll(strings.Trim(cell[2], "| "), " | ", ": "))}
	}
	if at := heading.FindString(text); at != "" {
		m.title, text = true, text[len(at):]
	}
	bold := strings.HasPrefix(text, "**") || strings.HasPrefix(text, "__")
	bare := strings.TrimLeft(text, "*_ ")
	if !bold && strings.HasPrefix(text, "* ") {
		bare = text // a bullet
	}
	if bold {
		m.title = m.title || strings.HasSuffix(strings.TrimRight(text, ":. "), text[:2]) && strings.Count(text, text[:2]) == 2
	}
	if found := stepMark.FindStringSubmatch(bare); found != nil && heads(found[0], bare[len(found[0]):]) {
		n, err := strconv.Atoi(found[1])
		if err != nil {
			for i, w := range words {
				if strings.EqualFold(w, found[1]) {
					n = i
				}
			}
		}
		m.kind, m.n, m.text = stepWord, n, unbold(bare[len(found[0]):])
		return m
	}
	if found := digitMark.FindStringSubmatch(bare); found != nil {
		rest := bare[len(found[0]):]
		if !startsWithDigit(rest) || strings.HasSuffix(found[0], " ") { // 1.5 litres is no first step
			m.n, _ = strconv.Atoi(found[1]) // digits by the expression
			m.kind, m.text = number, unbold(rest)
			if inner := stepMark.FindString(m.text); inner != "" && strings.ContainsAny(inner, ":.-") { // 1. Step 1: ...
				m.text = unbold(m.text[len(inner):])
			}
			return m
		}
	}
	if found := circled.FindStringSubmatch(bare); found != nil {
		r := []rune(found[1])[0]
		m.kind, m.n, m.text = number, int(r-'①')+1, unbold(bare[len(found[0]):])
		return m
	}
	if found := chineseStep.FindStringSubmatch(bare); found != nil {
		m.kind, m.n, m.text = number, chinese(found[1]), unbold(bare[len(found[0]):])
		return m
	}
	if found := bulletMark.FindString(text); found != "" {
		rest := text[len(found):]
		if inner := markOf(rest); inner.kind == stepWord || inner.kind == number { // - Step 1: ...
			inner.indent = m.indent
			return inner
		}
		m.kind, m.text = bullet, unbold(rest)
		return m
	}
	if found := letterMark.FindString(text); found != "" {
		m.kind, m.text = letter, unbold(text[len(found):])
		return m
	}
	m.text = unbold(text)
	return m
}

// heads reports whether "Step 1" begins a step rather than a sentence about one: a mark stands behind
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
			n += max(1, last) * 10
			last = 0
			continue
		}
		last = strings.IndexRune("一二三四五六七八九", r)/3 + 1
	}
	return n + last
}

// unbold takes emphasis off a text: pairs of ** and __, a single * around all of it.
func unbold(s string) string {
	s = strings.NewReplacer("**", "", "__", "").Replace(s)
	s = strings.TrimSpace(s)
	if len(s) > 2 && (s[0] == '*' || s[0] == '_') && s[len(s)-1] == s[0] {
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	return strings.Join(strings.Fields(s), " ")
}
