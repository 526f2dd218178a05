package scenarios_test

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"parley/characters"
	"parley/scenarios"
)

// cast returns n characters whose names stand in no fact.
func cast(n int) []*characters.Sheet {
	names := []string{"Zibu Qarf", "Wex Ottl", "Yonk Brill", "Ugga Tsaar", "Vilp Dzonn", "Xerx Moop"}
	sheets := make([]*characters.Sheet, n)
	for i := range sheets {
		sheets[i] = &characters.Sheet{ID: characters.ID(strings.ToLower(strings.ReplaceAll(names[i], " ", "-"))), Name: names[i]}
	}
	return sheets
}

func TestLibrary(t *testing.T) {
	shelf := scenarios.Library()
	if n := len(shelf.Knowledge); n < 36 {
		t.Errorf("%d pieces of knowledge", n)
	}
	if n := len(shelf.Scenes); n < 36 {
		t.Errorf("%d scenes", n)
	}
	ids := map[string]bool{}
	for i := range shelf.Knowledge {
		k := &shelf.Knowledge[i]
		if ids[k.ID] {
			t.Errorf("id %s stands twice", k.ID)
		}
		ids[k.ID] = true
		if err := k.Review(); err != nil {
			t.Error(err)
		}
	}
	skills := map[characters.Skill]int{}
	for i := range shelf.Scenes {
		s := &shelf.Scenes[i]
		if ids[s.ID] {
			t.Errorf("id %s stands twice", s.ID)
		}
		ids[s.ID] = true
		if err := s.Review(); err != nil {
			t.Error(err)
		}
		for _, a := range s.Aims {
			skills[a.Skill]++
		}
	}
	for _, skill := range characters.Skills() {
		if skills[skill] < 12 {
			t.Errorf("%s occurs %d times, fewer than 12", skill, skills[skill])
		}
	}
}

// TestFactsDiffer holds the facts of each piece against one another by a measure of its own, cruder
// than the package's.
func TestFactsDiffer(t *testing.T) {
	word := regexp.MustCompile(`[a-z]{4,}`)
	for _, k := range scenarios.Library().Knowledge {
		title := strings.ToLower(k.Title)
		sets := make([]map[string]bool, len(k.Facts))
		for i, f := range k.Facts {
			sets[i] = map[string]bool{}
			for _, w := range word.FindAllString(strings.ToLower(f.Text), -1) {
				if !strings.Contains(title, w) {
					sets[i][w] = true
				}
			}
			for j := range i {
				shared := 0
				for w := range sets[i] {
					if sets[j][w] {
						shared++
					}
				}
				if 10*shared >= 6*min(len(sets[i]), len(sets[j])) {
					t.Errorf("%s: %q and %q share %d words", k.ID, f.Text, k.Facts[j].Text, shared)
				}
			}
		}
	}
}

func TestNothingLeaks(t *testing.T) {
	shelf := scenarios.Library()
	places := map[string]bool{}
	for i := range shelf.Knowledge {
		k := &shelf.Knowledge[i]
		s := scenarios.NewExchange(k, cast(4))
		for what, text := range map[string]string{
			"hook": k.Hook, "premise": s.Premise, "player's brief": s.Briefs[s.Cast[0].ID],
			"questions": strings.Join(s.Questions, " "),
		} {
			if given := k.Leaks(text); len(given) > 0 {
				t.Errorf("%s: the %s gives away %v: %s", k.ID, what, given, text)
			}
		}
		place, _, _ := strings.Cut(s.Premise, ". Here")
		places[place] = true
	}
	if len(places) < 6 {
		t.Errorf("the whole library meets in %d places", len(places))
	}
	if places["Some people sit together"] {
		t.Error("a piece of the library meets nowhere in particular")
	}
}

func TestAspectsAreGuessed(t *testing.T) {
	right, all := 0, 0
	for _, k := range scenarios.Library().Knowledge {
		for _, f := range k.Facts {
			all++
			if got := scenarios.AspectOf(f.Text); got == f.Aspect {
				right++
			} else if testing.Verbose() {
				t.Logf("%-9s not %-9s %s", f.Aspect, got, f.Text)
			}
		}
	}
	t.Logf("%d of %d", right, all)
	if 10*right < 6*all {
		t.Errorf("the aspect of %d facts of %d is guessed right, less than 60 %%", right, all)
	}
}

// findKnowledge returns the library's knowledge of that id, or nil.
func findKnowledge(id string) *scenarios.Knowledge {
	k, _ := find(scenarios.Exchange, id).(*scenarios.Knowledge)
	return k
}

// findScene returns the library's scene of that id, or nil.
func findScene(id string) *scenarios.Scene {
	s, _ := find(scenarios.Expression, id).(*scenarios.Scene)
	return s
}

func find(kind *scenarios.Kind, id string) scenarios.Piece {
	for _, p := range kind.Library() {
		if p.Head().ID == id {
			return p
		}
	}
	return nil
}

func readKnowledge(r io.Reader, file string) ([]scenarios.Knowledge, error) {
	var list []scenarios.Knowledge
	pieces, err := scenarios.Exchange.Read(r, file)
	for _, p := range pieces {
		list = append(list, *p.(*scenarios.Knowledge))
	}
	return list, err
}

func readScenes(r io.Reader, file string) ([]scenarios.Scene, error) {
	var list []scenarios.Scene
	pieces, err := scenarios.Expression.Read(r, file)
	for _, p := range pieces {
		list = append(list, *p.(*scenarios.Scene))
	}
	return list, err
}
