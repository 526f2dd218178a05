package survey

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/stat"
)

// least is the change of a score that counts as a rectification: weighted scores hardly ever stay the
// same to the last digit, and half a point moves one from a whole number towards the next.
const least = 0.5

// Rectified counts how an agent that came second changed the evaluator's verdicts on one aspect: a row
// of the paper's Table 1. Negative + Positive + Kept + Unscored = Of for a graded aspect, and Total =
// Negative + Positive. An aspect that is named and not graded has no sign: Changed is its Total.
type Rectified struct {
	Aspect      string `json:"aspect"`
	Agent       Agent  `json:"agent"`
	Graded      bool   `json:"graded"`
	Negative    int    `json:"negative"`
	Positive    int    `json:"positive"`
	Changed     int    `json:"changed"` // of labels
	Total       int    `json:"total"`
	Kept        int    `json:"kept"`
	Unscored    int    `json:"unscored"`    // one of both gave no verdict
	Of          int    `json:"of"`          // documents
	Definitions int    `json:"definitions"` // documents on which SAGE proposed another definition
	Asked       int    `json:"asked"`       // documents on which proposals were asked for and had
}

// key places a verdict.
type key struct {
	document string
	agent    Agent
	aspect   string
}

// Data holds the verdicts and proposals of the agents on all documents of a run.
type Data struct {
	Documents []string // ids, in order
	Rubric    *Rubric
	Verdicts  []Verdict
	Proposals []Proposal
	at        map[key]*Verdict
}

func (d *Data) verdict(document string, agent Agent, aspect string) *Verdict {
	if d.at == nil {
		d.at = map[key]*Verdict{}
		for i := range d.Verdicts {
			v := &d.Verdicts[i]
			d.at[key{v.Document, v.Agent, v.Aspect}] = v
		}
	}
	return d.at[key{document, agent, aspect}]
}

// Agents lists the agents that gave verdicts, the evaluator first.
func (d *Data) Agents() []Agent {
	var list []Agent
	for _, a := range []Agent{Evaluator, Sage, Twice, Checklist} {
		if slices.ContainsFunc(d.Verdicts, func(v Verdict) bool { return v.Agent == a }) {
			list = append(list, a)
		}
	}
	return list
}

// Rectifications counts what SAGE and, where it was asked, the evaluator's second look changed, aspect
// by aspect.
func (d *Data) Rectifications() []Rectified {
	var rows []Rectified
	for _, agent := range d.Agents() {
		if agent != Sage && agent != Twice {
			continue
		}
		for i := range d.Rubric.Aspects {
			rows = append(rows, d.rectified(agent, &d.Rubric.Aspects[i]))
		}
	}
	return rows
}

func (d *Data) rectified(agent Agent, aspect *Aspect) Rectified {
	r := Rectified{Aspect: aspect.Name, Agent: agent, Graded: aspect.Labels == nil, Of: len(d.Documents)}
	for _, document := range d.Documents {
		before, after := d.verdict(document, Evaluator, aspect.Name), d.verdict(document, agent, aspect.Name)
		switch {
		case before == nil || after == nil || !before.Scored() || !after.Scored():
			r.Unscored++
		case !r.Graded && before.Label != after.Label:
			r.Changed++
		case !r.Graded:
			r.Kept++
		case *after.Value <= *before.Value-least:
			r.Negative++
		case *after.Value >= *before.Value+least:
			r.Positive++
		default:
			r.Kept++
		}
	}
	r.Total = r.Negative + r.Positive + r.Changed
	if agent != Sage {
		return r
	}
	_, r.Asked = d.asked()
	for i := range d.Proposals {
		if p := &d.Proposals[i]; p.Kind == Definition && p.Aspect == aspect.Name {
			r.Definitions++
		}
	}
	return r
}

// asked counts the documents on which proposals were asked for, and had.
func (d *Data) asked() (n, answered int) {
	for i := range d.Proposals {
		if p := &d.Proposals[i]; p.Kind == Asked {
			if n++; p.Status == eval.Scored {
				answered++
			}
		}
	}
	return n, answered
}

// Spread is the distribution of an agent's verdicts on one aspect. The counts and Unscored add up to Of.
type Spread struct {
	Aspect   string         `json:"aspect"`
	Agent    Agent          `json:"agent"`
	Named    bool           `json:"named"`            // labels, and no scores
	Scores   [5]int         `json:"scores,omitempty"` // of the whole numbers 1 to 5 that the scores are nearest to
	Labels   map[string]int `json:"labels,omitempty"`
	Values   []float64      `json:"-"`
	Unscored int            `json:"unscored"`
	Of       int            `json:"of"`
}

