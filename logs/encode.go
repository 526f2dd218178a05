package logs

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
	"unsafe"
)

// AppendJSON appends the canonical JSON of a row, without a line end: what encoding/json writes with
// SetEscapeHTML(false), except that nil lists are [], times are UTC in microseconds, U+FFFD that
// stands for a bad byte is not escaped, and U+0085 is, beside U+2028 and U+2029, so that no reader
// takes it for the end of a line.
func AppendJSON[T any](dst []byte, row *T) ([]byte, error) {
	return encoderOf(reflect.TypeFor[T]()).append(dst, unsafe.Pointer(row))
}

// encoder writes values of one type, given where one lies: a row has dozens of fields, and to make a
// reflect.Value of each costs as much as to write it. The indirection lets types refer to themselves.
type encoder struct {
	append func(dst []byte, at unsafe.Pointer) ([]byte, error)
	plain  bool // by the kind alone: no methods, no tags
}

var (
	encoders      sync.Map // reflect.Type -> *encoder
	timeType      = reflect.TypeFor[time.Time]()
	stringType    = reflect.TypeFor[string]()
	numberType    = reflect.TypeFor[json.Number]()
	jsonMarshal   = reflect.TypeFor[json.Marshaler]()
	textMarshal   = reflect.TypeFor[encoding.TextMarshaler]()
	jsonUnmarshal = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshal = reflect.TypeFor[encoding.TextUnmarshaler]()
	errNotFinite  = fmt.Errorf("not a finite number")
)

func encoderOf(t reflect.Type) *encoder {
	if e, ok := encoders.Load(t); ok {
		return e.(*encoder)
	}
	e := compile(t, map[reflect.Type]*encoder{})
	encoders.Store(t, e)
	return e
}

func compile(t reflect.Type, begun map[reflect.Type]*encoder) *encoder {
	if e := begun[t]; e != nil {
		return e
	}
	e := &encoder{}
	begun[t] = e
	p := reflect.PointerTo(t)
	switch {
	case t == timeType:
		e.append = appendTime
	case p.Implements(jsonMarshal), p.Implements(textMarshal), t == numberType:
		e.append = other(t)
	default:
		e.plain = true
		switch t.Kind() {
		case reflect.Bool:
			e.append = func(dst []byte, at unsafe.Pointer) ([]byte, error) { return strconv.AppendBool(dst, *(*bool)(at)), nil }
		case reflect.Int:
			e.append = func(dst []byte, at unsafe.Pointer) ([]byte, error) {
				return strconv.AppendInt(dst, int64(*(*int)(at)), 10), nil
			}
		case reflect.Int64:
			e.append = func(dst []byte, at unsafe.Pointer) ([]byte, error) {
				return strconv.AppendInt(dst, *(*int64)(at), 10), nil
			}
		case reflect.Int8, reflect.Int16, reflect.Int32:
			e.append = func(dst []byte, at unsafe.Pointer) ([]byte, error) {
				return strconv.AppendInt(dst, reflect.NewAt(t, at).Elem().Int(), 10), nil
			}
		case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			e.append = func(dst []byte, at unsafe.Pointer) ([]byte, error) {
				return strconv.AppendUint(dst, reflect.NewAt(t, at).Elem().Uint(), 10), nil
			}
		case reflect.Float64:
			e.append = func(dst []byte, at unsafe.Pointer) ([]byte, error) { return appendFloat(dst, *(*float64)(at), 64) }
		case reflect.Float32:
			e.append = func(dst []byte, at unsafe.Pointer) ([]byte, error) {
				return appendFloat(dst, float64(*(*float32)(at)), 32)
			}
		case reflect.String:
			e.append = func(dst []byte, at unsafe.Pointer) ([]byte, error) { return appendString(dst, *(*string)(at)), nil }
		case reflect.Pointer:
			elem := compile(t.Elem(), begun)
			e.append = func(dst []byte, at unsafe.Pointer) ([]byte, error) {
				if at = *(*unsafe.Pointer)(at); at == nil {
					return append(dst, "null"...), nil
				}
				return elem.append(dst, at)
			}
		case reflect.Slice:
			if t.Elem().Kind() == reflect.Uint8 {
				e.append = other(t) // base64
			} else {
				e.append = listEncoder(t.Elem(), begun)
			}
		case reflect.Struct:
			e.append = structEncoder(t, begun)
		default:
			e.append = other(t)
		}
	}
	return e
}

