package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"parley/eval/stat/table"
)

// statCommand runs eval stat alone and returns what it printed, and its exit status.
func statCommand(t *testing.T, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, talk bytes.Buffer
	app := &cli.App{
		Commands: []*cli.Command{evalStatCommand()},
		Reader:   strings.NewReader(stdin), Writer: &out, ErrWriter: &talk,
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   func(_ *cli.Context, err error, _ bool) error { return usageError{err} },
	}
	settle(app.Commands, "parley")
	ctx := context.Background()
	err := app.RunContext(ctx, flagsFirst(app.Commands, append([]string{"parley", "stat"}, args...)))
	return out.String(), talk.String() + errText(err), exitStatus(ctx, err, io.Discard)
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// statJSON runs eval stat and returns its only result as a map.
func statJSON(t *testing.T, stdin string, args ...string) (map[string]any, int) {
	t.Helper()
	out, talk, status := statCommand(t, stdin, append(args, "--json")...)
	var got struct{ Results []map[string]any }
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Results) == 0 {
		t.Fatalf("%v gave no result: %v\n%s%s", args, err, out, talk)
	}
	return got.Results[0], status
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
func TestEvalStat(t *testing.T) {
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
		{"paired-bootstrap --x a --y b", map[string]any{"value": 0.2875}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			args := strings.Fields(tt.args)
			got, status := statJSON(t, statRows, append([]string{"-", "--test"}, args...)...)
			if status != exitOK {
				t.Errorf("exit status %d", status)
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

func TestEvalStatRefuses(t *testing.T) {
	tests := []struct {
		args, stdin string
		status      int
		want        string // part of what is said
	}{
		{"- --test spearman --x a --y doc", statRows, exitFailed, `standard input:2: column "doc": "d1" is not a finite number; correct it`},
		{"- --test wilson --x a", statRows, exitFailed, `standard input:2: column "a": "3.1" is neither yes nor no`},
		{"- --test mean --x a", "a\n1\nInf\n", exitFailed, `standard input:3: column "a": "Inf" is not a finite number`},
		{"- --test mean --x a", "", exitFailed, "is empty"},
		{"- --test mean --x a", "1,2\n3,4\n", exitFailed, "put the names of the columns there"},
		{"- --test mean --x a", "a,a\n3,4\n", exitFailed, `two columns are called "a"`},
		{"- --test mean --x a", "a,b\n3\n", exitFailed, "wrong number of fields"},
		{"- --test cohens-d --x a --group doc", statRows, exitFailed, `"d3" is a third sample after d1 and d2`},
		{"- --test mean --x zzz", statRows, exitUsage, `no column "zzz" for --x; it has a, b, doc`},
		{"- --test mean", statRows, exitUsage, "mean needs --x (numbers), [--group]: say which of"},
		{"- --test mean --x a --y b", statRows, exitUsage, "takes no --y"},
		{"- --test mean --x a --raters b", statRows, exitUsage, "takes no --raters"},
		{"- --test moan --x a", statRows, exitUsage, `no statistic is called "moan"; there are mean,`},
		{"- --test mean --x a --alternative less", statRows, exitUsage, "two-sided only"},
		{"- --test sign --x a --y b --alternative up", statRows, exitUsage, "none of two-sided, greater and less"},
		{"- --test wilcoxon --x a --y b --method bca", statRows, exitUsage, "none of auto, exact, normal"},
		{"- --test mean --x a --method bca", statRows, exitUsage, "takes no --method"},
		{"- --test wilcoxon --x a --y b --zeros split", statRows, exitUsage, "neither wilcox nor pratt"},
		{"- --test bootstrap --of wilcoxon --x a --y b", statRows, exitUsage, "cannot be resampled"},
		{"- --test bootstrap --x a --draws 10", statRows, exitUsage, "too few"},
		{"- --test mean --x a --level 95", statRows, exitUsage, "not between 0 and 1"},
		{"- --test power-paired --x a --y b --power 80", statRows, exitUsage, "not between 0 and 1"},
		{"-", statRows, exitUsage, "needs --test NAME"},
		{"--test mean --x a", statRows, exitUsage, "takes one table, and got none"},
		{"no-such-file.csv --test mean --x a", "", exitFailed, "opening the table"},
		{"- --test spearman", "x,y\n3,1\n3,2\n3,4\n", exitPartial, "1 of 1 statistics are undefined"},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			_, talk, status := statCommand(t, tt.stdin, strings.Fields(tt.args)...)
			if status != tt.status || !strings.Contains(talk, tt.want) {
				t.Errorf("exit status %d and %q, want %d and %q", status, talk, tt.status, tt.want)
			}
		})
	}
}

// TestEvalStatUndefined: an undefined statistic is null with its reason.
func TestEvalStatUndefined(t *testing.T) {
	got, status := statJSON(t, "x,y\n3,1\n3,2\n3,4\n", "-", "--test", "spearman")
	if status != exitPartial || got["value"] != nil || got["p"] != nil || got["reason"] != "the first column is constant" {
		t.Errorf("exit status %d, got %v", status, got)
	}
	out, _, _ := statCommand(t, "x,y\n3,1\n3,2\n3,4\n", "-", "--test", "spearman")
	if !strings.HasPrefix(out, "spearman; undefined; n 3 of 3 pairs; the first column is constant") {
		t.Errorf("printed %q", out)
	}
}

func TestEvalStatList(t *testing.T) {
	plain, _, status := statCommand(t, "")
	if status != exitOK || !strings.Contains(plain, "kendall-c ") || !strings.Contains(plain, "--x (numbers), --y (numbers)") {
		t.Errorf("exit status %d, printed %s", status, plain)
	}
	out, _, _ := statCommand(t, "", "--test", "list", "--json")
	var list struct {
		Tests []struct{ Name, Needs, About string }
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Tests) < 30 {
		t.Errorf("listed %d: %v", len(list.Tests), err)
	}
	for _, s := range list.Tests {
		if s.Name == "" || s.Needs == "" || s.About == "" {
			t.Errorf("%+v says too little", s)
		}
	}
}

// TestEvalStatRuns: every statistic of the list runs on a table that fits it, and prints no NaN.
func TestEvalStatRuns(t *testing.T) {
	csv := "x,y,group\n1,1,g\n0,1,g\n1,0,h\n0,0,h\n1,1,g\n"
	for _, s := range table.List() {
		out, talk, status := statCommand(t, csv, "-", "--test", s.Name, "--x", "x", "--json")
		if strings.Contains(s.Needs(), "--y") {
			out, talk, status = statCommand(t, csv, "-", "--test", s.Name, "--x", "x", "--y", "y", "--json")
		}
		if strings.Contains(s.Needs(), "--raters") {
			out, talk, status = statCommand(t, csv, "-", "--test", s.Name, "--raters", "x,y", "--json")
		}
		if status != exitOK && status != exitPartial || strings.Contains(out, "NaN") {
			t.Errorf("%s: exit status %d: %s%s", s.Name, status, out, talk)
		}
	}
}

// TestEvalStatAdjusts: one result a p value, with its label.
func TestEvalStatAdjusts(t *testing.T) {
	out, talk, _ := statCommand(t, "p,name\n.01,a\n.04,b\n.03,c\n.005,d\n.2,e\n", "-", "--test", "holm", "--x", "p", "--group", "name", "--json")
	var got struct {
		Results []struct {
			P     float64
			Label string
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Results) != 5 {
		t.Fatalf("%v: %s%s", err, out, talk)
	}
	for i, want := range []float64{.04, .09, .09, .025, .2} {
		if math.Abs(got.Results[i].P-want) > 1e-12 || got.Results[i].Label != string(rune('a'+i)) {
			t.Errorf("%d: got %+v, want %v", i, got.Results[i], want)
		}
	}
}

// TestEvalStatTopicalChat gives the published correlations by the command, whole and by document.
func TestEvalStatTopicalChat(t *testing.T) {
	dir := "../../../shared/data/evals/topical_chat"
	raw, err := os.ReadFile(filepath.Join(dir, "golden_correlations.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no evaluation data beside this checkout: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Dims map[string]struct {
			Spearman float64
			TauB     float64 `json:"kendall_tau_b"`
			Docs     struct {
				Spearman float64 `json:"mean_spearman"`
				Skipped  float64 `json:"skipped_constant"`
			} `json:"doc_level"`
		}
	}
	if err := json.Unmarshal(raw, &golden); err != nil {
		t.Fatal(err)
	}
	for dim, want := range golden.Dims {
		args := []string{filepath.Join(dir, "topical_chat_scores.tsv"), "--x", "human_" + dim, "--y", "unieval_" + dim, "--test"}
		for _, tt := range []struct {
			test []string
			want float64
		}{
			{[]string{"spearman"}, want.Spearman}, {[]string{"kendall"}, want.TauB},
			{[]string{"spearman", "--group", "doc"}, want.Docs.Spearman},
		} {
			got, _ := statJSON(t, "", append(args, tt.test...)...)
			if v, ok := got["value"].(float64); !ok || math.Abs(v-tt.want) > 1e-6 {
				t.Errorf("%s %v: got %v, want %v", dim, tt.test, got["value"], tt.want)
			}
			if len(tt.test) > 1 && got["of"].(float64)-got["n"].(float64) != want.Docs.Skipped {
				t.Errorf("%s: %v of %v documents, want %v skipped", dim, got["n"], got["of"], want.Docs.Skipped)
			}
		}
	}
}

// FuzzStatTable: any table is read or refused, and a column of it never gives a NaN.
func FuzzStatTable(f *testing.F) {
	f.Add("x,y\n1,2\n3,\n")
	f.Add("x\ty\n1\t\"2\n")
	f.Add("\ufeffx;y\r\n1;nan\r\n1e999;2\r\n")
	f.Add("x,y\n1e17,1e17\n1e17,1e17\n")
	f.Add(statRows)
	f.Fuzz(func(t *testing.T, text string) {
		for _, test := range []string{"spearman", "kappa-linear", "alpha"} {
			out, talk, status := statCommand(t, text, "-", "--test", test, "--json")
			if strings.Contains(out, "NaN") || (status == exitOK) != (talk == "") {
				t.Errorf("%s: exit status %d: %s%s", test, status, out, talk)
			}
		}
	})
}
