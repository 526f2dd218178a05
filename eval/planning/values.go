package planning

import (
	"regexp"
	"slices"
	"strings"

	"parley/sim/llm/loose"
)

// spelled writes an answer in JSON, or with tables, as lines of a list.
func (r *Reader) spelled(task Task, text string) string {
	all := loose.Find(text)
	lists, single := make([][]string, len(all)), len(all) > 1 // a single item from each value: they are one list
	for i := range all {
		if all[i].State != loose.Broken {
			lists[i] = r.value(task, &all[i])
		}
		single = single && all[i].Kind == loose.Object && all[i].State == loose.Whole && len(lists[i]) == 1
	}
	if single {
		return list(slices.Concat(lists...))
	}
	for i, lines := range slices.Backward(lists) { // a corrected answer comes last
		written := list(lines)
		if all[i].State != loose.Whole {
			written = strings.TrimSuffix(written, "\n")
		}
		if len(r.items(task, written)) > 0 || len(all) == 1 && explicitNone(written, task) {
			return written
		}
	}
	return r.tables(task, text)
}

// list writes each item as a line.
func list(items []string) string {
	var b strings.Builder
	for _, item := range items {
		b.WriteString("- " + strings.ReplaceAll(item, "\n", "\n- ") + "\n")
	}
	return b.String()
}

// tables writes the rows of Markdown tables as the items that they tell; a row that tells none stays.
func (r *Reader) tables(task Task, text string) string {
	var out strings.Builder
	var head []string
	for line := range strings.SplitAfterSeq(text, "\n") {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.Trim(cells[i], " *`_")
		}
		switch row := strings.HasPrefix(strings.TrimSpace(line), "|"); {
		case !row || len(cells) < 2 && head == nil:
			head = nil
		case head == nil:
			head, line = cells, "\n"
		case !ruler.MatchString(line):
			n := min(len(head), len(cells))
			v := loose.Value{Kind: loose.Object, Keys: head[:n]}
			for _, c := range cells[:n] {
				v.Items = append(v.Items, loose.Value{Kind: loose.String, Text: c})
			}
			if items := r.object(task, &v); items != nil {
				line = list(items)
			}
		}
		out.WriteString(line)
	}
	return out.String()
}

// Texts that say whether what a row or an object tells is so, keys of such texts, and keys of places.
var (
	truthKey = regexp.MustCompile(`(?i)\b(?:applicable|possible|valid|allowed|executable|holds|true)\b`)
	yes      = regexp.MustCompile(`(?i)^\W*(?:yes|y|true|x)\W*$|^[✓✔✅]\W*$`)
	no       = regexp.MustCompile(`(?i)^\W*(?:no|n|false|not (?:applicable|possible|valid|allowed|true))\W*$|^[✗✘❌]\W*$`)
	placeKey = regexp.MustCompile(`(?i)^(?:location|place|at|position)$`)
)

// Keys of an answer: under which it puts its lists, of which polarity decides between two; that name an action or
// property, and its arguments; and that number the items: {"1": ..., "step 2": ...}.
var (
	listKeys = regexp.MustCompile(`(?i)^(?:final_?)?(?:answer|plan|actions?|applicable_?actions?|applicable|steps?|moves?|state|final_?state|current_?state|resulting_?state|propert(?:y|ies)|facts?|propositions?|predicates?|effects?|result|list|items|solution|output|(?:pos|neg|positive|negative|add|added|delete|deleted|removed)(?:_?(?:effects?|list))?)$`)
	nameKey  = regexp.MustCompile(`(?i)^(?:action|name|item|act|operator|op|verb|type|predicate|property|fact|proposition|command|move|symbol|function)(?:_?name)?$`)
	argsKey  = regexp.MustCompile(`(?i)^(?:args?|arguments?|param(?:eter)?s?|objects?|terms?|on_objects)$`)
	anyKey   = regexp.MustCompile(``)
	stepKey  = regexp.MustCompile(`(?i)^(?:step|action)?[ _-]?\d+$`)
)

