package finetune

import "strings"

// callers are words after which a row of digits is a phone number; after hints it is one if it is
// written in groups or long.
var (
	callers = []string{"phone", "telephone", "tel", "mobile", "cell", "cellphone", "whatsapp", "fax", "handy", "telefon", "mobil", "sms", "hotline", "dial"}
	hints   = []string{"call", "text", "ring", "number", "contact", "reach", "nummer"}
)

// number is a row of groups of digits as it is written.
type number struct {
	plus   bool
	groups []string
	marks  string // between the groups, one each: ' ', '-', '.', '/', or ')' after a bracket
	open   int    // index of the group in brackets; -1 where there is none
	digits int
	end    int // in the text
}

// phone finds a phone number: an international one (+49 30 1234567), one of North America
// (415-555-2671, (415) 555-2671), one with a national prefix (030 12345678, 06 12 34 56 78), or, after
// a word such as "phone", any row of 7 to 15 digits.
func (s *scrubber) phone() bool {
	if !s.enough() {
		return false
	}
	if s.at > s.done && strings.IndexByte("./-$#,", s.text[s.at-1]) >= 0 && !s.after(callers) {
		return false
	}
	var room [8]string
	n := number{open: -1, groups: room[:0]}
	s.number(&n)
	for len(n.groups) > 0 {
		if n.phone() || n.digits >= 7 && n.digits <= 15 && !n.date() && (s.after(callers) || (len(n.groups) > 1 || n.digits >= 10) && s.after(hints)) {
			return s.piece(noPhone, s.at, n.end)
		}
		// A number may be followed by one that has nothing to do with it.
		last := len(n.groups) - 1
		if last == 0 || n.marks[last-1] != ' ' || last <= n.open {
			return false
		}
		n.digits -= len(n.groups[last])
		n.end -= len(n.groups[last]) + 1
		n.groups, n.marks = n.groups[:last], n.marks[:last-1]
	}
	return false
}

// enough says at a glance whether there are the digits of a phone number. Most numbers have fewer.
func (s *scrubber) enough() bool {
	digits := 0
	for i := s.at; i < len(s.text) && digits < 7; i++ {
		if c := s.text[i]; digit(c) {
			digits++
		} else if strings.IndexByte(" -./()+", c) < 0 {
			return false
		}
	}
	return digits == 7
}

// number reads the row at the place, as far as it is one. It stays empty where the row ends in a word.
func (s *scrubber) number(n *number) {
	t, i := s.text, s.at
	if t[i] == '+' {
		n.plus = true
		i++
	}
	var marks [8]byte
	for len(n.groups) < len(marks) {
		bracket := i < len(t) && t[i] == '('
		if bracket {
			if n.open >= 0 {
				break
			}
			i++
		}
		from := i
		for i < len(t) && digit(t[i]) {
			i++
		}
		if i == from || bracket && (i == len(t) || t[i] != ')') {
			break
		}
		if len(n.groups) > 0 && n.digits+i-from > 15 {
			break
		}
		n.digits += i - from
		if bracket {
			n.open = len(n.groups)
			i++
		}
		n.groups = append(n.groups, t[from:i-b2i(bracket)])
		n.end = i
		if i == len(t) {
			break
		}
		mark := t[i]
		switch {
		case bracket && digit(mark): // (030)1234567
			mark = ')'
		case strings.IndexByte(" -./", mark) >= 0:
			i++
		case mark == '(':
		default:
			mark = 0
		}
		if mark == 0 {
			break
		}
		marks[len(n.groups)-1] = mark
	}
	if len(n.groups) > 0 {
		n.marks = string(marks[:len(n.groups)-1])
	}
	if n.end < len(t) && (alnum(t[n.end]) || n.end+1 < len(t) && strings.IndexByte("-.,:/", t[n.end]) >= 0 && digit(t[n.end+1])) {
		// The last group belongs to something else.
		if last := len(n.groups) - 1; last > 0 && n.marks[last-1] == ' ' && last != n.open {
			n.digits -= len(n.groups[last])
			n.end -= len(n.groups[last]) + 1
			n.groups, n.marks = n.groups[:last], n.marks[:last-1]
		} else {
			n.groups = nil
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// shape says whether the groups have these lengths.
func (n *number) shape(lengths ...int) bool {
	if len(lengths) != len(n.groups) {
		return false
	}
	for i, want := range lengths {
		if len(n.groups[i]) != want {
			return false
		}
	}
	return true
}

// alike says whether the same mark stands between all groups.
func (n *number) alike() bool { return strings.Count(n.marks, n.marks[:1]) == len(n.marks) }

// date says whether the row begins like a date or a time.
func (n *number) date() bool {
	g := n.groups
	return !n.plus && len(g) >= 3 && (len(g[0]) == 4 && len(g[1]) <= 2 && len(g[2]) <= 2 || len(g[0]) <= 2 && len(g[1]) <= 2 && len(g[2]) == 4)
}

// phone says whether a row is written as only phone numbers are.
func (n *number) phone() bool {
	g := n.groups
	if len(g) == 0 || n.date() {
		return false
	}
	longest := 0
	for _, group := range g {
		longest = max(longest, len(group))
	}
	if n.plus {
		return g[0][0] != '0' && n.digits >= 8 && n.digits <= 15 && (longest >= 3 || n.digits >= 10) && (len(g) == 1 || len(g[0]) <= 5)
	}
	if len(g) == 1 {
		return false
	}
	if g[0] == "1" && len(g) == 4 && (n.marks[0] != ' ' || n.open == 1) { // 1-415-555-2671, 1 (415) 555-2671
		m := number{groups: g[1:], marks: n.marks[1:], open: n.open - 1, digits: n.digits - 1}
		return m.american()
	}
	if n.american() {
		return true
	}
	switch {
	case strings.HasPrefix(g[0], "00") && len(g[0]) <= 5 && n.open < 0: // 0049 30 1234567
		return n.digits >= 10 && longest >= 3 && strings.Trim(g[0], "0") != ""
	case g[0][0] != '0' || len(g[0]) < 2 || g[0][1] == '0' || n.open > 0:
		return false
	case n.shape(2, 2, 2, 2, 2): // France
		return n.alike()
	case len(g[0]) < 3 || len(g[0]) > 6 || strings.Contains(n.marks, "."):
		return false
	}
	return n.digits >= 9 && n.digits <= 12 && longest >= 3
}

// american says whether a row is written as a number of the North American plan.
func (n *number) american() bool {
	if !n.shape(3, 3, 4) {
		return false
	}
	return n.open == 0 || n.open < 0 && n.alike() && n.marks[0] != ' ' && n.marks[0] != '/'
}
