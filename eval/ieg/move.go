package ieg

import (
	"fmt"
	"slices"
)

// AtMoves cuts a whole game into windows as real people's logs have them, where a window ends when the
// Dungeon Master asks for a check: each ends with a move of one of the cast, holds the last n lines (0:
// Turns), and its truth is what the one who just moved is after, which may be nothing.
//
// A whole game as one window asks another question, who of the table is after what. A virtual DM that
// learned to answer that one names everybody in real play, and the gap then measures nothing else.
func AtMoves(game *Interaction, n int) []Interaction {
	if n <= 0 {
		n = Turns
	}
	aims := map[string][]Intention{}
	for _, in := range game.Intentions {
		aims[in.Character] = append(aims[in.Character], in)
	}
	var windows []Interaction
	for i := range game.Lines {
		who := game.Lines[i].Speaker
		if !slices.Contains(game.Cast, who) {
			continue
		}
		x := *game
		x.ID = fmt.Sprintf("%s:%d", game.ID, i+1)
		x.Lines = slices.Clip(game.Lines[max(0, i+1-n) : i+1])
		x.Intentions = slices.Clone(aims[who])
		windows = append(windows, x)
	}
	return windows
}
