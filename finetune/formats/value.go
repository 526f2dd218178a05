package formats

import (
	"bytes"
	"fmt"
	"iter"
	"unicode/utf8"
)

// kind is the type of a JSON value; none is a value that is not there.
type kind uint8

const (
	none kind = iota
	null
	boolean
	number
	text
	list
	object
)

func (k kind) String() string {
	return [...]string{"nothing", "null", "true or false", "a number", "a string", "a list", "an object"}[k]
}

// node is a value of a document; what it holds are the nodes from first on, each leading to the next.
type node struct {
	kind        kind
	key         []byte // in an object
	text        []byte // of a string, unescaped; of a number and of true and false, as written
	first, next int32  // 0: none, as the node 0 is the document itself
	n           int32  // members or items
}

// document is a JSON text, read into memory that the next text uses again.
type document struct {
	raw   []byte
	at    int
	nodes []node
	chars []byte // unescaped strings

	separator rune   // a raw U+0085, U+2028 or U+2029 in a string
	surrogate bool   // an escape that is half a character
	badUTF8   bool   // in a string
	doubled   string // a key that stands twice in an object
	more      bool   // something follows after the value, at at
}

// deepest is how far values may nest. Python's own reader gives up near 1000.
const deepest = 500

// parse reads one JSON value of RFC 8259 and nothing after it.
func (d *document) parse(raw []byte) (value, error) {
	*d = document{raw: raw, nodes: d.nodes[:0], chars: d.chars[:0]}
	d.space()
	root, err := d.value(0)
	if err != nil {
		return value{}, err
	}
	d.space()
	if d.at < len(raw) {
		d.more = true
		return value{d, root}, d.fail("more follows after the value")
	}
	return value{d, root}, nil
}

func (d *document) fail(what string) error {
	if d.at >= len(d.raw) {
		return fmt.Errorf("%s, at the end", what)
	}
	return fmt.Errorf("%s, at byte %d", what, d.at+1)
}

func (d *document) space() {
	for d.at < len(d.raw) {
		switch d.raw[d.at] {
		case ' ', '\t', '\n', '\r':
			d.at++
		default:
			return
		}
	}
}

func (d *document) peek() byte {
	if d.at < len(d.raw) {
		return d.raw[d.at]
	}
	return 0
}

func (d *document) add(k kind) int32 {
	d.nodes = append(d.nodes, node{kind: k})
	return int32(len(d.nodes) - 1)
}

var literals = [...]struct {
	word []byte
	kind kind
}{{[]byte("null"), null}, {[]byte("true"), boolean}, {[]byte("false"), boolean}}

func (d *document) value(depth int) (int32, error) {
	if depth > deepest {
		return 0, d.fail("values nest too deeply")
	}
	switch c := d.peek(); {
	case c == '{':
		return d.object(depth)
	case c == '[':
		return d.list(depth)
	case c == '"':
		s, err := d.string()
		i := d.add(text)
		d.nodes[i].text = s
		return i, err
	case c == '-' || '0' <= c && c <= '9':
		return d.number()
	}
	for _, lit := range literals {
		if bytes.HasPrefix(d.raw[d.at:], lit.word) {
			i := d.add(lit.kind)
			d.nodes[i].text = lit.word
			d.at += len(lit.word)
			return i, nil
		}
	}
	return 0, d.fail("there is no JSON value")
}

func (d *document) object(depth int) (int32, error) {
	me := d.add(object)
	last := int32(0)
	d.at++
	d.space()
	if d.peek() == '}' {
		d.at++
		return me, nil
	}
	for {
		if d.space(); d.peek() != '"' {
			return 0, d.fail("a key in quotation marks is missing")
		}
		key, err := d.string()
		if err != nil {
			return 0, err
		}
		if d.space(); d.peek() != ':' {
			return 0, d.fail("a colon is missing after a key")
		}
		d.at++
		d.space()
		child, err := d.value(depth + 1)
		if err != nil {
			return 0, err
		}
		d.nodes[child].key = key
		d.link(me, child, &last)
		d.space()
		switch d.peek() {
		case ',':
			d.at++
		case '}':
			d.at++
			d.unique(me)
			return me, nil
		default:
			return 0, d.fail("a comma or closing brace is missing")
		}
	}
}

