package script_test

import (
	"math"
	"strings"
	"testing"

	"parley/eval"
	"parley/eval/script"
)

func found(task, arm string, m script.Metric, value float64) script.Finding {
	f := script.Finding{Session: task, Arm: arm, Scorer: script.Scorer, Metric: m, Status: eval.Scored, Value: &value}
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
	findings := []script.Finding{
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
	if o.N != 6 || math.Abs(o.MicroMSE.V-1.0/6) > 1e-12 || o.MacroMSE.V != 0.125 || o.Kappas != 1 || o.MacroKappa.V != a.Kappa.V {
		t.Errorf("%+v", o)
	}
	// pooled: people 1 0 1 0 1 1, judge 1 1 1 0 1 1; observed 5/6, expected (4*5+2*1)/36; MCC (4*1-1*0)/sqrt(5*4*2*1)
	if math.Abs(o.MicroKappa.V-(5.0/6-22.0/36)/(1-22.0/36)) > 1e-12 || math.Abs(o.MicroMCC.V-4/math.Sqrt(40)) > 1e-12 || o.MacroAccuracy.V != 0.875 {
		t.Errorf("micro kappa %v, MCC %v, macro accuracy %v", o.MicroKappa, o.MicroMCC, o.MacroAccuracy)
	}
	if math.Abs(o.MicroMSE.V-(1-*o.MicroAccuracy.Value)) > 1e-12 {
		t.Errorf("the MSE of verdicts is their disagreement: %v, %v", o.MicroMSE, *o.MicroAccuracy.Value)
	}
}

func TestReadHumanRefuses(t *testing.T) {
	for _, text := range []string{"", "task,NM\na,1\n", "task,model\na,x\n", "task,model,NM\na,x,perhaps\n", "model,size,task,NM\nx\n"} {
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
