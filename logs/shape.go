package logs

import (
	"reflect"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// shape is what has to be looked at within the values of one type: text, lists, pointers and times. A
// type with none of them has no shape.
type shape struct {
	kind  reflect.Kind // String, Slice, Pointer or Struct
	time  bool
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
	s := survey(t, map[reflect.Type]bool{})
	shapes.Store(t, s)
	return s
}

// survey looks at a type. Where one refers to itself it stops: no table holds such rows.
func survey(t reflect.Type, within map[reflect.Type]bool) *shape {
	switch {
	case t == timeType:
		return &shape{kind: reflect.Struct, time: true}
	case within[t]:
		return nil
	}
	within[t] = true
	defer delete(within, t)
	switch t.Kind() {
	case reflect.String:
		return &shape{kind: reflect.String}
	case reflect.Slice, reflect.Pointer:
		return &shape{kind: t.Kind(), elem: survey(t.Elem(), within), width: int(t.Elem().Size())}
	case reflect.Struct:
		s := &shape{kind: reflect.Struct}
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() {
				if p := survey(f.Type, within); p != nil {
					s.parts = append(s.parts, part{i, p})
				}
			}
		}
		if len(s.parts) > 0 {
			return s
		}
	}
	return nil
}

// tidy gives a row that was read its one form in memory: empty lists nil, times as told. The row
// shares nothing with others.
func tidy[T any](row *T, when func(time.Time) time.Time) {
	v := reflect.ValueOf(row).Elem()
	if s := shapeOf(v.Type()); s != nil {
		s.tidy(v, when)
	}
}

func (s *shape) tidy(v reflect.Value, when func(time.Time) time.Time) {
	switch s.kind {
	case reflect.Struct:
		if s.time {
			t := v.Addr().Interface().(*time.Time)
			*t = when(*t)
		}
		for _, p := range s.parts {
			p.tidy(v.Field(p.index), when)
		}
	case reflect.Pointer:
		if s.elem != nil && !v.IsNil() {
			s.elem.tidy(v.Elem(), when)
		}
	case reflect.Slice:
		if v.Len() == 0 {
			if !v.IsNil() {
				v.SetZero()
			}
		} else if s.elem != nil && s.elem.kind != reflect.String {
			for i := range v.Len() {
				s.elem.tidy(v.Index(i), when)
			}
		}
	}
}

// inMicroseconds is the form of times that are kept.
func inMicroseconds(t time.Time) time.Time {
	return t.UTC().Truncate(time.Microsecond)
}

// clean replaces what is not UTF-8 in a row. What the row shares with others is copied before it is
// changed.
func clean[T any](row *T) {
	v := reflect.ValueOf(row).Elem()
	if s := shapeOf(v.Type()); s != nil && !s.valid(v) {
		s.clean(v)
	}
}

func (s *shape) valid(v reflect.Value) bool {
	switch s.kind {
	case reflect.String:
		return utf8.ValidString(v.String())
	case reflect.Struct:
		for _, p := range s.parts {
			if !p.valid(v.Field(p.index)) {
				return false
			}
		}
	case reflect.Pointer:
		return s.elem == nil || v.IsNil() || s.elem.valid(v.Elem())
	case reflect.Slice:
		if s.elem != nil {
			for i := range v.Len() {
				if !s.elem.valid(v.Index(i)) {
					return false
				}
			}
		}
	}
	return true
}

func (s *shape) clean(v reflect.Value) {
	if s.valid(v) {
		return
	}
	switch s.kind {
	case reflect.String:
		v.SetString(validText(v.String()))
	case reflect.Struct:
		for _, p := range s.parts {
			p.clean(v.Field(p.index))
		}
	case reflect.Pointer:
		own := reflect.New(v.Type().Elem())
		own.Elem().Set(v.Elem())
		s.elem.clean(own.Elem())
		v.Set(own)
	case reflect.Slice:
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		for i := range own.Len() {
			s.elem.clean(own.Index(i))
		}
		v.Set(own)
	}
}

// validText replaces each bad byte by U+FFFD, as the JSON encoder does. strings.ToValidUTF8 would
// make one of a run of them.
func validText(text string) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteRune(r)
	}
	return b.String()
}

// weigh estimates the bytes that a row occupies in memory.
func weigh[T any](row *T) int {
	v := reflect.ValueOf(row).Elem()
	n := int(v.Type().Size())
	if s := shapeOf(v.Type()); s != nil {
		n += s.weigh(v)
	}
	return n
}

func (s *shape) weigh(v reflect.Value) (n int) {
	switch s.kind {
	case reflect.String:
		return v.Len()
	case reflect.Struct:
		for _, p := range s.parts {
			n += p.weigh(v.Field(p.index))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			n = s.width
			if s.elem != nil {
				n += s.elem.weigh(v.Elem())
			}
		}
	case reflect.Slice:
		n = v.Len() * s.width
		if s.elem != nil {
			for i := range v.Len() {
				n += s.elem.weigh(v.Index(i))
			}
		}
	}
	return n
}
