package finetune_test

import (
	"slices"
	"strings"
	"testing"

	"parley/eval/ieg"
	"parley/finetune"
	"parley/finetune/vdm"
)

func TestFromWindow(t *testing.T) {
	x := ieg.Interaction{
		ID: "w1", Group: "s1", Split: ieg.Val, Cast: []string{"Ina", "Tove"},
		Lines:      []ieg.Line{{Speaker: ieg.DM, Text: "You stand before the mill."}, {Speaker: "Ina", Text: "I sneak to the door."}},
		Intentions: []ieg.Intention{{Character: "Ina", Skill: "Stealth"}, {Character: "Tove", Skill: "Stealth"}, {Character: "Tove", Skill: "Athletics"}},
	}
	e := finetune.FromWindow(&x)
	if err := e.Validate(); err != nil {
		t.Fatal(err)
	}
	prompt, answer := vdm.Example(&x)
	switch {
	case e.ID != "w1" || e.Group != "s1" || e.Task != finetune.DM || e.Split != finetune.Validation:
		t.Errorf("%+v", e)
	case e.Prompt[0].Content != prompt || e.Completion[0].Content != answer:
		t.Errorf("what is learned is not what vdm asks and reads: %q %q", e.Prompt, e.Completion)
	case !slices.Equal(e.Labels, []string{"Athletics", "Stealth"}):
		t.Errorf("labels %q", e.Labels)
	case !strings.Contains(e.Body, "Ina: I sneak to the door.") || strings.Contains(e.Body, "skill"):
		t.Errorf("the body is not the play alone: %q", e.Body)
	}
	x.Intentions, x.Split = nil, ""
	if e = finetune.FromWindow(&x); !slices.Equal(e.Labels, []string{finetune.NoSkill}) || e.Completion[0].Content != "[]" || e.Split != "" {
		t.Errorf("nobody tries anything: %q %q %q", e.Labels, e.Completion, e.Split)
	}
}
