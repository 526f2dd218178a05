package form

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Rule names a kind of fault.
type Rule string

const (
	Schema            Rule = "schema"             // a part is missing, empty or cannot be
	DuplicateQuestion Rule = "duplicate-question" // the same, or nearly
	DuplicateOption   Rule = "duplicate-option"
	SingleOption      Rule = "single-option"     // a choice without a choice
	Overlap           Rule = "overlap"           // ranges that share numbers
	Unbalanced        Rule = "unbalanced-likert" // more options on one side than on the other
	DoubleBarrelled   Rule = "double-barrelled"  // one answer for two questions
	Leading           Rule = "leading"           // the wording suggests an answer
	Loaded            Rule = "loaded"            // the wording belittles people
	MissingOther      Rule = "missing-other"     // an open set of options without a way out
	ReadingLevel      Rule = "reading-level"     // harder to read than a form should be
	Numbering         Rule = "numbering"         // numbers that do not follow each other
	Spelling          Rule = "spelling"          // a common misspelling, or a word twice
)

// Rules are all rules. Those on wording, reading level and spelling know English only.
var Rules = []Rule{Schema, DuplicateQuestion, DuplicateOption, SingleOption, Overlap, Unbalanced, DoubleBarrelled, Leading, Loaded,
	MissingOther, ReadingLevel, Numbering, Spelling}

// Finding is something wrong that can be seen without a model.
type Finding struct {
	Where   string `json:"where"` // such as section 2, question 5, option 1; questions count through the form
	Rule    Rule   `json:"rule"`
	Message string `json:"message"`
}

// spot is a place in a document, all parts from 1; 0: not in one.
type spot struct{ section, question, row, option, item int }

func (s spot) String() string {
	var parts []string
	for _, p := range []struct {
		name string
		n    int
	}{{"section", s.section}, {"question", s.question}, {"row", s.row}, {"option", s.option}, {"item", s.item}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", p.name, p.n))
		}
	}
	if parts == nil {
		return "document"
	}
	return strings.Join(parts, ", ")
}

// checker gathers findings.
type checker struct {
	found   []Finding
	english bool
	quiz    bool // its questions have a right answer, which the document need not give
}

func (c *checker) add(at spot, rule Rule, format string, args ...any) {
	c.found = append(c.found, Finding{Where: at.String(), Rule: rule, Message: fmt.Sprintf(format, args...)})
}

// Check finds what is wrong with a document, in the order of its parts. It finds faults of form; that
// it finds none does not make a good form.
func Check(d *Document) []Finding {
	c := &checker{}
	c.english = english(d.prose())
	for _, note := range d.Notes {
		c.add(spot{}, Schema, "%s", note)
	}
	switch d.Kind {
	case Survey:
		c.form(d.Form)
	case Table:
		c.table(d)
	default:
		c.list(d)
	}
	return c.found
}

// asksKnowledge finds the titles and descriptions of quizzes.
var asksKnowledge = regexp.MustCompile(`(?i)\b(quiz(zes)?|trivia|exam|examination|knowledge (check|test)|comprehension (check|test|questions)|(practice|placement|mock|theory|vocabulary|grammar|spelling|maths?|science|history|geography|reading) (test|exam)|test your|correct answer|right answer)\b`)

// isQuiz reports whether a form says that it is a quiz, or gives the answer to one of its questions.
func isQuiz(f *Form) bool {
	if asksKnowledge.MatchString(f.Title) || asksKnowledge.MatchString(f.Description) {
		return true
	}
	for i := range f.Sections {
		if slices.ContainsFunc(f.Sections[i].Questions, func(q Question) bool { return q.Answer != "" }) {
			return true
		}
	}
	return false
}

