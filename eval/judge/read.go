package judge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/eval"
)

// Reading is what a reply was found to say.
type Reading struct {
	Status eval.Status     // Scored or Unparsed
	Value  json.RawMessage // nil unless scored
	Reason string          // why there is no value
	// Method says how the value was found: json; loose json, which had mistakes that do not change
	// its meaning; lines, of a key and a value each; mark, such as "Score: 4"; bare, the value alone;
	// or prose.
	Method string
	// Keys holds the offered properties one by one, where the verdict is an object of them: what can
	// be had of independent labels when one of them cannot be read.
	Keys map[string]Reading

	value any
	spans map[string]span // where the properties' values stand in the reply
	tail  bool            // the value stands at the very end, where a longer one may have been cut
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

// Read finds the verdict in a judge's reply. The last complete statement of the verdict counts; what
// is truncated, off the offered set, out of range, or said in two ways with no order between them is
// unparsed, with the reason. Nothing is guessed, clamped or filled in, and a value always satisfies
// the offered schema. Without a schema any object counts, and any scalar that is marked as a verdict.
// The time is linear in the reply.
func Read(raw string, offered *Schema) Reading {
	text, thinking := outside(raw)
	if strings.TrimSpace(text) == "" {
		if thinking {
			return unread("the reply ends within its reasoning")
		}
		return unread("the reply is empty")
	}
	r := &reader{text: text, offered: offered}
	if offered != nil {
		r.root = offered.follow(offered.root)
		r.c = coercer{schema: offered}
		r.shape, r.names = r.form()
	} else {
		r.c = coercer{schema: &Schema{}}
	}
	reading := r.read()
	if reading.Status != eval.Scored && offered.unticketed() {
		if inner, ok := unescaped(text); ok {
			if again := Read(inner, offered); again.Status == eval.Scored {
				again.Method, again.spans = "loose json", nil
				return again
			}
		}
	}
	if reading.Status == eval.Scored && offered != nil {
		if err := offered.valid(reading.value); err != nil {
			keys := reading.Keys
			reading = unread("the verdict is not among the offered ones: %v", err)
			reading.Keys = keys
		}
	}
	return reading
}

func (s *Schema) unticketed() bool { return s == nil || s.ticket == "" }

// unescaped undoes one layer of escaping, of an object that was sent as a string.
func unescaped(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, `{\"`) {
		return "", false
	}
	if !strings.HasPrefix(text, `"`) {
		text = `"` + text + `"`
	}
	var inner string
	if json.Unmarshal([]byte(text), &inner) != nil {
		return "", false
	}
	return inner, !strings.Contains(inner, `{\"`)
}

// reader reads one reply.
type reader struct {
	text    string
	offered *Schema
	root    part // the offered schema; nil: anything
	shape   part // its properties, those of all alternatives together
	names   names
	c       coercer
	found   scanned
}

// form joins the alternatives of an offered object.
func (r *reader) form() (part, names) {
	p := r.root
	if p == nil {
		return nil, names{}
	}
	if all := p.list("allOf"); len(all) > 0 {
		p = r.c.merge(p, "allOf", all...)
	}
	for _, word := range []string{"oneOf", "anyOf"} {
		if subs := p.list(word); len(subs) > 0 {
			required := p["required"]
			p = r.c.merge(p, word, subs...)
			delete(p, "required") // those of one alternative need not hold for another
			if required != nil {
				p["required"] = required
			}
		}
	}
	return p, p.names()
}

func (r *reader) read() Reading {
	r.found = scan(r.text)
	if r.offered == nil {
		return r.anything()
	}
	var part *node // an object that answers some of it
	for i, root := range slices.Backward(r.found.roots) {
		answers := r.answers(root, "", nil, &part)
		if len(answers) == 0 {
			continue
		}
		reading := r.decide(answers)
		if i > 0 && r.beside(r.found.roots[i-1], root) {
			var none *node
			if others := r.answers(r.found.roots[i-1], "", nil, &none); len(others) > 0 && !same(r.decide(others).value, reading.value) {
				return unread("two verdicts are offered side by side")
			}
		}
		if why := r.doubt(root, reading); why != "" {
			return unread("%s", why)
		}
		if r.scalar() {
			return r.last(root, reading)
		}
		if why := r.contradicted(root.end, reading); why != "" {
			return unread("%s", why)
		}
		return reading
	}
	if why := r.doubt(nil, Reading{}); why != "" {
		return unread("%s", why)
	}
	if r.offered.ticket != "" {
		return unread("no object in the reply carries the ticket of this question")
	}
	if r.scalar() {
		return r.last(nil, Reading{})
	}
	if part != nil {
		return r.object(part)
	}
	if reading, ok := r.lines(); ok {
		return reading
	}
	return r.lone()
}

// scalar reports whether the offered verdicts are single values.
func (r *reader) scalar() bool {
	return !r.shape.object() && !r.shape.typed("array") && r.shape["items"] == nil && r.shape["additionalProperties"] == nil
}

// answer is an object or list that states the verdict, with the key that it stands under.
type answer struct {
	n   *node
	key string
}

// answers collects what states the verdict within a node, outermost first. What states only a part of
// it is kept aside.
func (r *reader) answers(n *node, key string, into []answer, part **node) []answer {
	if n.kind != '{' && n.kind != '[' {
		return into
	}
	switch full, some := r.states(n); {
	case full:
		return append(into, answer{n, key})
	case some && *part == nil:
		*part = n
	}
	for i, kid := range n.kids {
		under := key
		if n.kind == '{' && i < len(n.keys) {
			under = n.keys[i]
		}
		into = r.answers(kid, under, into, part)
	}
	return into
}

