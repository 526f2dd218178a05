package pddl

import (
	"cmp"
	"slices"
)

// Operator is a ground action over the facts of a Task.
type Operator struct {
	Atom
	Pre, Add, Del []int32 // facts; Add and Del share none
	Cost          int
}

// Task is a grounded problem. Its operators are those that a relaxed reachable state allows.
type Task struct {
	Problem   *Problem
	Facts     []Atom // what can change; the complement of a negated fact is named "not"
	Static    []Atom // what is true in every state
	Operators []Operator
	Init      State
	Goal      []int32
	Solvable  bool // false: some goal is not reachable even when nothing is ever deleted
}

// State is a set of facts as bits.
type State []uint64

// Has reports whether a fact holds.
func (s State) Has(fact int32) bool { return s[fact>>6]&(1<<(fact&63)) != 0 }

func unique(list []int32) []int32 {
	slices.SortFunc(list, cmp.Compare[int32])
	return slices.Compact(list)
}

// Applicable reports whether an operator's preconditions hold in s.
func (t *Task) Applicable(s State, op int) bool { return holds(s, t.Operators[op].Pre) }

// AllApplicable returns the operators that apply in s.
func (t *Task) AllApplicable(s State) (ops []int) {
	for op := range t.Operators {
		if t.Applicable(s, op) {
			ops = append(ops, op)
		}
	}
	return ops
}

// Reached reports whether the goal holds in s.
func (t *Task) Reached(s State) bool { return t.Solvable && holds(s, t.Goal) }

func holds(s State, facts []int32) bool {
	for _, f := range facts {
		if !s.Has(f) {
			return false
		}
	}
	return true
}

// Apply writes the state after an operator into to, which may be s.
func (t *Task) Apply(to, s State, op int) {
	copy(to, s)
	for _, f := range t.Operators[op].Del {
		to[f>>6] &^= 1 << (f & 63)
	}
	for _, f := range t.Operators[op].Add {
		to[f>>6] |= 1 << (f & 63)
	}
}

// Atoms returns what is true in s, sorted; with static, also what never changes.
func (t *Task) Atoms(s State, static bool) []Atom {
	var out []Atom
	if static {
		out = slices.Clone(t.Static)
	}
	for i, a := range t.Facts {
		if a.Name != "not" && s.Has(int32(i)) {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, compareAtoms)
	return out
}

// Find returns the index of a ground action, or -1 where none is applicable in any reachable state.
func (t *Task) Find(a Atom) int {
	i, found := slices.BinarySearchFunc(t.Operators, a, func(o Operator, a Atom) int { return compareAtoms(o.Atom, a) })
	if !found {
		return -1
	}
	return i
}
