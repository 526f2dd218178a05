package planning

import (
	"regexp"
	"slices"
	"strings"

	"parley/sim/llm"
	"parley/sim/llm/loose"
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

// Set returns the distinct items that count as the answer: all but duplicates and negated ones. An
// item that is well formed but wrong, such as one with an unknown object, belongs to it.
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

// Read reads an answer. cut says that the server cut the reply off. Nothing is read out of prose that
// is not itself a list, unless the whole answer is prose.
func (r *Reader) Read(task Task, raw string, cut bool) Reading {
	out := Reading{Items: []Item{}, Unread: []Unread{}}
	_, text, ok := llm.SplitReasoning(raw)
	switch {
	case strings.TrimSpace(raw) == "":
		out.Status = Empty
		return out
	case !ok:
		out.Status = Truncated
		return out
	case strings.TrimSpace(text) == "":
		out.Status = Empty
		if cut {
			out.Status = Truncated
		}
		return out
	}
	text = answerPart(clean(text))
	cut = cut || strings.Count(text, "```")%2 == 1
	items, unread, read := r.values(task, text)
	if !read {
		a := r.lines(task, text)
		if cut {
			a.dropLast(text)
		}
		items, unread = a.choose(task)
	}
	out.Unread = append(out.Unread, unread...)
	r.classify(&out, task, items)
	switch {
	case cut:
		out.Status = Truncated
	case len(out.Items) > 0:
		out.Status = Read
	case read || explicitNone(text, task):
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

// clean evens out typography.
func clean(text string) string { return typography.Replace(strings.ToValidUTF8(text, "\ufffd")) }

// ends are marks after which base models go on with a text of their own.
var ends = regexp.MustCompile(`(?i)\[(?:(?:QUERY[ _])?PLAN[ _]END|STATEMENT|COST|END|/PLAN|ANSWER END|END OF PLAN|/ANSWER)\]`)

// begins are marks before the answer.
var begins = regexp.MustCompile(`(?i)\[(?:(?:QUERY[ _])?PLAN|ANSWER)\]`)

// answerPart cuts a text at the marks that others use around answers: the first part that is closed,
// or what follows the last opening mark.
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

var (
	noneWords = regexp.MustCompile(`(?i)^\W*(?:(?:the )?(?:final )?answer(?: is)?\W+)?(?:none(?: of (?:them|the [a-z ]{3,60}))?|no (?:plan|actions?|steps?) (?:is|are) (?:needed|required|necessary)\b[^\n]{0,80}|nothing(?: changes| becomes (?:true|false))?|n/?a|null|empty(?: (?:list|set|plan))?|the (?:list|set|plan) is empty|no (?:changes?|actions?|plans?|properties|propositions?|facts?|effects?|positive effects?|negative effects?|applicable actions?)(?: (?:is|are) (?:needed|required|necessary|possible|applicable|true|false))?|there (?:is|are) (?:none|nothing|no (?:such |applicable |possible |positive |negative |valid )*(?:actions?|effects?|properties|propositions?|facts?|changes?|plans?))(?: [^.\n]{0,60})?|∅)\W*$`)
	emptyList = regexp.MustCompile(`^\s*(?:\[\s*\]|\(\s*\)|\{\s*\})\s*$`)
	refusal   = regexp.MustCompile(`(?i)\b(?:i(?:'m| am) sorry|i apologi[sz]e|i (?:cannot|can't|can not|won't|will not|am unable|am not able|do not know|don't know)|as an ai|unable to (?:help|assist|answer|provide|determine)|cannot (?:answer|help|assist|provide|be (?:answered|determined)))\b`)
)

// explicitNone reports whether a text, or the last line of it, says that there is nothing to list.
func explicitNone(text string, task Task) bool {
	text = strings.TrimSpace(strings.Trim(strings.TrimSpace(text), "`*_ \n"))
	if emptyList.MatchString(text) || noneWords.MatchString(text) {
		return true
	}
	lines := strings.Split(text, "\n")
	last := strings.Trim(strings.TrimSpace(lines[len(lines)-1]), "`*_ ")
	if i := strings.LastIndex(last, ":"); i >= 0 && cueWords.MatchString(last[:i]) {
		last = last[i+1:]
	}
	return noneWords.MatchString(last) || emptyList.MatchString(last)
}

// reading is an item before it is classified.
type reading struct {
	found
	text string
}

// classify checks items against domain and objects.
func (r *Reader) classify(out *Reading, task Task, items []reading) {
	seen := map[string]bool{}
	for _, it := range items {
		words := []string{it.name}
		for _, a := range it.args {
			words = append(words, a.name)
		}
		item := Item{Item: "(" + strings.Join(words, " ") + ")", Text: it.text, Class: r.class(&it.found, task)}
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
		if !r.typeFits(f.sym, i, a.name) {
			return WrongType
		}
	}
	return Valid
}

// values reads an answer in JSON. read is false where the text has no JSON value with or for items.
func (r *Reader) values(task Task, text string) (items []reading, unread []Unread, read bool) {
	all := loose.Find(text)
	if len(all) > 1 && !slices.ContainsFunc(all, func(v loose.Value) bool { return v.Kind != loose.Object || v.State != loose.Whole }) {
		for i := range all { // one object for each item
			got, ok := r.value(task, &all[i])
			if !ok || len(got) != 1 {
				items = nil
				break
			}
			items = append(items, got...)
		}
		if items != nil {
			return items, nil, true
		}
	}
	for i := len(all) - 1; i >= 0; i-- { // a corrected answer comes last
		v := &all[i]
		if v.State == loose.Broken || v.Kind == loose.Array && len(v.Items) == 0 && len(all) > 1 {
			continue
		}
		got, ok := r.value(task, v)
		if ok && (len(got) > 0 || len(all) == 1) {
			return got, nil, true
		}
	}
	return nil, nil, false
}

// listKeys are keys under which answers put their lists; polarity decides between two of them.
var listKeys = regexp.MustCompile(`(?i)^(?:final_?)?(?:answer|plan|actions?|applicable_?actions?|applicable|steps?|state|final_?state|current_?state|resulting_?state|propert(?:y|ies)|facts?|propositions?|predicates?|effects?|result|list|items|solution|output|(?:pos|neg|positive|negative|add|added|delete|deleted|removed)(?:_?(?:effects?|list))?)$`)

// value reads items out of a JSON value; ok is false where the value is none of an answer.
func (r *Reader) value(task Task, v *loose.Value) ([]reading, bool) {
	switch v.Kind {
	case loose.String:
		got := r.text(task, v.Text)
		return got, len(got) > 0 || explicitNone(v.Text, task)
	case loose.Array:
		if got, ok := r.tuple(task, v); ok {
			return got, true
		}
		var out []reading
		for i := range v.Items {
			got, ok := r.value(task, &v.Items[i])
			if !ok {
				return nil, false
			}
			out = append(out, got...)
		}
		return out, true
	case loose.Object:
		return r.object(task, v)
	}
	return nil, v.Kind == loose.Null
}

// tuple reads ["unstack", "a", "b"].
func (r *Reader) tuple(task Task, v *loose.Value) ([]reading, bool) {
	if len(v.Items) == 0 || r.symbolNamed(v.Items[0].Text, task.Actions()) == nil && len(v.Items) > 1 {
		return nil, false
	}
	var words []string
	for i := range v.Items {
		if v.Items[i].Kind != loose.String && v.Items[i].Kind != loose.Word && v.Items[i].Kind != loose.Number {
			return nil, false
		}
		words = append(words, v.Items[i].Text)
	}
	f := r.strictWords(lower(words), task.Actions())
	if f == nil {
		return nil, false
	}
	return []reading{{*f, strings.Join(words, " ")}}, true
}

func lower(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.ToLower(s)
	}
	return out
}

var (
	nameKey = regexp.MustCompile(`(?i)^(?:action|name|act|operator|op|verb|type|predicate|property|fact|proposition|command|move|symbol|function)(?:_?name)?$`)
	argsKey = regexp.MustCompile(`(?i)^(?:args?|arguments?|param(?:eter)?s?|objects?|terms?|on_objects)$`)
)

// object reads an action or property with keys, or a list that is kept under a key.
func (r *Reader) object(task Task, v *loose.Value) ([]reading, bool) {
	for i, k := range v.Keys {
		if i < len(v.Items) && nameKey.MatchString(k) && v.Items[i].Kind == loose.String {
			if s := r.symbolNamed(v.Items[i].Text, task.Actions()); s != nil {
				return []reading{{*r.keyed(s, v, i), s.name}}, true
			}
			if got := r.text(task, v.Items[i].Text); len(got) > 0 { // {"step": 1, "action": "pick up a"}
				return got, true
			}
		}
	}
	lists := -1
	for i, k := range v.Keys {
		if i < len(v.Items) && listKeys.MatchString(k) && v.Items[i].Kind != loose.Number {
			if task == Positive && negativeHead.MatchString(k) || task == Negative && positiveHead.MatchString(k) {
				continue
			}
			lists = i
		}
	}
	if lists >= 0 {
		return r.value(task, &v.Items[lists])
	}
	var out []reading
	for i, k := range v.Keys { // {"pick-up": ["a"]}, {"clear": ["a", "b"], "handempty": true}
		s := r.symbolNamed(k, task.Actions())
		if s == nil || i >= len(v.Items) {
			continue
		}
		out = append(out, r.under(s, &v.Items[i])...)
	}
	return out, len(out) > 0 || len(v.Keys) == 0
}

// under reads the arguments that are kept under the name of a symbol.
func (r *Reader) under(s *symbol, v *loose.Value) (out []reading) {
	one := func(words []string) {
		f := &found{sym: s, name: s.name}
		for _, w := range words {
			f.args = append(f.args, r.named(w))
		}
		out = append(out, reading{*f, s.name + " " + strings.Join(words, " ")})
	}
	switch v.Kind {
	case loose.Bool:
		if len(s.params) == 0 && v.Text == "true" {
			one(nil)
		}
	case loose.String, loose.Word:
		one(strings.Fields(strings.ReplaceAll(v.Text, ",", " ")))
	case loose.Object:
		out = append(out, reading{*r.keyed(s, v, -1), s.name})
	case loose.Array:
		var flat []string
		for i := range v.Items {
			if v.Items[i].Kind == loose.Array || v.Items[i].Kind == loose.Object {
				out = append(out, r.under(s, &v.Items[i])...)
			} else {
				flat = append(flat, v.Items[i].Text)
			}
		}
		switch {
		case len(flat) == 0:
		case len(s.params) == 1:
			for _, w := range flat {
				one([]string{w})
			}
		default:
			one(flat)
		}
	}
	return out
}

// named resolves a word that stands for an object.
func (r *Reader) named(word string) mention {
	m := r.mark("object " + word)
	if len(m.seen) == 1 && len(m.words) == 1 {
		return m.seen[0]
	}
	return mention{strings.ToLower(strings.ReplaceAll(strings.TrimSpace(word), " ", "_")), false}
}

// keyed reads the arguments of a symbol from the other keys of an object: a list, or one key for each,
// by the names of the parameters, by other names for them, or in their order.
func (r *Reader) keyed(s *symbol, v *loose.Value, nameAt int) *found {
	f := &found{sym: s, name: s.name}
	args := make([]*mention, len(s.params))
	var rest []mention
	for i := range v.Items {
		if i == nameAt || i >= len(v.Keys) {
			continue
		}
		item := &v.Items[i]
		if argsKey.MatchString(v.Keys[i]) && (item.Kind == loose.Array || item.Kind == loose.Object) {
			if item.Kind == loose.Object {
				return r.keyed(s, item, -1)
			}
			rest = nil
			for k := range item.Items {
				rest = append(rest, r.named(item.Items[k].Text))
			}
			args = make([]*mention, len(s.params))
			break
		}
		if item.Kind != loose.String && item.Kind != loose.Word {
			continue
		}
		o := r.named(item.Text)
		if k := s.keyFor(v.Keys[i]); k >= 0 && args[k] == nil {
			args[k] = &o
		} else if o.known {
			rest = append(rest, o)
		}
	}
	for _, a := range args {
		switch {
		case a != nil:
			f.args = append(f.args, *a)
		case len(rest) > 0:
			f.args = append(f.args, rest[0])
			rest = rest[1:]
		}
	}
	f.args = append(f.args, rest...)
	return f
}

// keyFor returns the parameter that a key names, or -1.
func (s *symbol) keyFor(key string) int {
	for i, p := range s.params {
		if squash(strings.TrimPrefix(p.Name, "?")) == squash(key) {
			return i
		}
	}
	for i, names := range s.args {
		if named(names, key) {
			return i
		}
	}
	return -1
}
