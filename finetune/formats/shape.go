package formats

import (
	"maps"
	"slices"
)

// shape is what keys and types the rows of a file have: datasets makes one table of them, in which
// every row has every key.
type shape struct {
	top fields
	n   int // keys that are remembered
}

// fields are the keys of the objects that stand in one place.
type fields struct {
	by     map[string]*field
	n      int64 // objects seen
	differ bool  // some did not have all keys
}

// field is what a key holds.
type field struct {
	name   string // with that of the place
	place  string // what the names of keys inside begin with
	kind   kind
	line   int64
	words  bool   // some string is not a date
	inside fields // keys of the object, or of the objects of the list
	items  *field // of a list
}

const (
	mostKeys  = 256  // of one place that are remembered
	mostPaths = 4096 // of a file
	mostDepth = 8
)

func (s *shape) row(v *validator, row value) { s.top.object(v, row, "", 0) }

// object looks at an object that stands in a place, whose name ends with a point if it has one.
func (f *fields) object(v *validator, o value, place string, depth int) {
	if f.by == nil {
		f.by = map[string]*field{}
	}
	met := 0
	for key, m := range o.members() {
		known := f.by[string(key)]
		if known == nil {
			if len(f.by) >= mostKeys || v.shape.n >= mostPaths {
				continue
			}
			v.shape.n++
			known = &field{name: place + string(key), line: v.line}
			f.by[string(key)] = known
			if f.n > 0 {
				v.pads(known.name, place, "earlier ones do not have it")
			}
		}
		met++
		known.meet(v, m, depth)
	}
	if f.n++; met < len(f.by) && !f.differ {
		f.differ = true
		for _, key := range slices.Sorted(maps.Keys(f.by)) {
			if o.get(key).kind() == none {
				v.pads(f.by[key].name, place, "this one does not have it")
				break
			}
		}
	}
}

// pads reports that keys differ, once for a place.
func (v *validator) pads(name, place, which string) {
	if v.f == &axolotl || !v.once("keys"+place) { // axolotl takes padding out again
		return
	}
	who := "datasets fills in None"
	if place != "" {
		who = "datasets up to 4 fills in None"
	}
	v.warn("keys_differ", "write the same keys in every row and message, with \"\" where there is nothing",
		"not all have the key %s, %s: %s, which templates that ask \"is defined\" take for a value", quote([]byte(name)), which, who)
}

func (f *field) meet(v *validator, m value, depth int) {
	k := m.kind()
	if k == null || depth >= mostDepth {
		return
	}
	if f.kind == none {
		f.kind, f.line = k, v.line
	} else if f.kind != k {
		v.warn("type_differs", "give the key one type in all rows; nested data can be a JSON string",
			"%s is %s here and %s in line %d: pyarrow, and with it datasets up to 4, stops (\"changed from ... to ...\"); datasets 5 leaves the column untyped", quote([]byte(f.name)), k, f.kind, f.line)
		return
	}
	switch k {
	case text:
		f.words = f.words || !dated(m.bytes())
	case object:
		if f.place == "" {
			f.place = f.name + "."
		}
		f.inside.object(v, m, f.place, depth+1)
	case list:
		if f.items == nil {
			f.items = &field{name: f.name + "[]"}
		}
		for _, item := range m.items() {
			f.items.meet(v, item, depth+1)
		}
	}
}

// dates reports strings that pyarrow would not leave strings: where all of a key look like a date.
func (f *fields) dates(v *validator) {
	for _, key := range slices.Sorted(maps.Keys(f.by)) {
		f.by[key].dates(v)
	}
}

func (f *field) dates(v *validator) {
	if f.kind == text && !f.words {
		v.findAt(v.file.path, f.line, Error, "date_strings", "add a word to one of them, or write Parquet",
			"every %s of the file looks like a date: datasets makes times of them, which are no text to a trainer", quote([]byte(f.name)))
	}
	f.inside.dates(v)
	if f.items != nil {
		f.items.dates(v)
	}
}

// dated says whether pyarrow takes a string for a time: YYYY-MM-DD, and hh:mm or more behind it.
func dated(b []byte) bool {
	const day = "dddd-dd-dd"
	if len(b) < len(day) || len(b) > 32 {
		return false
	}
	for i, c := range b {
		digit := '0' <= c && c <= '9'
		switch {
		case i < len(day) && digit != (day[i] == 'd'), i < len(day) && !digit && c != '-':
			return false
		case i == len(day) && c != ' ' && c != 'T':
			return false
		case i > len(day) && !digit && c != ':' && c != '.' && c != 'Z':
			return false
		}
	}
	return len(b) == len(day) || len(b) >= len(day)+6
}
