package agent

import (
	"slices"
	"strings"
	"unicode"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
)

// table is what the templates of rules and scene see: nothing that is not everybody's, so that no
// template, a user's own included, can put a secret there.
type table struct {
	Kind           string // of the scenario
	Title, Premise string
	Turns          int
	Checks         bool
	Cast           []person
}

// seat is what the other templates see: the table through one character's eyes.
type seat struct {
	Self   sheet // first what is asked for most: text/template looks through the fields in order
	Label  string
	Checks bool // as in table, whose embedding would make text/template slow

	Kind, Title, Premise string
	Turns                int
	Cast                 []person

	Player    bool
	Brief     string
	Knowledge *scenarios.Knowledge
	Aims      string // "Stealth and Deception"
	Skills    string // "Insight, Stealth"
	Others    []person
	Questions []string
	JSON      bool // of a debrief: the answer is an object
}

// sheet is a character's sheet without methods: text/template looks for one before it looks for a
// field.
type sheet characters.Sheet

// attempt is what the referee's template sees: the table, and a deed.
type attempt struct {
	Label, Speech, Deed string
	Check               string // the skill that the actor thinks the deed needs; empty: it named none
	Skills              string // names of all

	Kind, Title, Premise string // as in table
	Turns                int
	Checks               bool
	Cast                 []person
}

func attemptOf(t *table, c *cast, e *sim.Event) *attempt {
	return &attempt{
		Label: c.label(e), Speech: string(c.fold(nil, e.Speech)), Deed: string(c.fold(nil, e.Deed)),
		Check: string(e.Skill), Skills: listed(characters.Skills(), ", "),
		Kind: t.Kind, Title: t.Title, Premise: t.Premise, Turns: t.Turns, Checks: t.Checks, Cast: t.Cast,
	}
}

// person is a character as everybody sees it.
type person struct {
	id                            characters.ID
	Label                         string // what the transcript calls it
	Name, Race, Class, Appearance string
	NPC                           bool
}

func tableOf(v *sim.View, c *cast, checks bool) *table {
	t := &table{
		Kind:  v.Kind.String(),
		Title: tame(v.Title), Premise: tame(v.Premise), Turns: v.Turns, Checks: checks,
		Cast: make([]person, len(c.people)),
	}
	for i, p := range c.people {
		p.Race, p.Class, p.Appearance = strings.ToLower(tame(p.Race)), strings.ToLower(tame(p.Class)), strings.TrimSuffix(tame(p.Appearance), ".")
		p.NPC = p.id == v.NPC
		t.Cast[i] = p
	}
	return t
}

// seatOf collects what the templates need. Knowledge goes to the NPC; only a debrief may tell it to a player.
func seatOf(v *sim.View, t *table, self int) *seat {
	s := &seat{
		Kind: t.Kind, Title: t.Title, Premise: t.Premise, Turns: t.Turns, Checks: t.Checks, Cast: t.Cast,
		Self: tameSheet(v.Self), Player: v.Player, Brief: tame(v.Brief), Others: make([]person, 0, len(t.Cast)),
	}
	for i, p := range s.Cast {
		if i == self {
			s.Label = p.Label
		} else {
			s.Others = append(s.Others, p)
		}
	}
	if !v.Player {
		s.Knowledge = tameKnowledge(v.Knowledge)
	}
	s.Aims = listed(v.Aims, " and ")
	s.Skills = listed(v.Self.Skills, ", ")
	return s
}

func tameKnowledge(full *scenarios.Knowledge) *scenarios.Knowledge {
	if full == nil {
		return nil
	}
	k := *full
	k.Title, k.Topic, k.Hook, k.Text = tame(k.Title), tame(k.Topic), tame(k.Hook), tame(k.Text)
	return &k
}

func listed(skills []characters.Skill, between string) string {
	var b strings.Builder
	for i, skill := range skills {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(string(skill))
	}
	return b.String()
}

// taming keeps texts that may be written by a model or taken from the web from holding a chat
// template's tokens.
var taming = strings.NewReplacer("<", "‹", ">", "›", "[INST]", "(INST)", "[/INST]", "(/INST)", "\r", "")

func tame(text string) string {
	for _, wild := range [...]byte{'<', '>', '[', '\r'} { // four times is faster than ContainsAny
		if strings.IndexByte(text, wild) >= 0 {
			text = taming.Replace(text)
			break
		}
	}
	return strings.TrimSpace(text)
}

