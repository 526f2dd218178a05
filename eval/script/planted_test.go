package script_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"parley/eval"
	"parley/eval/judge"
	"parley/eval/script"
	"parley/sim/llm"
)

// truth is what is wrong with a script, by task and author.
type truth map[[2]string]map[script.Metric]bool

// planted is a judge that answers from the truth, but for exactly a set share of the scripts of each
// kind, on which it is wrong.
type planted struct {
	truth truth
	wrong map[script.Metric]map[[2]string]bool
}

// plant draws which verdicts are wrong: of all scripts with the fault, and of all without, the share
// that is said.
func plant(truth truth, rates map[script.Metric]float64, r *rand.Rand) *planted {
	p := &planted{truth: truth, wrong: map[script.Metric]map[[2]string]bool{}}
	for _, m := range script.Metrics() {
		p.wrong[m] = map[[2]string]bool{}
		for _, faulty := range []bool{true, false} {
			var keys [][2]string
			for key, faults := range truth {
				if faults[m] == faulty {
					keys = append(keys, key)
				}
			}
			sort.Slice(keys, func(i, j int) bool { return fmt.Sprint(keys[i]) < fmt.Sprint(keys[j]) })
			r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
			for _, key := range keys[:int(math.Round(rates[m]*float64(len(keys))))] {
				p.wrong[m][key] = true
			}
		}
	}
	return p
}

func (p *planted) judge() *judge.Judge {
	return &judge.Judge{Name: "test:truth", Now: clock, Model: llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
		key := [2]string{req.Tag.Session, req.Tag.Actor}
		bad := func(m script.Metric) bool { return p.truth[key][m] != p.wrong[m][key] }
		listed := func(m script.Metric) []int {
			if bad(m) {
				return []int{1}
			}
			return []int{}
		}
		var reply any
		switch agentOf(req) {
		case "critic":
			missing := []string{}
			if bad(script.NoMissing) {
				missing = []string{"a key step"}
			}
			reply = map[string]any{"missing": missing, "missing_steps": bad(script.NoMissing), "redundant": listed(script.NoRedundant), "redundant_steps": bad(script.NoRedundant), "duplicate": listed(script.NoDuplicate), "duplicate_steps": bad(script.NoDuplicate)}
		case "commonsense":
			reply = map[string]any{"senseless": listed(script.Executable), "executable": !bad(script.Executable)}
		case "execute":
			all := map[string]any{"meet_constraints": !bad(script.Satisfies), "fails_at": 0, "complete_goal": !bad(script.Completes), "misplaced": listed(script.Ordered), "step_order_correct": !bad(script.Ordered)}
			for i := range 3 {
				all[fmt.Sprintf("condition_%d", i+1)] = i > 0 || !bad(script.Satisfies)
			}
			reply = all
		}
		raw, err := json.Marshal(reply)
		if err != nil {
			return nil, err
		}
		return &llm.Response{Text: withNonce(req, string(raw)), Finish: llm.Stop}, nil
	})}
}

