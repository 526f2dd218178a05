package report_test

import (
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/eval"
	"parley/eval/report"
	"parley/eval/report/view"
	"parley/eval/run"
	"parley/eval/run/runtest"
	"parley/sim/llm"
)

func num[T any](v T) *T { return &v }

var metrics = []eval.Metric{
	{Scorer: "iep", Name: "iep", Unit: "players", Title: "IEP", Caption: "What was found out.", High: 100, Higher: true, Headline: true},
	{Scorer: "iep", Name: "f1", Unit: "players", Title: "F1", Caption: "What was found out.", High: 1, Higher: true, Headline: true},
	{Scorer: "iep", Name: "recall", Unit: "players", Title: "recall", Caption: "Over the turns.", High: 100},
	{Scorer: "talk", Name: "words", Unit: "turns", Title: "words a turn", Caption: "How much is said.", Headline: true},
	{Scorer: "talk", Name: "silent", Headline: true},
}

// values are results of two arms, of every kind.
func values() []eval.Result {
	of := func(scorer, metric, arm, control string, value, low, high *float64, n, of int, unit, reason string) eval.Result {
		return eval.Result{Scorer: scorer, Metric: metric, Arm: arm, Control: control, Value: value, Low: low, High: high, N: n, Of: of, Unit: unit, Reason: reason}
	}
	list := []eval.Result{
		of("iep", "iep", "first", "", num(42.26), num(40.0), num(44.5), 3, 4, "players", "1 x failed: cut off"),
		of("iep", "iep", "second", "", nil, nil, nil, 0, 4000, "players", "4000 x unparsed: "+strings.Repeat("no verdict ", 30)),
		of("iep", "f1", "first", "", num(0.426), num(0.4), num(0.45), 4, 4, "players", ""),
		of("iep", "f1", "second", "", num(0.5), nil, num(0.6), 4, 4, "players", ""),
		of("talk", "words", "first", "", num(7.0), num(6.0), num(8.0), 12345, 12345, "turns", ""),
		of("talk", "words", "second", "", num(-7.25), num(-8.0), nil, 12, 12, "turns", ""),
		of("iep", "iep", "first", "told", num(100.0), num(95.0), num(100.0), 4, 4, "players", ""),
		of("iep", "recall", "first", "", num(55.0), nil, nil, 4, 4, "players", ""),
		of("iep", "recall@10", "first", "", num(40.0), num(39.0), num(41.0), 4, 4, "players", ""),
		of("iep", "recall@2", "first", "", num(12.0), nil, num(13.0), 4, 4, "players", ""),
		of("iep", "recall@2", "second", "", nil, nil, nil, 0, 4, "players", "none"),
		of("iep", "recall@2", "first", "told", num(99.0), nil, nil, 4, 4, "players", ""),
		of("other", "recall@2", "first", "", num(98.0), nil, nil, 4, 4, "players", ""),
		of("iep", "recall@x", "first", "", num(97.0), nil, nil, 4, 4, "players", ""),
		of("other", "words", "first", "", num(1.0), nil, nil, 4, 6, "windows", ""),
		of("iep", "iep_difference", "second - first", "", num(-3.0), num(-5.0), num(-1.0), 2, 4, "pairs of players", ""),
		of("iep", "f1_difference", "second - first", "", nil, nil, nil, 0, 4, "pairs of players", "one item"),
		of("iep", "recall_difference", "second - first", "", num(-3.0), num(-5.0), num(-1.0), 4, 4, "pairs of players", ""),
	}
	list[0].Least, list[0].Most = num(70.5), num(31.7)
	list[15].P, list[15].PHolm = num(0.0004), num(0.0008)
	list[17].P, list[17].PHolm, list[17].Least = num(0.02), num(0.04), num(-9.0)
	return list
}

func usage() *llm.Tally {
	count := func(sum int64, known, of int) llm.Count { return llm.Count{Sum: &sum, Known: known, Of: of} }
	return &llm.Tally{Currency: "EUR", Rows: []llm.Row{
		{Model: "m", Purpose: "move", Calls: 12, FromCache: 2, Asked: 13, Failed: map[llm.Fault]int{llm.Overloaded: 1, llm.Unsupported: 2}, Empty: 1, Prompt: count(123456, 9, 12), Cached: count(5, 12, 12),
			Cost: llm.Cost{Amount: num(0.12345), Known: 9, Of: 12, Unknown: map[string]int{"no price": 3}}, Queue: 500_000, Total: 90_500_000, First: count(3_000_000, 2, 2), Timed: 2_000_000, TimedTokens: 25},
		{Model: "m", Purpose: "judge:iep", Calls: 1, Asked: 1, Completion: count(7, 1, 1), Cost: llm.Cost{Amount: num(1.0), Known: 1, Of: 1}, Total: 1_500_000},
		{Model: "n", Purpose: "move", Calls: 2, Asked: 2, Cost: llm.Cost{Of: 2}},
		{Model: "built-in", Purpose: "move", Calls: 2, FromCache: 2},
	}}
}

