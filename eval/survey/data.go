package survey

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"

	"parley/eval"
	"parley/eval/report"
	"parley/eval/report/view"
	"parley/eval/run"
	"parley/eval/stat"
)

// RunData holds the rows of a run of surveys.
type RunData struct {
	Data
	config   *Config
	files    map[string]string // file -> id
	rows     []DocumentRow     // that were judged
	unread   []DocumentRow
	findings []FindingRow

	// From a sheet of people's verdicts, where there is one.
	people   []Human
	lost     int // verdicts on documents that the run does not have
	against  Against
	agree    []Agreement
	ceilings []Ceiling
}

// ReadRun reads a run, complete or not.
func ReadRun(dir string, c *Config) (*RunData, error) {
	d := &RunData{Data: Data{Rubric: c.Rubric}, config: c, files: map[string]string{}}
	for row, err := range Documents.Read(dir) {
		if err != nil {
			return nil, err
		}
		d.files[row.File] = row.ID
		if row.Status != eval.Scored {
			d.unread = append(d.unread, row)
			continue
		}
		d.rows, d.Documents = append(d.rows, row), append(d.Documents, row.ID)
	}
	var errs [3]error
	d.Verdicts, errs[0] = collected(Verdicts.Read(dir))
	d.Proposals, errs[1] = collected(Proposals.Read(dir))
	d.findings, errs[2] = collected(Findings.Read(dir))
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}

// collected gathers the rows of a table.
func collected[T any](rows func(yield func(T, error) bool)) (list []T, err error) {
	rows(func(row T, failed error) bool {
		list, err = append(list, row), failed
		return failed == nil
	})
	return list, err
}

// Unscored counts the verdicts that are missing, those of documents that could not be read and those
// on the rubric among them.
func (d *RunData) Unscored() int {
	n := len(d.unread) * max(len(d.Agents()), 1) * len(d.Rubric.Aspects)
	for i := range d.Verdicts {
		if v := &d.Verdicts[i]; !v.Scored() && v.Status != eval.NotApplicable {
			n++
		}
	}
	asked, answered := d.asked()
	return n + asked - answered
}

// Compare compares the run with people's verdicts.
func (d *RunData) Compare(file string, against Against) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	people, err := ReadHuman(f, file, d.Rubric)
	if err != nil {
		return err
	}
	d.people, d.lost = Match(people, d.files)
	if len(d.people) == 0 {
		return fmt.Errorf("%s: none of its %d verdicts is on a document of the run; the column document holds file names or ids", file, len(people))
	}
	d.against = against
	d.agree = d.Correlations(d.people, against, stat.Bootstrap{Rand: rand.New(rand.NewPCG(d.config.Seed, 11))})
	d.ceilings = Ceilings(d.people, d.Rubric)
	return nil
}

// AgreementResults are the results of the comparison with people; none where there was no comparison.
func (d *RunData) AgreementResults() []eval.Result {
	return AgreementResults(d.agree, d.ceilings, len(d.Documents))
}

// summary names the documents, the agents and the settings of a run in a line.
func (d *RunData) summary() string {
	c, sage := d.config, d.config.Sage
	if sage == "" {
		sage = "none"
	}
	return fmt.Sprintf("%d documents, evaluator %s, SAGE %s (%s), scores %s, rubric version %d, seed %d",
		len(d.Documents)+len(d.unread), c.Evaluator, sage, c.Variant, c.Scores, c.Rubric.Version, c.Seed)
}

// Print prints what a run found for people: the means, the comparison with people and what is proposed. With all, it
// prints the documents too, what was changed and how verdicts are distributed.
func (d *RunData) Print(w io.Writer, all bool) error {
	fmt.Fprintln(w, report.Wrap(d.summary()))
	for _, row := range d.unread {
		fmt.Fprintf(w, "%s could not be read: %s\n", row.File, report.Shorten(row.Reason, 160))
	}
	tables := []*view.Table{d.means()}
	if all {
		tables = append(append(tables, d.grid(), d.rectified()), d.spreads()...)
	}
	for _, t := range tables {
		if err := report.Table(w, t); err != nil {
			return err
		}
	}
	if d.agree != nil {
		fmt.Fprintf(w, "\nAgainst people (%s); %d verdicts, %d on other documents\n", d.against, len(d.people), d.lost)
		if err := report.Results(w, d.AgreementResults()); err != nil {
			return err
		}
	}
	if err := report.Table(w, d.proposed()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nfindings of checks without a model: %d\n", len(d.findings))
	return err
}

// rectified is the table of what second agents changed.
func (d *RunData) rectified() *view.Table {
	t := &view.Table{
		Caption: "Verdicts that the second agent changed. A score is changed by half a point or more; labels have no order, so that only changes count. Total is negative and positive.",
		Head:    view.Columns("Rectifications", "By", "#Negative", "#Positive", "#Total", "#Definitions", "#Kept", "#Unscored", "#Of"),
	}
	for _, r := range d.Rectifications() {
		negative, positive, definitions := fmt.Sprint(r.Negative), fmt.Sprint(r.Positive), "–"
		if !r.Graded {
			negative, positive = "–", "–" // labels have no order: what changed is the total
		}
		if r.Agent == Sage {
			definitions = fmt.Sprintf("%d of %d", r.Definitions, r.Asked)
		}
		t.Add(r.Aspect, string(r.Agent), negative, positive, fmt.Sprint(r.Total), definitions, fmt.Sprint(r.Kept), fmt.Sprint(r.Unscored), fmt.Sprint(r.Of))
	}
	return t
}

// spreads are the tables of distributions: one of all graded aspects, and one for each that is named.
func (d *RunData) spreads() []*view.Table {
	graded := &view.Table{Head: view.Columns("Distributions", "By", "#1", "#2", "#3", "#4", "#5", "#Unscored", "#Of")}
	tables := []*view.Table{graded}
	spreads := d.Spreads()
	for i := range d.Rubric.Aspects {
		a := &d.Rubric.Aspects[i]
		t := graded
		if a.Labels != nil {
			head := []string{"Distributions", "By"}
			for _, l := range a.Labels {
				head = append(head, "#"+l)
			}
			t = &view.Table{Head: view.Columns(append(head, "#Unscored", "#Of")...)}
			tables = append(tables, t)
		}
		for _, s := range spreads {
			if s.Aspect == a.Name {
				cells := []string{s.Aspect, string(s.Agent)}
				for _, n := range s.counts(a) {
					cells = append(cells, fmt.Sprint(n))
				}
				t.Add(append(cells, fmt.Sprint(s.Unscored), fmt.Sprint(s.Of))...)
			}
		}
	}
	return tables
}

// proposed is the table of new aspects.
func (d *RunData) proposed() *view.Table {
	t := &view.Table{Caption: "New aspects, by the number of documents on which they were proposed; names that share half of their words are one.",
		Head: view.Columns("New aspect", "#Documents", "#Other names", "Definition")}
	for _, c := range d.NewAspects() {
		t.Add(c.Name, fmt.Sprint(c.Count), fmt.Sprint(len(c.Names)-1), view.Clip(c.Definition, 400))
	}
	return t
}

// Missing counts the verdicts of a run that should be there and are not.
func Missing(dir string, m *run.Manifest) (int, error) {
	p, err := Decode(m.Config)
	if err != nil {
		return 0, err
	}
	d, err := ReadRun(dir, p.Config().(*Config))
	if err != nil {
		return 0, err
	}
	return d.Unscored(), nil
}
