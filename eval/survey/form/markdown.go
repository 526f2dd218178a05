package form

import (
	"strings"
	"unicode"
)

// readText reads what is neither JSON nor CSV: a form in Markdown or plain text, a table, a
// conversation, or a list.
func readText(text string) *Document {
	lines := strings.Split(text, "\n")
	if d := readTable(lines); d != nil {
		return d
	}
	if d := readTalk(lines); d != nil {
		return d
	}
	p := &prose{d: &Document{Kind: Survey, Format: "markdown", Form: &Form{}}}
	numbers := 0
	for _, l := range lines {
		if n, _ := numbered(strings.TrimLeft(l, " \t#*")); n != "" {
			numbers++
		}
	}
	p.numbers = numbers > 1
	for _, l := range lines {
		p.line(l)
	}
	p.end()
	if d := p.d; d.Form.Questions() > 0 && (p.asked > 0 || p.marked > 0) {
		return d
	}
	return readList(lines)
}

// readTable reads a Markdown table, which has to be most of the text.
func readTable(lines []string) *Document {
	d := &Document{Kind: Table, Format: "table"}
	bars, rest := 0, 0
	for _, l := range lines {
		l = strings.TrimSpace(l)
		switch {
		case l == "":
		case strings.HasPrefix(l, "|") && len(l) > 1:
			bars++
			cells := strings.Split(strings.Trim(strings.ReplaceAll(l, `\|`, "\x00"), "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(strings.ReplaceAll(cells[i], "\x00", "|"))
			}
			rule := strings.Trim(l, "|-: \t") == "" && strings.Contains(l, "-")
			switch {
			case rule && bars == 2:
			case bars == 1:
				d.Head = cells
			default:
				d.Rows = append(d.Rows, cells)
			}
		default:
			rest++
			if d.Title == "" && bars == 0 {
				d.Title = strings.TrimSpace(strings.TrimLeft(l, "# "))
			}
		}
	}
	if bars < 2 || rest > bars {
		return nil
	}
	d.width()
	return d
}

// readTalk reads a conversation: most lines are a name, a colon and words, and some name comes twice.
func readTalk(lines []string) *Document {
	d := &Document{Kind: Conversation, Format: "transcript"}
	seen := map[string]int{}
	turns, rest := 0, 0
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if l == "" {
			continue
		}
		plain := strings.ReplaceAll(l, "**", "")
		who, said, ok := strings.Cut(plain, ":")
		if ok && said != "" && len(who) <= 40 && len(strings.Fields(who)) <= 4 && startsUpper(who) && !strings.ContainsAny(who, "?.!-*#|") {
			turns++
			seen[who]++
			d.Items = append(d.Items, Item{Who: who, Text: strings.TrimSpace(said)})
			continue
		}
		rest++
		if len(d.Items) == 0 && strings.HasPrefix(l, "#") {
			d.Title = strings.TrimSpace(strings.TrimLeft(l, "#"))
			rest--
		} else if n := len(d.Items); n > 0 {
			d.Items[n-1].Text += "\n" + l
		}
	}
	twice := 0
	for _, n := range seen {
		if n > 1 {
			twice++
		}
	}
	if turns < 3 || twice == 0 || rest > turns || len(seen)*2 > turns+2 {
		return nil
	}
	return d
}

func startsUpper(s string) bool {
	for _, r := range s {
		return unicode.IsUpper(r) || unicode.Is(unicode.Lo, r)
	}
	return false
}

// prose reads a form in Markdown: headings are the title and the sections, numbered lines or bold
// lines are questions, bullets below them are options, and a note in brackets behind a question says
// its type.
type prose struct {
	d       *Document
	q       *Question // that options belong to
	ruled   string    // type as written
	asked   int       // questions with a question mark
	marked  int       // questions with a type
	numbers bool      // questions are numbered, so that a question without a number is a remark
}

