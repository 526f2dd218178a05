package form_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/eval/survey/form"
)

var update = flag.Bool("update", false, "write the golden files anew")

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
		{name: "a wrapper with the title and prompt outside", text: `{"title":"Out","prompt":"Ask.","form":{"questions":[{"text":"A?"}]}}`, kind: form.Survey, format: "json", title: "Out", questions: 1},
		{name: "every key of a question", text: `{"name":"T","desc":"D","pages":[{"name":"P","desc":"E","fields":[{"label":"Q3: A?","hint":"h","choices":["a",{"label":"b"},{"value":"c"}],"mandatory":"yes","type":"dropdown"},{"statement":"B?","minimum":2,"maximum":"9","type":"slider"},{"question":"C?","range":{"from":0,"to":10},"correct":"7"},{"title":"D?","rows":["r","s"],"columns":["x","y"],"type":"matrix","no":"12"},{"question":"E?","scale":"2 to 6"}]}]}`,
			kind: form.Survey, format: "json", title: "T", questions: 5},
		{name: "numbers before questions", text: `{"title":"T","questions":["1. A?","2) B?","Question 3: C?","q4. D?","5 E?","123456. F?","12345. F?","q9. G?","question 10) H?","q: I?","7."]}`, kind: form.Survey, format: "json", title: "T", questions: 11},
		{name: "texts under question keys", text: `{"title":"T","q1":"A?","question2":"B?","quality":"C?","q":"D?","note":"E?"}`, kind: form.Survey, format: "json", title: "T", questions: 3},
		{name: "a list of texts that mostly ask nothing", text: `["Tent", "Stove?", "Rope"]`, kind: form.List, format: "json", items: 3},
		{name: "a list of texts of which half ask", text: `["Why?", "Tell us."]`, kind: form.Survey, format: "json", questions: 2},
		{name: "a description alone", text: `{"description":"D"}`, kind: form.Survey, format: "json"},
		{name: "an unknown object", text: `{"weather":"fine"}`, kind: form.List, format: "list", items: 1},
		{name: "notes of every kind", file: "a.md", text: "# T\nD one\nD two\n\n## S one\nE one\n1. A? (single; mandatory)\nHelp one\nHelp two\n- a\n- answer: a\n2. B? (rating 1 to 7)\n3. C? (select all that apply) [required]\n- x\n- y\n- z\n4. D (matrix, rows: r / s)\n- row: t\n- u\n- v\n5. E?*\n- type: date\n6. F? (0-10)\n7. G (maybe)?\n\nAn end:\n8. H? (Type: number, optional)\n",
			kind: form.Survey, format: "markdown", title: "T", questions: 8},
		{name: "lettered options", text: "1. A?\n(a) One\nb. Two\nC) Three\n2. B?\n1) nothing\n", kind: form.Survey, format: "markdown", questions: 3},
		{name: "questions as headings and bullets", text: "# T\n## S\n### Why?\n- Because\n#### 4. How?\n## U\n- When?\n- Then\n", kind: form.Survey, format: "markdown", title: "T", questions: 3},
		{name: "a list under a title, with a remark", text: "**Things**\nA remark\n\n- Tent\n---\n3. Rope\n", kind: form.List, format: "list", title: "Things", items: 2},
		{name: "lines alone", text: "Tent\nStove\nRope\n", kind: form.List, format: "list", title: "Tent", items: 2},
		{name: "one line", text: "Tent\n", kind: form.List, format: "list", items: 1},
		{name: "a table with a bar in a cell and text around", text: "# Trips\nin summer\n\n| Day | Place |\n| :-- | --: |\n| 1 | A \\| B |\n| 2 |\n", kind: form.Table, format: "table", title: "Trips", note: "row 2 has 1 cells under 2 heads"},
		{name: "a table within much text", text: "One\nTwo\nThree\n| a | b |\n| 1 | 2 |\n", kind: form.List, format: "list", title: "One", items: 4},
		{name: "tabs", file: "a.TSV", text: "day\tplace\n1\tLake\n2\n", kind: form.Table, format: "csv", note: "row 2 has 1 cells"},
		{name: "a transcript with a title and long turns", text: "# Gate\n\n**Orla:** Who goes there?\nFinn: A friend.\nof yours.\nOrla: Then come in.\n", kind: form.Conversation, format: "transcript", title: "Gate", items: 3},
		{name: "no transcript: nobody speaks twice", text: "Orla: Halt.\nFinn: A friend.\nMara: Come in.\n", kind: form.List, format: "list", title: "Orla: Halt.", items: 2},
		{name: "no transcript: too few turns", text: "Orla: Halt.\nOrla: Now.\n", kind: form.List, format: "list", title: "Orla: Halt.", items: 1},
		{name: "no transcript: small letters", text: "orla: Who.\nfinn: Me.\norla: Come.\n", kind: form.List, format: "list", title: "orla: Who.", items: 2},
		{name: "events of narration and deeds", text: `{"seq":1,"kind":"narration","text":"Night."}` + "\n\n" + `{"seq":2,"kind":"act","actor":"finn","deed":"waves"}` + "\n" + `{"seq":3,"kind":"end"}`, kind: form.Conversation, format: "transcript", items: 2},
		{name: "JSON behind many words", text: strings.Repeat("Words before it. ", 20) + "\n[{\"question\":\"A?\"}]\n", kind: form.Survey, format: "json", questions: 1, note: "before"},
		{name: "broken JSON", text: `{"title":"T","questions":[{"question":"A?"} ] ] }`, kind: form.Survey, format: "json", title: "T", questions: 1, note: "broken"},
		{name: "google, more", text: `{"formId":"x","items":[{"title":"P","description":"Q","pageBreakItem":{}},
			{"title":"A?","description":"h","questionItem":{"question":{"scaleQuestion":{"high":10},"grading":{"correctAnswers":{"answers":[{"value":"3"},{"value":"4"}]}}}}},
			{"title":"B?","questionItem":{"question":{"ratingQuestion":{"ratingScaleLevel":4}}}},{"title":"C","questionGroupItem":{"questions":[{"rowQuestion":{"title":"r"}},{"required":true,"rowQuestion":{"title":"s"}}],"grid":{"columns":{"options":[{"value":"x"}]}}}},
			{"title":"D?","questionItem":{"question":{"timeQuestion":{}}}},{"title":"E","textItem":{}}]}`, kind: form.Survey, format: "google", questions: 4, types: "rating rating matrix date"},
		{name: "microsoft, more", text: `{"title":"T","questions":[{"title":"S","type":"Question.SectionHeader","subtitle":"t","order":1.5},{"title":"Z?","type":"Question.TextField","order":1.25},
			{"title":"A?","type":"Question.NPS","order":2,"questionInfo":"{}"},{"title":"B?","type":"Question.NPS","order":3,"questionInfo":"{\"Length\":7}"},{"title":"C","type":"Question.MatrixChoiceGroup","order":4,"rows":["r"],"questionInfo":"{\"Columns\":[\"x\",\"y\"]}"},
			{"title":"D","type":"Question.Likert","order":5,"questionInfo":{"Statements":["r","s"],"Options":["x"]}},{"title":"E?","type":"Question.Choice","order":6,"questionInfo":"{\"Choices\":[{\"Description\":\"a\"}],\"AllowMultipleAnswers\":true}"}]}`,
			kind: form.Survey, format: "microsoft", title: "T", questions: 6, types: "text rating rating matrix matrix multiple"},
		{name: "no google form", text: `{"info":{"title":"x"},"formId":"y","title":"T","questions":["A?"]}`, kind: form.Survey, format: "json", title: "T", questions: 1},
		{name: "google by its items", text: `{"title":"T","items":[{"title":"A?","questionItem":{"question":{}}}]}`, kind: form.Survey, format: "google", questions: 1},
		{name: "a list of items", text: `{"title":"T","items":[{"title":"A?"}]}`, kind: form.Survey, format: "json", title: "T", questions: 1},
		{name: "microsoft by its types", text: `{"title":"T","questions":[{"title":"A?","type":"Question.Choice"}]}`, kind: form.Survey, format: "microsoft", title: "T", questions: 1, types: "single"},
		{name: "surveymonkey, more", text: `{"nickname":"T","pages":[{"title":"P","description":"d","questions":[{"heading":"A?","family":"demographic","subtype":"us","answers":{"rows":[{"text":"street"}]},"required":{"text":"yes"}},
			{"heading":"B?","family":"datetime","subtype":"both","answers":{"rows":[{"text":"x"}]},"required":false},{"heading":"C?","family":"matrix","subtype":"rating","answers":{"rows":[{"text":"r"},{"text":"s"}],"choices":[{"text":"1"},{"text":"2"}]}},
			{"headings":[{"heading":"D?"},{"heading":"or this"}],"family":"open_ended","subtype":"essay","answers":{"rows":[{"text":"x"}]}}]}]}`, kind: form.Survey, format: "surveymonkey", title: "T", questions: 4, types: "text date matrix text"},
		{name: "types by what there is", text: `{"title":"T","questions":[{"question":"A?","rows":["r"],"options":["x","y"]},{"question":"B?","max":9},{"question":"C?","min":2,"type":"likert","max":6},{"question":"D?","type":"rating","options":["3","4","5"]},{"question":"E?","type":"rating","options":["1","3"]},{"question":"F?","type":"rating","options":["1"]},{"question":"G?","type":"Question Text_Area"},{"question":"H?","type":"text","min":1,"max":2},{"question":"I?","type":"linear-scale","max":7},{"question":{"label":"J?"}},{"question":{"x":1}},{"options":["a","b"]},{"question":["K?"]},{"question":["L?","M?"]}]}`,
			kind: form.Survey, format: "json", title: "T", questions: 13},
		{name: "options as keys", text: `{"title":"T","questions":[{"question":"A?","options":{"A":"Yes","B":"","C":{"text":"No"}},"required":"TRUE"},{"question":"B?","choices":["a",null,""],"required":"no"}]}`, kind: form.Survey, format: "json", title: "T", questions: 2},
		{name: "deep", text: strings.Repeat("[", 100000), kind: form.List, format: "list", items: 1, reason: "no document nests that deep; what is left is a line"},
	}
	if len(tests) < 30 {
		t.Fatalf("%d documents", len(tests))
	}
	var whole strings.Builder // every document as it was read, and as it is written
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := form.Read([]byte(tt.text), tt.file)
			if err != nil {
				t.Fatal(err)
			}
			if len(tt.text) < 4000 {
				text, err := json.MarshalIndent(d, "", " ")
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&whole, "%s\n%s\n%s\n", tt.name, text, d.Text())
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
			if tt.name == "with its prompt" && d.Prompt != "Ask for names." {
				t.Errorf("prompt %q", d.Prompt)
			}
		})
	}
	if *update {
		if err := os.WriteFile("testdata/read.txt", []byte(whole.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/read.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), whole.String()); diff != "" {
		t.Errorf("the documents are others (go test -update writes them anew):\n%s", diff)
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
