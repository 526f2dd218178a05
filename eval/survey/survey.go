// Package survey judges open-ended structured text without a reference, in two steps: an evaluator
// agent scores a document by the aspects of a rubric, and a critic, the SAGE agent, reads the document
// and those verdicts, puts scores right, and proposes other definitions and new aspects (Ghosh et al.,
// "SAGEval", 2024; the evaluator after Liu et al., "G-Eval", 2023).
//
// Scores, changes of scores and agreement with people are counted here; faults that show in a
// document without a model are found by survey/form.
package survey

import (
	"parley/eval"
	"parley/eval/judge"
	"parley/sim/llm"
)

// Agent is who gave a verdict.
type Agent string

const (
	Evaluator Agent = "evaluator"
	Sage      Agent = "sage"
	Twice     Agent = "twice"     // the evaluator, asked again with its own verdict before it: a second look without a critic
	Checklist Agent = "checklist" // the evaluator's model, by yes and no questions only (after Lee et al., "CheckEval", 2024)
)

// Variant is how the SAGE agent goes about its work.
type Variant string

const (
	Vanilla Variant = "vanilla"
	Reflect Variant = "reflect" // it is shown its own review and gives a final one
	CoT     Variant = "cot"     // it writes steps of thought down first
)

// Subject is a document to judge.
type Subject struct {
	ID     string
	Prompt string // what was asked for; empty: not known
	Text   string
}

// Verdict is the verdict of one agent on one aspect of one document: a row of a run's verdicts.
type Verdict struct {
	Document string      `json:"document" parquet:"document,dict"`
	Agent    Agent       `json:"agent" parquet:"agent,dict"`
	Aspect   string      `json:"aspect" parquet:"aspect,dict"`
	Value    *float64    `json:"value" parquet:"value,optional"` // 1 to 5; nil for labels and where there is none
	Label    string      `json:"label" parquet:"label,dict"`     // of an aspect that is named and not graded
	Status   eval.Status `json:"status" parquet:"status,dict"`
	Reason   string      `json:"reason" parquet:"reason"` // why there is no verdict
	Why      string      `json:"why" parquet:"why"`       // the agent's reason for its verdict
	Method   string      `json:"method" parquet:"method,dict"`
	Mass     float64     `json:"mass" parquet:"mass"` // of the probability or the draws that count; see judge.Rated
	Calls    []string    `json:"calls" parquet:"calls,list"`
}

// Scored reports whether there is a verdict.
func (v *Verdict) Scored() bool { return v.Status == eval.Scored }

// Kinds of proposals.
const (
	Asked      = "asked"      // no proposal: that proposals were asked for, and what came of it
	Definition = "definition" // other words for an aspect
	NewAspect  = "aspect"
)

// Proposal is a change of the rubric that the SAGE agent proposes: a row of a run's proposals.
type Proposal struct {
	Document string      `json:"document" parquet:"document,dict"`
	Kind     string      `json:"kind" parquet:"kind,dict"`
	Aspect   string      `json:"aspect" parquet:"aspect"`
	Text     string      `json:"text" parquet:"text"` // the definition
	Why      string      `json:"why" parquet:"why"`
	Status   eval.Status `json:"status" parquet:"status,dict"` // of Asked; else scored
	Reason   string      `json:"reason" parquet:"reason"`
	Calls    []string    `json:"calls" parquet:"calls,list"`
}

// Outcome is all that came of one document.
type Outcome struct {
	Verdicts  []Verdict
	Proposals []Proposal
	Calls     []llm.Call
}

// Scores are the graded verdicts as rows of a run's scores, under the arm that is given, one a
// document, aspect and agent; of a label, whether SAGE or the second look changed it is the score.
func (o *Outcome) Scores(arm string) []eval.Score {
	first := map[string]*Verdict{}
	var scores []eval.Score
	for i := range o.Verdicts {
		v := &o.Verdicts[i]
		s := eval.Score{
			Session: v.Document, Arm: arm, Scorer: "survey", Metric: v.Aspect, Subject: string(v.Agent), Value: v.Value,
			Status: v.Status, Reason: v.Reason, Method: v.Method, Calls: v.Calls,
		}
		if v.Agent == Evaluator {
			first[v.Aspect] = v
		}
		if v.Label != "" {
			s.Evidence = []eval.Evidence{{Got: v.Label}}
			s.Metric += "_changed"
			before := first[v.Aspect]
			switch {
			case v.Agent == Evaluator:
				continue
			case before == nil || !before.Scored():
				s.Status, s.Reason = eval.NotApplicable, "the evaluator gave no label"
			default:
				changed := 0.0
				if before.Label != v.Label {
					changed = 1
				}
				s.Value = &changed
			}
		}
		scores = append(scores, s)
	}
	return scores
}

// Agents are who judges, and how.
type Agents struct {
	Evaluator *judge.Judge
	Sage      *judge.Judge // nil: the evaluator alone
	Rubric    *Rubric
	Mode      judge.Mode // of all scores
	Draws     int        // of samples; 0: as judge.Rating
	Variant   Variant    // empty: vanilla
	Baselines []Agent    // Twice, Checklist
	Seed      uint64
}
