package characters

import (
	"cmp"
	"io"

	"parley/characters/yamlfile"
)

// Finding is one thing that is wrong with a file of characters.
type Finding = yamlfile.Finding

var format = yamlfile.Format[*Sheet]{
	Noun: "character", Nouns: "characters",
	New: func() *Sheet { return &Sheet{Level: 1, Abilities: Abilities{10, 10, 10, 10, 10, 10}} },
	Keys: func(s *Sheet) []yamlfile.Key {
		return []yamlfile.Key{{Path: "id", Text: string(s.ID), Value: string(s.ID)}, {Path: "name", Text: s.Name, Value: fold(s.Name)}}
	},
}

// Read reads the characters of a YAML file: one sheet or a list of them, in one or more documents. It
// is strict. Everything that is wrong is reported, each as a *Finding, joined; there are then no
// sheets. Characters of one file have different IDs and names.
func Read(r io.Reader, file string) ([]*Sheet, error) { return format.Read(r, file) }

// Complete gives a sheet without an ID the one that goes with its name.
func (s *Sheet) Complete() { s.ID = cmp.Or(s.ID, Slug(s.Name)) }

// Encode writes the sheets as a YAML list that Read reads back to the same.
func Encode(w io.Writer, sheets []*Sheet) error { return yamlfile.Encode(w, sheets) }

// Load returns the characters of several files in order. The name "library" stands for the library.
// Two characters of one ID or of one name are an error: they may sit at one table.
func Load(files []string, open func(name string) (io.ReadCloser, error)) ([]*Sheet, error) {
	return format.Load(files, Library, open)
}
