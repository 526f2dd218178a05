package form

import (
	"sort"
	"strconv"
	"strings"

	"parley/sim/llm/loose"
)

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func inner(o object, name string) object {
	v, _ := o.get(name).(object)
	return v
}

func flag(v any) bool {
	b, _ := v.(bool)
	return b
}

func itemsOfGoogle(v any) bool {
	for _, one := range list(v) {
		if o, ok := one.(object); ok && (o.has("questionitem") || o.has("questiongroupitem") || o.has("pagebreakitem")) {
			return true
		}
	}
	return false
}

// google reads a form as the Google Forms API returns it: forms.get, with info and items.
func google(o object) *Form {
	info := inner(o, "info")
	f := &Form{Title: textOf(info.get("title", "documenttitle")), Description: textOf(info.get("description")), Sections: []Section{{}}}
	for _, one := range list(o.get("items")) {
		item, ok := one.(object)
		if !ok {
			continue
		}
		title, help := textOf(item.get("title")), textOf(item.get("description"))
		last := &f.Sections[len(f.Sections)-1]
		switch {
		case item.has("pagebreakitem"):
			f.Sections = append(f.Sections, Section{Title: title, Description: help})
		case item.has("questiongroupitem"):
			group := inner(item, "questiongroupitem")
			q := Question{Text: title, Help: help, Type: Matrix, Options: textsOf(inner(inner(group, "grid"), "columns").get("options"))}
			for _, r := range list(group.get("questions")) {
				if row, ok := r.(object); ok {
					q.Rows = append(q.Rows, textOf(inner(row, "rowquestion").get("title")))
					q.Required = q.Required || flag(row.get("required"))
				}
			}
			last.Questions = append(last.Questions, q)
		case item.has("questionitem"):
			q := googleQuestion(inner(inner(item, "questionitem"), "question"))
			q.Text, q.Help = title, help
			last.Questions = append(last.Questions, q)
		}
	}
	return f.trimmed()
}

func googleQuestion(o object) Question {
	q := Question{Type: Text, Required: flag(o.get("required"))}
	switch {
	case o.has("choicequestion"):
		choice := inner(o, "choicequestion")
		q.Type = Single
		if strings.EqualFold(textOf(choice.get("type")), "CHECKBOX") {
			q.Type = Multiple
		}
		for _, one := range list(choice.get("options")) {
			if opt, ok := one.(object); ok {
				if flag(opt.get("isother")) {
					q.Options = append(q.Options, "Other")
					continue
				}
				q.Options = append(q.Options, textOf(opt.get("value")))
			}
		}
	case o.has("scalequestion"):
		scale := inner(o, "scalequestion")
		q.Type, q.Min, q.Max = Rating, wholeOf(scale.get("low")), wholeOf(scale.get("high"))
		if q.Min == nil {
			zero := 0 // which the API leaves out
			q.Min = &zero
		}
	case o.has("ratingquestion"):
		one := 1
		q.Type, q.Min, q.Max = Rating, &one, wholeOf(inner(o, "ratingquestion").get("ratingscalelevel"))
	case o.has("datequestion"), o.has("timequestion"):
		q.Type = Date
	}
	if grading := inner(o, "grading"); grading != nil {
		if answers := list(inner(grading, "correctanswers").get("answers")); len(answers) > 0 {
			q.Answer = textOf(answers[0])
		}
	}
	return q
}

// trimmed drops the first section where a page break came before any question.
func (f *Form) trimmed() *Form {
	if len(f.Sections) > 1 && len(f.Sections[0].Questions) == 0 && f.Sections[0].Title == "" {
		f.Sections = f.Sections[1:]
	}
	return f
}

func isMicrosoft(o object) bool {
	for _, one := range list(o.get("questions")) {
		if q, ok := one.(object); ok {
			return q.has("questioninfo") || strings.HasPrefix(textOf(q.get("type")), "Question.")
		}
	}
	return false
}

// microsoft reads a form in the shape in which Microsoft Forms hands it to its own pages: questions
// with an order, a type such as Question.Choice, and questionInfo, which is JSON in a string.
func microsoft(o object) *Form {
	f := &Form{Title: titleOf(o), Description: descriptionOf(o), Sections: []Section{{}}}
	questions := list(o.get("questions"))
	place := func(v any) float64 {
		q, _ := v.(object)
		n, _ := strconv.ParseFloat(textOf(q.get("order")), 64)
		return n
	}
	questions = append([]any(nil), questions...)
	sort.SliceStable(questions, func(i, j int) bool { return place(questions[i]) < place(questions[j]) })
	for _, one := range questions {
		item, ok := one.(object)
		if !ok {
			continue
		}
		kind := squash(strings.TrimPrefix(textOf(item.get("type")), "Question."))
		if strings.HasPrefix(kind, "section") || kind == "columngroup" {
			f.Sections = append(f.Sections, Section{Title: titleOf(item), Description: textOf(item.get("subtitle", "description"))})
			continue
		}
		info, _ := item.get("questioninfo").(object)
		if s, ok := item.get("questioninfo").(string); ok {
			if found := loose.Find(s); len(found) > 0 {
				info, _ = ordered(&found[0]).(object)
			}
		}
		last := &f.Sections[len(f.Sections)-1]
		last.Questions = append(last.Questions, microsoftQuestion(kind, item, info))
	}
	return f.trimmed()
}

