package characters_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"parley/characters"
)

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func TestGenerateIsRepeatable(t *testing.T) {
	if diff := cmp.Diff(characters.Generate(random(7), 6), characters.Generate(random(7), 6)); diff != "" {
		t.Errorf("one seed, two casts:\n%s", diff)
	}
	if cmp.Equal(characters.Generate(random(7), 3), characters.Generate(random(8), 3)) {
		t.Error("two seeds, one cast")
	}
	if cast := characters.Generate(random(1), 0); len(cast) != 0 {
		t.Errorf("a cast of none has %d", len(cast))
	}
}

func TestGenerateKeepsNamesApart(t *testing.T) {
	taken := []string{"Orla Venn", "Brannoch", "王"}
	for seed := range uint64(300) {
		cast := characters.Generate(random(seed), 6, taken...)
		seen := slices.Clone(taken)
		initials := map[byte]string{'o': "Orla Venn", 'b': "Brannoch"}
		for _, s := range cast {
			for _, other := range seen {
				if s.Name == other || other != "王" && characters.Alike(s.Name, other) {
					t.Fatalf("seed %d: %s beside %s", seed, s.Name, other)
				}
			}
			if s.ID != characters.Slug(s.Name) {
				t.Errorf("%s has the id %s", s.Name, s.ID)
			}
			if other, twice := initials[s.ID[0]]; twice {
				t.Errorf("seed %d: %s and %s begin alike", seed, s.Name, other)
			}
			seen, initials[s.ID[0]] = append(seen, s.Name), s.Name
		}
	}
}

// TestGenerateLargeCast goes beyond the number of initials.
func TestGenerateLargeCast(t *testing.T) {
	first, ids := map[string]bool{}, map[characters.ID]bool{}
	for _, s := range characters.Generate(random(3), 800) {
		if first[s.FirstName()] || ids[s.ID] {
			t.Fatalf("%s (%s) comes twice", s.Name, s.ID)
		}
		first[s.FirstName()], ids[s.ID] = true, true
		if err := s.Validate(); err != nil {
			t.Errorf("%s: %v", s.ID, err)
		}
	}
}

func TestGenerateIsSound(t *testing.T) {
	for seed := range uint64(500) {
		for _, s := range characters.Generate(random(seed), 4) {
			if err := s.Validate(); err != nil {
				t.Fatalf("seed %d: %s: %v", seed, s.ID, err)
			}
			sentences := strings.Count(s.Description, ". ") + 1
			if sentences < 3 || sentences > 5 || !strings.HasSuffix(s.Description, ".") {
				t.Errorf("seed %d: %d sentences: %s", seed, sentences, s.Description)
			}
			if !strings.Contains(s.Description, s.Name) {
				t.Errorf("%s is not named: %s", s.Name, s.Description)
			}
			for _, secret := range s.Secrets {
				if strings.ContainsAny(secret, "{}") || len(secret) < 25 {
					t.Errorf("secret %q", secret)
				}
				if strings.Contains(strings.ToLower(s.Description), strings.ToLower(strings.TrimSuffix(secret, "."))) {
					t.Errorf("the description tells the secret %q", secret)
				}
			}
			if n := len(s.Skills); n < 4 || n > 8 || !slices.IsSorted(s.Skills) {
				t.Errorf("skills %v", s.Skills)
			}
			scores := []int{s.Abilities.Strength, s.Abilities.Dexterity, s.Abilities.Constitution, s.Abilities.Intelligence, s.Abilities.Wisdom, s.Abilities.Charisma}
			sum := 0
			for _, n := range scores {
				sum += n
			}
			// 72 points of the array, and 2 (dwarf, elf ...) to 6 (human) of the race.
			if sum < 74 || sum > 78 || slices.Min(scores) < 8 || slices.Max(scores) > 17 {
				t.Errorf("%s %s has scores %v", s.Race, s.Class, scores)
			}
		}
	}
}

func TestGenerateFollowsTheRules(t *testing.T) {
	for seed := range uint64(200) {
		for _, s := range characters.Generate(random(seed), 9) {
			has := func(skill characters.Skill) bool { return slices.Contains(s.Skills, skill) }
			a := s.Abilities
			switch {
			case s.Race == "Elf" && !has(characters.Perception):
				t.Errorf("an elf without perception: %v", s.Skills)
			case s.Race == "Half-Orc" && !has(characters.Intimidation):
				t.Errorf("a half-orc without intimidation: %v", s.Skills)
			case s.Class == "Wizard" && a.Intelligence < 15, s.Class == "Barbarian" && a.Strength < 15, s.Class == "Cleric" && a.Wisdom < 15:
				t.Errorf("a %s with %+v", s.Class, a)
			case s.Background == "Smuggler" && !(has(characters.Deception) && has(characters.Stealth)):
				t.Errorf("a smuggler with %v", s.Skills)
			}
		}
	}
}

