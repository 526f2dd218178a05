package sim

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/characters"
	"parley/sim/dice"
)

// Fixed moves in the order of the cast: the players, then the NPC.
type Fixed struct{}

// Next returns who moves next.
func (Fixed) Next(_ context.Context, ep *Episode) (characters.ID, error) {
	return ep.cast[ep.turn%len(ep.cast)].ID, nil
}

// Shuffled draws a new order every round.
type Shuffled struct{}

// Next returns who moves next.
func (Shuffled) Next(_ context.Context, ep *Episode) (characters.ID, error) {
	n := len(ep.cast)
	round := Rand(Mix(ep.Seed, HashText("shuffled"), uint64(ep.turn/n)))
	return ep.cast[round.Perm(n)[ep.turn%n]].ID, nil
}

// Initiative rolls a d20 with the Dexterity modifier for everybody once, and keeps that order. Of
// equal totals the higher Dexterity goes first, then the earlier in the cast.
type Initiative struct{}

// Start shows the rolls to everybody.
func (Initiative) Start(ep *Episode) []Event {
	rolls, order := initiative(ep)
	var events []Event
	for _, i := range order {
		events = append(events, rollEvent(ep.cast[i].ID, rolls[i]))
	}
	return events
}

// Next returns who moves next.
func (Initiative) Next(_ context.Context, ep *Episode) (characters.ID, error) {
	_, order := initiative(ep)
	return ep.cast[order[ep.turn%len(order)]].ID, nil
}

func initiative(ep *Episode) ([]dice.Roll, []int) {
	r := Rand(Mix(ep.Seed, HashText("initiative")))
	var rolls []dice.Roll
	var order []int
	for i, c := range ep.Scenario.Cast {
		rolls = append(rolls, dice.Check(r, "Initiative", modifier(c.Abilities.Dexterity), 0, dice.Straight))
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if d := rolls[b].Total - rolls[a].Total; d != 0 {
			return d
		}
		return rolls[b].Modifier - rolls[a].Modifier
	})
	return rolls, order
}

// modifier is the bonus that an ability score gives: half of what it is above 10, rounded down, as >> does.
func modifier(score int) int { return (score - 10) >> 1 }

// Addressed lets whoever was spoken to last answer: the first one that the last move whispered to or
// called by name. Where no character was, and before one is left out for more than two rounds, it is
// the one who has waited longest.
type Addressed struct{}

// Next returns who moves next.
func (Addressed) Next(_ context.Context, ep *Episode) (characters.ID, error) {
	waited := make(map[characters.ID]int, len(ep.cast)) // turn of the last move, 0 for none
	for _, m := range ep.moves {
		waited[m.Actor] = m.Turn
	}
	longest := 0
	for i, c := range ep.cast {
		if waited[c.ID] < waited[ep.cast[longest].ID] {
			longest = i
		}
	}
	next := ep.cast[longest].ID
	if len(ep.moves) == 0 || ep.turn-waited[next] > 2*len(ep.cast) {
		return next, nil
	}
	if to := addressee(ep, ep.moves[len(ep.moves)-1]); to != "" {
		return to, nil
	}
	return next, nil
}

// addressee returns the character that a move is directed at, or "": the first one it is whispered to, else
// the first one that its speech calls by name.
func addressee(ep *Episode, m *Event) characters.ID {
	for _, id := range m.Audience {
		if id != m.Actor {
			return id
		}
	}
	words := strings.Fields(strings.ReplaceAll(m.Speech, "—", "— "))
	for i := range words {
		if i > 0 && !pauses(words[i-1]) && !calls[strings.ToLower(words[i-1])] {
			continue
		}
		for n := 1; n <= 4; n++ { // no further than the last word
			last := words[i+n-1]
			if !pauses(last) && i+n < len(words) {
				continue
			}
			if small(words[i]) && small(last) {
				break
			}
			if id := called(ep, m.Actor, strings.Join(words[i:i+n], " ")); id != "" {
				return id
			}
			break
		}
	}
	return ""
}

// calls are words that may stand before the name of somebody who is called, without a comma.
var calls = map[string]bool{
	"hey": true, "oh": true, "ah": true, "well": true, "so": true, "and": true, "but": true, "yes": true, "no": true, "you": true,
	"dear": true, "please": true, "thanks": true, "hello": true, "hi": true, "good": true, "friend": true, "listen": true,
}

// small reports whether a word begins with a small letter.
func small(word string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(word, "\"“'*("))
	return unicode.IsLower(r)
}

// pauses reports whether a mark follows a word, or a new sentence may begin behind it.
func pauses(word string) bool {
	r, _ := utf8.DecodeLastRuneInString(word)
	return strings.ContainsRune(",.;:!?…—–-\"”)*", r)
}

// called returns the character other than the actor that has a name, or the only one with it as a word.
func called(ep *Episode, actor characters.ID, name string) (id characters.ID) {
	slug := string(characters.Slug(name))
	for _, c := range ep.cast {
		whole := string(characters.Slug(c.Name))
		if c.ID == actor || slug == "" {
			continue
		}
		if slug == whole {
			return c.ID
		}
		parts := strings.Split(whole, "-")
		if len(slug) < 3 || !slices.Contains(parts, slug) && slug != parts[0]+"-"+parts[len(parts)-1] {
			continue
		}
		if id != "" {
			return "" // two share it
		}
		id = c.ID
	}
	return id
}
