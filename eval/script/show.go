package script

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"parley/eval"
	"parley/eval/report"
	"parley/eval/run"
	"parley/eval/script/sqlite"
)

// ReadRun reads an evaluation of scripts.
func ReadRun(dir string) (*run.Manifest, *Config, *Data, error) {
	m, p, err := run.Kinds{Kind: Decode}.Read(dir, Kind)
	if err != nil {
		return nil, nil, nil, err
	}
	c := p.(*Plan).config
	d, err := ReadData(dir, c)
	return m, c, d, err
}

// Show prints what was evaluated and the ranking. With all, or where there is none, it prints the other results too.
func Show(w io.Writer, dir string, m *run.Manifest, all bool) error {
	_, c, d, err := ReadRun(dir)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, report.Wrap(Summary(c, m.Of)))
	if !c.Perturb && slices.Contains(d.Judged(), Scorer) {
		g, err := d.Ranking(Scorer)
		if err == nil {
			err = g.Print(w)
		}
		if err != nil || !all {
			return err
		}
	}
	fmt.Fprintln(w)
	shown := slices.DeleteFunc(slices.Clone(m.Results), func(r eval.Result) bool {
		return r.Scorer == Scorer && (r.Metric == "rank" || r.Metric == "score" || r.Metric == "difference")
	})
	for i := range shown {
		if shown[i].Scorer != Scorer {
			shown[i].Metric = shown[i].Scorer + " " + shown[i].Metric
		}
	}
	return report.Results(w, shown)
}

// Print prints the ranking and the tests between authors.
func (g *Ranking) Print(w io.Writer) error {
	ranks, tests := g.Tables()
	return errors.Join(report.Table(w, ranks), report.Table(w, tests))
}

// PrintTasks prints a table of tasks.
func PrintTasks(w io.Writer, tasks []Task) error {
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tab, "TASK\tTOPIC\tCONSTRAINTS\tSTEPS\tSPECIFIC TASK")
	for i := range tasks {
		t := &tasks[i]
		fmt.Fprintf(tab, "%s\t%s\t%d\t%d\t%s\n", t.ID, t.Topic, t.Depth(), len(t.Steps), report.Shorten(t.Specific, 120))
	}
	return tab.Flush()
}

// RankFile ranks the authors of a table, a run or the authors' database by a scorer. What a run did not ask for has no
// weight. Of a database the usual scorer means the only one that there is.
func RankFile(name, scorer string, w Weights, seed uint64) (*Ranking, error) {
	t, own, err := openTable(name, scorer)
	if err != nil {
		return nil, err
	}
	for m, v := range own {
		if w == nil {
			w = Weights{}
		}
		if _, said := w[m]; !said || v == 0 {
			w[m] = v
		}
	}
	return Rank(t, w, eval.Confidence, Drawing(seed))
}

// openTable reads a table, or the verdicts of a run with the weights that the run was begun with.
func openTable(name, scorer string) (*Table, Weights, error) {
	var d *Data
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		if _, _, d, err = ReadRun(name); err != nil {
			return nil, nil, err
		}
	} else {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, nil, err
		}
		if !sqlite.Is(data) {
			t, err := ReadTable(bytes.NewReader(data), name)
			return t, nil, err
		}
		db, err := ReadDatabase(data, name)
		if err != nil {
			return nil, nil, err
		}
		d = DataOf(db.Verdicts)
		if list := d.Scorers(); scorer == Scorer && len(list) == 1 {
			scorer = list[0]
		}
	}
	t := d.Table(scorer)
	if len(t.Rows) == 0 {
		return nil, nil, fmt.Errorf("%s holds no verdicts of %s, only of %v: choose with --scorer", name, scorer, d.Scorers())
	}
	w, _ := d.Weights(scorer)
	return t, w, nil
}

// WriteHuman writes an empty sheet of a run's scripts, for people's verdicts.
func WriteHuman(w io.Writer, dir string) error {
	specific := map[string]string{}
	for row, err := range Done.Read(dir) {
		if err != nil {
			return err
		}
		var t Task
		if err := json.Unmarshal([]byte(row.Task), &t); err != nil {
			return fmt.Errorf("task %s: %w", row.ID, err)
		}
		specific[row.ID] = t.Specific
	}
	out := csv.NewWriter(w)
	if err := out.Write(slices.Concat([]string{"task", "model"}, metricNames(), []string{"specific task", "script"})); err != nil {
		return err
	}
	for row, err := range Scripts.Read(dir) {
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
		record := slices.Concat([]string{row.Session, row.Arm}, make([]string, len(metricNames())), []string{specific[row.Session], text})
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// ParseWeights reads weights such as NM=2,NR=1, each text being one or several; none: all count 1.
func ParseWeights(texts []string) (Weights, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	w := Weights{}
	for part := range strings.SplitSeq(strings.Join(texts, ","), ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		v, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil {
			return nil, run.Usagef("--weights %s: a weight is written METRIC=NUMBER, such as NM=2", part)
		}
		w[Metric(strings.ToUpper(strings.TrimSpace(name)))] = v
	}
	if err := w.Validate(); err != nil {
		return nil, run.Usagef("--weights: %w", err)
	}
	return w, nil
}
