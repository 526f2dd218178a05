package scenarios_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"parley/characters/yamlfile"
	"parley/scenarios"
)

const srdFile = "../../shared/data/srd/5e-SRD-Magic-Items.json"

// Items of our own in both layouts.
const (
	layout2014 = `[
  {
    "index": "lamp-of-plums", "name": "Lamp of Plums", "url": "/api/2014/magic-items/lamp-of-plums",
    "rarity": {"name": "Very Rare"}, "equipment_category": {"name": "Wondrous Items"}, "variants": [], "variant": false,
    "desc": [
      "Wondrous item, very rare (requires attunement by a cook)",
      "This lamp weighs 7 pounds. It smells of plums. While holding it, you can speak with geese.",
      "***Moult.*** The GM decides what the geese say. Geese moult near the lamp's flame. If you fail, a goose bites you.",
      "| d100 | Goose |", "|---|---|", "| 1 | Grey |"
    ]
  },
  {"index": "lamp-small", "name": "Lamp, Small", "rarity": {"name": "Rare"}, "variant": true, "desc": ["Wondrous item, rare", "A."]},
  {"index": "mute-spoon", "name": "Mute Spoon", "rarity": {"name": "Rare"}, "variant": false, "desc": ["Wondrous item, rare", "This spoon is silent tonight."]}
]`
	layout2024 = `[{"index": "lamp-of-plums", "name": "Lamp of Plums", "url": "/api/2024/magic-items/lamp-of-plums", "variant": false,
  "attunement": true, "rarity": {"name": "Rare"}, "equipment_category": {"name": "Wondrous Items"},
  "desc": "Wondrous Item  \n This lamp weighs 7 pounds.  \n Geese moult near the lamp."}]`
)

func TestImportSRD(t *testing.T) {
	pieces, skipped, err := scenarios.ImportSRD(strings.NewReader(layout2014), "items.json")
	if err != nil || len(pieces) != 1 || len(skipped) != 2 {
		t.Fatalf("%d pieces, %v, %v", len(pieces), skipped, err)
	}
	k := pieces[0]
	want := []scenarios.Fact{
		{Text: "The Lamp of Plums is a very rare wondrous item.", Aspect: scenarios.Nature},
		{Text: "The Lamp of Plums requires attunement by a cook.", Aspect: scenarios.Use},
		{Text: "The Lamp of Plums weighs 7 pounds; it smells of plums.", Aspect: scenarios.Look},
		{Text: "While holding the Lamp of Plums, you can speak with geese.", Aspect: scenarios.Use},
		{Text: "Geese moult near the Lamp of Plums's flame; if you fail, a goose bites you.", Aspect: scenarios.Danger},
	}
	for i := range max(len(want), len(k.Facts)) {
		if i >= len(k.Facts) || i >= len(want) || k.Facts[i] != want[i] {
			t.Errorf("facts %q\nwhere %q", k.Facts, want)
			break
		}
	}
	if k.ID != "srd-lamp-of-plums" || k.Title != "the Lamp of Plums" || k.Topic != "item" || !strings.Contains(k.Source, "Reference Document 5.1 ") {
		t.Errorf("made %+v", k)
	}
	reasons := skipped[0].Reason + "; " + skipped[1].Reason
	if reasons != "a variant of another item; too short a text: 2 of the 3 facts that are needed" {
		t.Errorf("skipped for %s", reasons)
	}
	pieces, _, err = scenarios.ImportSRD(strings.NewReader(layout2024), "items.json")
	if err != nil || len(pieces) != 1 {
		t.Fatalf("layout of 2024: %d pieces, %v", len(pieces), err)
	}
	if k := pieces[0]; len(k.Facts) != 4 || k.Facts[1].Text != "The Lamp of Plums requires attunement." || !strings.Contains(k.Source, "5.2.1") {
		t.Errorf("layout of 2024: made %+v", k)
	}
}

