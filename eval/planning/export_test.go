package planning

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Words puts items into words, each with a paraphrase of its own.
func (w *World) Words(task Task, items []string, seed uint64) []string {
	rng := rand.New(rand.NewPCG(seed, 9))
	out := []string{}
	for _, s := range items {
		out = append(out, w.tell(s, task.Actions(), Words, rng.IntN))
	}
	return out
}

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
