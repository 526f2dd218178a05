package table_test

import (
	"encoding/json"
	"errors"
	"flag"
	"math"
	"strings"
	"testing"

	"parley/eval/stat"
	"parley/eval/stat/table"
)

// run computes a statistic from a table as the command does, with its defaults.
func run(text, args string) ([]table.Result, error) {
	var o table.Options
	var diff float64
	f := flag.NewFlagSet("stat", flag.PanicOnError)
	test := f.String("test", "", "")
	for name, to := range map[string]*string{"x": &o.X, "y": &o.Y, "group": &o.Group, "raters": &o.Raters, "labels": &o.Labels, "of": &o.Of, "method": &o.Method} {
		f.StringVar(to, name, "", "")
	}
	f.StringVar(&o.Zeros, "zeros", "wilcox", "")
	f.StringVar(&o.Alternative, "alternative", "two-sided", "")
	f.Float64Var(&o.Level, "level", 0.95, "")
	f.Float64Var(&o.Power, "power", 0.8, "")
	f.Float64Var(&diff, "diff", math.NaN(), "")
	f.IntVar(&o.Draws, "draws", 2000, "")
	f.Uint64Var(&o.Seed, "seed", 1, "")
	f.Parse(strings.Fields("--test " + args))
	if !math.IsNaN(diff) {
		o.Diff = &diff
	}
	s, err := table.Find(*test)
	if err != nil {
		return nil, err
	}
	t, err := table.Read("standard input", strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	return s.Run(t, o)
}

const statRows = `a,b,doc,judge,human,ok,fine
3.1,2.9,d1,1,1,1,yes
4.0,3.5,d1,1,2,0,yes
2.5,2.7,d1,4,5,1,no
3.7,3.1,d2,5,5,1,yes
4.4,4.4,d2,4,2,0,no
3.3,3.0,d2,2,1,1,yes
2.9,2.2,d3,NA,1,1,
3.8,3.6,d3,3,,0,yes
`

// Numbers without a note are those of SciPy 1.17, scikit-learn 1.9 and statsmodels 0.15.
func TestStatistics(t *testing.T) {
	tests := []struct {
		args   string
		want   map[string]any // float64, string, or nil for null
		reason string
	}{
		{"mean --x a", map[string]any{"value": 3.4625, "n": 8.0, "of": 8.0, "unit": "rows", "scorer": "stat", "metric": "mean", "arm": "", "control": "", "p": nil}, ""},
		{"clustered-mean --x a --group doc", map[string]any{"value": 3.4625, "clusters": 3.0}, ""},
		{"pearson --x a --y b", map[string]any{"value": 0.8899007542243564, "p": 0.003067070576583187, "low": 0.4967078234052269, "high": 0.9800162815765329}, ""},
		{"Kendall_B --x a --y b", map[string]any{"metric": "kendall-b", "method": "exact", "statistic": 0.8571428571428571}, "names in any dress"},
		{"spearman --x A --y B", map[string]any{"value": 0.9523809523809523}, "letter case of columns"},
		{"spearman --x a --y b --group doc", map[string]any{"value": 1.0, "n": 3.0, "of": 3.0, "unit": "groups"}, ""},
		{"mse --x judge --y human", map[string]any{"value": 7.0 / 6, "n": 6.0, "of": 8.0, "dropped": 2.0}, "a pair that lacks one value is dropped"},
		{"kappa-linear --x judge --y human", map[string]any{"value": 0.5454545454545454}, "label 3 is on the scale though no pair has it"},
		{"kappa-linear --x judge --y human --labels 1,2,4,5", map[string]any{"value": 0.5}, "a list that forgets 3 closes the gap"},
		{"accuracy --x judge --y human", map[string]any{"value": 1.0 / 3, "unit": "pairs"}, "by hand"},
		{"alpha --x judge --y human", map[string]any{"metric": "alpha-nominal", "n": 6.0, "unit": "units"}, ""},
		{"alpha-interval --raters a,b", map[string]any{"n": 8.0, "of": 8.0}, ""},
		{"alpha-interval --x a --group doc", map[string]any{"n": 3.0, "of": 3.0}, "ratings of a unit by group"},
		{"paired-t --x a --y b", map[string]any{"value": 0.2875, "statistic": 2.671118634421207, "p": 0.03194783780390282, "df": 7.0}, ""},
		{"paired-t --x a --y b --alternative greater", map[string]any{"p": 0.015973918901951416}, ""},
		{"wilcoxon --x a --y b", map[string]any{"value": 2.5, "p": 0.0625}, "exact for up to 25 pairs"},
		{"wilcoxon --x a --y b --method normal", map[string]any{"value": 2.5, "p": 0.05149455160099051, "zeros": 1.0, "n": 7.0}, ""},
		{"wilcoxon --x a --y b --zeros pratt --method normal", map[string]any{"value": 3.5, "p": 0.04910953919720455}, ""},
		{"wilcoxon --x a --y b --method exact", map[string]any{"p": 0.0625}, ""},
		{"sign --x a --y b", map[string]any{"value": 6.0, "p": 0.125}, "6 of 7 heads"},
		{"mcnemar --x ok --y fine", map[string]any{"n": 7.0, "p": 1.0, "zeros": 4.0, "dropped": 1.0}, "1 against 2"},
		{"wilson --x ok", map[string]any{"value": 0.625}, "5 of 8"},
		{"welch --x a --y b", map[string]any{"statistic": 0.8922851932}, ""},
		{"cohens-dz --x a --y b", map[string]any{"value": 0.944383049876493}, ""},
		{"cliff --x a --y b", map[string]any{"value": 19.0 / 64, "unit": "values", "n": 16.0}, ""},
		{"power-paired --x a --y b", map[string]any{"metric": "sessions needed", "value": 11.0}, ""},
		{"bootstrap --of kendall --x a --y b --method bca", map[string]any{"value": 0.8571428571428571, "metric": "kendall-b", "method": "bootstrap bca"}, ""},
		{"bootstrap --x a --group doc", map[string]any{"value": 3.4625, "clusters": 3.0, "metric": "mean"}, ""},
		{"paired-bootstrap --x a --y b", map[string]any{"value": 0.2875, "method": "bootstrap percentile"}, ""},
		{"paired-bootstrap --x a --y b --group doc", map[string]any{"value": 0.2875, "clusters": 3.0}, ""},
		{"mean --x a --level 0.5", map[string]any{"low": 3.4625 - 0.711141778*math.Sqrt(2.73875/56)}, "t on 7 degrees of freedom"},
		{"bootstrap --of paired-t --x a --y b", map[string]any{"value": 0.2875}, ""},
		{"spearman --x b --y a", map[string]any{"low": nil}, "Fisher's interval is Pearson's"},
		{"welch --x a --group fine", map[string]any{"n": 7.0, "of": 8.0, "dropped": 1.0}, "a row of no sample"},
		{"clustered-se --x a --group doc", map[string]any{"clusters": 3.0, "low": nil, "n": 8.0}, ""},
		{"wilson --x fine", map[string]any{"value": 5.0 / 7, "n": 7.0, "of": 8.0, "dropped": 1.0}, "words for yes and no"},
		{"welch --x a --group ok", map[string]any{"value": 3.1 - 12.2/3, "unit": "values", "n": 8.0, "of": 8.0}, "by hand: the sample that comes first less the other"},
		{"cliff --x a --group ok", map[string]any{"value": -1.0, "n": 8.0}, "by hand: no value of the first exceeds one of the second"},
		{"cliff --x judge --y human", map[string]any{"n": 14.0, "of": 16.0, "dropped": 2.0}, "a missing value of one sample drops none of the other"},
		{"sign --x a --y b --alternative less", map[string]any{"p": 1 - 1.0/128}, "by hand: 6 of 7 heads or fewer"},
		{"alpha-nominal --x judge --y human", map[string]any{"dropped": 2.0, "of": 8.0}, ""},
		{"pearson --x a --y b --level 0.99", map[string]any{"low": math.Tanh(math.Atanh(0.8899007542243564) - 2.5758293035489004/math.Sqrt(5))}, "Fisher's z"},
		{"kappa --x judge --y human --labels 5,4,3,2,1", map[string]any{"unit": "pairs", "n": 6.0}, "the order of labels matters only to weights"},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			results, err := run(statRows, tt.args)
			if err != nil || len(results) == 0 {
				t.Fatal(results, err)
			}
			raw, _ := json.Marshal(results[0])
			var got map[string]any
			if err := json.Unmarshal(raw, &got); err != nil {
				t.Fatal(err)
			}
			for key, want := range tt.want {
				have, there := got[key]
				w, number := want.(float64)
				v, isNumber := have.(float64)
				if !there || number != isNumber || number && math.Abs(v-w) > 1e-9 || !number && have != want {
					t.Errorf("%s is %v, want %v (%s)", key, have, want, tt.reason)
				}
			}
		})
	}
}

