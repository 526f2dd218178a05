package yamlfile

import (
	"bytes"
	"encoding"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Encode writes a list of structs, or one struct, as YAML that reads back to the same, laid out to be
// read and edited by hand: paragraphs are folded, and every text that could be mistaken for something
// else is quoted. Empty texts, nil pointers, and zero values with the tag omitempty are left out.
func Encode(w io.Writer, value any) error {
	var p page
	v := reflect.Indirect(reflect.ValueOf(value))
	switch {
	case v.Kind() != reflect.Slice:
		p.fields("", "", v)
	case v.Len() == 0:
		p.WriteString("[]\n")
	default:
		for i := range v.Len() {
			if i > 0 {
				p.WriteByte('\n')
			}
			p.fields("- ", "  ", indirect(v.Index(i)))
		}
	}
	if _, err := w.Write(p.Bytes()); err != nil {
		return fmt.Errorf("write YAML: %w", err)
	}
	return nil
}

func indirect(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v
}

type page struct{ bytes.Buffer }

const column = 100 // where lines are folded

// fields writes a struct; first is what its first line begins with, rest what the others do.
func (p *page) fields(first, rest string, v reflect.Value) {
	indent, empty := first, true
	for _, f := range fieldsOf(v.Type()) {
		inner := v.FieldByIndex(f.index)
		if inner.Kind() == reflect.String && inner.Len() == 0 || inner.IsZero() && (f.omit || inner.Kind() == reflect.Pointer) {
			continue
		}
		p.WriteString(indent + f.name + ":")
		p.value(rest, len(rest)+len(f.name), indirect(inner))
		indent, empty = rest, false
	}
	if empty {
		p.WriteString(first + "{}\n")
	}
}

// value writes what follows a key or a dash, the line's end included.
func (p *page) value(indent string, at int, v reflect.Value) {
	if text, ok := asText(v); ok {
		p.text(indent+"  ", at, text)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		if flat(v) {
			fmt.Fprintf(p, " %s\n", flow(v))
			return
		}
		p.WriteByte('\n')
		p.fields(indent+"  ", indent+"  ", v)
	case reflect.Slice:
		if v.Len() == 0 || flat(v) {
			fmt.Fprintf(p, " %s\n", flow(v))
			return
		}
		p.WriteByte('\n')
		for i := range v.Len() {
			item := indirect(v.Index(i))
			if item.Kind() == reflect.Struct {
				p.fields(indent+"  - ", indent+"    ", item)
				continue
			}
			p.WriteString(indent + "  -")
			p.value(indent+"  ", len(indent)+3, item)
		}
	case reflect.Map:
		if v.Len() == 0 {
			p.WriteString(" {}\n")
			return
		}
		p.WriteByte('\n')
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			name := quote(key.String())
			if short.MatchString(key.String()) && !reserved.MatchString(key.String()) {
				name = key.String()
			}
			p.WriteString(indent + "  " + name + ":")
			p.value(indent+"  ", at, indirect(v.MapIndex(key)))
		}
	default:
		fmt.Fprintf(p, " %v\n", v.Interface())
	}
}

// asText returns what is written as a text.
func asText(v reflect.Value) (string, bool) {
	switch x := v.Interface().(type) {
	case encoding.TextMarshaler:
		text, err := x.MarshalText()
		return string(text), err == nil
	case time.Duration:
		return x.String(), true
	}
	return v.String(), v.Kind() == reflect.String
}

// flat reports whether a list or a struct of numbers or short words fits on its own line.
func flat(v reflect.Value) bool {
	if v.Kind() == reflect.Slice {
		length := 0
		for i := range v.Len() {
			item := indirect(v.Index(i))
			text, ok := asText(item)
			if length += len(text) + 2; ok && (!short.MatchString(text) || reserved.MatchString(text)) || !ok && !number(item) {
				return false
			}
		}
		return length < column-12
	}
	for _, f := range fieldsOf(v.Type()) {
		if !number(v.FieldByIndex(f.index)) {
			return false
		}
	}
	return true
}

func number(v reflect.Value) bool {
	return (v.CanInt() || v.CanUint() || v.CanFloat() || v.Kind() == reflect.Bool) && v.Type() != reflect.TypeFor[time.Duration]()
}

// flow writes a flat list or struct within brackets.
func flow(v reflect.Value) string {
	var parts []string
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			parts = append(parts, fmt.Sprint(indirect(v.Index(i)).Interface()))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	for _, f := range fieldsOf(v.Type()) {
		parts = append(parts, fmt.Sprintf("%s: %v", f.name, v.FieldByIndex(f.index).Interface()))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

var (
	// short texts mean the same within brackets.
	short = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_./-]|\b \b){0,39}$`)
	// bare texts mean the same with and without quotes.
	bare = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9'’.,;()-]*( [A-Za-z0-9'’.,;()-]+)*[A-Za-z0-9'’.;()!?]$`)
	// foldable texts can have any of their spaces turned into a line break, and back.
	foldable = regexp.MustCompile(`^[A-Za-z][\pL0-9'’"“”.,:;!?()+/-]*( [\pL0-9'’"“”.,:;!?()+/-]+)+$`)
	// reserved words are taken for something other than a text by some YAML reader.
	reserved = regexp.MustCompile(`(?i)^(true|false|yes|no|on|off|null|nan|inf|y|n)$`)
)

// text writes a text behind a key that ends at a column.
func (p *page) text(indent string, at int, text string) {
	switch {
	case bare.MatchString(text) && !reserved.MatchString(text) && at+len(text) < column:
		p.WriteString(" " + text)
	case foldable.MatchString(text) && len(text) > column/2:
		p.fold(indent, text)
	default:
		p.WriteString(" " + quote(text))
	}
	p.WriteByte('\n')
}

func (p *page) fold(indent, text string) {
	p.WriteString(" >-")
	at := column
	for word := range strings.SplitSeq(text, " ") {
		n := utf8.RuneCountInString(word)
		if at+1+n > column {
			p.WriteString("\n" + indent)
			at = len(indent)
		} else {
			p.WriteByte(' ')
			at++
		}
		p.WriteString(word)
		at += n
	}
}

// quote returns a text in double quotes. Go's escapes for what is not plainly visible are YAML's too.
func quote(text string) string { return strconv.Quote(strings.ToValidUTF8(text, "\uFFFD")) }
