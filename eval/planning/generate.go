package planning

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/eval/planning/pddl"
)

// Generator makes random problems of one domain.
type Generator struct {
	Domain  string // "blocksworld" or "depots"
	Blocks  [2]int // least and greatest number of blocks
	Uniform bool   // Blocksworld: both states uniform over all; else a stack of a random subset, and one tower as the goal
	Depots  [6]int // numbers of objects by kind, in the order of depotsKinds
}

// depotsKinds are the types of objects in Depots.
var depotsKinds = []string{"depot", "distributor", "truck", "pallet", "hoist", "crate"}

// DefaultGenerator has the sizes of the paper: Blocksworld with 3 to 12 blocks, Depots with 18 objects.
func DefaultGenerator(domain string) Generator {
	return Generator{Domain: domain, Blocks: [2]int{3, 12}, Depots: [6]int{3, 1, 3, 4, 4, 3}}
}

// Validate reports settings that no problem can have.
func (g Generator) Validate() error {
	places := g.Depots[0] + g.Depots[1]
	switch {
	case g.Domain != "blocksworld" && g.Domain != "depots":
		return fmt.Errorf("no generator for domain %q: want blocksworld or depots", g.Domain)
	case g.Blocks[0] < 2 || g.Blocks[1] < g.Blocks[0] || g.Blocks[1] > 64:
		return fmt.Errorf("blocks from %d to %d: want 2 or more, at most 64, and the lower number first", g.Blocks[0], g.Blocks[1])
	case places < 1 || slices.Min(g.Depots[:2]) < 0 || g.Depots[2] < 1 || g.Depots[5] < 1 || slices.Min(g.Depots[3:5]) < places || slices.Max(g.Depots[:]) > 99:
		return errors.New("depots need a place, a truck, a crate, and for each place a pallet and a hoist; at most 99 of each")
	}
	return nil
}

// paperSizes are how many of PlanBench's 501 Blocksworld problems have 3 to 12 blocks. With them the
// mean optimal cost comes to the paper's 18.7; with equal shares it is about 20.
var paperSizes = []int{52, 64, 50, 48, 45, 60, 43, 66, 37, 36}

// blocks draws a number of blocks.
func (g Generator) blocks(rng *rand.Rand) int {
	if g.Blocks != [2]int{3, 12} {
		return g.Blocks[0] + rng.IntN(g.Blocks[1]-g.Blocks[0]+1)
	}
	at, n := rng.IntN(501), 0
	for ; at >= paperSizes[n]; n++ {
		at -= paperSizes[n]
	}
	return 3 + n
}

// maxTries bounds how many drawn problems in a row may be refused.
const maxTries = 1000

// Generate draws n problems from a seed, each once and none whose goal holds at once, and solves them.
// A problem that is not solved within the limits is drawn anew. progress, which may be nil, is called
// after each.
func (g Generator) Generate(ctx context.Context, n int, seed uint64, o pddl.Options, progress func(done int)) ([]*World, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	rules, err := files.ReadFile("domains/" + g.Domain + ".pddl")
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 0x706c616e))
	draw := map[string]func(*rand.Rand) (objects, init, goal []string){"blocksworld": g.drawBlocks, "depots": g.drawDepots}[g.Domain]
	return collect(ctx, n, o, progress, func(done int) (*World, error) {
		objects, init, goal := draw(rng)
		slices.Sort(init)
		slices.Sort(goal)
		id := fmt.Sprintf("%s-%d-%04d", g.Domain, seed, done+1)
		return Problem{ID: id, Rules: string(rules), PDDL: fmt.Sprintf("(define (problem %s)\n  (:domain %s)\n  (:objects %s)\n  (:init %s)\n  (:goal (and %s)))\n",
			id, g.Domain, strings.Join(objects, " "), strings.Join(init, " "), strings.Join(goal, " "))}.Open()
	})
}