// value writes the items of a JSON value.
func (r *Reader) value(task Task, v *loose.Value) (lines []string) {
	switch v.Kind {
	case loose.Object:
		return r.object(task, v)
	case loose.Array:
		words, flat := plain(v.Items)
		if flat && len(words) > 0 && (len(words) == 1 || r.symbolNamed(words[0], task.Actions()) != nil) && r.atom(words, task.Actions()) != nil {
			return []string{inParens(words...)} // ["unstack", "a", "b"]
		}
		for i := range v.Items {
			lines = append(lines, r.value(task, &v.Items[i])...)
		}
		if len(v.Items) > 0 {
			return lines
		}
		return []string{"none"}
	case loose.Null:
		return []string{"none"}
	}
	return []string{v.Text}
}

// inParens writes an item in PDDL.
func inParens(words ...string) string { return "(" + strings.Join(words, " ") + ")" }

// plain returns the texts of values in lower case; ok is false where one is a list or an object.
func plain(items []loose.Value) (words []string, ok bool) {
	for i := range items {
		if k := items[i].Kind; k != loose.String && k != loose.Word && k != loose.Number {
			return nil, false
		}
		words = append(words, strings.ToLower(items[i].Text))
	}
	return words, true
}

// object writes an action or property with keys, an object with its properties, or a list that is kept under a key.
func (r *Reader) object(task Task, v *loose.Value) (lines []string) {
	all, n := v, min(len(v.Items), len(v.Keys))
	v = &loose.Value{Kind: loose.Object}
	for i, k := range all.Keys[:n] {
		if want, other := sides(task); !is(other, k) || is(want, k) {
			v.Keys, v.Items = append(v.Keys, k), append(v.Items, all.Items[i])
		}
	}
	n = len(v.Keys)
	if line := r.named(task, v, nameKey); line != "" {
		return r.unless(task, line, v)
	}
	if n > 0 && !slices.ContainsFunc(v.Keys, func(k string) bool { return !stepKey.MatchString(k) }) {
		return r.value(task, &loose.Value{Kind: loose.Array, Items: v.Items})
	}
	for i, k := range slices.Backward(v.Keys) { // the last list of what was asked for
		if listKeys.MatchString(k) && v.Items[i].Kind != loose.Number {
			if lines = r.value(task, &v.Items[i]); len(lines) > 0 {
				return lines
			}
		}
	}
	if n > 1 && !task.Actions() && r.known(v.Items[0].Text) != "" && r.symbolNamed(v.Keys[0], false) == nil {
		for i := 1; i < n; i++ {
			lines = append(lines, r.property(v.Items[0].Text, v.Keys[i], &v.Items[i])...)
		}
		return lines
	}
	for i, k := range v.Keys { // {"pick-up": ["a"]}, {"clear": ["a", "b"], "handempty": true}
		item := &v.Items[i]
		switch s := r.symbolNamed(k, task.Actions()); {
		case s != nil:
			lines = append(lines, r.under(s, item)...)
		case !task.Actions() && item.Kind == loose.Object && r.known(k) != "": // {"a": {"on": "b", "clear": true}}
			for j := range min(len(item.Keys), len(item.Items)) {
				lines = append(lines, r.property(k, item.Keys[j], &item.Items[j])...)
			}
		case handWords.MatchString(k) && item.Text != "":
			lines = append(lines, k+": "+item.Text)
		case item.Kind >= loose.Array:
			lines = append(lines, r.value(task, item)...)
		}
	}
	if line := r.named(task, v, anyKey); lines == nil && line != "" {
		return r.unless(task, line, v)
	}
	return lines
}

// named writes the item that an object names under a key: a symbol with its arguments under other keys, or words.
func (r *Reader) named(task Task, v *loose.Value, key *regexp.Regexp) string {
	for i, k := range v.Keys {
		if key.MatchString(k) && v.Items[i].Kind == loose.String {
			if s := r.symbolNamed(v.Items[i].Text, task.Actions()); s != nil {
				return r.keyed(s, v, i)
			}
			if len(r.items(task, v.Items[i].Text)) > 0 { // {"step": 1, "action": "pick up a"}
				return v.Items[i].Text
			}
		}
	}
	return ""
}

