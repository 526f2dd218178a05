package yamlfile

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// value decodes a node into a settable value.
func (d *decoder) value(path string, node ast.Node, v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	short, isShort := v.Addr().Interface().(Shorthand)
	text, isText := textOf(node, isShort || v.Kind() == reflect.String)
	if isShort && isText {
		short.SetShort(text)
		return
	}
	if read, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok && (isText || v.Kind() != reflect.Struct) {
		if !isText {
			d.mistyped(path, node, "a text")
		} else if err := read.UnmarshalText([]byte(text)); err != nil {
			d.wrong(path, line(node), "%v", err)
		}
		return
	}
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		n, err := time.ParseDuration(text)
		if !isText || err != nil {
			d.mistyped(path, node, "a time such as 30s or 2m")
		}
		v.SetInt(int64(n))
	case v.Kind() == reflect.Struct:
		d.fields(path, node, v)
	case v.Kind() == reflect.Slice:
		d.list(path, node, v)
	case v.Kind() == reflect.Map:
		d.mapping(path, node, v)
	case v.Kind() == reflect.String:
		if !isText {
			d.mistyped(path, node, "a text; put quotes around it")
		}
		v.SetString(text)
	default:
		d.scalar(path, node, v)
	}
}

// scalar decodes a number or a truth value.
func (d *decoder) scalar(path string, node ast.Node, v reflect.Value) {
	text := ""
	switch n := node.(type) {
	case *ast.IntegerNode:
		text = n.GetToken().Value
	case *ast.FloatNode:
		text = n.GetToken().Value
	case *ast.StringNode: // 1e-7, which the parser takes for a text
		if t := n.GetToken(); !quoted(t) {
			text = t.Value
		}
	}
	var err error
	switch {
	case v.Kind() == reflect.Bool:
		b, ok := node.(*ast.BoolNode)
		if !ok {
			d.mistyped(path, node, "true or false")
			return
		}
		v.SetBool(b.Value)
	case v.CanInt(), v.CanUint():
		if f, ok := node.(*ast.FloatNode); ok && f.Value == math.Trunc(f.Value) && math.Abs(f.Value) < 1<<53 {
			text = strconv.FormatFloat(f.Value, 'f', 0, 64) // 1e3
		}
		var whole int64
		var natural uint64
		if v.CanInt() {
			if whole, err = strconv.ParseInt(text, 10, v.Type().Bits()); err == nil {
				v.SetInt(whole)
			}
		} else if natural, err = strconv.ParseUint(text, 10, v.Type().Bits()); err == nil {
			v.SetUint(natural)
		}
		if err != nil {
			d.mistyped(path, node, "a whole number without quotes")
		}
	case v.CanFloat():
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			d.mistyped(path, node, "a number without quotes")
			return
		}
		v.SetFloat(f)
	default:
		panic(fmt.Sprintf("yamlfile: %s has the type %s, which is not read", path, v.Type()))
	}
}

func quoted(t *token.Token) bool {
	return t.Type == token.DoubleQuoteType || t.Type == token.SingleQuoteType
}

// textOf returns a text. White space around it, which block texts end in, is part of it in quotes only. With words,
// true and false are texts too, and so is scheme:name within [brackets], which the parser takes for a mapping.
func textOf(node ast.Node, words bool) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		if quoted(n.GetToken()) {
			return n.Value, true
		}
		return strings.TrimSpace(n.Value), true
	case *ast.LiteralNode:
		return strings.TrimSpace(n.Value.Value), true
	case *ast.BoolNode:
		return n.GetToken().Value, words
	case *ast.MappingNode:
		if len(n.Values) == 1 && words {
			return textOf(n.Values[0], words)
		}
	case *ast.MappingValueNode:
		key := n.Key.GetToken()
		if !words || key.Next == nil || key.Next.Next == nil || key.Next.Next.Position.Offset != key.Next.Position.Offset+1 {
			return "", false // a space after the colon: a mapping is meant
		}
		rest, ok := textOf(n.Value, words)
		if !ok {
			rest = n.Value.GetToken().Value
		}
		return key.Value + ":" + rest, true
	}
	return "", false
}

// mistyped reports a value of the wrong type.
func (d *decoder) mistyped(path string, node ast.Node, want string) {
	at := line(node)
	if n := d.lines[path]; n > 0 {
		at = n
	}
	if kind(node) == "nothing" {
		d.wrong(path, at, "nothing there; write %s, or remove the line", want)
		return
	}
	d.wrong(path, at, "%s where there should be %s", kind(node), want)
}

// wrong reports what is wrong with the value at a path, whose own problems are not reported then.
func (d *decoder) wrong(path string, line int, format string, args ...any) {
	d.done[path] = true
	if path != "" {
		format = strings.ReplaceAll(path, "%", "%%") + ": " + format
	}
	d.find(line, format, args...)
}

// list decodes a list; anything else that its entries may be stands for a list of one.
func (d *decoder) list(path string, node ast.Node, v reflect.Value) {
	one, values := v.Type().Elem(), []ast.Node{node}
	_, short := reflect.New(one).Interface().(Shorthand)
	switch n := node.(type) {
	case *ast.SequenceNode:
		values = n.Values
	case *ast.StringNode, *ast.LiteralNode, *ast.IntegerNode, *ast.FloatNode:
		if one.Kind() == reflect.Struct && !short {
			d.mistyped(path, node, "a list, each entry on a line that begins with -")
			return
		}
	case *ast.MappingNode, *ast.MappingValueNode:
		if one.Kind() != reflect.Struct {
			d.mistyped(path, node, "a list, each entry on a line that begins with -")
			return
		}
	default:
		d.mistyped(path, node, "a list, each entry on a line that begins with -")
		return
	}
	list := reflect.MakeSlice(v.Type(), 0, len(values))
	for i, item := range values {
		at := fmt.Sprintf("%s[%d]", path, i)
		d.lines[at] = line(item)
		entry := reflect.New(one).Elem()
		d.value(at, item, entry)
		list = reflect.Append(list, entry)
	}
	v.Set(list)
}

