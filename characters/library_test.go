package characters_test

import (
	"strings"
	"testing"

	"parley/characters"
)

func TestLibrary(t *testing.T) {
	library := characters.Library()
	if len(library) < 24 {
		t.Errorf("%d characters, want at least 24", len(library))
	}
	races, classes, backgrounds, alignments := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	texts := map[string]characters.ID{}
	for i, s := range library {
		races[s.Race]++
		classes[s.Class]++
		backgrounds[s.Background]++
		alignments[s.Alignment]++
		if err := s.Validate(); err != nil {
			t.Errorf("%s: %v", s.ID, err)
		}
		if s.ID != characters.Slug(s.Name) {
			t.Errorf("%s is the id of %s", s.ID, s.Name)
		}
		if n := len(s.Secrets); n < 1 || n > 2 {
			t.Errorf("%s has %d secrets, want 1 or 2", s.ID, n)
		}
		if len(s.Description) < 200 {
			t.Errorf("%s has a short description", s.ID)
		}
		for _, other := range library[:i] {
			if characters.Alike(s.Name, other.Name) {
				t.Errorf("%s and %s are alike", s.Name, other.Name)
			}
		}
		for _, text := range append([]string{s.Trait, s.Ideal, s.Bond, s.Flaw, s.Appearance, s.Voice}, s.Secrets...) {
			if other, twice := texts[text]; twice {
				t.Errorf("%s and %s share %q", s.ID, other, text)
			}
			texts[text] = s.ID
			if !strings.HasSuffix(text, ".") {
				t.Errorf("%s: %q has no full stop", s.ID, text)
			}
		}
	}
	if len(races) != 9 || len(classes) != 12 || len(backgrounds) < 16 || len(alignments) < 7 {
		t.Errorf("%d races, %d classes, %d backgrounds, %d alignments", len(races), len(classes), len(backgrounds), len(alignments))
	}
}

func TestLibraryIsTheCallersOwn(t *testing.T) {
	mine := characters.Library()
	mine[0].Name, mine[0].Skills[0], mine[0].Secrets[0] = "Changed", "Changed", "Changed"
	if s := characters.Library()[0]; s.Name == "Changed" || s.Skills[0] == "Changed" || s.Secrets[0] == "Changed" {
		t.Error("a change to one caller's sheet shows in another's")
	}
}
