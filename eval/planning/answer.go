package planning

import (
	"regexp"
	"slices"
	"strings"

	"parley/eval/planning/pddl"
	"parley/sim/llm"
)

// Status says what kind of answer was given.
type Status string

const (
	Read      Status = "read"         // items were read
	None      Status = "none"         // the answer says that there are none
	Empty     Status = "empty"        // no text, or nothing but reasoning
	Refusal   Status = "refusal"      // no items, and the text declines to answer
	Truncated Status = "truncated"    // the reply was cut off; what was read before stays
	Nothing   Status = "nothing read" // text, and no item in it
)

// Class says how an item of an answer relates to the problem.
type Class string

const (
	Valid         Class = "valid"
	Duplicate     Class = "duplicate"
	UnknownObject Class = "unknown object"
	UnknownSymbol Class = "unknown symbol"
	WrongArity    Class = "wrong arity"
	WrongType     Class = "wrong type"
	Negated       Class = "negated"
)

// Item is one action or property of an answer in canonical form.
type Item struct {
	Item  string `json:"item" parquet:"item"`
	Class Class  `json:"class" parquet:"class,dict"`
	Text  string `json:"text" parquet:"text"` // the line that it was read from
}

// Unread is a line of a list that could not be read, or that was left out, and why.
type Unread struct {
	Text   string `json:"text" parquet:"text"`
	Reason string `json:"reason" parquet:"reason"`
}

// Reading is what an answer says.
type Reading struct {
	Status Status   `json:"status"`
	Items  []Item   `json:"items"`
	Unread []Unread `json:"unread"`
}

// Set returns the distinct items that count as the answer, well formed or not: all but duplicates and negated ones.
func (r *Reading) Set() []string {
	var set []string
	for _, i := range r.Items {
		if i.Class != Duplicate && i.Class != Negated && !slices.Contains(set, i.Item) {
			set = append(set, i.Item)
		}
	}
	slices.Sort(set)
	return set
}

// Sequence returns the items of a plan in order.
func (r *Reading) Sequence() []string {
	var list []string
	for _, i := range r.Items {
		if i.Class != Negated {
			list = append(list, i.Item)
		}
	}
	return list
}

// Read reads an answer, which cut says was cut off. Prose is read only where the whole answer is prose.
func (r *Reader) Read(task Task, raw string, cut bool) Reading {
	out := Reading{Status: Empty, Items: []Item{}, Unread: []Unread{}}
	_, text, ok := llm.SplitReasoning(raw)
	if strings.TrimSpace(text) == "" || !ok {
		if cut || !ok && strings.TrimSpace(raw) != "" {
			out.Status = Truncated
		}
		return out
	}
	text = twoLists(task, answerPart(clean(text)))
	cut = cut || strings.Count(text, "```")%2 == 1
	text = r.spelled(task, text)
	lines := r.lines(task, text)
	if cut {
		dropLast(lines, text)
	}
	items, unread := choose(task, lines)
	out.Unread = append(out.Unread, unread...)
	r.classify(&out, task, items)
	switch {
	case cut:
		out.Status = Truncated
	case len(out.Items) > 0:
		out.Status = Read
	case explicitNone(text, task):
		out.Status = None
	case refusal.MatchString(text):
		out.Status = Refusal
	default:
		out.Status = Nothing
	}
	return out
}

var typography = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u00a0", " ", "\u202f", " ", "“", `"`, "”", `"`, "‘", "'", "’", "'",
	"‑", "-", "‐", "-", "−", "-", "→", "->", "⟶", "->", "➔", "->", "⇒", "=>", "<br>", "\n", "<br/>", "\n", `\_`, "_", `\*`, "*")

// Marks around text: blocks of code and the comments in them, boxes to tick, what is struck out, and commands of TeX and HTML.
var (
	codeBlock = regexp.MustCompile("(?s)```.*?(?:```|$)")
	comment   = regexp.MustCompile(`(?m)(?:^|\s)(?:#|//).*$`)
	marks     = regexp.MustCompile(`(?m)^\s*[-*+] \[[ xX]\]|~~[^~\n]+~~`)
	command   = regexp.MustCompile(`\\(?:boxed|mathrm|text\w*)\{([^{}]*)\}|</?[A-Za-z]\w*(?: [^<>\n]*)?>`)
)

// clean evens out typography and takes marks away.
func clean(text string) string {
	text = typography.Replace(strings.ToValidUTF8(text, "\ufffd"))
	text = codeBlock.ReplaceAllStringFunc(text, func(block string) string { return comment.ReplaceAllString(block, "") })
	return command.ReplaceAllString(command.ReplaceAllString(marks.ReplaceAllString(text, "- "), "$1"), "$1")
}

