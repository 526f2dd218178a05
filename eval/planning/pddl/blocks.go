package pddl

import (
	"cmp"
	"slices"
	"strings"
)

// blocks is the Blocksworld heuristic. A block is misplaced when it is not on its goal support, is
// above a misplaced block, or sits where another block must go; it costs at least a pick-up and a
// put-down. A misplaced block that is above a misplaced one both now and in the goal must move twice.
type blocks struct {
	n int

	support  []int    // goal support by block; onTable; free where the goal says nothing
	goalOver []int    // block that the goal puts on this one; free
	beneath  [][]bool // by block: what is below it in the goal
	facts    []blockFact

	below, above []int
	moved        []bool
}

const (
	onTable = -1
	free    = -2
	inHand  = -3
)

// blockFact says what a fact of a Blocksworld means.
type blockFact struct {
	role         string // of the predicate, as blocksRoles has it; "" for a complement
	upper, lower int
}

// newBlocks returns the heuristic, or nil where the problem is no Blocksworld with four actions whose goal speaks of
// blocks on others and on the table only, with each block in one place and none that can never move.
func newBlocks(t *Task) *blocks {
	role := blocksRoles(t.Problem.Domain)
	if role == nil || len(t.Static) > 0 {
		return nil
	}
	number := map[string]int{}
	for i, o := range t.Problem.Objects {
		number[o.Name] = i
	}
	meaning := func(a Atom) blockFact {
		f := blockFact{role: role[a.Name]}
		if f.role != "" && f.role != "E" {
			f.upper, f.lower = number[a.Args[0]], number[a.Args[len(a.Args)-1]]
		}
		return f
	}
	n := len(number)
	b := &blocks{n: n, support: fill(n, free), goalOver: fill(n, free), below: make([]int, n), above: make([]int, n), moved: make([]bool, n)}
	for _, l := range t.Problem.Goal {
		switch f := meaning(l.Atom); {
		case l.Negated || f.role == "H":
			return nil
		case f.role == "O":
			if b.support[f.upper] != free || b.goalOver[f.lower] != free {
				return nil
			}
			b.support[f.upper], b.goalOver[f.lower] = f.lower, f.upper
		case f.role == "T":
			if b.support[f.upper] != free {
				return nil
			}
			b.support[f.upper] = onTable
		}
	}
	for i := range n { // what lies below each block in the goal, which may have no cycle
		beneath := make([]bool, n)
		for s, steps := b.support[i], 0; s >= 0; s, steps = b.support[s], steps+1 {
			if steps == n {
				return nil
			}
			beneath[s] = true
		}
		b.beneath = append(b.beneath, beneath)
	}
	for _, a := range t.Facts {
		b.facts = append(b.facts, meaning(a))
	}
	placed := 0
	for _, a := range t.Problem.Init {
		if strings.Contains("OTH", role[a.Name]) {
			placed++
		}
	}
	if _, ok := b.order(t.Init); !ok || placed != n {
		return nil
	}
	return b
}

func fill(n, value int) []int { return slices.Repeat([]int{value}, n) }

// order returns the blocks from the table upwards, and whether each has a place there or in the hand.
func (b *blocks) order(s State) (order []int, ok bool) {
	for i := range b.n {
		b.below[i], b.above[i] = free, free
	}
	held := 0
	for i, f := range b.facts {
		if !s.Has(int32(i)) {
			continue
		}
		switch f.role {
		case "O":
			b.below[f.upper], b.above[f.lower] = f.lower, f.upper
		case "T":
			b.below[f.upper] = onTable
		case "H":
			b.below[f.upper] = inHand
			held++
		}
	}
	for i := range b.n {
		if b.below[i] == onTable {
			for x := i; x >= 0; x = b.above[x] {
				order = append(order, x)
			}
		}
	}
	return order, len(order)+held == b.n && !slices.Contains(b.below, free)
}

func (b *blocks) Estimate(s State) int {
	order, _ := b.order(s)
	total := 0
	for _, x := range order {
		below, goal := b.below[x], b.support[x]
		b.moved[x] = goal != free && goal != below ||
			below >= 0 && (b.moved[below] || b.goalOver[below] != free && b.goalOver[below] != x)
		if !b.moved[x] {
			continue
		}
		total += 2
		for ; below >= 0; below = b.below[below] {
			if b.moved[below] && b.beneath[x][below] {
				total += 2
				break
			}
		}
	}
	for x := range b.n {
		if b.below[x] != inHand {
			continue
		}
		switch goal := b.support[x]; {
		case goal >= 0 && (b.moved[goal] || b.above[goal] != free):
			total += 3
		case goal != free:
			total++
		}
	}
	return total
}

// blocksShape is the four-action Blocksworld, preconditions after ? and effects after +, with predicates by role; 0 is
// the block that is held before or after.
var blocksShape = []string{
	"+C0 +E +O01 +not C1 +not H0 ?C1 ?H0",
	"+C0 +E +T0 +not H0 ?H0",
	"+C1 +H0 +not C0 +not E +not O01 ?C0 ?E ?O01",
	"+H0 +not C0 +not E +not T0 ?C0 ?E ?T0",
}

// blocksRoles returns the roles of a Blocksworld's predicates by name, or nil for any other domain: O on a block, T on
// the table, H held, C clear, E empty hand. Names do not matter: the actions are compared by structure.
func blocksRoles(d *Domain) map[string]string {
	if len(d.Actions) != 4 || len(d.Predicates) != 5 || len(d.Constants) > 0 {
		return nil
	}
	uses := map[string]int{}
	for _, a := range d.Actions {
		for _, l := range slices.Concat(a.Pre, a.Effect) {
			uses[l.Name]++
		}
	}
	order := slices.Clone(d.Predicates) // by arity, then by how often actions name them
	slices.SortFunc(order, func(a, b Predicate) int {
		return cmp.Or(len(a.Params)-len(b.Params), uses[a.Name]-uses[b.Name])
	})
	role := map[string]string{}
	for i, p := range order {
		if len(p.Params) != []int{0, 1, 1, 1, 2}[i] {
			return nil
		}
		role[p.Name] = "ETHCO"[i : i+1]
	}
	var shapes []string
	for _, a := range d.Actions {
		if shapes = append(shapes, shape(a, role)); len(a.Params) > 2 {
			return nil
		}
	}
	slices.Sort(shapes)
	if !slices.Equal(shapes, blocksShape) {
		return nil
	}
	return role
}

// shape writes the literals of an action in the notation of blocksShape.
func shape(a Action, role map[string]string) string {
	all := slices.Concat(a.Pre, a.Effect)
	held := first(all, func(l *Literal) bool { return role[l.Name] == "H" })
	var words []string
	for i, l := range all {
		word := "?"
		if i >= len(a.Pre) {
			word = "+"
		}
		if l.Negated {
			word += "not "
		}
		word += role[l.Name]
		for _, v := range l.Args {
			if held != nil && v == held.Args[0] {
				word += "0"
			} else {
				word += "1"
			}
		}
		words = append(words, word)
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}
