package planning

import (
	"slices"

	"parley/eval"
	"parley/eval/planning/pddl"
)

// Metrics lists the numbers that runs give, by task.
func Metrics() []eval.Metric {
	var list []eval.Metric
	add := func(task Task, m eval.Metric) {
		m.Scorer, m.Paired = string(task), m.Headline // few differences: each one more costs the others power
		if m.Unit == "" {
			m.Unit = "answers"
		}
		m.Title += " (" + string(task) + ")"
		list = append(list, m)
	}
	for _, task := range Tasks[:5] {
		add(task, eval.Metric{Name: "iou", Title: "IoU", High: 1, Higher: true, Headline: true,
			Caption: "Items of the answer that are true over items that are in the answer or true; 1 is a perfect answer."})
		add(task, eval.Metric{Name: "precision", Title: "precision", High: 1, Higher: true, Caption: "Share of the items of an answer that are true; an empty answer has none."})
		add(task, eval.Metric{Name: "recall", Title: "recall", High: 1, Higher: true, Caption: "Share of the true items that are in the answer."})
		add(task, eval.Metric{Name: "exact", Title: "exact", High: 1, Higher: true, Caption: "1 where the answer is the truth, else 0: the usual measure."})
	}
	add(Applicable, eval.Metric{Name: "iou_without_loops", Title: "IoU without loops", High: 1, Higher: true, Caption: "IoU without the actions that change nothing, such as to drive to where one is."})
	for _, task := range []Task{State, After} {
		add(task, eval.Metric{Name: "iou_fluents", Title: "IoU of fluents", High: 1, Higher: true, Caption: "IoU without what no action can change."})
	}
	add(Plan, eval.Metric{Name: "action_distance", Title: "action distance, lower is better", High: 1, Headline: true,
		Caption: "1 less the actions that answer and reference plan share, over those in either; 0 is the same set of actions. The control is the distance of another optimal plan, drawn at random: no answer can be expected to come below it."})
	add(Plan, eval.Metric{Name: "action_distance_closest", Title: "action distance to the closest optimal plan, lower is better", High: 1, Caption: "The least action distance to any optimal plan; 0 for every optimal plan."})
	add(Plan, eval.Metric{Name: "causal_link_distance", Title: "causal-link distance, lower is better", High: 1, Caption: "As action distance, of which action provides which condition of which other."})
	add(Plan, eval.Metric{Name: "state_sequence_distance", Title: "state-sequence distance, lower is better", High: 1, Caption: "The mean distance of the states after each step."})
	add(Plan, eval.Metric{Name: "valid", Title: "valid plans", High: 1, Higher: true, Headline: true, Caption: "1 where every step can be carried out and the goal holds at the end."})
	add(Plan, eval.Metric{Name: "goal_reached", Title: "goal reached", High: 1, Higher: true, Caption: "1 where the goal holds after the steps before the first that cannot be carried out."})
	add(Plan, eval.Metric{Name: "cost_ratio", Title: "cost ratio, lower is better", Caption: "Cost of a valid plan over the optimal cost; 1 is optimal."})
	add(Plan, eval.Metric{Name: "valid_prefix", Title: "valid prefix", High: 1, Higher: true, Caption: "Share of the steps before the first that cannot be carried out."})
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
