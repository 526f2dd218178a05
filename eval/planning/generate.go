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
	Domain string // "blocksworld" or "depots"

	MinBlocks, MaxBlocks int  // of Blocksworld
	Uniform              bool // Blocksworld: both states uniform over all; else a stack of a random subset, and one tower as the goal

	Depots, Distributors, Trucks, Pallets, Hoists, Crates int // of Depots
}

// DefaultGenerator has the sizes of the paper: Blocksworld with 3 to 12 blocks, Depots with 18 objects.
func DefaultGenerator(domain string) Generator {
	return Generator{
		Domain: domain, MinBlocks: 3, MaxBlocks: 12,
		Depots: 3, Distributors: 1, Trucks: 3, Pallets: 4, Hoists: 4, Crates: 3,
	}
}

// Validate reports settings that no problem can have.
func (g Generator) Validate() error {
	places := g.Depots + g.Distributors
	switch {
	case g.Domain != "blocksworld" && g.Domain != "depots":
		return fmt.Errorf("no generator for domain %q: want blocksworld or depots", g.Domain)
	case g.MinBlocks < 2 || g.MaxBlocks < g.MinBlocks || g.MaxBlocks > 64:
		return fmt.Errorf("blocks from %d to %d: want 2 or more, at most 64, and the lower number first", g.MinBlocks, g.MaxBlocks)
	case g.Domain == "depots" && (places < 1 || g.Depots < 0 || g.Distributors < 0 || g.Trucks < 1 || g.Crates < 1 || g.Pallets < places || g.Hoists < places):
		return errors.New("depots need a place, a truck, a crate, and for each place a pallet and a hoist")
	case g.Domain == "depots" && g.Pallets+g.Crates+g.Hoists+g.Trucks+places > 200:
		return errors.New("depots with more than 200 objects are not made")
	}
	return nil
}

// paperSizes are how many of PlanBench's 501 Blocksworld problems have 3 to 12 blocks. With them the
// mean optimal cost comes to the paper's 18.7; with equal shares it is about 20.
var paperSizes = []int{52, 64, 50, 48, 45, 60, 43, 66, 37, 36}

// blocks draws a number of blocks.
func (g Generator) blocks(rng *rand.Rand) int {
	if g.MinBlocks != 3 || g.MaxBlocks != 12 {
		return g.MinBlocks + rng.IntN(g.MaxBlocks-g.MinBlocks+1)
	}
	at := rng.IntN(501)
	n := 0
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
	return collect(ctx, n, o, progress, func(done int) (*World, error) {
		body, goal := g.draw(rng)
		id := fmt.Sprintf("%s-%d-%04d", g.Domain, seed, done+1)
		return Problem{ID: id, Rules: string(rules), PDDL: fmt.Sprintf("(define (problem %s)\n  (:domain %s)\n%s  (:goal (and%s)))\n", id, g.Domain, body, goal)}.Open()
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

// draw returns the objects and initial state of a problem, and the atoms of its goal.
func (g Generator) draw(rng *rand.Rand) (body, goal string) {
	if g.Domain == "depots" {
		return g.drawDepots(rng)
	}
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
	var init []string
	for _, tower := range start {
		init = append(init, fmt.Sprintf("(ontable b%d)", tower[0]+1), fmt.Sprintf("(clear b%d)", tower[len(tower)-1]+1))
	}
	init = append(init, onAtoms(start)...)
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("b%d", i+1)
	}
	slices.Sort(init)
	body = fmt.Sprintf("  (:objects %s)\n  (:init (handempty) %s)\n", strings.Join(names, " "), strings.Join(init, " "))
	atoms := onAtoms(end)
	slices.Sort(atoms)
	for _, a := range atoms {
		goal += " " + a
	}
	return body, goal
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
func (g Generator) drawDepots(rng *rand.Rand) (body, goal string) {
	var places []string
	for i := range g.Depots {
		places = append(places, fmt.Sprintf("depot%d", i))
	}
	for i := range g.Distributors {
		places = append(places, fmt.Sprintf("distributor%d", i))
	}
	var init []string
	where := make([]string, g.Pallets)
	fixed := func(kind string, i int) string { // the first ones fill the places, the rest are anywhere
		p := places[min(i, len(places)-1)]
		if i >= len(places) {
			p = places[rng.IntN(len(places))]
		}
		init = append(init, fmt.Sprintf("(at %s%d %s)", kind, i, p))
		return p
	}
	for i := range g.Pallets {
		where[i] = fixed("pallet", i)
	}
	for i := range g.Hoists {
		fixed("hoist", i)
		init = append(init, fmt.Sprintf("(available hoist%d)", i))
	}
	for i := range g.Trucks {
		init = append(init, fmt.Sprintf("(at truck%d %s)", i, places[rng.IntN(len(places))]))
	}
	top := make([]string, g.Pallets)
	reset := func() {
		for i := range top {
			top[i] = fmt.Sprintf("pallet%d", i)
		}
	}
	reset()
	for c := range g.Crates {
		crate, i := fmt.Sprintf("crate%d", c), rng.IntN(g.Pallets)
		init = append(init, fmt.Sprintf("(on %s %s)", crate, top[i]), fmt.Sprintf("(at %s %s)", crate, where[i]))
		top[i] = crate
	}
	for _, t := range top {
		init = append(init, fmt.Sprintf("(clear %s)", t))
	}
	reset()
	var atoms []string
	placed := make([]bool, g.Crates)
	for range 2 * g.Crates {
		c, i := rng.IntN(g.Crates), rng.IntN(g.Pallets)
		if !placed[c] {
			placed[c] = true
			atoms = append(atoms, fmt.Sprintf("(on crate%d %s)", c, top[i]))
			top[i] = fmt.Sprintf("crate%d", c)
		}
	}
	slices.Sort(init)
	slices.Sort(atoms)
	objects := func(kind string, n int) string {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("%s%d", kind, i))
		}
		if n == 0 {
			return ""
		}
		return " " + strings.Join(names, " ") + " - " + kind
	}
	body = fmt.Sprintf("  (:objects%s%s%s%s%s%s)\n  (:init %s)\n", objects("depot", g.Depots), objects("distributor", g.Distributors),
		objects("truck", g.Trucks), objects("pallet", g.Pallets), objects("hoist", g.Hoists), objects("crate", g.Crates), strings.Join(init, " "))
	return body, " " + strings.Join(atoms, " ")
}
