package survey

import (
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"parley/eval"
	"parley/eval/stat"
)

// Human is one person's verdict on one aspect of one document.
type Human struct {
	Document  string // its file's name, or its id in the run
	Annotator string
	Aspect    string
	Value     float64
	Label     string
}

// ReadHuman reads people's verdicts from CSV with a head of document, annotator, aspect and score, in
// any order; score holds a number, or the label of an aspect that is named and not graded. An empty
// score is a verdict that was not given. An error names the file and the line.
func ReadHuman(r io.Reader, name string, rubric *Rubric) ([]Human, error) {
	var list []Human
	err := eval.EachRow(r, name, func(has map[string]bool) error {
		for _, want := range []string{"document", "annotator", "aspect", "score"} {
			if !has[want] {
				return fmt.Errorf("there is no column %q; the columns are document, annotator, aspect, score", want)
			}
		}
		return nil
	}, func(cell func(string) string) (err error) {
		h := Human{Document: cell("document"), Annotator: cell("annotator"), Aspect: slug(cell("aspect")), Label: cell("score")}
		at := slices.IndexFunc(rubric.Aspects, func(a Aspect) bool { return a.Name == h.Aspect })
		switch {
		case h.Label == "":
			return nil
		case at < 0:
			return fmt.Errorf("the rubric has no aspect %q; it has %s", h.Aspect, strings.Join(rubric.names(), ", "))
		case rubric.Aspects[at].Labels != nil:
			h.Label = strings.ToLower(h.Label)
		default:
			if h.Value, err = strconv.ParseFloat(h.Label, 64); err != nil || !(h.Value >= float64(scale.Min) && h.Value <= float64(scale.Max)) {
				return fmt.Errorf("the score %q is no number from %d to %d", h.Label, scale.Min, scale.Max)
			}
			h.Label = ""
		}
		list = append(list, h)
		return nil
	})
	return list, err
}

// Match replaces file names by the ids of a run's documents, and returns how many verdicts are on
// documents that the run does not have; they are left out.
func Match(people []Human, ids map[string]string) (matched []Human, lost int) {
	short := map[string]string{}
	for file, id := range ids {
		short[file], short[path.Base(file)], short[id] = id, id, id
		short[strings.TrimSuffix(path.Base(file), path.Ext(file))] = id
	}
	for _, h := range people {
		id, ok := short[h.Document]
		if !ok {
			lost++
			continue
		}
		h.Document = id
		matched = append(matched, h)
	}
	return matched, lost
}

// Against says what an agent's scores are compared with.
type Against string

const (
	MeanAnnotator Against = "mean annotator" // the mean of the people's scores of a document
	EachAnnotator Against = "each annotator" // one correlation a person, and their mean
)

// Agreement is how an agent's scores on an aspect go together with people's.
type Agreement struct {
	Aspect   string
	Agent    Agent
	Against  Against
	Spearman stat.Interval
	Kendall  stat.Interval // tau-b
}

// Correlations compares the agents' scores with people's, by aspect and agent. Intervals are 95 %,
// from a bootstrap over documents.
func (d *Data) Correlations(people []Human, against Against, b stat.Bootstrap) []Agreement {
	var list []Agreement
	for i := range d.Rubric.Aspects {
		aspect := &d.Rubric.Aspects[i]
		if aspect.Labels != nil {
			continue // no order to correlate
		}
		said := map[string]map[string]float64{} // document -> annotator -> score
		var annotators []string
		for _, h := range people {
			if h.Aspect != aspect.Name {
				continue
			}
			if said[h.Document] == nil {
				said[h.Document] = map[string]float64{}
			}
			said[h.Document][h.Annotator] = h.Value
			if !slices.Contains(annotators, h.Annotator) {
				annotators = append(annotators, h.Annotator)
			}
		}
		for _, agent := range d.Agents() {
			var mine []float64
			var theirs []map[string]float64
			for _, document := range d.Documents {
				if v := d.verdict(document, agent, aspect.Name); v != nil && v.Scored() && len(said[document]) > 0 {
					mine, theirs = append(mine, *v.Value), append(theirs, said[document])
				}
			}
			a := Agreement{Aspect: aspect.Name, Agent: agent, Against: against}
			for _, one := range []struct {
				to        *stat.Interval
				correlate func(x, y []float64) stat.Correlation
			}{{&a.Spearman, stat.Spearman}, {&a.Kendall, stat.KendallB}} {
				*one.to = b.Interval(stat.Items(len(mine)), func(rows []int) stat.Value {
					return correlate(mine, theirs, rows, annotators, against, one.correlate)
				})
				one.to.N = len(mine)
			}
			list = append(list, a)
		}
	}
	return list
}