// What cannot be computed is refused: wrong options as a Usage, a wrong table with its line.
func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		args, text string
		usage      bool
		want       string
	}{
		{"spearman --x a --y doc", statRows, false, `standard input:2: column "doc": "d1" is not a finite number; correct it`},
		{"mean --x a --level 0", statRows, true, "not between 0 and 1"},
		{"mean --x a --level 1", statRows, true, "not between 0 and 1"},
		{"power-paired --x a --y b --power 0", statRows, true, "not between 0 and 1"},
		{"power-paired --x a --y b --power 1", statRows, true, "not between 0 and 1"},
		{"mean --x a", "a\n-Inf\n", false, "is not a finite number"},
		{"wilson --x a", statRows, false, `standard input:2: column "a": "3.1" is neither yes nor no`},
		{"mean --x a", "a\n1\nInf\n", false, `standard input:3: column "a": "Inf" is not a finite number`},
		{"mean --x a", "", false, "is empty"},
		{"mean --x a", "1,2\n3,4\n", false, "put the names of the columns there"},
		{"mean --x a", "a,a\n3,4\n", false, `two columns are called "a"`},
		{"mean --x a", "a,b\n3\n", false, "wrong number of fields"},
		{"cohens-d --x a --group doc", statRows, false, `"d3" is a third sample after d1 and d2`},
		{"mean --x zzz", statRows, true, `no column "zzz" for --x; it has a, b, doc`},
		{"mean", statRows, true, "mean needs --x (numbers), [--group]: say which of"},
		{"mean --x a --y b", statRows, true, "takes no --y"},
		{"mean --x a --raters b", statRows, true, "takes no --raters"},
		{"moan --x a", statRows, true, `no statistic is called "moan"; there are mean,`},
		{"mean --x a --alternative less", statRows, true, "two-sided only"},
		{"sign --x a --y b --alternative up", statRows, true, "none of two-sided, greater and less"},
		{"wilcoxon --x a --y b --method bca", statRows, true, "none of auto, exact, normal"},
		{"mean --x a --method bca", statRows, true, "takes no --method"},
		{"wilcoxon --x a --y b --zeros split", statRows, true, "neither wilcox nor pratt"},
		{"bootstrap --of wilcoxon --x a --y b", statRows, true, "cannot be resampled"},
		{"bootstrap --x a --draws 10", statRows, true, "too few"},
		{"mean --x a --level 95", statRows, true, "not between 0 and 1"},
		{"power-paired --x a --y b --power 80", statRows, true, "not between 0 and 1"},
	} {
		_, err := run(tt.text, tt.args)
		var wrong *table.Usage
		if err == nil || errors.As(err, &wrong) != tt.usage || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.args, err, tt.want)
		}
	}
}

