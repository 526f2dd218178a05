package corpora

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"parley/characters"
	"parley/eval/ieg"
)

// TierRolled is the tier of labels that a log holds itself: it shows who rolled which skill.
const TierRolled = "rolled"

// pause is how long nothing happens in a log before what follows is another session.
const pause = 6 * time.Hour

// message is one entry of a chat log that knows of rolls.
type message struct {
	number  int           // position in the file, from 1; part of the window's id
	at      time.Duration // since any fixed moment; 0: not known
	session string        // where the log says which; else sessions are told apart by pauses
	speaker string        // a character, or ieg.DM
	text    string        // what the table hears; empty: nothing
	skill   characters.Skill
}

// windows makes windows of a chat log, session by session: up to 30 lines before a roll for a skill,
// and the rolls within reach of it. A line that asks for that very skill, and what follows it, stays
// out of the window: it would give the label away.
func (f *File) windows(source string, messages iter.Seq2[message, error]) iter.Seq2[ieg.Interaction, error] {
	return func(yield func(ieg.Interaction, error) bool) {
		s := session{file: f, source: source}
		for m, err := range messages {
			if err != nil {
				yield(ieg.Interaction{}, err)
				return
			}
			if s.over(&m) {
				if !s.yield(yield) {
					return
				}
				s = session{file: f, source: source, number: s.number + 1}
			}
			s.add(&m)
		}
		s.yield(yield)
	}
}

// session is a sitting of a chat log.
type session struct {
	file   *File
	source string
	number int // from 0
	id     string
	last   time.Duration
	any    bool
	lines  []ieg.Line
	rolls  []roll
	cast   []string
}

// roll is a check that somebody rolled after so many lines.
type roll struct {
	number, after int
	who           string
	skill         characters.Skill
}

// over reports whether the message opens another session.
func (s *session) over(m *message) bool {
	if !s.any {
		return false
	}
	if m.session != s.id {
		return true
	}
	return m.session == "" && m.at != 0 && s.last != 0 && m.at-s.last >= pause
}

func (s *session) add(m *message) {
	s.any, s.id = true, m.session
	if m.at != 0 {
		s.last = m.at
	}
	if m.speaker != ieg.DM && !slices.Contains(s.cast, m.speaker) && s.plays(m.speaker) {
		s.cast = append(s.cast, m.speaker)
	}
	if m.text != "" {
		s.lines = append(s.lines, ieg.Line{Speaker: m.speaker, Text: m.text})
	}
	if m.skill == "" {
		return
	}
	switch {
	case m.speaker == ieg.DM:
		s.file.Unused.add("a roll of the DM")
	case !s.plays(m.speaker):
		s.file.Unused.add("a roll of somebody whom the names file does not list as a character")
	default:
		s.rolls = append(s.rolls, roll{m.number, len(s.lines), m.speaker, m.skill})
	}
}

// plays reports whether a speaker is a player's character: one of those in the names file, and
// without one everybody but the DM.
func (s *session) plays(speaker string) bool {
	if len(s.file.People.Players) == 0 {
		return true
	}
	for _, c := range s.file.People.Players {
		if c == speaker {
			return true
		}
	}
	return false
}

// group names the session.
func (s *session) group() string {
	switch {
	case s.id != "":
		return s.id
	case s.number == 0:
		return s.file.Group
	}
	return fmt.Sprintf("%s#%d", s.file.Group, s.number+1)
}

// yield hands over the session's windows, and says whether to go on.
func (s *session) yield(yield func(ieg.Interaction, error) bool) bool {
	slices.Sort(s.cast)
	for i := 0; i < len(s.rolls); {
		first := s.rolls[i]
		var requests []request
		for ; i < len(s.rolls) && s.rolls[i].after-first.after <= reach; i++ {
			requests = append(requests, request{skill: s.rolls[i].skill, who: []string{s.rolls[i].who}})
		}
		set, _, ok := label(requests)
		end := s.end(first.after, set)
		switch {
		case !ok:
			s.file.Unused.add(everybody)
			continue
		case end == 0:
			s.file.Unused.add(nothing)
			continue
		}
		x := ieg.Interaction{
			ID: fmt.Sprintf("%s:%s:%d", s.source, s.group(), first.number), Group: s.group(), Tier: TierRolled, Source: s.source,
			Cast: slices.Clone(s.cast), Lines: slices.Clone(s.lines[max(0, end-context):end]), Intentions: set,
		}
		if !yield(x, nil) {
			return false
		}
	}
	return true
}

// end is where the window of a roll ends: before the first of the last lines that asks for a skill of
// the label.
func (s *session) end(at int, set []ieg.Intention) int {
	for i := max(0, at-reach); i < at; i++ {
		skill, ok := Asks(s.lines[i].Text)
		if ok && slices.ContainsFunc(set, func(t ieg.Intention) bool { return t.Skill == skill }) {
			return i
		}
	}
	return at
}
