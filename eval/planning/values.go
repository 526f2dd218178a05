package planning

import (
	"regexp"
	"slices"
	"strings"

	"parley/sim/llm/loose"
)

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

// stepKey is a key that numbers an item: {"1": ..., "step 2": ...}.
var stepKey = regexp.MustCompile(`(?i)^(?:step|action)?[ _-]?\d+$`)

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
	if len(v.Keys) > 0 && len(v.Items) == len(v.Keys) && !slices.ContainsFunc(v.Keys, func(k string) bool { return !stepKey.MatchString(k) }) {
		return r.value(task, &loose.Value{Kind: loose.Array, Items: v.Items})
	}
	if list := listIn(task, v); list != nil {
		return r.value(task, list)
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
		if len(s.params) != 2 || len(v.Keys) == 0 || slices.ContainsFunc(v.Keys, func(k string) bool { return !r.named(k).known || s.keyFor(k) >= 0 }) {
			return []reading{{*r.keyed(s, v, -1), s.name}}
		}
		for i := range v.Items { // {"on": {"a": "b"}}
			one([]string{v.Keys[i], v.Items[i].Text})
		}
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
