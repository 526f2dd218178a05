package planning

import (
	"regexp"
	"slices"
	"strings"

	"parley/sim/llm/loose"
)

// values reads an answer in JSON. read is false where the text has no JSON value with or for items.
func (r *Reader) values(task Task, text string) (items []found, read bool) {
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

// listKeys are keys under which answers put their lists; polarity decides between two of them.
var listKeys = regexp.MustCompile(`(?i)^(?:final_?)?(?:answer|plan|actions?|applicable_?actions?|applicable|steps?|state|final_?state|current_?state|resulting_?state|propert(?:y|ies)|facts?|propositions?|predicates?|effects?|result|list|items|solution|output|(?:pos|neg|positive|negative|add|added|delete|deleted|removed)(?:_?(?:effects?|list))?)$`)

// value reads items out of a JSON value; ok is false where the value is none of an answer.
func (r *Reader) value(task Task, v *loose.Value) ([]found, bool) {
	switch v.Kind {
	case loose.String:
		got := r.text(task, v.Text)
		return got, len(got) > 0 || explicitNone(v.Text, task)
	case loose.Array:
		if f := r.tuple(task, v); f != nil {
			return []found{*f}, true
		}
		var out []found
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

// tuple reads ["unstack", "a", "b"]; nil where an array is none.
func (r *Reader) tuple(task Task, v *loose.Value) *found {
	words, ok := plain(v.Items)
	if !ok || len(words) == 0 || len(words) > 1 && r.symbolNamed(words[0], task.Actions()) == nil {
		return nil
	}
	f := r.atom(words, task.Actions())
	if f != nil {
		f.text = strings.Join(words, " ")
	}
	return f
}

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

var (
	nameKey = regexp.MustCompile(`(?i)^(?:action|name|act|operator|op|verb|type|predicate|property|fact|proposition|command|move|symbol|function)(?:_?name)?$`)
	argsKey = regexp.MustCompile(`(?i)^(?:args?|arguments?|param(?:eter)?s?|objects?|terms?|on_objects)$`)
)

// stepKey is a key that numbers an item: {"1": ..., "step 2": ...}.
var stepKey = regexp.MustCompile(`(?i)^(?:step|action)?[ _-]?\d+$`)

// object reads an action or property with keys, or a list that is kept under a key.
func (r *Reader) object(task Task, v *loose.Value) ([]found, bool) {
	for i, k := range v.Keys {
		if i < len(v.Items) && nameKey.MatchString(k) && v.Items[i].Kind == loose.String {
			if s := r.symbolNamed(v.Items[i].Text, task.Actions()); s != nil {
				return []found{r.keyed(s, v, i)}, true
			}
			if got := r.text(task, v.Items[i].Text); len(got) > 0 { // {"step": 1, "action": "pick up a"}
				return got, true
			}
		}
	}
	if len(v.Keys) > 0 && len(v.Items) == len(v.Keys) && !slices.ContainsFunc(v.Keys, func(k string) bool { return !stepKey.MatchString(k) }) {
		return r.value(task, &loose.Value{Kind: loose.Array, Items: v.Items})
	}
	if list := listIn(task, v); list != nil {
		return r.value(task, list)
	}
	var out []found
	for i, k := range v.Keys { // {"pick-up": ["a"]}, {"clear": ["a", "b"], "handempty": true}
		s := r.symbolNamed(k, task.Actions())
		if s == nil || i >= len(v.Items) {
			continue
		}
		out = append(out, r.under(s, &v.Items[i])...)
	}
	return out, len(out) > 0 || len(v.Keys) == 0
}

// listIn returns the last value of an object whose key names a list of what was asked for, or nil.
func listIn(task Task, v *loose.Value) (list *loose.Value) {
	for i, k := range v.Keys {
		other := task == Positive && negativeHead.MatchString(k) || task == Negative && positiveHead.MatchString(k)
		if i < len(v.Items) && listKeys.MatchString(k) && v.Items[i].Kind != loose.Number && !other {
			list = &v.Items[i]
		}
	}
	return list
}

// under reads the arguments that are kept under the name of a symbol.
func (r *Reader) under(s *symbol, v *loose.Value) (out []found) {
	switch v.Kind {
	case loose.Bool:
		if len(s.params) == 0 && v.Text == "true" {
			out = append(out, r.applied(s))
		}
	case loose.String, loose.Word:
		out = append(out, r.applied(s, strings.Fields(strings.ReplaceAll(v.Text, ",", " "))...))
	case loose.Object:
		if len(s.params) != 2 || len(v.Keys) == 0 || slices.ContainsFunc(v.Keys, func(k string) bool { return !r.named(k).known || s.keyFor(k) >= 0 }) {
			return []found{r.keyed(s, v, -1)}
		}
		for i := range v.Items { // {"on": {"a": "b"}}
			out = append(out, r.applied(s, v.Keys[i], v.Items[i].Text))
		}
	case loose.Array:
		words, flat := plain(v.Items)
		if flat && len(words) > 0 && len(s.params) != 1 {
			return []found{r.applied(s, words...)}
		}
		for i := range v.Items {
			out = append(out, r.under(s, &v.Items[i])...)
		}
	}
	return out
}

// applied returns a symbol with objects that texts name.
func (r *Reader) applied(s *symbol, objects ...string) found {
	f := found{sym: s, name: s.name, text: strings.Join(append([]string{s.name}, objects...), " ")}
	for _, o := range objects {
		f.args = append(f.args, r.named(o))
	}
	return f
}

// named resolves a word that names an object.
func (r *Reader) named(word string) mention {
	m := r.mark("object " + word)
	if len(m.seen) == 1 && len(m.words) == 1 {
		return m.seen[0]
	}
	return mention{strings.ToLower(strings.ReplaceAll(strings.TrimSpace(word), " ", "_")), false}
}

// keyed reads the arguments of a symbol from the other keys of an object: a list, or one key for each,
// by the names of the parameters, by other names for them, or in their order.
func (r *Reader) keyed(s *symbol, v *loose.Value, nameAt int) found {
	args := make([]*mention, len(s.params))
	var rest []mention
	for i := range min(len(v.Items), len(v.Keys)) {
		item := &v.Items[i]
		if list := argsKey.MatchString(v.Keys[i]); i == nameAt {
			continue
		} else if list && item.Kind == loose.Object {
			return r.keyed(s, item, -1)
		} else if words, ok := plain(item.Items); list && ok && item.Kind == loose.Array {
			return r.applied(s, words...)
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
	f := found{sym: s, name: s.name, text: s.name}
	for _, a := range args {
		if a == nil && len(rest) > 0 {
			a, rest = &rest[0], rest[1:]
		}
		if a != nil {
			f.args = append(f.args, *a)
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
