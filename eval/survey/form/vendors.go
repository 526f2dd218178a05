package form

import (
	"slices"
	"strconv"
	"strings"

	"parley/sim/llm/loose"
)

// vendors are the services whose exports are known.
var vendors = []struct {
	name string
	is   func(value) bool
	read func(value) *Form
}{
	{"google", isGoogle, google}, {"surveymonkey", isMonkey, monkey}, {"microsoft", isMicrosoft, microsoft},
}

func isGoogle(v value) bool {
	return v.has("items") && (v.has("info") || v.has("formid") || slices.ContainsFunc(v.get("items").each(), func(item value) bool {
		return item.has("questionitem") || item.has("questiongroupitem") || item.has("pagebreakitem")
	}))
}

// google reads a form as the Google Forms API returns it: forms.get, with info and items.
func google(v value) *Form {
	info := v.get("info")
	f := &Form{Title: info.get("title", "documenttitle").text(), Description: info.get("description").text(), Sections: []Section{{}}}
	for _, item := range v.get("items").each() {
		title, help := item.get("title").text(), item.get("description").text()
		group, one := item.get("questiongroupitem"), item.get("questionitem").get("question")
		switch {
		case item.has("pagebreakitem"):
			f.Sections = append(f.Sections, Section{Title: title, Description: help})
		case group.Value != nil:
			q := Question{Text: title, Help: help, Type: Matrix, Options: group.get("grid").get("columns").get("options").texts()}
			for _, row := range group.get("questions").each() {
				q.Rows = append(q.Rows, row.get("rowquestion").get("title").text())
				q.Required = q.Required || row.get("required").flag()
			}
			f.loose(q)
		case one.Value != nil:
			f.loose(googleQuestion(one, title, help))
		}
	}
	return f.trimmed()
}

func googleQuestion(v value, title, help string) Question {
	q := Question{Text: title, Help: help, Required: v.get("required").flag()}
	if answers := v.get("grading").get("correctanswers").get("answers").texts(); len(answers) > 0 {
		q.Answer = answers[0]
	}
	kind := "text"
	switch choice, scale := v.get("choicequestion"), v.get("scalequestion", "ratingquestion"); {
	case choice.Value != nil:
		kind = choice.get("type").text()
		for _, o := range choice.get("options").each() {
			if o.get("isother").flag() {
				q.Options = append(q.Options, "Other")
			} else {
				q.Options = append(q.Options, o.get("value").text())
			}
		}
	case scale.Value != nil:
		kind, q.Min, q.Max = "scale", scale.get("low").whole(), scale.get("high", "ratingscalelevel").whole()
		if q.Min == nil && v.has("scalequestion") {
			q.Min = new(0) // which the API leaves out
		}
	case v.has("datequestion") || v.has("timequestion"):
		kind = "date"
	}
	q.settle(kind)
	return q
}

// trimmed drops the first section where a page break came before any question.
func (f *Form) trimmed() *Form {
	if len(f.Sections) > 1 && len(f.Sections[0].Questions) == 0 && f.Sections[0].Title == "" {
		f.Sections = f.Sections[1:]
	}
	return f
}

func isMicrosoft(v value) bool {
	list := v.get("questions").each()
	return len(list) > 0 && (list[0].has("questioninfo") || strings.HasPrefix(list[0].get("type").text(), "Question."))
}

// microsoftTypes are the types whose names mean something else, or nothing, elsewhere.
var microsoftTypes = map[string]string{"matrixchoicegroup": "matrix", "likert": "matrix"}

// microsoft reads a form in the shape in which Microsoft Forms hands it to its own pages: questions
// with an order, a type such as Question.Choice, and questionInfo, which is JSON in a string.
func microsoft(v value) *Form {
	f := &Form{Title: titleOf(v), Description: descriptionOf(v), Sections: []Section{{}}}
	questions := v.get("questions").each()
	slices.SortStableFunc(questions, func(a, b value) int {
		x, _ := strconv.ParseFloat(a.get("order").text(), 64) // 0 where there is none
		y, _ := strconv.ParseFloat(b.get("order").text(), 64)
		return int(max(-1, min(1, x-y)))
	})
	for _, item := range questions {
		kind := squash(strings.TrimPrefix(item.get("type").text(), "Question."))
		if strings.HasPrefix(kind, "section") || kind == "columngroup" {
			f.Sections = append(f.Sections, Section{Title: titleOf(item), Description: item.get("subtitle", "description").text()})
			continue
		}
		info := item.get("questioninfo")
		if info.is(loose.String) {
			if found := loose.Find(info.Text); len(found) > 0 {
				info = value{&found[0]}
			}
		}
		f.loose(microsoftQuestion(kind, item, info))
	}
	return f.trimmed()
}

func microsoftQuestion(kind string, item, info value) Question {
	q := Question{
		Text: titleOf(item), Help: item.get("subtitle", "description").text(), Required: item.get("required").flag(),
		Rows: item.get("rows").texts(), Max: info.get("length").whole(),
	}
	for _, c := range info.get("choices").each() {
		q.Options = append(q.Options, c.get("description", "formsprodisplayrtftext", "value").text())
	}
	if info.get("allowotheranswer").flag() {
		q.Options = append(q.Options, "Other")
	}
	if q.Rows == nil {
		q.Rows = info.get("rows", "statements").texts()
	}
	if q.Options == nil {
		q.Options = info.get("columns", "options").texts()
	}
	several := info.get("choicetype").text() == "2" || info.get("allowmultipleanswers", "ismultiplechoice").flag()
	switch {
	case kind == "choice" && several:
		kind = "multiple"
	case kind == "nps" && q.Max == nil:
		q.Min, q.Max = new(0), new(10)
	case microsoftTypes[kind] != "":
		kind = microsoftTypes[kind]
	}
	q.settle(kind)
	return q
}

func isMonkey(v value) bool {
	for _, page := range v.get("pages").each() {
		for _, q := range page.get("questions").each() {
			return q.has("family") || q.has("headings")
		}
	}
	return false
}

// monkey reads a survey as SurveyMonkey's API returns its details: pages of questions, each with
// headings, family, subtype and answers.
func monkey(v value) *Form {
	f := &Form{Title: v.get("title", "nickname").text(), Description: descriptionOf(v)}
	for _, page := range v.get("pages").each() {
		s := Section{Title: page.get("title").text(), Description: page.get("description").text()}
		for _, q := range page.get("questions").each() {
			s.Questions = append(s.Questions, monkeyQuestion(q))
		}
		f.Sections = append(f.Sections, s)
	}
	return f
}

func monkeyQuestion(v value) Question {
	required := v.get("required") // an object that says how, or false
	q := Question{Text: v.get("heading").text(), Required: required.Value != nil && required.Text != "false"}
	for _, h := range v.get("headings").each() {
		if q.Text == "" {
			q.Text = h.get("heading").text()
		}
	}
	answers := v.get("answers")
	q.Options, q.Rows = answers.get("choices").texts(), answers.get("rows").texts()
	if answers.has("other") {
		q.Options = append(q.Options, "Other")
	}
	kind := v.get("family").text()
	switch both := kind + " " + v.get("subtype").text(); {
	case both == "matrix ranking":
		kind, q.Options, q.Rows = "ranking", q.Rows, nil
	case both == "matrix rating" && len(q.Rows) <= 1:
		kind, q.Rows = "rating", nil
	case both == "open_ended numerical":
		kind, q.Rows = "number", nil
	case kind == "open_ended" || kind == "demographic":
		kind, q.Rows = "text", nil
	case kind == "datetime":
		q.Rows = nil
	}
	q.settle(kind)
	return q
}