// states reports whether a node states the verdict, or some of it.
func (r *reader) states(n *node) (full, some bool) {
	if t := r.offered.ticket; t != "" {
		return n.kind == '{' && r.ticketed(n), false
	}
	if n.kind == '[' {
		return !r.scalar() && (r.shape.typed("array") || r.shape["items"] != nil), false
	}
	if r.scalar() {
		return n.kind == '{' && inner(n) != nil, false
	}
	if len(r.names.exact) == 0 {
		return r.shape.object() || r.shape["additionalProperties"] != nil, false
	}
	named := map[string]bool{}
	for _, key := range n.keys {
		if property := r.names.of(key); property != "" {
			named[property] = true
		}
	}
	for _, property := range r.shape.required() {
		if !named[property] {
			return false, len(named) > 0
		}
	}
	return len(named) > 0, false
}

// ticketed reports whether an object carries the ticket, letter by letter.
func (r *reader) ticketed(n *node) bool {
	for i, key := range n.keys {
		if key == ticketKey && i < len(n.kids) && n.kids[i].kind == 's' && n.kids[i].text == r.offered.ticket {
			return true
		}
	}
	return false
}

// finals are keys that put one answer before the others within a container.
var finals = map[string]bool{
	"final": true, "verdict": true, "finalverdict": true, "answer": true, "finalanswer": true,
	"result": true, "finalresult": true, "conclusion": true, "finalscore": true,
}

// decide reads the answers of one container: they have to agree, or one of them is called final.
func (r *reader) decide(answers []answer) Reading {
	if answers[0].n.inside {
		return unread("the verdict stands within an object that is broken")
	}
	readings := make([]Reading, len(answers))
	final, finalAt := 0, 0
	for i, a := range answers {
		readings[i] = r.object(a.n)
		if finals[plain(a.key)] {
			final, finalAt = final+1, i
		}
	}
	for i := range readings[1:] {
		if readings[i+1].Status != readings[0].Status || !same(readings[i+1].value, readings[0].value) {
			if final == 1 {
				return readings[finalAt]
			}
			return unread("%d verdicts stand side by side and differ", len(answers))
		}
	}
	return readings[0]
}

// object reads one container in the terms of the schema.
func (r *reader) object(n *node) Reading {
	c := coercer{schema: r.offered, known: r.c.known, keys: map[string]Reading{}, spans: map[string]span{}}
	v, err := c.value(n, r.offered.root, 0)
	r.c.known = c.known
	if err != nil {
		reading := unread("%v", err)
		reading.Keys = c.keys
		return reading
	}
	method := "loose json"
	if json.Valid([]byte(r.text[n.start:n.end])) {
		method = "json"
	}
	reading := said(v, method)
	reading.Keys, reading.spans = c.keys, c.spans
	if len(reading.Keys) == 0 {
		reading.Keys = nil
	}
	return reading
}

// beside reports whether two roots are offered as alternatives: this or that.
func (r *reader) beside(a, b *node) bool {
	if b.start < a.end || b.start-a.end > 20 {
		return false
	}
	switch strings.ToLower(strings.Trim(r.text[a.end:b.start], " \t\r\n`,")) {
	case "or", "and", "/", "|", "vs", "and/or":
		return true
	}
	return false
}

// doubt says why begun objects that never ended forbid a reading; "": they do not. A begun object
// behind the verdict that says the same so far takes nothing away from it.
func (r *reader) doubt(root *node, reading Reading) string {
	for _, b := range slices.Backward(r.found.broken) {
		if root != nil && b.start < root.start {
			return ""
		}
		if !r.begun(b) {
			continue
		}
		if root != nil && reading.Status == eval.Scored && r.repeats(b, reading) {
			continue
		}
		what := "an object in the reply is broken"
		if b.end >= len(r.text) {
			what = "the reply is truncated within an object"
		}
		if root != nil {
			what += ", behind another verdict"
		}
		return what
	}
	return ""
}

// begun reports whether an unfinished object was to be a verdict, as far as it can be seen.
func (r *reader) begun(n *node) bool {
	if r.offered == nil {
		return true
	}
	if r.offered.ticket != "" {
		return r.ticketed(n)
	}
	known := len(n.keys) == 0
	for _, key := range n.keys {
		known = known || r.names.of(key) != "" || answers[plain(key)]
	}
	for _, kid := range n.kids {
		if kid.kind == '{' || kid.kind == '[' {
			known = known || r.begun(kid)
		}
	}
	return known || len(r.names.exact) == 0 && !r.scalar()
}

// repeats reports whether all that an unfinished object says is what the verdict says.
func (r *reader) repeats(n *node, reading Reading) bool {
	verdict, ok := reading.value.(map[string]any)
	if !ok || len(n.kids) == 0 || n.kind != '{' {
		return false
	}
	for i, kid := range n.kids {
		property := r.names.of(n.keys[i])
		if property == "" {
			continue
		}
		v, err := r.c.value(kid, r.names.exact[property], 1)
		if err != nil || !same(v, verdict[property]) {
			return false
		}
	}
	return len(n.keys) == len(n.kids)
}
