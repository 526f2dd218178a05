package script

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"parley/sim/llm"
)

// Overlap is how much of a text is found in another one, and the other way round.
type Overlap struct{ Precision, Recall, F1 float64 }

func overlap(hits, said, wanted float64) Overlap {
	o := Overlap{}
	if said > 0 {
		o.Precision = hits / said
	}
	if wanted > 0 {
		o.Recall = hits / wanted
	}
	if o.Precision+o.Recall > 0 {
		o.F1 = 2 * o.Precision * o.Recall / (o.Precision + o.Recall)
	}
	return o
}

// tokens splits a text into lower-case words of letters and digits.
func tokens(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// RougeN is ROUGE-N (Lin 2004) of a script against a gold one: clipped matches of n-grams of words,
// without stemming and with all words.
func RougeN(n int, script, gold []string) Overlap {
	grams := func(steps []string) (map[string]int, int) {
		words := tokens(strings.Join(steps, "\n"))
		count, of := map[string]int{}, 0
		for i := 0; i+n <= len(words); i++ {
			count[strings.Join(words[i:i+n], " ")]++
			of++
		}
		return count, of
	}
	a, said := grams(script)
	b, wanted := grams(gold)
	hits := 0
	for g, k := range a {
		hits += min(k, b[g])
	}
	return overlap(float64(hits), float64(said), float64(wanted))
}

// RougeL is ROUGE-L (Lin 2004) of whole scripts: the longest common subsequence of words, with
// precision and recall weighing the same.
func RougeL(script, gold []string) Overlap {
	a, b := tokens(strings.Join(script, "\n")), tokens(strings.Join(gold, "\n"))
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = above
		}
	}
	return overlap(float64(row[len(b)]), float64(len(a)), float64(len(b)))
}

// Embedded compares scripts step by step through embeddings, as BERTScore (Zhang and others 2020)
// does word by word: precision is the mean over the script's steps of the cosine with the most alike
// gold step, recall the mean over the gold steps.
//
// The model is as llm.Embedding makes it.
func Embedded(ctx context.Context, m llm.Model, name string, script, gold []string, t llm.Tag, now func() time.Time) (Overlap, []llm.Call, error) {
	if len(script) == 0 || len(gold) == 0 {
		return Overlap{}, nil, errors.New("there are no steps to compare")
	}
	vectors, calls, err := llm.Embed(ctx, m, name, slices.Concat(script, gold), t, now)
	if err != nil {
		return Overlap{}, calls, err
	}
	rows, columns := make([]float64, len(script)), make([]float64, len(gold))
	for i := range rows {
		rows[i] = -1
		for j := range columns {
			if i == 0 {
				columns[j] = -1
			}
			c, err := llm.Cosine(vectors[i], vectors[len(script)+j])
			if err != nil {
				return Overlap{}, calls, err
			}
			rows[i], columns[j] = max(rows[i], c), max(columns[j], c)
		}
	}
	sum := func(xs []float64) (s float64) {
		for _, x := range xs {
			s += x
		}
		return s / float64(len(xs))
	}
	o := Overlap{Precision: sum(rows), Recall: sum(columns)}
	if o.Precision > 0 && o.Recall > 0 { // their harmonic mean is beyond 1 where their signs differ
		o.F1 = 2 * o.Precision * o.Recall / (o.Precision + o.Recall)
	}
	return o, calls, nil
}

// alike is the share of common words from which two steps are duplicates.
const alike = 0.8

// Duplicates returns the numbers, from 1, of the steps that say what an earlier one says: the same
// words but for case, order, punctuation and a fifth of them.
func Duplicates(steps []string) []int {
	var found []int
	var seen []map[string]bool
	for i, s := range steps {
		set := map[string]bool{}
		for _, w := range tokens(s) {
			set[w] = true
		}
		for _, other := range seen {
			both := 0
			for w := range set {
				if other[w] {
					both++
				}
			}
			if all := len(set) + len(other) - both; all > 0 && float64(both) >= alike*float64(all) {
				found = append(found, i+1)
				break
			}
		}
		seen = append(seen, set)
	}
	return found
}
