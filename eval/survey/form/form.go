// Package form is open-ended structured text: surveys, forms and quizzes, and beside them lists,
// tables and conversations. It reads what programs and models write, and finds what can be seen wrong
// in it without a model.
//
// It knows no judge, no score and no run.
package form

import (
	"slices"
	"strings"
)

// Type is the kind of answer that a question asks for.
type Type string

const (
	Single   Type = "single"   // one of the options
	Multiple Type = "multiple" // any of the options
	Rating   Type = "rating"   // a number from Min to Max
	Likert   Type = "likert"   // one of the options, which are in order from one pole to the other
	Matrix   Type = "matrix"   // one of the options for each of the rows
	Text     Type = "text"
	Number   Type = "number"
	Date     Type = "date"
	Ranking  Type = "ranking" // all options, in an order
)

// Types are the known types, in the order in which they are named to models.
var Types = []Type{Single, Multiple, Rating, Likert, Matrix, Text, Number, Date, Ranking}

// Form is a survey, form or quiz.
type Form struct {
	Title       string    `json:"title"`
	Description string    `json:"description,omitempty"`
	Sections    []Section `json:"sections"`
}

// Section is a part of a form. A form without parts has one section without a title.
type Section struct {
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description,omitempty"`
	Questions   []Question `json:"questions"`
}

// Question is one question of a form.
type Question struct {
	Number   string   `json:"number,omitempty"` // as written; empty where the document does not number
	Text     string   `json:"text"`
	Help     string   `json:"help,omitempty"`
	Type     Type     `json:"type"`
	Options  []string `json:"options,omitempty"`
	Rows     []string `json:"rows,omitempty"` // of a matrix, whose columns are the options
	Min      *int     `json:"min,omitempty"`  // of a rating
	Max      *int     `json:"max,omitempty"`
	Answer   string   `json:"answer,omitempty"` // of a quiz
	Required bool     `json:"required,omitempty"`

	// Written is the type as the document names it, where that is none of the known ones.
	Written string `json:"written,omitempty"`
}

// Choice reports whether the question is answered with its options.
func (q *Question) Choice() bool {
	switch q.Type {
	case Single, Multiple, Likert, Ranking, Matrix:
		return true
	}
	return false
}

// Questions counts the questions of all sections.
func (f *Form) Questions() int {
	n := 0
	for i := range f.Sections {
		n += len(f.Sections[i].Questions)
	}
	return n
}

// Clone returns a form whose sections, questions and options can be changed without a change of this one.
func (f *Form) Clone() *Form {
	c := *f
	c.Sections = slices.Clone(f.Sections)
	for i := range c.Sections {
		s := &c.Sections[i]
		s.Questions = slices.Clone(s.Questions)
		for j := range s.Questions {
			s.Questions[j].Options = slices.Clone(s.Questions[j].Options)
		}
	}
	return &c
}

// Kind is the kind of a document.
type Kind string

const (
	Survey       Kind = "form" // a survey, form or quiz
	List         Kind = "list"
	Table        Kind = "table"
	Conversation Kind = "conversation"
)

// Document is a text that was read.
type Document struct {
	Kind   Kind   `json:"kind"`
	Format string `json:"format"`           // json | google | microsoft | surveymonkey | markdown | list | table | csv | transcript
	Prompt string `json:"prompt,omitempty"` // what was asked for, where the document says so
	Form   *Form  `json:"form,omitempty"`   // of a form

	Title string     `json:"title,omitempty"` // of what is no form
	Items []Item     `json:"items,omitempty"` // of a list, and the turns of a conversation
	Head  []string   `json:"head,omitempty"`  // of a table
	Rows  [][]string `json:"rows,omitempty"`

	Notes []string `json:"notes,omitempty"` // what was wrong with the text itself, such as a cut end
}

// Item is an entry of a list, or a turn of a conversation.
type Item struct {
	Number string `json:"number,omitempty"` // as written
	Who    string `json:"who,omitempty"`    // of a turn
	Text   string `json:"text"`
}

// Heading is the title of the document, whatever it is.
func (d *Document) Heading() string {
	if d.Form != nil {
		return d.Form.Title
	}
	return d.Title
}

// line makes one line of a text.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }
