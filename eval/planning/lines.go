package planning

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// topic holds what a heading says of the lines under it: "Clear blocks:", or "Block a:".
type topic struct {
	list    *symbol
	subject string
}

// answerLine is a line of an answer with what was read of it.
type answerLine struct {
	text    string
	head    string // a heading, or the words before a colon that introduce the rest
	marker  bool   // of a list
	number  int    // of a numbered list; 0: none
	items   []found
	problem string // why it was not read, though it looks like an item
}

var (
	bullet    = regexp.MustCompile(`^(?:[-*•·+–—>]+\s+|\(?(\d{1,3})\s*[.):\]]\s*(?:-\s+)?|(?i:(?:step|action|move)\s*#?\s*(\d{1,3})\s*[.:)\-–]+\s*)|\(?[a-z][.)]\s+)`)
	times     = regexp.MustCompile(`^\d+(?:\.\d+)?\s*:\s+|\s*\[\d+(?:\.\d+)?\]\s*$`)
	ruler     = regexp.MustCompile(`^[\s|:\-=_*#]*$`)
	handWords = regexp.MustCompile(`(?i)^(?:the )?(?:robot(?:ic)? )?(?:hand|arm|gripper)$`)
	headWords = regexp.MustCompile(`(?i)^(.{0,80}?):\s*(.*)$`)
)

// Places within a line where an answer starts again, and ends of sentences.
var (
	restarts  = regexp.MustCompile(`(?i)([.!?;])\s+((?:wait|actually|oops|no)[,.!:]|hold on|scratch that|on second thought|(?:let me|let's) (?:start|try|re|correct|fix)|(?:(?:the|my) )?(?:second|third|new|next|final|corrected|revised|another) (?:attempt|try|plan|answer)\b)`)
	sentences = regexp.MustCompile(`([.;!?])\s+|, (?:while|whereas|but) `)
)

// cutLines divides lines where the answer starts again, and into sentences those that tell what was not asked for.
func cutLines(task Task, text string) (lines []string) {
	_, other := sides(task)
	for line := range strings.SplitSeq(restarts.ReplaceAllString(text, "$1\n$2"), "\n") {
		if is(other, line) {
			mark := bullet.FindString(line)
			line = mark + sentences.ReplaceAllString(line[len(mark):], "$1\n")
		}
		lines = append(lines, strings.Split(line, "\n")...)
	}
	return lines
}

// lines reads an answer line by line.
func (r *Reader) lines(task Task, text string) (list []answerLine) {
	for _, prose := range []bool{false, true} {
		list = nil
		under, last, stepDone := topic{}, "", false // the numbered line above has an action
		for _, raw := range cutLines(task, text) {
			l := r.line(task, raw, prose, &under, last)
			switch sub := l.number == 0 && strings.HasPrefix(raw, " "); {
			case l.text == "":
			case sub && stepDone && task == Plan: // an explanation of the step above it
				l.items, l.problem = nil, ""
			case !sub:
				stepDone = l.number > 0 && len(l.items) > 0
			}
			for i := range l.items {
				l.items[i].text = l.text
				if args := l.items[i].args; len(args) > 0 {
					last = args[0].name
				}
			}
			list = append(list, l)
		}
		if slices.ContainsFunc(list, func(l answerLine) bool { return len(l.items) > 0 }) {
			break
		}
	}
	return list
}

// line reads one line. last is the object that "it" refers to.
func (r *Reader) line(task Task, raw string, prose bool, under *topic, last string) answerLine {
	l := answerLine{text: strings.TrimSpace(raw)}
	if strings.HasPrefix(l.text, "```") || ruler.MatchString(l.text) {
		return l
	}
	if strings.HasPrefix(l.text, "|") {
		l.problem = "no " + kind(task) + " in this row, or one that is said not to be so"
		return l
	}
	text, done := r.introduced(task, &l, l.unmark(), under)
	if done {
		return l
	}
	switch l.items = r.sentence(task, text, prose, last); {
	case len(l.items) > 0 || text == "":
	case under.list != nil:
		l.items = r.listOf(under.list, text)
	case under.subject != "" && l.marker:
		l.items = r.sentence(task, under.subject+" "+text, prose, last)
	}
	l.asked(task)
	if len(l.items) > 0 || l.problem != "" {
		return l
	}
	switch {
	case boldHead.MatchString(l.text) || titleHead.MatchString(text) || strings.HasSuffix(text, ":"):
		l.head, *under = strings.Trim(emphasis.Replace(l.text), "#: "), topic{}
	case l.marker && text != "" && !noneWords.MatchString(text):
		l.problem = "no " + kind(task) + " in this line"
	case corrections.MatchString(text):
		l.head = text
	}
	return l
}

// boldHead is a line that is marked as a heading.
var boldHead = regexp.MustCompile(`^(?:#|\*\*.*\*\*:*$)`)

// thought is the word before a line of reasoning between actions.
var thought = regexp.MustCompile(`(?i)^(?:thoughts?|observations?|reason(?:ing)?|comments?)(?: \d+)?$`)

