package judge

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// statement is an explicit verdict in prose.
type statement struct {
	value  any
	err    error
	method string
	tail   bool // it is the last thing in the reply, without anything that ends it
}

func (s *statement) reading() Reading {
	if s.err != nil {
		return unread("%v", s.err)
	}
	r := said(s.value, s.method)
	r.tail = s.tail
	return r
}

// marks are the words that announce a verdict. Behind a soft one also ordinary text may stand.
const marks = `grade|score|verdict|rating|answer|label|decision|judge?ment|conclusion|result|choice|vote|winner`

var (
	soft = map[string]bool{"answer": true, "label": true, "decision": true, "conclusion": true, "result": true, "choice": true, "vote": true}

	// a mark, as a word of its own, and what leads from it to the value
	mark = regexp.MustCompile(`(?i)(?:^|[^\p{L}\p{N}_-])(` + marks + `)(?:\s*\([^()\n]{0,40}\))?(?:["'*_` + "`" + `\])]*\s*([:=])|["'*_]*\s+(is|of)\b:?|(>))\s*`)
	// what makes a mark behind it no statement
	hedge = regexp.MustCompile(`(?i)(?:\b(?:if|unless|whether|otherwise|instead of|rather than|not|never|either|possible|example)\b|n't\b|n’t\b)[^.!?]*$`)
	// what joins two marks that are offered side by side
	joint     = regexp.MustCompile(`(?i)(?:\bor\b|\band\b|/|\|)\W*$`)
	because   = regexp.MustCompile(`(?i)\s+(?:because|since|due to|given|for|as|with|based)\b.*$`)
	doubled   = regexp.MustCompile(`\[\[([^\[\]\n]{1,60})\]\]`)
	sentence  = regexp.MustCompile(`[.!?;]+(?:\s+|$)`)
	truth     = regexp.MustCompile(`(?i)^(?:(?:so|thus|therefore|hence|overall|then|and|but|actually|finally)\b,?\s*)*(?:it|this|that|(?:the|this|that|your|his|her|their)\s+(?:statement|claim|answer|script|sentence|assertion|verdict)|the\s+\w+)\s*(?:is|was|['’]s|isn['’]?t|wasn['’]?t)\s+(?:(?:definitely|clearly|certainly|indeed|simply|actually|also)\s+)*(not\s+|never\s+)?(?:(?:definitely|clearly|certainly|entirely|quite|really)\s+)*(true|false)\b`)
	truthNot  = regexp.MustCompile(`(?i)^[^.]*?\b(?:isn['’]?t|wasn['’]?t)\s`)
	uncertain = regexp.MustCompile(`(?i)\b(?:if|whether|would|could|might|may|should|unless|or|but|unclear|unsure|cannot|can't|know|say|tell|think|however|\?)\b|\?`)
	listed    = regexp.MustCompile(`^\s*(?:[-+•]|\*\s|\(?\d{1,3}[.)]\s|[a-z]\))`)
	oneWord   = regexp.MustCompile(`(?i)^(?:[A-Z]|pass(?:ed)?|fail(?:ed)?|correct|incorrect|yes|no|tie|partial|invalid|valid)$`)
	nothing   = regexp.MustCompile(`(?i)^(?:omitted|none|n/?a|unknown|pending|tbd|withheld|unclear|not given|not available|see below|to be determined|\.*)$`)
)

// Prose is searched for a verdict from its end: as many bytes of it, and of one line, as these.
// Whatever stands before them is none.
const (
	farthest = 1 << 16
	widest   = 2000
)