// Spreads returns the distributions, by aspect and agent.
func (d *Data) Spreads() []Spread {
	var list []Spread
	for i := range d.Rubric.Aspects {
		aspect := &d.Rubric.Aspects[i]
		for _, agent := range d.Agents() {
			s := Spread{Aspect: aspect.Name, Agent: agent, Named: aspect.Labels != nil, Of: len(d.Documents)}
			for _, document := range d.Documents {
				v := d.verdict(document, agent, aspect.Name)
				switch {
				case v == nil || !v.Scored():
					s.Unscored++
				case aspect.Labels != nil:
					if s.Labels == nil {
						s.Labels = map[string]int{}
					}
					s.Labels[v.Label]++
				default:
					s.Values = append(s.Values, *v.Value)
					s.Scores[min(max(int(math.Floor(*v.Value+0.5)), 1), 5)-1]++
				}
			}
			list = append(list, s)
		}
	}
	return list
}

// counts are the numbers of verdicts by score, or by label where the aspect is named.
func (s *Spread) counts(a *Aspect) []int {
	if a.Labels == nil {
		return s.Scores[:]
	}
	var list []int
	for _, l := range a.Labels {
		list = append(list, s.Labels[l])
	}
	return list
}

// Results are the tables as lines of the documented shape: scorer survey; the arm is the agent; the
// metric is aspect:mean, aspect:negative, aspect:positive, aspect:changed, aspect:total,
// aspect:definitions, and new_aspect:name. Counts have Wilson's interval of their share of n, times n.
func (d *Data) Results() []eval.Result {
	var list []eval.Result
	add := func(metric string, agent Agent, count, n, of int) {
		list = append(list, counted(metric, string(agent), count, n, of))
	}
	for _, s := range d.Spreads() {
		n := s.Of - s.Unscored
		if s.Named {
			for _, label := range slices.Sorted(maps.Keys(s.Labels)) {
				add(s.Aspect+":"+label, s.Agent, s.Labels[label], n, s.Of)
			}
			continue
		}
		documents := make([][]float64, n)
		for i := range s.Values {
			documents[i] = s.Values[i : i+1]
		}
		i := stat.BoundedInterval(documents, float64(scale.Min), float64(scale.Max), eval.Confidence)
		list = append(list, eval.Result{Scorer: "survey", Metric: s.Aspect + ":mean", Arm: string(s.Agent), Value: i.Value, Low: i.Low, High: i.High,
			N: n, Of: s.Of, Unit: "documents", Reason: strings.Trim(i.Reason+"; "+d.whyNot(s.Agent, s.Aspect), "; ")})
	}
	for _, t := range d.Rectifications() {
		n := t.Of - t.Unscored
		if t.Graded {
			add(t.Aspect+":negative", t.Agent, t.Negative, n, t.Of)
			add(t.Aspect+":positive", t.Agent, t.Positive, n, t.Of)
		} else {
			add(t.Aspect+":changed", t.Agent, t.Changed, n, t.Of)
		}
		add(t.Aspect+":total", t.Agent, t.Total, n, t.Of)
		if t.Agent == Sage {
			add(t.Aspect+":definitions", t.Agent, t.Definitions, t.Asked, t.Of)
		}
	}
	of, answered := d.asked()
	for _, c := range d.NewAspects() {
		add("new_aspect:"+slug(c.Name), Sage, c.Count, answered, of)
	}
	return list
}

// counted is a result that is a count of k in n.
func counted(metric, arm string, k, n, of int) eval.Result {
	r := eval.Result{Scorer: "survey", Metric: metric, Arm: arm, N: n, Of: of, Unit: "documents", Reason: "nothing was scored"}
	if n > 0 {
		i := stat.Wilson(k, n, eval.Confidence)
		r.Value, r.Reason = new(float64(k)), i.Reason
		if i.Low != nil {
			r.Low, r.High = new(*i.Low*float64(n)), new(*i.High*float64(n))
		}
	}
	return r
}

// whyNot tells why an agent's verdicts on an aspect are missing.
func (d *Data) whyNot(agent Agent, aspect string) string {
	reasons := map[string]int{}
	for i := range d.Verdicts {
		if v := &d.Verdicts[i]; v.Agent == agent && v.Aspect == aspect && !v.Scored() {
			reasons[fmt.Sprintf("%s: %s", v.Status, v.Reason)]++
		}
	}
	return eval.Tallied(reasons)
}
