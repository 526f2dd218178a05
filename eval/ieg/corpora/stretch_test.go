package corpora_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"parley/eval/ieg"
	"parley/eval/ieg/corpora"
)

func stretches(t *testing.T, format, content string, people corpora.People) []ieg.Interaction {
	t.Helper()
	return collect(t, corpora.Readers[format], corpora.File{Name: "log", Group: "G", Content: strings.NewReader(content), People: people, Stretch: true})
}

// A stretch of a transcript holds every check of its lines, and neither the requests nor the totals.
func TestStretchesOfATranscript(t *testing.T) {
	lines := []string{
		"MATT: Welcome.", "LAURA: I push the door.", "MATT: Make an athletics check.", "LAURA: 17.", "MATT: 17. It gives.",
		"SAM: I hide.", "MATT: Give me a stealth check.", "SAM+LAURA: Twelve!", "MATT: Okay.",
	}
	for len(lines) < 30 {
		lines = append(lines, "SAM: Onwards.")
	}
	lines = append(lines, "MATT: Make a perception check.", "SAM: 20.", "MATT: 20.") // it belongs to what came before
	for range 12 {
		lines = append(lines, "LAURA: Nothing here.")
	}
	lines = append(lines, "MATT: Make an insight check.", "LAURA: 9.", "MATT: Hm.") // of a second stretch of 18 lines
	got := stretches(t, "crd3", episode(lines...), table)
	check(t, show(got), `
crd3:G:stretch1 numeric_reply Jester,Nott | Nott: Onwards. | Jester Athletics, Nott Stealth, Jester Stealth, Nott Perception
crd3:G:stretch2 numeric_reply Jester,Nott | DM: Hm. | Jester Insight
`)
	for _, x := range got {
		for _, l := range x.Lines {
			if strings.Contains(l.Text, "check") || l.Speaker != ieg.DM && strings.Contains("17. Twelve! 20. 9.", l.Text) && l.Text != "." {
				t.Errorf("%s gives a label away: %s: %s", x.ID, l.Speaker, l.Text)
			}
		}
	}
	if n := len(got[0].Lines); n != 26 {
		t.Errorf("the first stretch has %d lines, want 30 without two requests and two totals", n)
	}
	if got := stretches(t, "crd3", episode(lines[:9]...), table); len(got) != 0 {
		t.Errorf("9 lines are no stretch: %s", show(got))
	}
}

// Chat logs, which know of rolls, have them too; turns that are windows already have none.
func TestStretchesOfAChat(t *testing.T) {
	var b strings.Builder
	for i := range 20 {
		fmt.Fprintf(&b, `{"_id":"a%d","type":2,"user":"u","timestamp":%d,"content":"Line %d.","speaker":{"alias":"Orla","actor":"o"}}`+"\n", i, 1000+i, i)
		if i == 3 || i == 12 {
			skill := map[int]string{3: "ste", 12: "arc"}[i]
			fmt.Fprintf(&b, `{"_id":"r%d","type":5,"user":"u","timestamp":%d,"content":"12","rolls":["{}"],"speaker":{"alias":"Orla","actor":"o"},"flags":{"dnd5e":{"roll":{"type":"skill","skillId":"%s"}}}}`+"\n", i, 1000+i, skill)
		}
	}
	check(t, show(stretches(t, "foundry", b.String(), corpora.People{})), `
foundry:G:stretch1 rolled Orla | Orla: Line 19. | Orla Stealth, Orla Arcana
`)
	for _, err := range corpora.Avrae([]corpora.File{{Name: "turns", Group: "G", Stretch: true, Content: io.Reader(strings.NewReader(`{"commands_norm":["!c per"]}`))}}) {
		if err == nil || !strings.Contains(err.Error(), "windows already") {
			t.Errorf("turns of FIREBALL: %v", err)
		}
	}
}
