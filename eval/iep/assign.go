package iep

import "math"

// assign returns the one-to-one assignment of rows to columns that makes as many pairs as possible
// reach the floor, and of those the one with the largest sum of weights. It is the Hungarian method
// with potentials (Kuhn 1955; Jonker and Volgenant 1987), O(n^2 m) for n rows and m columns. The
// result holds a column for every row, or -1.
func assign(weight [][]float64, floor float64) []int {
	n := len(weight)
	if n == 0 {
		return nil
	}
	m := len(weight[0])
	size := max(n, m)
	cost := func(i, j int) float64 { // a pair that counts costs less than any two that do not
		if j < m && weight[i][j] >= floor {
			return -1000 - weight[i][j]
		}
		return 0
	}
	u, v := make([]float64, n+1), make([]float64, size+1)
	match, way := make([]int, size+1), make([]int, size+1) // column -> row, 1-based
	least, used := make([]float64, size+1), make([]bool, size+1)
	for i := 1; i <= n; i++ {
		match[0] = i
		col := 0
		for j := range least {
			least[j], used[j] = math.Inf(1), false
		}
		for {
			used[col] = true
			row, delta, next := match[col], math.Inf(1), 0
			for j := 1; j <= size; j++ {
				if used[j] {
					continue
				}
				if c := cost(row-1, j-1) - u[row] - v[j]; c < least[j] {
					least[j], way[j] = c, col
				}
				if least[j] < delta {
					delta, next = least[j], j
				}
			}
			for j := 0; j <= size; j++ {
				if used[j] {
					u[match[j]] += delta
					v[j] -= delta
				} else {
					least[j] -= delta
				}
			}
			col = next
			if match[col] == 0 {
				break
			}
		}
		for col != 0 {
			match[col] = match[way[col]]
			col = way[col]
		}
	}
	columns := make([]int, n)
	for i := range columns {
		columns[i] = -1
	}
	for j := 1; j <= m; j++ {
		if i := match[j] - 1; i >= 0 && weight[i][j-1] >= floor {
			columns[i] = j - 1
		}
	}
	return columns
}