func listEncoder(t reflect.Type, begun map[reflect.Type]*encoder) func([]byte, unsafe.Pointer) ([]byte, error) {
	if t == stringType {
		return appendStrings
	}
	elem, size := compile(t, begun), t.Size()
	return func(dst []byte, at unsafe.Pointer) ([]byte, error) {
		var err error
		dst = append(dst, '[')
		// A slice's header is alike for all types of elements.
		list := *(*[]struct{})(at)
		first := unsafe.Pointer(unsafe.SliceData(list))
		for i := range list {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = elem.append(dst, unsafe.Add(first, uintptr(i)*size)); err != nil {
				return dst, fmt.Errorf("element %d: %w", i, err)
			}
		}
		return append(dst, ']'), nil
	}
}

func appendStrings(dst []byte, at unsafe.Pointer) ([]byte, error) {
	dst = append(dst, '[')
	for i, s := range *(*[]string)(at) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, s)
	}
	return append(dst, ']'), nil
}

func structEncoder(t reflect.Type, begun map[reflect.Type]*encoder) func([]byte, unsafe.Pointer) ([]byte, error) {
	type member struct {
		field
		next   string // key after another one
		offset uintptr
		kind   reflect.Kind // String or Int, which are most, and are written without a call of value
		omit   func(unsafe.Pointer) bool
		value  *encoder
	}
	fields, plain := fieldsOf(t)
	if !plain {
		return other(t)
	}
	members := make([]member, len(fields))
	for i, f := range fields {
		ft := t.Field(f.index).Type
		m := member{field: f, next: "," + f.key, offset: t.Field(f.index).Offset, value: compile(ft, begun)}
		if k := ft.Kind(); m.value.plain && (k == reflect.String || k == reflect.Int) {
			m.kind = k
		}
		for option := range strings.SplitSeq(f.options, ",") {
			switch option {
			case "omitempty":
				m.omit = func(at unsafe.Pointer) bool { return isEmpty(reflect.NewAt(ft, at).Elem()) }
			case "omitzero":
				m.omit = func(at unsafe.Pointer) bool { return isZero(reflect.NewAt(ft, at).Elem()) }
			}
		}
		members[i] = m
	}
	return func(dst []byte, at unsafe.Pointer) ([]byte, error) {
		var err error
		open := len(dst)
		dst = append(dst, '{')
		for i := range members {
			m := &members[i]
			f := unsafe.Add(at, m.offset)
			if m.omit != nil && m.omit(f) {
				continue
			}
			if len(dst) == open+1 {
				dst = append(dst, m.next[1:]...)
			} else {
				dst = append(dst, m.next...)
			}
			switch m.kind {
			case reflect.String:
				dst = appendString(dst, *(*string)(f))
			case reflect.Int:
				dst = strconv.AppendInt(dst, int64(*(*int)(f)), 10)
			default:
				if dst, err = m.value.append(dst, f); err != nil {
					return dst, fmt.Errorf("%s: %w", m.name, err)
				}
			}
		}
		return append(dst, '}'), nil
	}
}

// field is one member of an object.
type field struct {
	name    string
	key     string // the name quoted, with its colon
	index   int
	options string // of the json tag
}

// fieldsOf lists the fields as encoding/json does. It is not plain where that needs more than tags:
// the option string, a name with quotes in it, two of one name, or an embedded struct, whose names
// might hide others.
func fieldsOf(t reflect.Type) (fields []field, plain bool) {
	names := map[string]bool{}
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		if tag == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if name == "" {
			name = f.Name
		}
		if f.Anonymous || strings.Contains(","+options+",", ",string,") || strings.ContainsAny(name, "\"'`\\") || names[name] {
			return nil, false
		}
		names[name] = true
		fields = append(fields, field{name, string(appendString(nil, name)) + ":", i, options})
	}
	return fields, true
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

func isZero(v reflect.Value) bool {
	if z, ok := v.Addr().Interface().(interface{ IsZero() bool }); ok {
		return z.IsZero()
	}
	return v.IsZero()
}

