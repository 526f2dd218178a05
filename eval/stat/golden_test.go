package stat_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley/eval/stat"
)

const goldenDir = "../../../shared/data/evals"

// load reads a file of published or SciPy-made values, which lie beside the project.
func load(t *testing.T, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(goldenDir, name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no evaluation data beside this checkout: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if into != nil {
		if err := json.Unmarshal(raw, into); err != nil {
			t.Fatal(err)
		}
	}
}

// near fails unless got is want within 1e-9, nil wanting an undefined value with a reason.
func near(t *testing.T, what string, got stat.Value, want *float64) {
	t.Helper()
	switch {
	case want == nil && got.OK():
		t.Errorf("%s: got %v, want undefined", what, got)
	case want != nil && (!got.OK() || !(math.Abs(got.V-*want) <= 1e-9)):
		t.Errorf("%s: got %v, want %v", what, got, *want)
	}
}

func is(v float64) *float64 { return &v }

func of(p *float64) stat.Value {
	if p == nil {
		return stat.Undefined("nil")
	}
	return stat.Number(*p)
}

func TestGoldenCorrelations(t *testing.T) {
	var golden map[string]json.RawMessage
	load(t, "golden_stats.json", &golden)
	seen := 0
	for name, raw := range golden {
		var c struct {
			X, Y     []float64
			Spearman []*float64
			B        []*float64 `json:"kendall_b"`
			C        []*float64 `json:"kendall_c"`
		}
		if json.Unmarshal(raw, &c) != nil || c.Spearman == nil {
			continue
		}
		seen++
		s, b, tc := stat.Spearman(c.X, c.Y), stat.KendallB(c.X, c.Y), stat.KendallC(c.X, c.Y)
		near(t, name+" spearman", s.R, c.Spearman[0])
		near(t, name+" spearman p", s.P, c.Spearman[1])
		near(t, name+" tau-b", b.R, c.B[0])
		near(t, name+" tau-b p", b.P, c.B[1])
		near(t, name+" tau-c", tc.R, c.C[0])
		near(t, name+" tau-c p", tc.P, c.C[1])
	}
	if seen != 7 {
		t.Errorf("read %d correlation cases, want 7", seen)
	}
}

func TestGoldenTests(t *testing.T) {
	var golden struct {
		Paired struct {
			A, B       []float64
			T          float64
			TP         float64 `json:"t_p"`
			W          float64 `json:"wilcoxon_W"`
			WP         float64 `json:"wilcoxon_p"`
			Pratt      float64 `json:"pratt_W"`
			PrattP     float64 `json:"pratt_p"`
			MeanDiff   float64 `json:"mean_diff"`
			StandError float64 `json:"se"`
		}
		McNemar struct {
			B01, B10 int
			P        float64
		} `json:"mcnemar_exact"`
		TPpf    map[string]float64 `json:"t_ppf"`
		Wilson  share
		Clopper share
		CV      []struct {
			X   []float64
			Pop *float64 `json:"scipy_variation_ddof0"`
			One *float64 `json:"ddof1"`
		} `json:"variation"`
	}
	load(t, "golden_stats.json", &golden)

	p := golden.Paired
	got := stat.PairedT(p.A, p.B, 0.95, stat.TwoSided)
	near(t, "t", got.Statistic, &p.T)
	near(t, "t p", got.P, &p.TP)
	near(t, "mean difference", of(got.Diff.Value), &p.MeanDiff)
	half := 2.364624251592785 * p.StandError // t.975 on 7 degrees of freedom
	near(t, "low", of(got.Diff.Low), is(p.MeanDiff-half))
	near(t, "high", of(got.Diff.High), is(p.MeanDiff+half))
	w := stat.Wilcoxon(p.A, p.B, stat.DropZeros, stat.Normal, stat.TwoSided)
	near(t, "wilcoxon W", w.Statistic, &p.W)
	near(t, "wilcoxon p", w.P, &p.WP)
	w = stat.Wilcoxon(p.A, p.B, stat.RankZeros, stat.Normal, stat.TwoSided)
	near(t, "pratt W", w.Statistic, &p.Pratt)
	near(t, "pratt p", w.P, &p.PrattP)
	near(t, "mcnemar p", stat.McNemar(golden.McNemar.B01, golden.McNemar.B10).P, &golden.McNemar.P)

	for text, want := range golden.TPpf {
		df, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		// The half width of a mean's interval over its standard error is the quantile.
		xs := make([]float64, df+1)
		xs[0] = 1
		iv := stat.Mean(xs, 0.95)
		n := float64(df + 1)
		se := stat.SD(xs, stat.Sample).V / math.Sqrt(n)
		near(t, "t quantile "+text, stat.Number((*iv.High-*iv.Value)/se), &want)
	}
	iv := stat.Wilson(golden.Wilson.K, golden.Wilson.N, 0.95)
	near(t, "wilson low", of(iv.Low), &golden.Wilson.Ends[0])
	near(t, "wilson high", of(iv.High), &golden.Wilson.Ends[1])
	iv = stat.ClopperPearson(golden.Clopper.K, golden.Clopper.N, 0.95)
	near(t, "clopper low", of(iv.Low), &golden.Clopper.Ends[0])
	near(t, "clopper high", of(iv.High), &golden.Clopper.Ends[1])
	for _, c := range golden.CV {
		near(t, "cv", stat.CV(c.X, stat.Population), c.Pop)
		near(t, "cv ddof 1", stat.CV(c.X, stat.Sample), c.One)
	}
}

type share struct {
	K, N int
	Ends [2]float64 `json:"lo_hi"`
}

func TestGoldenAgreement(t *testing.T) {
	var golden map[string]json.RawMessage
	load(t, "golden_agreement.json", &golden)
	read := func(name string, into any) {
		if err := json.Unmarshal(golden[name], into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	type reliability struct {
		Raters                            [][]*float64 `json:"raters_by_units"`
		Nominal, Ordinal, Interval, Ratio any
	}
	for _, name := range []string{
		"krippendorff_4raters_12units", "krippendorff_binary_2raters",
		"krippendorff_all_same", "krippendorff_one_disagreement_paradox",
	} {
		var c reliability
		read(name, &c)
		units := make([][]float64, len(c.Raters[0]))
		for _, rater := range c.Raters {
			for u, r := range rater {
				if r != nil {
					units[u] = append(units[u], *r)
				}
			}
		}
		for metric, want := range map[stat.Metric]any{
			stat.Nominal: c.Nominal, stat.Ordinal: c.Ordinal,
			stat.IntervalScale: c.Interval, stat.Ratio: c.Ratio,
		} {
			switch want := want.(type) {
			case float64:
				near(t, name+" "+string(metric), stat.Alpha(units, metric), &want)
			case string: // says that it is undefined
				near(t, name+" "+string(metric), stat.Alpha(units, metric), nil)
			}
		}
	}

	var kappa struct{ None, Linear, Quadratic float64 }
	read("cohen_kappa_sklearn_test", &kappa)
	a := slicesOf(map[int]int{0: 46, 1: 44, 2: 10})
	b := slicesOf(map[int]int{0: 50, 1: 40, 2: 10})
	near(t, "kappa", stat.Kappa(a, b, nil, stat.Plain), &kappa.None)
	near(t, "linear kappa", stat.Kappa(a, b, []int{0, 1, 2}, stat.Linear), &kappa.Linear)
	near(t, "quadratic kappa", stat.Kappa(a, b, []int{0, 1, 2}, stat.Quadratic), &kappa.Quadratic)

	var pair struct {
		Y1, Y2 []int
		Raw    float64 `json:"raw_agreement"`
		Kappa  *float64
	}
	read("cohen_kappa_single_label", &pair)
	near(t, "kappa of one label", stat.Kappa(pair.Y1, pair.Y2, nil, stat.Plain), nil)
	read("kappa_paradox", &pair)
	near(t, "kappa paradox", stat.Kappa(pair.Y1, pair.Y2, nil, stat.Plain), pair.Kappa)
	near(t, "raw agreement", stat.Accuracy(pair.Y1, pair.Y2), &pair.Raw)
}

// slicesOf repeats 0, 1, 2 as often as said, in that order.
func slicesOf(times map[int]int) []int {
	var out []int
	for label := range 3 {
		for range times[label] {
			out = append(out, label)
		}
	}
	return out
}

func TestPublishedTopicalChat(t *testing.T) {
	var golden struct {
		N    int
		Dims map[string]struct {
			Pearson   float64
			Spearman  float64
			TauB      float64 `json:"kendall_tau_b"`
			SpearmanP float64 `json:"spearman_p"`
			KendallP  float64 `json:"kendall_p"`
			Bins      struct {
				Spearman float64
				TauB     float64 `json:"kendall_tau_b"`
				TauC     float64 `json:"kendall_tau_c"`
			} `json:"tied_bins"`
			Docs struct {
				N        int     `json:"n_docs"`
				Skipped  int     `json:"skipped_constant"`
				Spearman float64 `json:"mean_spearman"`
				TauB     float64 `json:"mean_kendall_tau_b"`
			} `json:"doc_level"`
		}
	}
	load(t, "topical_chat/golden_correlations.json", &golden)
	columns := readTSV(t, "topical_chat/topical_chat_scores.tsv")
	docs := columns["doc"]
	if len(docs) != golden.N || len(golden.Dims) != 6 {
		t.Fatalf("read %d turns and %d dimensions, want %d and 6", len(docs), len(golden.Dims), golden.N)
	}
	relative := func(what string, got stat.Value, want float64) {
		t.Helper()
		if !got.OK() || math.Abs(got.V/want-1) > 1e-9 {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	for dim, want := range golden.Dims {
		x, y := numbers(t, columns["human_"+dim]), numbers(t, columns["unieval_"+dim])
		near(t, dim+" pearson", stat.Pearson(x, y).R, &want.Pearson)
		s, k := stat.Spearman(x, y), stat.KendallB(x, y)
		near(t, dim+" spearman", s.R, &want.Spearman)
		near(t, dim+" tau-b", k.R, &want.TauB)
		relative(dim+" spearman p", s.P, want.SpearmanP)
		relative(dim+" kendall p", k.P, want.KendallP)

		bins := make([]float64, len(y))
		for i := range y {
			bins[i] = math.RoundToEven(4 * y[i])
		}
		near(t, dim+" binned spearman", stat.Spearman(x, bins).R, &want.Bins.Spearman)
		near(t, dim+" binned tau-b", stat.KendallB(x, bins).R, &want.Bins.TauB)
		near(t, dim+" binned tau-c", stat.KendallC(x, bins).R, &want.Bins.TauC)

		in := stat.Within(x, y, docs, 0.95, stat.Spearman)
		near(t, dim+" spearman by document", of(in.Mean.Value), &want.Docs.Spearman)
		if in.Groups != want.Docs.N || in.Groups-in.Mean.N != want.Docs.Skipped {
			t.Errorf("%s: %d documents, %d used, want %d, %d skipped", dim, in.Groups, in.Mean.N, want.Docs.N, want.Docs.Skipped)
		}
		in = stat.Within(x, y, docs, 0.95, stat.KendallB)
		near(t, dim+" tau-b by document", of(in.Mean.Value), &want.Docs.TauB)
	}
}

func readTSV(t *testing.T, name string) map[string][]string {
	t.Helper()
	load(t, name, nil)
	file, err := os.Open(filepath.Join(goldenDir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Scan()
	header := strings.Split(lines.Text(), "\t")
	columns := make(map[string][]string)
	for lines.Scan() {
		for i, cell := range strings.Split(lines.Text(), "\t") {
			columns[header[i]] = append(columns[header[i]], cell)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return columns
}

func numbers(t *testing.T, cells []string) []float64 {
	t.Helper()
	out := make([]float64, len(cells))
	for i, cell := range cells {
		v, err := strconv.ParseFloat(cell, 64)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = v
	}
	return out
}