// How tables are written, and which columns a statistic takes where none are named.
func TestTables(t *testing.T) {
	for _, tt := range []struct {
		reason, text, args string
		value              float64 // of the first result; NaN: undefined, for a reason that holds why
		n                  int
		why                string
	}{
		{"columns called by the flags", "y,z,x\n1,9,3\n2,9,3\n", "mse", 2.5, 2, ""},
		{"as many columns as are needed, in order", "a,b\n5,1\n", "mse", 16, 1, ""},
		{"tabs", "x\ty\n1,5\t1\n", "accuracy", 0, 1, ""},
		{"semicolons and a byte order mark", "\ufeffx;y;z\r\n1;2;3\r\n", "mse --x x --y y", 1, 1, ""},
		{"a quotation mark between tabs", "x\ty\na\"\ta\"\n", "accuracy", 1, 1, ""},
		{"a quotation mark between commas", "x,y\na\",a\"\n", "accuracy", math.NaN(), 0, "bare"},
		{"the letter case that is given", "a,A\n1,5\n", "mean --x a", 1, 1, ""},
		{"three pairs have no interval", "x,y\n1,2\n2,3\n3,5\n", "pearson", 3 / math.Sqrt(28.0/3), 3, "Fisher's interval needs four pairs"},
		{"one pair has no spread", "x,y\n1,2\n", "paired-t", -1, 1, "one value has no spread"},
		{"less than all whole numbers", "x,y\n-5000,5001\n", "kappa-linear", math.NaN(), 1, "more than 10000"},
		{"quotation marks", "x,\"the y\"\n1,\"2\"\n", "mse --x x --y THE\u0020Y", math.NaN(), 0, "no column"},
		{"numbers are one label however written", "x,y\n1,1.0\n01,1e0\n2,3\n", "accuracy", 2.0 / 3, 3, ""},
		{"words for no value", "x\n1\nNA\nnan\nnull\n \n3\n", "mean", 2, 2, ""},
		{"words for yes and no", "x\nTrue\npass\n1.0\nfail\nno\n0.0\nFALSE\nyes\n", "wilson", 0.5, 8, ""},
		{"every column is a rater", "a,b,c\n1,1,NA\n2,2,2\n3,,\n", "alpha", 1, 2, ""},
		{"labels of raters", "a,b\nx,x\ny,y\n", "alpha", 1, 2, ""},
		{"letter case of two columns", "Ab,aB\n1,2\n", "mean --x ab", math.NaN(), 0, `no column "ab"`},
		{"no whole numbers to make a scale of", "x,y\na,b\n", "kappa-linear", math.NaN(), 1, "label a is no whole number"},
		{"fractions are no scale", "x,y\n1.5,1\n", "kappa-quadratic", math.NaN(), 1, "label 1.5 is no whole number"},
		{"a scale as long as may be", "x,y\n0,10000\n0,0\n", "kappa-linear", 0, 2, ""},
		{"too long a scale", "x,y\n0,10001\n", "kappa-linear", math.NaN(), 1, "more than 10000"},
		{"one row", "x,y\n1,2\n", "power-paired", math.NaN(), 1, "needs two values"},
		{"no spread", "x,y\n1,2\n2,3\n", "power-paired", math.NaN(), 2, "no spread in the table"},
	} {
		results, err := run(tt.text, tt.args)
		if err != nil {
			if !math.IsNaN(tt.value) || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("%s: %v", tt.reason, err)
			}
			continue
		}
		r := results[0]
		if (r.Value == nil) != math.IsNaN(tt.value) || r.Value != nil && math.Abs(*r.Value-tt.value) > 1e-12 || r.N != tt.n || !strings.Contains(r.Reason, tt.why) {
			t.Errorf("%s: %+v", tt.reason, r)
		}
	}
}

