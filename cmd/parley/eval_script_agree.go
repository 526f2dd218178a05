package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/script"
	"parley/eval/stat"
)

func evalScriptAgreeCommand() *cli.Command {
	return &cli.Command{
		Name:      "agree",
		Usage:     "hold a run's verdicts against people's",
		ArgsUsage: "RUN",
		Description: "People's verdicts are CSV: columns task, model, and NM, NR, ND, EX, SC, CG, OC or some of them, 1\n" +
			"being good; an empty cell is a verdict that was not given, and several rows of one task and model\n" +
			"are several people's, of whom the majority counts. With --sheet an empty sheet is written, with the\n" +
			"scripts in it. The MSE of yes and no is their share of disagreements, 1 - accuracy.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "human", Usage: "`FILE` of people's verdicts"},
			&cli.BoolFlag{Name: "sheet", Usage: "write an empty sheet instead"},
			&cli.StringFlag{Name: "out", Usage: "write to `FILE` instead of the standard output"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usagef("agree takes one run, and got %d", c.NArg())
			}
			dir := c.Args().First()
			m, err := readScriptManifest(dir)
			if err != nil {
				return err
			}
			if c.Bool("sheet") {
				return writeTo(c, func(w io.Writer) error { return humanSheet(w, dir) })
			}
			if c.String("human") == "" {
				return usagef("agree needs people's verdicts: --human FILE.csv; --sheet writes an empty sheet")
			}
			f, err := os.Open(c.String("human"))
			if err != nil {
				return err
			}
			defer f.Close()
			people, err := script.ReadHuman(f, c.String("human"))
			if err != nil {
				return err
			}
			d, err := readScriptData(dir, m.Script)
			if err != nil {
				return err
			}
			results, pairs, lost := agreement(d, people)
			if err := writeTo(c, func(w io.Writer) error {
				if c.Bool("json") {
					return printJSON(w, answer{Run: dir, Results: results})
				}
				return printResults(w, results)
			}); err != nil {
				return err
			}
			fmt.Fprintf(c.App.ErrWriter, "%d verdicts of people, %d without a majority\n", people.Given, people.Ties)
			switch {
			case pairs == 0:
				return partialf("no verdict of people is on a script of this run: task and model have to be written as there")
			case lost > 0:
				return partialf("%d pairs were dropped, as the judge's verdict is missing", lost)
			}
			return nil
		},
	}
}

// agreement makes the lines of the table, and counts pairs, and pairs that lack the judge's verdict.
func agreement(d *scriptData, people *script.Verdicts) (results []eval.Result, pairs, lost int) {
	for _, scorer := range d.scorers() {
		list := script.Agree(d.findings[scorer], people, confidence)
		add := func(metric, arm string, value *float64, n, of int, reason string) *eval.Result {
			results = append(results, eval.Result{Scorer: scorer, Metric: metric, Arm: arm, Value: value, N: n, Of: of, Unit: "pairs", Reason: reason})
			return &results[len(results)-1]
		}
		value := func(metric string, arm string, v stat.Value, n, of int) { add(metric, arm, v.Ptr(), n, of, v.Reason) }
		for _, a := range list {
			arm := scorer + " " + string(a.Metric)
			dropped := fmt.Sprintf("%d without a person's verdict, %d without the judge's", a.NoHuman, a.NoJudge)
			r := add("accuracy", arm, a.Accuracy.Value, a.N, a.Of, dropped)
			r.Low, r.High = a.Accuracy.Low, a.Accuracy.High
			add("mse", arm, a.MSE.Ptr(), a.N, a.Of, "of yes and no: the share of disagreements, 1 - accuracy "+a.MSE.Reason)
			value("kappa", arm, a.Kappa, a.N, a.Of)
			value("mcc", arm, a.MCC, a.N, a.Of)
			value("prevalence", arm, a.Confusion.Prevalence(), a.N, a.Of)
			add("false_pass", arm, count(a.Confusion.FalsePos), a.N, a.Of, "the judge says good, people say bad")
			add("false_fail", arm, count(a.Confusion.FalseNeg), a.N, a.Of, "the judge says bad, people say good")
			pairs, lost = pairs+a.N, lost+a.NoJudge
		}
		o := script.Join(list, confidence)
		r := add("accuracy", scorer+" micro", o.MicroAccuracy.Value, o.N, o.Of, "over all pairs alike")
		r.Low, r.High = o.MicroAccuracy.Low, o.MicroAccuracy.High
		add("mse", scorer+" micro", o.MicroMSE.Ptr(), o.N, o.Of, "over all pairs alike: 1 - accuracy "+o.MicroMSE.Reason)
		add("mse", scorer+" macro", o.MacroMSE.Ptr(), o.N, o.Of, fmt.Sprintf("mean over %d metrics %s", o.Metrics, o.MacroMSE.Reason))
		add("kappa", scorer+" macro", o.MacroKappa.Ptr(), o.N, o.Of, fmt.Sprintf("mean over the %d metrics that have one %s", o.Kappas, o.MacroKappa.Reason))
		add("mcc", scorer+" macro", o.MacroMCC.Ptr(), o.N, o.Of, fmt.Sprintf("mean over the %d metrics that have one %s", o.MCCs, o.MacroMCC.Reason))
	}
	return results, pairs, lost
}

func count(n int) *float64 {
	v := float64(n)
	return &v
}

// humanSheet writes an empty sheet of a run's scripts.
func humanSheet(w io.Writer, dir string) error {
	specific := map[string]string{}
	tasks, err := scriptTasks(dir+"/"+scriptTasksName, 0)
	if err != nil {
		return err
	}
	for i := range tasks {
		specific[tasks[i].ID] = tasks[i].Specific
	}
	out := csv.NewWriter(w)
	head := []string{"task", "model"}
	for _, m := range script.Metrics() {
		head = append(head, string(m))
	}
	if err := out.Write(append(head, "specific task", "script")); err != nil {
		return err
	}
	for row, err := range rows[scriptRow](dir, streamScripts) {
		if err != nil {
			return err
		}
		if row.Gold || row.Status != eval.Scored {
			continue
		}
		text := ""
		for i, s := range row.Steps {
			text += fmt.Sprintf("%d. %s\n", i+1, s)
		}
		record := append([]string{row.Session, row.Arm}, make([]string, len(script.Metrics()))...)
		if err := out.Write(append(record, specific[row.Session], text)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
