package vdm

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/characters"
	"parley/eval/ieg"
	"parley/eval/judge"
)

//go:embed prompts/*.tmpl
var files embed.FS

var prompts = judge.Prompts(files)

const (
	maxLines = 30  // of a window that a model is shown
	maxLine  = 500 // characters of a line; longer ones lose their middle
	maxName  = 60  // characters
)

// Example is an interaction as a model learns and meets it: the prompt, and the true answer, a compact
// JSON list such as [{"character":"Orla Venn","skill":"Stealth"}] in the order of the cast and of the
// skills. Tuned asks with the same prompt and reads the same answer.
func Example(x *ieg.Interaction) (prompt, answer string) {
	return rendered("example", map[string]any{"Cast": names(x.Cast), "Skills": characters.Skills(), "Lines": talk(x)}), answerOf(x)
}

// rendered fills in a prompt that quotes nothing.
func rendered(name string, with any) string {
	text, err := judge.Render(prompts[name], 0, with)
	if err != nil {
		panic(err) // the prompt is part of the program
	}
	return text
}

// answerOf writes the true intentions, each once.
func answerOf(x *ieg.Interaction) string {
	set := []ieg.Intention{}
	for _, in := range x.Intentions {
		in.Character = flat(in.Character, maxName)
		if !slices.Contains(set, in) {
			set = append(set, in)
		}
	}
	seats := names(x.Cast)
	slices.SortStableFunc(set, func(a, b ieg.Intention) int {
		if d := slices.Index(seats, a.Character) - slices.Index(seats, b.Character); d != 0 {
			return d
		}
		return strings.Compare(string(a.Skill), string(b.Skill))
	})
	raw, err := json.Marshal(set)
	if err != nil {
		panic(err) // strings can be written
	}
	return string(raw)
}

// readAnswer reads an answer in the form of Example. A model may fence it or put words around it, and
// write names and skills in its own way; a character who is not of the cast stays in, as a wrong one.
func readAnswer(text string, cast []string) ([]ieg.Intention, error) {
	start := strings.IndexByte(text, '[')
	if start < 0 {
		return nil, errors.New("there is no JSON list in the reply")
	}
	var list []attempt
	dec := json.NewDecoder(strings.NewReader(text[start:]))
	if err := dec.Decode(&list); err != nil {
		return nil, fmt.Errorf("the list in the reply cannot be read: %w", err)
	}
	if strings.IndexByte(text[start+int(dec.InputOffset()):], '[') >= 0 {
		return nil, errors.New("there is more than one list in the reply")
	}
	return intentions(list, cast)
}

// intentions reads what a model states, each intention once.
func intentions(list []attempt, cast []string) (set []ieg.Intention, err error) {
	for i, in := range list {
		skill, ok := characters.ParseSkill(in.Skill)
		if !ok {
			return nil, fmt.Errorf("item %d of the list names %q, which is not a skill", i+1, flat(in.Skill, maxName))
		}
		if strings.TrimSpace(in.Character) == "" {
			return nil, fmt.Errorf("item %d of the list names no character", i+1)
		}
		if one := (ieg.Intention{Character: called(in.Character, cast), Skill: skill}); !slices.Contains(set, one) {
			set = append(set, one)
		}
	}
	return set, nil
}

// called returns the member of the cast who is meant by a name, or the name itself.
func called(name string, cast []string) string {
	for _, c := range cast {
		if flat(c, maxName) == name {
			return c
		}
	}
	if who, ok := ieg.NewNames(cast, nil).Find(name); ok {
		return who
	}
	return strings.TrimSpace(name)
}

// names are the cast as a prompt can hold them.
func names(cast []string) []string {
	out := make([]string, len(cast))
	for i, name := range cast {
		out[i] = flat(name, maxName)
	}
	return out
}

// talk is the last lines of a window, one string each.
func talk(x *ieg.Interaction) []string {
	lines := x.Lines[max(0, len(x.Lines)-maxLines):]
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = flat(l.Speaker, maxName) + ": " + flat(l.Text, maxLine)
	}
	return out
}

// flat makes one line of a text and takes out the middle of one that is too long.
func flat(text string, most int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	r := []rune(text)
	if len(r) <= most {
		return text
	}
	half := (most - 5) / 2
	return string(r[:half]) + " ... " + string(r[len(r)-half:])
}