// What a pilot tells of the sessions that are needed follows from its difference and its spread.
func TestPowerOfATable(t *testing.T) {
	a, b := []float64{3.1, 4.0, 2.5, 3.7, 4.4, 3.3, 2.9, 3.8}, []float64{2.9, 3.5, 2.7, 3.1, 4.4, 3.0, 2.2, 3.6}
	deltas := make([]float64, len(a))
	for i := range a {
		deltas[i] = a[i] - b[i]
	}
	for _, tt := range []struct {
		args     string
		design   stat.Design
		diff, sd float64
		power    float64
		unit     string
	}{
		{"power-paired --x a --y b", stat.Paired, 0.2875, stat.SD(deltas, stat.Sample).V, 0.8, "pairs"},
		{"power-paired --x a --y b --diff 0.1 --power 0.9", stat.Paired, 0.1, stat.SD(deltas, stat.Sample).V, 0.9, "pairs"},
		{"power-unpaired --x a --y b", stat.Unpaired, 0.2875, stat.PooledSD(a, b).V, 0.8, "sessions an arm"},
	} {
		got, err := run(statRows, tt.args)
		if err != nil || len(got) != 3 {
			t.Fatal(got, err)
		}
		for i, want := range []float64{
			tt.design.Sessions(tt.diff/tt.sd, tt.power, 0.95).V, tt.design.Detectable(8, tt.power, 0.95).V * tt.sd, tt.design.Power(tt.diff/tt.sd, 8, 0.95).V,
		} {
			if r := got[i]; r.Value == nil || math.Abs(*r.Value-want) > 1e-9 || r.N != 8 || r.Of != 8 || r.Unit != tt.unit {
				t.Errorf("%s: %s is %+v, want %v", tt.args, r.Metric, r, want)
			}
		}
	}
	if got, err := run("x,y\n1,2\n3,5\n2,\n", "power-unpaired"); err != nil || got[0].N != 2 {
		t.Errorf("an arm that lacks a value: %+v, %v", got, err)
	}
}

