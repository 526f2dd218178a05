package planning

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"parley/eval/planning/pddl"
)

// Reference answers from the truth with errors at set rates: the yardstick of scores.
type Reference struct {
	Drop   float64 // probability that a true item is left out
	Invent float64 // probability, for each true item, of one more that is false
}

const referencePrefix = "reference:"

// ParseReference reads "reference:planning" and "reference:planning?drop=0.1&invent=0.2".
func ParseReference(spec string) (Reference, error) {
	var r Reference
	name, query, _ := strings.Cut(strings.TrimPrefix(spec, referencePrefix), "?")
	values, err := url.ParseQuery(query)
	if name != "planning" || err != nil {
		return r, fmt.Errorf("model %q: want reference:planning?drop=0.1&invent=0.1", spec)
	}
	for key, list := range values {
		rate := map[string]*float64{"drop": &r.Drop, "invent": &r.Invent}[key]
		if rate == nil {
			return r, fmt.Errorf("model %q: no setting %q; there are drop and invent", spec, key)
		}
		if *rate, err = strconv.ParseFloat(list[0], 64); err != nil || *rate < 0 || *rate > 1 {
			return r, fmt.Errorf("model %q: %s is a probability from 0 to 1", spec, key)
		}
	}
	return r, nil
}

// Answer returns an answer to a question in its form.
func (r Reference) Answer(w *World, q *Question, rng *rand.Rand) string {
	var items []string
	invented := map[string]bool{}
	for _, t := range q.Truth {
		if rng.Float64() >= r.Drop {
			items = append(items, t)
		}
		if rng.Float64() < r.Invent {
			if wrong := w.invent(q, invented, rng); wrong != "" {
				invented[wrong] = true
				items = append(items, wrong)
			}
		}
	}
	if len(items) == 0 {
		return "None"
	}
	var lines []string
	for _, s := range items {
		lines = append(lines, w.tell(s, q.Task.Actions(), q.Form, rng.IntN))
	}
	return strings.Join(lines, "\n")
}

// invent returns a well-formed item that is not true and was not invented before, or "".
func (w *World) invent(q *Question, before map[string]bool, rng *rand.Rand) string {
	all := schemas(w.Task.Problem.Domain, q.Task.Actions())
	for range 1000 {
		x := all[rng.IntN(len(all))]
		a := pddl.Atom{Name: x.Name}
		for _, p := range x.Params {
			if fit := w.fitting(p); len(fit) > 0 {
				a.Args = append(a.Args, fit[rng.IntN(len(fit))])
			}
		}
		if s := a.String(); len(a.Args) == len(x.Params) && !slices.Contains(q.Truth, s) && !before[s] {
			return s
		}
	}
	return ""
}
