package corpora

import (
	"slices"

	"parley/characters"
	"parley/eval/ieg"
)

// The tiers of labels in a transcript.
const (
	TierEcho  = "dm_echo"       // the DM repeats the number that a player says
	TierReply = "numeric_reply" // a player says a number
)

// answers is how many turns after a request are looked at for totals.
const answers = 8

// turn is one turn of a transcript.
type turn struct {
	number   int
	speakers []string // characters, guests, or ieg.DM
	text     string
	crowd    bool // everybody at once
}

func (t *turn) line() ieg.Line {
	name := t.speakers[0]
	for _, s := range t.speakers[1:] {
		name += " & " + s
	}
	return ieg.Line{Speaker: name, Text: t.text}
}

func (t *turn) dm() bool { return len(t.speakers) == 1 && t.speakers[0] == ieg.DM }

// request is a check that the DM asked for, and who rolled.
type request struct {
	at    int // index of the turn
	skill characters.Skill
	who   []string
	said  []int // indexes of the turns with their totals
	echo  bool
}

// mine finds the checks of a transcript that were answered with a number, those within reach of
// the first as one.
func mine(turns []turn, tally *Tally) [][]request {
	var found [][]request
	for i := range turns {
		if turns[i].speakers[0] != ieg.DM {
			continue
		}
		skill, ok := Asks(turns[i].text)
		if !ok {
			continue
		}
		r := request{at: i, skill: skill}
		if reason := r.answered(turns[i+1:]); reason != "" {
			tally.leave(reason)
			continue
		}
		if n := len(found) - 1; n >= 0 && i-found[n][0].at <= reach {
			found[n] = append(found[n], r)
		} else {
			found = append(found, []request{r})
		}
	}
	return found
}

// answered looks who rolls: everybody who says a number before the DM's second turn from here. It
// returns why there is none.
func (r *request) answered(turns []turn) string {
	type roll struct {
		who    string
		number int
	}
	var rolls []roll
	dms := 0
	for i := range turns[:min(answers, len(turns))] {
		t := &turns[i]
		if t.dm() {
			if dms == 0 && len(rolls) == 0 && withdrawn.MatchString(t.text) {
				return "a request that the DM took back"
			}
			for _, known := range rolls {
				r.echo = r.echo || says(t.text, known.number)
			}
			if dms++; dms == 2 {
				break
			}
			continue
		}
		number, ok := total(t.text)
		if !ok || t.crowd {
			continue
		}
		for _, who := range t.speakers {
			if who == ieg.DM {
				continue
			}
			rolls = append(rolls, roll{who, number})
			if !slices.Contains(r.who, who) {
				r.who = append(r.who, who)
			}
			r.said = append(r.said, r.at+1+i)
		}
	}
	if len(rolls) == 0 {
		return "a request that is not answered with a number"
	}
	return ""
}

// label is the set of intentions of requests in one window.
func label(requests []request) (set []ieg.Intention, tier string, ok bool) {
	var who []string
	tier = TierReply
	for _, r := range requests {
		if r.echo {
			tier = TierEcho
		}
		for _, name := range r.who {
			if !slices.Contains(who, name) {
				who = append(who, name)
			}
			if t := (ieg.Intention{Character: name, Skill: r.skill}); !slices.Contains(set, t) {
				set = append(set, t)
			}
		}
	}
	return set, tier, len(who) <= maxActors
}
