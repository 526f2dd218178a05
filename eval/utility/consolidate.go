package utility

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"
)

// Similarity says how alike two of a list of criteria are, from 0 to 1, by their places.
type Similarity func(i, j int) float64

// Lexical compares criteria by their letters: criteria of one name are the same; else the similarity is the mean of
// that of names and that of descriptions, each by Dice's coefficient of sequences of three letters.
func Lexical(list []Criterion) Similarity {
	names, descriptions := make([]map[string]bool, len(list)), make([]map[string]bool, len(list))
	for i := range list {
		names[i], descriptions[i] = trigrams(list[i].Name), trigrams(list[i].Description)
	}
	return func(i, j int) float64 {
		if fold(list[i].Name) == fold(list[j].Name) {
			return 1
		}
		return (dice(names[i], names[j]) + dice(descriptions[i], descriptions[j])) / 2
	}
}

// Embedded compares criteria by the cosine of the embeddings of Described.
func Embedded(vectors [][]float32) Similarity {
	return func(i, j int) float64 {
		a, b := vectors[i], vectors[j]
		if len(a) != len(b) {
			return 0
		}
		dot, aa, bb := 0.0, 0.0, 0.0
		for k := range a {
			dot += float64(a[k]) * float64(b[k])
			aa += float64(a[k]) * float64(a[k])
			bb += float64(b[k]) * float64(b[k])
		}
		if aa == 0 || bb == 0 {
			return 0
		}
		return dot / math.Sqrt(aa*bb)
	}
}

// Described returns the texts of criteria that are embedded.
func Described(list []Criterion) []string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = list[i].Name + ": " + list[i].Description
	}
	return texts
}

func trigrams(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(fold(text)) {
		w = " " + w + " "
		if utf8.RuneCountInString(w) < 3 {
			continue
		}
		r := []rune(w)
		for i := 0; i+3 <= len(r); i++ {
			set[string(r[i:i+3])] = true
		}
	}
	return set
}

func dice(a, b map[string]bool) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	both := 0
	for g := range a {
		if b[g] {
			both++
		}
	}
	return 2 * float64(both) / float64(len(a)+len(b))
}

// Consolidate merges criteria that are alike, by average linkage: the two groups whose members are most alike on
// average become one, until no average reaches tau. Of each group the member that is most like the others stands for
// all, with their names and seeds.
func Consolidate(list []Criterion, alike Similarity, tau float64) []Criterion {
	groups := cluster(len(list), alike, tau)
	out := make([]Criterion, 0, len(groups))
	for _, g := range groups {
		best, at := -1.0, g[0]
		for _, i := range g {
			sum := 0.0
			for _, j := range g {
				sum += alike(i, j)
			}
			if sum > best+1e-12 {
				best, at = sum, i
			}
		}
		c := list[at]
		c.Seeds, c.Names = nil, nil
		for _, i := range g {
			c.Seeds = append(c.Seeds, list[i].Seeds...)
			c.Names = append(c.Names, list[i].Name)
			c.Names = append(c.Names, list[i].Names...)
		}
		slices.Sort(c.Seeds)
		slices.Sort(c.Names)
		c.Seeds, c.Names = slices.Compact(c.Seeds), slices.Compact(c.Names)
		if len(c.Names) == 1 {
			c.Names = nil
		}
		out = append(out, c)
	}
	rename(out)
	return out
}

// rename numbers criteria that have one name although they are not alike.
func rename(list []Criterion) {
	seen := map[string]int{}
	for i := range list {
		key := fold(list[i].Name)
		if seen[key]++; seen[key] > 1 {
			list[i].Name = fmt.Sprintf("%s (%d)", list[i].Name, seen[key])
		}
	}
}

// cluster returns groups of places in order of their first members.
func cluster(n int, alike Similarity, tau float64) [][]int {
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
		best, a, b := tau, -1, -1
		for i := range groups {
			for j := range i {
				if groups[i] == nil || groups[j] == nil {
					continue
				}
				if mean := sums[i][j] / float64(len(groups[i])*len(groups[j])); mean >= best && (a < 0 || mean > best) {
					best, a, b = mean, j, i
				}
			}
		}
		if a < 0 {
			break
		}
		groups[a] = append(groups[a], groups[b]...)
		groups[b] = nil
		for k := range groups {
			sums[a][k] += sums[b][k]
			sums[k][a] = sums[a][k]
		}
	}
	return slices.DeleteFunc(groups, func(g []int) bool { return g == nil })
}

// Growth is how many different criteria so many critics propose together.
type Growth struct {
	Seeds     int     `json:"seeds"`
	Mean      float64 `json:"mean"`
	Low, High float64 // the middle 95 % over the ways to choose the seeds
}

// Grow returns the number of different criteria by number of seeds (figure 4 of the paper), over random choices of so
// many of the seeds that proposed them. With all seeds there is one choice alone.
func Grow(consolidated []Criterion, seeds int, r *rand.Rand) []Growth {
	const draws = 500
	counts := make([][]float64, seeds)
	first := make([]int, len(consolidated))
	for range draws {
		order := r.Perm(seeds)
		place := make([]int, seeds+1) // of each seed, which count from 1, in this order
		for at, s := range order {
			place[s+1] = at
		}
		for i, c := range consolidated {
			first[i] = seeds
			for _, s := range c.Seeds {
				if s >= 1 && s <= seeds {
					first[i] = min(first[i], place[s])
				}
			}
		}
		for n := range seeds {
			k := 0
			for _, f := range first {
				if f <= n {
					k++
				}
			}
			counts[n] = append(counts[n], float64(k))
		}
	}
	out := make([]Growth, seeds)
	for n, values := range counts {
		slices.Sort(values)
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		out[n] = Growth{Seeds: n + 1, Mean: sum / draws, Low: values[draws/40], High: values[draws-1-draws/40]}
	}
	return out
}
