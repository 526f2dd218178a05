package script

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"parley/eval"
	"parley/sim/llm"
	"parley/sim/llm/loose"
)

// MaxSteps is the longest script that is read. A reply with more is a flood, and no script.
const MaxSteps = 100

// Script is a list of steps, as read from a reply.
type Script struct {
	Steps    []string
	Preamble string // the text before the steps
	Note     string // the text behind them
	Method   string // how they were marked: number, bullet or json
	Status   eval.Status
	Reason   string // why there are no steps
}

func noScript(format string, args ...any) Script {
	return Script{Status: eval.Unparsed, Reason: fmt.Sprintf(format, args...)}
}

// Read finds the steps in what a model sent. It reads the form that authors are asked for, a list with a step on each
// line, numbered ("1." or "Step 1:") or bulleted, and a list in JSON. The lines right below a step belong to it; the
// text before and behind the list is kept apart. Anything else is no script, with the reason.
func Read(reply string) Script {
	_, text, ok := llm.SplitReasoning(strings.ReplaceAll(reply, "\r\n", "\n"))
	switch {
	case !ok:
		return noScript("the reply ends within its reasoning")
	case strings.TrimSpace(text) == "":
		return noScript("the reply is empty")
	}
	s := fromJSON(strings.TrimSpace(text))
	if len(s.Steps) == 0 {
		s = fromLines(strings.Split(text, "\n"))
	}
	switch {
	case s.Status == eval.Unparsed:
	case len(s.Steps) == 0:
		return noScript("the reply holds no list of steps")
	case len(s.Steps) == 1 && inLine.MatchString(s.Steps[0]):
		return noScript("the reply lists its steps in one line")
	case len(s.Steps) > MaxSteps:
		return noScript("the reply lists %d steps, which is more than %d", len(s.Steps), MaxSteps)
	default:
		s.Status = eval.Scored
	}
	return s
}

// fromJSON reads a list of steps, or an object that holds one under "steps". Only a text that begins with
// it counts: JSON within prose may be part of a step.
func fromJSON(text string) Script {
	if !strings.ContainsAny(text[:1], "[{`") {
		return Script{}
	}
	found := loose.Find(text)
	if len(found) == 0 || found[0].State != loose.Whole || text[0] != '`' && found[0].Start > 0 {
		return Script{}
	}
	list := &found[0]
	if list.Kind == loose.Object {
		list = list.Get("steps")
	}
	if list == nil || list.Kind != loose.Array {
		return Script{}
	}
	s := Script{Method: "json"}
	for i := range list.Items {
		step := &list.Items[i]
		if step.Kind == loose.Object {
			step = step.Get("text")
		}
		if step == nil || step.Kind != loose.String {
			return Script{}
		}
		s.Steps = append(s.Steps, unmarked(step.Text))
	}
	s.Steps = kept(s.Steps)
	return s
}

var (
	numberMark = regexp.MustCompile(`(?i)^(?:[-*+•]\s+(?:\[[ x]\]\s+)?)?[#*_(\[ ]*(step\s+)?(\d{1,3})(?:\s+of\s+\d+)?(?:\s*[.):\]]|\s+[–—-]\s|[*_]|$)[.)*_: ]*`)
	bulletMark = regexp.MustCompile(`^[-*+•]\s+(?:\[[ xX]\]\s+)?`)
	inLine     = regexp.MustCompile(`[\s,;.]\(?2[.)]\s`)
	noteMark   = regexp.MustCompile(`(?i)^[#*_(\[ ]*(?:notes?|tips?|remember)\b`)
)

// numberOf returns the number that a line begins with, and the text behind it; 0 where it begins with none. A quantity,
// such as 1.5 litres or a bare 2, is none.
func numberOf(line string) (n int, text string) {
	m := numberMark.FindStringSubmatch(line)
	if m == nil {
		return 0, line
	}
	text = line[len(m[0]):]
	bare := m[1] == "" && strings.TrimLeft(m[0], "0123456789") == ""
	if bare || text != "" && unicode.IsDigit(rune(text[0])) && !strings.HasSuffix(m[0], " ") {
		return 0, line
	}
	n, _ = strconv.Atoi(m[2]) // digits by the expression
	return n, text
}

