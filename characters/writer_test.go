package characters_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/characters"
)

// says returns a writer that answers with the reply and notes the prompt.
func says(reply string, prompt *string) characters.Writer {
	return func(_ context.Context, p string, schema []byte) (string, error) {
		if !json.Valid(schema) {
			return "", errors.New("the schema is no JSON")
		}
		*prompt = p
		return reply, nil
	}
}

func TestWrite(t *testing.T) {
	s := characters.Library()[4]
	before := s.Clone()
	var prompt string
	reply := " ```json\n" + `{"description": "Mirel Saltcombe reads ruins as others read letters, and answers a few.", "name": "Mirél Saltcombe"}` + "\n```"
	if err := characters.Write(t.Context(), says(reply, &prompt), s, []string{"Orla Venn", "Tobin"}); err != nil {
		t.Fatal(err)
	}
	before.ID, before.Name = "mirel-saltcombe", "Mirél Saltcombe"
	before.Description = "Mirel Saltcombe reads ruins as others read letters, and answers a few."
	if diff := cmp.Diff(before, s); diff != "" {
		t.Error(diff)
	}
	for _, want := range []string{s.Race, s.Class, s.Background, s.Alignment, s.Trait, s.Ideal, s.Bond, s.Flaw, s.Appearance, s.Voice, "Orla Venn", "Tobin"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the prompt lacks %q", want)
		}
	}
	for _, secret := range s.Secrets {
		if strings.Contains(prompt, secret) {
			t.Errorf("the prompt tells the secret %q", secret)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	const fine = "A quiet person who keeps bees and grudges."
	object := func(name, description string) string {
		data, _ := json.Marshal(map[string]string{"name": name, "description": description})
		return string(data)
	}
	for _, test := range []struct{ reply, want string }{
		{"", "it is empty"},
		{" \n", "it is empty"},
		{"Sure! Here is one.", "not the JSON object"},
		{"[]", "not the JSON object"},
		{"null", "not the JSON object"},
		{`{"name": "Mirel", "descr`, "breaks off"},
		{`{"name": "Mirel"`, "breaks off"},
		{`{"name": "Mirel", "description": "` + fine, "breaks off"},
		{`{"name": "Mirel"}`, "a description of 0 letters"},
		{`{}`, "bad name: missing"},
		{`{"name": "Mirel", "description": "` + fine + `", "age": 3}`, `unknown object member name "age"`},
		{`{"Name": "Mirel", "description": "` + fine + `"}`, `unknown object member name "Name"`},
		{`{"name": "Mirel", "name": "Osk", "description": "` + fine + `"}`, `duplicate object member name "name"`},
		{`{"name": 3, "description": "` + fine + `"}`, `JSON number into Go string within "/name"`},
		{`{"name": {"first": "Mirel"}, "description": "` + fine + `"}`, `within "/name"`},
		{`{"name": null, "description": "` + fine + `"}`, "bad name: missing"},
		{object("Mirel", fine) + object("Mirel", fine), "after top-level value"},
		{object("Mirel", fine) + " I hope you like it.", "after top-level value"},
		{object("", fine), "bad name: missing"},
		{object("mirel", fine), "capital"},
		{object("Mirel 3", fine), "bad name"},
		{object("王", fine), "bad name"},
		{object("Mirel\nSalt", fine), "bad name"},
		{object("Elf Ranger", fine), "a race or a class"},
		{object("Narrator", fine), "mistaken"},
		{object("Mirel of the House of Salt", fine), "four words"},
		{object(strings.Repeat("Mirel", 9), fine), "longer than 40"},
		{object("Orla", fine), `too like "Orla Venn"`},
		{object("Orlan Salt", fine), `too like "Orla Venn"`},
		{object("Mirel Venn", fine), `too like "Orla Venn"`},
		{object("Mirel", "Short."), "description of 6 letters"},
		{object("Mirel", strings.Repeat("x", 1201)), "description of 1201 letters"},
		{object("Mirel", "   "+fine), "bad description"},
		{object("Mirel", fine+"\x00"), "bad description"},
	} {
		s := characters.Library()[0]
		before := s.Clone()
		var prompt string
		err := characters.Write(t.Context(), says(test.reply, &prompt), s, []string{"Orla Venn"})
		if err == nil || !strings.Contains(err.Error(), "the reply is malformed: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("reply %.60q: error %v, want %q", test.reply, err, test.want)
		}
		if !cmp.Equal(before, s) {
			t.Errorf("reply %.60q changed the sheet", test.reply)
		}
	}
}

func TestWritePassesErrorsOn(t *testing.T) {
	gone := errors.New("nobody answers")
	err := characters.Write(t.Context(), func(context.Context, string, []byte) (string, error) { return "", gone }, characters.Library()[0], nil)
	if !errors.Is(err, gone) || strings.Contains(err.Error(), "malformed") {
		t.Errorf("error %v", err)
	}
}

func FuzzWrite(f *testing.F) {
	f.Add(`{"name": "Mirel", "description": "A quiet person who keeps bees."}`)
	f.Add(`{"name": "Mirel", "description": {}}`)
	f.Add(`{"name": [`)
	f.Fuzz(func(t *testing.T, reply string) {
		s := characters.Library()[0]
		var prompt string
		if characters.Write(t.Context(), says(reply, &prompt), s, []string{"Orla Venn"}) != nil {
			return
		}
		if err := s.Validate(); err != nil {
			t.Errorf("accepted %q: %v", reply, err)
		}
	})
}
