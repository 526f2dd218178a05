package form

import (
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
	v := value{&found[0]}
	switch {
	case v.is(loose.Object):
		d.read(v)
	case v.is(loose.Array):
		if list := questionsOf(v); list != nil {
			d.Form = &Form{Sections: []Section{{Questions: list}}}
			break
		}
		for _, text := range v.texts() {
			if text != "" {
				d.Items = append(d.Items, Item{Text: text})
			}
		}
		d.Kind = List
	}
	if d.Form == nil && d.Items == nil {
		return nil
	}
	switch {
	case v.State == loose.Cut:
		d.Notes = append(d.Notes, "the text is cut off")
	case v.State == loose.Broken:
		d.Notes = append(d.Notes, "the text is broken off")
	case v.Loose:
		d.Notes = append(d.Notes, "the text is not JSON to the letter")
	}
	return d
}

func (d *Document) read(v value) {
	d.Prompt = v.get("prompt", "userprompt", "request").text()
	for _, vendor := range vendors {
		if vendor.is(v) {
			d.Form, d.Format = vendor.read(v), vendor.name
			return
		}
	}
	for _, name := range []string{"form", "survey", "quiz", "questionnaire", "result", "output", "data"} {
		if inner := v.get(name); inner.is(loose.Object) && !v.has("questions") && !v.has("sections") {
			prompt := d.Prompt
			d.read(inner)
			if d.Prompt == "" {
				d.Prompt = prompt
			}
			if d.Form != nil && d.Form.Title == "" {
				d.Form.Title = titleOf(v)
			}
			return
		}
	}
	if d.Form = plain(v); d.Form.Questions() == 0 && d.Form.Title == "" && d.Form.Description == "" {
		d.Form = nil
	}
}

func titleOf(v value) string {
	return v.get("title", "name", "surveytitle", "formtitle", "quiztitle", "heading", "survey", "form").text()
}

func descriptionOf(v value) string {
	return v.get("description", "desc", "introduction", "intro", "subtitle", "surveydescription", "formdescription", "instructions").text()
}

// questionKeys are the keys under which a form or a section holds its questions.
var questionKeys = []string{"questions", "items", "fields", "elements"}

// plain reads a form as models write it: sections of questions, questions alone, or questions as keys.
func plain(v value) *Form {
	f := &Form{Title: titleOf(v), Description: descriptionOf(v), Sections: []Section{}}
	if list := questionsOf(v.get(questionKeys...)); list != nil {
		f.Sections = append(f.Sections, Section{Questions: list})
	}
	parts := v.get("sections", "pages", "groups", "parts", "categories")
	for i, part := range parts.values() {
		key := ""
		if parts.is(loose.Object) {
			key = parts.Keys[i]
		}
		f.section(key, part)
	}
	if len(f.Sections) > 0 {
		return f
	}
	for i, part := range v.values() { // questions, or sections, are keys of the form itself
		key := squash(v.Keys[i])
		switch part.Kind {
		case loose.Object:
			if strings.HasPrefix(key, "section") || part.has("questions") {
				f.section(v.Keys[i], part)
			} else if q, ok := question(part); ok {
				f.loose(q)
			}
		case loose.Array:
			f.section(v.Keys[i], part)
		case loose.String:
			if rest := strings.TrimLeft(strings.TrimPrefix(key, "question"), "q"); rest != key && strings.Trim(rest, "0123456789") == "" {
				f.loose(Question{Text: part.text(), Type: Text})
			}
		}
	}
	return f
}

// loose adds a question that is in no section.
func (f *Form) loose(q Question) {
	if len(f.Sections) == 0 {
		f.Sections = append(f.Sections, Section{})
	}
	last := &f.Sections[len(f.Sections)-1]
	last.Questions = append(last.Questions, q)
}

// section adds a section: an object, or the list of its questions under its title.
func (f *Form) section(key string, v value) {
	if list := questionsOf(v); v.is(loose.Array) && list != nil {
		f.Sections = append(f.Sections, Section{Title: key, Questions: list})
	}
	if v.is(loose.Object) {
		s := Section{Title: titleOf(v), Description: descriptionOf(v), Questions: questionsOf(v.get(questionKeys...))}
		for _, title := range []string{v.get("section", "sectiontitle", "page", "group").text(), key} {
			if s.Title == "" {
				s.Title = title
			}
		}
		f.Sections = append(f.Sections, s)
	}
}

// questionsOf reads the questions of a list, or of an object under whatever keys. A list of texts of which fewer than
// half ask something holds none.
func questionsOf(v value) []Question {
	var list []Question
	texts, asking, objects := 0, 0, v.is(loose.Object)
	for _, one := range v.values() {
		switch one.Kind {
		case loose.Object:
			objects = true
			if q, ok := question(one); ok {
				list = append(list, q)
			}
		case loose.String:
			if text := one.text(); text != "" {
				texts++
				if strings.ContainsAny(text, "?؟？") {
					asking++
				}
				n, text := numbered(text)
				list = append(list, Question{Number: n, Text: text, Type: Text})
			}
		}
	}
	if !objects && (asking == 0 || 2*asking < texts) {
		return nil
	}
	return list
}

// question reads one question in any wording of the keys. It reports whether the object looks like one.
func question(v value) (Question, bool) {
	asked := v.get("question", "text", "questiontext", "title", "label", "prompt", "statement", "name", "heading")
	q := Question{
		Text:     asked.text(),
		Help:     v.get("help", "hint", "helptext", "description", "placeholder").text(),
		Options:  v.get("options", "choices", "answers", "answeroptions", "responses", "scale", "labels", "columns", "cols", "values").texts(),
		Rows:     v.get("rows", "statements", "items", "subquestions").texts(),
		Answer:   v.get("answer", "correctanswer", "correct", "solution").text(),
		Min:      v.get("min", "minvalue", "minimum", "low", "from").whole(),
		Max:      v.get("max", "maxvalue", "maximum", "high", "to", "scalemax").whole(),
		Number:   v.get("number", "no", "questionnumber").text(),
		Required: v.get("required", "isrequired", "mandatory").flag(),
	}
	switch span := v.get("scale", "range"); {
	case span.is(loose.Object):
		q.Options, q.Min, q.Max = nil, span.get("min", "minimum", "low", "start", "from").whole(), span.get("max", "maximum", "high", "end", "to").whole()
	case span.is(loose.String):
		q.Options = nil
		q.Min, q.Max = spanOf(span.Text)
	}
	if asked.is(loose.Object) && q.Text == "" {
		return q, false
	}
	if q.Number == "" {
		q.Number, q.Text = numbered(q.Text)
	}
	q.settle(v.get("type", "questiontype", "kind", "format", "inputtype", "answertype", "responsetype").text())
	return q, asked.Value != nil || v.get("options", "choices", "type").Value != nil
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
