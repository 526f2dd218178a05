package ieg

import (
	"maps"
	"math/rand/v2"
	"slices"

	"parley/characters"
	"parley/eval/stat"
)

// tally is what a panel's marks come to on the whole test, and on each draw of the test's groups: draws are the same
// for all panels, so that numbers of several can be set against each other draw by draw.
type tally struct {
	scored, of int // predictions of all seeds
	unscored   map[string]int
	groups     int                     // of the test
	values     map[string][]stat.Value // by the name of the score, the mean over the seeds: of the whole test, then of each draw
	skills     [][skills]Counts        // over all seeds, likewise
}

// sums are the marks of one virtual DM added up.
type sums struct {
	windows                int // scored
	characters, intentions Counts
	windowC, windowO       float64 // sums of the windows' own F-scores
	skills, actors         [skills]Counts
	occur                  []int // the skills that are tried or predicted
}

func (s *sums) add(d *sums) {
	s.windows += d.windows
	s.characters.add(d.characters)
	s.intentions.add(d.intentions)
	s.windowC += d.windowC
	s.windowO += d.windowO
	for _, k := range d.occur {
		s.skills[k].add(d.skills[k])
		s.actors[k].add(d.actors[k])
	}
}

const skills = 18

var skillAt = func() map[characters.Skill]int {
	at := map[characters.Skill]int{}
	for i, s := range characters.Skills() {
		at[s] = i
	}
	return at
}()

// sum takes the scores of a panel on the whole test and on each draw of its groups.
func sum(panel [][]Mark, b Bootstrap) *tally {
	t := &tally{unscored: map[string]int{}, values: map[string][]stat.Value{}}
	var seeds [][]sums
	for _, marks := range panel {
		seeds = append(seeds, t.byGroup(marks))
	}
	if len(seeds) == 0 {
		return t
	}
	t.groups = len(seeds[0])
	t.score(seeds, slices.Concat(stat.Items(t.groups)...))
	for drawn := range b.resampling().Resamples(t.groups) {
		t.score(seeds, drawn)
	}
	return t
}

// byGroup adds up the marks of a virtual DM by group, in the order in which the groups first appear.
func (t *tally) byGroup(marks []Mark) []sums {
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
		for k := range s.skills {
			if s.skills[k] != (Counts{}) || s.actors[k] != (Counts{}) {
				s.occur = append(s.occur, k)
			}
		}
	}
	return out
}

// score takes the scores of some groups, which may repeat: the mean over the seeds, where every seed has one.
func (t *tally) score(seeds [][]sums, rows []int) {
	means := make([]stat.Value, len(scores))
	var counts [skills]Counts
	for _, groups := range seeds {
		var s sums
		for _, g := range rows {
			s.add(&groups[g])
		}
		for i, score := range scores {
			switch v := score.of(&s); {
			case !means[i].OK():
			case !v.OK():
				means[i] = v
			default:
				means[i].V += v.V
			}
		}
		for k := range counts {
			counts[k].add(s.skills[k])
		}
	}
	for i, score := range scores {
		if means[i].OK() {
			means[i] = stat.Number(means[i].V / float64(len(seeds)))
		}
		t.values[score.name] = append(t.values[score.name], means[i])
	}
	t.skills = append(t.skills, counts)
}

// windowMean is the mean over windows of each window's own F-score.
func windowMean(s *sums, total float64) stat.Value {
	if s.windows == 0 {
		return stat.Undefined("no prediction was scored")
	}
	return stat.Number(total / float64(s.windows))
}

// macro is the mean over skills of each skill's F-score. Only skills that are truly tried take part, so
// that all virtual DMs are measured by the same ones.
func macro(s *sums, counts *[skills]Counts) stat.Value {
	n, total := 0, 0.0
	for k, truth := range s.skills {
		if truth.TP+truth.FN == 0 {
			continue
		}
		n++
		if f := counts[k].F(); f.OK() {
			total += f.V
		}
	}
	if n == 0 {
		return stat.Undefined("no skill is tried")
	}
	return stat.Number(total / float64(n))
}

// beyondChance is the part of f_o that guesses of skills do not reach by chance, 100 (f-e)/(100-e): e is the F-score
// of the same guesses if they had nothing to do with what is tried, but with who tries something. It is 0 for a
// virtual DM that always names the commonest skill, and for one that names skills at random (as Cohen's kappa, 1960).
func beyondChance(s *sums) stat.Value {
	all, who := s.intentions, s.characters
	found, truth := float64(all.TP+all.FP), float64(all.TP+all.FN)
	if truth == 0 {
		return stat.Undefined("there is nothing to find")
	}
	if found == 0 {
		return stat.Number(0)
	}
	hits := 0.0 // by chance
	for _, c := range s.skills {
		hits += float64(c.TP+c.FP) * float64(c.TP+c.FN) / truth
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
	of   func(*sums) stat.Value
}{
	{"f_c", func(s *sums) stat.Value { return s.characters.F() }},
	{"f_o", func(s *sums) stat.Value { return s.intentions.F() }},
	{"f_c_window", func(s *sums) stat.Value { return windowMean(s, s.windowC) }},
	{"f_o_window", func(s *sums) stat.Value { return windowMean(s, s.windowO) }},
	{"f_c_skill", func(s *sums) stat.Value { return macro(s, &s.actors) }},
	{"f_o_skill", func(s *sums) stat.Value { return macro(s, &s.skills) }},
	{"f_o_chance", beyondChance},
}

// Bootstrap says how intervals are made: draws of the test's groups (0 means stat.MinDraws), which
// are the same for every number of a report.
type Bootstrap struct {
	Draws int
	Seed  uint64
}

func (b Bootstrap) resampling() stat.Bootstrap {
	return stat.Bootstrap{Draws: b.Draws, Rand: rand.New(rand.NewPCG(b.Seed, 0))}
}

// interval is that of a statistic of a tally, known of the whole test and of each draw of its groups.
func (t *tally) interval(values []stat.Value) stat.Interval {
	return stat.Bootstrap{}.Of(values[0], values[1:], t.groups)
}

// combined applies a function to two statistics draw by draw; what has no value in one of them has none.
func combined(a, b []stat.Value, f func(a, b float64) stat.Value) []stat.Value {
	out := make([]stat.Value, len(a))
	for i := range a {
		switch {
		case !a[i].OK():
			out[i] = a[i]
		case !b[i].OK():
			out[i] = b[i]
		default:
			out[i] = f(a[i].V, b[i].V)
		}
	}
	return out
}

// less is a-b, draw by draw.
func less(a, b []stat.Value) []stat.Value {
	return combined(a, b, func(a, b float64) stat.Value { return stat.Number(a - b) })
}

// reasons lists why predictions are unscored, the most frequent first.
func (t *tally) reasons() []string {
	keys := slices.Sorted(maps.Keys(t.unscored))
	slices.SortStableFunc(keys, func(a, b string) int { return t.unscored[b] - t.unscored[a] })
	return keys
}