func (d *document) list(depth int) (int32, error) {
	me := d.add(list)
	last := int32(0)
	d.at++
	d.space()
	if d.peek() == ']' {
		d.at++
		return me, nil
	}
	for {
		d.space()
		child, err := d.value(depth + 1)
		if err != nil {
			return 0, err
		}
		d.link(me, child, &last)
		d.space()
		switch d.peek() {
		case ',':
			d.at++
		case ']':
			d.at++
			return me, nil
		default:
			return 0, d.fail("a comma or closing bracket is missing")
		}
	}
}

func (d *document) link(parent, child int32, last *int32) {
	if *last == 0 {
		d.nodes[parent].first = child
	} else {
		d.nodes[*last].next = child
	}
	*last = child
	d.nodes[parent].n++
}

// unique looks for a key that stands twice.
func (d *document) unique(me int32) {
	if d.doubled != "" {
		return
	}
	if n := d.nodes[me].n; n > 16 {
		seen := make(map[string]bool, n)
		for i := d.nodes[me].first; i != 0; i = d.nodes[i].next {
			if key := string(d.nodes[i].key); seen[key] {
				d.doubled = key
			} else {
				seen[key] = true
			}
		}
		return
	}
	for i := d.nodes[me].first; i != 0; i = d.nodes[i].next {
		for j := d.nodes[i].next; j != 0; j = d.nodes[j].next {
			if string(d.nodes[i].key) == string(d.nodes[j].key) {
				d.doubled = string(d.nodes[i].key)
			}
		}
	}
}

func (d *document) number() (int32, error) {
	start := d.at
	digits := func() bool {
		from := d.at
		for c := d.peek(); '0' <= c && c <= '9'; c = d.peek() {
			d.at++
		}
		return d.at > from
	}
	if d.peek() == '-' {
		d.at++
	}
	if d.peek() == '0' {
		d.at++
	} else if !digits() {
		return 0, d.fail("a number has no digits")
	}
	if d.peek() == '.' {
		if d.at++; !digits() {
			return 0, d.fail("a number has no digits after its point")
		}
	}
	if c := d.peek(); c == 'e' || c == 'E' {
		d.at++
		if c := d.peek(); c == '+' || c == '-' {
			d.at++
		}
		if !digits() {
			return 0, d.fail("a number has no digits in its exponent")
		}
	}
	i := d.add(number)
	d.nodes[i].text = d.raw[start:d.at]
	return i, nil
}

// value is a place in a document. The zero value is nothing, and so is what it holds.
type value struct {
	d *document
	i int32
}

func (v value) kind() kind {
	if v.d == nil {
		return none
	}
	return v.d.nodes[v.i].kind
}

// len is the number of items or members.
func (v value) len() int {
	if v.d == nil {
		return 0
	}
	return int(v.d.nodes[v.i].n)
}

// bytes is the text of a string, number, true or false.
func (v value) bytes() []byte {
	if v.d == nil {
		return nil
	}
	return v.d.nodes[v.i].text
}

// is says whether the value is a certain string.
func (v value) is(s string) bool { return v.kind() == text && string(v.bytes()) == s }

// get returns the last member of a key, as most readers do, or nothing.
func (v value) get(key string) value {
	var found value
	for k, m := range v.members() {
		if string(k) == key {
			found = m
		}
	}
	return found
}

// has says whether an object has a key with something other than null.
func (v value) has(key string) bool { return v.get(key).kind() > null }

// members yields keys and values of an object; nothing else has any.
func (v value) members() iter.Seq2[[]byte, value] {
	return func(yield func([]byte, value) bool) {
		if v.kind() != object {
			return
		}
		for i := v.d.nodes[v.i].first; i != 0; i = v.d.nodes[i].next {
			if !yield(v.d.nodes[i].key, value{v.d, i}) {
				return
			}
		}
	}
}

// items yields the values of a list; nothing else has any.
func (v value) items() iter.Seq2[int, value] {
	return func(yield func(int, value) bool) {
		if v.kind() != list {
			return
		}
		n := 0
		for i := v.d.nodes[v.i].first; i != 0; i = v.d.nodes[i].next {
			if n++; !yield(n, value{v.d, i}) {
				return
			}
		}
	}
}

// first returns the first item of a list.
func (v value) first() value {
	for _, m := range v.items() {
		return m
	}
	return value{}
}

// last returns the last item of a list.
func (v value) last() value {
	var out value
	for _, m := range v.items() {
		out = m
	}
	return out
}

// quote shows foreign text in a message: short, and without what a terminal would act on.
func quote(b []byte) string {
	const most = 60
	if len(b) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(b[cut]) {
			cut--
		}
		return fmt.Sprintf("%+q...", b[:cut])
	}
	return fmt.Sprintf("%q", b)
}
