package logs

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// shape lists what must be visited within the values of one type: text, lists, pointers, times, and what
// JSON has several forms of. A type with none of them has no shape.
type shape struct {
	kind  reflect.Kind // String, Slice, Pointer, Struct, or Map for what is not looked into
	time  bool
	own   bool      // it is encoded by rules of its own, such as a MarshalJSON or the options of a tag
	elem  *shape    // of a list or pointer
	width int       // bytes of an element of a list or pointer
	parts []part    // of a struct
	other []part    // of these what may not be plain
	spare sync.Pool // of a row: one to fill in
}

type part struct {
	index int
	empty reflect.Value // of a list
	*shape
}

var shapes sync.Map // reflect.Type -> *shape

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := newShape(t, map[reflect.Type]bool{})
	kept, _ := shapes.LoadOrStore(t, s)
	return kept.(*shape)
}

// newShape stops where a type refers to itself, as no table holds such rows.
func newShape(t reflect.Type, within map[reflect.Type]bool) *shape {
	switch {
	case t == timeType:
		return &shape{kind: reflect.Struct, time: true}
	case within[t]:
		return nil
	}
	within[t] = true
	defer delete(within, t)
	own := encodesItself(t)
	switch t.Kind() {
	case reflect.String:
		return &shape{kind: reflect.String, own: own}
	case reflect.Map, reflect.Interface, reflect.Array:
		return &shape{kind: reflect.Map}
	case reflect.Slice, reflect.Pointer:
		return &shape{kind: t.Kind(), own: own, elem: newShape(t.Elem(), within), width: int(t.Elem().Size())}
	case reflect.Struct:
		s := &shape{kind: reflect.Struct, own: own}
		for i := range t.NumField() {
			f := t.Field(i)
			tag := f.Tag.Get("json")
			s.own = s.own || f.Anonymous || strings.Contains(tag, ",")
			if !f.IsExported() || tag == "-" {
				continue
			}
			if p := newShape(f.Type, within); p != nil {
				part := part{index: i, shape: p}
				if p.kind == reflect.Slice {
					part.empty = reflect.MakeSlice(f.Type, 0, 0)
				}
				if s.parts = append(s.parts, part); !p.alike() {
					s.other = append(s.other, part)
				}
			}
		}
		if s.own || len(s.parts) > 0 {
			return s
		}
	default:
		if own {
			return &shape{kind: reflect.Map}
		}
	}
	return nil
}

// encodesItself reports whether a type has rules of its own for JSON.
func encodesItself(t reflect.Type) bool {
	if t == reflect.TypeFor[time.Duration]() {
		return true
	}
	for _, own := range [...]reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()} {
		if t.Implements(own) || reflect.PointerTo(t).Implements(own) {
			return true
		}
	}
	return false
}

// normalize gives a row that was read its one form in memory: empty lists are nil, times are what
// when makes of them. The row must share nothing with others.
func normalize[T any](row *T, when func(time.Time) time.Time) {
	v := reflect.ValueOf(row).Elem()
	if s := shapeOf(v.Type()); s != nil {
		s.normalize(v, when)
	}
}

func (s *shape) normalize(v reflect.Value, when func(time.Time) time.Time) {
	switch s.kind {
	case reflect.Struct:
		if s.time {
			t := v.Addr().Interface().(*time.Time)
			*t = when(*t)
		}
		for _, p := range s.parts {
			p.normalize(v.Field(p.index), when)
		}
	case reflect.Pointer:
		if s.elem != nil && !v.IsNil() {
			s.elem.normalize(v.Elem(), when)
		}
	case reflect.Slice:
		if v.Len() == 0 {
			if !v.IsNil() {
				v.SetZero()
			}
		} else if s.elem != nil && s.elem.kind != reflect.String {
			for i := range v.Len() {
				s.elem.normalize(v.Index(i), when)
			}
		}
	}
}

// alike reports whether every value is plain.
func (s *shape) alike() bool {
	return s == nil || !s.own && (s.kind == reflect.String || s.kind == reflect.Struct && !s.time && len(s.other) == 0)
}

// plain reports whether a value is one that all encoders write alike: no list is nil, every time has the form in
// which times are kept, and nothing has rules of its own.
func (s *shape) plain(v reflect.Value) bool {
	switch {
	case s.alike():
		return true
	case s.own:
		return false
	case s.time:
		t := v.Addr().Interface().(*time.Time)
		return t.Location() == time.UTC && t.Nanosecond()%1000 == 0 && t.Year() >= 0 && t.Year() < 10_000
	}
	switch s.kind {
	case reflect.Struct:
		for _, p := range s.other {
			if !p.plain(v.Field(p.index)) {
				return false
			}
		}
		return true
	case reflect.Pointer:
		return v.IsNil() || s.elem.plain(v.Elem())
	case reflect.Slice:
		for i := 0; !s.elem.alike() && i < v.Len(); i++ {
			if !s.elem.plain(v.Index(i)) {
				return false
			}
		}
		return !v.IsNil()
	}
	return false
}

// inMicroseconds returns the form in which times are kept.
func inMicroseconds(t time.Time) time.Time {
	return t.UTC().Truncate(time.Microsecond)
}

// measure estimates the bytes that a row occupies in memory, and reports whether all its text is UTF-8.
func measure[T any](row *T) (size int, valid bool) {
	v := reflect.ValueOf(row).Elem()
	size, valid = int(v.Type().Size()), true
	if s := shapeOf(v.Type()); s != nil {
		s.measure(v, &size, &valid)
	}
	return size, valid
}

func (s *shape) measure(v reflect.Value, size *int, valid *bool) {
	switch s.kind {
	case reflect.String:
		*size += v.Len()
		*valid = *valid && utf8.ValidString(v.String())
	case reflect.Struct:
		for _, p := range s.parts {
			p.measure(v.Field(p.index), size, valid)
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		*size += s.width
		if s.elem != nil {
			s.elem.measure(v.Elem(), size, valid)
		}
	case reflect.Slice:
		*size += v.Len() * s.width
		for i := 0; s.elem != nil && i < v.Len(); i++ {
			s.elem.measure(v.Index(i), size, valid)
		}
	}
}
