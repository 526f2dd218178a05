package planning

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// answerLine is a line of an answer with what was read of it.
type answerLine struct {
	text    string
	head    string // a heading, or the words before a colon that introduce the rest
	marker  bool   // of a list
	number  int    // of a numbered list; 0: none
	items   []reading
	missed  bool // looks like an item and was not read
	problem string
}

// lineReader reads the lines of an answer.
type lineReader struct {
	lines []answerLine
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
	sentences = regexp.MustCompile(`[.;!?]\s+`)
)

// cutLines puts a line's parts on lines of their own where the answer starts again within it, and where it tells both
// kinds of effects, each in a sentence.
func cutLines(task Task, text string) (lines []string) {
	for line := range strings.SplitSeq(restarts.ReplaceAllString(text, "$1\n$2"), "\n") {
		if (task == Positive || task == Negative) && positiveHead.MatchString(line) && negativeHead.MatchString(line) {
			lines = append(lines, sentences.Split(line, -1)...)
		} else {
			lines = append(lines, line)
		}
	}
	return lines
}

// lines reads an answer line by line.
func (r *Reader) lines(task Task, text string) *lineReader {
	a := &lineReader{}
	cut := cutLines(task, text)
	for _, prose := range []bool{false, true} {
		a.lines = nil
		var under *symbol // of a heading such as "Clear blocks:"
		var last string
		stepDone := false // the numbered line above has an action
		var head []string // of a table
		for _, raw := range cut {
			l := r.line(task, raw, prose, &under, last)
			if cells := cellsOf(raw); cells == nil {
				head = nil
			} else if head == nil {
				head, l.items = cells, nil
			} else {
				r.row(task, &l, head, cells)
			}
			sub := l.number == 0 && strings.HasPrefix(raw, " ") && strings.TrimSpace(raw) != ""
			switch {
			case sub && stepDone && task == Plan: // an explanation of the step above it
				l.items, l.missed = nil, false
			case l.number > 0:
				stepDone = len(l.items) > 0
			case !sub && l.text != "":
				stepDone = false
			}
			if len(l.items) > 0 {
				if args := l.items[len(l.items)-1].args; len(args) > 0 {
					last = args[0].name
				}
			}
			a.lines = append(a.lines, l)
		}
		if slices.ContainsFunc(a.lines, func(l answerLine) bool { return len(l.items) > 0 }) {
			break
		}
	}
	return a
}

// line reads one line. last is the object that "it" stands for.
func (r *Reader) line(task Task, raw string, prose bool, under **symbol, last string) answerLine {
	l := answerLine{text: strings.TrimSpace(raw)}
	text := l.text
	if strings.HasPrefix(text, "```") || ruler.MatchString(text) {
		return l
	}
	heading := strings.HasPrefix(text, "#") || strings.HasPrefix(text, "**") && strings.HasSuffix(strings.TrimRight(text, ":"), "**")
	text = strings.TrimLeft(text, "# ")
	for {
		m := bullet.FindStringSubmatch(text)
		if m == nil || strings.HasPrefix(text, "**") {
			break
		}
		l.marker = true
		if n, err := strconv.Atoi(m[1] + m[2]); err == nil && l.number == 0 {
			l.number = n
		}
		text = text[len(m[0]):]
	}
	text = times.ReplaceAllString(strings.NewReplacer("**", "", "__", "", "`", "", "*", "").Replace(text), "")
	if m := bullet.FindStringSubmatch(text); m != nil && len(text) > len(m[0]) { // "**1. ...**", "**Step 1:** ..."
		if n, err := strconv.Atoi(m[1] + m[2]); err == nil {
			l.number, l.marker = max(l.number, n), true
			text = text[len(m[0]):]
		}
	}
	if strings.HasPrefix(l.text, "|") { // see row
		return l
	}
	if m := headWords.FindStringSubmatch(text); m != nil && !strings.Contains(m[1], "(") {
		if s := r.heading(m[1], task); s != nil {
			*under = s
			l.head = m[1]
			l.items = r.listOf(s, m[2], l.text)
			return l
		}
		if subject := r.mark(m[1]); !task.Actions() && (len(subject.words) == 1 && len(subject.seen) == 1 || handWords.MatchString(m[1])) {
			text = m[1] + " " + m[2] // "Block a: on block b, clear"
		} else if cueWords.MatchString(m[1]) && len(r.text(task, m[1])) == 0 {
			l.head = m[1]
			*under = nil
			text = m[2]
			if strings.TrimSpace(text) == "" {
				return l
			}
		}
	}
	l.items = r.sentence(task, text, prose, last)
	for i := range l.items {
		l.items[i].text = l.text
	}
	if task == Applicable && len(l.items) > 0 && notHead.MatchString(l.text) {
		r.applying(&l, text, prose)
		return l
	}
	if len(l.items) > 0 {
		return l
	}
	if *under != nil && text != "" {
		if items := r.listOf(*under, text, l.text); items != nil {
			l.items = items
			return l
		}
	}
	switch {
	case heading || strings.HasSuffix(text, ":"):
		l.head = strings.TrimSuffix(text, ":")
		*under = nil
	case l.marker && text != "":
		l.missed, l.problem = true, "no "+kind(task)+" in this line"
	case corrections.MatchString(text):
		l.head = text
	}
	return l
}

