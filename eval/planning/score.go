package planning

import (
	"slices"

	"parley/eval"
	"parley/eval/planning/pddl"
)

// Metrics lists the numbers that runs give, by task.
func Metrics() (list []eval.Metric) {
	described := loadMetrics()
	for _, task := range Tasks {
		for _, m := range described[task] {
			m.Scorer, m.Paired = string(task), m.Headline // few differences: each one more costs the others power
			m.Title += " (" + m.Scorer + ")"
			list = append(list, m)
		}
	}
	return list
}

// scorer collects the scores of one answer.
type scorer struct {
	base   eval.Score
	scores []eval.Score
}

// put adds a value; where there is none, status and reason say why.
func (s *scorer) put(metric string, v *float64, status eval.Status, reason string) {
	score := s.base
	score.Metric, score.Value, score.Status, score.Reason = metric, v, eval.Scored, ""
	if v == nil {
		score.Status, score.Reason = status, reason
	}
	s.scores = append(s.scores, score)
}

// missing adds every headline metric of a task without a value, so that the answer stays among those
// that were asked for.
func (s *scorer) missing(task Task, status eval.Status, reason string) {
	for _, m := range Metrics() {
		if m.Scorer == string(task) && m.Headline {
			s.put(m.Name, nil, status, reason)
		}
	}
}

// scoreSet scores an answer to any task but Plan. An answer that is empty, a refusal or cut off before
// its first item is an empty set; one of which nothing could be read has no score.
func (s *scorer) scoreSet(q *Question, r *Reading) {
	if r.Status == Nothing {
		s.missing(q.Task, eval.Unparsed, string(Nothing))
		return
	}
	set := r.Set()
	o := Compare(set, q.Truth, r.Status == None)
	s.put("iou", o.IoU, eval.NotApplicable, "")
	s.put("precision", o.Precision, eval.NotApplicable, "the answer is empty")
	s.put("recall", o.Recall, eval.NotApplicable, "nothing is true")
	s.put("exact", o.Exact, eval.NotApplicable, "")
	switch q.Task {
	case Applicable:
		s.put("iou_without_loops", Compare(without(set, q.Loops), without(q.Truth, q.Loops), r.Status == None).IoU, eval.NotApplicable, "")
	case State, After:
		s.put("iou_fluents", Compare(without(set, q.Static), without(q.Truth, q.Static), r.Status == None).IoU, eval.NotApplicable, "")
	}
}

// scorePlan scores a plan. floor, which may be nil, is another optimal plan.
func (s *scorer) scorePlan(w *World, r *Reading, graph *pddl.Graph, floor []string) PlanScores {
	if floor != nil {
		s.base.Control = "another optimal plan"
		s.put("action_distance", new(distance(setOf(floor), setOf(w.Plan))), "", "")
		s.base.Control = ""
	}
	if r.Status == Nothing {
		s.missing(Plan, eval.Unparsed, string(Nothing))
		return PlanScores{}
	}
	p := w.ScorePlan(r.Sequence(), graph)
	s.put("action_distance", &p.Action, "", "")
	s.put("action_distance_closest", p.Closest, eval.NotApplicable, "not all optimal plans are known within the limit")
	s.put("causal_link_distance", &p.Causal, "", "")
	s.put("state_sequence_distance", &p.States, "", "")
	s.put("valid", indicator(p.Valid), "", "")
	s.put("goal_reached", indicator(p.Goal), "", "")
	s.put("cost_ratio", p.Ratio, eval.NotApplicable, "the plan is not valid")
	s.put("valid_prefix", p.Prefix, eval.NotApplicable, "the plan is empty")
	return p
}

// headline returns the value of the metric of a task that histograms show.
func (s *scorer) headline(task Task) *float64 {
	name := "iou"
	if task == Plan {
		name = "action_distance"
	}
	i := slices.IndexFunc(s.scores, func(x eval.Score) bool { return x.Metric == name && x.Control == "" })
	if i < 0 {
		return nil
	}
	return s.scores[i].Value
}
