package form_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"parley/eval/survey/form"
)

func check(t *testing.T, text string) []form.Finding {
	t.Helper()
	d, err := form.Read([]byte(text), "form.md")
	if err != nil {
		t.Fatal(err)
	}
	return form.Check(d)
}

func TestCheck(t *testing.T) {
	tests := []struct {
		text   string
		rule   form.Rule // empty: nothing is found
		where  string
		reason string
	}{
		{text: "# T\n1. How old are you? (number)\n2. How old is your dog? (number)", reason: "they share a frame, and ask different things"},
		{text: "# T\n1. How often do you run? (number)\n2. In your opinion, how often do you run? (number)", rule: form.DuplicateQuestion, where: "section 1, question 2"},
		{text: "# T\n1. What did you eat on day 1? (text)\n2. What did you eat on day 2? (text)", reason: "numbers tell questions apart"},
		{text: "# T\n1. Rate it. (likert)\n - Strongly agree\n - Agree\n - Disagree\n - Strongly disagree", reason: "like words on both sides are no doubles"},
		{text: "# T\n1. Pick one. (single)\n - Friedns\n - Family\n - Friends", rule: form.DuplicateOption, where: "section 1, question 1, option 3", reason: "one letter changed places"},
		{text: "# T\n1. Pick one. (single)\n - Typical\n - Atypical", reason: "a prefix makes an opposite"},
		{text: "# T\n1. Rate it. (likert)\n - Excellent\n - Very good\n - Good\n - Poor", rule: form.Unbalanced, where: "section 1, question 1"},
		{text: "# T\n1. Rate it. (likert)\n - Far too slow\n - Too slow\n - Just right\n - Too fast", reason: "the best is in the middle: it is not known what is balanced"},
		{text: "# T\n1. How often do you run? (likert)\n - Never\n - Rarely\n - Sometimes\n - Often", reason: "how often is no matter of sides"},
		{text: "# T\n1. How satisfied are you with the food and the service? (rating 1-5)", rule: form.DoubleBarrelled, where: "section 1, question 1"},
		{text: "# T\n1. How clear are the terms and conditions? (rating 1-5)", reason: "a fixed pair is one thing"},
		{text: "# T\n1. How long is the way between home and work? (number)", reason: "one number answers it"},
		{text: "# T\n1. What do you and your friends like? (text)", reason: "an open question may hold two"},
		{text: "# T\n1. Don't you think that it is too loud? (text)", rule: form.Leading, where: "section 1, question 1"},
		{text: "# T\n1. The teacher explained things clearly. (likert)\n - Disagree\n - Agree", reason: "clearly is how, not a hint"},
		{text: "# T\n1. What do normal people do? (text)", rule: form.Loaded, where: "section 1, question 1"},
		{text: "# T\n1. What do you drink? (multiple)\n - Tea\n - Coffee\n - Milk", rule: form.MissingOther, where: "section 1, question 1"},
		{text: "# T\n1. What do you drink? (multiple)\n - Tea\n - Coffee\n - Something else", reason: "there is a way out"},
		{text: "# T\n1. How often do you run? (single)\n - Daily\n - Weekly\n - Rarely", reason: "everybody has a place on a scale"},
		{text: "# T\n1. Which is the largest? (single)\n - Mars\n - Venus\n - Jupiter\n - Answer: Jupiter", reason: "a quiz is closed"},
		{text: "# T\n1. Which days suit you? (multiple)\n - Monday\n - Tuesday\n - Wednesday\n - Thursday\n - Friday\n - Saturday\n - Sunday", reason: "there is no other day"},
		{text: "# T\n1. Which lessons do you take? (multiple)\n - Piano\n - Guitar\n - Singing\n - Friday", rule: form.MissingOther, where: "section 1, question 1", reason: "a day among others makes no complete set"},
		{text: "# T\n1. Which track did you follow? (single)\n - Design\n - Research\n - Management\n - I moved between tracks", reason: "there is a place for those who fit several"},
		{text: "# Geography quiz\n1. Which is the largest? (single)\n - Mars\n - Venus\n - Jupiter", reason: "a quiz need not give its answers"},
		{text: "# T\n1. Which is the largest? (single)\n - Mars\n - Venus\n - Jupiter\n - Answer: Jupiter\n2. Which is the smallest? (single)\n - Mars\n - Venus\n - Jupiter", reason: "where one answer is given, all are sought"},
		{text: "# T\n1. How was it? (rating)", reason: "programs have a scale for a rating without one"},
		{text: "# T\n1. Meetings are pointless and wasteful. (likert)\n - Disagree\n - Agree", reason: "one thing said twice"},
		{text: "# T\n1. Meetings are short and useful. (likert)\n - Disagree\n - Agree", rule: form.DoubleBarrelled, where: "section 1, question 1"},
		{text: "# T\n1. How old are you? (single)\n - 18-25\n - 25-40\n - 41-60", rule: form.Overlap, where: "section 1, question 1, option 2"},
		{text: "# T\n1. A? (text)\n2. B? (text)\n4. C? (text)\n5. D? (text)", rule: form.Numbering, where: "section 1, question 3", reason: "the gap is found once"},
		{text: "# T\n## S\n1. A? (text)\n2. B? (text)\n## U\n1. C? (text)\n2. D? (text)", reason: "a section may begin again"},
		{text: "# T\n1. Did you recieve it? (text)", rule: form.Spelling, where: "section 1, question 1"},
		{text: "# T\n1. Is it it that you mean? (text)", rule: form.Spelling, where: "section 1, question 1"},
		{text: "# T\n1. Do you think that that is right? (text)", reason: "some words stand twice rightly"},
		{text: "# T\n1. Pick. (single)\n - Only", rule: form.SingleOption, where: "section 1, question 1"},
		{text: "# T\n1. Pick. (ranking)", rule: form.Schema, where: "section 1, question 1"},
		{text: "# T\n1. Rate. (rating 5-1)", rule: form.Schema, where: "section 1, question 1"},
		{text: "# T\n1. Who pays? (single)\n - My employer\n - Myself\n - Don't know", reason: "an option suggests no answer"},
		{text: "# T\n1. How good is it? (likert)\n - Poor\n - Fair\n - Good\n - Excellent", reason: "without a middle fair is on the low side"},
		{text: "# T\n1. How good is it? (likert)\n - Fair\n - Good\n - Excellent", rule: form.Unbalanced, where: "section 1, question 1"},
		{text: "# T\n1. How important is it? (likert)\n - Not at all important\n - Slightly important\n - Very important\n - Extremely important", reason: "a scale from nothing to much has no sides"},
		{text: "# T\n1. How safe is it? (likert)\n - Very unsafe\n - Unsafe\n - Safe\n - Very safe\n - I never go there", reason: "an aside is no step"},
		{text: "# T\n1. Which dish would you like? (single)\n - Fish\n - Beef\n - Beans", reason: "what is offered is known"},
		{text: "# T\n1. What is your favourite dish? (single)\n - Fish\n - Beef\n - Beans", rule: form.MissingOther, where: "section 1, question 1", reason: "tastes are not"},
		{text: "# T\n1. Experts agree that running helps. How often do you run? (number)", rule: form.Leading, where: "section 1, question 1"},
		{text: "# T\n1. Which workshop did you attend? (single)\n - Clay\n - Wood\n - Glass", reason: "what was taken of an offer is known too"},
		{text: "# T\n1. How good is it? (likert)\n - Poor\n - Fair\n - Good\n - Very good\n - Excellent", reason: "good is the middle of this common scale"},
		{text: "# T\n1. How often do you drink? (single)\n - Never\n - 1 to 3 times a month\n - 1 to 3 times a week\n - Daily", reason: "ranges of different units share nothing"},
		{text: "# T\n1. How long do you wait? (single)\n - 5 to 10 minutes\n - 10 to 20 minutes", rule: form.Overlap, where: "section 1, question 1, option 2", reason: "the unit is the same"},
		{text: "# Kantine\n1. Welche Getränke mögen Sie? (multiple)\n - Tee\n - Kaffee\n - Milch\n2. Wer sind die die kommen? (text)", reason: "the rules on wording know English only"},
		{text: "# T\n1. Which stop suits you? (single)\n - Town hall\n - Church\n - Harbour", reason: "what suits is chosen from an offer"},
		{text: "# T\n1. Which version is it? (single)\n - 2.0.1\n - 2.1.0\n - 10-12", reason: "numbers have an order"},
		{text: "# T\n1. Is it fun? (likert)\n - No!\n - no\n - yes\n - Yes!", reason: "a cry is more than a word"},
		{text: "# T\n1. What is your level? (single)\n - None\n - A1 to A2\n - B1 to B2", reason: "a letter and a number are a name"},
		{text: "# T\n1. How modern does box A look? (text)\n2. How modern does box B look? (text)", reason: "single capital letters are names"},
		{text: "# T\n1. Which desk are you auditioning for? (single)\n - Principal\n - Section\n - Substitutes", reason: "the author knows what there is"},
		{text: "# T\n1. Which browser did you use? (single)\n - Edge\n - Opera\n - Chrome", rule: form.MissingOther, where: "section 1, question 1", reason: "what people use is not known"},
		{text: "# T\n1. My parents and I agree on bedtime. (likert)\n - Disagree\n - Agree", reason: "two people are one subject"},
		{text: "# T\n1. Are code and data available? (single)\n - Both\n - Only the code\n - Neither", reason: "the options tell the two apart"},
		{text: "# T\n1. To what extent do you agree that cars should be banned? (likert)\n - Disagree\n - Agree", reason: "the extent is open"},
		{text: "# T\n1. Do you agree that cars should be banned? (text)", rule: form.Leading, where: "section 1, question 1"},
		{text: "# T\n1. What is your role? (single)\n - Pupil\n - Teacher\n - Parent", reason: "the author knows the roles"},
		{text: "# T\n1. Why did you leave? (single)\n - Price\n - Distance\n - Noise", rule: form.MissingOther, where: "section 1, question 1", reason: "reasons are open"},
		{text: "# T\n1. Which of our breads do you buy? (multiple)\n - Rye\n - Wheat\n - Spelt", reason: "one knows one's own goods"},
		{text: "# T\n1. I agree to the terms. (multiple)\n - I agree", reason: "a box to tick has one option"},
		{text: "# T\n1. Do you agree that we may publish photos of you? (single)\n - Yes\n - No", reason: "consent suggests nothing"},
		{text: "# T\n1. Can't find your name? Tell us. (text)", reason: "no question begins here"},
		{text: "# T\n1. What time suits you? (single)\n - 9 to 12\n - 12 to 15", reason: "times of the day touch"},
		{text: "# T\n1. What time suits you? (single)\n - 9 to 12\n - 11 to 15", rule: form.Overlap, where: "section 1, question 1, option 2", reason: "and overlap as others"},
		{text: "# T\n1. How clear is it? (likert)\n - Very unclear\n - Unclear\n - Partly clear\n - Clear\n - Very clear", reason: "partly is in the middle"},
		{text: "# T\n1. In which part are you looking? (multiple)\n - Harbour\n - Hill\n - Old town\n - Anywhere", reason: "anywhere is a way out"},
		{text: "# T\n1. Which game lacks pieces, as far as you know? (text)", reason: "what one knows is no hint"},
		{text: "# T\n1. It is easy. (likert)\n - Disagree\n - Rather disagree\n - Rather agree\n - Agree\n - Never been there", reason: "never is no side"},
		{text: "# T\n1. Are lanes for slow and fast swimmers kept apart? (single)\n - Yes\n - No", reason: "apart needs two"},
		{text: "# T\n1. The food was good, wasn't it? (text)", rule: form.Leading, where: "section 1, question 1"},
		{text: "# T\n1. Which craft? (single)\n - Painting\n - Printing", reason: "both are words"},
		{text: "# T\n1. How clean are the tall red brick rooms? (text)\n2. How clean are the tall red brick halls? (text)", reason: "another word asks for another thing"},
		{text: "# T\n1. How safe do you and your family feel? (rating 1-5)", reason: "a family is one"},
		{text: "# T\n1. I have read and accept the rules and the prices. (single)\n - Yes\n - No", reason: "consent is given once"},
		{text: "# T\n1. Is there a good mix of theory and practice? (single)\n - Yes\n - No", reason: "a mixture is one"},
		{text: "# T\n1. How useful is it? (likert)\n - Useful\n - Very useful\n - Extremely useful", rule: form.Unbalanced, where: "section 1, question 1", reason: "praise only"},
		{text: "# T\n1. Should greedy landlords pay? (text)", rule: form.Loaded, where: "section 1, question 1"},
		{text: "# T\n1. Where do you live? (single)\n - Building A\n - Building B\n - Elsewhere", reason: "a letter is a name"},
		{text: "# T\n1. Where are you moving from? (text)\n2. Where are you moving to? (text)", reason: "there and back"},
		{text: "1. Tent\n2. Stove\n3. tent.", rule: form.DuplicateQuestion, where: "item 3"},
		{text: "| a | b |\n|---|---|\n| 1 | 2 |\n| 1 | 2 |", rule: form.DuplicateQuestion, where: "row 2"},
		{text: "Ann: Hello.\nBob: Hello.\nAnn: Bye.\nBob: Bye.", reason: "turns may repeat each other"},
	}
	for _, tt := range tests {
		found := check(t, tt.text)
		if tt.rule == "" {
			if len(found) > 0 {
				t.Errorf("%q: found %v, although %s", tt.text, found, tt.reason)
			}
			continue
		}
		if len(found) != 1 || found[0].Rule != tt.rule || found[0].Where != tt.where || found[0].Message == "" {
			t.Errorf("%q: found %v, want %s at %s %s", tt.text, found, tt.rule, tt.where, tt.reason)
		}
	}
}

