package corpora_test

import (
	"fmt"
	"strings"

	"parley/eval/ieg/corpora"
)

func Example() {
	transcript := `{"TURNS": [
		{"NAMES": ["LAURA"], "UTTERANCES": ["I put my ear", "to the door."], "NUMBER": 7},
		{"NAMES": ["MATT"], "UTTERANCES": ["Make a perception check."], "NUMBER": 8},
		{"NAMES": ["LAURA"], "UTTERANCES": ["17!"], "NUMBER": 9}]}`
	people := corpora.People{DMs: []string{"MATT"}, Players: map[string]string{"LAURA": "Jester"}}
	file := corpora.File{Name: "E1.json", Group: "E1", Content: strings.NewReader(transcript), People: people}
	for x, err := range corpora.CRD3(file) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(x.ID, x.Lines, x.Intentions, x.Tier)
	}
	// Output: crd3:E1:8 [{Jester I put my ear to the door.}] [{Jester Perception}] numeric_reply
}
