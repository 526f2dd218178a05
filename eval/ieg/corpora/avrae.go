package corpora

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"parley/characters"
	"parley/eval/ieg"
)

// longest is the most that one line of a log may hold, in bytes. The state of a large fight is some
// hundred kilobytes.
const longest = 32 << 20

// bot is the account of Avrae.
const bot = "261302296103747584"

// event is an entry of Avrae's recording of a fight, as FIREBALL has them, as far as it matters here.
type event struct {
	number  int             // line
	Combat  string          `json:"combat_id"`
	Type    string          `json:"event_type"`
	Time    json.RawMessage `json:"timestamp"` // seconds, or a date
	Message ident           `json:"message_id"`
	Author  ident           `json:"author_id"`
	Name    string          `json:"author_name"`
	IsBot   bool            `json:"author_bot"`
	Content string          `json:"content"`
	Prefix  string          `json:"prefix"`
	Command string          `json:"command_name"`
	Caster  *struct {
		Name string `json:"name"`
	} `json:"caster"`
	Data *struct {
		DM         ident       `json:"dm"`
		Combatants []combatant `json:"combatants"`
	} `json:"data"`
}

// combatant is who fights, as a state of the fight lists it.
type combatant struct {
	Name       string      `json:"name"`
	Type       string      `json:"type"` // player, monster, common, group
	Controller ident       `json:"controller"`
	Owner      ident       `json:"controller_id"` // the same in later versions
	Members    []combatant `json:"combatants"`    // of a group
}

// ident is an account or message, which recordings write as a number or as a string.
type ident string

func (i *ident) UnmarshalJSON(data []byte) error {
	*i = ident(bytes.Trim(data, `"`))
	if *i == "null" {
		*i = ""
	}
	return nil
}

// checkCommands are the commands that roll a skill check, without "init" before them.
var checkCommands = map[string]bool{"check": true, "c": true, "offturncheck": true, "oc": true}

// castCommands are the commands that cast a spell: a deed, and no skill check.
var castCommands = map[string]bool{"cast": true, "reactcast": true, "rc": true}

// Avrae reads a recording of Avrae, one event a line: messages, the commands in them with their
// casters, and states of the fight, which say who plays whom. A check is a command such as "!check
// stealth" or "!c percep adv"; its caster tries. A spell that is cast is a line of its caster. What
// the bot says, and commands as they are typed, the table does not hear. FIREBALL's own turns, which
// are cut from such recordings, are read too.
func Avrae(f File) iter.Seq2[ieg.Interaction, error] {
	r, err := f.open()
	if err != nil {
		return failed(err)
	}
	b := bufio.NewReaderSize(r, 1<<20)
	head, _ := b.Peek(1 << 20)
	if first, _, _ := bytes.Cut(head, []byte("\n")); bytes.Contains(first, []byte(`"commands_norm"`)) {
		return f.fireball(b)
	}
	return f.windows("avrae", func(yield func(message, error) bool) {
		s := fight{file: &f, who: owners{people: f.People, character: map[string]string{}}}
		n := 0
		for line, err := range linesOf(b) {
			n++
			if err == nil && len(line) == 0 {
				continue
			}
			e := &event{number: n}
			if err == nil {
				err = parse(line, e)
			}
			if err == nil && e.Type == "" {
				err = errors.New("this is no recording of Avrae: the line has no event_type")
			}
			if err != nil {
				yield(message{}, fmt.Errorf("%s:%d: read log: %w", f.Name, n, err))
				return
			}
			if len(s.events) > 0 && s.events[0].Combat != e.Combat && !s.yield(yield) {
				return
			}
			s.add(e)
		}
		s.yield(yield)
	})
}

// fight is what one fight's events hold of interest. They are held back until it ends, since who
// plays whom is recorded after the first things that are said.
type fight struct {
	file   *File
	who    owners
	events []*event
}

func (s *fight) add(e *event) {
	switch e.Type {
	case "combat_state_update":
		s.who.learn(e)
	case "message", "command":
		s.events = append(s.events, e)
		if e.Caster != nil && e.Type == "command" {
			s.who.plays(string(e.Author), e.Caster.Name)
		}
	}
}

// yield hands over the messages of the fight, and says whether to go on.
func (s *fight) yield(yield func(message, error) bool) bool {
	commands := map[string]bool{}
	for _, e := range s.events {
		if m, ok := e.message(&s.who, commands, s.file.Unused); ok && !yield(m, nil) {
			return false
		}
	}
	s.events, s.who.character, s.who.dm = nil, map[string]string{}, ""
	return true
}

// message is what the table gets of an event.
func (e *event) message(who *owners, commands map[string]bool, unused Unused) (message, bool) {
	m := message{number: e.number, at: e.when(), session: e.Combat}
	switch e.Type {
	case "message":
		if e.IsBot || string(e.Author) == bot || commandish(e.Content) {
			return m, false
		}
		m.speaker, m.text = who.name(e), plain(e.Content)
		return m, m.text != "" && m.speaker != ""
	case "command":
		// The same command can be recorded for a message and for its alias.
		if id := string(e.Message); id != "" {
			id += " " + e.Content
			if commands[id] {
				return m, false
			}
			commands[id] = true
		}
		name, args := e.command()
		m.speaker = who.name(e)
		if e.Caster != nil && strings.TrimSpace(e.Caster.Name) != "" && m.speaker != ieg.DM { // a DM rolls for monsters
			m.speaker = strings.TrimSpace(e.Caster.Name)
		}
		switch {
		case m.speaker == "":
			unused.add("a command of nobody: it has neither a caster nor an author")
		case castCommands[name]:
			unused.add("a spell: no skill check")
			if spell := words(args); spell != "" {
				m.text = m.speaker + " casts " + spell + "."
				return m, true
			}
		case !checkCommands[name]:
			unused.add("another command than check and cast")
		default:
			skill, ok := argued(args)
			if !ok {
				unused.add("a check that names no skill")
				return m, false
			}
			m.skill = skill
			return m, true
		}
	}
	return m, false
}