func kind(task Task) string {
	if task.Actions() {
		return "action"
	}
	return "property"
}

// heading returns the predicate whose list a heading begins.
func (r *Reader) heading(head string, task Task) *symbol {
	if task.Actions() {
		return nil
	}
	for _, s := range r.symbols {
		if !s.action && len(s.params) > 0 && (squash(s.name) == squash(head) || slices.Contains(s.keys, squash(head))) {
			return s
		}
	}
	return nil
}

var (
	pairWords  = regexp.MustCompile(`^(?:,|on|on top of|in|inside|at|->|=>|:|-|is on|is at|is in)?$`)
	listCommas = regexp.MustCompile(` , and | , | and `)
)

// listOf reads a list of the arguments of a predicate: objects, or pairs of objects. It returns nil
// where the text is something else.
func (r *Reader) listOf(s *symbol, text, line string) (out []reading) {
	text = strings.Trim(strings.TrimSpace(text), ".[]{}")
	if text == "" || noneWords.MatchString(text) {
		return nil
	}
	m := r.mark(strings.NewReplacer("(", " ", ")", " , ", ";", ",", "/", " ").Replace(text))
	joined := strings.Trim(strings.Join(m.words, " "), " ,")
	if len(s.params) == 1 {
		if !objectList.MatchString(joined) {
			return nil
		}
		for _, o := range m.seen {
			out = append(out, reading{found{sym: s, name: s.name, args: []mention{o}}, line})
		}
		return out
	}
	for _, part := range listCommas.Split(joined, -1) {
		words := strings.Fields(part)
		if len(words) < 2 {
			return nil
		}
		a, ok := m.mention(words[0])
		b, ok2 := m.mention(words[len(words)-1])
		if !ok || !ok2 || !pairWords.MatchString(strings.Join(words[1:len(words)-1], " ")) {
			return nil
		}
		out = append(out, reading{found{sym: s, name: s.name, args: []mention{a, b}}, line})
	}
	return out
}

// applying reads the sentences of a line that do not say of their actions that they do not apply.
func (r *Reader) applying(l *answerLine, text string, prose bool) {
	l.items = nil
	for _, sentence := range sentences.Split(text, -1) {
		if !notHead.MatchString(sentence) {
			l.items = append(l.items, withText(r.sentence(Applicable, sentence, prose, ""), l.text)...)
		}
	}
	if len(l.items) == 0 {
		l.missed, l.problem = true, "said not to apply"
	}
}

// cellsOf returns the cells of a row of a Markdown table without marks of emphasis; nil where a line is none.
func cellsOf(line string) (cells []string) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "|") || strings.Count(line, "|") < 2 {
		return nil
	}
	for c := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
		cells = append(cells, strings.Trim(c, " *`_"))
	}
	return cells
}

// Cells that say whether what the row or the column tells is so.
var (
	yesCell   = regexp.MustCompile(`(?i)^(?:yes|y|true|✓|✔|✅|x)\b?\W*$`)
	noCell    = regexp.MustCompile(`(?i)^(?:no|n|false|✗|✘|❌|not (?:applicable|possible|valid|allowed|true))\b?\W*$`)
	placeHead = regexp.MustCompile(`(?i)^(?:location|place|at|position)$`)
)

