package script_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/eval"
	"parley/eval/script"
)

// Replies as models send them, and the steps in them. None: there is no script.
var replies = []struct {
	name   string
	reply  string
	want   []string
	method string
	reason string // why it is not obvious
}{
	{name: "dots", reply: "1. Boil water.\n2. Add tea.\n3. Pour.", want: []string{"Boil water.", "Add tea.", "Pour."}, method: "number"},
	{name: "brackets", reply: "1) Boil water\n2) Add tea", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "both brackets", reply: "(1) Boil water\n(2) Add tea", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "colons", reply: "1: Boil water\n2: Add tea", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "dashes behind numbers", reply: "1 - Boil water\n2 - Add tea", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "hashes", reply: "#1. Boil water\n#2. Add tea", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "no space", reply: "1.Boil water\n2.Add tea", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "step words", reply: "Step 1: Boil water\nStep 2: Add tea", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "step words in letters", reply: "Step one: Boil water\nStep two: Add tea", want: nil, reason: "the form is a numbered list with a step on each line"},
	{name: "step words with dots", reply: "STEP 1. Boil water\nSTEP 2. Add tea", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "step of", reply: "Step 1 of 2: Boil water\nStep 2 of 2: Add tea", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "headings", reply: "## Step 1: Boil water\nUse a kettle.\n\n## Step 2: Add tea\nOne spoon.", want: []string{"Boil water Use a kettle.", "Add tea One spoon."}, method: "number"},
	{name: "bold steps", reply: "**Step 1:** Boil water\n\n**Step 2:** Add tea", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "bold headed steps", reply: "**Step 1: Boil water**\n\nUse a kettle for it.\n\n**Step 2: Add tea**\n\nOne spoon is enough.", want: []string{"Boil water Use a kettle for it.", "Add tea"}, method: "number", reason: "a paragraph behind the list is a note"},
	{name: "bold numbers", reply: "**1. Boil water**\n**2. Add tea**", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "bold leads", reply: "1. **Boil**: Heat the water.\n2. **Add**: Put in tea.", want: []string{"Boil: Heat the water.", "Add: Put in tea."}, method: "number"},
	{name: "bullets", reply: "- Boil water\n- Add tea", want: []string{"Boil water", "Add tea"}, method: "bullet"},
	{name: "stars", reply: "* Boil water\n* Add tea", want: []string{"Boil water", "Add tea"}, method: "bullet"},
	{name: "round bullets", reply: "• Boil water\n• Add tea", want: []string{"Boil water", "Add tea"}, method: "bullet"},
	{name: "check boxes", reply: "- [ ] Boil water\n- [x] Add tea", want: []string{"Boil water", "Add tea"}, method: "bullet"},
	{name: "bulleted steps", reply: "- Step 1: Boil water\n- Step 2: Add tea", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "numbered steps", reply: "1. Step 1: Boil water\n2. Step 2: Add tea", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "nested bullets", reply: "1. Boil water\n   - use a kettle\n   - fill it half\n2. Add tea", want: []string{"Boil water use a kettle fill it half", "Add tea"}, method: "number"},
	{name: "nested numbers", reply: "1. Boil water\n   1. use a kettle\n   2. fill it half\n2. Add tea", want: []string{"Boil water use a kettle fill it half", "Add tea"}, method: "number", reason: "numbers that are set in belong to the step above"},
	{name: "nested letters", reply: "1. Boil water\na) use a kettle\nb) fill it half\n2. Add tea", want: []string{"Boil water a) use a kettle b) fill it half", "Add tea"}, method: "number"},
	{name: "bullets below bold heads", reply: "1. **Prepare**\n- Boil water\n- Warm the pot\n2. **Brew**\n- Add tea", want: []string{"Prepare Boil water Warm the pot", "Brew Add tea"}, method: "number"},
	{name: "preamble", reply: "Sure! Here is how to make tea:\n\n1. Boil water\n2. Add tea", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "let's think", reply: "Let's think step by step.\n1. Boil water\n2. Add tea", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "note", reply: "1. Boil water\n2. Add tea\nNote: mind the steam.", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "bold note", reply: "1. Boil water\n2. Add tea\n\n**Note:** mind the steam.", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "closing words", reply: "1. Boil water\n2. Add tea.\n\nBy following these steps, you will have tea. Enjoy!", want: []string{"Boil water", "Add tea."}, method: "number"},
	{name: "closing words of another kind", reply: "1. Boil water and wait.\n2. Add tea to it.\n\nYour tea is now ready to be had.", want: []string{"Boil water and wait.", "Add tea to it."}, method: "number"},
	{name: "two lines a step", reply: "1. Boil water\nin a kettle.\n2. Add tea", want: []string{"Boil water in a kettle.", "Add tea"}, method: "number"},
	{name: "blank lines between", reply: "1. Boil water\n\n2. Add tea\n\n3. Pour", want: []string{"Boil water", "Add tea", "Pour"}, method: "number"},
	{name: "all ones", reply: "1. Boil water\n1. Add tea\n1. Pour", want: []string{"Boil water", "Add tea", "Pour"}, method: "number", reason: "Markdown counts by itself"},
	{name: "quantities", reply: "1. Boil 1.5 litres of water\n2. Add\n2 spoons of tea\n3. Pour", want: []string{"Boil 1.5 litres of water", "Add 2 spoons of tea", "Pour"}, method: "number", reason: "a number within a step begins none"},
	{name: "a line that begins with a quantity", reply: "1. Boil\n1.5 litres of water\n2. Add tea", want: []string{"Boil 1.5 litres of water", "Add tea"}, method: "number"},
	{name: "materials first", reply: "Materials:\n1. Kettle\n2. Tea\n\nSteps:\n1. Boil water\n2. Add tea", want: nil, reason: "which of several lists is that of the steps is not guessed"},
	{name: "bulleted materials first", reply: "You need:\n- a kettle\n- tea\n\n1. Boil water\n2. Add tea", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "tips behind", reply: "1. Boil water\n2. Add tea\n\nTips:\n- Use soft water.\n- Warm the pot.", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "in a line", reply: "1. Boil water, 2. Add tea, 3. Pour", want: nil, reason: "the form is a numbered list with a step on each line"},
	{name: "in a line with brackets", reply: "You should 1) boil water; 2) add tea; 3) pour.", want: nil, reason: "the form is a numbered list with a step on each line"},
	{name: "ordinals", reply: "First, boil water. Then, add tea. Finally, pour.", want: nil, reason: "the form is a numbered list with a step on each line"},
	{name: "json list", reply: `["Boil water", "Add tea"]`, want: []string{"Boil water", "Add tea"}, method: "json"},
	{name: "json object in a fence", reply: "```json\n{\"steps\": [\"1. Boil water\", \"2. Add tea\"]}\n```", want: []string{"Boil water", "Add tea"}, method: "json"},
	{name: "json objects", reply: `{"steps": [{"step": 1, "text": "Boil water"}, {"step": 2, "text": "Add tea"}]}`, want: []string{"Boil water", "Add tea"}, method: "json"},
	{name: "fenced", reply: "```\n1. Boil water\n2. Add tea\n```", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "table", reply: "| Step | What |\n|---|---|\n| 1 | Boil water |\n| 2 | Add tea |", want: nil, reason: "the form is a numbered list with a step on each line"},
	{name: "circled", reply: "① Boil water\n② Add tea", want: nil, reason: "the form is a numbered list with a step on each line"},
	{name: "chinese numerals", reply: "一、烧水\n二、加茶\n三、倒茶", want: nil, reason: "the form is a numbered list with a step on each line"},
	{name: "thought", reply: "<think>1. Should I? 2. I should.</think>\n1. Boil water\n2. Add tea", want: []string{"Boil water", "Add tea"}, method: "number", reason: "what a model thinks is no script"},
	{name: "windows lines", reply: "1. Boil water\r\n2. Add tea\r\n", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "left out number", reply: "1. Boil water\n3. Add tea", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "one step", reply: "1. Ask a neighbour for tea.", want: []string{"Ask a neighbour for tea."}, method: "number"},
	{name: "twelve steps", reply: "1. a\n2. b\n3. c\n4. d\n5. e\n6. f\n7. g\n8. h\n9. i\n10. j\n11. k\n12. l", want: strings.Split("abcdefghijkl", ""), method: "number"},
	{name: "two parts", reply: "Part A\n1. Boil water\n2. Warm the pot\n\nPart B\n1. Add tea\n2. Pour", want: nil, reason: "which of several lists is that of the steps is not guessed"},
	{name: "step words without a mark", reply: "Step 1 Boil water\nStep 2 Add tea", want: nil, reason: "the form is a numbered list with a step on each line"},
	{name: "bold step words alone", reply: "**Step 1**\nBoil water\n**Step 2**\nAdd tea", want: []string{"Boil water", "Add tea"}, method: "number"},
	{name: "talk of steps", reply: "Step 1, and the second step to it, is to begin.", want: nil, reason: "a sentence about a step is none"},
	{name: "empty", reply: " \n ", want: nil},
	{name: "refusal", reply: "I'm sorry, but I can't help with that.", want: nil},
	{name: "prose", reply: "Making tea is easy. You boil water and add tea, and there you are.", want: nil, reason: "nothing is guessed from prose"},
	{name: "a year", reply: "In 1999. That was the year of tea.", want: nil},
	{name: "cut thought", reply: "<think>I should boil water", want: nil},
	{name: "flood", reply: strings.Repeat("- again\n", 101), want: nil, reason: "a hundred steps are no script for people"},
}

