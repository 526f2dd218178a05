package iep

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/stat"
	"parley/scenarios"
	"parley/sim/llm"
)

// Case is a debrief of which it is known what it tells and what it gets wrong. It is a line of a file of
// cases.
type Case struct {
	ID      string   `json:"id"`
	Facts   []string `json:"facts"` // all key points of the piece, in order
	Debrief string   `json:"debrief"`
	Tells   []int    `json:"tells"` // indexes of the facts that are truly told
	Lies    []Lie    `json:"lies"`
	Partial []int    `json:"partial"` // indexes that are left out of the count
}

// Lie is a fact that a debrief gets wrong, and how.
type Lie struct {
	Fact int    `json:"fact"`
	Kind string `json:"kind"` // number, name, negation, antonym, role ...
}

// The arms of a check beside the kinds of lies.
const (
	ArmTrue  = "true"  // facts that are told
	ArmFluff = "fluff" // facts that the debrief does not touch
)

//go:embed cases.jsonl
var cases []byte

// Cases returns the hand-written cases: 80 debriefs about 40 pieces of the library and 16 about 8 other pieces,
// which tell 270 facts in people's own words and get 287 wrong.
func Cases() []Case {
	list, err := ReadCases(bytes.NewReader(cases), "cases.jsonl")
	if err != nil {
		panic(err) // part of the program
	}
	return list
}

// ReadCases reads cases, one JSON object a line. Its errors, also for an unknown field, name the file and the line.
func ReadCases(r io.Reader, name string) ([]Case, error) {
	var list []Case
	err := eval.EachLine(r, name, func(line []byte) error {
		var c Case
		err := eval.Strict(line, &c)
		if err == nil {
			err = c.check()
		}
		if err != nil {
			return fmt.Errorf(`%w; a line is {"id", "facts": [...], "debrief", "tells": [0, ...], "lies": [{"fact", "kind"}, ...], "partial": [...]}`, err)
		}
		list = append(list, c)
		return nil
	})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s: there is no case", name)
	}
	return list, err
}

func (c *Case) check() error {
	indexes := slices.Concat(c.Tells, c.Partial)
	for _, l := range c.Lies {
		if l.Kind == "" || l.Kind == ArmTrue || l.Kind == ArmFluff {
			return fmt.Errorf("%q is no kind of lie", l.Kind)
		}
		indexes = append(indexes, l.Fact)
	}
	for _, i := range indexes {
		if i < 0 || i >= len(c.Facts) {
			return fmt.Errorf("there is no fact %d of %d, counted from 0", i, len(c.Facts))
		}
	}
	if len(c.Facts) == 0 || c.Debrief == "" {
		return errors.New("it has no facts, or no debrief")
	}
	return nil
}

// Mechanical makes cases that no hand has to write: questions, guesses, denials, facts of another piece,
// and floods (the whole library, and the piece's own vocabulary as a list), of which nothing counts.
func Mechanical(shelf []scenarios.Knowledge, n int, r *rand.Rand) []Case {
	var list []Case
	for i := range n {
		k := &shelf[i%len(shelf)]
		facts := texts(k)
		add := func(kind string, say func(i int, fact string) string) {
			c := Case{ID: k.ID + "-" + kind, Facts: facts}
			var said []string
			for f := range facts {
				c.Lies = append(c.Lies, Lie{f, kind})
				said = append(said, say(f, strings.TrimRight(facts[f], ".")))
			}
			c.Debrief = strings.Join(said, " ")
			list = append(list, c)
		}
		from := func(frames ...string) func(int, string) string {
			return func(i int, fact string) string { return fmt.Sprintf(frames[i%len(frames)], fact) }
		}
		add("question", from("Is it true that %s?", "I asked whether %s.", "We wondered if %s.", "%s?", "I wanted to know if %s, but there was no answer."))
		add("hedge", from("Perhaps %s.", "My guess is that %s.", "Maybe %s, who knows.", "I do not know whether %s."))
		add("negation", from("It is not true that %s.", "%s. That is a lie.", "Nobody believes the lie that %s.", "It is false that %s.", "It's not the case that %s."))
		other := texts(&shelf[(i+1+r.IntN(max(1, len(shelf)-1)))%len(shelf)])
		add("other", func(i int, _ string) string { return other[i%len(other)] })
		var recital, words []string
		for _, at := range r.Perm(len(shelf)) {
			recital = append(recital, texts(&shelf[at])...)
		}
		for _, f := range facts {
			for _, t := range tokens(f) {
				if len(t.keys) > 0 {
					words = append(words, t.word)
				}
			}
		}
		r.Shuffle(len(words), func(a, b int) { words[a], words[b] = words[b], words[a] })
		add("recital", func(i int, _ string) string { return map[bool]string{true: strings.Join(recital, " ")}[i == 0] })
		add("vocabulary", func(i int, _ string) string { return map[bool]string{true: strings.Join(words, ", ") + "."}[i == 0] })
	}
	return list
}

