package characters_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/characters"
)

const orla = `id: orla-venn
name: Orla Venn
race: Half-Elf
class: Rogue
background: Card Sharp
alignment: Chaotic Good
level: 3
abilities: {str: 8, dex: 16, con: 12, int: 13, wis: 10, cha: 15}
skills: [Deception, Stealth]
trait: Smiles at locks.
ideal: Believes in luck.
bond: Misses the sea.
flaw: Lies at breakfast.
appearance: Freckled.
voice: Quick.
secrets:
  - Owes forty gold to the smugglers of Grey Quay.
description: |
  Orla was born on a boat.
  She left it.
`

// change returns the sheet with one line replaced by another text.
func change(line, by string) string {
	if !strings.Contains(orla, line+"\n") {
		panic("no line " + line)
	}
	return strings.Replace(orla, line+"\n", by, 1)
}

func TestRead(t *testing.T) {
	sheets, err := characters.Read(strings.NewReader(orla), "orla.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := &characters.Sheet{
		ID: "orla-venn", Name: "Orla Venn", Race: "Half-Elf", Class: "Rogue", Background: "Card Sharp",
		Alignment: "Chaotic Good", Level: 3,
		Abilities: characters.Abilities{Strength: 8, Dexterity: 16, Constitution: 12, Intelligence: 13, Wisdom: 10, Charisma: 15},
		Skills:    []characters.Skill{characters.Deception, characters.Stealth},
		Trait:     "Smiles at locks.", Ideal: "Believes in luck.", Bond: "Misses the sea.", Flaw: "Lies at breakfast.",
		Appearance: "Freckled.", Voice: "Quick.", Secrets: []string{"Owes forty gold to the smugglers of Grey Quay."},
		Description: "Orla was born on a boat.\nShe left it.",
	}
	if diff := cmp.Diff([]*characters.Sheet{want}, sheets); diff != "" {
		t.Error(diff)
	}
}

// encoded returns the sheets as a file.
func encoded(sheets []*characters.Sheet) []byte {
	var file bytes.Buffer
	if err := characters.Encode(&file, sheets); err != nil {
		panic(err)
	}
	return file.Bytes()
}

func TestANameAndASentenceAreEnough(t *testing.T) {
	sheets, err := characters.Read(strings.NewReader("- name: Bo Élan\n  description: A boy with a drum.\n"), "f.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := &characters.Sheet{ID: "bo-elan", Name: "Bo Élan", Description: "A boy with a drum.", Level: 1, Abilities: characters.Abilities{
		Strength: 10, Dexterity: 10, Constitution: 10, Intelligence: 10, Wisdom: 10, Charisma: 10}}
	if diff := cmp.Diff([]*characters.Sheet{want}, sheets); diff != "" {
		t.Error(diff)
	}
	again, err := characters.Read(bytes.NewReader(encoded(sheets)), "again.yaml")
	if diff := cmp.Diff(sheets, again); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if got := sheets[0].Modifier(characters.Stealth); got != 0 {
		t.Errorf("the modifier is %d", got)
	}
}

func TestLoad(t *testing.T) {
	open := func(name string) (io.ReadCloser, error) {
		if name != "orla.yaml" {
			return nil, fs.ErrNotExist
		}
		return io.NopCloser(strings.NewReader(orla)), nil
	}
	library := len(characters.Library())
	for _, test := range []struct {
		files []string
		n     int
		want  string
	}{
		{nil, 0, ""},
		{[]string{"library", "orla.yaml"}, library + 1, ""},
		{[]string{"orla.yaml", "orla.yaml"}, 0, "orla.yaml: the id orla-venn is in orla.yaml too; keep one of the two\norla.yaml: the name Orla Venn is in"},
		{[]string{"orla.yaml", "none.yaml"}, 0, "not exist"},
	} {
		sheets, err := characters.Load(test.files, open)
		if len(sheets) != test.n || (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %d characters, %v", test.files, len(sheets), err)
		}
	}
}

