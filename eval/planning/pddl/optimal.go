package pddl

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
)

// Graph holds all optimal plans of a task: they are the paths from the start to a goal node.
type Graph struct {
	Cost int

	t     *Task
	nodes []graphNode // the start is the last one; edges lead to lower indices
}

type graphNode struct {
	edges []edge // by action name
	count float64
}

type edge struct{ op, to int32 }

// AllOptimal finds one optimal plan, as Solve does, and the graph of all. The graph is nil where there
// is no plan, where a limit is reached before it is complete, or where actions of cost 0 make the
// number of optimal plans infinite; then Options.Shuffle samples them.
func AllOptimal(ctx context.Context, t *Task, o Options) (Solution, *Graph, error) {
	o.Shuffle = nil
	s, goal, err := start(ctx, t, o)
	if s == nil {
		return Solution{}, nil, err
	}
	first, err := s.solution(goal, err)
	free := slices.ContainsFunc(t.Operators, func(op Operator) bool { return op.Cost == 0 })
	if err != nil || first.Outcome != Optimal || free {
		return first, nil, err
	}
	s.bound = int32(first.Cost)
	for goal >= 0 && err == nil {
		goal, err = s.run(ctx)
	}
	if errors.Is(err, errLimit) {
		return first, nil, nil
	}
	if err != nil {
		return first, nil, err
	}
	return first, s.graph(int32(first.Cost)), nil
}

// graph keeps the nodes and edges on paths of the optimal cost.
func (s *search) graph(cost int32) *Graph {
	var ids []int32
	for id, n := range s.nodes {
		if n.closed && n.cost+n.estimate <= cost {
			ids = append(ids, int32(id))
		}
	}
	// Farthest first: edges lead to nodes that are numbered already.
	slices.SortStableFunc(ids, func(a, b int32) int { return cmp.Compare(s.nodes[b].cost, s.nodes[a].cost) })
	number := make(map[int32]int32, len(ids))
	g := &Graph{Cost: int(cost), t: s.t}
	next := make(State, len(s.t.Init))
	for _, id := range ids {
		state := s.state(id)
		var n graphNode
		if s.t.Reached(state) {
			if s.nodes[id].cost != cost {
				continue
			}
			n.count = 1
		} else {
			for op := range s.t.Operators {
				if !s.t.Applicable(state, op) {
					continue
				}
				s.t.Apply(next, state, op)
				to, _ := s.find(next)
				if to < 0 || s.nodes[to].cost != s.nodes[id].cost+int32(s.t.Operators[op].Cost) {
					continue
				}
				if i, useful := number[to]; useful {
					n.edges = append(n.edges, edge{int32(op), i})
					n.count += g.nodes[i].count
				}
			}
		}
		if n.count > 0 {
			number[id] = int32(len(g.nodes))
			g.nodes = append(g.nodes, n)
		}
	}
	return g
}

// Count returns the number of optimal plans.
func (g *Graph) Count() float64 { return g.nodes[len(g.nodes)-1].count }

// Sample draws an optimal plan, each with the same probability.
func (g *Graph) Sample(rng *rand.Rand) []Atom {
	var plan []Atom
	for n := g.nodes[len(g.nodes)-1]; len(n.edges) > 0; {
		at := rng.Float64() * n.count
		i := 0
		for ; i < len(n.edges)-1 && at >= g.nodes[n.edges[i].to].count; i++ {
			at -= g.nodes[n.edges[i].to].count
		}
		plan = append(plan, g.t.Operators[n.edges[i].op].Atom)
		n = g.nodes[n.edges[i].to]
	}
	return plan
}

// Closest returns an optimal plan that shares the largest part of its actions with a set, by
// intersection over union. It takes each action of a plan as different from the others, which no
// optimal plan of Blocksworld or Depots breaks.
func (g *Graph) Closest(set map[string]bool) []Atom {
	// shared[i][k] is the greatest number of shared actions of a path of k steps from node i.
	type best struct{ shared, edge int32 }
	shared := make([]map[int]best, len(g.nodes))
	in := make([]int32, len(g.t.Operators))
	for i, op := range g.t.Operators {
		if set[op.Atom.String()] {
			in[i] = 1
		}
	}
	for i, n := range g.nodes {
		shared[i] = map[int]best{}
		if len(n.edges) == 0 {
			shared[i][0] = best{}
		}
		for e, to := range n.edges {
			for steps, b := range shared[to.to] {
				with := b.shared + in[to.op]
				if old, ok := shared[i][steps+1]; !ok || with > old.shared || with == old.shared && int32(e) < old.edge {
					shared[i][steps+1] = best{with, int32(e)}
				}
			}
		}
	}
	at, steps, score := len(g.nodes)-1, 0, -1.0
	for k, b := range shared[at] {
		iou := float64(b.shared) / float64(max(1, k+len(set)-int(b.shared)))
		if iou > score || iou == score && k < steps {
			steps, score = k, iou
		}
	}
	var plan []Atom
	for ; steps > 0; steps-- {
		e := g.nodes[at].edges[shared[at][steps].edge]
		plan = append(plan, g.t.Operators[e.op].Atom)
		at = int(e.to)
	}
	return plan
}
