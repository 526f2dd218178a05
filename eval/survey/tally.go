package survey

import (
	"math"
	"slices"
)

// least is the change of a score that counts as a rectification: weighted scores hardly ever stay the
// same to the last digit, and half a point is what moves one from a whole number towards the next.
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

// Data is what the agents said of all documents of a run.
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
	for i := range d.Proposals {
		switch p := &d.Proposals[i]; {
		case p.Kind == Asked && p.Status == "scored":
			r.Asked++
		case p.Kind == Definition && p.Aspect == aspect.Name:
			r.Definitions++
		}
	}
	return r
}

// Spread is how an agent's verdicts on one aspect lie. The counts and Unscored add up to Of.
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
