package stat

import (
	"math"
	"slices"
)

// Linkage groups n things by average linkage: the two groups whose members are most alike on average become one, until
// no average reaches tau. It returns the places of each group, groups in order of their first members. Time grows with
// the cube of n.
func Linkage(n int, alike func(i, j int) float64, tau float64) [][]int {
	groups := make([][]int, n)
	sums := make([][]float64, n) // of similarities between the members of two groups
	for i := range n {
		groups[i] = []int{i}
		sums[i] = make([]float64, n)
		for j := range i {
			sums[i][j] = alike(i, j)
			sums[j][i] = sums[i][j]
		}
	}
	for {
		best, a, b := math.Nextafter(tau, math.Inf(-1)), -1, -1
		for i := range groups {
			for j := range i {
				if groups[i] == nil || groups[j] == nil {
					continue
				}
				if mean := sums[i][j] / float64(len(groups[i])*len(groups[j])); mean > best {
					best, a, b = mean, j, i
				}
			}
		}
		if a < 0 {
			return slices.DeleteFunc(groups, func(g []int) bool { return g == nil })
		}
		groups[a] = append(groups[a], groups[b]...)
		groups[b] = nil
		for k := range groups {
			sums[a][k] += sums[b][k]
			sums[k][a] = sums[a][k]
		}
	}
}