func (c *checker) form(f *Form) {
	c.quiz = isQuiz(f)
	if strings.TrimSpace(f.Title) == "" {
		c.add(spot{}, Schema, "the form has no title")
	}
	if f.Questions() == 0 {
		c.add(spot{}, Schema, "the form has no questions")
	}
	c.words(spot{}, "title", f.Title)
	c.words(spot{}, "description", f.Description)
	var texts, numbers []string
	var places []spot
	var starts []bool
	n := 0
	for i := range f.Sections {
		s := &f.Sections[i]
		at := spot{section: i + 1}
		if len(s.Questions) == 0 && s.Description == "" && f.Questions() > 0 {
			c.add(at, Schema, "the section has no questions")
		}
		c.words(at, "title", s.Title)
		c.words(at, "description", s.Description)
		for j := range s.Questions {
			n++
			at.question = n
			c.question(at, &s.Questions[j])
			texts, places = append(texts, s.Questions[j].Text), append(places, at)
			numbers, starts = append(numbers, s.Questions[j].Number), append(starts, j == 0)
		}
	}
	for _, p := range alike(texts) {
		c.add(places[p.second], DuplicateQuestion, "%s question %d: %q", p.how, places[p.first].question, clip(texts[p.second]))
	}
	c.sequence(numbers, places, starts)
	if grade, words, ok := Grade(f.plain()); ok && c.english && words >= leastWords && grade > hardText {
		c.add(spot{}, ReadingLevel, "the form reads at grade %.1f (Flesch-Kincaid), above %d", grade, hardText)
	}
}

func (c *checker) question(at spot, q *Question) {
	c.parts(at, q)
	c.choices(at, q)
	c.words(at, "", q.Text)
	c.words(at, "help", q.Help)
	for i, o := range q.Options {
		c.words(at.of(i), "", o)
	}
	for i, r := range q.Rows {
		c.words(at.ofRow(i), "", r)
	}
	if grade, words, ok := Grade(q.Text); ok && c.english && words >= leastQuestion && grade > hardQuestion {
		c.add(at, ReadingLevel, "the question reads at grade %.1f (Flesch-Kincaid), above %d", grade, hardQuestion)
	}
}

// ofDay finds times of the day, which may touch each other.
var ofDay = regexp.MustCompile(`(?i)\b(what|which) (times?|hours?)\b|\bslots?\b|\bo['’]clock\b|\d ?(am|pm|h)\b|:\d\d`)

// choices checks the options and rows of a question, and whether it asks one thing.
func (c *checker) choices(at spot, q *Question) {
	for _, p := range sameOptions(q.Options, c.quiz, q.Type == Likert) {
		c.add(at.of(p.second), DuplicateOption, "%s option %d: %q", p.how, p.first+1, clip(q.Options[p.second]))
	}
	for _, p := range sameOptions(q.Rows, c.quiz, false) {
		c.add(at.ofRow(p.second), DuplicateOption, "%s row %d: %q", p.how, p.first+1, clip(q.Rows[p.second]))
	}
	for i, o := range overlaps(q.Options, ofDay.MatchString(q.Text+" "+strings.Join(q.Options, " "))) {
		if o != "" && q.Type != Multiple {
			c.add(at.of(i), Overlap, "%q and %q share numbers", clip(o), clip(q.Options[i]))
		}
	}
	if low, high, ok := balance(q.Options); ok && low != high && (q.Type == Likert || q.Type == Matrix || q.Type == Single) {
		c.add(at, Unbalanced, "%d options on the low side, %d on the high side", low, high)
	}
	if !c.english {
		return
	}
	if why := noWayOut(q); why != "" && !c.quiz {
		c.add(at, MissingOther, "%s", why)
	}
	if and := barrelled(q); and != "" && (!c.quiz || q.Type != Single) {
		c.add(at, DoubleBarrelled, "%q asks two things for one answer", and)
	}
}

// of returns the place of an option, counted from 0.
func (s spot) of(option int) spot {
	s.option = option + 1
	return s
}

// ofRow returns the place of a row, counted from 0.
func (s spot) ofRow(row int) spot {
	s.row = row + 1
	return s
}

var spoken = regexp.MustCompile(`^(I|We|My|Our|Yes)\b`)

// parts checks that a question has what its type needs.
func (c *checker) parts(at spot, q *Question) {
	if strings.TrimSpace(q.Text) == "" {
		c.add(at, Schema, "the question has no text")
	}
	if q.Written != "" {
		c.add(at, Schema, "%q is no known type of question", clip(q.Written))
	}
	switch {
	case q.Choice() && len(q.Options) == 0:
		c.add(at, Schema, "a %s question has no options", q.Type)
	case q.Choice() && len(q.Options) == 1:
		if q.Type == Multiple && spoken.MatchString(q.Options[0]) {
			break // a box to tick for consent
		}
		c.add(at, SingleOption, "%q is the only option", clip(q.Options[0]))
	case !q.Choice() && len(q.Options) > 0:
		c.add(at, Schema, "a %s question has options", q.Type)
	}
	if q.Type == Matrix && len(q.Rows) == 0 {
		c.add(at, Schema, "a matrix has no rows")
	}
	if q.Type == Rating && q.Min != nil && q.Max != nil && *q.Min >= *q.Max {
		c.add(at, Schema, "the scale of the rating ends at %d and begins at %d", *q.Max, *q.Min)
	}
	for i, o := range q.Options {
		if strings.TrimSpace(o) == "" {
			c.add(at.of(i), Schema, "the option is empty")
		}
	}
}

