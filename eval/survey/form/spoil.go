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
	switch rule {
	case Schema:
		s.schema()
	case DuplicateQuestion:
		s.duplicate()
	case Overlap:
		s.overlap()
	case OffTopic:
		s.stray()
	default:
		fault, known := faults[rule]
		if !known {
			return nil, "", false
		}
		s.change(fault.fits, func(q *Question) { fault.plant(s, q) })
	}
	return s.f, s.at.String(), s.done
}

// faults are those that a change of one question plants.
var faults = map[Rule]struct {
	fits  func(*Question) bool
	plant func(*spoiler, *Question)
}{
	DuplicateOption: {severalOptions, func(s *spoiler, q *Question) {
		o := q.Options[s.r.IntN(len(q.Options))]
		q.Options = append(q.Options, s.one(o, strings.ToUpper(o), strings.ToLower(o)+".", "The "+o))
		s.at.option = len(q.Options)
	}},
	SingleOption: {severalOptions, func(_ *spoiler, q *Question) { q.Options = q.Options[:1] }},
	Unbalanced: {func(q *Question) bool {
		low, high, ok := balance(q.Options)
		return ok && low == high && low > 1
	}, func(_ *spoiler, q *Question) { q.Options = q.Options[1:] }},
	DoubleBarrelled: {func(q *Question) bool { return q.Type == Rating || q.Type == Likert }, func(s *spoiler, q *Question) {
		body := strings.TrimRight(q.Text, "?.")
		q.Text = body + s.one(" and the price", " as well as the service", " and how the staff behaved", " and your neighbours") + q.Text[len(body):]
	}},
	Leading: {anyQuestion, func(s *spoiler, q *Question) {
		body := strings.TrimRight(q.Text, "?.")
		q.Text = s.one("Obviously this matters to you. "+q.Text, "Most people agree that we do this well. "+q.Text,
			body+" in our excellent programme?", body+", don't you agree?", "As everyone knows, we are the best. "+q.Text,
			"Wouldn't you say that all is well? "+q.Text, "Do you agree that this is wonderful? "+q.Text)
	}},
	Loaded: {anyQuestion, func(s *spoiler, q *Question) {
		q.Text = s.one("Even old people can answer this. ", "Normal people know the answer. ", "This is a question for real men. ",
			"Housewives may skip this one. ", "Think of those people next door. ") + q.Text
	}},
	MissingOther: {func(q *Question) bool {
		kept := withoutEscapes(q.Options)
		return q.Type == Multiple && len(kept) > 2 && len(kept) < len(q.Options) && !completeSet(kept) && !hasEscape(kept)
	}, func(_ *spoiler, q *Question) { q.Options = withoutEscapes(q.Options) }},
	ReadingLevel: {anyQuestion, func(s *spoiler, q *Question) {
		q.Text = s.one(
			"Notwithstanding considerations previously enumerated, to what extent does the organisation's operationalisation of participatory methodologies facilitate your individual prioritisation of communicative opportunities?",
			"Considering the multidimensional ramifications of infrastructural modernisation initiatives, please characterise comprehensively the comparative desirability of alternative implementation trajectories available to stakeholders.",
			"In accordance with applicable administrative regulations concerning documentation, indicate whether supplementary authorisation procedures necessitated additional organisational intervention throughout the aforementioned period.")
	}},
	Numbering: {func(q *Question) bool { return q.Number != "" && q.Number != "1" }, func(s *spoiler, q *Question) {
		q.Number = fmt.Sprint(s.at.question + s.r.IntN(2)*3 - 1)
	}},
	Spelling: {anyQuestion, func(s *spoiler, q *Question) {
		q.Help = s.one("You will recieve an answer.", "This is definately the last one.", "Answer untill Friday.", "We seperate the the answers.",
			"Leave it out if it is not neccessary.", "Your adress stays with us.", "Tell us what you beleive.")
	}},
}

func anyQuestion(*Question) bool { return true }

func severalOptions(q *Question) bool { return q.Choice() && len(q.Options) > 1 }

func withoutEscapes(options []string) []string {
	return slices.DeleteFunc(slices.Clone(options), escapes.MatchString)
}

// spoiler plants one fault.
type spoiler struct {
	f    *Form
	r    *rand.Rand
	at   spot // of the fault
	done bool
}

// change changes one of the questions that fit.
func (s *spoiler) change(fits func(*Question) bool, by func(*Question)) {
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
	if s.done = list != nil; s.done {
		k := s.r.IntN(len(list))
		s.at = spots[k]
		by(list[k])
	}
}

func (s *spoiler) one(texts ...string) string { return texts[s.r.IntN(len(texts))] }

// add puts a question behind all others.
func (s *spoiler) add(q Question) {
	n := s.f.Questions() + 1
	q.Number = fmt.Sprint(n)
	s.f.loose(q)
	s.at, s.done = spot{section: len(s.f.Sections), question: n}, true
}

func (s *spoiler) schema() {
	switch s.r.IntN(4) {
	case 0:
		s.f.Title, s.done = "", true
	case 1:
		s.change(anyQuestion, func(q *Question) { q.Text = "" })
	case 2:
		s.change((*Question).Choice, func(q *Question) { q.Options = nil })
	case 3:
		s.change(func(q *Question) bool { return len(q.Options) > 2 }, func(q *Question) {
			s.at.option = 1 + s.r.IntN(len(q.Options))
			q.Options[s.at.option-1] = " "
		})
	}
}

func (s *spoiler) duplicate() {
	s.change(func(q *Question) bool { return len(tokens(q.Text)) > 4 }, func(q *Question) {
		twin := *q
		body := strings.TrimRight(q.Text, "?. ")
		low := strings.ToLower(body[:1]) + body[1:]
		twin.Text = s.one(q.Text, strings.ToUpper(q.Text), "Please tell us: "+low+"?", "In your opinion, "+low+"?", body+", generally?", "And once more: "+low+"?")
		s.add(twin)
	})
}

func (s *spoiler) overlap() {
	unit := s.one("", " years", " hours", " euros")
	low, step := 5+s.r.IntN(20), 5+s.r.IntN(20)
	q := Question{Text: "Which of these fits you?", Type: Single}
	for i := range 4 {
		q.Options = append(q.Options, fmt.Sprintf("%d%s%d%s", low+i*step, s.one("-", " - ", "–", " to "), low+(i+1)*step, unit))
	}
	s.add(q)
	s.at.option = 2
}

func (s *spoiler) stray() {
	title, first, second := "Space Travel", "Which planet would you like to visit?", "How heavy may a rocket be?"
	if s.r.IntN(2) == 0 {
		title, first, second = "Medieval Coins", "Which coin shows a lion?", "How pure was silver in the year 1300?"
	}
	s.f.Sections = append(s.f.Sections, Section{Title: title})
	s.add(Question{Text: first, Type: Text})
	s.add(Question{Text: second, Type: Text})
	s.at = spot{section: len(s.f.Sections)}
}
