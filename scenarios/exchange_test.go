package scenarios_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/characters"
	"parley/scenarios"
)

func TestExchange(t *testing.T) {
	shelf := scenarios.Library()
	players := cast(4)
	for i := range shelf.Knowledge {
		k := &shelf.Knowledge[i]
		s := scenarios.NewExchange(k, players)
		if s.Kind != scenarios.Exchange || s.ID != k.ID || s.Title != k.Title || s.Knowledge != k || len(s.Intentions) != 0 {
			t.Errorf("%s: made %+v", k.ID, s)
		}
		npc := players[3]
		if s.NPC != npc.ID || len(s.Players()) != 3 || s.Sheet(npc.ID) != npc {
			t.Errorf("%s: the NPC is %s among %d players", k.ID, s.NPC, len(s.Players()))
		}
		if !strings.Contains(s.Premise, k.Hook) {
			t.Errorf("%s: the premise lacks the hook", k.ID)
		}
		for _, c := range players {
			if !strings.Contains(s.Premise, c.Name) {
				t.Errorf("%s: the premise lacks %s", k.ID, c.Name)
			}
			if holds := strings.Contains(s.Briefs[c.ID], k.Text); holds != (c == npc) {
				t.Errorf("%s: %s holds the knowledge: %v", k.ID, c.Name, holds)
			}
			if !strings.Contains(s.Briefs[c.ID], k.Title) {
				t.Errorf("%s: %s is not told what it is about", k.ID, c.Name)
			}
		}
		if len(s.Questions) == 0 || !strings.Contains(s.Questions[0], npc.Name) {
			t.Errorf("%s: questions %q", k.ID, s.Questions)
		}
		if diff := cmp.Diff(s, scenarios.NewExchange(k, players)); diff != "" {
			t.Errorf("%s: made twice it differs: %s", k.ID, diff)
		}
	}
}

func TestExchangeOfUsersKnowledge(t *testing.T) {
	k := &scenarios.Knowledge{ID: "a", Title: "A", Topic: "item", Hook: "A?", Facts: []scenarios.Fact{{Text: "A is b."}, {Text: "A does c."}}}
	s := scenarios.NewExchange(k, cast(1))
	if brief := s.Briefs[s.NPC]; !strings.Contains(brief, "A is b. A does c.") {
		t.Errorf("the NPC without players, of a knowledge without text, is told %q", brief)
	}
	if s := scenarios.NewExchange(k, nil); s.NPC != "" || len(s.Cast) != 0 {
		t.Errorf("without cast: %+v", s)
	}
	// Every place shares a word with this.
	k.Facts = append(k.Facts, scenarios.Fact{Text: "Travellers at a posting inn, carriers' highway, marble bathhouse, barge, cloakroom, arbour, samovar, terrace, aquarium, manor picnic, wagon on a moor, brass band."})
	if s := scenarios.NewExchange(k, cast(2)); !strings.HasPrefix(s.Premise, "Some people sit together.") {
		t.Errorf("met at %q", s.Premise)
	}
}

// TestExchangeMeetsElsewhere holds that a place is not met at whose words the facts have in any form.
func TestExchangeMeetsElsewhere(t *testing.T) {
	meeting := func(fact string) string {
		k := &scenarios.Knowledge{ID: "b", Facts: []scenarios.Fact{{Text: "A é."}, {Text: fact}}}
		return scenarios.NewExchange(k, cast(2)).Premise
	}
	usual := meeting("A b.")
	if !strings.Contains(usual, "carriers' camp") {
		t.Fatalf("the test is about another place than %q", usual)
	}
	for _, fact := range []string{"camp", "A CAMPHOR b.", "A decamped.", "é camp", "Settlers", "HİGHWAY", "A \u212aettle."} {
		if meeting(fact) == usual {
			t.Errorf("met at a camp in spite of %q", fact)
		}
	}
	for _, fact := range []string{"", "c", "ca", "cam", "c amp", "CAM", "A cäm p.", "cam\xffp"} {
		if meeting(fact) != usual {
			t.Errorf("%q is no reason to meet elsewhere", fact)
		}
	}
}