func TestRead(t *testing.T) {
	if len(replies) < 50 {
		t.Fatalf("%d replies", len(replies))
	}
	for _, tt := range replies {
		t.Run(tt.name, func(t *testing.T) {
			got := script.Read(tt.reply)
			if diff := cmp.Diff(tt.want, got.Steps); diff != "" {
				t.Errorf("%s\n%s\n%+v", tt.reason, diff, got)
			}
			if got.Method != tt.method {
				t.Errorf("method %q, want %q", got.Method, tt.method)
			}
			if (got.Status == eval.Scored) != (tt.want != nil) || (got.Reason == "") != (tt.want != nil) {
				t.Errorf("status %q with reason %q", got.Status, got.Reason)
			}
		})
	}
}

func TestReadKeepsWhatStandsAround(t *testing.T) {
	got := script.Read("Here is how:\n\n1. Boil water\n2. Add tea\n\n**Note:** mind the steam.")
	if got.Preamble != "Here is how:" || got.Note != "Note: mind the steam." {
		t.Errorf("%+v", got)
	}
}

func FuzzRead(f *testing.F) {
	for _, tt := range replies {
		f.Add(tt.reply)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		got := script.Read(reply)
		if (got.Status == eval.Scored) != (len(got.Steps) > 0) || (got.Status == eval.Scored) != (got.Reason == "") {
			t.Fatalf("%+v", got)
		}
		for _, s := range got.Steps {
			if strings.TrimSpace(s) == "" {
				t.Fatalf("an empty step: %q", got.Steps)
			}
		}
		if len(got.Steps) > script.MaxSteps {
			t.Fatalf("%d steps", len(got.Steps))
		}
	})
}