// The six kinds of fault are planted by rule into all reference scripts, and judged by agents that
// are wrong as often as the paper's are: the accuracies that come out are those that went in.
func TestPlantedFaultsAreMeasured(t *testing.T) {
	rates := map[script.Metric]float64{
		script.NoMissing: 0.16, script.NoRedundant: 0.04, script.NoDuplicate: 0.04, script.Satisfies: 0.15,
		script.Completes: 0.08, script.Ordered: 0.16, script.Executable: 0.1,
	}
	tasks := script.Library()
	known := truth{}
	for i := range tasks {
		known[[2]string{tasks[i].ID, string(script.Intact)}] = nil
		for _, f := range script.Faults() {
			known[[2]string{tasks[i].ID, string(f)}] = map[script.Metric]bool{f.Metric(): true}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	j := plant(known, rates, r).judge()
	p := panel(j, false)
	var findings []eval.Score
	for i := range tasks {
		for _, f := range append(script.Faults(), script.Intact) {
			s := script.Plant(f, &tasks[i], tasks, r)
			if s.Status != eval.Scored {
				t.Fatalf("%s in %s: %s", f, tasks[i].ID, s.Reason)
			}
			if slices.Equal(s.Steps, tasks[i].Steps) != (f == script.Intact) {
				t.Fatalf("%s in %s: %q", f, tasks[i].ID, s.Steps)
			}
			own, _, err := p.Judge(t.Context(), script.Subject{Task: &tasks[i], Arm: string(f), Script: s.Steps, Gold: tasks[i].Steps, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			findings = append(findings, scoresOf(own)...)
		}
	}
	list := script.Detect(findings, 0.95)
	if len(list) != 6 {
		t.Fatalf("%d kinds", len(list))
	}
	for _, d := range list {
		want := 1 - rates[d.Metric]
		if d.N != 60 || d.Of != 60 || *d.Seen.Low > want || *d.Seen.High < want || math.Abs(*d.Seen.Value-want) > 0.5/60+1e-9 {
			t.Errorf("%s: %.3f [%.3f, %.3f] of %d, planted %.3f", d.Fault, *d.Seen.Value, *d.Seen.Low, *d.Seen.High, d.N, want)
		}
		// Among the scripts without this fault the intact ones are a sample of their own.
		if *d.Alarms.Low > rates[d.Metric] || *d.Alarms.High < rates[d.Metric] {
			t.Errorf("%s: false alarms %.3f [%.3f, %.3f], planted %.3f", d.Fault, *d.Alarms.Value, *d.Alarms.Low, *d.Alarms.High, rates[d.Metric])
		}
	}
	// People who know the truth agree with the judges as often as those are right.
	people := &script.Verdicts{Of: map[[3]string]*float64{}}
	for key, faults := range known {
		for _, m := range script.Metrics() {
			v := 1.0
			if faults[m] {
				v = 0
			}
			people.Of[[3]string{key[0], key[1], string(m)}] = &v
		}
	}
	for _, a := range script.Agree(findings, people, 0.95) {
		if a.N != 420 || math.Abs(a.MSE.V-rates[a.Metric]) > 1.0/420+1e-9 {
			t.Errorf("%s: MSE %v of %d, planted %v", a.Metric, a.MSE, a.N, rates[a.Metric])
		}
	}
}

// Six authors with planted shares of faults are ranked in the order of their shares, through judges
// that are wrong in one of ten cases.
func TestPlantedOrderIsRecovered(t *testing.T) {
	tasks := script.Library()
	arms := []string{"f", "b", "d", "a", "e", "c"}
	share := map[string]float64{"a": 0.05, "b": 0.2, "c": 0.35, "d": 0.5, "e": 0.65, "f": 0.8}
	r := rand.New(rand.NewPCG(3, 4))
	known, scripts := truth{}, map[[2]string][]string{}
	for i := range tasks {
		for _, arm := range arms {
			key, first := [2]string{tasks[i].ID, arm}, script.Intact
			known[key] = map[script.Metric]bool{}
			for _, f := range script.Faults() {
				if r.Float64() < share[arm] {
					known[key][f.Metric()] = true
					first = f
				}
			}
			scripts[key] = script.Plant(first, &tasks[i], tasks, r).Steps
		}
	}
	rates := map[script.Metric]float64{}
	for _, m := range script.Metrics() {
		rates[m] = 0.1
	}
	p := panel(plant(known, rates, r).judge(), false)
	table := &script.Table{}
	for i := range tasks {
		for _, arm := range arms {
			own, _, err := p.Judge(t.Context(), script.Subject{Task: &tasks[i], Arm: arm, Script: scripts[[2]string{tasks[i].ID, arm}], Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			row := script.Row{Arm: arm, Task: tasks[i].ID}
			for _, f := range own {
				row.Values[slices.Index(script.Metrics(), f.Metric)] = f.Value
			}
			table.Rows = append(table.Rows, row)
		}
	}
	g, err := script.Rank(table, nil, 0.95, rand.New(rand.NewPCG(5, 6)))
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range g.Ranked {
		if want := string(rune('a' + i)); one.Arm != want || one.Rank != i+1 || one.Best > i+1 || one.Worst < i+1 || one.N != 60 {
			t.Errorf("place %d: %+v, want %s", i+1, one, want)
		}
	}
	if len(g.Pairs) != 15 {
		t.Fatalf("%d pairs", len(g.Pairs))
	}
	for _, pair := range g.Pairs {
		if !pair.Holm.OK() || pair.Holm.V < pair.P.V {
			t.Errorf("%s over %s: %+v", pair.A, pair.B, pair)
		}
		if pair.B[0] > pair.A[0]+1 && (pair.Holm.V > 0.05 || *pair.Diff.Low <= 0) { // neighbours may be too close
			t.Errorf("%s over %s: %+v", pair.A, pair.B, pair)
		}
	}
}
