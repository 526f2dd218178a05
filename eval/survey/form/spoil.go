package form

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// OffTopic is a section about something else. It takes a reader to see that: Check never finds it, and
// Spoil can plant it.
const OffTopic Rule = "off-topic"

// Spoil returns a copy of a form with one fault planted that the rule names, and where. It is false
// where the form has no place for such a fault. It is for measuring: of checks, and of agents.
func Spoil(f *Form, rule Rule, r *rand.Rand) (spoiled *Form, where string, ok bool) {
	s := &spoiler{f: f.Clone(), r: r}
	plant := map[Rule]func() (spot, bool){
		Schema: s.schema, DuplicateQuestion: s.duplicate, DuplicateOption: s.option, SingleOption: s.lonely, Overlap: s.overlap,
		Unbalanced: s.lopsided, DoubleBarrelled: s.double, Leading: s.lead, Loaded: s.load, MissingOther: s.closed,
		ReadingLevel: s.hard, Numbering: s.number, Spelling: s.misspell, OffTopic: s.stray,
	}[rule]
	if plant == nil {
		return nil, "", false
	}
	at, ok := plant()
	return s.f, at.String(), ok
}

type spoiler struct {
	f *Form
	r *rand.Rand
}

// pick draws one of the questions that fit.
func (s *spoiler) pick(fits func(*Question) bool) (*Question, spot, bool) {
	var list []*Question
	var spots []spot
	n := 0
	for i := range s.f.Sections {
		for j := range s.f.Sections[i].Questions {
			n++
			if q := &s.f.Sections[i].Questions[j]; fits(q) {
				list, spots = append(list, q), append(spots, spot{section: i + 1, question: n})
			}
		}
	}
	if list == nil {
		return nil, spot{}, false
	}
	k := s.r.IntN(len(list))
	return list[k], spots[k], true
}

func (s *spoiler) one(texts ...string) string { return texts[s.r.IntN(len(texts))] }

// add puts a question behind all others.
func (s *spoiler) add(q Question) spot {
	last := &s.f.Sections[len(s.f.Sections)-1]
	n := s.f.Questions() + 1
	q.Number = fmt.Sprint(n)
	last.Questions = append(last.Questions, q)
	return spot{section: len(s.f.Sections), question: n}
}

func (s *spoiler) schema() (spot, bool) {
	switch s.r.IntN(4) {
	case 0:
		s.f.Title = ""
		return spot{}, true
	case 1:
		q, at, ok := s.pick(func(*Question) bool { return true })
		if ok {
			q.Text = ""
		}
		return at, ok
	case 2:
		q, at, ok := s.pick((*Question).Choice)
		if ok {
			q.Options = nil
		}
		return at, ok
	}
	q, at, ok := s.pick(func(q *Question) bool { return len(q.Options) > 2 })
	if ok {
		at.option = 1 + s.r.IntN(len(q.Options))
		q.Options[at.option-1] = " "
	}
	return at, ok
}

func (s *spoiler) duplicate() (spot, bool) {
	q, _, ok := s.pick(func(q *Question) bool { return len(tokens(q.Text)) > 4 })
	if !ok {
		return spot{}, false
	}
	twin := *q
	body := strings.TrimRight(q.Text, "?. ")
	low := strings.ToLower(body[:1]) + body[1:]
	twin.Text = s.one(q.Text, strings.ToUpper(q.Text), "Please tell us: "+low+"?", "In your opinion, "+low+"?", body+", generally?", "And once more: "+low+"?")
	return s.add(twin), true
}

func (s *spoiler) option() (spot, bool) {
	q, at, ok := s.pick(func(q *Question) bool { return q.Choice() && len(q.Options) > 1 })
	if !ok {
		return at, false
	}
	o := q.Options[s.r.IntN(len(q.Options))]
	q.Options = append(q.Options, s.one(o, strings.ToUpper(o), strings.ToLower(o)+".", "The "+o))
	at.option = len(q.Options)
	return at, true
}

func (s *spoiler) lonely() (spot, bool) {
	q, at, ok := s.pick(func(q *Question) bool { return q.Choice() && len(q.Options) > 1 })
	if ok {
		q.Options = q.Options[:1]
	}
	return at, ok
}

func (s *spoiler) overlap() (spot, bool) {
	unit := s.one("", " years", " hours", " euros")
	low := 5 + s.r.IntN(20)
	step := 5 + s.r.IntN(20)
	q := Question{Text: "Which of these fits you?", Type: Single}
	for i := range 4 {
		q.Options = append(q.Options, fmt.Sprintf("%d%s%d%s", low+i*step, s.one("-", " - ", "–", " to "), low+(i+1)*step, unit))
	}
	at := s.add(q)
	at.option = 2
	return at, true
}

