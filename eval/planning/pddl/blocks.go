package pddl

import (
	"slices"
	"strings"
)

// blocks is the Blocksworld heuristic. A block is misplaced when it is not on its goal support, is
// above a misplaced block, or sits where another block must go; it costs at least a pick-up and a
// put-down. A misplaced block that is above a misplaced one both now and in the goal must move twice.
type blocks struct {
	n int

	support  []int // goal support by block; onTable; free where the goal says nothing
	goalOver []int // block that the goal puts on this one; free
	beneath  []State
	kinds    []fluent // by fact

	below, above []int
	moved        []bool
	under        []State // misplaced blocks below each block
}

const (
	onTable = -1
	free    = -2
	inHand  = -3
)

// fluent says what a fact of a Blocksworld means.
type fluent struct {
	kind         byte // 'o' on, 't' on the table, 'h' held, 0 anything else
	upper, lower int
}

// blocksNames are the predicates of a Blocksworld domain.
type blocksNames struct{ on, table, clear, holding, empty string }

// newBlocks returns the heuristic, or nil where the problem is no Blocksworld with four actions whose
// goal speaks of on and on-table only. Names do not matter: the actions are compared by structure.
func newBlocks(t *Task) *blocks {
	names, ok := blocksDomain(t.Problem.Domain)
	if !ok {
		return nil
	}
	number := map[string]int{}
	for i, o := range t.Problem.Objects {
		number[o.Name] = i
	}
	n := len(number)
	b := &blocks{n: n, support: fill(n, free), goalOver: fill(n, free), below: make([]int, n), above: make([]int, n), moved: make([]bool, n)}
	for _, l := range t.Problem.Goal {
		switch {
		case l.Negated:
			return nil
		case l.Name == names.on:
			upper, lower := number[l.Args[0]], number[l.Args[1]]
			if b.support[upper] != free || b.goalOver[lower] != free {
				return nil
			}
			b.support[upper], b.goalOver[lower] = lower, upper
		case l.Name == names.table && b.support[number[l.Args[0]]] == free:
			b.support[number[l.Args[0]]] = onTable
		case l.Name != names.clear && l.Name != names.empty:
			return nil
		}
	}
	for _, a := range slices.Concat(t.Facts, t.Static) {
		f := fluent{}
		switch a.Name {
		case names.on:
			f = fluent{'o', number[a.Args[0]], number[a.Args[1]]}
		case names.table:
			f = fluent{kind: 't', upper: number[a.Args[0]]}
		case names.holding:
			f = fluent{kind: 'h', upper: number[a.Args[0]]}
		}
		b.kinds = append(b.kinds, f)
	}
	words := (n + 63) / 64
	for range n {
		b.beneath, b.under = append(b.beneath, make(State, words)), append(b.under, make(State, words))
	}
	return b.prepare(t, names)
}

// prepare fills what lies below each block in the goal, and refuses goals and initial states with
// cycles or with blocks in two places.
func (b *blocks) prepare(t *Task, names blocksNames) *blocks {
	for i := range b.n {
		steps := 0
		for s := b.support[i]; s >= 0; s = b.support[s] {
			b.beneath[i][s>>6] |= 1 << (s & 63)
			if steps++; steps > b.n {
				return nil
			}
		}
	}
	placed := 0
	for _, a := range t.Problem.Init {
		if a.Name == names.on || a.Name == names.table || a.Name == names.holding {
			placed++
		}
	}
	// Problems with a block that can never move are left to LM-cut.
	if _, ok := b.order(t.Init); !ok || placed != b.n || len(t.Static) > 0 {
		return nil
	}
	return b
}

func fill(n, value int) []int { return slices.Repeat([]int{value}, n) }

// order reads a state and returns the blocks from the table upwards, and whether each block has a place
// there or in the hand.
func (b *blocks) order(s State) (order []int, ok bool) {
	for i := range b.n {
		b.below[i], b.above[i] = free, free
	}
	held := 0
	for f, k := range b.kinds {
		if k.kind == 0 || !s.Has(int32(f)) {
			continue
		}
		switch k.kind {
		case 'o':
			b.below[k.upper], b.above[k.lower] = k.lower, k.upper
		case 't':
			b.below[k.upper] = onTable
		case 'h':
			b.below[k.upper] = inHand
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
		clear(b.under[x])
		if below >= 0 {
			copy(b.under[x], b.under[below])
			if b.moved[below] {
				b.under[x][below>>6] |= 1 << (below & 63)
			}
		}
		if !b.moved[x] {
			continue
		}
		total += 2
		for i, w := range b.under[x] {
			if w&b.beneath[x][i] != 0 {
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

// blocksShape is the four-action Blocksworld with predicates by letter; 0 is the block that is held before or after.
var blocksShape = []string{
	"pre C0 E T0 add H0 del C0 E T0",
	"pre H0 add C0 E T0 del H0",
	"pre C1 H0 add C0 E O01 del C1 H0",
	"pre C0 E O01 add C1 H0 del C0 E O01",
}

// blocksDomain finds the roles of the predicates of a Blocksworld domain.
func blocksDomain(d *Domain) (blocksNames, bool) {
	if len(d.Actions) != 4 || len(d.Predicates) != 5 || len(d.Constants) > 0 {
		return blocksNames{}, false
	}
	by := map[int][]string{}
	for _, p := range d.Predicates {
		by[len(p.Params)] = append(by[len(p.Params)], p.Name)
	}
	if len(by[0]) != 1 || len(by[1]) != 3 || len(by[2]) != 1 {
		return blocksNames{}, false
	}
	u := by[1]
	for _, i := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		n := blocksNames{on: by[2][0], empty: by[0][0], table: u[i[0]], clear: u[i[1]], holding: u[i[2]]}
		letter := map[string]string{n.on: "O", n.empty: "E", n.table: "T", n.clear: "C", n.holding: "H"}
		var have []string
		for _, a := range d.Actions {
			have = append(have, shape(a, letter))
		}
		if !slices.ContainsFunc(blocksShape, func(want string) bool { return !slices.Contains(have, want) }) {
			return n, true
		}
	}
	return blocksNames{}, false
}

// shape writes an action in the notation of blocksShape.
func shape(a Action, letter map[string]string) string {
	held := ""
	for _, l := range slices.Concat(a.Pre, a.Effect) {
		if letter[l.Name] == "H" {
			held = l.Args[0]
		}
	}
	write := func(list []Literal, negated bool) string {
		var out []string
		for _, l := range list {
			word := letter[l.Name]
			for _, v := range l.Args {
				if v == held {
					word += "0"
				} else {
					word += "1"
				}
			}
			if l.Negated == negated {
				out = append(out, word)
			}
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	if len(a.Params) > 2 || slices.ContainsFunc(a.Pre, func(l Literal) bool { return l.Negated }) {
		return "more than a Blocksworld has"
	}
	return "pre " + write(a.Pre, false) + " add " + write(a.Effect, false) + " del " + write(a.Effect, true)
}
