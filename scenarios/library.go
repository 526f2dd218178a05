package scenarios

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"sync"
)

//go:embed library
var library embed.FS

// Shelf is a stock of pieces to make scenarios from.
type Shelf struct {
	Knowledge []Knowledge
	Scenes    []Scene
}

// Library returns the pieces that come with parley, in a fixed order. They are parsed once and
// shared: nobody changes them.
func Library() *Shelf { return parsed() }

var parsed = sync.OnceValue(func() *Shelf {
	return &Shelf{Knowledge: values[Knowledge](Exchange.Library()), Scenes: values[Scene](Expression.Library())}
})

// libraries holds the parsed library of each kind.
var libraries = sync.OnceValue(func() map[*Kind][]Piece {
	all := map[*Kind][]Piece{}
	for _, k := range kinds {
		all[k] = embedded("library/"+k.Pieces, k.read)
	}
	return all
})

// FindKnowledge returns the knowledge of that id, or nil.
func (s *Shelf) FindKnowledge(id string) *Knowledge {
	for i := range s.Knowledge {
		if s.Knowledge[i].ID == id {
			return &s.Knowledge[i]
		}
	}
	return nil
}

// FindScene returns the scene of that id, or nil.
func (s *Shelf) FindScene(id string) *Scene {
	for i := range s.Scenes {
		if s.Scenes[i].ID == id {
			return &s.Scenes[i]
		}
	}
	return nil
}

// embedded reads every file of an embedded folder. What it cannot read was broken when parley was
// built.
func embedded[T any](dir string, read func(io.Reader, string) ([]T, error)) []T {
	entries, err := library.ReadDir(dir)
	if err != nil {
		panic(fmt.Sprintf("scenarios: broken library: %v", err))
	}
	var all []T
	for _, e := range entries {
		file := dir + "/" + e.Name()
		data, err := library.ReadFile(file)
		if err != nil {
			panic(fmt.Sprintf("scenarios: broken library: %v", err))
		}
		pieces, err := read(bytes.NewReader(data), file)
		if err != nil {
			panic(fmt.Sprintf("scenarios: broken library: %v", err))
		}
		all = append(all, pieces...)
	}
	return all
}