// collect takes problems from next until there are n: each once, none whose goal holds at once, and
// none that is unsolved within the limits. It solves them.
func collect(ctx context.Context, n int, o pddl.Options, progress func(done int), next func(done int) (*World, error)) ([]*World, error) {
	seen := map[string]bool{}
	var out []*World
	for tries := 0; len(out) < n; tries++ {
		if tries == maxTries {
			return nil, fmt.Errorf("only %d different problems were found within the limits, not %d: ask for fewer, or for more objects", len(out), n)
		}
		w, err := next(len(out))
		if err != nil {
			return nil, err
		}
		key := w.Rules + w.factsPDDL(true)
		if seen[key] || w.Task.Reached(w.Task.Init) {
			continue
		}
		seen[key] = true
		solved, err := w.Solve(ctx, o)
		if err != nil {
			return nil, err
		}
		if solved {
			out, tries = append(out, w), 0
			if progress != nil {
				progress(len(out))
			}
		}
	}
	return out, nil
}

// numbered returns n names: b1, b2 and so on from the first number.
func numbered(kind string, first, n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprint(kind, first+i))
	}
	return names
}

// drawBlocks draws the objects of a problem, and the atoms of its initial state and of its goal.
func (g Generator) drawBlocks(rng *rand.Rand) (objects, init, goal []string) {
	n := g.blocks(rng)
	var start, end [][]int
	if g.Uniform {
		start, end = uniformTowers(n, rng), uniformTowers(n, rng)
	} else {
		order := rng.Perm(n)
		k := 2 + rng.IntN(n-1)
		start = [][]int{order[:k]}
		for _, b := range order[k:] {
			start = append(start, []int{b})
		}
		end = [][]int{rng.Perm(n)}
	}
	init = append(onAtoms(start), "(handempty)")
	for _, tower := range start {
		init = append(init, fmt.Sprintf("(ontable b%d)", tower[0]+1), fmt.Sprintf("(clear b%d)", tower[len(tower)-1]+1))
	}
	return numbered("b", 1, n), init, onAtoms(end)
}

// onAtoms returns the on-facts of towers, which are listed from the bottom.
func onAtoms(towers [][]int) (out []string) {
	for _, t := range towers {
		for i := 1; i < len(t); i++ {
			out = append(out, fmt.Sprintf("(on b%d b%d)", t[i]+1, t[i-1]+1))
		}
	}
	return out
}

// uniformTowers draws a state of n blocks, each with the same probability. Towers are grounded when
// they stand on the table for good; an ungrounded one is put on the table with the probability that
// the counts of states give (Slaney and Thiebaux), else on any other tower.
func uniformTowers(n int, rng *rand.Rand) [][]int {
	// ratio[u][g] is count(u, g+1)/count(u, g), where count(u, g) is the number of states that u
	// ungrounded and g grounded towers can become: count(u+1, g) = count(u, g)*(u+g) + count(u, g+1).
	// Dividing by count(u, g) gives the recurrence in ratios, which do not overflow.
	ratio := make([][]float64, n+1)
	for u := range ratio {
		ratio[u] = make([]float64, n-u+2)
		for g := range ratio[u] {
			if u == 0 {
				ratio[u][g] = 1
				continue
			}
			below, next := ratio[u-1][g], ratio[u-1][g+1]
			ratio[u][g] = below * (float64(u+g) + next) / (float64(u-1+g) + below)
		}
	}
	loose := make([][]int, n)
	for i, b := range rng.Perm(n) {
		loose[i] = []int{b}
	}
	var grounded [][]int
	for len(loose) > 0 {
		u, g := len(loose), len(grounded)
		t := loose[u-1]
		loose = loose[:u-1]
		onto := ratio[u-1][g] / (ratio[u-1][g] + float64(u-1+g))
		if rng.Float64() < onto {
			grounded = append(grounded, t)
			continue
		}
		if i := rng.IntN(u - 1 + g); i < u-1 {
			loose[i] = append(loose[i], t...)
		} else {
			grounded[i-u+1] = append(grounded[i-u+1], t...)
		}
	}
	return grounded
}

