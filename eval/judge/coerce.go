package judge

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// coercer understands what was found in a reply in the terms of a schema.
type coercer struct {
	schema *Schema
	known  map[uintptr]names // by the properties' map
	steps  int
	keys   map[string]Reading // of the outermost object: each property on its own
	spans  map[string]span    // of the outermost object: where each property's value stands
}

// span is a place in a text, from the first byte to behind the last one.
type span struct{ start, end int }

// patience bounds the work on one value; only schemas that branch at every level come near it.
const patience = 1_000_000

func (c *coercer) namesOf(p part) names {
	props := p.properties()
	if props == nil {
		return names{}
	}
	id := reflect.ValueOf(props).Pointer()
	n, ok := c.known[id]
	if !ok {
		n = p.names()
		if c.known == nil {
			c.known = map[uintptr]names{}
		}
		c.known[id] = n
	}
	return n
}

// value returns what a node says in the terms of a schema. Nothing is clamped, rounded or filled in.
func (c *coercer) value(n *node, schema any, depth int) (any, error) {
	if c.steps++; c.steps > patience {
		return nil, errors.New("the reply is too tangled for this schema")
	}
	p := c.schema.follow(schema)
	if p == nil {
		return c.literal(n)
	}
	if all := p.list("allOf"); len(all) > 0 {
		return c.value(n, map[string]any(c.merge(p, "allOf", all...)), depth)
	}
	for _, word := range []string{"oneOf", "anyOf"} {
		if branches := p.list(word); len(branches) > 0 {
			return c.branch(n, p, word, branches, depth)
		}
	}
	if choices, ok := p.choices(); ok {
		return c.choose(n, choices, p)
	}
	switch types := p.types(); {
	case n.kind == '{' && p.object():
		return c.object(n, p, depth)
	case n.kind == '[' && (p.typed("array") || len(types) == 0 && p["items"] != nil):
		return c.array(n, p, depth)
	case len(types) == 0:
		_, low := p.bound("minimum")
		_, high := p.bound("maximum")
		if low || high {
			return c.as(n, "number", p)
		}
		return c.literal(n)
	default:
		return c.typed(n, types, p)
	}
}

// merge joins subschemas into the schema that holds them.
func (c *coercer) merge(p part, word string, subs ...any) part {
	joined := maps.Clone(p)
	delete(joined, word)
	props := maps.Clone(p.properties())
	required := slices.Clone(p.list("required"))
	for _, sub := range subs {
		from := c.schema.follow(sub)
		for key, v := range from {
			switch key {
			case "properties":
				if props == nil {
					props = map[string]any{}
				}
				maps.Copy(props, from.properties())
			case "required":
				required = append(required, from.list("required")...)
			default:
				joined[key] = v
			}
		}
	}
	if props != nil {
		joined["properties"] = props
	}
	if len(required) > 0 {
		joined["required"] = required
	}
	return joined
}

// branch tries every alternative. A value that one of them takes as it stands is taken as it stands;
// otherwise all that can be made of it have to agree.
func (c *coercer) branch(n *node, p part, word string, branches []any, depth int) (any, error) {
	asIs, asIsErr := c.literal(n)
	var values []any
	var first error
	for _, b := range branches {
		v, err := c.value(n, map[string]any(c.merge(p, word, b)), depth)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		if asIsErr == nil && same(v, asIs) {
			return v, nil
		}
		if !slices.ContainsFunc(values, func(o any) bool { return same(o, v) }) {
			values = append(values, v)
		}
	}
	switch len(values) {
	case 0:
		return nil, first
	case 1:
		return values[0], nil
	}
	return nil, fmt.Errorf("%s can be read in %d ways", show(n), len(values))
}

// kinds names the JSON types that a node has as it stands.
var kinds = map[byte][]string{
	'{': {"object"}, '[': {"array"}, 's': {"string"}, 'w': {"string"}, '0': {"number", "integer"},
	't': {"boolean"}, 'f': {"boolean"}, 'n': {"null"},
}

func (c *coercer) typed(n *node, types []string, p part) (any, error) {
	var first error
	var values []any
	for _, own := range []bool{true, false} {
		for _, t := range types {
			if slices.Contains(kinds[n.kind], t) != own {
				continue
			}
			v, err := c.as(n, t, p)
			if err != nil {
				if first == nil {
					first = err
				}
				continue
			}
			if own {
				return v, nil
			}
			if !slices.ContainsFunc(values, func(o any) bool { return same(o, v) }) {
				values = append(values, v)
			}
		}
	}
	switch len(values) {
	case 0:
		return nil, first
	case 1:
		return values[0], nil
	}
	return nil, fmt.Errorf("%s can be read in %d ways", show(n), len(values))
}

// as reads a node as one type that is not its own container.
func (c *coercer) as(n *node, kind string, p part) (any, error) {
	switch kind {
	case "string":
		switch n.kind {
		case 's', 'w', '0', 't', 'f':
			return n.text, nil
		}
	case "number", "integer":
		if n := inner(n); n != nil {
			return readNumber(n, p, kind == "integer")
		}
	case "boolean":
		if n := inner(n); n != nil {
			if b, ok := readBool(n.text); ok && n.kind != '0' {
				return b, nil
			}
			return nil, fmt.Errorf("%s is neither true nor false", show(n))
		}
	case "null":
		if n.kind == 'n' {
			return nil, nil
		}
	}
	if n.kind == 'n' {
		return nil, errors.New("no value is given")
	}
	return nil, fmt.Errorf("%s is no %s", show(n), kind)
}

