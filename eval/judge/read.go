package judge

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/eval"
	"parley/sim/llm"
	"parley/sim/llm/loose"
)

// Reading is the verdict that a reply was read as, or why there is none.
type Reading struct {
	Status eval.Status     // Scored or Unparsed
	Value  json.RawMessage // nil unless scored
	Reason string          // why there is no value
	// Method says how the value was found: json; loose json, which had mistakes that do not change its
	// meaning; or line, "VERDICT: value" in a line of its own.
	Method string
	// Keys holds the properties one by one, where the verdict is an object of them: what can be had of
	// independent labels when one of them cannot be read.
	Keys map[string]Reading

	value  any
	text   string       // the reply without its reasoning
	object *loose.Value // the object that states the verdict, in text
}

func unread(format string, args ...any) Reading {
	return Reading{Status: eval.Unparsed, Reason: fmt.Sprintf(format, args...)}
}

func said(v any, method string) Reading {
	raw, err := json.Marshal(v)
	if err != nil {
		return unread("the value cannot be written: %v", err)
	}
	return Reading{Status: eval.Scored, Value: raw, Method: method, value: v}
}

// Read finds the verdict in a judge's reply: the last object or list that has the form of the schema (and
// carries the nonce, where the schema is that of a question); else a scalar that is the whole reply; else the
// one line "VERDICT: value". What is cut off, broken, not in the schema or out of range is unparsed, with the
// reason, and so is a reply that gives two different values or takes its verdict back. Nothing is guessed,
// clamped or filled in, and a value always satisfies the schema. A nil schema takes any object. The time is
// linear in the reply.
func Read(raw string, schema *Schema) Reading {
	_, text, ok := llm.SplitReasoning(raw)
	switch {
	case !ok:
		return unread("the reply ends within its reasoning")
	case strings.TrimSpace(text) == "":
		return unread("the reply is empty")
	}
	r := reader{text: text, bare: strings.TrimSpace(fence.ReplaceAllString(text, "")), schema: schema}
	if schema != nil {
		r.root = schema.part()
		r.names = r.root.names()
	}
	reading := r.read(loose.Find(text))
	if reading.Status == eval.Scored {
		if err := schema.valid(reading.value); err != nil {
			keys := reading.Keys
			reading = unread("the verdict is not in the schema: %v", err)
			reading.Keys = keys
		}
	}
	reading.text = text
	return reading
}

// reader reads one reply.
type reader struct {
	text   string
	bare   string  // without fences and white space around
	schema *Schema // nil: any object is a verdict
	root   part
	names  map[string]string
}

func (r *reader) read(found []loose.Value) Reading {
	verdicts, partial, why := r.verdicts(found)
	switch {
	case why != "":
		return unread("%s", why)
	case len(verdicts) == 0:
		return r.without(partial)
	}
	last := verdicts[len(verdicts)-1]
	for _, other := range verdicts {
		if other.Status != last.Status || !r.agree(other.value, last.value) {
			return unread("%d verdicts are given, and differ", len(verdicts))
		}
	}
	if last.Status != eval.Scored {
		return last
	}
	if partial != nil && !r.secret() {
		if shared := r.object(partial); shared.differs(last) {
			return unread("two objects give different values")
		}
	}
	if why := r.schema.retracted(r.behind(verdicts[0].object, found), r.reasons(last.object), last.value); why != "" {
		return unread("%s", why)
	}
	return last
}

// verdicts reads what states the verdict, and returns the last object that states a part of it. It gives a reason
// where one of them is not whole.
func (r *reader) verdicts(found []loose.Value) (verdicts []Reading, partial *loose.Value, why string) {
	for i := range found {
		v := &found[i]
		states, some := r.states(v)
		switch {
		case v.State != loose.Whole && (states || some):
			return nil, nil, "an object in the reply is " + map[loose.State]string{loose.Broken: "broken", loose.Cut: "cut off"}[v.State]
		case states:
			reading := r.object(v)
			if v.Kind == loose.Array && reading.Status != eval.Scored && len(found) > 1 {
				continue // such as the number of a note
			}
			verdicts = append(verdicts, reading)
		case some:
			partial = v
		}
	}
	return verdicts, partial, ""
}

