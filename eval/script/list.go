package script

import "strings"

// list is a run of steps under one kind of mark.
type list struct {
	head  string // the line above it
	steps []string
	loose int // steps with a paragraph below them, set off by a blank line
}

// lister gathers lists whose steps have lines of their own.
type lister struct {
	style     kind
	outer     int // indentation of the steps
	lists     []*list
	cur       *list // the last list; nil: there is none yet
	pre, note []string
	last      int  // number of the last step
	ended     bool // there was a note below the last step
}

// fromLines reads lists whose steps have lines of their own.
func fromLines(text string) Script {
	lines := linesOf(text)
	style, method := styleOf(lines)
	if style == plain {
		return Script{}
	}
	r := lister{style: style, outer: -1}
	for i := range lines {
		if lines[i].kind == style && (r.outer < 0 || lines[i].indent < r.outer) {
			r.outer = lines[i].indent
		}
	}
	for i := range lines {
		l := &lines[i]
		switch {
		case l.text == "" && l.kind != style:
		case !r.begins(l):
			r.below(l)
		case style == bullet && r.cur != nil && (r.ended || asides.MatchString(l.text) && notes.MatchString(l.text)):
			r.aside(l)
		default:
			r.step(l)
		}
	}
	return r.script(method)
}

// begins reports whether a line begins a step: its number is the next one, or one was left out, or it is 1 again and
// again, as Markdown allows, or 1 beside the steps.
func (r *lister) begins(l *line) bool {
	if l.kind != r.style || l.indent > r.outer+2 {
		return false
	}
	next := l.n == r.last+1 || l.n == r.last+2 || l.n == 1 && r.last == 1 || l.n == 0
	return r.style == bullet || next || l.n == 1 && (r.cur == nil || l.indent <= r.outer)
}

func (r *lister) step(l *line) {
	if r.cur == nil || r.style != bullet && l.n == 1 && r.last > 1 || r.ended && l.n <= 1 {
		before := &r.pre
		if r.cur != nil {
			before = &r.note
		}
		r.cur = &list{}
		if n := len(*before); n > 0 {
			r.cur.head = (*before)[n-1]
			if before == &r.note {
				r.note = r.note[:n-1]
			}
		}
		r.lists = append(r.lists, r.cur)
	} else if r.ended { // what stood between belongs to the step above it
		r.cur.extend(strings.Join(r.note, " "))
		r.note = nil
	}
	r.ended, r.last = false, l.n
	r.cur.steps = append(r.cur.steps, l.text)
}

// aside keeps a line that is no part of a step.
func (r *lister) aside(l *line) {
	if l.text == "" {
		return
	}
	if r.cur == nil {
		r.pre = append(r.pre, l.text)
		return
	}
	r.note, r.ended = append(r.note, l.text), true
}

// below takes a line that begins no step.
func (r *lister) below(l *line) {
	switch {
	case r.cur == nil || r.ended || l.kind == plain && (l.title || notes.MatchString(l.text)):
		r.aside(l)
	case l.kind == plain && l.fresh && l.indent <= r.outer:
		// A paragraph below "Step 1: Title", if the first step has one.
		if title(r.cur.steps[len(r.cur.steps)-1]) && !title(l.text) && (len(r.cur.steps) == 1 || r.cur.loose > 0) {
			r.cur.extend(l.text)
			r.cur.loose++
			return
		}
		r.aside(l)
	default:
		r.cur.extend(l.text)
	}
}

// script joins the lists, those of materials and notes left out where there are others.
func (r *lister) script(method string) Script {
	s := Script{Preamble: strings.Join(r.pre, " "), Note: strings.Join(r.note, " "), Method: method}
	var all []string
	for _, l := range r.lists {
		all = append(all, kept(l.steps)...)
		if !asides.MatchString(l.head) {
			s.Steps = append(s.Steps, kept(l.steps)...)
		}
	}
	if s.Steps == nil {
		s.Steps = all
	}
	if r.style == bullet && len(s.Steps) < 2 || r.style == number && len(s.Steps) < 2 && len(r.lists) == 1 && r.last > 1 {
		return Script{} // one dash, or a sentence that begins with a number, is no list
	}
	return s
}

// extend adds a text to the last step.
func (l *list) extend(text string) {
	if i := len(l.steps) - 1; i >= 0 && text != "" {
		l.steps[i] = strings.TrimSpace(l.steps[i] + " " + text)
	}
}

// title reports whether a step is but a heading.
func title(step string) bool {
	return len(strings.Fields(step)) <= 8 && !strings.ContainsAny(step[max(0, len(step)-1):], ".!?")
}

func linesOf(text string) []line {
	var lines []line
	fresh := false
	for raw := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(raw)
		switch {
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
		case strings.Trim(trimmed, "-=*_ ") == "":
			fresh = true
		case strings.HasPrefix(trimmed, "|") && (strings.Trim(trimmed, "|-: ") == "" || !tableRow.MatchString(trimmed)): // the head of a table
		default:
			l := lineOf(raw)
			l.fresh, fresh = fresh, false
			lines = append(lines, l)
		}
	}
	return lines
}

// styleOf decides which marks carry the steps.
func styleOf(lines []line) (kind, string) {
	count, first := map[kind]int{}, map[kind]int{}
	for _, l := range lines {
		if count[l.kind]++; count[l.kind] == 1 {
			first[l.kind] = l.n
		}
	}
	switch {
	case count[stepWord] >= 2 || count[stepWord] == 1 && count[number] < 2 && count[bullet] < 2:
		return stepWord, "step"
	case count[number] >= 2 || count[number] == 1 && first[number] == 1 && count[bullet] < 2:
		return number, "number"
	case count[bullet] >= 2:
		return bullet, "bullet"
	}
	return plain, ""
}