func microsoftQuestion(kind string, item, info object) Question {
	q := Question{Text: titleOf(item), Help: textOf(item.get("subtitle", "description")), Required: flag(item.get("required"))}
	for _, c := range list(info.get("choices")) {
		o, _ := c.(object)
		q.Options = append(q.Options, textOf(o.get("description", "formsprodisplayrtftext", "value")))
	}
	if flag(info.get("allowotheranswer")) {
		q.Options = append(q.Options, "Other")
	}
	switch kind {
	case "choice":
		q.Type = Single
		if n := wholeOf(info.get("choicetype")); n != nil && *n == 2 || flag(info.get("allowmultipleanswers", "ismultiplechoice")) {
			q.Type = Multiple
		}
	case "rating", "nps":
		one, length := 1, wholeOf(info.get("length"))
		if kind == "nps" && length == nil {
			zero, ten := 0, 10
			one, length = zero, &ten
		}
		q.Type, q.Min, q.Max = Rating, &one, length
	case "matrixchoicegroup", "likert":
		q.Type, q.Rows = Matrix, textsOf(item.get("rows"))
		if q.Rows == nil {
			q.Rows = textsOf(info.get("rows", "statements"))
		}
		if q.Options == nil {
			q.Options = textsOf(info.get("columns", "options"))
		}
	case "ranking":
		q.Type = Ranking
	case "datetime", "date":
		q.Type = Date
	default:
		q.Type = Text
		if kind != "textfield" && kind != "text" {
			q.Written = kind
		}
	}
	return q
}

func isMonkey(o object) bool {
	for _, one := range list(o.get("pages")) {
		page, _ := one.(object)
		for _, v := range list(page.get("questions")) {
			if q, ok := v.(object); ok {
				return q.has("family") || q.has("headings")
			}
		}
	}
	return false
}

// monkey reads a survey as SurveyMonkey's API returns its details: pages of questions, each with
// headings, family, subtype and answers.
func monkey(o object) *Form {
	f := &Form{Title: textOf(o.get("title", "nickname")), Description: descriptionOf(o)}
	for _, one := range list(o.get("pages")) {
		page, ok := one.(object)
		if !ok {
			continue
		}
		s := Section{Title: textOf(page.get("title")), Description: textOf(page.get("description"))}
		for _, v := range list(page.get("questions")) {
			if q, ok := v.(object); ok {
				s.Questions = append(s.Questions, monkeyQuestion(q))
			}
		}
		f.Sections = append(f.Sections, s)
	}
	return f
}

func monkeyQuestion(o object) Question {
	q := Question{Text: textOf(o.get("heading")), Required: o.get("required") != nil && o.get("required") != false}
	for _, h := range list(o.get("headings")) {
		if h, ok := h.(object); ok && q.Text == "" {
			q.Text = textOf(h.get("heading"))
		}
	}
	answers := inner(o, "answers")
	q.Options, q.Rows = textsOf(answers.get("choices")), textsOf(answers.get("rows"))
	if answers.has("other") {
		q.Options = append(q.Options, "Other")
	}
	subtype := textOf(o.get("subtype"))
	switch family := textOf(o.get("family")); squash(family) {
	case "singlechoice":
		q.Type = Single
	case "multiplechoice":
		q.Type = Multiple
	case "matrix":
		q.Type = Matrix
		switch subtype {
		case "ranking":
			q.Type, q.Options, q.Rows = Ranking, q.Rows, nil
		case "rating":
			if len(q.Rows) <= 1 {
				q.Type, q.Rows = Likert, nil
				if low, high, ok := ends(q.Options); ok {
					q.Type, q.Min, q.Max, q.Options = Rating, &low, &high, nil
				}
			}
		}
	case "datetime":
		q.Type, q.Rows = Date, nil
	case "openended", "demographic":
		q.Type, q.Rows = Text, nil
		if subtype == "numerical" {
			q.Type = Number
		}
	default:
		q.settle(family)
	}
	return q
}
