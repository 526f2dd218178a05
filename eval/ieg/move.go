package ieg

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"parley/sim"
)

// MoveLines is how many lines a window that ends at a move holds at most, unless another number is asked for.
const MoveLines = 15

// shape is how a window is cut: how many lines come after the last one of whoever tries something (all of
// them, where none of these speaks), and how many intentions it has.
type shape struct{ after, intentions int }

func shapeOf(x *Interaction) shape {
	s := shape{len(x.Lines), len(x.Intentions)}
	for i, l := range x.Lines {
		if slices.ContainsFunc(x.Intentions, func(in Intention) bool { return in.Character == l.Speaker }) {
			s.after = len(x.Lines) - 1 - i
		}
	}
	return s
}

// Trim returns windows with their last n lines.
func Trim(xs []Interaction, n int) []Interaction {
	out := slices.Clone(xs)
	for i := range out {
		out[i].Lines = slices.Clip(out[i].Lines[max(0, len(out[i].Lines)-n):])
	}
	return out
}

// AtMoves cuts a whole game into windows of n lines (0: MoveLines) as those of real play are cut, where a window
// ends soon after the move for which the Dungeon Master asks for a check. For each move of a character
// with an aim, the distance to the window's end and the number of intentions are those of a window that is
// drawn from real play. Where a window has several, the others are of those who moved last before. The same game
// gives the same windows.
//
// Without real play, each window ends with a move of one of the cast, holds up to n lines, and its truth is what
// the one who just moved is after, which may be nothing.
//
// A whole game as one window asks another question, who of the table is after what. A virtual DM that
// learned to answer that one names everybody in real play, and the gap then measures nothing else.
func AtMoves(game *Interaction, real []Interaction, n int) []Interaction {
	if n <= 0 {
		n = MoveLines
	}
	c := cutter{game: game, n: n, aims: map[string][]Intention{}, r: source(sim.HashText(game.ID), drawShapes)}
	for _, in := range game.Intentions {
		c.aims[in.Character] = append(c.aims[in.Character], in)
	}
	for i := range real {
		if s := shapeOf(&real[i]); s.intentions > 0 && s.after < n {
			c.shapes = append(c.shapes, s)
		}
	}
	var windows []Interaction
	for i := range game.Lines {
		who := game.Lines[i].Speaker
		if len(c.aims[who]) == 0 && (len(real) > 0 || !slices.Contains(game.Cast, who)) {
			continue
		}
		if x, ok := c.at(i); ok {
			windows = append(windows, x)
		}
	}
	return windows
}

// cutter cuts a game.
type cutter struct {
	game   *Interaction
	n      int
	aims   map[string][]Intention
	shapes []shape
	r      *rand.Rand
}

// at returns a window about the move in a line. There is none where the game does not go on long enough, or has
// not gone on for long enough.
func (c *cutter) at(move int) (Interaction, bool) {
	const tries = 8 // a shape may not fit: the one who moves moves again within its distance
	who, want := c.game.Lines[move].Speaker, shape{0, len(c.aims[c.game.Lines[move].Speaker])}
	end := move
	for range tries {
		if len(c.shapes) == 0 {
			break
		}
		want = c.shapes[c.r.IntN(len(c.shapes))]
		end = move + want.after
		if end < len(c.game.Lines) && !c.speaks(who, move+1, end) {
			break
		}
	}
	if end >= len(c.game.Lines) || end+1 < c.n && len(c.shapes) > 0 || c.speaks(who, move+1, end) {
		return Interaction{}, false
	}
	x := *c.game
	x.ID = fmt.Sprintf("%s:%d", c.game.ID, move+1)
	x.Lines = slices.Clip(c.game.Lines[max(0, end+1-c.n) : end+1])
	x.Intentions = slices.Clone(c.aims[who])
	for i := move - 1; i > max(-1, end-c.n) && len(x.Intentions) < want.intentions; i-- {
		other := c.game.Lines[i].Speaker
		if other != who && !c.speaks(other, i+1, end) {
			x.Intentions = append(x.Intentions, c.aims[other]...)
		}
	}
	return x, true
}

// speaks reports whether a character speaks in the lines from..to.
func (c *cutter) speaks(who string, from, to int) bool {
	return to >= from && slices.ContainsFunc(c.game.Lines[from:to+1], func(l Line) bool { return l.Speaker == who })
}

// maxWeight is how often the heaviest window counts at most, in terms of the average one: n windows are then worth at
// least n/maxWeight. Without a bound, shares that the windows cannot have (a third of Perception, where each window has
// four intentions of different skills) leave a few windows with all of the weight.
const maxWeight = 5