// texts lists the facts of a piece of knowledge.
func texts(k *scenarios.Knowledge) []string {
	list := make([]string, len(k.Facts))
	for i := range k.Facts {
		list[i] = k.Facts[i].Text
	}
	return list
}

// Check counts the facts of cases that a judge matched.
type Check struct {
	Cases    int
	Accepted map[string][]bool // by arm: whether each fact was matched
	Case     map[string][]int  // the case of each, by index
	Missing  map[string]int    // reasons why there was no verdict
}

// CheckJudge lets a judge match cases.
func CheckJudge(ctx context.Context, j Judge, cases []Case, seed uint64) (*Check, []llm.Call, error) {
	check := &Check{Cases: len(cases), Accepted: map[string][]bool{}, Case: map[string][]int{}, Missing: map[string]int{}}
	var calls []llm.Call
	for i := range cases {
		c := &cases[i]
		k := &scenarios.Knowledge{ID: c.ID}
		for _, f := range c.Facts {
			k.Facts = append(k.Facts, scenarios.Fact{Text: f})
		}
		v, made, err := j.Match(ctx, Ask{Session: fmt.Sprintf("check-%04d", i+1), Subject: "player", Seed: seed + uint64(i)}, k, c.Facts, c.Debrief)
		calls = append(calls, made...)
		if err == nil {
			err = v.check(len(c.Facts))
		}
		if ctx.Err() != nil {
			return nil, calls, ctx.Err()
		}
		if err != nil {
			check.Missing[err.Error()]++
			continue
		}
		check.add(c, i, v)
	}
	return check, calls, nil
}

// add counts a verdict.
func (check *Check) add(c *Case, i int, v Verdict) {
	matched := make([]bool, len(c.Facts))
	for _, m := range v.Matches {
		matched[m.Gold] = true
	}
	touched := slices.Concat(c.Tells, c.Partial)
	count := func(arm string, fact int) {
		check.Accepted[arm] = append(check.Accepted[arm], matched[fact])
		check.Case[arm] = append(check.Case[arm], i)
	}
	for _, f := range c.Tells {
		count(ArmTrue, f)
	}
	for _, l := range c.Lies {
		touched = append(touched, l.Fact)
		if !slices.Contains(c.Partial, l.Fact) && !slices.Contains(c.Tells, l.Fact) {
			count(l.Kind, l.Fact)
		}
	}
	for f := range c.Facts {
		if !slices.Contains(touched, f) {
			count(ArmFluff, f)
		}
	}
}

// Unscored returns how many cases have no verdict.
func (check *Check) Unscored() int {
	n := 0
	for _, count := range check.Missing {
		n += count
	}
	return n
}

// Results makes the lines of a table: what is wrongly rejected of what is told, and what is wrongly
// accepted of the rest, in percent with intervals that take the facts of a case as one cluster.
func (check *Check) Results() []eval.Result {
	arms := slices.SortedFunc(maps.Keys(check.Accepted), func(a, b string) int {
		rank := func(arm string) int { return map[string]int{ArmTrue: -1, ArmFluff: 1}[arm] }
		return cmp.Or(rank(a)-rank(b), cmp.Compare(a, b))
	})
	if len(check.Missing) > 0 && check.Accepted[ArmTrue] == nil {
		arms = append([]string{ArmTrue}, arms...)
	}
	results := []eval.Result{}
	for _, arm := range arms {
		r := eval.Result{Scorer: "judge-check", Metric: "false_accept", Arm: arm, Unit: "facts", N: len(check.Accepted[arm])}
		wrong := true
		if arm == ArmTrue {
			r.Metric, wrong = "false_reject", false
		}
		i := check.interval(arm, wrong)
		r.Of, r.Reason = r.N, i.Reason
		r.Value, r.Low, r.High = eval.Percent(i.Value), eval.Percent(i.Low), eval.Percent(i.High)
		if len(check.Missing) > 0 {
			r.Reason = strings.TrimPrefix(r.Reason+"; "+eval.Tallied(check.Missing), "; ")
		}
		results = append(results, r)
	}
	return results
}

// interval is the share of the facts of an arm with a given verdict, with Korn and Graubard's interval.
func (check *Check) interval(arm string, accepted bool) stat.Interval {
	hits, of := map[int]int{}, map[int]int{}
	for i, a := range check.Accepted[arm] {
		c := check.Case[arm][i]
		of[c]++
		if a == accepted {
			hits[c]++
		}
	}
	var yes, all []int
	for _, c := range slices.Sorted(maps.Keys(of)) {
		yes, all = append(yes, hits[c]), append(all, of[c])
	}
	return stat.ShareInterval(yes, all, eval.Confidence)
}
