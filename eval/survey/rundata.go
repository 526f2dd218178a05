package survey

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"text/tabwriter"

	"parley/eval"
	"parley/eval/report"
	"parley/eval/stat"
)

// RunData is what a run of surveys holds.
type RunData struct {
	Data
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
	d := &RunData{Data: Data{Rubric: c.Rubric}, files: map[string]string{}}
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
	for row, err := range Verdicts.Read(dir) {
		if err != nil {
			return nil, err
		}
		d.Verdicts = append(d.Verdicts, row)
	}
	for row, err := range Proposals.Read(dir) {
		if err != nil {
			return nil, err
		}
		d.Proposals = append(d.Proposals, row)
	}
	for row, err := range Findings.Read(dir) {
		if err != nil {
			return nil, err
		}
		d.findings = append(d.findings, row)
	}
	return d, nil
}

// Unscored counts the verdicts that are missing, those of documents that could not be read and those
// on the rubric among them.
func (d *RunData) Unscored() (n, of int) {
	agents := max(len(d.Agents()), 1)
	for i := range d.Verdicts {
		if d.Verdicts[i].Status == eval.NotApplicable {
			continue // orNone was asked
		}
		if of++; !d.Verdicts[i].Scored() {
			n++
		}
	}
	for i := range d.Proposals {
		if p := &d.Proposals[i]; p.Kind == Asked {
			if of++; p.Status != eval.Scored {
				n++
			}
		}
	}
	missing := len(d.unread) * agents * len(d.Rubric.Aspects)
	return n + missing, of + missing
}

// Compare compares the run with people's verdicts.
func (d *RunData) Compare(file string, against Against, seed uint64) error {
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
	d.agree = d.Correlations(d.people, against, stat.Bootstrap{Rand: rand.New(rand.NewPCG(seed, 11))})
	d.ceilings = Ceilings(d.people, d.Rubric)
	return nil
}

// Print prints the tables of a run for people.
func (d *RunData) Print(w io.Writer, c *Config) error {
	fmt.Fprintf(w, "%d documents, evaluator %s, SAGE %s (%s), scores %s, rubric version %d, seed %d\n",
		len(d.Documents)+len(d.unread), c.Evaluator, orNone(c.Sage), c.Variant, c.Scores, c.Rubric.Version, c.Seed)
	for _, row := range d.unread {
		fmt.Fprintf(w, "%s could not be read: %s\n", row.File, report.Shorten(row.Reason, 160))
	}
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	if rows := d.Rectifications(); len(rows) > 0 {
		fmt.Fprintln(tab, "\nRECTIFICATIONS\tBY\tNEGATIVE\tPOSITIVE\tTOTAL\tDEFINITIONS\tKEPT\tUNSCORED\tOF")
		for _, r := range rows {
			negative, positive, definitions := fmt.Sprint(r.Negative), fmt.Sprint(r.Positive), "-"
			if !r.Graded {
				negative, positive = "-", "-" // labels have no order: what changed is the total
			}
			if r.Agent == Sage {
				definitions = fmt.Sprintf("%d of %d", r.Definitions, r.Asked)
			}
			fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%d\t%s\t%d\t%d\t%d\n", r.Aspect, r.Agent, negative, positive, r.Total, definitions, r.Kept, r.Unscored, r.Of)
		}
	}
	fmt.Fprintln(tab, "\nDISTRIBUTIONS\tBY\t1\t2\t3\t4\t5\tUNSCORED\tOF")
	for _, s := range d.Spreads() {
		if !s.Named {
			fmt.Fprintf(tab, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", s.Aspect, s.Agent, s.Scores[0], s.Scores[1], s.Scores[2], s.Scores[3], s.Scores[4], s.Unscored, s.Of)
		}
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	for _, s := range d.Spreads() {
		if s.Named {
			fmt.Fprintf(w, "%s by %s: %s; unscored %d of %d\n", s.Aspect, s.Agent, eval.Tallied(s.Labels), s.Unscored, s.Of)
		}
	}
	if d.agree != nil {
		fmt.Fprintf(w, "\nAgainst people (%s); %d verdicts, %d on other documents\n", d.against, len(d.people), d.lost)
		if err := report.Results(w, AgreementResults(d.agree, d.ceilings, len(d.Documents))); err != nil {
			return err
		}
	}
	if clusters := d.NewAspects(); len(clusters) > 0 {
		tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(tab, "\nNEW ASPECT\tDOCUMENTS\tDEFINITION")
		for _, c := range clusters {
			fmt.Fprintf(tab, "%s\t%d\t%s\n", report.Shorten(c.Name, 40), c.Count, report.Shorten(c.Definition, 100))
		}
		if err := tab.Flush(); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "\n%d findings of checks without a model\n", len(d.findings))
	return nil
}

func orNone(spec string) string {
	if spec == "" {
		return "none"
	}
	return spec
}

// AgreementResults are the results of the comparison with people; none where there was no comparison.
func (d *RunData) AgreementResults() []eval.Result {
	return AgreementResults(d.agree, d.ceilings, len(d.Documents))
}