func (s *spoiler) lopsided() (spot, bool) {
	q, at, ok := s.pick(func(q *Question) bool {
		low, high, ok := balance(q.Options)
		return ok && low == high && low > 1
	})
	if ok {
		q.Options = q.Options[1:]
	}
	return at, ok
}

func (s *spoiler) double() (spot, bool) {
	q, at, ok := s.pick(func(q *Question) bool { return q.Type == Rating || q.Type == Likert })
	if ok {
		end := q.Text[len(q.Text)-1:]
		q.Text = strings.TrimRight(q.Text, "?.") + s.one(" and the price", " as well as the service", " and how the staff behaved", " and your neighbours")
		if end == "?" || end == "." {
			q.Text += end
		}
	}
	return at, ok
}

func (s *spoiler) lead() (spot, bool) {
	q, at, ok := s.pick(func(*Question) bool { return true })
	if ok {
		body := strings.TrimRight(q.Text, "?.")
		q.Text = s.one("Obviously this matters to you. "+q.Text, "Most people agree that we do this well. "+q.Text,
			body+" in our excellent programme?", body+", don't you agree?", "As everyone knows, we are the best. "+q.Text,
			"Wouldn't you say that all is well? "+q.Text, "Do you agree that this is wonderful? "+q.Text)
	}
	return at, ok
}

func (s *spoiler) load() (spot, bool) {
	q, at, ok := s.pick(func(*Question) bool { return true })
	if ok {
		q.Text = s.one("Even old people can answer this. ", "Normal people know the answer. ", "This is a question for real men. ",
			"Housewives may skip this one. ", "Think of those people next door. ") + q.Text
	}
	return at, ok
}

func (s *spoiler) closed() (spot, bool) {
	q, at, ok := s.pick(func(q *Question) bool {
		kept := withoutEscapes(q.Options)
		return q.Type == Multiple && len(kept) > 2 && len(kept) < len(q.Options) && !completeSet(kept) && !hasEscape(kept)
	})
	if ok {
		q.Options = withoutEscapes(q.Options)
	}
	return at, ok
}

func withoutEscapes(options []string) []string {
	return slices.DeleteFunc(slices.Clone(options), escapes.MatchString)
}

func (s *spoiler) hard() (spot, bool) {
	q, at, ok := s.pick(func(*Question) bool { return true })
	if ok {
		q.Text = s.one(
			"Notwithstanding considerations previously enumerated, to what extent does the organisation's operationalisation of participatory methodologies facilitate your individual prioritisation of communicative opportunities?",
			"Considering the multidimensional ramifications of infrastructural modernisation initiatives, please characterise comprehensively the comparative desirability of alternative implementation trajectories available to stakeholders.",
			"In accordance with applicable administrative regulations concerning documentation, indicate whether supplementary authorisation procedures necessitated additional organisational intervention throughout the aforementioned period.")
	}
	return at, ok
}

func (s *spoiler) number() (spot, bool) {
	q, at, ok := s.pick(func(q *Question) bool { return q.Number != "" && q.Number != "1" })
	if ok {
		q.Number = fmt.Sprint(at.question + s.r.IntN(2)*3 - 1)
	}
	return at, ok
}

func (s *spoiler) misspell() (spot, bool) {
	q, at, ok := s.pick(func(*Question) bool { return true })
	if ok {
		q.Help = s.one("You will recieve an answer.", "This is definately the last one.", "Answer untill Friday.", "We seperate the the answers.",
			"Leave it out if it is not neccessary.", "Your adress stays with us.", "Tell us what you beleive.")
	}
	return at, ok
}

func (s *spoiler) stray() (spot, bool) {
	n := s.f.Questions()
	title, first, second := "Space Travel", "Which planet would you like to visit?", "How heavy may a rocket be?"
	if s.r.IntN(2) == 0 {
		title, first, second = "Medieval Coins", "Which coin shows a lion?", "How pure was silver in the year 1300?"
	}
	s.f.Sections = append(s.f.Sections, Section{Title: title, Questions: []Question{
		{Number: fmt.Sprint(n + 1), Text: first, Type: Text}, {Number: fmt.Sprint(n + 2), Text: second, Type: Text},
	}})
	return spot{section: len(s.f.Sections)}, true
}
