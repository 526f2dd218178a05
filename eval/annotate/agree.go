package annotate

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"parley/eval"
	"parley/eval/iep"
	"parley/eval/run"
	"parley/eval/session"
	"parley/eval/stat"
	"parley/logs"
)

// ReadKey reads the key of a blind sheet.
func ReadKey(r io.Reader, name string) (*Key, error) {
	data, err := io.ReadAll(io.LimitReader(r, 64<<20))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	k := &Key{}
	if err := eval.Strict(data, k); err != nil {
		return nil, fmt.Errorf("%s is no key of a sheet: %w", name, err)
	}
	if len(k.Items) == 0 {
		return nil, fmt.Errorf("%s has no items", name)
	}
	return k, nil
}

// Agreement compares people's verdicts on a run's debriefs with each other and with the judge's. All shares are in
// percent of the key facts of a debrief.
type Agreement struct {
	Items      int // with a verdict of at least one person
	People     []string
	Unjudged   int                  // items without a score of the judge
	Unknown    int                  // verdicts on items that the key does not have
	Unreadable int                  // verdicts without a value
	units      map[string][]float64 // people's shares, by item
	judge      map[string]float64
	key        *Key
}

// Agree reads the judge's scores of a run, and compares them with people's verdicts by the key of their sheet.
func Agree(dir string, people []Human, key *Key) (*Agreement, error) {
	a := &Agreement{units: map[string][]float64{}, judge: map[string]float64{}, key: key}
	for _, h := range people {
		if !slices.Contains(a.People, h.Annotator) {
			a.People = append(a.People, h.Annotator)
		}
		at, known := key.Items[h.ID]
		var told float64
		switch {
		case !known:
			a.Unknown++
		case h.Status != eval.Scored || json.Unmarshal(h.Value, &told) != nil || at.Of == 0:
			a.Unreadable++
		default:
			a.units[h.ID] = append(a.units[h.ID], 100*told/float64(at.Of))
		}
	}
	ids := map[Origin]string{}
	for id, at := range key.Items {
		at.Arm, at.Of = "", 0
		ids[at] = id
	}
	for s, err := range run.Scores.Read(dir) {
		if err != nil {
			return nil, err
		}
		id, ok := ids[Origin{Session: s.Session, Subject: s.Subject, Control: s.Control}]
		if ok && s.Metric == iep.Metric && s.Value != nil && len(a.units[id]) > 0 {
			a.judge[id] = *s.Value // the last method's, where a run was scored again
		}
	}
	a.Items = len(a.units)
	a.Unjudged = a.Items - len(a.judge)
	return a, nil
}

// Keep keeps the results beside the tables of the run, whose page then shows them.
func (a *Agreement) Keep(dir string) error {
	return logs.WriteJSON(filepath.Join(dir, session.AnnotationsName), a.Results())
}

// Results returns the agreement of the people (Krippendorff's alpha, and the percent of pairs that agree exactly), and
// of the judge with the mean of the people: correlation, mean difference (judge less people) and mean distance.
func (a *Agreement) Results() []eval.Result {
	ids := slices.Sorted(maps.Keys(a.units))
	var units [][]float64
	var same, pairs int
	var judge, people []float64
	var differences, distances [][]float64 // by session
	sessions := map[string]int{}
	for _, id := range ids {
		unit := a.units[id]
		units = append(units, unit)
		for i := range unit {
			for j := range i {
				if pairs++; unit[i] == unit[j] {
					same++
				}
			}
		}
		said, ok := a.judge[id]
		if !ok {
			continue
		}
		mean := 0.0
		for _, v := range unit {
			mean += v / float64(len(unit))
		}
		judge, people = append(judge, said), append(people, mean)
		session := a.key.Items[id].Session
		if _, seen := sessions[session]; !seen {
			sessions[session] = len(differences)
			differences, distances = append(differences, nil), append(distances, nil)
		}
		at := sessions[session]
		differences[at], distances[at] = append(differences[at], said-mean), append(distances[at], math.Abs(said-mean))
	}
	row := func(metric, arm, unit string, n, of int, v stat.Value) eval.Result {
		r := eval.Result{Scorer: "annotate", Metric: metric, Arm: arm, N: n, Of: of, Unit: unit, Reason: v.Reason}
		if v.Reason == "" {
			r.Value = &v.V
		}
		return r
	}
	interval := func(metric string, groups [][]float64) eval.Result {
		i := stat.MeanInterval(groups, eval.Confidence)
		return eval.Result{
			Scorer: "annotate", Metric: metric, Arm: "judge - people", N: len(judge), Of: a.Items, Unit: "debriefs",
			Value: i.Value, Low: i.Low, High: i.High, Reason: i.Reason,
		}
	}
	agree := stat.Undefined("no item has verdicts of two people")
	if pairs > 0 {
		agree = stat.Number(100 * float64(same) / float64(pairs))
	}
	correlation := stat.Spearman(judge, people)
	return []eval.Result{
		row("alpha", "people", "debriefs", len(ids), len(ids), stat.Alpha(units, stat.IntervalScale)),
		row("same", "people", "pairs", pairs, pairs, agree),
		row("spearman", "judge and people", "debriefs", len(judge), a.Items, correlation.R),
		interval("difference", differences),
		interval("distance", distances),
	}
}