func TestImportSRDRefuses(t *testing.T) {
	tests := []struct{ reason, data, want string }{
		{"empty", "", "items.json:1: not a JSON list"},
		{"an object", `{"count": 3}`, "items.json:1: not a JSON list"},
		{"cut short", layout2014[:len(layout2014)-200], "the file breaks off"},
		{"cut short between entries", layout2014[:strings.Index(layout2014, "},\n  {")+1], "the file breaks off"},
		{"broken", strings.Replace(layout2014, `"variant": true,`, `"variant": true`, 1), "items.json:12: invalid character"},
		{"more behind it", layout2014 + "[]", "items.json:14: more behind the list"},
		{"an empty list", "[]", "items.json:1: an empty list"},
		{"other records", `[{"index": "str", "name": "STR", "full_name": "Strength", "desc": ["a"]}]`, "items.json:1: entry 1 is no magic item: it has no index, name, rarity or desc"},
		{"a number for a name", "[\n{\"index\": \"a\",\n\"name\": 3}]", "items.json:3: entry 1 is no magic item: name holds a number"},
		{"numbers", "[1, 2]", "items.json:1: entry 1 is no magic item"},
		{"an item twice", "[" + layout2014[1:strings.Index(layout2014, "},\n  {")+1] + "," + layout2014[1:], "items.json:12: entry 2: lamp-of-plums is in the file twice"},
		{"nested for the sake of it", strings.Repeat("[", 100_000), "exceeded max depth"},
		{"too large", "[" + strings.Repeat(" ", 17<<20) + "]", "items.json: larger than 16 MiB"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			pieces, skipped, err := scenarios.ImportSRD(strings.NewReader(tt.data), "items.json")
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "items.json") {
				t.Errorf("error %v, where %q is wanted", err, tt.want)
			}
			if len(pieces)+len(skipped) > 0 {
				t.Errorf("%d pieces and %d skipped of a refused file", len(pieces), len(skipped))
			}
		})
	}
	if _, _, err := scenarios.ImportSRD(brokenReader{}, "items.json"); err == nil {
		t.Error("a file that cannot be read is imported")
	}
}

// TestImportRealSRD imports the whole collection where it is at hand.
func TestImportRealSRD(t *testing.T) {
	f, err := os.Open(srdFile)
	if os.IsNotExist(err) {
		t.Skip("no ", srdFile)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	pieces, skipped, err := scenarios.ImportSRD(f, srdFile)
	if err != nil {
		t.Fatal(err)
	}
	if len(pieces)+len(skipped) != 362 || len(pieces) < 150 {
		t.Errorf("%d imported, %d skipped of 362", len(pieces), len(skipped))
	}
	counts := map[int]int{}
	six := 0
	for i := range pieces {
		k := &pieces[i]
		counts[len(k.Facts)]++
		if len(k.Facts) >= 6 {
			six++
		}
		if err := k.Validate(); err != nil {
			t.Error(err)
		}
		if n := len(k.Facts); n < 3 || n > 10 {
			t.Errorf("%s has %d facts", k.ID, n)
		}
		name := strings.TrimPrefix(k.Title, "the ")
		for _, f := range k.Facts {
			if !strings.Contains(f.Text, name) || f.Aspect == "" || !strings.Contains(k.Text, f.Text) || strings.ContainsAny(f.Text, "*|") {
				t.Errorf("%s: %+v", k.ID, f)
			}
		}
		if given := k.Leaks(scenarios.NewExchange(k, cast(4)).Premise); len(given) > 0 {
			t.Errorf("%s: the premise gives away %v", k.ID, given)
		}
	}
	t.Logf("%d imported, by number of facts %v, %d with 6 or more", len(pieces), counts, six)
	var b bytes.Buffer
	if err := yamlfile.Encode(&b, pieces); err != nil {
		t.Fatal(err)
	}
	if again, err := readKnowledge(&b, "imported.yaml"); err != nil || len(again) != len(pieces) {
		t.Errorf("%d of %d read back: %v", len(again), len(pieces), err)
	}
}

// FuzzImportSRD holds that an import is whole or none, and of valid knowledge.
func FuzzImportSRD(f *testing.F) {
	f.Add([]byte(layout2014))
	f.Add([]byte(layout2024))
	f.Fuzz(func(t *testing.T, data []byte) {
		pieces, skipped, err := scenarios.ImportSRD(bytes.NewReader(data), "items.json")
		if err != nil {
			if len(pieces)+len(skipped) > 0 || !strings.HasPrefix(err.Error(), "items.json:") {
				t.Fatalf("%d pieces, %d skipped, %v", len(pieces), len(skipped), err)
			}
			return
		}
		for i := range pieces {
			if err := pieces[i].Validate(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