// command returns a command's name without "init", in lower case, and its arguments.
func (e *event) command() (name string, args []string) {
	fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(e.Content), e.Prefix))
	if e.Prefix == "" && len(fields) > 0 {
		fields[0] = strings.TrimLeft(fields[0], "!$%^&/]")
	}
	for len(fields) > 0 {
		first := strings.ToLower(fields[0])
		fields = fields[1:]
		if first != "init" && first != "i" && first != "initiative" {
			name = first
			break
		}
	}
	// An alias calls the command by another name; the recording knows which.
	if full := strings.Fields(strings.ToLower(e.Command)); len(full) > 0 {
		name = full[len(full)-1]
	}
	return name, fields
}

// argued returns the skill that the arguments of a check name, in one word or more: "sleight",
// "animal handling", "\"sleight of hand\" adv -b 2".
func argued(args []string) (characters.Skill, bool) {
	for n := min(3, len(args)); n > 0; n-- {
		name := strings.Trim(strings.Join(args[:n], " "), `"'`)
		if skill, ok := characters.ParseSkill(name); ok {
			return skill, true
		}
		if skill, ok := short[strings.ToLower(name)]; ok {
			return skill, true
		}
		// Avrae takes the beginning of a name, too.
		if n == 1 && len(name) >= 3 {
			var found characters.Skill
			for _, s := range characters.Skills() {
				if strings.HasPrefix(strings.ToLower(string(s)), strings.ToLower(name)) {
					if found != "" {
						return "", false
					}
					found = s
				}
			}
			return found, found != ""
		}
	}
	return "", false
}

// words are the arguments of a spell up to its first option.
func words(args []string) string {
	var kept []string
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			break
		}
		kept = append(kept, strings.Trim(a, `"'“”`))
	}
	return strings.Join(kept, " ")
}

// commandish reports whether a message is meant for a bot.
func commandish(text string) bool {
	return strings.HasPrefix(text, "a!") || text != "" && strings.ContainsAny(text[:1], "!$%^&/]")
}

// when is the time of an event.
func (e *event) when() time.Duration {
	var seconds float64
	if json.Unmarshal(e.Time, &seconds) == nil && seconds > 0 && seconds < 1e11 {
		return time.Duration(seconds*1e3) * time.Millisecond
	}
	var date time.Time
	if json.Unmarshal(e.Time, &date) == nil && date.Year() > 1970 && date.Year() < 2200 {
		return time.Duration(date.UnixMilli()) * time.Millisecond
	}
	return 0
}

// owners knows whose words a message is: those of the character that its author plays.
type owners struct {
	people    People
	character map[string]string // by author
	dm        string
}

// plays notes that an author has a character. An author with several speaks in its own name.
func (o *owners) plays(author, name string) {
	name = strings.TrimSpace(name)
	if author == "" || name == "" {
		return
	}
	if other, known := o.character[author]; known && other != name {
		name = ""
	}
	o.character[author] = name
}

// learn reads who plays whom off a state of the fight.
func (o *owners) learn(e *event) {
	if e.Data == nil {
		return
	}
	o.dm = cmp.Or(string(e.Data.DM), o.dm)
	var each func([]combatant)
	each = func(list []combatant) {
		for _, c := range list {
			owner := cmp.Or(string(c.Controller), string(c.Owner))
			if c.Type == "player" && owner != o.dm {
				o.plays(owner, c.Name)
			}
			each(c.Members)
		}
	}
	each(e.Data.Combatants)
}

// name returns who speaks in a message.
func (o *owners) name(e *event) string {
	author := string(e.Author)
	name := strings.TrimSpace(e.Name)
	if o.people.dm(name) || author != "" && (author == o.dm || o.people.dm(author)) {
		return ieg.DM
	}
	for _, known := range []string{name, author} {
		if c, ok := o.people.character(known); ok {
			return c
		}
	}
	if c := o.character[author]; c != "" {
		return c
	}
	return name
}

// parse reads one JSON object that is all of a line.
func parse(line []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(line))
	if err := dec.Decode(into); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("the line is cut off")
		}
		return err
	}
	if len(bytes.TrimSpace(line[dec.InputOffset():])) > 0 {
		return errors.New("something follows the object")
	}
	return nil
}

// linesOf yields the lines of a log without the blanks around them; some are empty.
func linesOf(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		s := bufio.NewScanner(r)
		s.Buffer(make([]byte, 1<<16), longest)
		for s.Scan() {
			if !yield(bytes.TrimSpace(s.Bytes()), nil) {
				return
			}
		}
		if errors.Is(s.Err(), bufio.ErrTooLong) {
			yield(nil, fmt.Errorf("the line is longer than %d MiB", longest>>20))
		} else if s.Err() != nil {
			yield(nil, s.Err())
		}
	}
}
