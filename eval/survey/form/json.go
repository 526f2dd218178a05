package form

import (
	"fmt"
	"strconv"
	"strings"

	"parley/sim/llm/loose"
)

// readJSON reads a form from JSON, whoever wrote it; nil where it holds none.
func readJSON(text string) *Document {
	found := loose.Find(text)
	if len(found) == 0 {
		return nil
	}
	d := &Document{Kind: Survey, Format: "json"}
	switch v := ordered(&found[0]).(type) {
	case object:
		d.read(v)
	case []any:
		d.Form = &Form{Sections: []Section{{Questions: questionsOf(v)}}}
		if len(v) == 0 || d.Form.Questions() == 0 {
			d.asList(v)
		}
	default:
		return nil
	}
	if d.Form == nil && d.Items == nil {
		return nil
	}
	switch {
	case found[0].State == loose.Cut:
		d.Notes = append(d.Notes, "the text is cut off")
	case found[0].State == loose.Broken:
		d.Notes = append(d.Notes, "the text is broken off")
	case found[0].Flaws != 0:
		d.Notes = append(d.Notes, "the text is not JSON to the letter")
	}
	return d
}

// asList takes a JSON list of texts for a list.
func (d *Document) asList(list []any) {
	d.Form = nil
	for _, v := range list {
		if s := textOf(v); s != "" {
			d.Items = append(d.Items, Item{Text: s})
		}
	}
	if d.Items != nil {
		d.Kind, d.Format = List, "json"
	}
}

func (d *Document) read(o object) {
	d.Prompt = textOf(o.get("prompt", "userprompt", "request"))
	switch {
	case o.has("items") && (o.has("info") || o.has("formid") || itemsOfGoogle(o.get("items"))):
		d.Form, d.Format = google(o), "google"
	case isMonkey(o):
		d.Form, d.Format = monkey(o), "surveymonkey"
	case isMicrosoft(o):
		d.Form, d.Format = microsoft(o), "microsoft"
	default:
		for _, name := range []string{"form", "survey", "quiz", "questionnaire", "result", "output", "data"} {
			if inner, ok := o.get(name).(object); ok && !o.has("questions") && !o.has("sections") {
				prompt := d.Prompt
				d.read(inner)
				if d.Prompt == "" {
					d.Prompt = prompt
				}
				if d.Form != nil && d.Form.Title == "" {
					d.Form.Title = titleOf(o)
				}
				return
			}
		}
		d.Form = plain(o)
		if d.Form.Questions() == 0 && d.Form.Title == "" && d.Form.Description == "" {
			d.Form = nil
		}
	}
}

func titleOf(o object) string {
	return textOf(o.get("title", "name", "surveytitle", "formtitle", "quiztitle", "heading", "survey", "form"))
}

func descriptionOf(o object) string {
	return textOf(o.get("description", "desc", "introduction", "intro", "subtitle", "surveydescription", "formdescription", "instructions"))
}

// plain reads a form as models write it: sections of questions, questions alone, or questions as keys.
func plain(o object) *Form {
	f := &Form{Title: titleOf(o), Description: descriptionOf(o)}
	if questions := o.get("questions", "items", "fields", "elements"); questions != nil {
		if list := questionsOf(questions); list != nil {
			f.Sections = append(f.Sections, Section{Questions: list})
		}
	}
	switch list := o.get("sections", "pages", "groups", "parts", "categories").(type) {
	case []any:
		for _, v := range list {
			f.section("", v)
		}
	case object:
		for _, p := range list {
			f.section(p.key, p.value)
		}
	}
	if f.Sections == nil { // questions, or sections, stand as keys of the form itself
		for _, p := range o {
			key := squash(p.key)
			switch v := p.value.(type) {
			case object:
				if strings.HasPrefix(key, "section") || v.has("questions") {
					f.section(p.key, v)
				} else if q, ok := question(v); ok {
					f.loose(q)
				}
			case []any:
				if list := questionsOf(v); list != nil {
					f.Sections = append(f.Sections, Section{Title: p.key, Questions: list})
				}
			case string:
				if rest := strings.TrimLeft(strings.TrimPrefix(key, "question"), "q"); rest != key && strings.Trim(rest, "0123456789") == "" {
					f.loose(Question{Text: v, Type: Text})
				}
			}
		}
	}
	if f.Sections == nil {
		f.Sections = []Section{}
	}
	return f
}

// loose adds a question that stands in no section.
func (f *Form) loose(q Question) {
	if len(f.Sections) == 0 {
		f.Sections = append(f.Sections, Section{})
	}
	last := &f.Sections[len(f.Sections)-1]
	last.Questions = append(last.Questions, q)
}

func (f *Form) section(key string, v any) {
	switch v := v.(type) {
	case object:
		s := Section{Title: titleOf(v), Description: descriptionOf(v), Questions: questionsOf(v.get("questions", "items", "fields", "elements"))}
		if s.Title == "" {
			s.Title = textOf(v.get("section", "sectiontitle", "page", "group"))
		}
		if s.Title == "" {
			s.Title = key
		}
		f.Sections = append(f.Sections, s)
	case []any:
		if list := questionsOf(v); list != nil {
			f.Sections = append(f.Sections, Section{Title: key, Questions: list})
		}
	}
}