// behind returns the text behind a verdict, other objects aside.
func (r *reader) behind(v *loose.Value, found []loose.Value) string {
	var rest strings.Builder
	end := v.End
	for _, v := range found {
		if v.Start >= end {
			rest.WriteString(r.text[end:v.Start] + "\n")
			end = v.End
		}
	}
	return rest.String() + r.text[end:]
}

// reasons returns the strings of an object that come behind its last number, label or truth value.
func (r *reader) reasons(v *loose.Value) string {
	text := ""
	for i, key := range v.Keys {
		p := partOf(r.root.properties()[r.root.named(key, r.names)])
		if _, listed := p.choices(); v.Items[i].Kind != loose.String || listed || !p.typed("string") {
			text = ""
			continue
		}
		text += v.Items[i].Text + "\n"
	}
	return text
}

// secret reports whether a verdict has to carry a nonce.
func (r *reader) secret() bool { return r.schema != nil && r.schema.nonce != "" }

// states reports whether a value states the verdict, or some of it.
func (r *reader) states(v *loose.Value) (all, some bool) {
	switch {
	case r.schema == nil:
		whole := r.bare == r.text[v.Start:v.End]
		objects := v.Kind == loose.Object || slices.ContainsFunc(v.Items, func(item loose.Value) bool { return item.Kind == loose.Object })
		return (whole || objects) && (len(v.Items) > 0 || v.State != loose.Whole), false
	case v.Kind == loose.Array:
		return !r.secret() && r.root.typed("array"), false
	case r.secret():
		nonce := v.Get(nonceKey)
		return nonce != nil && nonce.Kind == loose.String && nonce.Text == r.schema.nonce, false
	case r.scalar():
		return r.answer(v) != nil, false
	}
	missing := slices.Clone(r.root.required())
	for _, key := range v.Keys {
		property := r.root.named(key, r.names)
		some = some || property != ""
		missing = slices.DeleteFunc(missing, func(one string) bool { return one == property })
	}
	if len(r.root.properties()) == 0 {
		return true, true
	}
	return some && len(missing) == 0, some
}

// scalar reports whether the verdict is a single value.
func (r *reader) scalar() bool {
	p := r.root
	return p != nil && !p.object() && !p.typed("array") && p["oneOf"] == nil && p["anyOf"] == nil && p["$ref"] == nil
}

// answer returns the value of an object around a single one.
func (r *reader) answer(v *loose.Value) *loose.Value {
	var only *loose.Value
	for i, key := range v.Keys {
		if answerKeys[letters(key)] {
			if only != nil && !same(only.Text, v.Items[i].Text) {
				return v // two answers are none
			}
			only = &v.Items[i]
		}
	}
	return only
}

// object reads one value in the terms of the schema.
func (r *reader) object(v *loose.Value) Reading {
	method := "json"
	if v.Loose {
		method = "loose json"
	}
	var got any
	var err error
	switch {
	case r.schema == nil:
		got, err = literal(v)
	case v.Kind == loose.Object && r.scalar():
		got, err = coerce(r.answer(v), r.schema.root)
	default:
		got, err = coerce(v, r.schema.root)
	}
	reading := said(got, method)
	if err != nil {
		reading = unread("%v", err)
	}
	if v.Kind == loose.Object && r.root.properties() != nil {
		reading.Keys = r.keys(v)
	}
	reading.object = v
	return reading
}

// keys reads every property on its own.
func (r *reader) keys(v *loose.Value) map[string]Reading {
	out, failed := members(v, r.root)
	keys := map[string]Reading{}
	for property, own := range r.schema.checks() {
		got, ok := out[property]
		err := failed[property]
		if !ok && (err == nil || err == errMissing) {
			continue
		}
		if err == nil {
			err = firstCause(own.Validate(got))
		}
		if err != nil {
			keys[property] = unread("%v", err)
		} else {
			keys[property] = said(got, "json")
		}
	}
	return keys
}

// agree reports whether two verdicts say the same, whatever their reasons in words are.
func (r *reader) agree(a, b any) bool {
	x, _ := a.(map[string]any)
	y, ok := b.(map[string]any)
	if !ok {
		return same(a, b)
	}
	for property, schema := range r.root.properties() {
		p := partOf(schema)
		if _, listed := p.choices(); p.typed("string") && !listed {
			continue
		}
		if !same(x[property], y[property]) {
			return false
		}
	}
	return len(r.root.properties()) > 0 || same(a, b)
}

// differs reports whether a property was read in both, as different labels or numbers.
func (r Reading) differs(from Reading) bool {
	for property, own := range r.Keys {
		other, ok := from.Keys[property]
		_, text := own.value.(string)
		if ok && own.Status == eval.Scored && other.Status == eval.Scored && !text && !same(own.value, other.value) {
			return true
		}
	}
	return false
}

var (
	fence       = regexp.MustCompile("```[a-zA-Z]*")
	verdictLine = regexp.MustCompile(`(?im)^[ \t*_#]*verdict[*_ \t]*[:=](.*)$`)
)

// without reads a reply that holds no object in the form of the schema.
func (r *reader) without(partial *loose.Value) Reading {
	switch {
	case r.secret():
		return unread("no object in the reply carries the nonce of this question")
	case partial != nil:
		return r.object(partial)
	}
	if v, ok := scalar(r.bare); ok {
		return r.lone(v, "json")
	}
	lines := verdictLine.FindAllStringSubmatchIndex(r.text, -1)
	if len(lines) == 0 {
		return unread("the reply states no verdict")
	}
	var reading Reading
	for i, line := range lines {
		one := r.line(tidy(r.text[line[2]:line[3]]))
		if i > 0 && (one.Status != reading.Status || !same(one.value, reading.value)) {
			return unread("%d verdicts are given, and differ", len(lines))
		}
		reading = one
	}
	if reading.Status != eval.Scored {
		return reading
	}
	rest := verdictLine.ReplaceAllString(r.text[lines[0][1]:], "")
	if why := r.schema.retracted(rest, "", reading.value); why != "" {
		return unread("%s", why)
	}
	return reading
}

// line reads the value of a verdict line.
func (r *reader) line(text string) Reading {
	v, ok := scalar(text)
	if !ok {
		v = &loose.Value{Kind: loose.String, Text: text}
	}
	if text == "" || r.schema == nil && strings.Contains(text, " ") {
		return unread("%q is no value", short(text))
	}
	return r.lone(v, "line")
}

// lone reads a value without an object around it: of the verdict itself, or of its only required property.
func (r *reader) lone(v *loose.Value, method string) Reading {
	required := r.root.required()
	one := r.root.object() && len(required) == 1
	var got any
	var err error
	switch {
	case r.schema == nil:
		got, err = literal(v)
	case one:
		got, err = coerce(v, r.root.properties()[required[0]])
		got = map[string]any{required[0]: got}
	default:
		got, err = coerce(v, r.schema.root)
	}
	if err != nil {
		return unread("%v", err)
	}
	return said(got, method)
}

// scalar reads a text that is a JSON scalar, or True or False as Python writes them.
func scalar(text string) (*loose.Value, bool) {
	if text == "True" || text == "False" {
		return &loose.Value{Kind: loose.Bool, Text: strings.ToLower(text)}, true
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return nil, false
	}
	switch v := v.(type) {
	case string:
		return &loose.Value{Kind: loose.String, Text: v}, true
	case json.Number:
		return &loose.Value{Kind: loose.Number, Text: string(v)}, true
	case bool:
		return &loose.Value{Kind: loose.Bool, Text: fmt.Sprint(v)}, true
	}
	return nil, false
}
