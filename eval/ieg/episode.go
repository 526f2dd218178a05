package ieg

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/characters"
	"parley/sim"
)

// Turns is how many turns a window holds unless another number is asked for.
const Turns = 30

// FromEpisode cuts a game of intention expression into windows of n turns (0: Turns) with their true
// intentions. What a character is after holds for the whole game; it falls into a window when the
// character speaks or acts in it, since no aim can be read off passes. A rest
// of less than half a window is left out, unless it is the whole game.
//
// The lines are what a table hears, whispers included: a Dungeon Master hears them too. A move is one
// line of its speaker, speech before deed. The scene and what the referee tells are the Dungeon
// Master's. The name of a check is cut out of what the referee tells, rolls and debriefs are left
// out, and the NPC is a speaker like everybody. Other games have no windows.
func FromEpisode(ep *sim.Episode, n int) []Interaction {
	s := ep.Scenario
	if s == nil || s.Kind == nil || !s.Kind.Intentions || len(s.Cast) == 0 {
		return nil
	}
	if n <= 0 {
		n = Turns
	}
	p := playing{ep: ep, names: firstNames(s.Cast)}
	var windows []Interaction
	turns, last := 0, 0
	cut := func() {
		if x := p.window(); len(x.Lines) > 0 && (2*turns >= n || len(windows) == 0) {
			windows = append(windows, x)
		}
		p.lines, p.acted, turns = nil, nil, 0
	}
	for _, e := range ep.Events {
		if (e.Kind == sim.KindAct || e.Kind == sim.KindPass) && e.Turn != last {
			if turns == n {
				cut()
			}
			if turns == 0 {
				p.first = e.Turn
			}
			turns, last = turns+1, e.Turn
		}
		p.hear(e)
	}
	if turns > 0 {
		cut()
	}
	return windows
}

// playing is a stretch of a game.
type playing struct {
	ep    *sim.Episode
	names map[characters.ID]string
	first int // turn
	lines []Line
	acted []characters.ID
}

// hear takes in an event.
func (p *playing) hear(e *sim.Event) {
	l := heard(e, p.names)
	if l.Text == "" {
		return
	}
	p.lines = append(p.lines, l)
	if e.Kind == sim.KindAct {
		p.acted = append(p.acted, e.Actor)
	}
}

// window makes a window of the stretch, with the aims of those who acted in it.
func (p *playing) window() Interaction {
	s := p.ep.Scenario
	x := Interaction{
		ID: fmt.Sprintf("game:%s:%d", p.ep.Session, p.first), Group: p.ep.Session, Tier: "game", Source: "game",
		Lines: p.lines, Intentions: []Intention{},
	}
	for _, c := range s.Cast {
		x.Cast = append(x.Cast, p.names[c.ID])
	}
	for _, i := range s.Intentions {
		t := Intention{p.names[i.Character], i.Skill}
		if slices.Contains(p.acted, i.Character) && !slices.Contains(x.Intentions, t) {
			x.Intentions = append(x.Intentions, t)
		}
	}
	return x
}

// firstNames are what the cast is called at the table: first names, or whole ones where two share the
// first.
func firstNames(cast []*characters.Sheet) map[characters.ID]string {
	count := map[string]int{}
	for _, c := range cast {
		count[c.FirstName()]++
	}
	names := map[characters.ID]string{}
	for _, c := range cast {
		names[c.ID] = c.FirstName()
		if count[c.FirstName()] > 1 {
			names[c.ID] = c.Name
		}
	}
	return names
}

// heard is the line that the table hears of an event; one without text is none.
func heard(e *sim.Event, names map[characters.ID]string) Line {
	switch e.Kind {
	case sim.KindScene:
		return Line{DM, flat(e.Text)}
	case sim.KindNarration:
		return Line{DM, flat(untold(e.Text))}
	case sim.KindAct:
		name := names[e.Actor]
		return Line{name, strings.TrimSpace(flat(e.Speech) + " " + told(flat(e.Deed), name))}
	}
	return Line{}
}

// told is a deed as people's logs have it: a sentence about the one who does it. A deed that starts
// with a verb gets its subject.
func told(deed, name string) string {
	if deed == "" {
		return ""
	}
	if r, _ := utf8.DecodeRuneInString(deed); unicode.IsLower(r) {
		deed = name + " " + deed
	}
	if r, _ := utf8.DecodeLastRuneInString(deed); unicode.IsLetter(r) || unicode.IsDigit(r) {
		deed += "."
	}
	return deed
}

// untold cuts every bracket that names a skill out of what the referee tells: "(Stealth 14 against
// 12)" is the answer to the question that a virtual Dungeon Master is asked.
func untold(text string) string {
	for at := 0; ; {
		open := strings.IndexByte(text[at:], '(')
		if open < 0 {
			return text
		}
		open += at
		shut := strings.IndexByte(text[open:], ')')
		if shut < 0 {
			return text
		}
		shut += open + 1
		if !namesSkill(text[open:shut]) {
			at = shut
			continue
		}
		text, at = strings.TrimRight(text[:open], " ")+text[shut:], open
		at = min(at, len(text))
	}
}

// namesSkill reports whether the text holds the full name of a skill.
func namesSkill(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(characters.Skills(), func(s characters.Skill) bool {
		return strings.Contains(text, strings.ToLower(string(s)))
	})
}

func flat(text string) string { return strings.Join(strings.Fields(text), " ") }