func questionsOf(v any) []Question {
	var list []Question
	add := func(v any) {
		switch v := v.(type) {
		case object:
			if q, ok := question(v); ok {
				list = append(list, q)
			}
		case string:
			if strings.TrimSpace(v) != "" {
				n, text := numbered(v)
				list = append(list, Question{Number: n, Text: text, Type: Text})
			}
		}
	}
	switch v := v.(type) {
	case []any:
		if !hasObject(v) && !asks(v) {
			return nil
		}
		for _, one := range v {
			add(one)
		}
	case object:
		for _, p := range v {
			add(p.value)
		}
	}
	return list
}

func hasObject(list []any) bool {
	for _, v := range list {
		if _, ok := v.(object); ok {
			return true
		}
	}
	return false
}

// asks reports whether most of a list of texts are questions.
func asks(list []any) bool {
	n := 0
	for _, v := range list {
		if s, ok := v.(string); ok && strings.ContainsAny(s, "?؟？") {
			n++
		}
	}
	return n > 0 && 2*n >= len(list)
}

// question reads one question in any wording of the keys.
func question(o object) (Question, bool) {
	keys := []string{"question", "text", "questiontext", "title", "label", "prompt", "statement", "name", "heading"}
	q := Question{
		Text:    textOf(o.get(keys...)),
		Help:    textOf(o.get("help", "hint", "helptext", "description", "placeholder")),
		Options: textsOf(o.get("options", "choices", "answers", "answeroptions", "responses", "scale", "labels", "columns", "cols", "values")),
		Rows:    textsOf(o.get("rows", "statements", "items", "subquestions")),
		Answer:  textOf(o.get("answer", "correctanswer", "correct", "solution")),
		Min:     wholeOf(o.get("min", "minvalue", "minimum", "low", "from")),
		Max:     wholeOf(o.get("max", "maxvalue", "maximum", "high", "to", "scalemax")),
		Number:  textOf(o.get("number", "no", "questionnumber")),
	}
	if s, ok := o.get("scale", "range").(object); ok {
		q.Options = nil
		q.Min, q.Max = wholeOf(s.get("min", "minimum", "low", "start", "from")), wholeOf(s.get("max", "maximum", "high", "end", "to"))
	}
	if s, ok := o.get("scale", "range").(string); ok {
		q.Options = nil
		q.Min, q.Max = spanOf(s)
	}
	q.Required, _ = o.get("required", "isrequired", "mandatory").(bool)
	if s, ok := o.get("required", "mandatory").(string); ok {
		q.Required = strings.EqualFold(s, "true") || strings.EqualFold(s, "yes")
	}
	if _, ok := o.get(keys...).(object); ok && q.Text == "" {
		return q, false
	}
	if q.Number == "" {
		q.Number, q.Text = numbered(q.Text)
	}
	written := textOf(o.get("type", "questiontype", "kind", "format", "inputtype", "answertype", "responsetype"))
	q.settle(written)
	known := o.get(keys...) != nil || o.get("options", "choices", "type") != nil
	return q, known
}

// textOf makes a text of a value; of an object, what it calls its text.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case number:
		return string(v)
	case bool:
		return fmt.Sprint(v)
	case object:
		return textOf(only(v.get("text", "label", "title", "value", "option", "name", "displaytext", "description")))
	case []any:
		if len(v) == 1 {
			return textOf(only(v[0]))
		}
	}
	return ""
}

// only keeps an object from being looked into for ever.
func only(v any) any {
	switch v := v.(type) {
	case object:
		return v.get("text", "label", "value")
	case []any:
		return nil
	}
	return v
}

func textsOf(v any) []string {
	var list []string
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			list = append(list, textOf(one))
		}
	case object:
		for _, p := range v { // {"A": "Yes", "B": "No"}
			if s := textOf(p.value); s != "" {
				list = append(list, s)
			}
		}
	}
	return list
}

func wholeOf(v any) *int {
	switch v := v.(type) {
	case number:
		if n, err := strconv.Atoi(string(v)); err == nil {
			return &n
		}
	case string:
		if n, err := strconv.Atoi(strings.TrimSpace(v)); err == nil {
			return &n
		}
	}
	return nil
}

// numbered takes the number off the beginning of a line: 3. 3) Q3: Question 3.
func numbered(text string) (n, rest string) {
	s := strings.TrimSpace(text)
	low := strings.ToLower(s)
	for _, word := range []string{"question ", "q"} {
		if strings.HasPrefix(low, word) && len(s) > len(word) && s[len(word)] >= '0' && s[len(word)] <= '9' {
			s = s[len(word):]
			break
		}
	}
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end < 1 || end > 5 {
		return "", strings.TrimSpace(text)
	}
	after := s[end:]
	if !strings.HasPrefix(after, ". ") && !strings.HasPrefix(after, ") ") && !strings.HasPrefix(after, ": ") && after != "." && after != ")" {
		return "", strings.TrimSpace(text)
	}
	return s[:end], strings.TrimSpace(after[1:])
}
