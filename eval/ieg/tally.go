package ieg

import (
	"maps"
	"math/rand/v2"
	"slices"

	"parley/characters"
	"parley/eval/stat"
)

// tally is a panel's marks summed by group of the test, so that drawing groups anew is cheap.
type tally struct {
	seeds      [][]sums // by seed, then by group
	scored, of int      // predictions of all seeds
	unscored   map[string]int
}

// sums are the marks of one virtual DM in one group.
type sums struct {
	windows                int // scored
	characters, intentions Counts
	windowC, windowO       float64 // sums of the windows' own F-scores
	skills, actors         [skills]Counts
}

const skills = 18

var skillAt = func() map[characters.Skill]int {
	at := map[characters.Skill]int{}
	for i, s := range characters.Skills() {
		at[s] = i
	}
	return at
}()

// sum adds up marks by group, in the order in which the groups first appear.
func sum(panel [][]Mark) *tally {
	t := &tally{unscored: map[string]int{}}
	for _, marks := range panel {
		ids := make([]string, len(marks))
		for i := range marks {
			ids[i] = marks[i].Group
		}
		groups := stat.Clusters(ids)
		out := make([]sums, len(groups))
		for g, rows := range groups {
			s := &out[g]
			for _, i := range rows {
				m := &marks[i]
				t.of++
				if m.Reason != "" {
					t.unscored[m.Reason]++
					continue
				}
				t.scored++
				s.windows++
				s.characters.add(m.Characters)
				s.intentions.add(m.Intentions)
				s.windowC += m.Characters.window()
				s.windowO += m.Intentions.window()
				for skill, c := range m.Skills {
					if k, ok := skillAt[skill]; ok {
						s.skills[k].add(c)
					}
				}
				for skill, c := range m.Actors {
					if k, ok := skillAt[skill]; ok {
						s.actors[k].add(c)
					}
				}
			}
		}
		t.seeds = append(t.seeds, out)
	}
	return t
}

// groups is how many there are in the test.
func (t *tally) groups() int {
	if len(t.seeds) == 0 {
		return 0
	}
	return len(t.seeds[0])
}

// measure is a statistic of one virtual DM over groups, which may repeat.
type measure func(groups []sums, rows []int) stat.Value

// mean is the mean of a measure over the seeds.
func (t *tally) mean(m measure, rows []int) stat.Value {
	if len(t.seeds) == 0 {
		return stat.Undefined("no virtual DM was tested")
	}
	var total float64
	for _, groups := range t.seeds {
		v := m(groups, rows)
		if !v.OK() {
			return v
		}
		total += v.V
	}
	return stat.Number(total / float64(len(t.seeds)))
}

// micro adds up the counts and makes one F-score of them.
func micro(of func(*sums) *Counts, score func(Counts) stat.Value) measure {
	return func(groups []sums, rows []int) stat.Value {
		var c Counts
		for _, g := range rows {
			c.add(*of(&groups[g]))
		}
		return score(c)
	}
}

// windowMean is the mean over windows of each window's own F-score.
func windowMean(of func(*sums) float64) measure {
	return func(groups []sums, rows []int) stat.Value {
		n, total := 0, 0.0
		for _, g := range rows {
			n, total = n+groups[g].windows, total+of(&groups[g])
		}
		if n == 0 {
			return stat.Undefined("no prediction was scored")
		}
		return stat.Number(total / float64(n))
	}
}

// macro is the mean over skills of each skill's F-score. Only skills that are truly tried take part, so
// that all virtual DMs are measured by the same ones.
func macro(of func(*sums) *[skills]Counts) measure {
	return func(groups []sums, rows []int) stat.Value {
		var c [skills]Counts
		var tried [skills]int
		for _, g := range rows {
			got, truth := of(&groups[g]), &groups[g].skills
			for k := range c {
				c[k].add(got[k])
				tried[k] += truth[k].TP + truth[k].FN
			}
		}
		n, total := 0, 0.0
		for k := range c {
			if tried[k] == 0 {
				continue
			}
			n++
			if f := c[k].F(); f.OK() {
				total += f.V
			}
		}
		if n == 0 {
			return stat.Undefined("no skill is tried")
		}
		return stat.Number(total / float64(n))
	}
}

// beyondChance is the part of f_o that guesses of skills do not reach by chance, 100 (f-e)/(100-e): e is the F-score
// of the same guesses if they had nothing to do with what is tried, but with who tries something. It is 0 for a
// virtual DM that always names the commonest skill, and for one that names skills at random (as Cohen's kappa, 1960).
func beyondChance(groups []sums, rows []int) stat.Value {
	var all, who Counts
	var by [skills]Counts
	for _, g := range rows {
		all.add(groups[g].intentions)
		who.add(groups[g].characters)
		for k := range by {
			by[k].add(groups[g].skills[k])
		}
	}
	found, truth := float64(all.TP+all.FP), float64(all.TP+all.FN)
	if truth == 0 {
		return stat.Undefined("there is nothing to find")
	}
	if found == 0 {
		return stat.Number(0)
	}
	hits := 0.0 // by chance
	for k := range by {
		hits += float64(by[k].TP+by[k].FP) * float64(by[k].TP+by[k].FN) / truth
	}
	hits *= float64(who.TP) / float64(who.TP+who.FP)
	f, e := 2*float64(all.TP)/(found+truth), 2*hits/(found+truth)
	if e >= 1 {
		return stat.Undefined("only one skill is tried")
	}
	return stat.Number(100 * (f - e) / (1 - e))
}

// The F-scores under their names in results.
var scores = []struct {
	name string
	of   measure
}{
	{"f_c", fCharacters},
	{"f_o", fIntentions},
	{"f_c_window", windowMean(func(s *sums) float64 { return s.windowC })},
	{"f_o_window", windowMean(func(s *sums) float64 { return s.windowO })},
	{"f_c_skill", macro(func(s *sums) *[skills]Counts { return &s.actors })},
	{"f_o_skill", macro(func(s *sums) *[skills]Counts { return &s.skills })},
	{"f_o_chance", beyondChance},
}

var (
	fCharacters = micro(func(s *sums) *Counts { return &s.characters }, Counts.F)
	fIntentions = micro(func(s *sums) *Counts { return &s.intentions }, Counts.F)
)

// skill are the counts of one skill over all seeds, by group and in all.
func (t *tally) skill(k int) (groups []Counts, all Counts) {
	groups = make([]Counts, t.groups())
	for _, seed := range t.seeds {
		for g := range seed {
			groups[g].add(seed[g].skills[k])
			all.add(seed[g].skills[k])
		}
	}
	return groups, all
}

// Bootstrap says how intervals are made: draws of the test's groups (0 means stat.MinDraws), which
// are the same for every number of a report.
type Bootstrap struct {
	Draws int
	Seed  uint64
}

// interval of a statistic over groups 0 to n-1.
func (b Bootstrap) interval(n int, statistic func(rows []int) stat.Value) stat.Interval {
	r := rand.New(rand.NewPCG(b.Seed, 0))
	return stat.Bootstrap{Draws: b.Draws, Rand: r}.Interval(stat.Items(n), statistic)
}

// reasons lists why predictions are unscored, the most frequent first.
func (t *tally) reasons() []string {
	keys := slices.Sorted(maps.Keys(t.unscored))
	slices.SortStableFunc(keys, func(a, b string) int { return t.unscored[b] - t.unscored[a] })
	return keys
}
