package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/stat"
	"parley/eval/survey"
)

// surveyData is what a run of surveys holds.
type surveyData struct {
	survey.Data
	files    map[string]string // file -> id
	rows     []documentRow     // that were judged
	unread   []documentRow
	findings []findingRow

	// From a sheet of people's verdicts, where there is one.
	people   []survey.Human
	lost     int // verdicts on documents that the run does not have
	against  survey.Against
	agree    []survey.Agreement
	ceilings []survey.Ceiling
}

// readSurvey reads a run, complete or not.
func readSurvey(dir string, m *manifest) (*surveyData, error) {
	d := &surveyData{Data: survey.Data{Rubric: m.Survey.Rubric}, files: map[string]string{}}
	for row, err := range rows[documentRow](dir, streamDocuments) {
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
	for row, err := range rows[survey.Verdict](dir, streamVerdicts) {
		if err != nil {
			return nil, err
		}
		d.Verdicts = append(d.Verdicts, row)
	}
	for row, err := range rows[survey.Proposal](dir, streamProposals) {
		if err != nil {
			return nil, err
		}
		d.Proposals = append(d.Proposals, row)
	}
	for row, err := range rows[findingRow](dir, streamFindings) {
		if err != nil {
			return nil, err
		}
		d.findings = append(d.findings, row)
	}
	return d, nil
}

// unscored counts the verdicts that are missing, those of documents that could not be read and those
// on the rubric among them.
func (d *surveyData) unscored() (n, of int) {
	agents := max(len(d.Agents()), 1)
	for i := range d.Verdicts {
		if d.Verdicts[i].Status == eval.NotApplicable {
			continue // nobody was asked
		}
		if of++; !d.Verdicts[i].Scored() {
			n++
		}
	}
	for i := range d.Proposals {
		if p := &d.Proposals[i]; p.Kind == survey.Asked {
			if of++; p.Status != eval.Scored {
				n++
			}
		}
	}
	missing := len(d.unread) * agents * len(d.Rubric.Aspects)
	return n + missing, of + missing
}

// hold holds the run against people's verdicts.
func (d *surveyData) hold(file string, against survey.Against, seed uint64) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	people, err := survey.ReadHuman(f, file, d.Rubric)
	if err != nil {
		return err
	}
	d.people, d.lost = survey.Match(people, d.files)
	if len(d.people) == 0 {
		return fmt.Errorf("%s: none of its %d verdicts is on a document of the run; the column document holds file names or ids", file, len(people))
	}
	d.against = against
	d.agree = d.Correlations(d.people, against, stat.Bootstrap{Rand: rand.New(rand.NewPCG(seed, 11))})
	d.ceilings = survey.Ceilings(d.people, d.Rubric)
	return nil
}

func surveyReportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "show what a run of surveys found, and hold it against people",
		ArgsUsage: "RUN",
		Description: "The sheet of people's verdicts is CSV with the columns document (file name or id), annotator,\n" +
			"aspect, score. Scores are held against the mean annotator, or with --annotators each against every\n" +
			"one, and averaged. The annotators' own agreement (Krippendorff's alpha) is the ceiling. The run's\n" +
			"page is written anew.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "human", Usage: "`FILE.csv` of people's verdicts"},
			&cli.StringFlag{Name: "annotators", Value: "mean", Usage: "hold scores against their mean, or against `EACH`: mean or each"},
			&cli.StringFlag{Name: "html", Usage: "write the page to `FILE` (default RUN/" + reportName + ")"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usagef("survey report takes one run, and got %d", c.NArg())
			}
			against, ok := map[string]survey.Against{"mean": survey.MeanAnnotator, "each": survey.EachAnnotator}[c.String("annotators")]
			if !ok {
				return usagef("--annotators %s: say mean or each", c.String("annotators"))
			}
			dir := c.Args().First()
			m, err := readSurveyManifest(dir)
			if err != nil {
				return err
			}
			d, err := readSurvey(dir, m)
			if err != nil {
				return err
			}
			if file := c.String("human"); file != "" {
				if err := d.hold(file, against, m.Survey.Seed); err != nil {
					return err
				}
			}
			out := c.String("html")
			if out == "" {
				out = filepath.Join(dir, reportName)
			}
			if err := writePage(out, surveyPage(m, d)); err != nil {
				return err
			}
			if c.Bool("json") {
				results := append(d.Results(), survey.AgreementResults(d.agree, d.ceilings, len(d.Documents))...)
				return printJSON(c.App.Writer, answer{Run: dir, Sessions: m.Sessions, Results: results})
			}
			return printSurvey(c.App.Writer, dir, m, d)
		},
	}
}

func readSurveyManifest(dir string) (*manifest, error) {
	m, err := readAnyManifest(dir)
	if err == nil && m.Survey == nil {
		err = fmt.Errorf("%s holds no evaluation of surveys; those are made with: parley eval survey run", dir)
	}
	return m, err
}

// printSurvey prints the tables of a run for people.
func printSurvey(w io.Writer, dir string, m *manifest, d *surveyData) error {
	g := m.Survey
	fmt.Fprintf(w, "%d documents, evaluator %s, SAGE %s (%s), scores %s, rubric version %d, seed %d\n",
		len(d.Documents)+len(d.unread), g.Evaluator, nobody(g.Sage), g.Variant, g.Scores, g.Rubric.Version, g.Seed)
	for _, row := range d.unread {
		fmt.Fprintf(w, "%s could not be read: %s\n", row.File, shorten(row.Reason, 160))
	}
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	if rows := d.Rectifications(); len(rows) > 0 {
		fmt.Fprintln(tab, "\nRECTIFICATIONS\tBY\tNEGATIVE\tPOSITIVE\tTOTAL\tDEFINITIONS\tKEPT\tUNSCORED\tOF")
		for _, r := range rows {
			negative, positive, definitions := fmt.Sprint(r.Negative), fmt.Sprint(r.Positive), "-"
			if !r.Graded {
				negative, positive = "-", "-" // labels have no order: what changed is the total
			}
			if r.Agent == survey.Sage {
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
			fmt.Fprintf(w, "%s by %s: %s; unscored %d of %d\n", s.Aspect, s.Agent, tallied(s.Labels), s.Unscored, s.Of)
		}
	}
	if d.agree != nil {
		fmt.Fprintf(w, "\nAgainst people (%s); %d verdicts, %d on other documents\n", d.against, len(d.people), d.lost)
		if err := printResults(w, survey.AgreementResults(d.agree, d.ceilings, len(d.Documents))); err != nil {
			return err
		}
	}
	if clusters := d.NewAspects(); len(clusters) > 0 {
		tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(tab, "\nNEW ASPECT\tDOCUMENTS\tDEFINITION")
		for _, c := range clusters {
			fmt.Fprintf(tab, "%s\t%d\t%s\n", shorten(c.Name, 40), c.Count, shorten(c.Definition, 100))
		}
		if err := tab.Flush(); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "\n%d findings of checks without a model\n", len(d.findings))
	if err := printUsage(w, m.Usage); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nThe run lies in %s; its page is %s\n", dir, filepath.Join(dir, reportName))
	return err
}