// pairs returns the keys of a mapping with their values, and reports keys that are written twice.
func (d *decoder) pairs(path string, node ast.Node) (pairs []*ast.MappingValueNode, keys []string, ok bool) {
	var values []*ast.MappingValueNode
	switch m := node.(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	default:
		d.mistyped(path, node, "fields, each as name: value")
		return nil, nil, false
	}
	for _, f := range values {
		key := ""
		switch n := ast.Node(f.Key).(type) {
		case *ast.StringNode:
			key = n.Value
		case *ast.IntegerNode, *ast.BoolNode:
			key = n.GetToken().Value
		default:
			d.find(line(f.Key), "a field's name is a plain word, not %s", kind(f.Key))
			continue
		}
		at := join(path, key)
		if before := d.lines[at]; before > 0 && slices.Contains(keys, key) {
			d.find(line(f.Key), "%s: is in line %d already; remove one", at, before)
			continue
		}
		d.lines[at] = line(f.Key)
		pairs, keys = append(pairs, f), append(keys, key)
	}
	return pairs, keys, true
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func (d *decoder) mapping(path string, node ast.Node, v reflect.Value) {
	pairs, keys, ok := d.pairs(path, node)
	if !ok {
		return
	}
	for i, f := range pairs {
		d.entry(join(path, keys[i]), keys[i], f.Value, v)
	}
}

// entry decodes the value of one key of a map, over what the map has there.
func (d *decoder) entry(path, name string, node ast.Node, v reflect.Value) {
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	key := reflect.ValueOf(name).Convert(v.Type().Key())
	entry := reflect.New(v.Type().Elem()).Elem()
	if old := v.MapIndex(key); old.IsValid() {
		entry.Set(old)
	}
	d.value(path, node, entry)
	v.SetMapIndex(key, entry)
}

// fields decodes a mapping into a struct. A key without a field is one of the map that is tagged schema:"other keys",
// where there is one.
func (d *decoder) fields(path string, node ast.Node, v reflect.Value) {
	pairs, keys, ok := d.pairs(path, node)
	if !ok {
		return
	}
	known := fieldsOf(v.Type())
	for i, f := range pairs {
		at := join(path, keys[i])
		k := slices.IndexFunc(known, func(f field) bool { return f.name == keys[i] })
		if k >= 0 {
			d.value(at, f.Value, v.FieldByIndex(known[k].index))
			d.least(at, f.Value, v, known[k])
		} else if others := otherKeys(v); others.IsValid() {
			d.entry(at, keys[i], f.Value, others)
		} else {
			var names []string
			for _, f := range known {
				names = append(names, f.name)
			}
			d.done[at] = true
			hint := DidYouMean(keys[i], names)
			slices.Sort(names)
			d.find(line(f.Key), "unknown field %q; %sknown here are %s", at, hint, strings.Join(names, ", "))
		}
	}
}

// least reports a number below what the field's tag min says.
func (d *decoder) least(path string, node ast.Node, v reflect.Value, f field) {
	least, err := strconv.ParseInt(v.Type().FieldByIndex(f.index).Tag.Get("min"), 10, 64)
	if n := v.FieldByIndex(f.index); err == nil && n.Int() < least && !d.done[path] {
		d.wrong(path, line(node), "%d where there should be %d or more", n.Int(), least)
	}
}

// otherKeys returns the map of keys that have no field of their own.
func otherKeys(v reflect.Value) reflect.Value {
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("schema") == "other keys" {
			return v.Field(i)
		}
	}
	return reflect.Value{}
}

// field is one field of a struct as files name it.
type field struct {
	name  string
	index []int
	omit  bool // where it is zero
}

// fieldsOf returns the fields that have a yaml tag, in order, those of inlined structs included.
func fieldsOf(t reflect.Type) []field {
	var list []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case options == "inline":
			for _, inner := range fieldsOf(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				list = append(list, inner)
			}
		case name != "" && name != "-":
			list = append(list, field{name, []int{i}, options == "omitempty"})
		}
	}
	return list
}

// Get returns the field of a struct that files name by the key; nil where there is none.
func Get(from any, key string) any {
	v := reflect.ValueOf(from).Elem()
	for _, f := range fieldsOf(v.Type()) {
		if f.name == key {
			return v.FieldByIndex(f.index).Interface()
		}
	}
	return nil
}

// Set sets the field of a struct that files name by the key, and reports whether there is one that can hold the
// value. A list of texts fits any list of a kind of text, and one text a list of one.
func Set(into any, key string, value any) bool {
	v, from := reflect.ValueOf(into).Elem(), reflect.ValueOf(value)
	for _, f := range fieldsOf(v.Type()) {
		if f.name != key {
			continue
		}
		field := v.FieldByIndex(f.index)
		if from.Kind() != reflect.Slice && from.Kind() == field.Kind() {
			field.Set(from.Convert(field.Type()))
			return true
		}
		if field.Kind() != reflect.Slice || field.Type().Elem().Kind() != reflect.String {
			return false
		}
		texts, ok := value.([]string)
		if text, one := value.(string); one {
			texts, ok = []string{text}, true
		}
		list := reflect.MakeSlice(field.Type(), 0, len(texts))
		for _, text := range texts {
			list = reflect.Append(list, reflect.ValueOf(text).Convert(field.Type().Elem()))
		}
		if ok {
			field.Set(list)
		}
		return ok
	}
	return false
}
