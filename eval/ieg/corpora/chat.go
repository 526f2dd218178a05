package corpora

import (
	"cmp"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/characters"
	"parley/eval/ieg"
)

// TierRolled is the tier of labels that a log holds itself: it shows who rolled which skill.
const TierRolled = "rolled"

// pause is the time without an entry after which another session begins.
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

// aside is how people say something out of character where a program has no way for it: "(( back soon ))", "ooc: tea?".
var aside = regexp.MustCompile(`(?i)^(\(\(.*\)\)|[\[(]?ooc\b.*)$`)

// post is an entry of a chat before it is known who is who.
type post struct {
	number int
	at     time.Duration
	user   string // the account
	name   string // as the chat shows it
	actor  string // the character, by id or by name
	called string // what the log says that the character is called; empty: as the message shows
	gm     bool   // the log says that the account leads the game
	speech bool   // it is said or done in the game
	ooc    bool   // said out of character
	text   string
	skill  characters.Skill
	leave  string // why it is not used; empty: it is
}

// seats say who is who in a chat. An account leads the game, or it plays the character that it speaks
// for most; a character is known by its actor, whatever it is called in a message.
type seats struct {
	file   *File
	gms    map[string]bool
	names  map[string][]string // by actor: what it was called, first things first
	actors map[string][]string // by account: the actors that it spoke for
	player map[string]bool     // actors that an account of a player spoke for
}

func (f *File) seats(posts []post) *seats {
	s := &seats{f, map[string]bool{}, map[string][]string{}, map[string][]string{}, map[string]bool{}}
	byName := false
	for i := range posts {
		p := &posts[i]
		named := f.People.dm(p.name, p.user)
		if p.user != "" && (p.gm || named) {
			byName = byName || !p.gm && len(f.People.DMs) == 0
			s.gms[p.user] = true
		}
	}
	if byName {
		f.Tally.note("%s: the Gamemaster is known by a name alone: name the DM in a names file if another one leads the game", f.Name)
	}
	for i := range posts {
		p := &posts[i]
		if p.actor == "" {
			continue
		}
		s.names[p.actor] = append(s.names[p.actor], cmp.Or(p.called, p.name, p.actor))
		s.actors[p.user] = append(s.actors[p.user], p.actor)
		s.player[p.actor] = s.player[p.actor] || !p.gm && !s.gms[p.user] && !f.People.dm(p.name)
	}
	return s
}

// speaker returns whose words or roll a post is, and whether that is certain.
func (s *seats) speaker(p *post) (name string, sure bool) {
	people := &s.file.People
	if c, ok := people.character(p.name, p.actor); ok && !people.dm(p.name) {
		return c, true
	}
	character := p.actor
	dm := p.gm || s.gms[p.user] || people.dm(p.name)
	if dm && (character == "" || !s.player[character]) {
		return ieg.DM, true
	}
	if c, ok := people.character(p.user); ok && character == "" {
		return c, true
	}
	if character == "" {
		character = s.of(p)
	}
	if character == "" {
		return p.name, false
	}
	name = s.names[character][0] // later it may be in disguise
	if c, ok := people.character(append(slices.Clone(s.names[character]), character)...); ok {
		name = c
	}
	return name, true
}

// of returns the actor that a post without one belongs to: the one of its account that is called as the
// post's author, else the one that the account speaks for most; without an account, the only one that
// is called so.
func (s *seats) of(p *post) string {
	alike := func(actor string) bool {
		return slices.ContainsFunc(append(s.names[actor], actor), func(known string) bool {
			first, _, _ := strings.Cut(known, " ")
			return p.name != "" && (strings.EqualFold(known, p.name) || strings.EqualFold(first, p.name))
		})
	}
	if p.user != "" {
		own := s.actors[p.user]
		if i := slices.IndexFunc(own, alike); i >= 0 {
			return own[i]
		}
		return commonest(own)
	}
	found := ""
	for actor := range s.names {
		if alike(actor) {
			if found != "" {
				return ""
			}
			found = actor
		}
	}
	return found
}

// chat makes messages of posts and counts what becomes of them.
func (f *File) chat(posts []post) []message {
	s := f.seats(posts)
	narrates := slices.ContainsFunc(posts, func(p post) bool {
		name, _ := s.speaker(&p)
		return name == ieg.DM && p.speech && p.leave == "" && !p.ooc
	})
	var out []message
	for i := range posts {
		p := &posts[i]
		if p.leave != "" {
			f.Tally.leave(p.leave)
			continue
		}
		name, sure := s.speaker(p)
		switch {
		case (p.ooc && (name != ieg.DM || narrates)) || p.speech && aside.MatchString(p.text):
			f.Tally.leave("said out of character")
			continue
		case name == "":
			f.Tally.leave("a message without a speaker: it has neither a name nor a known account")
			continue
		case !sure:
			f.Tally.unknown(name)
		}
		m := message{number: p.number, at: p.at, speaker: name, skill: p.skill}
		if p.speech {
			m.text = p.text
		}
		if m.text != "" || m.skill != "" {
			out = append(out, m)
		}
		f.Tally.met(cmp.Or(p.name, p.actor), name == ieg.DM)
	}
	return out
}

// windows makes windows of a chat log, session by session: up to 30 lines before a roll for a skill,
// and the rolls within reach of it. A line that names that very check, and what follows it, stays out
// of the window: it would give the label away.
func (f *File) windows(source string, messages []message) iter.Seq2[ieg.Interaction, error] {
	return func(yield func(ieg.Interaction, error) bool) {
		s := session{file: f, source: source}
		for i := range messages {
			m := &messages[i]
			if s.over(m) {
				if !s.yield(yield) {
					return
				}
				s = session{file: f, source: source, number: s.number + 1}
			}
			s.add(m)
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

// roll is a check that was rolled after so many lines.
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
	return m.session == "" && s.last != 0 && m.at-s.last >= pause
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
		s.file.Tally.use("a line of speech")
	}
	if m.skill == "" {
		return
	}
	switch {
	case m.speaker == ieg.DM:
		s.file.Tally.leave("a roll of the DM")
	case !s.plays(m.speaker):
		s.file.Tally.leave("a roll of a speaker that is no character of the names file")
	default:
		s.file.Tally.use("a roll for a skill")
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
	if s.file.Stretch {
		x := ieg.Interaction{Group: s.group(), Tier: TierRolled, Source: s.source, Cast: s.cast}
		for _, x := range s.file.stretches(x, s.lines, s.rolls, nil) {
			if !yield(x, nil) {
				return false
			}
		}
		return true
	}
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
			s.file.Tally.leave(wholeTable)
			continue
		case end == 0:
			s.file.Tally.leave(noContext)
			continue
		}
		x := ieg.Interaction{
			ID: fmt.Sprintf("%s:%s:%d", s.source, s.group(), first.number), Group: s.group(), Tier: TierRolled, Source: s.source,
			Cast: slices.Clone(s.cast), Lines: slices.Clone(s.lines[max(0, end-maxLines):end]), Intentions: set,
		}
		if !yield(x, nil) {
			return false
		}
	}
	return true
}

// end returns where the window of a roll ends: before the first of the last lines that names a check of
// the label.
func (s *session) end(at int, set []ieg.Intention) int {
	for i := max(0, at-reach); i < at; i++ {
		if slices.ContainsFunc(set, func(t ieg.Intention) bool { return tells(s.lines[i].Text, t.Skill) }) {
			return i
		}
	}
	return at
}