func TestReadForms(t *testing.T) {
	tobin := strings.NewReplacer("orla-venn", "tobin", "Orla Venn", "Tobin").Replace(orla)
	item := func(text string) string {
		return "- " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") + "\n"
	}
	for name, text := range map[string]string{
		"list":             item(orla) + item(tobin),
		"two documents":    orla + "---\n" + tobin,
		"list and one":     "# a comment\n---\n" + item(orla) + "---\n" + tobin + "...\n",
		"carriage returns": strings.ReplaceAll(item(orla)+item(tobin), "\n", "\r\n"),
	} {
		sheets, err := characters.Read(strings.NewReader(text), "f.yaml")
		if err != nil || len(sheets) != 2 || sheets[0].Name != "Orla Venn" || sheets[1].ID != "tobin" {
			t.Errorf("%s: %d sheets, %v", name, len(sheets), err)
		}
	}
	without := strings.Replace(orla, "secrets:\n  - Owes forty gold to the smugglers of Grey Quay.\n", "", 1)
	without = strings.Replace(without, "skills: [Deception, Stealth]", "skills: []", 1)
	if sheets, err := characters.Read(strings.NewReader(without), "f.yaml"); err != nil || len(sheets[0].Secrets)+len(sheets[0].Skills) > 0 {
		t.Errorf("without secrets and skills: %v", err)
	}
}