func manifest() *run.Manifest {
	return &run.Manifest{
		ID: "r1", Version: "v1", Go: "go", State: run.Failed, Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Finished: num(time.Date(2026, 1, 2, 3, 14, 5, 0, time.UTC)),
		Config: json.RawMessage(`{"a":[1]}`), Arms: []string{"first", "second"}, Of: 9, Jobs: map[run.State]int{run.Complete: 7, run.Failed: 2}, Results: values(), Usage: usage(),
		Prompts: map[string]string{"move": "abc", "again": "def"}, Tables: map[string]run.TableState{"scores": {Rows: 1234, Digest: "d1"}, "calls": {Rows: 5, Digest: "d2"}},
		Models: map[string]*run.Served{
			"built-in": nil, "silent": {},
			"m": {Identity: &llm.Identity{Name: "m:1", Digest: "sha", Family: "f", Quantization: "Q4", Context: 2048, Server: "s"}, Form: "json", Why: "it can", NumCtx: 16384, Ignored: []string{"top_k", "seed"}, Names: []string{"m:1", "m:2"}},
		},
	}
}

// What a page says of a run, block by block.
func TestPage(t *testing.T) {
	running := manifest()
	running.State, running.Finished, running.Jobs, running.Prompts, running.Tables = run.Running, nil, map[run.State]int{run.Complete: 3, run.Failed: 1}, map[string]string{"move": "abc"}, map[string]run.TableState{"calls": {Rows: 1}}
	running.Results = append(running.Results[:1], running.Results[15])
	running.Models = map[string]*run.Served{"one": {Identity: &llm.Identity{Name: "o", Context: 1}, NumCtx: 1, Ignored: []string{"seed"}}}
	running.Usage.Rows = []llm.Row{{Model: "one", Calls: 2, FromCache: 1, Asked: 2}, {Model: "two", Calls: 1, Asked: 1, Failed: map[llm.Fault]int{llm.Overloaded: 1}}}
	scales := manifest()
	scales.Results = append(scales.Results[:2], scales.Results[2])
	begun := manifest()
	begun.State, begun.Results, begun.Usage, begun.Models, begun.Prompts, begun.Tables = run.Complete, nil, nil, nil, nil, nil
	for name, page := range map[string]*report.Page{
		"failed":  {Manifest: manifest(), Metrics: metrics, Facts: view.Facts{{Name: "More", Text: []string{"fact"}}}, Sections: []view.Section{{ID: "own", Title: "Own"}}},
		"running": {Manifest: running, Metrics: metrics, Config: map[string]int{"a": 1}, Rerun: "parley run FILE"},
		"scales":  {Manifest: scales, Metrics: metrics},
		"begun":   {Manifest: begun, Metrics: metrics, Verdict: []view.Block{view.Text("A verdict.")}},
	} {
		sections, err := page.All()
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, s := range sections {
			b.WriteString("# " + s.ID + ": " + s.Title + "\n")
			for _, block := range s.Blocks {
				text, err := json.Marshal(block)
				if err != nil {
					t.Fatal(err)
				}
				b.WriteString(strings.ReplaceAll(regexp.MustCompile(`"\w+":(""|null|false),?`).ReplaceAllString(string(text), ""), "},", "},\n") + "\n")
			}
		}
		runtest.Golden(t, name+".txt", b.String())
		var html strings.Builder
		title := "parley run r1"
		if name == "begun" {
			page.Title, title = "A title", "A title"
		}
		if err := page.Write(&html); err != nil || !strings.Contains(html.String(), "<title>"+title+"</title>") || !strings.Contains(html.String(), "Made by parley v1 (go) from run r1.") {
			t.Errorf("%s: %v", name, err)
		}
	}
	broken := manifest()
	broken.Config = json.RawMessage("{")
	if err := (&report.Page{Manifest: broken}).Write(io.Discard); err == nil {
		t.Error("a configuration that is no JSON is written")
	}
}

