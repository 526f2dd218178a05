package form_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/eval/survey/form"
)

// many is a form of 2,000 questions.
func many() string {
	var b strings.Builder
	b.WriteString(`{"title":"Long","questions":[`)
	for i := range 2000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"question":"What is the name of thing number %d?","type":"text"}`, i)
	}
	b.WriteString("]}")
	return b.String()
}

func TestRead(t *testing.T) {
	tests := []struct {
		name, file, text, reason string
		kind                     form.Kind
		format, title            string
		questions, items         int
		types                    string // of the first questions
		note                     string
	}{
		{name: "sections", file: "a.json", text: `{"title":"T","sections":[{"title":"S","questions":[{"question":"Q?","type":"single_choice","options":["a","b"]}]}]}`,
			kind: form.Survey, format: "json", title: "T", questions: 1, types: "single"},
		{name: "questions alone", text: `{"survey_title":"T","questions":[{"text":"A?","type":"Checkbox","choices":[{"label":"x"},{"label":"y"}]},{"text":"B?","type":"open-ended"}]}`,
			kind: form.Survey, format: "json", title: "T", questions: 2, types: "multiple text"},
		{name: "a wrapper", text: `{"survey":{"title":"T","questions":[{"question":"A?","type":"rating","scale":{"min":1,"max":7}}]}}`,
			kind: form.Survey, format: "json", title: "T", questions: 1, types: "rating"},
		{name: "a scale in words", text: `{"title":"T","questions":[{"question":"A?","type":"rating","scale":"1-5"},{"question":"B?","type":"scale","options":["1","2","3"]},{"question":"C?","type":"rating","options":["bad","good"]}]}`,
			kind: form.Survey, format: "json", title: "T", questions: 3, types: "rating rating likert"},
		{name: "questions as keys", text: `{"title":"T","question1":{"text":"A?","type":"date"},"question2":{"text":"B?","type":"ranking","options":["a","b"]}}`,
			kind: form.Survey, format: "json", title: "T", questions: 2, types: "date ranking"},
		{name: "sections as keys", text: `{"title":"T","About you":[{"question":"A?","type":"number"}],"Views":[{"question":"B?","type":"likert","options":["no","yes"]}]}`,
			kind: form.Survey, format: "json", title: "T", questions: 2, types: "number likert"},
		{name: "a bare list", text: `[{"question":"A?","options":["a","b"]},{"question":"B?"}]`,
			kind: form.Survey, format: "json", questions: 2, types: "single text"},
		{name: "fenced", text: "Here is your survey:\n\n```json\n{\"title\": \"T\", \"questions\": [\"Why?\", \"How?\"]}\n```\nEnjoy!",
			kind: form.Survey, format: "json", title: "T", questions: 2, types: "text text", note: "before"},
		{name: "truncated", text: `{"title":"T","questions":[{"question":"A?","type":"single","options":["a","b"]},{"question":"B and th`,
			kind: form.Survey, format: "json", title: "T", questions: 2, note: "cut off", reason: "what is whole is read, and the cut is said"},
		{name: "truncated within a list of options", text: `{"title":"T","questions":[{"question":"A?","type":"single","options":["a","b`,
			kind: form.Survey, format: "json", title: "T", questions: 1, note: "cut off"},
		{name: "loose", text: "{title: 'T', // mine\n questions: [{question: 'It's?', type: \"single\", options: ['a', 'b',],},]}",
			kind: form.Survey, format: "json", title: "T", questions: 1, note: "letter"},
		{name: "typographic quotes", text: "{“title”: “T”, “questions”: [{“question”: “A?”, “type”: “yes/no”, “options”: [“Yes”, “No”]}]}",
			kind: form.Survey, format: "json", title: "T", questions: 1, types: "single", note: "letter"},
		{name: "line ends in strings", text: "{\"title\":\"T\n2\",\"questions\":[{\"question\":\"A\nB?\"}]}",
			kind: form.Survey, format: "json", title: "T\n2", questions: 1, note: "letter"},
		{name: "2,000 questions", text: many(), kind: form.Survey, format: "json", title: "Long", questions: 2000},
		{name: "right to left", text: `{"title":"استبيان","questions":[{"question":"ما رأيك؟","type":"text"},{"question":"כמה פעמים?","type":"number"}]}`,
			kind: form.Survey, format: "json", title: "استبيان", questions: 2, types: "text number"},
		{name: "HTML in the title", text: `{"title":"<script>alert(1)</script> <b>T</b>","questions":[{"question":"A?"}]}`,
			kind: form.Survey, format: "json", title: "<script>alert(1)</script> <b>T</b>", questions: 1, reason: "it is kept; the report escapes it"},
		{name: "halves of a pair", text: `{"title":"\ud83d\ude00 \ud83d","questions":[{"question":"A?"}]}`,
			kind: form.Survey, format: "json", title: "😀 \ufffd", questions: 1},
		{name: "an unknown type", text: `{"title":"T","questions":[{"question":"A?","type":"hologram"}]}`,
			kind: form.Survey, format: "json", title: "T", questions: 1, types: "text"},
		{name: "google", text: `{"formId":"x","info":{"title":"T","description":"D"},"items":[
			{"title":"A?","questionItem":{"question":{"required":true,"choiceQuestion":{"type":"RADIO","options":[{"value":"a"},{"isOther":true}]}}}},
			{"title":"B?","questionItem":{"question":{"choiceQuestion":{"type":"CHECKBOX","options":[{"value":"a"},{"value":"b"}]}}}},
			{"title":"Page","pageBreakItem":{}},
			{"title":"C?","questionItem":{"question":{"scaleQuestion":{"low":1,"high":5,"lowLabel":"l"}}}},
			{"title":"D","questionGroupItem":{"questions":[{"rowQuestion":{"title":"r"}}],"grid":{"columns":{"type":"RADIO","options":[{"value":"x"},{"value":"y"}]}}}},
			{"title":"E?","questionItem":{"question":{"dateQuestion":{}}}},
			{"title":"F?","questionItem":{"question":{"textQuestion":{"paragraph":true}}}}]}`,
			kind: form.Survey, format: "google", title: "T", questions: 6, types: "single multiple rating matrix date text"},
		{name: "microsoft", text: `{"title":"T","description":"D","questions":[
			{"title":"B?","type":"Question.Rating","order":2000,"questionInfo":"{\"Length\":5,\"RatingShape\":\"Star\"}"},
			{"title":"A?","type":"Question.Choice","order":1000,"required":true,"questionInfo":"{\"Choices\":[{\"Description\":\"a\"},{\"Description\":\"b\"}],\"ChoiceType\":2,\"AllowOtherAnswer\":true}"},
			{"title":"C?","type":"Question.TextField","order":3000,"questionInfo":"{\"Multiline\":true}"},
			{"title":"D?","type":"Question.DateTime","order":4000,"questionInfo":"{}"},
			{"title":"E?","type":"Question.Ranking","order":5000,"questionInfo":"{\"Choices\":[{\"Description\":\"a\"},{\"Description\":\"b\"}]}"}]}`,
			kind: form.Survey, format: "microsoft", title: "T", questions: 5, types: "multiple rating text date ranking", reason: "the order counts, not the place"},
		{name: "surveymonkey", text: `{"title":"T","pages":[{"title":"P","questions":[
			{"headings":[{"heading":"A?"}],"family":"single_choice","subtype":"vertical","answers":{"choices":[{"text":"a"},{"text":"b"}],"other":{"text":"Other"}}},
			{"heading":"B?","family":"matrix","subtype":"rating","answers":{"rows":[{"text":""}],"choices":[{"text":"1"},{"text":"2"},{"text":"3"}]}},
			{"heading":"C?","family":"matrix","subtype":"single","answers":{"rows":[{"text":"r"},{"text":"s"}],"choices":[{"text":"x"},{"text":"y"}]}},
			{"heading":"D?","family":"open_ended","subtype":"numerical"},
			{"heading":"E?","family":"matrix","subtype":"ranking","answers":{"rows":[{"text":"x"},{"text":"y"}]}}]}]}`,
			kind: form.Survey, format: "surveymonkey", title: "T", questions: 5, types: "single rating matrix number ranking"},
		{name: "markdown", file: "a.md", text: "# T\nD\n\n## S\n1. A? (single, required)\n   - a\n   - b\n2. B? (rating 1-5)\n3. C (text)\n",
			kind: form.Survey, format: "markdown", title: "T", questions: 3, types: "single rating text"},
		{name: "markdown as chat models write it", text: "**T**\n\n### Section 1: You\n\n**1. How old are you?**\n- [ ] 18-25\n- [ ] 26-40\n\n**2. What do you like?** (Select all that apply)\na) Tea\nb) Coffee\n\n**Section 2**\n\n3. Anything else?\n",
			kind: form.Survey, format: "markdown", title: "T", questions: 3, types: "single multiple text"},
		{name: "plain text without numbers", text: "A survey\n\nWhat is your name?\nWhere do you live?\n- Town\n- Country\n",
			kind: form.Survey, format: "markdown", title: "A survey", questions: 2, types: "text single"},
		{name: "list", text: "Things to pack\n- Tent\n- Stove\n* Rope\n", kind: form.List, format: "list", title: "Things to pack", items: 3},
		{name: "numbered list", text: "1. Tent\n2. Stove\n4. Rope\n", kind: form.List, format: "list", items: 3},
		{name: "JSON list", text: `["Tent", "Stove", "Rope"]`, kind: form.List, format: "json", items: 3},
		{name: "table", text: "Trips\n\n| Day | Place |\n|---|---|\n| 1 | Lake |\n| 2 | Hill | extra |\n", kind: form.Table, format: "table", title: "Trips", note: "row 2"},
		{name: "csv", file: "a.csv", text: "day,place\n1,Lake\n2,\"Hill, far\"\n", kind: form.Table, format: "csv"},
		{name: "transcript", text: "Orla: Who goes there?\nFinn: A friend.\nOrla: Then come in.\nFinn: Thank you.\n", kind: form.Conversation, format: "transcript", items: 4},
		{name: "events of a session", text: `{"seq":1,"turn":1,"kind":"speech","actor":"orla","speech":"Who goes there?"}` + "\n" + `{"seq":2,"turn":2,"kind":"speech","actor":"finn","speech":"A friend.","deed":"waves"}` + "\n" + `{"seq":3,"tu`,
			kind: form.Conversation, format: "transcript", items: 2, note: "cut off"},
		{name: "not UTF-8", text: "# T\n1. Caf\xe9? (text)\n2. B? (text)\n", kind: form.Survey, format: "markdown", title: "T", questions: 2, note: "UTF-8"},
		{name: "with its prompt", text: "---\nprompt: Ask for names.\n---\n# T\n1. A? (text)\n", kind: form.Survey, format: "markdown", title: "T", questions: 1},
		{name: "deep", text: strings.Repeat("[", 100000), kind: form.List, format: "list", items: 1, reason: "no document nests that deep; what is left is a line"},
	}
	if len(tests) < 30 {
		t.Fatalf("%d documents", len(tests))
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := form.Read([]byte(tt.text), tt.file)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			var types []string
			if d.Form != nil {
				n = d.Form.Questions()
				for _, s := range d.Form.Sections {
					for _, q := range s.Questions {
						types = append(types, string(q.Type))
					}
				}
			}
			if d.Kind != tt.kind || d.Format != tt.format || d.Heading() != tt.title || n != tt.questions || len(d.Items) != tt.items {
				t.Errorf("%s/%s %q, %d questions, %d items, want %s/%s %q, %d, %d %s", d.Kind, d.Format, d.Heading(), n, len(d.Items),
					tt.kind, tt.format, tt.title, tt.questions, tt.items, tt.reason)
			}
			if got := strings.Join(types, " "); tt.types != "" && got != tt.types {
				t.Errorf("types %s, want %s", got, tt.types)
			}
			if got := strings.Join(d.Notes, "; "); (tt.note == "") != (got == "") || !strings.Contains(got, tt.note) {
				t.Errorf("notes %q, want %q", got, tt.note)
			}
			if strings.Contains(tt.name, "prompt") && d.Prompt != "Ask for names." {
				t.Errorf("prompt %q", d.Prompt)
			}
		})
	}
	for _, empty := range []string{"", " \n\t", "\ufeff", "PAR1\x00\x15"} {
		if d, err := form.Read([]byte(empty), "x"); err == nil {
			t.Errorf("%q became %v", empty, d)
		}
	}
}

