package script

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/script/sqlite"
)

// Database holds the tables of the authors' SQLite file that are read.
type Database struct {
	Tasks    []Task       // question
	Verdicts []eval.Score // eval_result, by the paper's agents; the scorer is the model that judged
	People   *Verdicts    // human_eval
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
func ReadDatabase(data []byte, name string) (*Database, error) {
	db, err := sqlite.Open(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	d := &Database{People: &Verdicts{Of: map[[3]string]*float64{}}}
	read := map[string]func(sqlite.Row) error{"question": d.question, "eval_result": d.judged, "human_eval": d.human}
	found := 0
	for table := range db.Tables {
		if read[table] == nil {
			continue
		}
		found++
		for row, err := range db.Rows(table) {
			if err == nil {
				err = read[table](row)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: table %s: %w", name, table, err)
			}
		}
	}
	if found == 0 {
		return nil, fmt.Errorf("%s has none of the tables question, eval_result and human_eval; its tables are %s", name, strings.Join(slices.Sorted(maps.Keys(db.Tables)), ", "))
	}
	return d, nil
}

func (d *Database) question(row sqlite.Row) error {
	t := Task{ID: row["question_id"], Topic: row["category"], Abstract: row["abstract_question"], Specific: row["question"]}
	all := strings.TrimSpace(row["limitation"])
	parts := kept(strings.Split(all, ","))
	if fmt.Sprint(len(parts)) == strings.TrimSpace(row["target_view"]) {
		t.Constraints = parts
	} else if all != "" {
		t.Constraints = []string{all}
	}
	d.Tasks = append(d.Tasks, t)
	return t.Validate()
}

func (d *Database) judged(row sqlite.Row) error {
	for _, c := range verdictColumns {
		s := eval.Score{Session: row["question_id"], Arm: row["model_name"], Scorer: row["eval_model_name"], Metric: string(c.metric), Status: eval.Scored}
		if s.Value = polar(row[c.column], c.good); s.Value == nil {
			s.Status, s.Reason = eval.Unparsed, fmt.Sprintf("%s is %q", c.column, row[c.column])
		}
		d.Verdicts = append(d.Verdicts, s)
	}
	return nil
}

func (d *Database) human(row sqlite.Row) error {
	for _, c := range verdictColumns {
		v := polar(row[c.column], c.good)
		if v != nil {
			d.People.Given++
		}
		d.People.Of[[3]string{row["question_id"], row["model_name"], string(c.metric)}] = v
	}
	return nil
}

// polar turns True and False into 1 for good and 0 for bad; nil where it is neither.
func polar(text string, good bool) *float64 {
	v, _ := readYes(strings.TrimSpace(text))
	if v != nil && !good {
		*v = 1 - *v
	}
	return v
}
