package script

import (
	"fmt"
	"io"
	"strings"

	"parley/eval"
	"parley/eval/script/sqlite"
)

// Database is what the authors' SQLite file holds, as far as it is read.
type Database struct {
	Tasks    []Task    // question
	Verdicts []Finding // eval_result, by the paper's agents; the scorer is the model that judged
	People   *Verdicts // human_eval
}

// The columns of verdicts, and whether True is good there: the critic's say that there is a fault.
var verdictColumns = []struct {
	column string
	metric Metric
	good   bool
}{
	{"missing_steps", NoMissing, false}, {"redundant_steps", NoRedundant, false}, {"duplicate_steps", NoDuplicate, false},
	{"executable", Executable, true}, {"limitation", Satisfies, true}, {"complete", Completes, true}, {"step_order", Ordered, true},
}

// ReadDatabase reads the authors' SQLite file (script.db). Tables that are not there are empty. A
// constraint list is cut at its commas where that gives as many constraints as the row says
// (target_view), and is one constraint otherwise.
func ReadDatabase(r io.ReaderAt, name string) (*Database, error) {
	db, err := sqlite.Open(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	tables, err := db.Tables()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	d := &Database{People: &Verdicts{Of: map[[3]string]*float64{}}}
	read := map[string]func(sqlite.Row) error{"question": d.question, "eval_result": d.judged, "human_eval": d.human}
	found := 0
	for _, table := range tables {
		each := read[table]
		if each == nil {
			continue
		}
		found++
		for row, err := range db.Rows(table) {
			if err == nil {
				err = each(row)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	if found == 0 {
		return nil, fmt.Errorf("%s has none of the tables question, eval_result and human_eval; its tables are %s", name, strings.Join(tables, ", "))
	}
	return d, nil
}

func (d *Database) question(row sqlite.Row) error {
	t := Task{ID: row.Text("question_id"), Topic: row.Text("category"), Abstract: row.Text("abstract_question"), Specific: row.Text("question")}
	all := strings.TrimSpace(row.Text("limitation"))
	parts := kept(strings.Split(all, ","))
	if fmt.Sprint(len(parts)) == strings.TrimSpace(row.Text("target_view")) {
		t.Constraints = parts
	} else if all != "" {
		t.Constraints = []string{all}
	}
	if err := t.Validate(); err != nil {
		return err
	}
	d.Tasks = append(d.Tasks, t)
	return nil
}

func (d *Database) judged(row sqlite.Row) error {
	for _, c := range verdictColumns {
		f := Finding{Session: row.Text("question_id"), Arm: row.Text("model_name"), Scorer: row.Text("eval_model_name"), Metric: c.metric, Status: eval.Scored}
		if f.Value = polar(row.Text(c.column), c.good); f.Value == nil {
			f.Status, f.Reason = eval.Unparsed, fmt.Sprintf("%s is %q", c.column, row.Text(c.column))
		}
		d.Verdicts = append(d.Verdicts, f)
	}
	return nil
}

func (d *Database) human(row sqlite.Row) error {
	for _, c := range verdictColumns {
		v := polar(row.Text(c.column), c.good)
		if v != nil {
			d.People.Given++
		}
		d.People.Of[[3]string{row.Text("question_id"), row.Text("model_name"), string(c.metric)}] = v
	}
	return nil
}

// polar turns True and False into 1 for good and 0 for bad; nil where it is neither.
func polar(text string, good bool) *float64 {
	v, ok := readYes(strings.TrimSpace(text))
	if !ok || v == nil {
		return nil
	}
	if !good {
		*v = 1 - *v
	}
	return v
}