// The places and numbers of messages.
func TestMessages(t *testing.T) {
	long := strings.Repeat("One must be considerably circumspect about the extraordinary responsibilities of an organisation. ", 9)
	for _, tt := range []struct{ text, want string }{
		{"# T\n1. Why do you run? (text)\n2. How? (text)\n3. Why do you run? (text)", `section 1, question 3: the same as question 1: "Why do you run?"`},
		{"# T\n1. Pick one. (single)\n - A thing\n - Other\n - The thing\n - other!", `section 1, question 1, option 3: nearly the same as option 1: "The thing"; section 1, question 1, option 4: the same as option 2: "other!"`},
		{"# T\n1. Rate. (matrix)\n - row: Food\n - row: Room\n - row: food\n - Good\n - Bad", `section 1, question 1, row 3: the same as row 1: "food"`},
		{"# T\n1. How old are you? (single)\n - 1-5\n - 6 - 9\n - 9 to 12\n - 13-13", `section 1, question 1, option 3: "6 - 9" and "9 to 12" share numbers`},
		{"# T\n1. How is it? (likert)\n - Very bad\n - Bad\n - Neutral\n - Good", "section 1, question 1: 2 options on the low side, 1 on the high side"},
		{"# T\n1. Rate. (rating 5-5)", "section 1, question 1: the scale of the rating ends at 5 and begins at 5"},
		{"# T\n1. A? (text)\n2. B? (text)\n5. C? (text)\n4. D? (text)", "section 1, question 3: number 5 follows 2"},
		{"# T\n1. A? (text)\n2. B? (text)\n2. C? (text)\n3. D? (text)", "section 1, question 3: number 2 follows 2"},
		{"1. Tent\n2. Stove\n5. Rope\n- Pan\n7. Lamp", "item 3: number 5 follows 2; item 4: it has no number, and the others have one"},
		{"1. Tent\n- Stove\n- Rope\n- Pan", ""},
		{"# T\n1. Pick. (single)\n - Apple\n - Aplpe\n - Other", "!the same"},
		{"# T\n1. Pick. (single)\n - Banana\n - Banaan\n - Other", `option 2: nearly the same as option 1: "Banaan"`},
		{"# T\n1. Pick. (single)\n - Cherry\n - Chxrry\n - Other", `option 2: nearly the same as option 1: "Chxrry"`},
		{"# T\n1. Pick. (single)\n - Cherry\n - Chxrrx\n - Other", "!the same"},
		{"# T\n1. Pick. (single)\n - Berlin\n - Merlin\n - Other", "!the same"},
		{"# T\n1. Pick. (single)\n - Orange\n - Oraenge\n - Other", `option 2: nearly the same as option 1: "Oraenge"`},
		{"# T\n1. Pick. (single)\n - Orange\n - Oraengee\n - Other", "!the same"},
		{"# T\n1. Pick. (single)\n - Coach 1\n - Coach 2\n - Other", "!the same"},
		{"# T\n1. How good are the food and the service? (single)\n - A\n - B\n - C\n - D\n - E", "asks two things"},
		{"# T\n1. How good are the food and the service? (single)\n - A\n - B\n - C\n - D\n - E\n - F", "!asks two things"},
		{"# T\n1. " + strings.Repeat("long ", 15) + "word? (text)\n2. " + strings.Repeat("Long ", 15) + "word? (text)", `: "` + strings.Repeat("Long ", 15) + `word?"`},
		{"# T\n1. " + strings.Repeat("long ", 15) + "words? (text)\n2. " + strings.Repeat("Long ", 15) + "words? (text)", `: "` + strings.Repeat("Long ", 15) + `wo..."`},
		{"# T\n1. Which red lamp burns? (text)\n2. Which red lamp smokes? (text)", "!the same"},
		{"# T\n1. Which tall old red lamp burns? (text)\n2. Does the tall old red lamp burn? (text)", "nearly the same as question 1"},
		{"| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 1 | 2 |\n| | |\n| | |", "row 3: the same as row 1"},
		{"| a | b |\n|---|---|", "document: the table has no rows"},
		{"# T\n1. A (text)\n - x\n2. B (single)\n - \n - y", "section 1, question 1: a text question has options"},
		{"# T\n## S\n## U\n1. A? (text)", "section 1: the section has no questions"},
		{"# Recieve\nIt is it it.\n1. A? (text)\n - answer: x", `document: "recieve" for "receive" in the title; document: "it" is there twice in the description`},
		{"# T\n" + long + "\n1. A? (text)", "document: the form reads at grade"},
		{"# T\n1. Which of the " + strings.Repeat("very ", 20) + "best? (text)\n2. Which of the " + strings.Repeat("very ", 20) + "best? (text)", `...`},
	} {
		var got []string
		for _, f := range check(t, tt.text) {
			got = append(got, f.Where+": "+f.Message)
		}
		text, unwanted := strings.Join(got, "; "), strings.HasPrefix(tt.want, "!")
		if strings.Contains(text, strings.TrimPrefix(tt.want, "!")) == unwanted || tt.want == "" && text != "" {
			t.Errorf("%q: %s, want %s", tt.text, text, tt.want)
		}
	}
}