// margin is a property of windows whose shares are matched. A window can have several values of it.
type margin struct {
	name string
	of   func(x *Interaction) []string
}

// margins are those of windows that are cut at moves. Stretches have the first alone.
var margins = []margin{
	{"skills", func(x *Interaction) (list []string) {
		for _, in := range x.Intentions {
			list = append(list, string(in.Skill))
		}
		if list == nil {
			list = []string{"none"}
		}
		return list
	}},
	{"distances", func(x *Interaction) []string { return few(shapeOf(x).after) }},
	{"numbers of intentions", func(x *Interaction) []string { return few(len(x.Intentions)) }},
}

// few tells numbers under 3 apart.
func few(n int) []string { return []string{strconv.Itoa(min(n, 3))} }

// shares returns the share of each value, by weight (nil: all windows alike).
func (m margin) shares(xs []Interaction, w []float64) map[string]float64 {
	shares, all := map[string]float64{}, 0.0
	for i := range xs {
		v := 1.0
		if w != nil {
			v = w[i]
		}
		for _, value := range m.of(&xs[i]) {
			shares[value] += v
			all += v
		}
	}
	for value := range shares {
		shares[value] /= all
	}
	return shares
}

// weights returns how often each window counts so that, taken together, the windows have real play's shares of
// skills and, where asked, of distances and numbers of intentions, as nearly as maxWeight allows: by iterative
// proportional fitting (Deming and Stephan 1940), with the weights cut after each round (Deville and Sarndal 1992). What
// real play does not have counts 0, and what the windows do not have stays away.
func weights(xs, real []Interaction, shapes bool) []float64 {
	w := slices.Repeat([]float64{1}, len(xs))
	matched := margins[:1]
	if shapes {
		matched = slices.Concat(margins[1:], margins[:1])
	}
	for range 20 {
		for _, m := range matched {
			want, have := m.shares(real, nil), m.shares(xs, w)
			for i := range xs {
				ratio := 0.0
				values := m.of(&xs[i])
				for _, v := range values {
					if have[v] > 0 {
						ratio += want[v] / have[v] / float64(len(values))
					}
				}
				w[i] *= ratio
			}
		}
		bound(w)
	}
	return w
}

// bound scales weights so that those above 0 are 1 on average, and cuts them at maxWeight.
func bound(w []float64) {
	for range 10 { // cutting lowers the average
		n, sum := 0, 0.0
		for _, v := range w {
			if sum += v; v > 0 {
				n++
			}
		}
		for i := range w {
			w[i] = min(w[i]*float64(n)/max(sum, math.SmallestNonzeroFloat64), maxWeight)
		}
	}
}

// weighing says what windows are worth by their weights, and in which part of them they still differ from real play.
func weighing(xs, real []Interaction, w []float64, shapes bool) string {
	text := fmt.Sprintf("%d windows, none weighted more than %d-fold, are worth %d", len(xs), maxWeight, effective(w))
	for i, m := range margins {
		want, have := m.shares(real, nil), m.shares(xs, w)
		missing := 0.0
		for _, v := range slices.Sorted(maps.Keys(want)) {
			missing += max(0, want[v]-have[v])
		}
		if percent := 100 * missing; percent >= 0.5 && (shapes || i == 0) {
			text += fmt.Sprintf("; %.0f %% of their %s are not as in real play", percent, m.name)
		}
	}
	return text
}

// effective is how many equally weighted windows are worth as much (Kish 1965).
func effective(w []float64) int {
	var sum, squares float64
	for _, v := range w {
		sum, squares = sum+v, squares+v*v
	}
	if squares == 0 || math.IsNaN(squares) {
		return 0
	}
	return int(sum*sum/squares + 1e-9)
}

// sample draws n windows by their weights (nil: all alike), which keep their order. Each comes as often as its
// share of n says, rounded up or down at random (systematic sampling).
func sample(xs []Interaction, w []float64, n int, r *rand.Rand) []Interaction {
	if w == nil && n >= len(xs) {
		return xs
	}
	total := float64(len(xs))
	if w != nil {
		total = 0
		for _, v := range w {
			total += v
		}
	}
	var at []int
	step := total / float64(n)
	next, sum := step*r.Float64(), 0.0
	for _, i := range r.Perm(len(xs)) {
		if w == nil {
			sum++
		} else {
			sum += w[i]
		}
		for ; next < sum && len(at) < n; next += step {
			at = append(at, i)
		}
	}
	slices.Sort(at)
	out := make([]Interaction, len(at))
	for i, k := range at {
		out[i] = xs[k]
	}
	return out
}