// star marks a line of a list, unlike the stars of emphasis.
var star = regexp.MustCompile(`^\*+\s`)

var emphasis = strings.NewReplacer("**", "", "__", "", "`", "", "*", "")

// asked takes away the items of a line that are said not to be what was asked for.
func (l *answerLine) asked(task Task) {
	if want, other := sides(task); len(l.items) > 0 && is(other, l.text) && !is(want, l.text) {
		l.items, l.problem = nil, "said not to be asked for"
	}
	if task == Negative && slices.ContainsFunc(l.items, func(f found) bool { return f.negated }) {
		l.items = slices.DeleteFunc(l.items, func(f found) bool { return !f.negated })
	}
}

// unmark returns the text of a line without list marks, emphasis and times, and notes the marks and numbers.
func (l *answerLine) unmark() string {
	text := strings.TrimLeft(emphasis.Replace(star.ReplaceAllString(l.text, "- ")), "# ")
	for m := bullet.FindStringSubmatch(text); m != nil; m = bullet.FindStringSubmatch(text) {
		n, _ := strconv.Atoi(m[1] + m[2]) // 0 without a number
		l.number, l.marker = cmp.Or(l.number, n), true
		text = text[len(m[0]):]
	}
	return times.ReplaceAllString(text, "")
}

// introduced reads the words before a colon: the heading of a list of a predicate's arguments, the subject of
// properties, or a heading. It returns what is left to read, or that the line is read.
func (r *Reader) introduced(task Task, l *answerLine, text string, under *topic) (rest string, done bool) {
	m := headWords.FindStringSubmatch(text)
	if m == nil || strings.Contains(m[1], "(") {
		return text, false
	}
	if task.Actions() && thought.MatchString(m[1]) {
		return "", true
	}
	if s := r.heading(m[1], task); s != nil {
		if l.items = r.listOf(s, m[2]); l.items == nil && strings.ContainsFunc(m[2], unicode.IsLetter) && !noneWords.MatchString(m[2]) {
			return text, false // "clear: a; b is held"
		}
		*under, l.head = topic{list: s}, m[1]
		return "", true
	}
	subject := r.mark(m[1])
	switch {
	case !task.Actions() && (len(subject.words) == 1 && len(subject.seen) == 1 || handWords.MatchString(m[1])):
		if m[2] == "" {
			*under = topic{subject: m[1]}
		}
		return m[1] + " " + m[2], m[2] == "" // "Block a: on block b, clear"
	case cueWords.MatchString(m[1]) && len(r.items(task, m[1])) == 0:
		l.head, *under = m[1], topic{}
		return m[2], strings.TrimSpace(m[2]) == ""
	}
	return text, false
}

func kind(task Task) string {
	return map[bool]string{true: "action", false: "property"}[task.Actions()]
}

// heading returns the action or predicate whose list a heading begins.
func (r *Reader) heading(head string, task Task) *symbol {
	for _, s := range r.symbols {
		if s.action == task.Actions() && len(s.params) > 0 && slices.Contains(s.keys, squash(head)) {
			return s
		}
	}
	return nil
}

var (
	pairWords  = regexp.MustCompile(`^(?:on|on top of|onto|off|from|to|in|inside|at|->|=>|:|-|is on|is at|is in)?$`)
	listCommas = regexp.MustCompile(`(?: , and| ,| and| &) `)
	inPairs    = regexp.MustCompile(`\([^()]*\)`)
	listMarks  = strings.NewReplacer("(", " ", "),", " ,", ")", " , ", ";", ",", "/", " ")
)

// listOf reads a list of objects, or of pairs of them, as arguments of a predicate; nil: the text is something else.
func (r *Reader) listOf(s *symbol, text string) (out []found) {
	text = strings.Trim(strings.TrimSpace(text), ".[]{}")
	if text == "" || noneWords.MatchString(text) {
		return nil
	}
	text = inPairs.ReplaceAllStringFunc(text, func(pair string) string { return strings.ReplaceAll(pair, ",", " ") })
	m := r.mark(listMarks.Replace(text))
	for _, part := range listCommas.Split(strings.Trim(strings.Join(m.words, " "), " ,"), -1) {
		f := found{sym: s, name: s.name}
		var between []string
		for _, w := range strings.Fields(part) {
			if o, ok := m.mention(w); ok {
				f.args = append(f.args, o)
			} else {
				between = append(between, w)
			}
		}
		if len(f.args) != len(s.params) || !pairWords.MatchString(strings.Join(between, " ")) || len(s.params) == 1 && between != nil {
			return nil
		}
		out = append(out, f)
	}
	return out
}

// items reads a text that should be nothing but items.
func (r *Reader) items(task Task, text string) (items []found) {
	for line := range strings.SplitSeq(text, "\n") {
		items = append(items, r.line(task, line, false, &topic{}, "").items...)
	}
	return items
}