func correlate(mine []float64, theirs []map[string]float64, rows []int, annotators []string, against Against, f func(x, y []float64) stat.Correlation) stat.Value {
	if against == MeanAnnotator {
		x, y := make([]float64, len(rows)), make([]float64, len(rows))
		for i, r := range rows {
			x[i] = mine[r]
			for _, who := range slices.Sorted(maps.Keys(theirs[r])) {
				y[i] += theirs[r][who]
			}
			y[i] /= float64(len(theirs[r]))
		}
		return f(x, y).R
	}
	sum, n := 0.0, 0
	why := "there is no score of this aspect"
	for _, who := range annotators {
		var x, y []float64
		for _, r := range rows {
			if v, ok := theirs[r][who]; ok {
				x, y = append(x, mine[r]), append(y, v)
			}
		}
		c := f(x, y).R
		if !c.OK() {
			why = c.Reason // an annotator whose scores do not vary has no correlation
			continue
		}
		sum, n = sum+c.V, n+1
	}
	if n == 0 {
		return stat.Undefined(why)
	}
	return stat.Number(sum / float64(n))
}

// Ceiling is how far people agree with each other on an aspect: no agent can be expected to agree with
// them more.
type Ceiling struct {
	Aspect string
	Alpha  stat.Value // Krippendorff's, ordinal for scores and nominal for labels
	Units  int        // documents with two verdicts or more
}

// Ceilings returns the annotators' own agreement, by aspect.
func Ceilings(people []Human, rubric *Rubric) []Ceiling {
	var list []Ceiling
	for i := range rubric.Aspects {
		aspect := &rubric.Aspects[i]
		numbers, labels := map[string][]float64{}, map[string][]string{}
		for _, h := range people {
			if h.Aspect != aspect.Name {
				continue
			}
			numbers[h.Document] = append(numbers[h.Document], h.Value)
			labels[h.Document] = append(labels[h.Document], h.Label)
		}
		c := Ceiling{Aspect: aspect.Name}
		var scores [][]float64
		var names [][]string
		for _, document := range slices.Sorted(maps.Keys(numbers)) {
			scores, names = append(scores, numbers[document]), append(names, labels[document])
			if len(numbers[document]) > 1 {
				c.Units++
			}
		}
		if aspect.Labels != nil {
			c.Alpha = stat.AlphaOf(names)
		} else {
			c.Alpha = stat.Alpha(scores, stat.Ordinal)
		}
		list = append(list, c)
	}
	return list
}

// AgreementResults are correlations and ceilings as lines of the documented shape: the metric is
// aspect:spearman, aspect:kendall (tau-b) or aspect:alpha, the control what scores were compared with.
func AgreementResults(list []Agreement, ceilings []Ceiling, documents int) []eval.Result {
	var out []eval.Result
	add := func(metric, arm, control string, i stat.Interval) {
		out = append(out, eval.Result{Scorer: "survey", Metric: metric, Arm: arm, Control: control, Value: i.Value, Low: i.Low, High: i.High,
			N: i.N, Of: documents, Unit: "documents", Reason: i.Reason})
	}
	for _, a := range list {
		add(a.Aspect+":spearman", string(a.Agent), string(a.Against), a.Spearman)
		add(a.Aspect+":kendall", string(a.Agent), string(a.Against), a.Kendall)
	}
	for _, c := range ceilings {
		add(c.Aspect+":alpha", "people", "", stat.Interval{Value: c.Alpha.Ptr(), N: c.Units, Reason: c.Alpha.Reason})
	}
	return out
}
