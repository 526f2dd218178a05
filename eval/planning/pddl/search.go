package pddl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Infinite is the estimate for a state from which the goal cannot be reached.
const Infinite = math.MaxInt32

// Heuristic estimates the cost from a state to the goal and never overestimates it.
type Heuristic interface {
	Estimate(s State) int
}

// Outcome says how a search ended.
type Outcome string

const (
	Optimal    Outcome = "optimal"
	Unsolved   Outcome = "unsolved within limit"
	Unsolvable Outcome = "unsolvable" // the whole space was searched
)

// Options limit a search. The zero value sets the default limits.
type Options struct {
	MaxNodes  int              // stored states; 0: as many as fit half a GiB
	MaxTime   time.Duration    // 0: none
	Now       func() time.Time // needed where MaxTime is set
	Heuristic string           // a name of Heuristics; "" chooses
	Shuffle   *rand.Rand       // breaks ties at random, to sample optimal plans; nil: by action name
}

// Solution is what a search found.
type Solution struct {
	Outcome  Outcome
	Plan     []Atom // cheapest first among equals: by estimate, then by action name
	Cost     int
	Expanded int
	Stored   int // distinct states
}

// defaultBytes is the memory that stored states may take unless MaxNodes says otherwise.
const defaultBytes = 512 << 20

func (o Options) maxNodes(width int) int {
	if o.MaxNodes > 0 {
		return min(o.MaxNodes, math.MaxInt32)
	}
	return defaultBytes / (8*width + 64)
}

// NewHeuristic returns a heuristic by name: blind, hmax, lmcut, or blocks where the problem is a
// Blocksworld. The empty name chooses blocks where it can and lmcut elsewhere.
func NewHeuristic(t *Task, name string) (Heuristic, error) {
	switch name {
	case "blind":
		return blind{t}, nil
	case "hmax":
		return &hmax{*newRelaxed(t)}, nil
	case "blocks", "":
		if b := newBlocks(t); b != nil {
			return b, nil
		} else if name != "" {
			return nil, fmt.Errorf("heuristic blocks: problem %s is not a four-action Blocksworld", t.Problem.Name)
		}
		fallthrough
	case "lmcut":
		return newLMCut(t), nil
	}
	return nil, fmt.Errorf("unknown heuristic %q: want blind, hmax, lmcut or blocks", name)
}

// node is a stored state of a search.
type node struct {
	cost, estimate int32
	parent, op     int32
	same           int32 // the node before of the same hash; -1: none
	closed         bool
}

// search is one run of A*.
type search struct {
	t      *Task
	h      Heuristic
	o      Options
	nodes  []node
	states []uint64         // of the nodes, one after another
	byHash map[uint64]int32 // 1 + the last node of a hash
	open   minHeap[entry]
	seq    uint32
	bound  int32 // nodes of a greater sum are not looked at

	expanded int
	started  time.Time
}

var errLimit = errors.New("limit reached")

// Solve finds a cheapest plan by A*. It is deterministic: among equal sums the smaller estimate goes
// first, then the order of action names.
func Solve(ctx context.Context, t *Task, o Options) (Solution, error) {
	s, goal, err := start(ctx, t, o)
	if s == nil {
		return Solution{}, err
	}
	return s.solution(goal, err)
}

// solution turns the end of a search into its result.
func (s *search) solution(goal int32, err error) (Solution, error) {
	found := Solution{Outcome: Optimal, Expanded: s.expanded, Stored: len(s.nodes)}
	switch {
	case errors.Is(err, errLimit):
		found.Outcome = Unsolved
		return found, nil
	case err != nil:
		return found, err
	case goal < 0:
		found.Outcome = Unsolvable
		return found, nil
	}
	found.Cost = int(s.nodes[goal].cost)
	for n := goal; s.nodes[n].parent >= 0; n = s.nodes[n].parent {
		found.Plan = append(found.Plan, s.t.Operators[s.nodes[n].op].Atom)
	}
	slices.Reverse(found.Plan)
	return found, nil
}

// start runs A* and returns the first goal node, or -1. The search is nil only when the options are wrong.
func start(ctx context.Context, t *Task, o Options) (*search, int32, error) {
	h, err := NewHeuristic(t, o.Heuristic)
	if err != nil {
		return nil, -1, err
	}
	s := &search{t: t, h: h, o: o, byHash: map[uint64]int32{}, bound: Infinite}
	if o.MaxTime > 0 {
		s.started = o.Now()
	}
	if !t.Solvable {
		return s, -1, nil
	}
	if err := s.visit(t.Init, node{parent: -1, op: -1}); err != nil {
		return s, -1, err
	}
	goal, err := s.run(ctx)
	return s, goal, err
}

