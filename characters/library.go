package characters

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"sync"
)

//go:embed library/*.yaml
var libraryFiles embed.FS

// Library returns the ready characters, by file and in the order of each: written by hand, of all
// races and classes, no two names Alike. The sheets are the caller's own.
func Library() []*Sheet {
	sheets := readLibrary()
	own := make([]*Sheet, len(sheets))
	for i, s := range sheets {
		own[i] = s.Clone()
	}
	return own
}

// Clone returns a sheet that shares nothing with s.
func (s *Sheet) Clone() *Sheet {
	own := *s
	own.Skills, own.Secrets = slices.Clone(s.Skills), slices.Clone(s.Secrets)
	return &own
}

var readLibrary = sync.OnceValue(func() []*Sheet {
	files, err := fs.Glob(libraryFiles, "library/*.yaml")
	var all []*Sheet
	for _, name := range files {
		var file fs.File
		if file, err = libraryFiles.Open(name); err != nil {
			break
		}
		var sheets []*Sheet
		if sheets, err = Read(file, name); err != nil {
			break
		}
		all = append(all, sheets...)
	}
	if err != nil {
		panic(fmt.Sprintf("the built-in characters do not read: %v", err)) // a test reads them
	}
	return all
})