// Marks after which base models go on with a text of their own, and marks before an answer.
var (
	ends   = regexp.MustCompile(`(?i)\[(?:(?:QUERY[ _])?PLAN[ _]END|STATEMENT|COST|END|/PLAN|ANSWER END|END OF PLAN|/ANSWER)\]`)
	begins = regexp.MustCompile(`(?i)\[(?:(?:QUERY[ _])?PLAN|ANSWER)\]`)
)

// answerPart returns the first part of a text that is closed by a mark, or what follows the last opening mark.
func answerPart(text string) string {
	if loc := ends.FindStringIndex(text); loc != nil {
		text = text[:loc[0]]
	}
	if all := begins.FindAllStringIndex(text, -1); len(all) > 0 {
		if rest := text[all[len(all)-1][1]:]; strings.TrimSpace(rest) != "" {
			return rest
		}
	}
	return text
}

// pair is an answer of two lists without headings: what becomes true, and what becomes false.
var pair = regexp.MustCompile(`(?s)^\s*(\[[^\[\]]*\])[\s,;]*(?:and)?\s*(\[[^\[\]]*\])\W*$`)

// twoLists returns the one of two lists that was asked for, or the text.
func twoLists(task Task, text string) string {
	if task != Positive && task != Negative {
		return text
	}
	return pair.ReplaceAllString(text, map[Task]string{Positive: "$1", Negative: "$2"}[task])
}

var (
	noneWords = regexp.MustCompile(`(?i)^\W*(?:(?:the )?(?:final )?answer(?: is)?\W+)?(?:none(?: of (?:them|the [a-z ]{3,60}))?|no (?:plan|actions?|steps?) (?:is|are) (?:needed|required|necessary)\b[^\n]{0,80}|nothing(?: changes| becomes (?:true|false))?|(?:the )?goal (?:state )?(?:is already|has already been|already) [a-z]+(?:[,;.]? (?:so|therefore|and|thus)? ?(?:no|nothing)\b[^\n]{0,60})?|n/?a|null|empty(?: (?:list|set|plan))?|the (?:list|set|plan) is empty|no (?:changes?|actions?|plans?|properties|propositions?|facts?|effects?|positive effects?|negative effects?|applicable actions?)(?: (?:is|are) (?:needed|required|necessary|possible|applicable|true|false))?|there (?:is|are) (?:none|nothing|no (?:such |applicable |possible |positive |negative |valid )*(?:actions?|effects?|properties|propositions?|facts?|changes?|plans?))(?: [^.\n]{0,60})?|∅)\W*$`)
	emptyList = regexp.MustCompile(`^\s*(?:\[\s*\]|\(\s*\)|\{\s*\})\s*$`)
	refusal   = regexp.MustCompile(`(?i)\b(?:i(?:'m| am) sorry|i apologi[sz]e|i (?:cannot|can't|can not|won't|will not|am unable|am not able|do not know|don't know)|as an ai|unable to (?:help|assist|answer|provide|determine)|cannot (?:answer|help|assist|provide|be (?:answered|determined)))\b`)
)

var lineOrSentence = regexp.MustCompile(`\n|[.!] +`)

// explicitNone reports whether a text, or the last line or sentence of it, says that there is nothing to list.
func explicitNone(text string, task Task) bool {
	text = strings.TrimSpace(strings.Trim(strings.TrimSpace(text), "`*_ \n"))
	if emptyList.MatchString(text) || noneWords.MatchString(text) {
		return true
	}
	parts := lineOrSentence.Split(text, -1)
	last := strings.Trim(strings.TrimSpace(parts[len(parts)-1]), "`*_ ")
	if i := strings.LastIndex(last, ":"); i >= 0 && cueWords.MatchString(last[:i]) {
		last = last[i+1:]
	}
	return noneWords.MatchString(last) || emptyList.MatchString(last)
}

// classify checks items against domain and objects.
func (r *Reader) classify(out *Reading, task Task, items []found) {
	seen := map[string]bool{}
	for _, it := range items {
		atom := pddl.Atom{Name: it.name}
		for _, a := range it.args {
			atom.Args = append(atom.Args, a.name)
		}
		item := Item{Item: atom.String(), Text: it.text, Class: r.class(&it, task)}
		switch {
		case it.negated && task != Negative:
			item.Class = Negated
		case task != Plan && seen[item.Item]:
			item.Class = Duplicate
		default:
			seen[item.Item] = true
		}
		out.Items = append(out.Items, item)
	}
}

func (r *Reader) class(f *found, task Task) Class {
	switch {
	case f.sym == nil || f.sym.action != task.Actions():
		return UnknownSymbol
	case len(f.args) != len(f.sym.params):
		return WrongArity
	}
	for _, a := range f.args {
		if !a.known {
			return UnknownObject
		}
	}
	for i, a := range f.args {
		if !r.fits(f.sym, i, a) {
			return WrongType
		}
	}
	return Valid
}
