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
		{"pearson --x a --y b", map[string]any{"value": 0.8899007542243564, "p": 0.003067070576583187, "low": 0.4967078234052269, "high": 0.9800162815765329}, ""},
		{"wilcoxon --x a --y b --zeros pratt --method normal", map[string]any{"value": 3.5, "p": 0.04910953919720455}, ""},
		{"bootstrap --of kendall --x a --y b --method bca", map[string]any{"value": 0.8571428571428571, "metric": "kendall-b", "method": "bootstrap bca"}, ""},
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
		{"- --test mean --x zzz", statRows, exitUsage, `no column "zzz" for --x; it has a, b, doc`},
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
