package reference

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"parley/characters"
	"parley/characters/yamlfile"
	"parley/scenarios"
)

//go:embed lines.yaml
var linesFile []byte

// lines are what reference actors say and do, as the file lines.yaml holds them.
type lines struct {
	AskOpeners     []form `yaml:"ask_openers"`
	AskDeeds       []form `yaml:"ask_deeds"`
	AskAnything    []form `yaml:"ask_anything"`
	AnswerOpeners  []form `yaml:"answer_openers"`
	AnswerLinks    []form `yaml:"answer_links"`
	HoldBacks      []form `yaml:"hold_backs"`
	Refusals       []form `yaml:"refusals"`
	Ignorance      []form `yaml:"ignorance"`
	NPCIdle        []form `yaml:"npc_idle"`
	IdleDeeds      []form `yaml:"idle_deeds"`
	ShareOpeners   []form `yaml:"share_openers"`
	RecountOpeners []form `yaml:"recount_openers"`
	LearnedNothing []form `yaml:"learned_nothing"`
	SmallTalk      []form `yaml:"small_talk"`
	BluntLines     []form `yaml:"blunt_lines"`
	BluntEnds      []form `yaml:"blunt_ends"`
	VagueLines     []form `yaml:"vague_lines"`
	VagueDeeds     []form `yaml:"vague_deeds"`
	Before         []form `yaml:"before"` // the words around a line at a table
	After          []form `yaml:"after"`
	Offers         []form `yaml:"offers"` // before DEAL: and a price
	Accepts        []form `yaml:"accepts"`

	Anything string                   `yaml:"anything"` // words that ask for whatever is left
	Topics   []topic                  `yaml:"topics"`   // the first whose words a question holds decides
	Vivid    map[characters.Skill]act `yaml:"vivid"`

	anything []string
}

// topic is an aspect with the words that ask for it, divided by ", "; one that ends in _ is a whole word.
type topic struct {
	Aspect scenarios.Aspect `yaml:"aspect"`
	Words  string           `yaml:"words"`
	Ask    []form           `yaml:"ask"` // about "it", which the asker makes plain beforehand

	words []string
}

// act is how a skill looks and sounds when it is not named.
type act struct {
	Deeds []form `yaml:"deeds"`
	Lines []form `yaml:"lines"`
}

// texts returns the lines, which are read once.
var texts = sync.OnceValue(func() *lines {
	l := new(lines)
	if err := yamlfile.Value(linesFile, "lines.yaml", l); err != nil {
		panic(fmt.Sprintf("reference: %v", err)) // a fault of the build
	}
	divided := func(words string) []string {
		return strings.Split(strings.ReplaceAll(words, "_", " "), ", ")
	}
	l.anything = divided(l.Anything)
	for i := range l.Topics {
		l.Topics[i].words = divided(l.Topics[i].Words)
	}
	return l
})
