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

	"parley/eval/ieg"
)

// maxLine is the most that one line of a log may hold, in bytes. The state of a large fight is some
// hundred kilobytes.
const maxLine = 32 << 20

// bot is the account of Avrae.
const bot = "261302296103747584"

// event is an entry of Avrae's recording of a fight, as FIREBALL has them, as far as it matters here.
type event struct {
	number  int             // line
	Combat  ident           `json:"combat_id"`
	Type    string          `json:"event_type"`
	Time    json.RawMessage `json:"timestamp"` // seconds, or a date
	Message ident           `json:"message_id"`
	Author  ident           `json:"author_id"`
	Name    string          `json:"author_name"`
	IsBot   bool            `json:"author_bot"`
	Content string          `json:"content"`
	After   string          `json:"content_after"` // of an alias: the command that it calls
	Prefix  string          `json:"prefix"`
	Command string          `json:"command_name"`
	Embeds  []struct {
		Title string `json:"title"`
	} `json:"embeds"`
	Caster *combatant `json:"caster"`
	Data   *struct {
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

// ident is an account or message, which recordings write as a number or as a string. It is kept as
// written: numbers of this size have no exact floating point form.
type ident string

func (i *ident) UnmarshalJSON(data []byte) error {
	*i = ident(bytes.Trim(data, `"`))
	if *i == "null" {
		*i = ""
	}
	return nil
}

// Avrae reads recordings of Avrae, one event a line or all in one list of JSON: messages, the commands in them with their
// casters, and states of the fight, which say who plays which character. A check is a command such as "!check
// stealth" or "!c percep adv"; its caster tries the skill that the bot's answer names, else the one that
// the command names. A spell that is cast is a line of its caster. What the bot says, and commands as
// they are typed, the table does not hear. A message counts as its last edit left it. The events of one fight are one group, from whatever files.
// FIREBALL's own turns, which are cut from such recordings, are read too.
func Avrae(files []File) iter.Seq2[ieg.Interaction, error] {
	return func(yield func(ieg.Interaction, error) bool) {
		rec := recording{owner: map[ident]ident{}, said: map[string]*event{}, fights: map[ident]*fight{}}
		for i := range files {
			f := &files[i]
			r, err := f.open()
			if err != nil {
				yield(ieg.Interaction{}, err)
				return
			}
			b := bufio.NewReaderSize(r, 1<<20)
			head, _ := b.Peek(1 << 20)
			if first, _, _ := bytes.Cut(head, []byte("\n")); bytes.Contains(first, []byte(`"commands_norm"`)) {
				if f.Stretch {
					yield(ieg.Interaction{}, fmt.Errorf("%s: FIREBALL's own turns are windows already: there are no stretches of play in them", f.Name))
					return
				}
				for x, err := range f.fireball(b) {
					if !yield(x, err) || err != nil {
						return
					}
				}
				continue
			}
			if err := rec.read(f, b); err != nil {
				yield(ieg.Interaction{}, err)
				return
			}
		}
		for _, id := range rec.order {
			for x, err := range rec.fights[id].file.windows("avrae", rec.fights[id].messages()) {
				if !yield(x, err) {
					return
				}
			}
		}
	}
}

// recording holds the fights of all files of an import.
type recording struct {
	lines  int // of the files before
	order  []ident
	fights map[ident]*fight
	owner  map[ident]ident   // the first fight that a message is recorded in
	said   map[string]*event // by type and message; commands also by content
}

// read reads the events of a file.
func (r *recording) read(f *File, b *bufio.Reader) error {
	n := 0
	records, place := linesOf(b), "%s:%d"
	if head, _ := b.Peek(1 << 10); bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n\ufeff"), []byte("[")) {
		records, place = valuesOf(b), "%s: record %d"
	}
	for line, err := range records {
		n++
		if err == nil && len(line) == 0 {
			continue
		}
		e := &event{number: r.lines + n}
		if err == nil {
			err = parse(line, e)
		}
		if err == nil && e.Type == "" {
			err = errors.New("this is no recording of Avrae: the record has no event_type")
		}
		if err != nil {
			return fmt.Errorf(place+": read log: %w", f.Name, n, err)
		}
		r.add(f, e)
	}
	r.lines += n
	return nil
}

// add gives an event to its fight. A message that is recorded in two fights belongs to the first.
func (r *recording) add(f *File, e *event) {
	s := r.fights[e.Combat]
	if s == nil {
		s = &fight{f, owners{people: f.People, character: map[string]string{}, kind: map[string]string{}}, nil, map[ident]bool{}, map[ident]bool{}, map[ident]string{}, map[string]bool{}}
		r.fights[e.Combat] = s
		r.order = append(r.order, e.Combat)
	} else if s.file.Name != f.Name {
		f.Tally.note("%s: fight %s goes on from %s", f.Name, e.Combat, s.file.Name)
	}
	if e.Message != "" {
		key := fmt.Sprint(e.Type, " ", e.Message)
		if e.Type != "message" { // one message may give several commands
			key += " " + e.Content
		}
		before := r.said[key]
		switch owner, known := r.owner[e.Message]; {
		case known && owner != e.Combat:
			f.Tally.leave("a message that is recorded in two fights: it stays in the first")
			return
		case before != nil && before.Content != e.Content:
			f.Tally.leave("an earlier state of a message that was edited")
			before.Content = e.Content
			return
		case before != nil:
			f.Tally.leave("an event that is recorded twice")
			return
		}
		r.owner[e.Message], r.said[key] = e.Combat, e
	}
	switch e.Type {
	case "combat_state_update":
		s.who.learn(e)
	case "alias_resolution":
		s.typed[e.Message], s.aliases[e.Message] = true, cmp.Or(e.After, s.aliases[e.Message])
		s.prefixes[e.Prefix] = true
		s.events = append(s.events, e)
	case "command":
		s.typed[e.Message], s.commands[e.Message] = true, true
		s.prefixes[e.Prefix] = true
		if c := e.caster(); c != "" {
			s.who.plays(string(e.Author), c)
		}
		s.events = append(s.events, e)
	case "message":
		s.events = append(s.events, e)
	}
}

// caster returns the name of whoever a command is given for; null is the author's own character.
func (e *event) caster() string {
	if e.Caster == nil {
		return ""
	}
	return strings.TrimSpace(e.Caster.Name)
}

func (e *event) bot() bool { return e.IsBot || string(e.Author) == bot }

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
		s.Buffer(make([]byte, 1<<16), maxLine)
		for first := true; s.Scan(); first = false {
			line := s.Bytes()
			if first {
				line = bytes.TrimPrefix(line, []byte("\ufeff"))
			}
			if !yield(bytes.TrimSpace(line), nil) {
				return
			}
		}
		if errors.Is(s.Err(), bufio.ErrTooLong) {
			yield(nil, fmt.Errorf("the line is longer than %d MiB", maxLine>>20))
		} else if s.Err() != nil {
			yield(nil, s.Err())
		}
	}
}

// valuesOf yields the elements of a list of JSON, or the values that follow each other.
func valuesOf(b *bufio.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		first, err := firstByte(b)
		if err == io.EOF {
			err = errors.New("the file is empty")
		}
		dec := json.NewDecoder(b)
		if first == '[' {
			_, err = dec.Token()
		}
		for err == nil && (first != '[' || dec.More()) {
			var value json.RawMessage
			if err = dec.Decode(&value); err == nil && !yield(value, nil) {
				return
			}
		}
		switch {
		case err == nil:
			_, err = dec.Token()
		case err == io.EOF && first != '[' && first != 0:
			err = nil
		}
		if err != nil {
			yield(nil, fmt.Errorf("byte %d: %w", dec.InputOffset(), cutOff(err)))
		}
	}
}
