package compare

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/characters/yamlfile"
	"parley/eval/run"
)

// Gate is something that was required of an arm.
type Gate struct {
	Gate string `json:"gate"`
	Arm  string `json:"arm"`
	OK   bool   `json:"ok"`
	Why  string `json:"why"` // the numbers that decided
}

// Requirement is a bound that a metric of every arm has to keep.
type Requirement struct {
	text, metric, sign string
	bound              float64
}

var requirement = regexp.MustCompile(`^\s*([\w@/-]+)\s*(>=|<=|>|<)\s*([-+.\w]+)\s*$`)

// ParseRequirement reads METRIC>=X, with >, < or <= in place of >=.
func ParseRequirement(text string) (Requirement, error) {
	m := requirement.FindStringSubmatch(text)
	if m == nil {
		return Requirement{}, run.Usagef("require %q: write METRIC>=X, such as iep>=50 or valid_turns>=95", text)
	}
	bound, err := strconv.ParseFloat(m[3], 64)
	if err != nil || bound != bound {
		return Requirement{}, run.Usagef("require %q: %q is no number", text, m[3])
	}
	return Requirement{text, m[1], m[2], bound}, nil
}

// Require checks every arm but those of the run that is left out. What has no value fails. A metric that no arm
// has is an error.
func (r *Report) Require(q Requirement, without string) error {
	known := false
	for i := range r.Arms {
		a := &r.Arms[i]
		if a.Run == without {
			continue
		}
		v, has := a.Metrics[q.metric]
		known = known || has
		g := Gate{Gate: q.text, Arm: a.Arm, Why: within(v.Value, v.Low, v.High, 2)}
		if v.Value != nil {
			g.OK = map[string]bool{">=": *v.Value >= q.bound, "<=": *v.Value <= q.bound, ">": *v.Value > q.bound, "<": *v.Value < q.bound}[q.sign]
		}
		r.Gates = append(r.Gates, g)
	}
	if !known {
		var names []string
		for _, m := range r.metrics {
			names = append(names, m.Name)
		}
		return run.Usagef("require %q: there is no metric %s; %sthere are %s", q.text, q.metric, yamlfile.DidYouMean(q.metric, names), strings.Join(names, ", "))
	}
	return nil
}

// NoWorseThan checks that the arms of other runs are no worse than those of a run by more than a margin: that the
// 95 % interval of the difference in the headline metric ends within it. Arms are compared with the arm of the
// same models, where the run has one, else with its best.
func (r *Report) NoWorseThan(dir string, margin float64) {
	best := slices.IndexFunc(r.Arms, func(a Arm) bool { return a.Run == dir })
	for i := range r.Arms {
		a := &r.Arms[i]
		if a.Run == dir {
			continue
		}
		to := slices.IndexFunc(r.Arms, func(b Arm) bool { return b.Run == dir && slices.Equal(a.Models, b.Models) })
		if to < 0 {
			to = best
		}
		g := Gate{Gate: fmt.Sprintf("no worse than %s by more than %v", r.Arms[to].Arm, margin), Arm: a.Arm, Why: "no difference could be had"}
		if d := r.between(a.Arm, r.Arms[to].Arm); d != nil && d.Value != nil {
			g.Why = within(d.Value, d.Low, d.High, 2)
			switch higher := r.metric(r.Headline).Higher; {
			case *d.Value == 0 && d.PHolm != nil && *d.PHolm == 1 && d.effect == nil:
				g.OK = true // the same in every situation
			case d.Low == nil:
			case higher:
				g.OK = *d.Low >= -margin
			default:
				g.OK = *d.High <= margin
			}
		}
		r.Gates = append(r.Gates, g)
	}
}

// between returns a less b in the headline metric; nil where there is no such difference.
func (r *Report) between(a, b string) *Difference {
	for _, d := range r.Differences {
		switch {
		case d.Metric != r.Headline:
		case d.A == a && d.B == b:
			return &d
		case d.A == b && d.B == a:
			d.A, d.B, d.Value, d.Low, d.High = a, b, negated(d.Value), negated(d.High), negated(d.Low)
			return &d
		}
	}
	return nil
}

// Failed lists the gates that do not hold.
func (r *Report) Failed() (failed []Gate) {
	for _, g := range r.Gates {
		if !g.OK {
			failed = append(failed, g)
		}
	}
	return failed
}
