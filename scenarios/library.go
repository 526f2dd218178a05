package scenarios

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"sync"

	"parley/characters/yamlfile"
)

//go:embed library tables
var files embed.FS

// Shelf is the pieces of the first two kinds by their types.
type Shelf struct {
	Knowledge []Knowledge
	Scenes    []Scene
}

// Library returns the knowledge and the scenes that come with parley, in a fixed order. They are parsed
// once and shared: callers do not change them.
var Library = sync.OnceValue(func() *Shelf {
	s := new(Shelf)
	for _, p := range Exchange.Library() {
		s.Knowledge = append(s.Knowledge, *p.(*Knowledge))
	}
	for _, p := range Expression.Library() {
		s.Scenes = append(s.Scenes, *p.(*Scene))
	}
	return s
})

// libraries holds the parsed library of each kind.
var libraries = sync.OnceValue(func() map[*Kind][]Piece {
	all := map[*Kind][]Piece{}
	for _, k := range kinds {
		dir := "library/" + k.Pieces
		entries, err := files.ReadDir(dir)
		check(err)
		for _, e := range entries {
			pieces, err := k.Read(bytes.NewReader(embedded(dir+"/"+e.Name())), e.Name())
			check(err)
			all[k] = append(all[k], pieces...)
		}
	}
	return all
})

func embedded(file string) []byte {
	data, err := files.ReadFile(file)
	check(err)
	return data
}

// check ends the program over an embedded file that cannot be read, which is a fault of the build.
func check(err error) {
	if err != nil {
		panic(fmt.Sprintf("scenarios: %v", err))
	}
}

// wordTable is the file words.yaml.
type wordTable struct {
	Places     []string `yaml:"places"`
	Hooks      []string `yaml:"hooks"`
	Topics     []string `yaml:"topics"`
	Settings   []string `yaml:"settings"`
	Sparks     []string `yaml:"sparks"`
	PlainMarks string   `yaml:"plain_marks"` // divided by ", "
	LightWords string   `yaml:"light_words"` // divided by spaces
}

// vocabulary is the parsed file words.yaml.
var vocabulary = sync.OnceValue(func() *wordTable {
	w := new(wordTable)
	check(yamlfile.Value(embedded("tables/words.yaml"), "words.yaml", w))
	return w
})

var (
	places = sync.OnceValue(func() []phrasing { return phrasings(vocabulary().Places) })
	hooks  = sync.OnceValue(func() []phrasing { return phrasings(vocabulary().Hooks) })
)

// light words carry no content of their own: they may be in a hook without giving a fact away.
var light = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(vocabulary().LightWords) {
		set[word] = true
	}
	return set
})
