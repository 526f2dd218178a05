package stat

import (
	"math/rand/v2"
	"slices"
)

// Rarefied is how many different kinds a number of sources has together.
type Rarefied struct {
	Sources int     `json:"seeds"`
	Mean    float64 `json:"mean"`
	Low     float64 `json:"low"` // the middle 95 % over the ways to choose the sources
	High    float64 `json:"high"`
}

// Rarefaction returns the number of kinds by number of sources, over random choices of so many of the sources. kinds
// lists, for each kind, the sources that have it, from 0; others are left out. With all sources there is one choice.
func Rarefaction(kinds [][]int, sources int, r *rand.Rand) []Rarefied {
	const draws = 500
	counts := make([][]float64, sources)
	for range draws {
		place := r.Perm(sources)
		fresh := make([]int, sources+1) // kinds that the source at each place is the first to have
		for _, from := range kinds {
			first := sources
			for _, s := range from {
				if s >= 0 && s < sources {
					first = min(first, place[s])
				}
			}
			fresh[first]++
		}
		sum := 0
		for n := range sources {
			sum += fresh[n]
			counts[n] = append(counts[n], float64(sum))
		}
	}
	out := make([]Rarefied, sources)
	for n, values := range counts {
		slices.Sort(values)
		out[n] = Rarefied{Sources: n + 1, Mean: mean(values), Low: values[draws/40], High: values[draws-1-draws/40]}
	}
	return out
}