func (p *prose) line(raw string) {
	l := strings.TrimSpace(raw)
	if l == "" || strings.Trim(l, "-*_=`") == "" {
		return
	}
	if strings.HasPrefix(l, "#") {
		p.heading(l)
		return
	}
	if text, ok := bullet(l); ok {
		p.bullet(text)
		return
	}
	bare := strings.ReplaceAll(l, "**", "")
	num, rest := numbered(bare)
	letter, option := lettered(bare)
	switch {
	case num != "" || !p.numbers && asks(bare):
		p.end()
		p.ask(num, rest)
	case letter && p.q != nil:
		p.option(option)
	case p.q != nil && len(p.q.Options) == 0:
		if p.q.Help != "" || !p.note(bare) {
			p.q.Help = strings.TrimSpace(p.q.Help + " " + bare)
		}
	default:
		p.remark(bare)
	}
}

// asks reports whether a text ends with a question mark.
func asks(text string) bool {
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "؟") || strings.HasSuffix(text, "？")
}

// heading reads the title, the head of a section, or a question that is set as one.
func (p *prose) heading(l string) {
	p.end()
	f := p.d.Form
	n := len(l) - len(strings.TrimLeft(l, "#"))
	text := strings.Trim(strings.TrimSpace(l[n:]), "*")
	num, rest := numbered(text)
	switch {
	case (num != "" || n > 2) && strings.ContainsAny(rest, "?؟？"):
		p.ask(num, rest)
	case f.Title == "" && (n == 1 || len(f.Sections) == 0):
		f.Title = text
	default:
		f.Sections = append(f.Sections, Section{Title: text})
	}
}

// remark reads a line of its own: the title, a description, or the head of a section.
func (p *prose) remark(bare string) {
	f := p.d.Form
	if len(f.Sections) == 0 {
		if f.Title == "" && p.q == nil {
			f.Title = bare
		} else {
			f.Description = strings.TrimSpace(f.Description + " " + bare)
		}
		return
	}
	last := &f.Sections[len(f.Sections)-1]
	if len(last.Questions) == 0 && p.q == nil {
		last.Description = strings.TrimSpace(last.Description + " " + bare)
		return
	}
	p.end()
	f.Sections = append(f.Sections, Section{Title: strings.TrimSuffix(bare, ":")})
}

func (p *prose) ask(num, text string) {
	q := Question{Number: num, Text: strings.Trim(strings.TrimSpace(text), "*")}
	p.q, p.ruled = &q, ""
	for { // notes in brackets behind the question
		open := strings.LastIndexAny(q.Text, "([")
		if open < 0 || !(strings.HasSuffix(q.Text, ")") || strings.HasSuffix(q.Text, "]")) || !p.note(q.Text[open+1:len(q.Text)-1]) {
			break
		}
		q.Text = strings.TrimSpace(q.Text[:open])
	}
	if strings.HasSuffix(q.Text, "*") { // the usual mark of a required question
		q.Text, q.Required = strings.TrimSpace(strings.TrimRight(q.Text, "*")), true
	}
	if strings.ContainsAny(text, "?؟？") {
		p.asked++
	}
}

// typeNotes are notes on the type that are no name of one, by their beginnings.
var typeNotes = map[string]string{
	"select all": "multiple", "check all": "multiple", "choose all": "multiple", "select one": "single", "choose one": "single",
}

// note reads a note in brackets: types, required, a scale. It reports whether it is one.
func (p *prose) note(text string) bool {
	known := false
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' || r == '·' }) {
		part = strings.ToLower(strings.Trim(strings.TrimSpace(part), "*_."))
		part = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(part, "type:"), "question type:"))
		known = p.part(part) || known
	}
	return known
}