func TestLeaks(t *testing.T) {
	k := &scenarios.Knowledge{Title: "the Brass Goat", Facts: []scenarios.Fact{{Text: "The Brass Goat bleats twice for liars."}}}
	tests := []struct {
		text   string
		want   []string
		reason string
	}{
		{"Ask for the brass goat.", nil, "the words of the title"},
		{"It is for us.", nil, "words without content"},
		{"A goat was bleating at a liar's door.", []string{"bleat", "liar"}, "other forms of the words"},
		{"TWICE!", []string{"twice"}, "in capitals"},
	}
	for _, tt := range tests {
		if got := k.Leaks(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q gives away %v, not %v", tt.reason, tt.text, got, tt.want)
		}
	}
}

func TestReview(t *testing.T) {
	k := scenarios.Library().Knowledge[0]
	k.Facts = slices.Clone(k.Facts)
	k.Facts[0].Text = "It is big. It is red."
	k.Facts[1] = scenarios.Fact{Text: k.Facts[2].Text + " "}
	k.Hook += " " + k.Facts[3].Text
	k.Text = "Short."
	err := k.Review()
	for _, want := range []string{"hook: gives something", "text: 1 words", "facts[0]: is not one sentence", "facts[0]: does not name", "facts[1]: has no aspect", "facts[2]: shares most", "facts[3]: is not in the text"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("not said: %s", want)
		}
	}
	s := scenarios.Library().Scenes[0]
	s.Aims = slices.Clone(s.Aims[:2])
	s.Aims[1] = scenarios.Aim{Skill: s.Aims[0].Skill, Brief: "Be stealthy, survive."}
	s.Premise = "They persuade you."
	err = s.Review()
	for _, want := range []string{"premise: 3 words", `premise: names a skill by "persuade"`, "aims: 2, where", `aims[1].brief: names a skill by "stealthy"`, "is there twice"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("not said: %s", want)
		}
	}
}

func TestAspects(t *testing.T) {
	tests := map[string]scenarios.Aspect{
		"The lamp was made by a blind smith.":           scenarios.Origin,
		"Count Ulm plans to melt the lamp.":             scenarios.Plan,
		"The lamp hangs beneath the bridge.":            scenarios.Place,
		"A drop of vinegar makes the lamp powerless.":   scenarios.Weakness,
		"The lamp smells of plums and is grey.":         scenarios.Look,
		"The monk guards the lamp.":                     scenarios.Keeper,
		"The lamp is poisonous to the touch and kills.": scenarios.Danger,
		"Hm.": "",
		"The duchess of Drowned Forge offers gold for it": scenarios.Seeker,
	}
	for text, want := range tests {
		if got := scenarios.AspectOf(text); got != want {
			t.Errorf("%q is of aspect %q, not %q", text, got, want)
		}
	}
}

func ExampleNewExchange() {
	k := findKnowledge("ashen-bell")
	orla := &characters.Sheet{ID: "orla", Name: "Orla Venn"}
	tam := &characters.Sheet{ID: "tam", Name: "Tam Reed"}
	s := scenarios.NewExchange(k, []*characters.Sheet{orla, tam})
	fmt.Println(s.Title, "is what", s.NPC, "knows about, in", len(k.Facts), "facts")
	fmt.Println(k.Facts[0].Aspect, "-", k.Facts[0].Text)
	// Output:
	// the Ashen Bell is what tam knows about, in 9 facts
	// origin - The Ashen Bell was made by Mother Iskra Vole, a potter who had never cast metal.
}

func BenchmarkNewExchange(b *testing.B) {
	shelf, players := scenarios.Library(), cast(4)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		scenarios.NewExchange(&shelf.Knowledge[i%len(shelf.Knowledge)], players)
	}
}