// unmarked takes the number off a step.
func unmarked(step string) string {
	_, text := numberOf(strings.TrimSpace(step))
	return plainText(text)
}

// fromLines reads a list whose steps have lines of their own: numbered, or else bulleted.
func fromLines(lines []string) Script {
	r := lister{s: Script{Method: "bullet"}}
	bullets := 0
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if n, _ := numberOf(line); n == 1 {
			r.s.Method = "number"
		}
		if bulletMark.MatchString(line) {
			bullets++
		}
	}
	if r.s.Method == "bullet" && bullets < 2 {
		return Script{} // one dash is no list
	}
	for _, line := range lines {
		if reason := r.line(line); reason != "" {
			return noScript("%s", reason)
		}
	}
	r.s.Note = strings.Join(r.note, " ")
	r.s.Steps = kept(r.s.Steps)
	return r.s
}

// lister gathers the steps of a list line by line.
type lister struct {
	s     Script
	last  int      // number of the last step
	outer int      // indentation of the first
	blank bool     // the line before was empty
	note  []string // lines since the last step that do not belong to it
}

// line takes the next line. It returns why the reply holds no list of steps that can be told from others.
func (r *lister) line(raw string) (reason string) {
	line := strings.TrimSpace(raw)
	indent := len(raw) - len(strings.TrimLeft(raw, " \t"))
	fresh := r.blank
	switch r.blank = strings.Trim(line, "-=*_") == ""; {
	case r.blank || strings.HasPrefix(line, "```"):
		return ""
	case len(r.s.Steps) == 0:
		r.outer = indent
	}
	n, text := r.begins(line, indent)
	switch {
	case n > 0:
		if r.last > 1 && n == 1 || len(r.note) > 0 && r.s.Method == "bullet" {
			return "the reply holds several lists, and which is that of the steps is not said"
		}
		if len(r.note) > 0 { // the text between two steps belongs to the first
			r.extend(strings.Join(r.note, " "))
		}
		r.s.Steps, r.last, r.note = append(r.s.Steps, unmarked(text)), n, nil
	case len(r.s.Steps) == 0:
		r.s.Preamble = strings.TrimSpace(r.s.Preamble + " " + plainText(line))
	case len(r.note) > 0, fresh && indent <= r.outer, noteMark.MatchString(line):
		r.note = append(r.note, plainText(line))
	default:
		r.extend(unmarked(bulletMark.ReplaceAllString(line, "")))
	}
	return ""
}

// begins returns the number of the step that a line begins, and its text; 0 where it begins none. A number is the next
// one, or one is left out, or it is 1.
func (r *lister) begins(line string, indent int) (n int, text string) {
	if r.s.Method == "bullet" && bulletMark.MatchString(line) {
		n, text = r.last+1, bulletMark.ReplaceAllString(line, "")
	} else if r.s.Method == "number" {
		n, text = numberOf(line)
	}
	if n > 1 && n != r.last+1 && n != r.last+2 || indent > r.outer+2 || indent > r.outer && n <= r.last {
		return 0, line
	}
	return n, text
}

// extend adds a text to the last step.
func (r *lister) extend(text string) {
	last := &r.s.Steps[len(r.s.Steps)-1]
	*last = strings.TrimSpace(*last + " " + text)
}

// plainText takes Markdown's emphasis and the mark of a heading off a text.
func plainText(s string) string {
	s = strings.NewReplacer("**", "", "__", "").Replace(strings.TrimLeft(strings.TrimSpace(s), "#"))
	return strings.Join(strings.Fields(s), " ")
}

func kept(texts []string) []string {
	var out []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	return out
}
