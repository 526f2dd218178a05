package planning

import (
	"regexp"
	"slices"
	"strings"

	"parley/sim/llm/loose"
)

// values writes the items of an answer in JSON as lines of text, those in parentheses where they are taken apart. read
// is false where the text has no JSON value with or for items.
func (r *Reader) values(task Task, text string) (lines []string, read bool) {
	all := loose.Find(text)
	if len(all) > 1 && !slices.ContainsFunc(all, func(v loose.Value) bool { return v.Kind != loose.Object || v.State != loose.Whole }) {
		if got, ok := r.value(task, &loose.Value{Kind: loose.Array, Items: all}); ok && len(got) == len(all) { // one object for each item
			return got, true
		}
	}
	for i := len(all) - 1; i >= 0; i-- { // a corrected answer comes last
		v := &all[i]
		if v.State == loose.Broken || v.Kind == loose.Array && len(v.Items) == 0 && len(all) > 1 {
			continue
		}
		got, ok := r.value(task, v)
		if ok && (len(got) > 0 || len(all) == 1) {
			return got, true
		}
	}
	return nil, false
}

// Keys of an answer: under which it puts its lists, of which polarity decides between two; that name an action or
// property, and its arguments; and that number the items: {"1": ..., "step 2": ...}.
var (
	listKeys = regexp.MustCompile(`(?i)^(?:final_?)?(?:answer|plan|actions?|applicable_?actions?|applicable|steps?|state|final_?state|current_?state|resulting_?state|propert(?:y|ies)|facts?|propositions?|predicates?|effects?|result|list|items|solution|output|(?:pos|neg|positive|negative|add|added|delete|deleted|removed)(?:_?(?:effects?|list))?)$`)
	nameKey  = regexp.MustCompile(`(?i)^(?:action|name|item|act|operator|op|verb|type|predicate|property|fact|proposition|command|move|symbol|function)(?:_?name)?$`)
	argsKey  = regexp.MustCompile(`(?i)^(?:args?|arguments?|param(?:eter)?s?|objects?|terms?|on_objects)$`)
	anyKey   = regexp.MustCompile(``)
	stepKey  = regexp.MustCompile(`(?i)^(?:step|action)?[ _-]?\d+$`)
)

// value writes the items of a JSON value; ok is false where the value is none of an answer.
func (r *Reader) value(task Task, v *loose.Value) (lines []string, ok bool) {
	switch v.Kind {
	case loose.String:
		if len(r.text(task, v.Text)) > 0 {
			return []string{v.Text}, true
		}
		return nil, explicitNone(v.Text, task)
	case loose.Array:
		words, flat := plain(v.Items)
		if flat && len(words) > 0 && (len(words) == 1 || r.symbolNamed(words[0], task.Actions()) != nil) && r.atom(words, task.Actions()) != nil {
			return []string{inParens(words...)}, true // ["unstack", "a", "b"]
		}
		for i := range v.Items {
			got, ok := r.value(task, &v.Items[i])
			if !ok {
				return nil, false
			}
			lines = append(lines, got...)
		}
		return lines, true
	case loose.Object:
		return r.object(task, v)
	}
	return nil, v.Kind == loose.Null
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
func (r *Reader) object(task Task, v *loose.Value) (lines []string, ok bool) {
	v.Items, v.Keys = v.Items[:min(len(v.Items), len(v.Keys))], v.Keys[:min(len(v.Items), len(v.Keys))]
	every := func(is func(string) bool) bool {
		return !slices.ContainsFunc(v.Keys, func(k string) bool { return !is(k) })
	}
	if line := r.named(task, v, nameKey); line != "" {
		return r.unless(task, line, v), true
	}
	if len(v.Keys) > 0 && every(stepKey.MatchString) {
		return r.value(task, &loose.Value{Kind: loose.Array, Items: v.Items})
	}
	if lines, ok = r.listIn(task, v); ok {
		return lines, true
	}
	if len(v.Keys) > 1 && !task.Actions() && r.known(v.Items[0].Text) != "" && r.symbolNamed(v.Keys[0], false) == nil {
		for i := 1; i < len(v.Keys); i++ {
			lines = append(lines, r.property(v.Items[0].Text, v.Keys[i], &v.Items[i]))
		}
		return lines, true
	}
	for i, k := range v.Keys { // {"pick-up": ["a"]}, {"clear": ["a", "b"], "handempty": true}
		if s := r.symbolNamed(k, task.Actions()); s != nil {
			lines, ok = append(lines, r.under(s, &v.Items[i])...), true
		}
	}
	if line := r.named(task, v, anyKey); !ok && line != "" {
		return r.unless(task, line, v), true
	}
	return lines, ok || len(v.Keys) == 0
}

// listIn writes the last list that an object keeps under a key for what was asked.
func (r *Reader) listIn(task Task, v *loose.Value) (lines []string, ok bool) {
	for i, k := range slices.Backward(v.Keys) {
		if _, other := sides(task); listKeys.MatchString(k) && v.Items[i].Kind != loose.Number && !is(other, k) {
			if lines, ok = r.value(task, &v.Items[i]); ok {
				return lines, true
			}
		}
	}
	return nil, false
}

// named writes the item that an object names under a key: a symbol with its arguments under other keys, or words.
func (r *Reader) named(task Task, v *loose.Value, key *regexp.Regexp) string {
	for i, k := range v.Keys {
		if key.MatchString(k) && v.Items[i].Kind == loose.String {
			if s := r.symbolNamed(v.Items[i].Text, task.Actions()); s != nil {
				return r.keyed(s, v, i)
			}
			if len(r.text(task, v.Items[i].Text)) > 0 { // {"step": 1, "action": "pick up a"}
				return v.Items[i].Text
			}
		}
	}
	return ""
}

// unless leaves out an action, or negates a property, of which another value of its object says that it is not so.
func (r *Reader) unless(task Task, line string, v *loose.Value) []string {
	for i := range v.Items {
		switch {
		case !refused(v.Keys[i], &v.Items[i]):
		case task.Actions():
			return nil
		default:
			return []string{"not " + line}
		}
	}
	return []string{line}
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

// keyed writes the arguments of a symbol from the other keys of an object: a list, or one key for each,
// by the names of the parameters, by other names for them, or else by their types in order.
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
		if i := slices.IndexFunc(rest, func(o string) bool { return r.typeFits(s, k, o) }); a == "" && i >= 0 {
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
