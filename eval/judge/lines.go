package judge

import (
	"fmt"
	"strings"

	"parley/eval"
)

// pair splits a line of the kind "clarity: good".
func pair(line string) (key, value string, ok bool) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '>' || line[0] == '|' {
		return "", "", false
	}
	at := strings.IndexAny(line, ":=")
	if at <= 0 || at > longest {
		return "", "", false
	}
	return line[:at], strings.TrimSpace(strings.NewReplacer("*", "", "`", "").Replace(line[at+1:])), true
}

// lines reads an object that is written as lines of a key and a value each.
func (r *reader) lines() (Reading, bool) {
	n := &node{kind: '{'}
	place := map[string]int{}
	for _, line := range strings.Split(r.spoken(0), "\n") {
		key, value, ok := pair(line)
		if !ok || value == "" {
			continue
		}
		property := r.names.of(strings.TrimSpace(listed.ReplaceAllString(key, "")))
		if property == "" {
			continue
		}
		kid := &node{kind: kindOf(value), text: unquote(strings.TrimRight(value, ","))}
		if at, again := place[property]; again {
			n.kids[at] = kid // the last one counts
			continue
		}
		place[property] = len(n.kids)
		n.keys, n.kids = append(n.keys, property), append(n.kids, kid)
	}
	if len(n.kids) == 0 {
		return Reading{}, false
	}
	for _, property := range r.shape.required() {
		if _, ok := place[property]; !ok {
			if len(r.shape.required()) == 1 {
				return Reading{}, false
			}
			return unread("%q: it is missing", property), true
		}
	}
	reading := r.object(n)
	if reading.Status == eval.Scored {
		reading.Method = "lines"
	}
	reading.spans = nil
	return reading, true
}

// contradicted says which line behind a verdict takes it back; "": none does.
func (r *reader) contradicted(from int, reading Reading) string {
	verdict, ok := reading.value.(map[string]any)
	if !ok || r.offered.ticket != "" || reading.Status != eval.Scored {
		return ""
	}
	for _, line := range strings.Split(r.spoken(from), "\n") {
		key, value, ok := pair(line)
		if !ok {
			continue
		}
		words := strings.Fields(key)
		for n := 1; n <= min(3, len(words)); n++ {
			property := r.names.of(strings.Join(words[len(words)-n:], " "))
			if property == "" {
				continue
			}
			v, err := r.c.value(&node{kind: kindOf(value), text: value}, r.names.exact[property], 1)
			if _, text := v.(string); err == nil && text && !r.labels(property) {
				break
			}
			if err == nil && !same(v, verdict[property]) {
				return fmt.Sprintf("%q is given again behind the object, with another value", property)
			}
			break
		}
	}
	return ""
}

// labels reports whether a property offers listed values, and not free text.
func (r *reader) labels(property string) bool {
	_, ok := r.offered.follow(r.names.exact[property]).choices()
	return ok
}

// lone reads a reply that is nothing but the value of the only required property.
func (r *reader) lone() Reading {
	none := unread("the reply states no verdict")
	required := r.shape.required()
	if len(r.text) > 1000 {
		return none
	}
	text := strings.TrimSpace(strings.Trim(strings.TrimSpace(fence.ReplaceAllString(r.text, "")), "`"))
	if len(required) != 1 || len(text) > 60 || strings.Contains(text, "\n") {
		return none
	}
	own := r.offered.follow(r.names.exact[required[0]])
	if own == nil {
		return none
	}
	if _, ok := own.choices(); !ok && !own.typed("boolean") && !own.typed("integer") && !own.typed("number") {
		return none
	}
	v, err := r.c.value(&node{kind: kindOf(text), text: unquote(text)}, map[string]any(own), 1)
	if err != nil {
		return unread("%v", err)
	}
	return said(map[string]any{required[0]: v}, "bare")
}