// row reads a row of a table: a cell with an item, the cells of one action, or an object with its properties by
// column. A cell that says no refuses what another cell tells.
func (r *Reader) row(task Task, l *answerLine, head, cells []string) {
	if ruler.MatchString(l.text) {
		return
	}
	refused := slices.ContainsFunc(cells, noCell.MatchString)
	var words []string
	for _, c := range cells {
		got := r.sentence(task, c, false, "")
		if len(got) > 0 && !slices.ContainsFunc(got, func(f reading) bool { return f.loose || f.sym != nil && len(f.args) != len(f.sym.params) }) {
			l.items = append(l.items, got...)
			if task.Actions() {
				break
			}
		}
		if c != "" && c != "-" && c != "–" && !digits(c) {
			words = append(words, c)
		}
	}
	if len(l.items) == 0 && task.Actions() {
		l.items = r.sentence(task, strings.Join(words, " "), false, "")
	} else if subject := r.mark(cells[0]); len(l.items) == 0 && len(subject.seen) == 1 && len(subject.words) == 1 {
		l.items, refused = r.columns(task, head, cells), false
	}
	withText(l.items, l.text)
	switch {
	case len(l.items) == 0:
		l.missed, l.problem = true, "no "+kind(task)+" in this row"
	case refused && task.Actions():
		l.items, l.missed, l.problem = nil, true, "said not to apply"
	case refused:
		for i := range l.items {
			l.items[i].negated = true
		}
	}
}

// columns reads the properties of the object in the first cell of a row, by the heads of the other columns.
func (r *Reader) columns(task Task, head, cells []string) (items []reading) {
	for k := 1; k < len(cells) && k < len(head); k++ {
		var got []reading
		switch c := cells[k]; {
		case c == "" || ruler.MatchString(c) || strings.EqualFold(c, "none"):
		case yesCell.MatchString(c):
			got = r.sentence(task, cells[0]+" is "+head[k], false, "")
		case noCell.MatchString(c):
			got = r.sentence(task, cells[0]+" is not "+head[k], false, "")
		case placeHead.MatchString(head[k]):
			if got = r.sentence(task, cells[0]+" is at "+c, false, ""); len(got) == 0 {
				got = r.sentence(task, cells[0]+" is "+c, false, "")
			}
		default:
			got = r.sentence(task, cells[0]+" is "+strings.TrimPrefix(strings.ToLower(head[k]), "is ")+" "+c, false, "")
		}
		items = append(items, got...)
	}
	return items
}

func withText(list []reading, text string) []reading {
	for i := range list {
		list[i].text = strings.TrimSpace(text)
	}
	return list
}

// text reads a string that should be nothing but an item.
func (r *Reader) text(task Task, s string) []reading {
	var under *symbol
	l := r.line(task, s, false, &under, "")
	return l.items
}

// sentence reads the items of a line without its marker: those in PDDL, or else those in words; words
// in parentheses count where the words before them are incomplete.
func (r *Reader) sentence(task Task, text string, prose bool, last string) []reading {
	var strict, aside []reading
	rest := text
	gs := groups(text)
	for i := len(gs) - 1; i >= 0; i-- {
		g := gs[i]
		if f := r.strict(g, task.Actions()); f != nil {
			for k := len(f) - 1; k >= 0; k-- {
				strict = append(strict, reading{f[k], text})
			}
		} else if g.name == "" {
			aside = append(r.clauses(task, g.inside, prose, last), aside...)
		} else {
			continue
		}
		rest = rest[:g.start] + " " + rest[g.end:]
	}
	slices.Reverse(strict)
	fitting := func(f reading) bool { return f.sym == nil || f.sym.action == task.Actions() }
	if slices.ContainsFunc(strict, fitting) {
		return strict
	}
	main := r.clauses(task, rest, prose, last)
	if len(main) == 0 && len(strict) > 0 {
		return strict
	}
	incomplete := func(f reading) bool { return f.loose }
	if len(main) == 0 || slices.ContainsFunc(main, incomplete) && len(aside) > 0 && !slices.ContainsFunc(aside, incomplete) {
		if task.Actions() || len(strings.TrimSpace(rest)) < 3 {
			return aside
		}
	}
	return main
}

// stops end a clause for good.
var stops = regexp.MustCompile(`\s*(?:[.;:](?:\s|$)|->|=>|\s[–—-]\s|\bthen\b|\n)\s*`)