// tameSheet returns the form of a sheet that the templates see.
func tameSheet(full *characters.Sheet) sheet {
	s := sheet(*full)
	for _, field := range []*string{
		&s.Name, &s.Race, &s.Class, &s.Background, &s.Alignment, &s.Trait, &s.Ideal, &s.Bond,
		&s.Flaw, &s.Appearance, &s.Voice, &s.Description,
	} {
		*field = tame(*field)
	}
	s.Race, s.Class = strings.ToLower(s.Race), strings.ToLower(s.Class)
	s.Background, s.Alignment = strings.ToLower(s.Background), strings.ToLower(s.Alignment)
	s.Description = withoutRepeats(s.Description, s.Appearance, s.Voice, s.Trait, s.Ideal, s.Bond, s.Flaw)
	s.Secrets = make([]string, len(full.Secrets))
	for i, secret := range full.Secrets {
		s.Secrets[i] = tame(secret)
	}
	return s
}

// withoutRepeats leaves out the sentences of a description of which at least a third of the words stand in the other
// texts, in runs of four or more: generated descriptions are made of a sheet's other fields.
func withoutRepeats(description string, others ...string) string {
	const run = 4
	var room [2][128]uint64
	known := room[0][:0]
	for _, text := range others {
		words := hashedWords(room[1][:0], text)
		for i := run; i <= len(words); i++ {
			known = append(known, sim.Mix(words[i-run:i]...))
		}
	}
	if len(known) == 0 {
		return description
	}
	slices.Sort(known)
	var kept []string
	for sentence := range strings.SplitAfterSeq(description, ". ") {
		words := hashedWords(room[1][:0], sentence)
		covered, to := 0, 0 // words, and where the last run ends
		for i := run; i <= len(words); i++ {
			if _, found := slices.BinarySearch(known, sim.Mix(words[i-run:i]...)); found {
				covered += i - max(to, i-run)
				to = i
			}
		}
		if 3*covered < len(words) {
			kept = append(kept, strings.TrimSpace(sentence))
		}
	}
	return strings.Join(kept, " ")
}

// hashedWords appends a hash of each word of a text, in lower case and without the marks around it.
func hashedWords(to []uint64, text string) []uint64 {
	hash := uint64(0)
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' || r == '-' {
			hash = (hash + uint64(unicode.ToLower(r))) * 1099511628211 // as FNV
		} else if hash != 0 {
			to, hash = append(to, hash), 0
		}
	}
	if hash != 0 {
		to = append(to, hash)
	}
	return to
}

// sample is a table, a seat at it, and what is tried there.
type sample struct {
	table   *table
	seat    *seat
	attempt *attempt
}

// data returns what the named prompt may see.
func (s sample) data(name string) any {
	switch name {
	case promptRules, promptScene:
		return *s.table
	case promptReferee:
		return s.attempt
	}
	return *s.seat
}

// samples are made up to try templates on.
func samples() []sample {
	full := func(id characters.ID) *characters.Sheet {
		return &characters.Sheet{
			ID: id, Name: "Name", Race: "Race", Class: "Class", Background: "Background", Alignment: "Alignment",
			Skills: []characters.Skill{characters.Stealth}, Secrets: []string{"secret"}, Description: "Description",
			Trait: "trait", Ideal: "ideal", Bond: "bond", Flaw: "flaw", Voice: "voice", Appearance: "appearance",
		}
	}
	var all []sample
	for _, kind := range scenarios.Kinds() {
		for _, player := range []bool{true, false} {
			v := &sim.View{
				Self: full("a"), Player: player, Kind: kind, Title: "Title", Premise: "Premise", Brief: "Brief",
				Cast: []characters.Public{full("a").Public(), full("b").Public()}, NPC: "b", Turns: 30,
				Knowledge: &scenarios.Knowledge{Title: "title", Text: "text", Facts: []scenarios.Fact{{Text: "fact"}}},
				Aims:      []characters.Skill{characters.Stealth},
			}
			if !player {
				v.Self = full("b")
			}
			c := newCast(v.Self.ID, v.Cast)
			t := tableOf(v, c, true)
			s := seatOf(v, t, c.self)
			s.Questions, s.Knowledge = []string{"question"}, v.Knowledge
			deed := &sim.Event{Actor: v.Self.ID, Speech: "Speech", Deed: "deed", Skill: characters.Stealth}
			all = append(all, sample{t, s, attemptOf(t, c, deed)})
		}
	}
	return all
}