// visit stores a state reached at some cost, or updates it where the new way is cheaper.
func (s *search) visit(state State, via node) error {
	id, hash := s.find(state)
	switch {
	case id < 0 && len(s.nodes) == s.o.maxNodes(len(state)):
		return errLimit
	case id < 0:
		id = int32(len(s.nodes))
		via.estimate, via.same = int32(s.h.Estimate(state)), s.byHash[hash]-1
		s.byHash[hash] = id + 1
		s.nodes, s.states = append(s.nodes, via), append(s.states, state...)
	case s.nodes[id].cost <= via.cost:
		return nil
	default:
		via.estimate, via.same = s.nodes[id].estimate, s.nodes[id].same
		s.nodes[id] = via
	}
	if via.estimate == Infinite {
		return nil
	}
	s.seq++
	tie := s.seq
	if s.o.Shuffle != nil {
		tie = s.o.Shuffle.Uint32()
	}
	s.open.push(entry{via.cost + via.estimate, via.estimate, tie, id})
	return nil
}

// run expands nodes until a goal is closed, whose number it returns, or none is left (-1).
func (s *search) run(ctx context.Context) (int32, error) {
	state := make(State, len(s.t.Init))
	next := make(State, len(s.t.Init))
	for len(s.open) > 0 && s.open[0].sum <= s.bound {
		id := s.open.pop().id
		n := &s.nodes[id]
		if n.closed {
			continue
		}
		n.closed = true
		copy(state, s.state(id))
		if s.t.Reached(state) {
			return id, nil
		}
		if err := s.stop(ctx); err != nil {
			return -1, err
		}
		cost := n.cost
		s.expanded++
		for i := range s.t.Operators {
			if !s.t.Applicable(state, i) {
				continue
			}
			s.t.Apply(next, state, i)
			via := node{cost: cost + int32(s.t.Operators[i].Cost), parent: id, op: int32(i)}
			if err := s.visit(next, via); err != nil {
				return -1, err
			}
		}
	}
	return -1, nil
}

// stop returns an error when the time is over or the context is done; it looks now and then.
func (s *search) stop(ctx context.Context) error {
	if s.expanded%64 != 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.o.MaxTime > 0 && s.o.Now().Sub(s.started) > s.o.MaxTime {
		return errLimit
	}
	return nil
}

// entry is a queued node.
type entry struct {
	sum, estimate int32
	tie           uint32
	id            int32
}

func (a entry) before(b entry) bool {
	return a.sum < b.sum || a.sum == b.sum && (a.estimate < b.estimate || a.estimate == b.estimate && a.tie < b.tie)
}

// state returns the state of a node.
func (s *search) state(id int32) State {
	width := len(s.t.Init)
	return s.states[int(id)*width : int(id+1)*width]
}

// find returns the node of a state, or -1, and the hash of the state.
func (s *search) find(state State) (id int32, hash uint64) {
	hash = 0x9e3779b97f4a7c15
	for _, w := range state {
		hash = (hash ^ w) * 0xff51afd7ed558ccd
		hash ^= hash >> 32
	}
	id = s.byHash[hash] - 1
	for id >= 0 && !slices.Equal(s.state(id), state) {
		id = s.nodes[id].same
	}
	return id, hash
}

// before is an order on the items of a heap.
type before[T any] interface{ before(T) bool }

// minHeap is a binary heap. container/heap would box each item, which costs a search a third of its time.
type minHeap[T before[T]] []T

func (h *minHeap[T]) push(x T) {
	q := append(*h, x)
	for i := len(q) - 1; i > 0 && q[i].before(q[(i-1)/2]); i = (i - 1) / 2 {
		q[i], q[(i-1)/2] = q[(i-1)/2], q[i]
	}
	*h = q
}

func (h *minHeap[T]) pop() T {
	q := *h
	top, n := q[0], len(q)-1
	q[0], q = q[n], q[:n]
	for i, down := 0, 1; down < n; i, down = down, 2*down+1 {
		if down+1 < n && q[down+1].before(q[down]) {
			down++
		}
		if !q[down].before(q[i]) {
			break
		}
		q[i], q[down] = q[down], q[i]
	}
	*h = q
	return top
}