// subjectThen is where "then" belongs to a sentence: "you then put it down".
var subjectThen = regexp.MustCompile(`(?i)\b(i|we|you|can|will|must|should) then\b`)

// clauses reads the items of running text.
func (r *Reader) clauses(task Task, text string, prose bool, last string) (out []reading) {
	text = subjectThen.ReplaceAllString(strings.TrimSpace(text), "$1")
	for _, part := range stops.Split(text, -1) {
		m := r.mark(part)
		if task.Actions() {
			for _, f := range r.actions(m, !prose, &last) {
				out = appendNew(out, reading{f, text})
			}
			continue
		}
		for _, f := range r.pieces(m) {
			out = append(out, reading{f, text})
		}
	}
	return out
}

// appendNew leaves out an action that the words before it in the line have named already: "unstack a
// from b: unstack block a from block b".
func appendNew(list []reading, f reading) []reading {
	if len(list) > 0 {
		l := &list[len(list)-1]
		if l.sym == f.sym && (slices.Equal(l.args, f.args) || l.loose && len(f.args) > 0 && l.args[0] == f.args[0]) {
			if l.loose {
				*l = f
			}
			return list
		}
		if f.loose {
			return list
		}
	}
	return append(list, f)
}

var pieceEnds = regexp.MustCompile(`^(?:,|and|but|while|&)$`)

// split returns where the parts of marked words that commas and conjunctions separate begin and end.
func split(words []string) (parts [][2]int) {
	start := 0
	for i := 0; i <= len(words); i++ {
		if i == len(words) || pieceEnds.MatchString(words[i]) {
			if i > start {
				parts = append(parts, [2]int{start, i})
			}
			start = i + 1
		}
	}
	return parts
}

var prepositions = wordSet("from on onto off using with at in into out")

// actions reads one action after another; "and" and commas may join them or belong to one. last is the
// object that "it" stands for: the first one of the action before.
func (r *Reader) actions(m *marked, bare bool, last *string) (out []found) {
	if len(m.words) > 200 {
		return nil
	}
	if f := r.bare(m, m.words, true); f != nil && !f.loose {
		return []found{*f}
	}
	parts := split(m.words)
	if len(parts) == 2 && prepositions[m.words[0]] { // "from block b, unstack block a"
		m.words = slices.Concat(m.words[parts[1][0]:parts[1][1]], m.words[:parts[0][1]])
		parts = split(m.words)
	}
	for i := 0; i < len(parts); i++ {
		var best *found
		used := 1
		for k := parts[i][0] + 1; k < parts[i][1]; k++ {
			if w := m.words[k]; (w == "it" || w == "them") && *last != "" {
				m.words[k] = "@" + strconv.Itoa(len(m.seen))
				m.seen = append(m.seen, mention{*last, true})
			}
		}
		for n := min(3, len(parts)-i); n > 0; n-- {
			words := m.words[parts[i][0]:parts[i+n-1][1]]
			if f := r.action(m, words, bare || i > 0 && len(out) == 0); f != nil && !(n > 1 && f.rest) && (best == nil || best.loose && !f.loose) {
				best, used = f, n
			}
			if best != nil && !best.loose {
				break
			}
		}
		if best == nil {
			if len(out) == 0 && i == 0 && bare {
				return nil // a list of actions begins with one
			}
			continue
		}
		if best.loose {
			used = 1
		}
		out = append(out, *best)
		if len(best.args) > 0 {
			*last = best.args[0].name
		}
		i += used - 1
	}
	return out
}

// pieces reads properties that commas and conjunctions join; one that leaves out its subject has that
// of the one before.
func (r *Reader) pieces(m *marked) (out []found) {
	if len(m.words) > 400 {
		return nil
	}
	ends := []int{}
	for i := 0; i <= len(m.words); i++ {
		if i == len(m.words) || pieceEnds.MatchString(m.words[i]) {
			ends = append(ends, i)
		}
	}
	start, subject := 0, ""
	for k := 0; k < len(ends); {
		matched := false
		for n := min(len(ends), k+14) - 1; n >= k; n-- {
			got, last := r.properties(m, m.words[start:ends[n]], subject)
			if len(got) == 0 {
				continue
			}
			out = append(out, got...)
			if last != "" {
				subject = last
			}
			start, k, matched = ends[n]+1, n+1, true
			break
		}
		if !matched {
			start = ends[k] + 1
			k++
		}
	}
	return out
}
