package formats

import (
	"maps"
	"regexp"
	"slices"
)

// shape holds the keys and types of the rows of a file: datasets makes one table of them, in which
// every row has every key.
type shape struct {
	top fields
	n   int // keys that are remembered
}

// fields are the keys of the objects in one place of the rows.
type fields struct {
	by     map[string]*field
	n      int64 // objects seen
	differ bool  // some did not have all keys
}

// field describes the values of a key.
type field struct {
	name   string // with that of the place
	kind   kind
	line   int64
	words  bool   // some string is not a date
	inside fields // keys of the object, or of the objects of the list
	items  *field // of a list
}

const (
	maxKeys  = 256  // of one place that are remembered
	maxPaths = 4096 // of a file
	maxLevel = 8    // of nesting
)

// object looks at an object in a place, whose name ends with a point if it has one.
func (f *fields) object(v *validator, o *value, place string, depth int) {
	if f.by == nil {
		f.by = map[string]*field{}
	}
	met := 0
	for key, m := range o.members() {
		known := f.by[string(key)]
		if known == nil {
			if len(f.by) >= maxKeys || v.shape.n >= maxPaths {
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
			if o.get(key) == nil {
				v.pads(f.by[key].name, place, "this one does not have it")
				break
			}
		}
	}
}

// pads reports that keys differ, once for a place.
func (v *validator) pads(name, place, which string) {
	if v.f.Check != "axolotl" && v.once("keys"+place) { // axolotl takes padding out again
		v.report("keys_differ", "key", quote(name), "which", which)
	}
}

func (f *field) meet(v *validator, m *value, depth int) {
	k := m.kind()
	if k == null || depth >= maxLevel {
		return
	}
	if f.kind == none {
		f.kind, f.line = k, v.line
	} else if f.kind != k {
		v.report("type_differs", "key", quote(f.name), "kind", k, "before", f.kind, "line", f.line)
		return
	}
	switch k {
	case text:
		f.words = f.words || !dates.Match(m.text)
	case object:
		f.inside.object(v, m, f.name+".", depth+1)
	case list:
		if f.items == nil {
			f.items = &field{name: f.name + "[]"}
		}
		for _, item := range m.items() {
			f.items.meet(v, item, depth+1)
		}
	}
}

// dates matches what pyarrow takes for a time: YYYY-MM-DD, and hh:mm or more behind it.
var dates = regexp.MustCompile(`^\d{4}-\d\d-\d\d([ T][\d:.Z]{5,21})?$`)

// dates reports keys all of whose strings look like dates, which pyarrow would not leave strings.
func (f *fields) dates(v *validator) {
	for _, key := range slices.Sorted(maps.Keys(f.by)) {
		f.by[key].dates(v)
	}
}

func (f *field) dates(v *validator) {
	if f.kind == text && !f.words {
		v.reportAt(v.file.path, f.line, "date_strings", "key", quote(f.name))
	}
	f.inside.dates(v)
	if f.items != nil {
		f.items.dates(v)
	}
}
