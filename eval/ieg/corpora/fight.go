package corpora

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/characters"
	"parley/eval/ieg"
)

// checkCommands are the commands that roll a skill check, without "init" before them.
var checkCommands = set("check c offturncheck oc")

// monsterCommands roll one for a monster that need not be in the fight.
var monsterCommands = set("monster_check mc mcheck moncheck")

// castCommands are the commands that cast a spell: a deed, and no skill check.
var castCommands = set("cast reactcast rc")

// shown is the title under which the bot shows a check: "Orla makes a Stealth check!".
var shown = regexp.MustCompile(`^(.{1,80}?) makes (?:an?|\d+) (.{1,60}?) checks?\b`)

// hider is whoever the bot shows a check of that its caster hides.
const hider = "An unknown creature"

// fight holds the events of one fight that matter here.
type fight struct {
	file     *File
	who      owners
	events   []*event
	typed    map[ident]bool   // messages that are commands or aliases of them
	commands map[ident]bool   // messages of which the recording holds the command
	aliases  map[ident]string // the commands that aliases stand for, by message
	prefixes map[string]bool
}

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
		switch {
		case e.Type == "message":
			m = s.speech(e)
		case e.Type == "command" || !s.commands[e.Message]: // an alias of which the command is not recorded
			m = s.command(i, taken)
		}
		if m.text != "" || m.skill != "" {
			m.number, m.at, m.session = e.number, e.when(), string(e.Combat)
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
	text := s.unasked(plain(e.Content))
	switch {
	case e.bot():
		s.file.Tally.leave("a message of the bot")
	case s.typed[e.Message] && e.Message != "" || commandish(e.Content, s.prefixes):
		s.file.Tally.leave("a command as it was typed")
	case aside.MatchString(text):
		s.file.Tally.leave("said out of character")
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

// unasked cuts a message where it goes over into the command of a check, as in "I listen. !check perception".
func (s *fight) unasked(text string) string {
	for p := range s.prefixes {
		if p == "" || !strings.Contains(text, p) {
			continue
		}
		ask := regexp.MustCompile(`(?i)(?:^| )` + regexp.QuoteMeta(p) + `(?:i |init )?(?:c|check|oc|offturncheck) +\D`)
		if at := ask.FindStringIndex(text); at != nil {
			text = text[:at[0]]
		}
	}
	return text
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

// answer finds the bot's answer to the command at i, with these arguments: the nearest one that is not
// another command's, after it or, where commands are recorded late, before it. One that shows what was
// typed goes before others of the same caster, as commands and answers of several people may cross.
func (s *fight) answer(i int, args []string, taken map[int]bool) (who, skill string) {
	const near = 12 // events
	caster := strings.ToLower(s.events[i].caster())
	var order []int
	for k := i + 1; k < min(len(s.events), i+near); k++ {
		order = append(order, k)
	}
	for k := i - 1; k >= max(0, i-near) && s.events[k].Type != "command"; k-- {
		order = append(order, k)
	}
	for _, exact := range []bool{true, false} {
		for _, k := range order {
			who, skill := s.events[k].check()
			typed := len(args) == 0 || slices.ContainsFunc(args, func(a string) bool {
				return strings.Contains(strings.ToLower(skill), strings.ToLower(strings.Trim(a, `"'`)))
			})
			if skill == "" || taken[k] || !strings.Contains(strings.ToLower(who), caster) || exact && !typed || !exact && caster == "" {
				continue
			}
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
	switch {
	case castCommands[name]:
		tally.leave("a spell: no skill check")
		caster := cmp.Or(e.caster(), speaker)
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
	return s.roll(i, args, speaker, sure, taken)
}

// roll returns the check of the command at i, of a speaker who is sure to have written it or not.
func (s *fight) roll(i int, args []string, speaker string, sure bool, taken map[int]bool) message {
	e, tally := s.events[i], s.file.Tally
	caster := e.caster()
	skill, ok := argued(args)
	who, named := s.answer(i, args, taken)
	if named != "" { // the bot completes what is typed in its own way
		skill, ok = labelled(named)
	}
	if caster == "" && (s.who.kind[who] != "" || !sure && who != "" && who != hider) {
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