// spoken returns the prose of the reply from a place on: without objects, without characters that
// are not seen, and no more than is searched.
func (r *reader) spoken(from int) string {
	var out strings.Builder
	at := from
	hide := slices.Concat(r.found.roots, r.found.broken)
	slices.SortFunc(hide, func(a, b *node) int { return a.start - b.start })
	for _, n := range hide {
		if n.end <= at || n.kind == '[' && !slices.ContainsFunc(n.kids, func(k *node) bool { return k.kind == '{' || k.kind == '[' && len(k.kids) > 1 }) {
			continue
		}
		if n.start > at {
			out.WriteString(r.text[at:n.start])
		}
		out.WriteByte(' ')
		at = n.end
	}
	out.WriteString(r.text[min(at, len(r.text)):])
	text := out.String()
	text = text[max(0, len(text)-farthest):]
	return strings.Map(func(c rune) rune {
		if invisible(c) {
			return -1
		}
		return c
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// last reads the last explicit statement of a single value: behind an object that states it, or
// anywhere.
func (r *reader) last(root *node, reading Reading) Reading {
	from := 0
	if root != nil {
		from = root.end
	}
	text := r.spoken(from)
	if s := r.statement(text, root == nil); s != nil {
		return s.reading()
	}
	if root != nil {
		return reading
	}
	return unread("the reply states no verdict")
}

// statement finds the last explicit verdict in prose; nil: there is none.
func (r *reader) statement(text string, whole bool) *statement {
	text = strings.TrimSpace(text)
	lines := strings.Split(text, "\n")
	next := ""
	var weak *statement
	for i, line := range slices.Backward(lines) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "```") {
			continue
		}
		if line[0] == '>' || line[0] == '|' { // quoted
			next = ""
			continue
		}
		line = line[max(0, len(line)-widest):]
		s, isWeak := r.inLine(line, next)
		next = line
		if s == nil {
			continue
		}
		s.tail = i == len(lines)-1 && !strings.ContainsAny(line[len(line)-1:], ".!)]*_\"'`")
		if isWeak {
			if weak == nil {
				weak = s
			}
			continue
		}
		if weak != nil && s.err == nil && !same(weak.value, s.value) {
			s.err = errors.New("the reply states a verdict and then denies it")
		}
		return s
	}
	if weak == nil && whole {
		return r.alone(text)
	}
	return weak
}

// alone reads a reply that is nothing but its verdict.
func (r *reader) alone(text string) *statement {
	if len(text) > 1000 {
		return nil
	}
	text = strings.TrimSpace(strings.Trim(strings.TrimSpace(fence.ReplaceAllString(text, "")), "`"))
	if text == "" || len(text) > 300 || strings.Contains(text, "\n") || mark.MatchString(text) {
		return nil
	}
	if r.offered != nil {
		if r.shape.typed("string") && !r.listed() {
			return nil
		}
		v, err := r.c.value(&node{kind: kindOf(text), text: unquote(text)}, r.offered.root, 1)
		if err != nil && len(strings.Fields(text)) > 3 {
			return nil
		}
		return &statement{value: v, err: err, method: "bare"}
	}
	if quoted := unquote(text); quoted != text && len(text) < 60 {
		return &statement{value: quoted, method: "bare"}
	}
	if v, ok := free(text, false); ok {
		return &statement{value: v, method: "bare"}
	}
	return nil
}

var fence = regexp.MustCompile("(?m)^\\s*```[a-zA-Z]*\\s*$")

// unquote takes off one pair of quotation marks around a text.
func unquote(text string) string {
	end, n := quote(text)
	if n == 1 && len(text) > 2 && strings.HasSuffix(text, end) && !strings.Contains(text[1:len(text)-1], end) {
		return text[1 : len(text)-1]
	}
	return text
}

func kindOf(text string) byte {
	if decimal.MatchString(text) {
		return '0'
	}
	return 's'
}

// listed reports whether the offered values are listed one by one.
func (r *reader) listed() bool {
	_, ok := r.shape.choices()
	return ok
}

// inLine finds the last explicit verdict in one line. A weak one is a sentence that says of something
// that it is true or false.
func (r *reader) inLine(line, next string) (s *statement, weak bool) {
	if m := mark.FindAllStringSubmatchIndex(line, -1); len(m) > 0 {
		for i := range slices.Backward(m) {
			if s := r.marked(line, next, m, i); s != nil {
				return s, false
			}
		}
	}
	if m := doubled.FindAllStringSubmatch(line, 2); len(m) == 1 {
		v, err := r.valueOf(m[0][1])
		return &statement{value: v, err: err, method: "mark"}, false
	}
	if listed.MatchString(line) {
		return nil, false
	}
	start := 0
	ends := append(sentence.FindAllStringIndex(line, -1), []int{len(line), len(line)})
	for _, end := range ends {
		text := strings.TrimSpace(line[start:end[0]])
		question := strings.Contains(line[end[0]:end[1]], "?")
		if text != "" && !question {
			if v, ok := r.bare(text, start == 0 && end[1] == len(line)); ok {
				s, weak = &statement{value: v, method: "bare"}, false
			} else if v, ok := r.truth(text); ok && (s == nil || weak || !same(s.value, v)) {
				if s != nil && !same(s.value, v) {
					s.err = errors.New("the reply says that it is true and that it is false")
				} else {
					s, weak = &statement{value: v, method: "prose"}, true
				}
			}
		}
		start = end[1]
	}
	return s, weak
}

// marked reads what stands behind the i-th mark of a line.
func (r *reader) marked(line, next string, m [][]int, i int) *statement {
	at := m[i]
	word := strings.ToLower(line[at[2]:at[3]])
	loose := at[6] >= 0 // "score of", "answer is"
	tag := at[8] >= 0
	if tag && (at[2] == 0 || line[at[2]-1] != '<') {
		return nil
	}
	before := line[max(0, at[2]-300):at[2]]
	if hedge.MatchString(before) {
		return nil
	}
	if q := strings.TrimRight(before, " *_"); q != "" && len(strings.TrimLeft(before, " *_\"'`“#>-")) > 0 && strings.ContainsAny(q[len(q)-1:], "\"'`") {
		return nil // quoted within a sentence
	}
	value := line[at[1]:]
	if i+1 < len(m) {
		value = line[at[1]:m[i+1][2]]
	}
	if i > 0 && i == len(m)-1 && joint.MatchString(line[m[i-1][1]:at[2]]) {
		return &statement{err: errors.New("two verdicts are offered side by side")}
	}
	if tag {
		value, _, _ = strings.Cut(value, "</")
	}
	value = strings.TrimSpace(strings.NewReplacer("*", "", "`", "").Replace(value))
	if value == "" {
		value = next
	}
	if value == "" || nothing.MatchString(tidy(value)) {
		return nil
	}
	if r.offered == nil {
		v, ok := free(value, true)
		if !ok && !loose {
			v, ok = free(because.ReplaceAllString(value, ""), true)
		}
		if _, text := v.(string); ok && loose && text && !oneWord.MatchString(v.(string)) {
			ok = false
		}
		if ok {
			return &statement{value: v, method: "mark"}
		}
		if loose || soft[word] {
			return nil
		}
		return &statement{err: fmt.Errorf("%q is no verdict", short(value))}
	}
	v, err := r.valueOf(value)
	if err != nil {
		if again, ok := strings.CutSuffix(value, because.FindString(value)); ok && again != value {
			if w, e := r.valueOf(again); e == nil {
				v, err = w, nil
			}
		}
	}
	if err != nil && (loose || soft[word] && len(strings.Fields(value)) > 3) {
		return nil
	}
	return &statement{value: v, err: err, method: "mark"}
}

// valueOf reads a text as the offered single value.
func (r *reader) valueOf(text string) (any, error) {
	if r.offered == nil {
		if v, ok := free(text, true); ok {
			return v, nil
		}
		return nil, fmt.Errorf("%q is no verdict", short(text))
	}
	return r.c.value(&node{kind: kindOf(text), text: text}, r.offered.root, 1)
}

// bare reads a sentence that is nothing but a verdict.
func (r *reader) bare(text string, line bool) (any, bool) {
	if r.offered == nil {
		b, ok := yesno[fold(text)]
		return b, ok && len(fold(text)) > 3
	}
	if choices, ok := r.shape.choices(); ok {
		var only any
		n := 0
		for _, choice := range choices {
			if label, ok := choice.(string); ok && fold(label) == fold(text) {
				only, n = choice, n+1
			}
		}
		return only, n == 1
	}
	if r.shape.typed("boolean") {
		if b, ok := yesno[fold(text)]; ok {
			return b, true
		}
		if yesnoFirst.MatchString(text) {
			return readBool(text)
		}
	}
	return nil, false
}

// truth reads a sentence of the kind "it is not true that ...".
func (r *reader) truth(text string) (value, ok bool) {
	if r.offered != nil && !r.shape.typed("boolean") {
		return false, false
	}
	m := truth.FindStringSubmatchIndex(text)
	if m == nil {
		return false, false
	}
	head, rest := text[:m[1]], text[m[1]:]
	if uncertain.MatchString(head) || !strings.HasPrefix(strings.TrimSpace(rest), "that ") && uncertain.MatchString(rest) {
		return false, false
	}
	if strings.Contains(strings.ToLower(rest), "but") {
		return false, false
	}
	v := strings.EqualFold(text[m[4]:m[5]], "true")
	if m[2] >= 0 {
		v = !v
	}
	if truthNot.MatchString(head) {
		v = !v
	}
	return v, true
}
