package planning

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// CountStates draws Blocksworld states and counts each.
func CountStates(blocks, n int, seed uint64) map[string]int {
	rng := rand.New(rand.NewPCG(seed, 0))
	counts := map[string]int{}
	for range n {
		towers := uniformTowers(blocks, rng)
		slices.SortFunc(towers, func(a, b []int) int { return a[0] - b[0] })
		counts[fmt.Sprint(towers)]++
	}
	return counts
}
