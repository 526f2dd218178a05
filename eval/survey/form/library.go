package form

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

//go:embed library/*.md
var libraryFiles embed.FS

// Entry is a form of the library: the prompt that asks for it, of at most 50 words, and a form that is
// well made.
type Entry struct {
	Theme  string // such as bus-route-change
	Prompt string
	Form   *Form
}

// Library returns the forms that come with parley, in the order of their themes. They are the caller's.
func Library() []Entry {
	files, err := libraryFiles.ReadDir("library")
	if err != nil {
		panic(err)
	}
	var list []Entry
	for _, f := range files {
		data, err := libraryFiles.ReadFile(path.Join("library", f.Name()))
		if err != nil {
			panic(err)
		}
		d, err := Read(data, f.Name())
		if err != nil || d.Form == nil || len(d.Notes) > 0 {
			panic(fmt.Sprintf("library/%s: %v %v", f.Name(), err, d))
		}
		list = append(list, Entry{strings.TrimSuffix(f.Name(), ".md"), d.Prompt, d.Form})
	}
	return list
}
