package survey_test

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley/eval"
	"parley/eval/stat"
	"parley/eval/survey"
)

func drawing() stat.Bootstrap { return stat.Bootstrap{Rand: rand.New(rand.NewPCG(1, 1))} }

// scored makes verdicts of one agent on one aspect.
func scored(aspect string, values map[string]float64, order []string) *survey.Data {
	d := &survey.Data{Documents: order, Rubric: &survey.Rubric{Version: 1, Aspects: []survey.Aspect{{Name: aspect, Title: "T", Definition: "d"}}}}
	for _, id := range order {
		v := values[id]
		d.Verdicts = append(d.Verdicts, survey.Verdict{Document: id, Agent: survey.Evaluator, Aspect: aspect, Value: &v, Status: eval.Scored})
	}
	return d
}

func TestCorrelations(t *testing.T) {
	order := []string{"a", "b", "c", "d", "e", "f"}
	d := scored("fairness", map[string]float64{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 3}, order)
	people, err := survey.ReadHuman(strings.NewReader("annotator,document,aspect,score\n"+
		"p,a.md,Fairness,1\np,b.md,fairness,2\np,c.md,fairness,3\np,d.md,fairness,4\np,e.md,fairness,5\np,f.md,fairness,3\n"+
		"q,a.md,fairness,2\nq,b.md,fairness,1\nq,c.md,fairness,3\nq,d.md,fairness,5\nq,e.md,fairness,4\nq,f.md,fairness,\nq,zzz,fairness,5\n"), "h.csv", d.Rubric)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, id := range order {
		ids["forms/"+id+".md"] = id
	}
	people, lost := survey.Match(people, ids)
	if len(people) != 11 || lost != 1 {
		t.Fatalf("%d matched, %d lost", len(people), lost)
	}
	// q's ranks over a..e against 1..5: one pair of neighbours exchanged twice, Spearman 0.8.
	each := d.Correlations(people, survey.EachAnnotator, drawing())
	if got := *each[0].Spearman.Value; math.Abs(got-0.9) > 1e-9 {
		t.Errorf("mean of 1 and 0.8 is %v", got)
	}
	mean := d.Correlations(people, survey.MeanAnnotator, drawing())
	if i := mean[0].Spearman; i.N != 6 || i.Low == nil || *i.Low > *i.Value || *i.High < *i.Value {
		t.Errorf("interval %+v", i)
	}
	c := survey.Ceilings(people, d.Rubric)
	if want := stat.Alpha([][]float64{{1, 2}, {2, 1}, {3, 3}, {4, 5}, {5, 4}, {3}}, stat.Ordinal); c[0].Alpha != want || c[0].Units != 5 {
		t.Errorf("ceiling %+v, want %v", c, want)
	}
	flat := scored("fairness", map[string]float64{"a": 3, "b": 3, "c": 3, "d": 3, "e": 3, "f": 3}, order)
	if i := flat.Correlations(people, survey.MeanAnnotator, drawing())[0].Kendall; i.Value != nil || i.Reason == "" {
		t.Errorf("scores that do not vary correlate: %+v", i)
	}
	if rows := survey.AgreementResults(mean, c, 6); len(rows) != 3 || rows[0].Control != "mean annotator" || rows[2].Arm != "people" {
		t.Errorf("results %+v", rows)
	}
	for text, reason := range map[string]string{
		"document,aspect,score\na,fairness,1\n":                 "no annotator",
		"document,annotator,aspect,score\na,p,beauty,1\n":       "an unknown aspect",
		"document,annotator,aspect,score\na,p,fairness,6\n":     "a score off the scale",
		"document,annotator,aspect,score\na,p,fairness,good\n":  "a word for a score",
		"document,annotator,aspect,score\na,p,fairness,NaN\n":   "no number",
		"document,annotator,aspect,score\na,p,fairness,1,2,3\n": "too many cells",
	} {
		if _, err := survey.ReadHuman(strings.NewReader(text), "h.csv", d.Rubric); err == nil {
			t.Errorf("a sheet with %s is read", reason)
		}
	}
}

// The correlations with people on Topical-Chat, which others published, come out here too.
func TestTopicalChat(t *testing.T) {
	dir := "../../../shared/data/evals/topical_chat"
	raw, err := os.ReadFile(filepath.Join(dir, "golden_correlations.json"))
	if err != nil {
		t.Skip("the kept evaluation data is not here: ", err)
	}
	f, err := os.Open(filepath.Join(dir, "topical_chat_scores.tsv"))
	if err != nil {
		t.Skip("the kept evaluation data is not here: ", err)
	}
	defer f.Close()
	in := csv.NewReader(f)
	in.Comma = '\t'
	table, err := in.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, h := range table[0] {
		column[h] = i
	}
	var golden struct {
		Dims map[string]struct {
			Spearman float64
			TauB     float64 `json:"kendall_tau_b"`
		}
	}
	if err := json.Unmarshal(raw, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Dims) != 6 {
		t.Fatalf("%d dimensions", len(golden.Dims))
	}
	for _, dim := range []string{"naturalness", "groundedness"} { // two, since the bootstrap takes its time; eval/stat has all
		want := golden.Dims[dim]
		values := map[string]float64{}
		var order []string
		var people []survey.Human
		for i, row := range table[1:] {
			said, err1 := strconv.ParseFloat(row[column["unieval_"+dim]], 64)
			human, err2 := strconv.ParseFloat(row[column["human_"+dim]], 64)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			id := strconv.Itoa(i)
			order, values[id] = append(order, id), said
			people = append(people, survey.Human{Document: id, Annotator: "people", Aspect: dim, Value: human})
		}
		d := scored(dim, values, order)
		for _, against := range []survey.Against{survey.MeanAnnotator, survey.EachAnnotator} {
			if against == survey.EachAnnotator && dim != "naturalness" || testing.Short() && (against == survey.EachAnnotator || dim != "naturalness") {
				continue // with one annotator it is the same
			}
			got := d.Correlations(people, against, drawing())[0]
			if got.Spearman.Low == nil || math.Abs(*got.Spearman.Value-want.Spearman) > 1e-9 || math.Abs(*got.Kendall.Value-want.TauB) > 1e-9 {
				t.Errorf("%s against the %s: %v and %v, published %v and %v", dim, against, *got.Spearman.Value, *got.Kendall.Value, want.Spearman, want.TauB)
			}
		}
	}
}
