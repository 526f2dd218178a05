package form

import (
	"strconv"
	"strings"
)

// settle finds the type from how it is written, or else from what the question has.
func (q *Question) settle(written string) {
	if t, ok := typeOf(written); ok {
		q.Type = t
	} else {
		q.Written = written
		switch {
		case len(q.Rows) > 0 && len(q.Options) > 0:
			q.Type = Matrix
		case len(q.Options) > 0:
			q.Type = Single
		case q.Max != nil:
			q.Type = Rating
		default:
			q.Type = Text
		}
	}
	if q.Type == Rating && q.Max == nil {
		if low, high, ok := ends(q.Options); ok {
			q.Min, q.Max, q.Options = &low, &high, nil
		} else if len(q.Options) > 0 {
			q.Type = Likert // a rating in words
		}
	}
	if q.Type == Rating && q.Min == nil && q.Max != nil {
		one := 1
		q.Min = &one
	}
	if q.Type == Likert && len(q.Options) == 0 && q.Max != nil {
		q.Type = Rating
	}
	if q.Type != Rating {
		q.Min, q.Max = nil, nil
	}
}

// typeNames are the types in other words, without joints and without the word question.
var typeNames = map[Type]map[string]bool{
	Single: set(`single singlechoice singleselect radio radiobutton radiobuttons dropdown select dropdownlist
		multiplechoicesingleanswer truefalse yesno boolean choice choose pickone binary`),
	Multiple: set(`multiple multiplechoice multichoice multiselect checkbox checkboxes multipleselect multipleanswers
		multipleselection selectallthatapply checklist`),
	Rating: set(`rating scale linearscale ratingscale stars slider star starrating numericscale nps netpromoterscore`),
	Likert: set(`likert likertscale agreement`),
	Matrix: set(`matrix grid multiplechoicegrid matrixtable checkboxgrid likertmatrix matrixrating`),
	Text: set(`text shorttext longtext open openended freetext paragraph textarea shortanswer longanswer essay
		string input comment email phone telephone url file fileupload upload signature address textfield textentry email openend opentext shorttextanswer`),
	Number:  set(`number numeric integer numerical int`),
	Date:    set(`date time datetime datepicker`),
	Ranking: set(`ranking rank rankorder order`),
}

var joints = strings.NewReplacer("_", "", "-", "", " ", "", "/", "", ".", "")

// typeOf knows the types in other words.
func typeOf(written string) (Type, bool) {
	w := joints.Replace(strings.ToLower(written))
	w = strings.TrimSuffix(strings.TrimPrefix(w, "question"), "question")
	for _, t := range Types {
		if typeNames[t][w] {
			return t, true
		}
	}
	return "", false
}

// ends returns the ends of options that are whole numbers, one after the other.
func ends(options []string) (low, high int, ok bool) {
	if len(options) < 2 {
		return 0, 0, false
	}
	for i, o := range options {
		n, err := strconv.Atoi(strings.TrimSpace(o))
		if err != nil || (i > 0 && n != high+1) {
			return 0, 0, false
		}
		if i == 0 {
			low = n
		}
		high = n
	}
	return low, high, true
}

// spanOf reads "1-5", "1 to 10" and the like.
func spanOf(text string) (low, high *int) {
	var numbers []int
	for _, f := range strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' }) {
		if n, err := strconv.Atoi(f); err == nil {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) < 2 {
		return nil, nil
	}
	return &numbers[0], &numbers[1]
}