func TestReadReports(t *testing.T) {
	for _, test := range []struct {
		text   string
		want   []string // findings, in order, from their start
		reason string
	}{
		{text: "", want: []string{"f.yaml:1: no characters in it"}},
		{text: "# only this\n", want: []string{"f.yaml:1: no characters in it"}},
		{text: "[]", want: []string{"f.yaml:1: no characters in it"}},
		{text: "hello", want: []string{"f.yaml:1: the character: a text where there should be fields, each as name: value"}},
		{text: "- 3\n- null\n", want: []string{"f.yaml:1: the character: a number where there should be fields", "f.yaml:2: the character: nothing where there should be fields"}},
		{text: "name: [a\n", want: []string{"f.yaml:1: not YAML"}},
		{text: "name: a\n\tx: b\n", want: []string{"f.yaml:2: not YAML"}},
		{text: change("race: Half-Elf", "race: half elf\n"), want: []string{`f.yaml:3: race: unknown race "half elf"; did you mean Half-Elf?`}},
		{text: change("race: Half-Elf", "race: Kobold\n"), want: []string{`f.yaml:3: race: unknown race "Kobold"; write one of Dragonborn, Dwarf`}},
		{text: change("class: Rogue", "class: Rouge\n"), want: []string{`f.yaml:4: class: unknown class "Rouge"; did you mean Rogue?`}},
		{text: change("alignment: Chaotic Good", "alignment: Good\n"), want: []string{`f.yaml:6: alignment: unknown alignment "Good"; write one of Lawful Good`}},
		{text: change("level: 3", "level: 21\n"), want: []string{"f.yaml:7: level: 21 is out of range; write 1 to 20"}},
		{text: change("level: 3", "level: \"3\"\n"), want: []string{"f.yaml:7: level: a text where there should be a whole number without quotes"}},
		{text: change("level: 3", "level: 3.5\n"), want: []string{"f.yaml:7: level: a number where there should be a whole number"}},
		{text: change("level: 3", "level: 0\n"), want: []string{"f.yaml:7: level: 0 is out of range"}},
		{text: change("level: 3", "level:\n"), want: []string{"f.yaml:7: level: nothing there"}},
		{text: change("level: 3", "lvl: 3\n"), want: []string{`f.yaml:7: unknown field "lvl"; did you mean level? known here are abilities, alignment,`}},
		{text: change("level: 3", "level: 3\nlevel: 4\n"), want: []string{"f.yaml:8: "}, reason: "a field that stands twice"},
		{text: change("name: Orla Venn", "name: 12\n"), want: []string{"f.yaml:2: name: a number where there should be a text; put quotes around it"}},
		{text: change("name: Orla Venn", "name: \"\"\n"), want: []string{"f.yaml:2: name: missing"}},
		{text: change("name: Orla Venn", "name: Orla <Venn>\n"), want: []string{`f.yaml:2: name: "Orla <Venn>" is not a name: it holds '<'`}},
		{text: change("name: Orla Venn", "name: Narrator\n"), want: []string{`f.yaml:2: name: "Narrator" would be mistaken`}},
		{text: change("name: Orla Venn", "name: [Orla]\n"), want: []string{"f.yaml:2: name: a list where there should be a text"}},
		{text: change("id: orla-venn", "id: Orla Venn\n"), want: []string{`f.yaml:1: id: "Orla Venn" is not an id`}},
		{text: change("skills: [Deception, Stealth]", "skills:\n  - Deception\n  - percep\n  - Deception\n  - 4\n"), want: []string{
			"f.yaml:13: skills[3]: a number where", `f.yaml:11: skills[1]: unknown skill "percep"; did you mean Perception?`, "f.yaml:12: skills[2]: Deception is there twice",
		}},
		{text: change("skills: [Deception, Stealth]", "skills: {a: b}\n"), want: []string{"f.yaml:9: skills: a list of fields where there should be a list"}},
		{text: change("abilities: {str: 8, dex: 16, con: 12, int: 13, wis: 10, cha: 15}", "abilities:\n  str: 8\n  dex: 31\n  con: x\n  int: 13\n  luck: 3\n  wis: 10\n"), want: []string{
			"f.yaml:11: abilities.con: a text where", `f.yaml:13: unknown field "abilities.luck"; known here are cha, con`, "f.yaml:10: abilities.dex: 31 is out of range",
		}},
		{text: change("abilities: {str: 8, dex: 16, con: 12, int: 13, wis: 10, cha: 15}", "abilities: [8, 16]\n"), want: []string{"f.yaml:8: abilities: a list where there should be fields"}},
		{text: change("trait: Smiles at locks.", "trait: &t Smiles.\n"), want: []string{"f.yaml:10: trait: an anchor or alias"}},
		{text: change("trait: Smiles at locks.", "trait: \"a\\0b\"\n"), want: []string{"f.yaml:10: trait: holds the unprintable character U+0000"}},
		{text: change("trait: Smiles at locks.", "trait: "+strings.Repeat("long ", 200)+"\n"), want: []string{"f.yaml:10: trait: 999 letters long; shorten it to 600"}},
		{text: change("race: Half-Elf", "race: Kobold\n") + "extra: 1\n", want: []string{`f.yaml:21: unknown field "extra"`, "f.yaml:3: race:"}, reason: "all findings, not the first"},
		{text: orla + "---\n" + orla, want: []string{"f.yaml:22: id: orla-venn is the id of the character in line 1 already", "f.yaml:23: name: Orla Venn is the name of the character in line 1 already"}},
		{text: "a: 1\n", want: []string{`f.yaml:1: unknown field "a"`, "f.yaml:1: name: missing", "f.yaml:1: description: missing"}},
		{text: "name: 龍\ndescription: A dragon.\n", want: []string{"f.yaml:1: id: missing"}, reason: "no ID can be made of the name"},
		{text: "name: Bo\nskills: ['']\nsecrets: ['']\ndescription: A boy.\n", want: []string{"f.yaml:2: skills[0]: missing", "f.yaml:3: secrets[0]: missing"}},
		{text: strings.Repeat("[", 100_000), want: []string{"f.yaml:1: nested more than 32 levels deep"}},
		{text: strings.Repeat("{a: ", 100_000), want: []string{"f.yaml:1: nested more than 32 levels deep"}},
	} {
		sheets, err := characters.Read(strings.NewReader(test.text), "f.yaml")
		if err == nil || sheets != nil {
			t.Errorf("read %q without a finding %s", test.text, test.reason)
			continue
		}
		findings := strings.Split(err.Error(), "\n")
		for i, want := range test.want {
			if i >= len(findings) || !strings.HasPrefix(findings[i], want) {
				t.Errorf("finding %d of %q should begin with %q %s\n%v", i+1, test.text, want, test.reason, err)
			}
		}
		if len(findings) != len(test.want) {
			t.Errorf("%d findings, want %d\n%v", len(findings), len(test.want), err)
		}
		var finding *characters.Finding
		if !errors.As(err, &finding) || finding.File != "f.yaml" || finding.Line < 1 {
			t.Errorf("no finding in %v", err)
		}
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("the disk is on fire") }

func TestReadPassesReadErrorsOn(t *testing.T) {
	if _, err := characters.Read(brokenReader{}, "f.yaml"); err == nil || !strings.Contains(err.Error(), "on fire") {
		t.Errorf("error %v", err)
	}
	if _, err := characters.Read(bytes.NewReader(make([]byte, 9<<20)), "f.yaml"); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("error %v", err)
	}
}

