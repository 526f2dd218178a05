package finetune

import (
	"slices"
	"strings"

	"parley/eval/ieg"
	"parley/finetune/vdm"
)

// NoSkill is the label of a window without intentions.
const NoSkill = "none"

// FromWindow makes an example of the task dm of a window of play: what vdm.Tuned asks, and the true
// answer. A split that the window's source gave it is the example's; val is validation.
func FromWindow(x *ieg.Interaction) Example {
	prompt, answer := vdm.Example(x)
	e := Example{
		ID: x.ID, Task: DM, Group: x.Group, Source: x.Source, Split: splitNamed(x.Split),
		Prompt:     []Message{{User, prompt}},
		Completion: []Message{{Assistant, answer}},
	}
	for _, in := range x.Intentions {
		e.Labels = append(e.Labels, string(in.Skill))
	}
	if e.Labels = unique(e.Labels); len(e.Labels) == 0 {
		e.Labels = []string{NoSkill}
	}
	var body strings.Builder
	for _, l := range x.Lines {
		body.WriteString(l.Speaker + ": " + l.Text + "\n")
	}
	e.Body = body.String()
	return e
}

// splitNamed reads a split of a window.
func splitNamed(name string) Split {
	switch name {
	case ieg.Train:
		return Train
	case ieg.Val:
		return Validation
	case ieg.Test:
		return Test
	}
	return ""
}

// unique sorts texts and keeps each once.
func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