func appendTime(dst []byte, at unsafe.Pointer) ([]byte, error) {
	t := inMicroseconds(*(*time.Time)(at))
	if y := t.Year(); y < 0 || y > 9999 {
		return dst, fmt.Errorf("the year %d has no JSON form", y)
	}
	dst = append(dst, '"')
	dst = t.AppendFormat(dst, time.RFC3339Nano)
	return append(dst, '"'), nil
}

func appendFloat(dst []byte, f float64, bits int) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, errNotFinite
	}
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) ||
		bits == 32 && a != 0 && (float32(a) < 1e-6 || float32(a) >= 1e21) {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, f, format, -1, bits)
	if n := len(dst); format == 'e' && n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 -> e-9
		dst = dst[:n-1]
	}
	return dst, nil
}

const digits = "0123456789abcdef"

// safe are the bytes that stand in a JSON string as they are, and alone.
var safe = func() (table [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

// skipSafe returns where the safe bytes that begin at a place end. It looks at sixteen bytes at once.
func skipSafe(s string, i int) int {
	for ; i+16 <= len(s); i += 16 {
		p := s[i : i+16]
		if unsafeOnes(word(p))|unsafeOnes(word(p[8:])) != 0 {
			break
		}
	}
	if i+8 <= len(s) && unsafeOnes(word(s[i:])) == 0 {
		i += 8
	}
	for i < len(s) && safe[s[i]] {
		i++
	}
	return i
}

// word is the first eight bytes of a text.
func word(p string) uint64 {
	p = p[:8]
	return uint64(p[0]) | uint64(p[1])<<8 | uint64(p[2])<<16 | uint64(p[3])<<24 |
		uint64(p[4])<<32 | uint64(p[5])<<40 | uint64(p[6])<<48 | uint64(p[7])<<56
}

// unsafeOnes is 0 where all eight bytes are safe: in each, the highest bit is set where the byte is below a
// space, a quotation mark, a backslash, or has that bit itself. What a borrow carries from byte to byte
// only makes it look closer.
func unsafeOnes(w uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, slash := w^(ones*'"'), w^(ones*'\\')
	return (w | (w - ones*' ') | (quote - ones) | (slash - ones)) & tops
}

func appendString(dst []byte, s string) []byte {
	i := skipSafe(s, 0)
	if i == len(s) { // the usual text
		dst = slices.Grow(dst, len(s)+2)
		end := len(dst) + 1 + len(s)
		dst = dst[:end+1]
		copy(dst[end-len(s):], s)
		dst[end-len(s)-1], dst[end] = '"', '"'
		return dst
	}
	dst = append(dst, '"')
	from := 0
	for i < len(s) {
		if i = skipSafe(s, i); i == len(s) {
			break
		}
		if c := s[i]; c < utf8.RuneSelf {
			dst = append(dst, s[from:i]...)
			switch c {
			case '"', '\\':
				dst = append(dst, '\\', c)
			case '\b':
				dst = append(dst, '\\', 'b')
			case '\f':
				dst = append(dst, '\\', 'f')
			case '\n':
				dst = append(dst, '\\', 'n')
			case '\r':
				dst = append(dst, '\\', 'r')
			case '\t':
				dst = append(dst, '\\', 't')
			default:
				dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
			}
			i++
			from = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		escape := ""
		switch {
		case r == utf8.RuneError && n == 1:
			escape = "\ufffd" // as it is, so that text has one form whether it was mended before or not
		case r == '\u0085':
			escape = `\u0085`
		case r == '\u2028':
			escape = `\u2028`
		case r == '\u2029':
			escape = `\u2029`
		}
		if escape != "" {
			dst = append(append(dst, s[from:i]...), escape...)
			from = i + n
		}
		i += n
	}
	return append(append(dst, s[from:]...), '"')
}

// other leaves values of a type to encoding/json.
func other(t reflect.Type) func([]byte, unsafe.Pointer) ([]byte, error) {
	return func(dst []byte, at unsafe.Pointer) ([]byte, error) {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(reflect.NewAt(t, at).Interface()); err != nil {
			return dst, err
		}
		data := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
		if next := []byte("\u0085"); bytes.Contains(data, next) {
			data = bytes.ReplaceAll(data, next, []byte(`\u0085`))
		}
		return append(dst, data...), nil
	}
}
