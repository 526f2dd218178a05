package corpora

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"parley/eval/ieg"
)

// excerpt is a turn of FIREBALL: what was said, the commands that followed, and the actors.
type excerpt struct {
	History  []string  `json:"utterance_history"` // "Player 2: ..."
	Before   []string  `json:"before_utterances"` // by whoever gives the commands
	Commands []string  `json:"commands_norm"`
	State    []fighter `json:"combat_state_before"`
	Current  *fighter  `json:"current_actor"`
	Caster   *fighter  `json:"caster_after"`
}

// fighter is an actor of a fight. Monsters have no class.
type fighter struct {
	Name  string `json:"name"`
	Class string `json:"class"`
}

// fireball reads FIREBALL's own turns, one a line. A turn whose commands check skills is a window of
// its own, since the rest of its fight is not at hand; other turns are counted.
func (f *File) fireball(r io.Reader) iter.Seq2[ieg.Interaction, error] {
	return func(yield func(ieg.Interaction, error) bool) {
		n := 0
		for line, err := range linesOf(r) {
			n++
			if err == nil && len(line) == 0 {
				continue
			}
			var e excerpt
			if err == nil {
				err = parse(line, &e)
			}
			if err == nil && e.Commands == nil {
				err = errors.New("this is no turn of FIREBALL: the line has no commands_norm")
			}
			if err != nil {
				yield(ieg.Interaction{}, fmt.Errorf("%s:%d: read log: %w", f.Name, n, err))
				return
			}
			x, reason := e.window()
			if reason != "" {
				f.Tally.leave(reason)
				continue
			}
			x.ID, x.Group = fmt.Sprintf("avrae:%s:%d", f.Group, n), f.Group
			if !yield(x, nil) {
				return
			}
		}
	}
}

// window makes the window of a turn, or says why there is none.
func (e *excerpt) window() (ieg.Interaction, string) {
	x := ieg.Interaction{Tier: TierRolled, Source: "avrae"}
	caster := ""
	for _, c := range []*fighter{e.Caster, e.Current} {
		if c != nil && caster == "" {
			caster = strings.TrimSpace(c.Name)
		}
	}
	var reason string
	x.Intentions, reason = e.intentions(caster)
	switch {
	case len(x.Intentions) == 0:
		return x, reason
	case caster == "" || caster == ieg.DM:
		return x, "a command that has neither a caster nor an author"
	}
	if x.Lines = e.lines(caster); len(x.Lines) == 0 {
		return x, noContext
	}
	x.Cast = []string{caster}
	for _, a := range e.State {
		name := strings.TrimSpace(a.Name)
		if a.Class != "" && name != "" && name != ieg.DM && !slices.Contains(x.Cast, name) {
			x.Cast = append(x.Cast, name)
		}
	}
	slices.Sort(x.Cast)
	return x, ""
}

// intentions lists the checks among the commands, or says why there is none.
func (e *excerpt) intentions(caster string) (list []ieg.Intention, reason string) {
	reason = "another command than check and cast"
	for _, typed := range e.Commands {
		name, args := (&event{Content: typed}).command()
		skill, ok := argued(args)
		switch {
		case castCommands[name]:
			reason = "a spell: no skill check"
		case checkCommands[name] && !ok:
			reason = "a check that names no skill"
		case checkCommands[name]:
			if t := (ieg.Intention{Character: caster, Skill: skill}); !slices.Contains(list, t) {
				list = append(list, t)
			}
		}
	}
	return list, reason
}

// lines lists what was said before the commands, the last maxLines of it.
func (e *excerpt) lines(caster string) []ieg.Line {
	var lines []ieg.Line
	for _, said := range e.History {
		speaker, text, ok := strings.Cut(said, ": ")
		if !ok || !strings.HasPrefix(speaker, "Player ") {
			speaker, text = "Player", said
		}
		lines = appendLine(lines, speaker, text)
	}
	for _, said := range e.Before {
		text := plain(said)
		if n := len(lines); n > 0 && lines[n-1].Text == text {
			lines = lines[:n-1] // the history ends with it
		}
		lines = appendLine(lines, caster, text)
	}
	return lines[max(0, len(lines)-maxLines):]
}

// appendLine appends a line of speech, unless it is empty or a command.
func appendLine(lines []ieg.Line, speaker, text string) []ieg.Line {
	text = plain(text)
	if text == "" || commandish(text, nil) {
		return lines
	}
	return append(lines, ieg.Line{Speaker: speaker, Text: text})
}