// What a terminal shows: wide and narrow results, tables that fit and that do not, and what models used.
func TestTerminal(t *testing.T) {
	var b strings.Builder
	long := &view.Table{Caption: strings.Repeat("A caption. ", 12), Head: view.Columns("Name", "#Value", "some_metric", "Note"), Rows: [][]view.Cell{
		{{Text: "first"}, {Text: "1\u202f234"}, {Text: "–"}, {Text: strings.Repeat("word ", 40)}},
		{{Text: strings.Repeat("x", 60)}, {Text: "−5"}, {Text: "a\x1bb"}, {Text: "short"}}, {{Text: "one cell"}},
	}}
	many := &view.Table{Head: view.Columns("A", "B", "C"), Rows: [][]view.Cell{{{Text: strings.Repeat("y", 120)}, {Text: strings.Repeat("z ", 60)}, {Text: strings.Repeat("z", 30)}}}}
	over := &view.Table{Head: view.Columns("A", "B", "C"), Rows: [][]view.Cell{{{Text: strings.Repeat("x", 32)}, {Text: strings.Repeat("y", 32)}, {Text: strings.Repeat("z", 33)}}}}
	exact := &view.Table{Head: view.Columns("A", "B"), Rows: [][]view.Cell{{{Text: strings.Repeat("y", 49)}, {Text: strings.Repeat("z", 49)}}}}
	wide := values()[:7]
	wide[1], wide[2] = wide[2], wide[1]
	wide[1].Arm = strings.Repeat("long-arm ", 5)
	narrow := values()[15:]
	for i := range narrow {
		narrow[i].Unit = "n"
	}
	plain, once := usage(), usage()
	plain.Rows, once.Rows, once.Currency = plain.Rows[3:], once.Rows[1:2], ""
	for i, err := range []error{
		report.Results(&b, wide), report.Results(&b, narrow), report.Results(&b, nil), report.Print(&b, long), report.Print(&b, exact), report.Print(&b, over), report.Print(&b, &view.Table{Head: long.Head}), report.Table(&b, many), report.Table(&b, &view.Table{Head: long.Head}),
		report.Usage(&b, usage()), report.Usage(&b, plain), report.Usage(&b, once), report.Usage(&b, nil), report.Usage(&b, &llm.Tally{}),
	} {
		if err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	runtest.Golden(t, "terminal.txt", b.String())
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(line)); n > report.Width+1 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	out := (*os.File)(nil) // cannot be written to
	for i, err := range []error{report.Results(out, wide), report.Print(out, long), report.Table(out, long), report.Usage(out, usage())} {
		if err == nil {
			t.Errorf("%d: a failed write is no error", i)
		}
	}
}

// Texts and numbers as they are written on a page.
func TestFormats(t *testing.T) {
	for got, want := range map[string]string{
		report.Percent(2, 3): "66.7 %", report.Percent(0, 0): "–",
		report.Grouped(999): "999", report.Grouped(-999): "-999", report.Grouped(1000): "1\u202f000", report.Grouped(-123456): "-123\u202f456", report.Grouped(1234567): "1\u202f234\u202f567",
		report.Seconds(0): "–", report.Seconds(999_000): "999 ms", report.Seconds(1_000_000): "1.0 s", report.Seconds(119_900_000): "119.9 s", report.Seconds(120_000_000): "2.0 min", report.Seconds(7_200_000_000): "2.0 h", report.Seconds(3_600_000_000_000): "1000.0 h",
		report.PValue(0.00099): "< 0.001", report.PValue(0.001): "0.001", report.PValue(0.0456): "0.046",
		report.CostText(llm.Cost{}, "EUR"): "0", report.CostText(llm.Cost{Of: 1}, "EUR"): "unknown", report.CostText(llm.Cost{Of: 2, Known: 1, Amount: num(1.5)}, "EUR"): "over 1.5000 EUR",
		report.CostText(llm.Cost{Of: 2, Known: 2, Amount: num(1.5)}, "EUR"): "1.5000 EUR",
		report.Shorten("a  b\nc", 5):                                        "a b c", report.Shorten("a  b\ncd", 5): "a ...",
		report.Wrap(strings.Repeat("a", 100) + " b"): strings.Repeat("a", 100) + "\nb", report.Wrap(strings.Repeat("a", 98) + " b"): strings.Repeat("a", 98) + " b",
		report.Wrap("x " + strings.Repeat("a", 201)): "x\n" + strings.Repeat("a", 67) + "\n" + strings.Repeat("a", 67) + "\n" + strings.Repeat("a", 67), report.Wrap(" "): "",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if n := report.Unscored(values()); n != 1+4000+4 {
		t.Errorf("%d are unscored", n)
	}
	of := func(arm, column string) eval.Result {
		if column == "b" {
			return eval.Result{Of: 2}
		}
		r := eval.Result{Value: num(0.5), Low: num(0.25), High: num(0.75), N: 1, Of: 2}
		if arm == "y" {
			r.High = nil
		}
		return r
	}
	heat, err := json.Marshal(report.Heat("id", "title", "caption", []string{"x", "y"}, []string{"a", "b"}, of))
	if err != nil {
		t.Fatal(err)
	}
	runtest.Golden(t, "heat.txt", strings.ReplaceAll(string(heat), "},", "},\n"))
}
