package logs

import (
	"reflect"
	"sync"
	"time"
	"unicode/utf8"
)

// shape lists what must be visited within the values of one type: text, lists, pointers, maps and
// times. A type with none of them has no shape.
type shape struct {
	kind  reflect.Kind // String, Slice, Pointer, Struct, or Map for what is not looked into
	time  bool
	timed bool   // it is a time, or may hold one
	elem  *shape // of a list or pointer
	width int    // bytes of an element of a list or pointer
	parts []part // of a struct
}

type part struct {
	index int
	*shape
}

var shapes sync.Map // reflect.Type -> *shape

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := newShape(t, map[reflect.Type]bool{})
	shapes.Store(t, s)
	return s
}

// newShape stops where a type refers to itself, as no table holds such rows.
func newShape(t reflect.Type, within map[reflect.Type]bool) *shape {
	switch {
	case t == timeType:
		return &shape{kind: reflect.Struct, time: true, timed: true}
	case within[t]:
		return nil
	}
	within[t] = true
	defer delete(within, t)
	switch t.Kind() {
	case reflect.String:
		return &shape{kind: reflect.String}
	case reflect.Map, reflect.Interface:
		return &shape{kind: reflect.Map, timed: true}
	case reflect.Slice, reflect.Pointer:
		elem := newShape(t.Elem(), within)
		return &shape{kind: t.Kind(), elem: elem, width: int(t.Elem().Size()), timed: elem != nil && elem.timed}
	case reflect.Struct:
		s := &shape{kind: reflect.Struct}
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() {
				if p := newShape(f.Type, within); p != nil {
					s.parts = append(s.parts, part{i, p})
					s.timed = s.timed || p.timed
				}
			}
		}
		if len(s.parts) > 0 {
			return s
		}
	}
	return nil
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

// timesKept reports whether every time within a row has the form in which times are kept.
func timesKept[T any](row *T) bool {
	v := reflect.ValueOf(row).Elem()
	return shapeOf(v.Type()).timesKept(v)
}

func (s *shape) timesKept(v reflect.Value) bool {
	switch {
	case s == nil || !s.timed:
	case s.time:
		t := v.Addr().Interface().(*time.Time)
		return t.Location() == time.UTC && t.Nanosecond()%1000 == 0
	case s.kind == reflect.Struct:
		for _, p := range s.parts {
			if !p.timesKept(v.Field(p.index)) {
				return false
			}
		}
	case s.kind == reflect.Pointer:
		return v.IsNil() || s.elem.timesKept(v.Elem())
	case s.kind == reflect.Slice:
		for i := range v.Len() {
			if !s.elem.timesKept(v.Index(i)) {
				return false
			}
		}
	default:
		return false
	}
	return true
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
