package script

import "strings"

// line is a line of a reply with its mark.
type line struct {
	mark
	fresh bool // a blank line stood before it
}

// list is a run of steps under one kind of mark.
type list struct {
	head  string // the line above it
	steps []string
	loose int // steps with a paragraph below them, set off by a blank line
}

// fromLines reads lists whose steps stand in lines of their own.
func fromLines(text string) Script {
	lines := linesOf(text)
	style, method := styleOf(lines)
	if style == plain {
		return Script{}
	}
	outer := -1
	for i := range lines {
		if lines[i].kind == style && (outer < 0 || lines[i].indent < outer) {
			outer = lines[i].indent
		}
	}
	var lists []list
	var pre, note []string
	var cur *list
	last, ended := 0, false
	add := func(to *[]string, s string) {
		if s != "" {
			*to = append(*to, s)
		}
	}
	for _, l := range lines {
		if l.text == "" && l.kind != style {
			continue
		}
		top := l.kind == style && l.indent <= outer+2 && (style == bullet || lazily(l.n, last) || l.n == 1 && !l.within(cur, outer))
		switch {
		case top && asides.MatchString(l.text) && notes.MatchString(l.text) && style == bullet && cur != nil && len(cur.steps) > 0:
			add(&note, l.text)
			ended = true
		case top && !(ended && style == bullet):
			if cur == nil || style != bullet && l.n == 1 && last > 1 || ended && l.n <= 1 {
				head := ""
				if cur != nil && len(note) > 0 {
					head, note = note[len(note)-1], note[:len(note)-1]
				} else if cur == nil && len(pre) > 0 {
					head = pre[len(pre)-1]
				}
				lists = append(lists, list{head: head})
				cur = &lists[len(lists)-1]
			} else if ended { // what stood between belongs to the step above it
				cur.append(strings.Join(note, " "))
				note = nil
			}
			ended, last = false, l.n
			cur.steps = append(cur.steps, l.text)
		case cur == nil:
			add(&pre, l.text)
		case ended:
			add(&note, l.text)
		case l.kind == plain && (notes.MatchString(l.text) || l.title):
			add(&note, l.text)
			ended = true
		case l.kind == plain && l.fresh && l.indent <= outer:
			// A paragraph below "Step 1: Title", if the first step has one.
			if title(cur.steps[len(cur.steps)-1]) && !title(l.text) && (len(cur.steps) == 1 || cur.loose > 0) {
				cur.append(l.text)
				cur.loose++
				continue
			}
			add(&note, l.text)
			ended = true
		default:
			cur.append(l.text)
		}
	}
	s := Script{Preamble: strings.Join(pre, " "), Note: strings.Join(note, " "), Method: method}
	real := 0
	for _, l := range lists {
		if !asides.MatchString(l.head) {
			real++
		}
	}
	for _, l := range lists {
		if real == 0 || !asides.MatchString(l.head) {
			s.Steps = append(s.Steps, kept(l.steps)...)
		}
	}
	if style == bullet && len(s.Steps) < 2 || style == number && len(s.Steps) < 2 && len(lists) == 1 && last > 1 {
		return Script{} // one dash, or a sentence that begins with a number, is no list
	}
	return s
}

// append adds a line to the last step.
func (l *list) append(text string) {
	if i := len(l.steps) - 1; i >= 0 && text != "" {
		l.steps[i] = strings.TrimSpace(l.steps[i] + " " + text)
	}
}

// lazily reports whether a number continues the list: the next one, one left out, or 1 again and
// again, as Markdown allows.
func lazily(n, last int) bool { return n == last+1 || n == last+2 || n == 1 && last == 1 || n == 0 }

// within reports whether a line that begins with 1 stands below a step rather than beside it.
func (l *line) within(cur *list, outer int) bool { return cur != nil && l.indent > outer }

// title reports whether a step is but a heading.
func title(step string) bool {
	return len(strings.Fields(step)) <= 8 && !strings.ContainsAny(step[max(0, len(step)-1):], ".!?")
}

func linesOf(text string) []line {
	var lines []line
	fresh := false
	for _, raw := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(raw)
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			continue
		}
		if trimmed == "" || strings.Trim(trimmed, "-=*_ ") == "" {
			fresh = true
			continue
		}
		if strings.HasPrefix(trimmed, "|") && (strings.Trim(trimmed, "|-: ") == "" || tableRow.FindString(trimmed) == "") {
			continue // the head of a table
		}
		lines = append(lines, line{mark: markOf(raw), fresh: fresh})
		fresh = false
	}
	return lines
}

// styleOf decides which marks carry the steps.
func styleOf(lines []line) (kind, string) {
	count := map[kind]int{}
	first := map[kind]int{}
	for i := range lines {
		count[lines[i].kind]++
		if _, ok := first[lines[i].kind]; !ok {
			first[lines[i].kind] = lines[i].n
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