// TestGenerateIsEven draws 2,000 sheets in casts of 4 and holds the counts against the even
// distribution by chi-square, with a bound far beyond what chance does (p < 1e-6).
func TestGenerateIsEven(t *testing.T) {
	r := random(2024)
	counts := map[string]map[string]int{"race": {}, "class": {}, "background": {}, "alignment": {}}
	names, firsts := map[string]int{}, map[string]int{}
	for range 500 {
		for _, s := range characters.Generate(r, 4) {
			counts["race"][s.Race]++
			counts["class"][s.Class]++
			counts["background"][s.Background]++
			counts["alignment"][s.Alignment]++
			names[s.Name]++
			firsts[s.FirstName()]++
		}
	}
	for what, want := range map[string]int{"race": 9, "class": 12, "background": len(backgrounds()), "alignment": 9} {
		count := counts[what]
		if len(count) != want {
			t.Errorf("%d different values of %s, want %d", len(count), what, want)
		}
		expected, chi := 2000/float64(want), 0.0
		for _, n := range count {
			chi += (float64(n) - expected) * (float64(n) - expected) / expected
		}
		degrees := float64(want - 1)
		if bound := degrees + 5*math.Sqrt(2*degrees) + 10; chi > bound {
			t.Errorf("%s is uneven: chi-square %.1f over %.1f: %v", what, chi, bound, count)
		}
	}
	if len(names) < 1998 {
		t.Errorf("%d different names among 2000", len(names))
	}
	if len(firsts) < 1850 {
		t.Errorf("%d different first names among 2000", len(firsts))
	}
}

func TestNamesAreSayable(t *testing.T) {
	accented, apostrophe := 0, 0
	for _, s := range characters.Generate(random(5), 900) {
		run := 0
		for _, r := range strings.ToLower(s.FirstName()) {
			if r < unicode.MaxASCII && unicode.IsLetter(r) && !strings.ContainsRune("aeiouy", r) {
				run++
			} else {
				run = 0
			}
			if run > 4 {
				t.Errorf("%s has %d consonants in a row", s.Name, run)
			}
		}
		if string(characters.Slug(s.FirstName())) != strings.ToLower(s.FirstName()) {
			accented++
		}
		if strings.Contains(s.Name, "'") {
			apostrophe++
		}
	}
	if accented < 30 || accented > 300 || apostrophe < 10 || apostrophe > 250 {
		t.Errorf("of 900 names %d have accents or apostrophes in the first name and %d apostrophes, want a few of each", accented, apostrophe)
	}
}

func TestBackgroundsAreManyAndFull(t *testing.T) {
	if n := len(backgrounds()); n < 16 {
		t.Errorf("%d backgrounds, want at least 16", n)
	}
	seen := map[string]map[string]bool{}
	r := random(11)
	for range 2000 {
		for _, s := range characters.Generate(r, 4) {
			for kind, text := range map[string]string{"trait": s.Trait, "ideal": s.Ideal, "bond": s.Bond, "flaw": s.Flaw} {
				key := s.Background + " " + kind
				if seen[key] == nil {
					seen[key] = map[string]bool{}
				}
				seen[key][text] = true
			}
		}
	}
	everywhere := map[string]string{}
	for _, background := range backgrounds() {
		for kind, want := range map[string]int{"trait": 6, "ideal": 6, "bond": 4, "flaw": 4} {
			key := background + " " + kind
			if n := len(seen[key]); n < want {
				t.Errorf("%s: %d different texts, want %d", key, n, want)
			}
			for text := range seen[key] {
				if other, twice := everywhere[text]; twice {
					t.Errorf("%s and %s share %q", key, other, text)
				}
				everywhere[text] = key
			}
		}
	}
}

func TestAlike(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"Orla Venn", "Orla Marsh", true},
		{"Orla Venn", "Tobin Venn", true},
		{"Órla", "orla", true},
		{"Orla", "Orlan", true},
		{"Marla", "Karla", true},
		{"Tamsin", "Tamlyn", true},
		{"Bo", "Bo'a", true},
		{"Orla Venn", "Tobin Marsh", false},
		{"Ana de Silva", "Pedro de Soto", false},
		{"Finn", "Bram", false},
	} {
		if got := characters.Alike(test.a, test.b); got != test.want {
			t.Errorf("Alike(%q, %q) = %v", test.a, test.b, got)
		}
		if got := characters.Alike(test.b, test.a); got != test.want {
			t.Errorf("Alike(%q, %q) = %v", test.b, test.a, got)
		}
	}
}

func TestSlug(t *testing.T) {
	for name, want := range map[string]characters.ID{
		"Orla Venn": "orla-venn", "Élan O'Mirë": "elan-omire", "Ægir Þórsson": "aegir-thorsson",
		"  Bo   the  Red ": "bo-the-red", "王": "", "": "", "Jo\u0301 -- X": "jo-x",
	} {
		if got := characters.Slug(name); got != want {
			t.Errorf("Slug(%q) = %q, want %q", name, got, want)
		}
	}
}

func ExampleGenerate() {
	for _, s := range characters.Generate(rand.New(rand.NewPCG(4, 0)), 3) {
		fmt.Printf("%s: %s %s, %s %+d\n", s.Name, s.Race, s.Class, s.Skills[0], s.Modifier(s.Skills[0]))
	}
	// Output:
	// Dromareld Granitebreaker: Dwarf Wizard, Medicine +4
	// Halderette Cherryfoot: Halfling Ranger, Medicine +4
	// Elswén Burnmore: Human Fighter, History +3
}

func BenchmarkGenerate(b *testing.B) {
	r := random(1)
	b.ReportAllocs()
	for b.Loop() {
		characters.Generate(r, 4)
	}
}

func BenchmarkParseSkill(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		characters.ParseSkill("Sleight-of-Hand check")
	}
}

// backgrounds returns those that are drawn.
func backgrounds() []string {
	seen := map[string]bool{}
	for _, s := range characters.Generate(random(12), 400) {
		seen[s.Background] = true
	}
	return slices.Sorted(maps.Keys(seen))
}