// inner unwraps a scalar: a list of one, or an object with exactly one key that means "the answer".
// It returns nil where there is none.
func inner(n *node) *node {
	for range deepest {
		switch n.kind {
		case '[':
			if len(n.kids) != 1 {
				return nil
			}
			n = n.kids[0]
		case '{':
			var only *node
			for i, key := range n.keys {
				if i < len(n.kids) && answers[plain(key)] {
					if only != nil {
						return nil
					}
					only = n.kids[i]
				}
			}
			if only == nil {
				return nil
			}
			n = only
		case 'n':
			return nil
		default:
			return n
		}
	}
	return nil
}

// choose finds the offered value that a node means.
func (c *coercer) choose(n *node, choices []any, p part) (any, error) {
	if n.kind == '{' || n.kind == '[' {
		if v, err := c.literal(n); err == nil {
			for _, choice := range choices {
				if same(v, choice) {
					return choice, nil
				}
			}
		}
	}
	if n.kind == 'n' {
		if slices.Contains(choices, any(nil)) {
			return nil, nil
		}
		return nil, errors.New("no value is given")
	}
	scalar := inner(n)
	if scalar == nil {
		return nil, fmt.Errorf("%s is not one of the offered %s", show(n), offer(choices))
	}
	if exact, _ := p["x-exact"].(bool); exact {
		for _, choice := range choices {
			if choice == scalar.text {
				return choice, nil
			}
		}
		return nil, fmt.Errorf("%s is not what was asked for", show(n))
	}
	return pick(scalar, choices)
}

func (c *coercer) array(n *node, p part, depth int) (any, error) {
	list := make([]any, 0, len(n.kids))
	for i, kid := range n.kids {
		v, err := c.value(kid, p["items"], depth+1)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i+1, err)
		}
		list = append(list, v)
	}
	return list, nil
}

// object reads every property, also behind one that cannot be read, so that independent labels can
// be had one by one.
func (c *coercer) object(n *node, p part, depth int) (any, error) {
	names := c.namesOf(p)
	out := map[string]any{}
	failed := map[string]error{}
	closed := p["additionalProperties"] == false && p["patternProperties"] == nil
	var other error
	for i, kid := range n.kids {
		key := n.keys[i]
		property := names.of(key)
		if property == "" {
			if closed {
				continue
			}
			v, err := c.value(kid, p["additionalProperties"], depth+1)
			if had, twice := out[key]; err == nil && twice && !same(had, v) {
				err = fmt.Errorf("%q is given twice, with different values", key)
			}
			if err != nil && other == nil {
				other = err
			}
			out[key] = v
			continue
		}
		v, err := c.value(kid, names.exact[property], depth+1)
		if kid.kind == 'n' && err != nil && !slices.Contains(p.required(), property) {
			continue // null for what need not be there
		}
		had, twice := out[property]
		switch {
		case err != nil:
			failed[property] = err
		case twice && !same(had, v):
			failed[property] = errors.New("two different values are given")
		default:
			out[property] = v
			if depth == 0 && c.spans != nil {
				c.spans[property] = span{kid.start, kid.end}
			}
		}
	}
	for _, property := range p.required() {
		if _, ok := out[property]; !ok && failed[property] == nil {
			failed[property] = errors.New("it is missing")
		}
	}
	if depth == 0 && c.keys != nil {
		c.each(out, failed)
	}
	for _, property := range slices.Sorted(maps.Keys(failed)) {
		return nil, fmt.Errorf("%q: %w", property, failed[property])
	}
	if other != nil {
		return nil, other
	}
	return out, nil
}

// each keeps the reading of every property on its own.
func (c *coercer) each(out map[string]any, failed map[string]error) {
	check := c.schema.check
	if c.schema.base != nil {
		check = c.schema.base.check
	}
	for check.Ref != nil {
		check = check.Ref
	}
	for property, own := range check.Properties {
		v, ok := out[property]
		err := failed[property]
		if !ok && err == nil {
			continue
		}
		if err == nil {
			err = verdictOf(own.Validate(v))
		}
		if err != nil {
			c.keys[property] = unread("%v", err)
			continue
		}
		c.keys[property] = said(v, "json")
	}
}

// literal returns what a node says without a schema.
func (c *coercer) literal(n *node) (any, error) {
	if c.steps++; c.steps > patience {
		return nil, errors.New("the reply is too tangled for this schema")
	}
	switch n.kind {
	case '{':
		out := make(map[string]any, len(n.kids))
		for i, kid := range n.kids {
			v, err := c.literal(kid)
			if err != nil {
				return nil, err
			}
			if had, twice := out[n.keys[i]]; twice && !same(had, v) {
				return nil, fmt.Errorf("%q is given twice, with different values", n.keys[i])
			}
			out[n.keys[i]] = v
		}
		return out, nil
	case '[':
		out := make([]any, 0, len(n.kids))
		for _, kid := range n.kids {
			v, err := c.literal(kid)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	case 't':
		return true, nil
	case 'f':
		return false, nil
	case 'n':
		return nil, nil
	case '0':
		if strings.ContainsAny(n.text, "/") || strings.Contains(n.text, " ") {
			return n.text, nil
		}
		num, ok := number(n.text)
		if !ok {
			return nil, fmt.Errorf("%s is no number", show(n))
		}
		return num, nil
	}
	return n.text, nil
}