// part reads one part of a note.
func (p *prose) part(part string) bool {
	for begin, written := range typeNotes {
		if strings.HasPrefix(part, begin) {
			p.ruled = written
			return true
		}
	}
	low, high := spanOf(part)
	word := part
	if at := strings.IndexAny(part, "0123456789:"); at > 0 {
		word = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(part[:at]), "from"))
	}
	rows, isRows := strings.CutPrefix(part, "rows:")
	t, ok := typeOf(word)
	switch {
	case part == "required" || part == "mandatory":
		p.q.Required = true
	case part == "optional" || strings.HasPrefix(part, "written as "):
	case isRows:
		for row := range strings.SplitSeq(rows, "/") {
			p.q.Rows = append(p.q.Rows, strings.TrimSpace(row))
		}
	case ok:
		p.ruled = string(t)
		if low != nil {
			p.q.Min, p.q.Max = low, high
		}
	case low != nil && strings.Trim(part, "0123456789-–to ") == "":
		p.ruled, p.q.Min, p.q.Max = "rating", low, high
	default:
		return false
	}
	return true
}

// bullet is an option of the question above, or a question itself.
func (p *prose) bullet(text string) {
	if p.q == nil {
		if strings.HasSuffix(text, "?") {
			p.ask("", text)
			p.end()
		}
		return
	}
	low := strings.ToLower(text)
	if rest, ok := strings.CutPrefix(low, "row:"); ok {
		p.q.Rows = append(p.q.Rows, strings.TrimSpace(text[len(text)-len(rest):]))
		return
	}
	if rest, ok := strings.CutPrefix(low, "answer:"); ok {
		p.q.Answer = strings.TrimSpace(text[len(text)-len(rest):])
		return
	}
	if rest, ok := strings.CutPrefix(low, "type:"); ok && p.note(rest) {
		return
	}
	p.option(text)
}

func (p *prose) option(text string) { p.q.Options = append(p.q.Options, strings.TrimSpace(text)) }

func (p *prose) end() {
	if p.q == nil {
		return
	}
	q := *p.q
	if q.Max != nil && p.ruled == "" {
		p.ruled = "rating"
	}
	if p.ruled != "" {
		p.marked++
	}
	q.settle(p.ruled)
	p.d.Form.loose(q)
	p.q = nil
}

// bullet takes the mark off an entry of a list.
func bullet(l string) (string, bool) {
	for _, mark := range []string{"- [ ] ", "- [x] ", "* [ ] ", "- ( ) ", "- ", "* ", "• ", "+ ", "– ", "◦ ", "○ ", "□ ", "☐ ", "[ ] ", "( ) "} {
		if rest, ok := strings.CutPrefix(l, mark); ok {
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}

// lettered reports whether a line begins with a letter as options do: a) b. (c).
func lettered(l string) (bool, string) {
	s := strings.TrimPrefix(l, "(")
	if len(s) > 2 && (s[1] == ')' || s[1] == '.') && s[2] == ' ' {
		if c := s[0] | 0x20; c >= 'a' && c <= 'z' {
			return true, strings.TrimSpace(s[2:])
		}
	}
	return false, l
}

// readList reads a list: bullets and numbers, or else every line.
func readList(lines []string) *Document {
	d := &Document{Kind: List, Format: "list"}
	var rest []string
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if l == "" || strings.Trim(l, "-*_=`") == "" {
			continue
		}
		if text, ok := bullet(l); ok {
			d.Items = append(d.Items, Item{Text: text})
		} else if n, text := numbered(strings.ReplaceAll(l, "**", "")); n != "" {
			d.Items = append(d.Items, Item{Number: n, Text: text})
		} else if len(d.Items) == 0 && d.Title == "" {
			d.Title = strings.TrimSpace(strings.Trim(l, "#* "))
		} else {
			rest = append(rest, l)
		}
	}
	if len(d.Items) == 0 {
		for _, l := range rest {
			d.Items = append(d.Items, Item{Text: l})
		}
	}
	if len(d.Items) == 0 && d.Title != "" {
		d.Items, d.Title = []Item{{Text: d.Title}}, ""
	}
	return d
}