// unless leaves out an action, or negates a property, of which another value of its object says that it is not so.
func (r *Reader) unless(task Task, line string, v *loose.Value) []string {
	for i := range v.Items {
		item := &v.Items[i]
		switch refused := item.Kind == loose.Bool && item.Text == "false" && truthKey.MatchString(v.Keys[i]); {
		case !refused && (item.Kind != loose.String || !no.MatchString(item.Text)):
		case task.Actions():
			return nil
		default:
			return []string{"not " + line}
		}
	}
	return []string{line}
}

// property writes a property that an object has under a key: {"block": "a", "on": "b", "clear": true}.
func (r *Reader) property(subject, key string, v *loose.Value) []string {
	key = strings.TrimPrefix(strings.ToLower(key), "is ")
	switch text := strings.ToLower(v.Text); {
	case ruler.MatchString(text) || text == "none" || v.Kind == loose.Null:
		return nil
	case yes.MatchString(text):
		return []string{subject + " is " + key}
	case no.MatchString(text):
		return []string{subject + " is not " + key}
	case placeKey.MatchString(key) && r.known(text) != "":
		return []string{subject + " is at " + text}
	default:
		return []string{subject + " is " + key + " " + text}
	}
}

// under writes the items whose arguments are kept under the name of a symbol.
func (r *Reader) under(s *symbol, v *loose.Value) (lines []string) {
	switch v.Kind {
	case loose.Bool:
		if len(s.params) == 0 && v.Text == "true" {
			return []string{inParens(s.name)}
		}
	case loose.String, loose.Word:
		return []string{inParens(s.name, v.Text)}
	case loose.Object:
		if len(s.params) != 2 || len(v.Keys) == 0 || slices.ContainsFunc(v.Keys, func(k string) bool { return r.known(k) == "" || s.keyFor(k) >= 0 }) {
			return []string{r.keyed(s, v, -1)}
		}
		for i := range v.Items { // {"on": {"a": "b"}}
			lines = append(lines, inParens(s.name, v.Keys[i], v.Items[i].Text))
		}
	case loose.Array:
		words, flat := plain(v.Items)
		if flat && len(words) > 0 && len(s.params) != 1 && !strings.Contains(words[0], " ") {
			return []string{inParens(s.name, strings.Join(words, " "))}
		}
		for i := range v.Items {
			lines = append(lines, r.under(s, &v.Items[i])...)
		}
	}
	return lines
}

// known returns the object that a text names and nothing else, or "".
func (r *Reader) known(text string) string {
	m := r.mark("object " + text)
	if len(m.seen) != 1 || len(m.words) != 1 || !m.seen[0].known {
		return ""
	}
	return m.seen[0].name
}

// keyed writes a symbol with the values under other keys: a list, or arguments by name or else by type, in order.
func (r *Reader) keyed(s *symbol, v *loose.Value, nameAt int) string {
	args := make([]string, len(s.params))
	var rest []string
	for i := range v.Keys {
		item := &v.Items[i]
		if list := argsKey.MatchString(v.Keys[i]); i == nameAt {
			continue
		} else if list && item.Kind == loose.Object {
			return r.keyed(s, item, -1)
		} else if words, ok := plain(item.Items); list && ok && item.Kind == loose.Array {
			return inParens(s.name, strings.Join(words, " "))
		}
		if k := s.keyFor(v.Keys[i]); item.Kind != loose.String && item.Kind != loose.Word {
			continue
		} else if k >= 0 && args[k] == "" {
			args[k] = item.Text
		} else if o := r.known(item.Text); o != "" {
			rest = append(rest, o)
		}
	}
	words := []string{s.name}
	for k, a := range args {
		if i := slices.IndexFunc(rest, func(o string) bool { return r.fits(s, k, mention{o, true}) }); a == "" && i >= 0 {
			a = rest[i]
			rest = slices.Delete(rest, i, i+1)
		}
		words = append(words, strings.Fields(a)...)
	}
	return inParens(append(words, rest...)...)
}

// keyFor returns the parameter that a key names, or -1.
func (s *symbol) keyFor(key string) int {
	for i, p := range s.params {
		if named([]string{strings.TrimPrefix(p.Name, "?")}, key) || i < len(s.args) && named(s.args[i], key) {
			return i
		}
	}
	return -1
}
