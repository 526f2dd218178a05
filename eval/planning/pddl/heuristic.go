package pddl

import "slices"

// blind estimates 0 at the goal and the cheapest action elsewhere.
type blind struct{ t *Task }

func (b blind) Estimate(s State) int {
	if b.t.Reached(s) || len(b.t.Operators) == 0 {
		return 0
	}
	return slices.MinFunc(b.t.Operators, func(a, b Operator) int { return a.Cost - b.Cost }).Cost
}

// relaxed is a task without deletions, prepared for h-max. Two facts are added: one that always
// holds, for operators without preconditions, and one that an operator of cost 0 adds once all goals
// hold.
type relaxed struct {
	facts  int
	pre    [][]int32
	add    [][]int32
	base   []int32 // cost by operator
	needs  [][]int32
	adds   [][]int32 // operators by fact that they add
	always int32
	goal   int32

	cost      []int32 // by operator, reduced by LM-cut
	value     []int32 // h-max by fact
	left      []int32 // unreached preconditions by operator
	supporter []int32 // a precondition of greatest value by operator; -1: not reached
	from      []int32 // h-max of the supporter when it was last looked at
	queue     minHeap[valued]
}

func newRelaxed(t *Task) *relaxed {
	r := &relaxed{always: int32(len(t.Facts)), goal: int32(len(t.Facts) + 1), facts: len(t.Facts) + 2}
	for _, op := range t.Operators {
		r.push(op.Pre, op.Add, int32(op.Cost))
	}
	r.push(t.Goal, []int32{r.goal}, 0)
	r.needs = make([][]int32, r.facts)
	r.adds = make([][]int32, r.facts)
	for i := range r.pre {
		for _, f := range r.pre[i] {
			r.needs[f] = append(r.needs[f], int32(i))
		}
		for _, f := range r.add[i] {
			r.adds[f] = append(r.adds[f], int32(i))
		}
	}
	n := len(r.pre)
	r.cost, r.left = slices.Clone(r.base), make([]int32, n)
	r.supporter, r.from = make([]int32, n), make([]int32, n)
	r.value = make([]int32, r.facts)
	return r
}

func (r *relaxed) push(pre, add []int32, cost int32) {
	if len(pre) == 0 {
		pre = []int32{r.always}
	}
	r.pre, r.add, r.base = append(r.pre, pre), append(r.add, add), append(r.base, cost)
}

// explore computes h-max of every fact from a state under the present costs.
func (r *relaxed) explore(s State) {
	for i := range r.value {
		r.value[i] = Infinite
	}
	for i := range r.left {
		r.left[i], r.supporter[i] = int32(len(r.pre[i])), -1
	}
	r.holding(s, func(f int32) { r.reach(f, 0) })
	r.settle(func(op, _ int32) {
		if r.left[op]--; r.left[op] == 0 {
			r.fire(op)
		}
	})
}

// holding calls use for each fact that holds in a state.
func (r *relaxed) holding(s State, use func(f int32)) {
	use(r.always)
	for f := range int32(r.facts - 2) {
		if s.Has(f) {
			use(f)
		}
	}
}

// valued is a queued fact.
type valued struct{ value, fact int32 }

func (a valued) before(b valued) bool { return a.value < b.value }

// reach lowers the value of a fact and queues it.
func (r *relaxed) reach(f, value int32) {
	if value < r.value[f] {
		r.value[f] = value
		r.queue.push(valued{value, f})
	}
}

// settle takes queued facts by increasing value and calls use for the operators that need each.
func (r *relaxed) settle(use func(op, fact int32)) {
	for len(r.queue) > 0 {
		v := r.queue.pop()
		if r.value[v.fact] != v.value {
			continue
		}
		for _, op := range r.needs[v.fact] {
			use(op, v.fact)
		}
	}
}

// fire sets the supporter of an operator whose preconditions are all reached, and reaches what it adds.
func (r *relaxed) fire(op int32) {
	best := r.pre[op][0]
	for _, f := range r.pre[op][1:] {
		if r.value[f] > r.value[best] {
			best = f
		}
	}
	r.supporter[op], r.from[op] = best, r.value[best]
	value := r.value[best] + r.cost[op]
	for _, f := range r.add[op] {
		r.reach(f, value)
	}
}

// hmax is the cost of the dearest goal when each set of preconditions costs as much as its dearest.
type hmax struct{ relaxed }

func (h *hmax) Estimate(s State) int {
	h.explore(s)
	return int(h.value[h.goal])
}

// lmcut is the LM-cut heuristic: as long as the goal has a positive h-max, it takes a cut of
// operators of which every plan contains one, adds the cheapest cost in the cut to the estimate, and
// reduces the costs of the cut by it.
type lmcut struct {
	relaxed
	zone   []bool // facts from which cost 0 leads to the goal
	before []bool // facts that the initial state reaches outside the zone
	open   []int32
	cut    []int32
}

func newLMCut(t *Task) *lmcut {
	r := newRelaxed(t)
	return &lmcut{relaxed: *r, zone: make([]bool, r.facts), before: make([]bool, r.facts)}
}

func (h *lmcut) Estimate(s State) int {
	copy(h.cost, h.base)
	h.explore(s)
	if h.value[h.goal] == Infinite {
		return Infinite
	}
	total := 0
	for h.value[h.goal] > 0 {
		h.findZone()
		h.findCut(s)
		least := int32(Infinite)
		for _, op := range h.cut {
			least = min(least, h.cost[op])
		}
		total += int(least)
		for _, op := range h.cut {
			h.cost[op] -= least
		}
		h.lower()
	}
	return total
}

// findZone marks the facts from which the goal is reached at no cost through supporters.
func (h *lmcut) findZone() {
	clear(h.zone)
	h.zone[h.goal] = true
	h.open = append(h.open[:0], h.goal)
	for len(h.open) > 0 {
		f := h.open[len(h.open)-1]
		h.open = h.open[:len(h.open)-1]
		for _, op := range h.adds[f] {
			if from := h.supporter[op]; h.cost[op] == 0 && from >= 0 && !h.zone[from] {
				h.zone[from] = true
				h.open = append(h.open, from)
			}
		}
	}
}

// findCut collects the operators that lead from outside the goal zone into it.
func (h *lmcut) findCut(s State) {
	h.cut = h.cut[:0]
	clear(h.before)
	h.open = h.open[:0]
	mark := func(f int32) {
		if !h.before[f] {
			h.before[f] = true
			h.open = append(h.open, f)
		}
	}
	h.holding(s, mark)
	for len(h.open) > 0 {
		f := h.open[len(h.open)-1]
		h.open = h.open[:len(h.open)-1]
		for _, op := range h.needs[f] {
			if h.supporter[op] != f {
				continue
			}
			if slices.ContainsFunc(h.add[op], func(f int32) bool { return h.zone[f] }) {
				h.cut = append(h.cut, op)
				continue
			}
			for _, to := range h.add[op] {
				mark(to)
			}
		}
	}
}

// lower updates h-max after the cut became cheaper: values only fall, so it passes on what changes.
func (h *lmcut) lower() {
	for _, op := range h.cut {
		value := h.value[h.supporter[op]] + h.cost[op]
		for _, f := range h.add[op] {
			h.reach(f, value)
		}
	}
	h.settle(func(op, fact int32) {
		if h.supporter[op] == fact && h.from[op] > h.value[fact] {
			h.fire(op)
		}
	})
}
