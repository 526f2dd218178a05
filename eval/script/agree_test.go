package script_test

import (
	"math"
	"strings"
	"testing"

	"parley/eval"
	"parley/eval/script"
	"parley/eval/stat"
)

func found(task, arm string, m script.Metric, value float64) eval.Score {
	f := eval.Score{Session: task, Arm: arm, Scorer: script.Scorer, Metric: string(m), Status: eval.Scored, Value: &value}
	if value < 0 {
		f.Value, f.Status, f.Reason = nil, eval.Unparsed, "no verdict"
	}
	return f
}

func TestAgree(t *testing.T) {
	people, err := script.ReadHuman(strings.NewReader("task,model,NM,ND,who\n"+
		"a,x,True,1,p\nb,x,False,1,p\nc,x,yes,1,p\nd,x,,1,p\ne,x,no,1,p\n"+
		"e,x,no,1,q\nf,x,1,1,p\nf,x,0,1,q\n"), "human.csv")
	if err != nil {
		t.Fatal(err)
	}
	if people.Ties != 1 || people.Given != 15 {
		t.Errorf("%+v", people)
	}
	nm, nd := script.NoMissing, script.NoDuplicate
	findings := []eval.Score{
		found("a", "x", nm, 1), found("b", "x", nm, 1), found("c", "x", nm, 1), found("d", "x", nm, 1), found("e", "x", nm, 0), found("f", "x", nm, 0), found("g", "x", nm, 1),
		found("a", "x", nd, 1), found("b", "x", nd, -1), found("c", "x", nd, 1),
	}
	list := script.Agree(findings, people, 0.95)
	if len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	a := list[0] // people: a 1, b 0, c 1, e 0; judge: 1, 1, 1, 0
	if a.N != 4 || a.NoHuman != 3 || a.NoJudge != 0 || a.Of != 7 || a.MSE.V != 0.25 || *a.Accuracy.Value != 0.75 || a.Confusion.FalsePos != 1 || a.Confusion.TruePos != 2 || a.Confusion.TrueNeg != 1 {
		t.Errorf("%+v", a)
	}
	// kappa: observed 3/4, expected (2*3+2*1)/16 = 1/2; MCC: (2*1-1*0)/sqrt(3*2*2*1)
	if math.Abs(a.Kappa.V-0.5) > 1e-12 || math.Abs(a.MCC.V-2/math.Sqrt(12)) > 1e-12 {
		t.Errorf("kappa %v, MCC %v", a.Kappa, a.MCC)
	}
	b := list[1]
	if b.N != 2 || b.NoJudge != 1 || *b.Accuracy.Value != 1 || b.Kappa.OK() || b.MCC.OK() {
		t.Errorf("where all is 1, chance explains everything: %+v", b)
	}
	o := script.Join(list, 0.95)
	macro := func(of func(*script.Agreement) stat.Value) stat.Value { v, _ := script.Macro(list, of); return v }
	kappa, n := script.Macro(list, func(a *script.Agreement) stat.Value { return a.Kappa })
	mse := macro(func(a *script.Agreement) stat.Value { return a.MSE })
	if o.N != 6 || math.Abs(o.MSE.V-1.0/6) > 1e-12 || mse.V != 0.125 || n != 1 || kappa.V != a.Kappa.V {
		t.Errorf("%+v, MSE %v, kappa %v of %d", o, mse, kappa, n)
	}
	// pooled: people 1 0 1 0 1 1, judge 1 1 1 0 1 1; observed 5/6, expected (4*5+2*1)/36; MCC (4*1-1*0)/sqrt(5*4*2*1)
	accuracy := macro(func(a *script.Agreement) stat.Value { return stat.Number(*a.Accuracy.Value) })
	if math.Abs(o.Kappa.V-(5.0/6-22.0/36)/(1-22.0/36)) > 1e-12 || math.Abs(o.MCC.V-4/math.Sqrt(40)) > 1e-12 || accuracy.V != 0.875 {
		t.Errorf("micro kappa %v, MCC %v, macro accuracy %v", o.Kappa, o.MCC, accuracy)
	}
	if math.Abs(o.MSE.V-(1-*o.Accuracy.Value)) > 1e-12 {
		t.Errorf("the MSE of verdicts is their disagreement: %v, %v", o.MSE, *o.Accuracy.Value)
	}
	for _, m := range script.Metrics()[1:] { // a run has all seven
		if m != nd {
			findings = append(findings, found("a", "x", m, 1))
		}
	}
	lines := map[string]float64{}
	results, _, _ := script.DataOf(findings).Agreement(people)
	for _, r := range results {
		if r.Value != nil {
			lines[r.Arm+" "+r.Metric] = *r.Value
		}
		if r.Low != nil && (*r.Low > *r.Value || *r.High < *r.Value) {
			t.Errorf("interval of %+v", r)
		}
	}
	for line, want := range map[string]float64{"script micro kappa": o.Kappa.V, "script micro mcc": o.MCC.V, "script micro accuracy": 5.0 / 6, "script macro accuracy": 0.875, "script NM false_pass": 1} {
		if got, ok := lines[line]; !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", line, got, want)
		}
	}
}

func TestReadHumanRefuses(t *testing.T) {
	for _, text := range []string{"", "task,NM\na,1\n", "task,model\na,x\n", "task,model,NM\na,x,perhaps\n", "model,size,task,NM\nx\n", "task,task,model,NM\na,b,x,1\n", "task,model,NM\na,x,1,2\n"} {
		if _, err := script.ReadHuman(strings.NewReader(text), "human.csv"); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func FuzzReadHuman(f *testing.F) {
	f.Add("task,model,NM\na,x,yes\n")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := script.ReadHuman(strings.NewReader(text), "f")
		if err != nil {
			return
		}
		for key, value := range v.Of {
			if value != nil && *value != 0 && *value != 1 {
				t.Fatal(key, *value)
			}
		}
	})
}
