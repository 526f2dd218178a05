package utility

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/eval/run"
	"parley/eval/stat"
	"parley/sim/llm"
)

// Similarity says how alike two of a list of criteria are, from 0 to 1, by their places.
type Similarity func(i, j int) float64

// Lexical compares criteria by their letters: criteria of one name are the same; else the similarity is Dice's
// coefficient of the sequences of three letters in the words of their names and descriptions.
func Lexical(list []Criterion) Similarity {
	grams := make([]map[string]bool, len(list))
	for i, c := range list {
		grams[i] = map[string]bool{}
		for w := range strings.FieldsSeq(fold(c.Name + " " + c.Description)) {
			r := []rune(" " + w + " ")
			for k := range len(r) - 2 {
				grams[i][string(r[k:k+3])] = true
			}
		}
	}
	return func(i, j int) float64 {
		both := 0.0
		for g := range grams[i] {
			if grams[j][g] {
				both++
			}
		}
		if fold(list[i].Name) == fold(list[j].Name) {
			return 1
		}
		return 2 * both / float64(len(grams[i])+len(grams[j]))
	}
}

// Alike returns the similarity of criteria: by the cosine of the embeddings of their names and descriptions where an
// embedding model is named, which is open, else Lexical.
func Alike(ctx context.Context, env *run.Env, embed string, list []Criterion, tag llm.Tag) (Similarity, []llm.Call, error) {
	if embed == "" {
		return Lexical(list), nil, nil
	}
	var texts []string
	for _, c := range list {
		texts = append(texts, c.Name+": "+c.Description)
	}
	vectors, calls, err := llm.Embed(ctx, env.Embedder(embed), embed, texts, tag, env.Now)
	return func(i, j int) float64 {
		cosine, _ := llm.Cosine(vectors[i], vectors[j]) // 0 for a vector without a length
		return cosine
	}, calls, err
}

// Consolidate merges criteria that are alike, by average linkage: the two groups whose members are most alike on
// average become one, until no average reaches tau. Of each group the member that is most like the others is kept,
// with the names and seeds of all.
func Consolidate(list []Criterion, alike Similarity, tau float64) (out []Criterion) {
	count := map[string]int{} // criteria of one name that are not alike are numbered
	for _, group := range stat.Linkage(len(list), alike, tau) {
		var c Criterion
		var seeds []int
		var names []string
		best := -1.0
		for _, i := range group {
			sum := 0.0
			for _, j := range group {
				sum += alike(i, j)
			}
			if sum > best+1e-12 {
				best, c = sum, list[i]
			}
			seeds = append(seeds, list[i].Seeds...)
			names = append(append(names, list[i].Name), list[i].Names...)
		}
		slices.Sort(seeds)
		slices.Sort(names)
		if c.Seeds, c.Names = slices.Compact(seeds), slices.Compact(names); len(c.Names) == 1 {
			c.Names = nil
		}
		if count[fold(c.Name)]++; count[fold(c.Name)] > 1 {
			c.Name = fmt.Sprintf("%s (%d)", c.Name, count[fold(c.Name)])
		}
		out = append(out, c)
	}
	return out
}

// Grow returns the number of different criteria by number of seeds (figure 4 of the paper), over random choices of so
// many of the seeds that proposed them.
func Grow(consolidated []Criterion, seeds int, r *rand.Rand) []stat.Rarefied {
	kinds := make([][]int, len(consolidated))
	for i, c := range consolidated {
		for _, seed := range c.Seeds {
			kinds[i] = append(kinds[i], seed-1)
		}
	}
	return stat.Rarefaction(kinds, seeds, r)
}