// A line has the parts that there are.
func TestPrint(t *testing.T) {
	for args, want := range map[string]string{
		"mean --x a --group doc":                     "mean; 3.4625; 95 % interval [",
		"sd --x judge":                               "sd; 1.573591585; n 7 of 8 rows; 1 rows dropped\n",
		"wilcoxon --x a --y b":                       "wilcoxon; 2.5; p 0.0625; n 7 of 8 pairs; 1 zeros; wilcoxon, zeros wilcox, exact\n",
		"paired-t --x a --y b --alternative greater": "; statistic 2.671118634; df 7; p 0.0159739; n 8 of 8 pairs; 1 zeros; paired t\n",
		"spearman --x judge --y ok --group doc":      "; n 2 of 3 groups; 1 rows dropped; 1 skipped, since a correlation needs two pairs\n",
		"clustered-se --x a --group doc":             "; n 8 of 8 rows; 3 clusters\n",
		"holm --x ok --group doc":                    "holm d1; 1; p 1; n 8 of 8 tests\nholm d1; 0; p 0; n 8 of 8 tests\n",
		"cv --x ok --y a":                            "takes no --y",
		"mcnemar --x ok --y ok":                      "mcnemar; 0; p 1; n 8 of 8 pairs; 8 zeros; mcnemar, exact\n",
	} {
		results, err := run(statRows, args)
		var b strings.Builder
		if err == nil {
			err = table.Print(&b, results, 0.95)
		}
		if err != nil {
			b.WriteString(err.Error())
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s: %q, want %q", args, b.String(), want)
		}
	}
}

// Statistics are found by any name in any dress, and the lists of names say what they need.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"wilson": "--x (yes or no)", "Clustered Mean": "--x (numbers), [--group]", "clustered_se": "--x (numbers), --group", "KAPPA": "--x (labels), --y (labels)",
		"bootstrap": "the columns of the statistic --of; --group clusters", "welch": "--x and --y, or --x with --group of two samples (numbers)",
		"krippendorff-ratio": "--x and --y, or --raters A,B,..., or --x ratings with --group units (numbers); else every column is a rater",
	} {
		if s, err := table.Find(name); err != nil || s.Needs() != want {
			t.Errorf("%s needs %v, %v", name, s, err)
		}
	}
	for _, s := range table.List() {
		if found, err := table.Find(s.Name); err != nil || found.Name != s.Name || s.About == "" {
			t.Errorf("%s: %v, %v", s.Name, found, err)
		}
	}
}

// A name that says so means tabs, whatever the header holds.
func TestReadByName(t *testing.T) {
	for name, want := range map[string]string{"t.TAB": "x,y, z", "t.tsv": "x,y, z", "t.csv": "x, y\tz"} {
		tab, err := table.Read(name, strings.NewReader("x,y\tz\n1,5\t5\n"))
		if err != nil {
			t.Fatal(err)
		}
		s, _ := table.Find("mean")
		if _, err = s.Run(tab, table.Options{X: "none", Zeros: "wilcox", Alternative: "two-sided", Level: 0.95, Power: 0.8, Draws: 2000}); err == nil || !strings.HasSuffix(err.Error(), "it has "+want) {
			t.Errorf("%s: %v, want columns %s", name, err, want)
		}
	}
}