// Known grades: the formula worked out by hand, and the order of easy and hard texts.
func TestGrade(t *testing.T) {
	// 10 words, 2 sentences, 10 syllables: 0.39*5 + 11.8*1 - 15.59.
	got, words, ok := form.Grade("The cat sat on it. It was a big rug.")
	if want := 0.39*5 + 11.8 - 15.59; !ok || words != 10 || math.Abs(got-want) > 1e-9 {
		t.Errorf("grade %v of %d words, want %v of 10", got, words, want)
	}
	for word, want := range map[string]int{"cat": 1, "table": 2, "make": 1, "rated": 2, "walked": 1, "operation": 4, "tree": 1, "banana": 3, "rhythm": 1} {
		if got := form.Syllables(word); got != want {
			t.Errorf("%s has %d syllables, want %d", word, got, want)
		}
	}
	if _, _, ok := form.Grade("123 ..."); ok {
		t.Error("no words have a grade")
	}
}

func ExampleCheck() {
	d, _ := form.Read([]byte("# Tea\n1. Don't you love tea? (single)\n   - Yes\n"), "tea.md")
	for _, f := range form.Check(d) {
		fmt.Println(f.Where, f.Rule)
	}
	// Output:
	// section 1, question 1 single-option
	// section 1, question 1 leading
}

// Sixty good forms by somebody who did not write the rules have a false finding on one question of a hundred at most.
func TestGoodForms(t *testing.T) {
	text, err := os.ReadFile("testdata/good.txt")
	if err != nil {
		t.Fatal(err)
	}
	questions, wrong, forms := 0, 0, 0
	for part := range strings.SplitSeq("\n"+string(text), "\n# ") {
		if part == "" {
			continue
		}
		d, err := form.Read([]byte("# "+part), "form.md")
		if err != nil || d.Kind != form.Survey {
			t.Fatalf("%v: %s", err, part)
		}
		forms, questions = forms+1, questions+d.Form.Questions()
		for _, f := range form.Check(d) {
			wrong++
			t.Logf("%s: %v", d.Form.Title, f)
		}
	}
	if forms != 60 || 100*wrong > questions {
		t.Errorf("%d false findings on %d questions of %d good forms", wrong, questions, forms)
	}
}
