package utility

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// findOrder puts accepted values from worst to best where their words or numbers tell, and says how it was found.
// Critics list values in either direction (in the published runs one in five of those that tell begins with the
// best), so that the order of the list itself tells nothing.
func (c *Criterion) findOrder() {
	if grades, ok := numbers(c.Values); ok {
		if c.arrange(grades) {
			c.Order = ByNumbers
			return
		}
	}
	grades := make([]float64, len(c.Values))
	known := make([]bool, len(c.Values))
	n := 0
	for i, v := range c.Values {
		if grades[i], known[i] = grade(v); known[i] {
			n++
		}
	}
	c.Order = Unknown
	if n < 2 || 2*n < len(c.Values) {
		return
	}
	up, down := 0, 0
	for i := range grades {
		for j := range i {
			switch {
			case !known[i] || !known[j] || grades[i] == grades[j]:
			case grades[i] > grades[j]:
				up++
			default:
				down++
			}
		}
	}
	switch {
	case up+down == 0:
	case up >= 4*down: // the list goes up, but for words that grade by too little
		c.Order = ByWords
	case down >= 4*up:
		slices.Reverse(c.Values)
		c.Order = ByWords
	case n == len(c.Values) && c.arrange(grades):
		c.Order = ByWords
	}
}

// arrange sorts the values by their grades, if no two are the same.
func (c *Criterion) arrange(grades []float64) bool {
	order := make([]int, len(grades))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(grades[a], grades[b]) })
	sorted := make([]string, len(order))
	for i, at := range order {
		if sorted[i] = c.Values[at]; i > 0 && grades[at] == grades[order[i-1]] {
			return false
		}
	}
	c.Values = sorted
	return true
}

var number = regexp.MustCompile(`^(<|>|<=|>=|≤|≥)?\s*([0-9]+(?:\.[0-9]+)?)\s*(%|percent|points?|stars?)?(?:\s*(?:-|–|to)\s*[0-9]+(?:\.[0-9]+)?\s*(?:%|percent|points?|stars?)?)?\+?(?:\s*[:(/].*)?$`)

// numbers reads values that are numbers, percentages or ranges of them. Of times and counts of other things, more may
// be worse: they are not read.
func numbers(values []string) ([]float64, bool) {
	var list []float64
	for _, v := range values {
		m := number.FindStringSubmatch(strings.ToLower(strings.TrimSpace(v)))
		if m == nil {
			return nil, false
		}
		x, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return nil, false
		}
		switch m[1] {
		case "<", "≤", "<=":
			x -= 1e-6
		case ">", "≥", ">=":
			x += 1e-6
		}
		list = append(list, x)
	}
	return list, true
}

// Words that grade by themselves, on a scale from 0 (worst) to 6.
var gradeWords = words(map[float64]string{
	0:   "missing absent none never fail failed fails failing terrible awful unacceptable worst no false nonexistent useless wrong",
	1:   "poor bad inadequate insufficient weak unable unsatisfactory unsatisfied harmful off copied verbose redundant confusing confused convoluted chaotic disorganized cluttered vague ambiguous erroneous flawed buggy sloppy excessive overreliance underutilized lacking rude hostile impolite wasteful slow repetitive unhelpful misleading disjointed",
	2:   "low little rarely seldom minimal limited few below",
	2.5: "some fair occasional occasionally sometimes mediocre partial partially",
	3:   "moderate adequate acceptable average medium satisfactory sufficient intermediate neutral basic",
	3.7: "most good above often solid frequently many above",
	4:   "high strong yes true pass passed passes satisfied great",
	5:   "excellent optimal outstanding exceptional perfect best ideal superb always all full expert flawless exemplary advanced superior",
})

// Stems of what is good to be, and prefixes that turn it around.
var (
	goodStems   = strings.Fields("correct accura clear effective efficien relevan complet concise logic coheren consisten original creativ appropriat proper adheren complian thorough exact precise useful helpful success sound organized organised structured readable reliab robust reasonabl feasib insight innovati valid justif safe optimi polite natural engag understandabl comprehens comprehend adaptab flexib satisf follow applicab match formatted detailed fluent rigor simple trusted ready")
	badPrefixes = []string{"in", "un", "im", "ir", "il", "dis", "non", "mis"}
	faults      = words(map[float64]string{1: "error errors mistake mistakes flaw flaws issue issues fault faults bug bugs gap gaps omission omissions inaccuracies inconsistencies"})
)

// Words that say how much, as the grade of something good that is so.
var degrees = words(map[float64]string{
	5.5: "completely fully perfectly entirely totally exceptionally extremely absolutely all",
	5:   "highly very excellently strongly",
	3.7: "mostly largely generally mainly most",
	3:   "moderately fairly reasonably adequately moderate",
	2.5: "partially partly somewhat some partial half",
	1.5: "slightly barely minimally hardly poorly marginally few minor little limited",
	1:   "not no never without lack lacks isn't zero",
})

func words(byGrade map[float64]string) map[string]float64 {
	m := map[string]float64{}
	for g, list := range byGrade {
		for _, w := range strings.Fields(list) {
			m[w] = g
		}
	}
	return m
}

// grade says how good a label is, from its words.
func grade(label string) (float64, bool) {
	degree, hasDegree, plain, hasPlain := 0.0, false, 0.0, false
	good, bad := false, false
	for _, w := range strings.Fields(fold(label)) {
		if d, ok := degrees[w]; ok && !hasDegree {
			degree, hasDegree = d, true
		}
		_, fault := faults[w]
		isGood, isBad := stem(w)
		bad = bad || fault || isBad
		good = good || isGood
		if g, ok := gradeWords[w]; ok && !hasPlain {
			plain, hasPlain = g, true
			bad = bad || g == 1
		}
	}
	switch {
	case bad && hasDegree && degree <= 1: // not confusing, no errors
		return 5, true
	case bad && hasDegree: // the more it is so, the worse
		return max(0, 2.6-degree/2), true
	case bad && hasPlain && plain != 1:
		return plain / 2, true
	case bad:
		return 1, true
	case good && hasDegree:
		return degree, true
	case hasPlain:
		return plain, true
	case good:
		return 4, true
	case hasDegree:
		return degree, true
	}
	return 0, false
}

// stem reports whether a word says something good, or its opposite.
func stem(w string) (good, bad bool) {
	begins := func(w string) bool {
		return slices.ContainsFunc(goodStems, func(s string) bool { return strings.HasPrefix(w, s) })
	}
	if begins(w) {
		return true, false
	}
	for _, p := range badPrefixes {
		if rest, ok := strings.CutPrefix(w, p); ok && begins(rest) {
			return false, true
		}
	}
	return false, false
}
