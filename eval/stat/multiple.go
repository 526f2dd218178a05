package stat

import (
	"cmp"
	"slices"
)

// Holm adjusts the p values of one family of tests so that the chance of any false alarm stays
// below the level (Holm 1979). It supposes nothing of their dependence. Undefined ones stay so and
// do not count as tests.
func Holm(ps []Value) []Value {
	out, order := ranked(ps)
	m := len(order)
	highest := 0.0
	for rank, at := range order {
		highest = max(highest, min(1, ps[at].V*float64(m-rank)))
		out[at] = Number(highest)
	}
	return out
}

// BenjaminiHochberg adjusts the p values of one family of tests so that the expected share of false
// alarms among the alarms stays below the level (Benjamini and Hochberg 1995), for tests that are
// independent or positively dependent. Undefined ones stay so and do not count as tests.
func BenjaminiHochberg(ps []Value) []Value {
	out, order := ranked(ps)
	m := len(order)
	lowest := 1.0
	for rank, at := range slices.Backward(order) {
		lowest = min(lowest, ps[at].V*float64(m)/float64(rank+1))
		out[at] = Number(lowest)
	}
	return out
}

// ranked returns the values with what is no p value made undefined, and the positions of the p
// values in rising order.
func ranked(ps []Value) (out []Value, order []int) {
	out = slices.Clone(ps)
	for i, p := range ps {
		switch {
		case !p.OK():
		case !(p.V >= 0 && p.V <= 1):
			out[i] = undefinedf("%v is not between 0 and 1: no p value", p.V)
		default:
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(ps[i].V, ps[j].V) })
	return out, order
}
