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
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/characters"
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
	Combat  string          `json:"combat_id"`
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

// checkCommands are the commands that roll a skill check, without "init" before them.
var checkCommands = set("check c offturncheck oc")

// monsterCommands roll one for a monster that need not be in the fight.
var monsterCommands = set("monster_check mc mcheck moncheck")

// castCommands are the commands that cast a spell: a deed, and no skill check.
var castCommands = set("cast reactcast rc")

// shown is the title under which the bot shows a check: "Orla makes a Stealth check!".
var shown = regexp.MustCompile(`^(.{1,80}?) makes (?:an?|\d+) (.{1,60}?) checks?\b`)

// Avrae reads recordings of Avrae, one event a line: messages, the commands in them with their
// casters, and states of the fight, which say who plays which character. A check is a command such as "!check
// stealth" or "!c percep adv"; its caster tries the skill that the bot's answer names, else the one that
// the command names. A spell that is cast is a line of its caster. What the bot says, and commands as
// they are typed, the table does not hear. The events of one fight are one group, from whatever files.
// FIREBALL's own turns, which are cut from such recordings, are read too.
func Avrae(files []File) iter.Seq2[ieg.Interaction, error] {
	return func(yield func(ieg.Interaction, error) bool) {
		rec := recording{owner: map[ident]string{}, said: map[string]bool{}, fights: map[string]*fight{}}
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
	order  []string
	fights map[string]*fight
	owner  map[ident]string // the first fight that a message is recorded in
	said   map[string]bool  // events by type, message and content
}

// fight holds the events of one fight that matter here.
type fight struct {
	file     *File
	who      owners
	events   []*event
	commands map[ident]bool   // messages that are commands
	aliases  map[ident]string // the commands that aliases stand for, by message
	prefixes map[string]bool
}

// read reads the events of a file.
func (r *recording) read(f *File, b io.Reader) error {
	n := 0
	for line, err := range linesOf(b) {
		n++
		if err == nil && len(line) == 0 {
			continue
		}
		e := &event{number: r.lines + n}
		if err == nil {
			err = parse(line, e)
		}
		if err == nil && e.Type == "" {
			err = errors.New("this is no recording of Avrae: the line has no event_type")
		}
		if err != nil {
			return fmt.Errorf("%s:%d: read log: %w", f.Name, n, err)
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
		s = &fight{f, owners{people: f.People, character: map[string]string{}, kind: map[string]string{}}, nil, map[ident]bool{}, map[ident]string{}, map[string]bool{}}
		r.fights[e.Combat] = s
		r.order = append(r.order, e.Combat)
	} else if s.file.Name != f.Name {
		f.Tally.note("%s: fight %s goes on from %s", f.Name, e.Combat, s.file.Name)
	}
	if e.Message != "" {
		key := fmt.Sprint(e.Type, " ", e.Message, " ", e.Content)
		switch owner, known := r.owner[e.Message]; {
		case known && owner != e.Combat:
			f.Tally.leave("a message that is recorded in two fights: it stays in the first")
			return
		case r.said[key]:
			f.Tally.leave("an event that is recorded twice")
			return
		}
		r.owner[e.Message], r.said[key] = e.Combat, true
	}
	switch e.Type {
	case "combat_state_update":
		s.who.learn(e)
	case "alias_resolution":
		s.commands[e.Message], s.aliases[e.Message] = true, cmp.Or(e.After, s.aliases[e.Message])
		s.prefixes[e.Prefix] = true
	case "command":
		s.commands[e.Message] = true
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

// messages returns what the table gets of the fight, in the order of time.
func (s *fight) messages() []message {
	slices.SortStableFunc(s.events, func(a, b *event) int {
		if a.when() == 0 || b.when() == 0 {
			return 0
		}
		return cmp.Compare(a.when(), b.when())
	})
	taken := map[int]bool{}
	var out []message
	for i, e := range s.events {
		var m message
		if e.Type == "command" {
			m = s.command(i, taken)
		} else {
			m = s.speech(e)
		}
		if m.text != "" || m.skill != "" {
			m.number, m.at, m.session = e.number, e.when(), e.Combat
			out = append(out, m)
		}
	}
	for i, e := range s.events {
		if _, skill := e.check(); skill != "" && !taken[i] {
			s.file.Tally.leave("a check that the bot shows and no command explains")
		}
	}
	return out
}

// speech returns the message of a player.
func (s *fight) speech(e *event) message {
	text := plain(e.Content)
	switch {
	case e.bot():
		s.file.Tally.leave("a message of the bot")
	case s.commands[e.Message] && e.Message != "" || commandish(e.Content, s.prefixes):
		s.file.Tally.leave("a command as it was typed")
	case text != "":
		name, sure := s.who.name(e)
		if !sure {
			s.file.Tally.unknown(name)
		}
		s.file.Tally.met(strings.TrimSpace(e.Name), name == ieg.DM)
		if name != "" {
			return message{speaker: name, text: text}
		}
	}
	return message{}
}

// check returns what a message of the bot shows of a check: whose it is, and the name of what was checked.
func (e *event) check() (who, skill string) {
	if e.Type != "message" || !e.bot() {
		return "", ""
	}
	for _, embed := range e.Embeds {
		if m := shown.FindStringSubmatch(plain(embed.Title)); m != nil {
			return m[1], m[2]
		}
	}
	return "", ""
}

// answer finds the bot's answer to the command at i: the nearest one that is not another command's,
// after it or, where commands are recorded late, before it.
func (s *fight) answer(i int, taken map[int]bool) (who, skill string) {
	const near = 12 // events
	fits := func(k int) bool {
		who, skill = s.events[k].check()
		c := s.events[i].caster()
		return skill != "" && !taken[k] && (c == "" || strings.EqualFold(c, who) || strings.Contains(strings.ToLower(who), strings.ToLower(c)))
	}
	for k := i + 1; k < min(len(s.events), i+near); k++ {
		if fits(k) {
			taken[k] = true
			return who, skill
		}
	}
	for k := i - 1; k >= max(0, i-near) && s.events[k].Type != "command"; k-- {
		if fits(k) {
			taken[k] = true
			return who, skill
		}
	}
	return "", ""
}

// command returns the roll or the spell of the command at i.
func (s *fight) command(i int, taken map[int]bool) message {
	e, tally := s.events[i], s.file.Tally
	name, args := e.command()
	if after := s.aliases[e.Message]; after != "" {
		name, args = (&event{Content: after, Prefix: e.Prefix}).command()
	}
	speaker, sure := s.who.name(e)
	caster := e.caster()
	switch {
	case castCommands[name]:
		tally.leave("a spell: no skill check")
		caster = cmp.Or(caster, speaker)
		if spell := words(args); spell != "" && caster != "" && speaker != ieg.DM {
			return message{speaker: caster, text: caster + " casts " + spell + "."}
		}
		return message{}
	case monsterCommands[name]:
		tally.leave("a roll of a monster")
		return message{}
	case !checkCommands[name]:
		tally.leave("another command than check and cast")
		return message{}
	}
	skill, ok := argued(args)
	who, named := s.answer(i, taken)
	if named != "" { // the bot completes what is typed in its own way
		skill, ok = labelled(named)
	}
	if caster == "" && s.who.kind[who] != "" {
		caster = who
	}
	switch kind := s.who.kind[caster]; {
	case kind == "monster" || e.Caster != nil && e.Caster.Type == "monster":
		tally.leave("a roll of a monster")
	case !ok:
		tally.leave("a check that names no skill")
	case caster != "" && (speaker != ieg.DM || kind == "player"):
		return message{speaker: caster, skill: skill}
	case speaker == "":
		tally.leave("a command without a caster and an author")
	default:
		if !sure {
			tally.unknown(speaker)
		}
		return message{speaker: speaker, skill: skill}
	}
	return message{}
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
		// Avrae takes the beginning of a name, too.
		if n == 1 && len(name) >= 3 && !ability.MatchString(name) {
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

// commandish reports whether a message is meant for a bot: it begins with a prefix that commands of the
// log have, or one that bots often have, and a letter.
func commandish(text string, prefixes map[string]bool) bool {
	word := func(rest string) bool { return rest != "" && (rest[0]|32) >= 'a' && (rest[0]|32) <= 'z' }
	for p := range prefixes {
		if rest, ok := strings.CutPrefix(text, p); ok && p != "" && word(rest) {
			return true
		}
	}
	return strings.HasPrefix(text, "a!") || len(text) > 1 && strings.ContainsAny(text[:1], "!$%^&/]") && word(text[1:])
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
	kind      map[string]string // player or monster, by the name of who fights
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

// learn reads off a state of the fight who plays which character.
func (o *owners) learn(e *event) {
	if e.Data == nil {
		return
	}
	o.dm = cmp.Or(string(e.Data.DM), o.dm)
	var each func([]combatant)
	each = func(list []combatant) {
		for _, c := range list {
			owner := cmp.Or(string(c.Controller), string(c.Owner))
			o.kind[strings.TrimSpace(c.Name)] = c.Type
			if c.Type == "player" && owner != o.dm {
				o.plays(owner, c.Name)
			}
			each(c.Members)
		}
	}
	each(e.Data.Combatants)
}

// name returns who speaks in a message, and whether that is certain.
func (o *owners) name(e *event) (name string, sure bool) {
	author := string(e.Author)
	name = strings.TrimSpace(e.Name)
	if o.people.dm(name) || author != "" && (author == o.dm || o.people.dm(author)) {
		return ieg.DM, true
	}
	if c, ok := o.people.character(name, author); ok {
		return c, true
	}
	if c := o.character[author]; c != "" {
		return c, true
	}
	return name, false
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
