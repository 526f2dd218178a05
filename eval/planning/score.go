package planning

import (
	"maps"
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

// missing adds the headline metrics of a task without a value, so that the answer stays among those asked for.
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
	if metric := map[Task]string{Applicable: "iou_without_loops", State: "iou_fluents", After: "iou_fluents"}[q.Task]; metric != "" {
		kept := func(list []string) []string { return without(without(list, q.Loops), q.Static) }
		s.put(metric, Compare(kept(set), kept(q.Truth), r.Status == None).IoU, eval.NotApplicable, "")
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

// Overlap compares an answer with the truth as sets. A nil value is 0/0.
type Overlap struct {
	IoU       *float64
	Precision *float64 // nil where the answer is empty
	Recall    *float64 // nil where the truth is empty
	Exact     *float64 // 1 or 0
}

// Compare returns the overlap of an answer and the truth. Where both are empty it is 1 if the answer
// says so (none), and 0 if nothing came that could be an answer.
func Compare(answer, truth []string, none bool) Overlap {
	common := len(answer) - len(without(answer, truth))
	union := len(answer) + len(truth) - common
	if union == 0 {
		one := indicator(none)
		return Overlap{one, one, one, one}
	}
	return Overlap{ratio(common, union), ratio(common, len(answer)), ratio(common, len(truth)), indicator(common == union)}
}

// ratio returns n/of, or nil for n/0.
func ratio(n, of int) *float64 {
	if of == 0 {
		return nil
	}
	return new(float64(n) / float64(of))
}

// indicator returns 1 for true and 0 for false.
func indicator(b bool) *float64 {
	return new(map[bool]float64{true: 1}[b])
}

// distance is 1 less the intersection over union of two sets; two empty sets are at distance 0. Of the
// sets of actions of two plans it is the action distance (Nguyen et al., 2012), which knows no order and
// no repetition.
func distance(a, b map[string]bool) float64 {
	return 1 - *Compare(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b)), true).IoU
}

func setOf(list []string) pddl.World {
	set := pddl.World{}
	for _, x := range list {
		set[x] = true
	}
	return set
}

// PlanScores are the measures of a plan. Distances are to the reference plan; smaller is better.
type PlanScores struct {
	Action  float64  // action distance
	Closest *float64 // the least action distance to any optimal plan; nil: they are not all known
	Causal  float64  // distance of the sets of causal links
	States  float64  // mean distance of the states that the plans pass through, step by step
	Valid   bool
	Goal    bool     // the goal holds after the steps that could be carried out
	Ratio   *float64 // cost of a valid plan over the optimal cost; nil: not valid, or an optimal cost of 0
	Prefix  *float64 // share of the steps before the first that does not apply; nil: no steps
	Reason  string   // why the plan is not valid
}

// ScorePlan measures a plan, given as canonical actions. graph may be nil.
func (w *World) ScorePlan(plan []string, graph *pddl.Graph) PlanScores {
	steps := atomsOf(plan)
	p := w.Task.Problem
	v := p.Validate(steps)
	s := PlanScores{
		Action: distance(setOf(plan), setOf(w.Plan)), Valid: v.Valid, Goal: v.GoalReached, Reason: v.Reason,
		Prefix: ratio(v.Applied, len(steps)),
		Causal: distance(causalLinks(p, steps), causalLinks(p, atomsOf(w.Plan))),
		States: stateDistance(statesOf(p, steps), statesOf(p, atomsOf(w.Plan)), len(steps), len(w.Plan)),
	}
	if graph != nil {
		s.Closest = new(distance(setOf(plan), setOf(atomStrings(graph.Closest(setOf(plan))))))
	}
	if v.Valid && w.Cost != nil {
		s.Ratio = ratio(v.Cost, *w.Cost)
	}
	return s
}

// atomsOf turns canonical actions into atoms.
func atomsOf(list []string) []pddl.Atom {
	out := make([]pddl.Atom, 0, len(list))
	for _, s := range list {
		out = append(out, pddl.ParseAtom(s))
	}
	return out
}

// causalLinks returns which action provides which condition of which later action or of the goal. A
// condition that nothing provides has no link, and a step that is no action of the problem has none.
func causalLinks(p *pddl.Problem, steps []pddl.Atom) map[string]bool {
	links, maker := map[string]bool{}, map[string]string{}
	for f := range p.Start() {
		maker[f] = "start"
	}
	need := func(list []pddl.Literal, who string) {
		for _, l := range list {
			if by, ok := maker[l.Atom.String()]; ok && !l.Negated {
				links[by+" "+l.Atom.String()+" "+who] = true
			}
		}
	}
	for _, a := range steps {
		s, err := p.Instance(a)
		if err != nil {
			continue
		}
		need(s.Pre, a.String())
		for _, e := range s.Effect {
			if e.Negated {
				delete(maker, e.Atom.String())
			} else {
				maker[e.Atom.String()] = a.String()
			}
		}
	}
	need(p.Goal, "goal")
	return links
}

// statesOf returns the states after each step, up to the first step that does not apply.
func statesOf(p *pddl.Problem, steps []pddl.Atom) (out []map[string]bool) {
	world := p.Start()
	for _, a := range steps {
		s, err := p.Instance(a)
		if err != nil || world.Missing(s.Pre) != nil {
			break
		}
		world.Apply(s)
		out = append(out, maps.Clone(world))
	}
	return out
}

// stateDistance is the mean distance of the states after each step; a missing state counts 1 (Srivastava et al., 2007).
func stateDistance(a, b []map[string]bool, lenA, lenB int) float64 {
	n := max(lenA, lenB)
	if n == 0 {
		return 0
	}
	sum := float64(n - min(len(a), len(b)))
	for i := range min(len(a), len(b)) {
		sum += distance(a[i], b[i])
	}
	return sum / float64(n)
}
