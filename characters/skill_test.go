package characters_test

import (
	"strings"
	"testing"

	"parley/characters"
)

func TestParseSkill(t *testing.T) {
	for _, test := range []struct {
		text   string
		want   characters.Skill
		reason string
	}{
		{text: "Perception", want: characters.Perception},
		{text: "  perception CHECK ", want: characters.Perception},
		{text: "Perception checks", want: characters.Perception},
		{text: "persuasion roll", want: characters.Persuasion},
		{text: "percep", want: characters.Perception},
		{text: "sleight-of-hand", want: characters.SleightOfHand},
		{text: "Sleight_of_Hand check", want: characters.SleightOfHand},
		{text: "SoH", want: characters.SleightOfHand},
		{text: "slight of hand", want: characters.SleightOfHand, reason: "what transcribers hear"},
		{text: "SleightOfHand", want: characters.SleightOfHand, reason: "an identifier from a model"},
		{text: "animal handling", want: characters.AnimalHandling},
		{text: "Animal\u2011Handling", want: characters.AnimalHandling, reason: "non-breaking hyphen"},
		{text: "Handle Animal", want: characters.AnimalHandling, reason: "its name in an older edition"},
		{text: "Investigate", want: characters.Investigation},
		{text: "persuade", want: characters.Persuasion},
		{text: "Percéption", want: characters.Perception},
		{text: "\uff30\uff45\uff52\uff43\uff45\uff50\uff54\uff49\uff4f\uff4e", want: characters.Perception, reason: "full-width letters"},
		{text: "Dexterity (Stealth) check", want: characters.Stealth, reason: "as rule books write it"},
		{text: "Strength (Intimidation)", want: characters.Intimidation, reason: "another ability than usual is a ruling, not a mistake"},
		{text: "wisdom insight", want: characters.Insight},
		{text: `"History".`, want: characters.History},
		{text: "arcana.", want: characters.Arcana},

		{text: ""},
		{text: "check"},
		{text: "checks check"},
		{text: "wisdom", reason: "an ability is not a skill"},
		{text: "Strength check", reason: "an ability check has no skill"},
		{text: "in sight", reason: "words are not run together"},
		{text: "animal"},
		{text: "hand"},
		{text: "persona"},
		{text: "perceptive", reason: "an ordinary word that is not listed"},
		{text: "natural"},
		{text: "medical"},
		{text: "historical"},
		{text: "survive"},
		{text: "a perception check", reason: "a phrase around the name is the caller's to cut"},
		{text: "make a stealth check"},
		{text: "check perception"},
		{text: "stealth or deception"},
		{text: "perception 15"},
		{text: "perception, insight"},
		{text: "initiative"},
		{text: "thieves' tools"},
		{text: strings.Repeat("perception ", 1000)},
		{text: "\xff\xfe"},
	} {
		got, ok := characters.ParseSkill(test.text)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("ParseSkill(%.40q) = %q, %v, want %q %s", test.text, got, ok, test.want, test.reason)
		}
	}
}

func TestSkills(t *testing.T) {
	all := characters.Skills()
	if len(all) != 18 {
		t.Fatalf("%d skills, want 18", len(all))
	}
	count := map[characters.Ability]int{}
	for _, s := range all {
		count[s.Ability()]++
		if got, ok := characters.ParseSkill(string(s)); !ok || got != s {
			t.Errorf("ParseSkill(%q) = %q, %v", s, got, ok)
		}
	}
	want := map[characters.Ability]int{
		characters.Strength: 1, characters.Dexterity: 3, characters.Intelligence: 5,
		characters.Wisdom: 5, characters.Charisma: 4,
	}
	for ability, n := range want {
		if count[ability] != n {
			t.Errorf("%d skills go by %s, want %d", count[ability], ability, n)
		}
	}
	if characters.Skill("perception").Valid() {
		t.Error("a skill in lower case is not valid as a value")
	}
}

func TestModifier(t *testing.T) {
	for _, test := range []struct {
		dex, level int
		proficient bool
		want       int
		reason     string
	}{
		{dex: 10, level: 1, want: 0},
		{dex: 15, level: 1, want: 2},
		{dex: 9, level: 1, want: -1, reason: "halves round down"},
		{dex: 8, level: 1, want: -1},
		{dex: 1, level: 1, want: -5},
		{dex: 30, level: 20, proficient: true, want: 16},
		{dex: 14, level: 4, proficient: true, want: 4},
		{dex: 14, level: 5, proficient: true, want: 5},
		{dex: 14, level: 8, proficient: true, want: 5},
		{dex: 14, level: 9, proficient: true, want: 6},
		{dex: 14, level: 13, proficient: true, want: 7},
		{dex: 14, level: 17, proficient: true, want: 8},
	} {
		s := &characters.Sheet{Level: test.level, Abilities: characters.Abilities{Dexterity: test.dex}}
		if test.proficient {
			s.Skills = []characters.Skill{characters.Stealth}
		}
		if got := s.Modifier(characters.Stealth); got != test.want {
			t.Errorf("dex %d level %d proficient %v: modifier %+d, want %+d %s", test.dex, test.level, test.proficient, got, test.want, test.reason)
		}
		if got := s.Modifier("cooking"); got != 0 {
			t.Errorf("modifier of something that is not a skill is %+d", got)
		}
	}
}

func FuzzParseSkill(f *testing.F) {
	for _, seed := range []string{"Perception check", "sleight-of-hand", "Dexterity (Stealth)", "ﬀ", "İ", "check", "\xff", "SoH "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		skill, ok := characters.ParseSkill(text)
		if ok != skill.Valid() {
			t.Fatalf("ParseSkill(%q) = %q, %v", text, skill, ok)
		}
		if !ok || len(text) > 60 {
			return
		}
		for _, variant := range []string{strings.ReplaceAll(text, " ", "-"), " " + text + "\n", strings.ToLower(text)} {
			if again, _ := characters.ParseSkill(variant); again != skill {
				t.Errorf("ParseSkill(%q) = %q, but ParseSkill(%q) = %q", text, skill, variant, again)
			}
		}
	})
}