// words checks the wording and spelling of one English text. An option is an answer: it cannot suggest one.
func (c *checker) words(at spot, part, text string) {
	if text == "" || !c.english {
		return
	}
	in := ""
	if part != "" {
		in = " in the " + part
	}
	if w := leading(text); w != "" && at.option == 0 {
		c.add(at, Leading, "%q%s suggests an answer", clip(w), in)
	}
	if w := loaded(text); w != "" {
		c.add(at, Loaded, "%q%s belittles or judges", clip(w), in)
	}
	for _, m := range misspelt(text) {
		c.add(at, Spelling, "%s%s", m, in)
	}
}

// sequence checks that the numbers, where most entries have one, follow each other. What starts may begin again at 1.
func (c *checker) sequence(written []string, places []spot, starts []bool) {
	with := 0
	for _, w := range written {
		if w != "" {
			with++
		}
	}
	if with*2 <= len(written) {
		return
	}
	last, due := 0, 0 // due is the number by position, to which the document may return after a slip
	for i, w := range written {
		due++
		if w == "" {
			c.add(places[i], Numbering, "it has no number, and the others have one")
			last++
			continue
		}
		n := 0
		if _, err := fmt.Sscan(w, &n); err != nil {
			continue
		}
		if starts[i] && n == 1 {
			due = 1
		} else if n != last+1 && n != due {
			c.add(places[i], Numbering, "number %d follows %d", n, last)
		}
		last = n
	}
}

// list checks lists and conversations. Turns may repeat each other.
func (c *checker) list(d *Document) {
	if len(d.Items) == 0 {
		c.add(spot{}, Schema, "there is nothing in it")
	}
	c.words(spot{}, "title", d.Title)
	var texts, written []string
	var places []spot
	var starts []bool
	for i, item := range d.Items {
		at := spot{item: i + 1}
		if strings.TrimSpace(item.Text) == "" {
			c.add(at, Schema, "it is empty")
		}
		if d.Kind == List {
			c.words(at, "", item.Text)
		}
		texts, places, written, starts = append(texts, item.Text), append(places, at), append(written, item.Number), append(starts, false)
	}
	if d.Kind == Conversation {
		return
	}
	for _, p := range alike(texts) {
		c.add(places[p.second], DuplicateQuestion, "%s item %d: %q", p.how, p.first+1, clip(texts[p.second]))
	}
	c.sequence(written, places, starts)
}

func (c *checker) table(d *Document) {
	if len(d.Rows) == 0 {
		c.add(spot{}, Schema, "the table has no rows")
	}
	seen := map[string]int{}
	for i, r := range d.Rows {
		key := normal(strings.Join(r, " | "))
		if first, ok := seen[key]; ok && strings.Trim(key, " |") != "" {
			c.add(spot{row: i + 1}, DuplicateQuestion, "the same as row %d", first)
		} else {
			seen[key] = i + 1
		}
		for _, cell := range r {
			c.words(spot{row: i + 1}, "", cell)
		}
	}
}

// prose is the text of a document that tells its language: of a form the questions and what is around them, as
// options may be names and numbers.
func (d *Document) prose() string {
	if d.Form != nil {
		return d.Form.Title + "\n" + d.Form.plain()
	}
	return d.Text()
}

// plain is the form's prose, a sentence a line.
func (f *Form) plain() string {
	var b strings.Builder
	put := func(s string) {
		if s = line(s); s != "" {
			b.WriteString(s)
			if !strings.ContainsAny(s[len(s)-1:], ".?!:") {
				b.WriteByte('.')
			}
			b.WriteByte('\n')
		}
	}
	put(f.Description)
	for i := range f.Sections {
		put(f.Sections[i].Description)
		for j := range f.Sections[i].Questions {
			put(f.Sections[i].Questions[j].Text)
			put(f.Sections[i].Questions[j].Help)
		}
	}
	return b.String()
}

// clip shortens what a message quotes.
func clip(s string) string {
	s = line(s)
	if r := []rune(s); len(r) > 80 {
		return string(r[:77]) + "..."
	}
	return s
}