// drawDepots draws crates onto random pallets, trucks to random places, and for the goal puts crates
// onto random pallets again, in 2*crates draws of which those of crates already put do nothing: some
// crates have no goal.
func (g Generator) drawDepots(rng *rand.Rand) (objects, init, goal []string) {
	of := map[string][]string{}
	for i, kind := range depotsKinds {
		if of[kind] = numbered(kind, 0, g.Depots[i]); g.Depots[i] > 0 {
			objects = append(append(objects, of[kind]...), "- "+kind)
		}
	}
	places := slices.Concat(of["depot"], of["distributor"])
	where := map[string]string{}
	put := func(object string, at string) {
		where[object] = at
		init = append(init, fmt.Sprintf("(at %s %s)", object, at))
	}
	for _, kind := range []string{"pallet", "hoist", "truck"} { // the first pallets and hoists fill the places, the rest are anywhere
		for i, x := range of[kind] {
			if i < len(places) && kind != "truck" {
				put(x, places[i])
			} else {
				put(x, places[rng.IntN(len(places))])
			}
		}
	}
	for _, hoist := range of["hoist"] {
		init = append(init, fmt.Sprintf("(available %s)", hoist))
	}
	onto := func(top []string, crate string, i int) string { // of a pallet or of what is on it
		atom := fmt.Sprintf("(on %s %s)", crate, top[i])
		top[i] = crate
		return atom
	}
	top := slices.Clone(of["pallet"])
	for _, crate := range of["crate"] {
		i := rng.IntN(len(top))
		put(crate, where[of["pallet"][i]])
		init = append(init, onto(top, crate, i))
	}
	for _, t := range top {
		init = append(init, fmt.Sprintf("(clear %s)", t))
	}
	top = slices.Clone(of["pallet"])
	placed := map[string]bool{}
	for range 2 * len(of["crate"]) {
		crate, i := of["crate"][rng.IntN(len(of["crate"]))], rng.IntN(len(top))
		if !placed[crate] {
			placed[crate] = true
			goal = append(goal, onto(top, crate, i))
		}
	}
	return objects, init, goal
}

// maxWalk bounds the random walks that vary problems.
const maxWalk = 30

// Vary makes n problems of the domain of some given ones, for domains without a generator: first the
// given ones, then variations of them, whose initial state is a random walk away from a given one and
// whose goal has as many atoms, of the same predicates, of a state another walk away. As in Generate,
// none is there twice, is solved at once, or is unsolved within the limits.
func Vary(ctx context.Context, given []*World, n int, seed uint64, o pddl.Options, progress func(done int)) ([]*World, error) {
	rng := rand.New(rand.NewPCG(seed, 0x76617279))
	i := -1
	return collect(ctx, n, o, progress, func(done int) (*World, error) {
		i++
		w := given[i%len(given)]
		if i < len(given) {
			return w, nil
		}
		p, err := w.vary(rng, fmt.Sprintf("%s-%d-%04d", w.ID, seed, done+1))
		if err != nil {
			return nil, err
		}
		return p.Open()
	})
}

// vary writes a variation of a problem.
func (w *World) vary(rng *rand.Rand, id string) (Problem, error) {
	p := *w.Task.Problem
	if p.Priced {
		return Problem{}, fmt.Errorf("problem %s: problems with action costs are not varied; give %s more of them", w.ID, w.Domain)
	}
	start := w.wander(w.Task.Init, 1+rng.IntN(maxWalk), rng)
	end := w.wander(start, 1+rng.IntN(maxWalk), rng)
	p.Init = w.Task.Atoms(start, true)
	var pool []pddl.Literal
	for _, a := range w.Task.Atoms(end, false) {
		if slices.ContainsFunc(w.Task.Problem.Goal, func(l pddl.Literal) bool { return l.Name == a.Name }) {
			pool = append(pool, pddl.Literal{Atom: a})
		}
	}
	rng.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	p.Goal = pool[:min(len(pool), len(p.Goal))]
	slices.SortFunc(p.Goal, func(a, b pddl.Literal) int { return strings.Compare(a.String(), b.String()) })
	task := *w.Task
	task.Problem = &p
	told := (&World{Task: &task}).factsPDDL(true)
	return Problem{ID: id, Rules: w.Rules, PDDL: fmt.Sprintf("(define (problem varied)\n(:domain %s)\n%s)\n", w.Domain, told)}, nil
}

// wander returns the state after random applicable actions.
func (w *World) wander(from pddl.State, steps int, rng *rand.Rand) pddl.State {
	s := slices.Clone(from)
	for range steps {
		apply := w.Task.AllApplicable(s)
		if len(apply) == 0 {
			break
		}
		w.Task.Apply(s, s, apply[rng.IntN(len(apply))])
	}
	return s
}