func TestMarshalRoundTrips(t *testing.T) {
	odd := characters.Library()[0]
	odd.Trait = `"Quoted": it's #1, isn't it? \ {x} [y] & *z !t | > % @ ` + "`"
	odd.Ideal = "null"
	odd.Bond = "- not a list"
	odd.Flaw = "two\nlines\n\nand: a third"
	odd.Voice = "日本語 \U0001F409 é\u0301 \u00a0x\u2028y"
	odd.Background = "yes"
	odd.Appearance = strings.Repeat("word ", 40) + "# end"
	odd.Secrets = []string{"3.14", "~", "true", "a: b", "ends with a colon:", "1e5", ".inf", "0x10", "2024-01-01", "'", "?", "=", "<<"}
	odd.Description = strings.Repeat("A line that folds well, ", 20) + "and ends."
	sheets := append(characters.Generate(random(9), 20), odd)
	for _, s := range sheets {
		if err := s.Validate(); err != nil {
			t.Fatalf("%s: %v", s.ID, err)
		}
	}
	var file bytes.Buffer
	if err := characters.Encode(&file, sheets); err != nil {
		t.Fatal(err)
	}
	again, err := characters.Read(bytes.NewReader(file.Bytes()), "f.yaml")
	if err != nil {
		t.Fatalf("%v\n%s", err, file.Bytes())
	}
	if diff := cmp.Diff(sheets, again); diff != "" {
		t.Error(diff)
	}
	for _, line := range strings.Split(string(encoded(sheets[:20])), "\n") {
		if len(line) > 160 {
			t.Errorf("long line: %s", line)
		}
	}
}

func TestValidate(t *testing.T) {
	s := characters.Library()[0]
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	s.ID, s.Level, s.Race, s.Abilities.Wisdom, s.Trait = "", 0, "Elk", 0, " x"
	s.Skills = append(s.Skills, "Cooking")
	s.Secrets = []string{"One.", "One."}
	err := s.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"id: missing", "level: 0 is out", "abilities.wis: 0 is out", "trait: space before", `unknown skill "Cooking"; write one of`, "secrets[1]: the same"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(orla))
	f.Add(encoded(characters.Generate(random(1), 2)))
	for _, seed := range []string{"", "- ", "a: &a [*a]", "{a: {b: c}}", "? x\n: y", "--- |\n x\n...\n", "<<: {a: b}", "!!map {}", "\"\\", "%YAML 1.1\n---\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		sheets, err := characters.Read(bytes.NewReader(data), "f.yaml")
		if err != nil {
			return
		}
		for _, s := range sheets {
			if err := s.Validate(); err != nil {
				t.Fatalf("read, but not valid: %v", err)
			}
		}
		again, err := characters.Read(bytes.NewReader(encoded(sheets)), "again.yaml")
		if err != nil {
			t.Fatalf("what was read does not read again: %v\n%s", err, encoded(sheets))
		}
		if diff := cmp.Diff(sheets, again); diff != "" {
			t.Fatalf("read again, it is something else: %s\n%s", diff, encoded(sheets))
		}
	})
}

// FuzzMarshal puts any text into the fields that take one.
func FuzzMarshal(f *testing.F) {
	for _, seed := range []string{"plain", "a: b", "# x", "- y", "'", "\"", "a\nb", "x  y", "é\u2028", "\\", "|", ">-\n x", "a \\\n b", "\u0085", "\u00ad", "word " + strings.Repeat("and word ", 30)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := characters.Library()[0]
		s.Trait, s.Description, s.Background, s.Secrets = text, text, text, []string{text}
		if s.Validate() != nil {
			return
		}
		data := encoded([]*characters.Sheet{s})
		again, err := characters.Read(bytes.NewReader(data), "again.yaml")
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if diff := cmp.Diff([]*characters.Sheet{s}, again); diff != "" {
			t.Fatalf("%s\n%s", diff, data)
		}
	})
}

func ExampleRead() {
	_, err := characters.Read(strings.NewReader("id: bo\nname: Bo\nrace: Elk\n"), "bo.yaml")
	fmt.Println(err)
	// Output:
	// bo.yaml:3: race: unknown race "Elk"; did you mean Elf?
	// bo.yaml:1: description: missing; write it, it may not be empty
}