// A form that is written is read back as it was, by way of Markdown and of JSON.
func TestRoundTrip(t *testing.T) {
	for _, e := range form.Library() {
		d, err := form.Read([]byte(e.Form.Text()), "form.md")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e.Form, d.Form); diff != "" {
			t.Errorf("%s by Markdown: %s", e.Theme, diff)
		}
		data, err := json.Marshal(e.Form)
		if err != nil {
			t.Fatal(err)
		}
		if d, err = form.Read(data, "form.json"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e.Form, d.Form); diff != "" {
			t.Errorf("%s by JSON: %s", e.Theme, diff)
		}
	}
}

func TestLibrary(t *testing.T) {
	library := form.Library()
	if len(library) != 40 {
		t.Errorf("%d forms, want 40", len(library))
	}
	types, prompts := map[form.Type]int{}, map[string]bool{}
	for _, e := range library {
		if n := len(strings.Fields(e.Prompt)); n == 0 || n > 50 {
			t.Errorf("%s: the prompt has %d words", e.Theme, n)
		}
		prompts[e.Prompt] = true
		for _, s := range e.Form.Sections {
			for _, q := range s.Questions {
				types[q.Type]++
			}
		}
	}
	if len(prompts) != 40 {
		t.Errorf("%d different prompts", len(prompts))
	}
	for _, typ := range form.Types {
		if types[typ] == 0 {
			t.Errorf("no question of type %s", typ)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{`{"title":"T","questions":[{"question":"A?","options":["a"]}]}`, "# T\n1. A? (single)\n - a\n", "| a | b |\n|---|---|\n| 1 | 2 |",
		"A: x\nB: y\nA: z", `{"items":[{"questionItem":{}}]}`, `{"pages":[{"questions":[{"family":"matrix"}]}]}`, `{"questions":[{"type":"Question.Choice","questionInfo":"{"}]}`,
		"{'a': `b`, c: [1,,2", "---\nprompt: x\n---\n- y", `{"a":"\ud83d\u00`, "1. x (rating 5-1)(required)"} {
		f.Add([]byte(seed), "a.json")
		f.Add([]byte(seed), "a.csv")
	}
	if data, err := os.ReadFile("library/dog-park-rules.md"); err == nil {
		f.Add(data, "x.md")
	}
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		d, err := form.Read(data, name)
		if err != nil {
			return
		}
		if (d.Kind == form.Survey) != (d.Form != nil) {
			t.Fatalf("%s without what it is of", d.Kind)
		}
		form.Check(d)
		if text := d.Text(); len(text) > 8*len(data)+4096 {
			t.Fatalf("%d bytes became a text of %d", len(data), len(text))
		}
	})
}
