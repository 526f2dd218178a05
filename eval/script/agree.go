package script

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"parley/eval/stat"
)

// Human is one person's verdict on one metric of one script. Value is nil where none was given.
type Human struct {
	Task, Arm string
	Metric    Metric
	Value     *float64
}

// Verdicts are the verdicts of people, one a script and metric.
type Verdicts struct {
	Of    map[[3]string]*float64 // task, arm, metric; nil: no value, or no majority
	Ties  int                    // among several people, of which none has a majority
	Given int                    // single verdicts read
}

// ReadHuman reads people's verdicts from CSV: columns task, model, and one for each metric that was
// judged, 1 being good, with True and False, 1 and 0, yes and no, or empty cells. Rows of one task
// and model are several people's, of whom the majority counts; half and half is no verdict.
func ReadHuman(r io.Reader, name string) (*Verdicts, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord, in.TrimLeadingSpace = -1, true
	head, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: there is no head: %w", name, err)
	}
	task, arm := -1, -1
	at := map[int]Metric{}
	for i, column := range head {
		column = strings.TrimSpace(strings.TrimPrefix(column, "\uFEFF"))
		switch m := Metric(strings.ToUpper(column)); {
		case strings.EqualFold(column, "task"):
			task = i
		case strings.EqualFold(column, "model"), strings.EqualFold(column, "arm"):
			arm = i
		case m.index() >= 0:
			at[i] = m
		}
	}
	if task < 0 || arm < 0 || len(at) == 0 {
		return nil, fmt.Errorf("%s: a sheet has the columns task, model and at least one of %s", name, strings.Join(metricNames(), ", "))
	}
	votes := map[[3]string][2]int{}
	v := &Verdicts{Of: map[[3]string]*float64{}}
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		line, _ := in.FieldPos(0)
		if len(record) <= max(task, arm) {
			return nil, fmt.Errorf("%s:%d: the row ends before its task and model", name, line)
		}
		for i, m := range at {
			text := ""
			if i < len(record) {
				text = strings.TrimSpace(record[i])
			}
			value, ok := readYes(text)
			if !ok {
				return nil, fmt.Errorf("%s:%d: column %s: %q is neither yes nor no", name, line, m, text)
			}
			key := [3]string{strings.TrimSpace(record[task]), strings.TrimSpace(record[arm]), string(m)}
			count := votes[key]
			if value != nil {
				v.Given++
				count[int(*value)]++
			}
			votes[key] = count
		}
	}
	for key, count := range votes {
		v.Of[key] = nil
		switch {
		case count[0] == count[1] && count[0] > 0:
			v.Ties++
		case count[0] != count[1]:
			value := 0.0
			if count[1] > count[0] {
				value = 1
			}
			v.Of[key] = &value
		}
	}
	return v, nil
}

// Agreement is how a judge's verdicts on one metric agree with people's. 1 is good, so that a
// positive is a script without the fault.
type Agreement struct {
	Metric    Metric
	N         int // pairs
	Of        int // verdicts of the judge, scored or not
	NoHuman   int // pairs dropped as no person's verdict is there
	NoJudge   int // pairs dropped as the judge's is unscored
	Confusion stat.Confusion
	Accuracy  stat.Interval // Wilson
	MSE       stat.Value    // of verdicts 0 and 1: the share of disagreements, 1 - accuracy
	Kappa     stat.Value
	MCC       stat.Value

	truth, said []bool // the pairs
}

// Agree holds findings of one scorer against people, a metric at a time.
func Agree(findings []Finding, people *Verdicts, level float64) []Agreement {
	var list []Agreement
	for _, m := range Metrics() {
		a := Agreement{Metric: m}
		var truth, said []bool
		var x, y []float64
		for i := range findings {
			f := &findings[i]
			if f.Metric != m {
				continue
			}
			a.Of++
			human, known := people.Of[[3]string{f.Session, f.Arm, string(m)}]
			switch {
			case !known || human == nil:
				a.NoHuman++
				continue
			case f.Value == nil:
				a.NoJudge++
				continue
			}
			truth, said = append(truth, *human == 1), append(said, *f.Value == 1)
			x, y = append(x, *human), append(y, *f.Value)
		}
		if a.Of == 0 {
			continue
		}
		a.N, a.truth, a.said = len(truth), truth, said
		a.Confusion, _ = stat.Confuse(truth, said) // they are as long as each other
		a.Accuracy = stat.Wilson(a.Confusion.TruePos+a.Confusion.TrueNeg, a.N, level)
		a.MSE, a.MCC = stat.MSE(x, y), stat.MCC(truth, said)
		a.Kappa = stat.Kappa(truth, said, nil, stat.Plain)
		list = append(list, a)
	}
	return list
}

// Overall joins the metrics: micro over all pairs alike, macro as the mean over the metrics that have
// the measure, which Metrics, Kappas and MCCs count.
type Overall struct {
	N, Of                    int
	MicroAccuracy            stat.Interval
	MicroMSE, MacroMSE       stat.Value
	MacroAccuracy            stat.Value
	MicroKappa, MacroKappa   stat.Value
	MicroMCC, MacroMCC       stat.Value
	Metrics, Kappas, MCCs    int
	NoHuman, NoJudge, Agreed int
}

// Join computes the overall agreement.
func Join(list []Agreement, level float64) Overall {
	o := Overall{}
	var truth, said []bool
	var mse, accuracy, kappa, mcc []stat.Value
	for _, a := range list {
		o.N, o.Of, o.NoHuman, o.NoJudge = o.N+a.N, o.Of+a.Of, o.NoHuman+a.NoHuman, o.NoJudge+a.NoJudge
		o.Agreed += a.Confusion.TruePos + a.Confusion.TrueNeg
		truth, said = append(truth, a.truth...), append(said, a.said...)
		mse, kappa, mcc = append(mse, a.MSE), append(kappa, a.Kappa), append(mcc, a.MCC)
		accuracy = append(accuracy, stat.Accuracy(a.truth, a.said))
	}
	o.MacroMSE, o.Metrics = macro(mse)
	o.MacroAccuracy, _ = macro(accuracy)
	o.MacroKappa, o.Kappas = macro(kappa)
	o.MacroMCC, o.MCCs = macro(mcc)
	o.MicroAccuracy = stat.Wilson(o.Agreed, o.N, level)
	o.MicroKappa, o.MicroMCC = stat.Kappa(truth, said, nil, stat.Plain), stat.MCC(truth, said)
	o.MicroMSE = stat.Undefined("there are no pairs")
	if o.N > 0 {
		o.MicroMSE = stat.Number(1 - float64(o.Agreed)/float64(o.N))
	}
	return o
}

// macro returns the mean of the values that are defined, and their number.
func macro(values []stat.Value) (stat.Value, int) {
	var xs []float64
	for _, v := range values {
		if v.OK() {
			xs = append(xs, v.V)
		}
	}
	if len(xs) == 0 {
		return stat.Undefined("it is defined for no metric"), 0
	}
	return stat.Number(mean(xs)), len(xs)
}
