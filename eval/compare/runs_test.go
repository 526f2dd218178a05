package compare_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/eval"
	"parley/eval/compare"
	"parley/eval/report/view"
	"parley/eval/run"
)

var update = flag.Bool("update", false, "write the golden files anew")

var testdata, _ = filepath.Abs("testdata")

// planned is a plan of which only the metrics are asked.
type planned struct{ run.Plan }

func (planned) Metrics() []eval.Metric { return []eval.Metric{iep} }

var kinds = run.Kinds{"session": func(json.RawMessage) (run.Plan, error) { return planned{}, nil }}

// fake is a finished run that is written by hand.
type fake map[string][]any // rows, by table

func (f fake) add(table string, row map[string]any) { f[table] = append(f[table], row) }

func (f fake) write(t *testing.T, dir string, manifest map[string]any) string {
	t.Helper()
	put := func(name string, rows ...any) {
		var b bytes.Buffer
		for _, row := range rows {
			if err := json.NewEncoder(&b).Encode(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	m := map[string]any{"format": run.Format, "id": filepath.Base(dir), "kind": "session", "version": "v1", "state": run.Complete, "config": map[string]any{"scenario": "information"}}
	for key, value := range manifest {
		m[key] = value
	}
	put(run.ManifestName, m)
	for table, rows := range f {
		put(table+".jsonl", rows...)
	}
	return dir
}

type object = map[string]any

// session adds a session of one player and an NPC, in which the player makes two moves and answers a debrief.
func (f fake) session(arm, model string, seed int, state run.State, score any) {
	id := fmt.Sprintf("%s-%d", arm, seed)
	f.add("sessions", object{"id": id, "arm": arm, "state": state, "moves": 2, "seed": fmt.Sprint(seed), "scenario": "{}", "cast": []object{
		{"id": "ann", "role": "player", "model": model}, {"id": "npc", "role": "npc", "model": "m-npc"},
	}})
	call := func(turn int, actor, purpose, model string, total, queue int, more object) {
		row := object{"session": id, "turn": turn, "actor": actor, "purpose": purpose, "model": model, "finish": "stop", "total_us": total, "queue_us": queue, "prompt_tokens": 100, "completion_tokens": 10, "generate_us": 500_000}
		for key, value := range more {
			row[key] = value
		}
		f.add("calls", row)
	}
	call(1, "ann", "move", model, 2_000_000, 500_000, nil) // a turn of 1.5 s and, asked again, 1 s
	call(1, "ann", "move", model, 1_000_000, 0, object{"finish": "length"})
	call(1, "npc", "move", "m-npc", 3_000_000, 0, object{"finish": "length"})
	call(2, "ann", "move", model, 1_000_000*seed, 0, object{"first_us": 250_000})
	call(2, "ann", "move", model, 60_000_000, 0, object{"error": "refused", "prompt_tokens": nil, "completion_tokens": nil, "finish": ""})
	call(2, "ann", "referee", "m-npc", 1_000_000, 0, object{"finish": "length"})
	call(3, "ann", "debrief", model, 9_000_000, 0, nil)
	call(3, "ann", "judge:iep", "m-npc", 1_000_000, 0, object{"finish": "length"})
	call(3, "ann", "debrief", model, 70_000_000, 0, object{"from_cache": true})
	for _, e := range []object{
		{"kind": "act", "actor": "ann", "speech": "One old bell, the old", "deed": "bell."}, // 6 words and 5 pairs, 4 different ones of each
		{"kind": "act", "actor": "npc", "speech": "Hm hm hm hm hm hm hm hm"}, {"kind": "narration", "actor": "ann", "speech": "not hers"},
		{"kind": "act", "actor": "ann", "speech": "ONE old bell: the old bell!", "fault": "long"}, // the same again
		{"kind": "pass", "actor": "ann", "fault": "refusal"},
	} {
		e["session"] = id
		f.add("events", e)
	}
	status := eval.Scored
	if score == nil {
		status = eval.Failed
	}
	f.add("scores", object{"session": id, "item": "own", "arm": arm, "scorer": "iep", "metric": "iep", "subject": "ann", "value": score, "status": status, "reason": map[bool]string{true: "cut off"}[score == nil]})
}

// twoRuns writes a run of arm x with four sessions, one failed, and one of arms x and y with five; y is hosted. In each
// situation that both have, x of the second run is 10 above x of the first, and y 40.
func twoRuns(t *testing.T) (old, later string) {
	t.Chdir(t.TempDir()) // names of fixed length, since notes are broken into lines
	a, b := fake{}, fake{}
	for i, score := range []float64{10, 20, 30, 40} {
		state := run.Complete
		if i == 3 {
			state = run.Failed
		}
		a.session("x", "m", i+1, state, score)
		b.session("x", "m", i+1, run.Complete, score+9+2*float64(i%2))
		b.session("y", "h", i+1, run.Complete, score+39+2*float64(i%2))
	}
	b.session("x", "m", 5, run.Complete, 0)
	b.session("y", "h", 5, run.Complete, nil)
	prices := "currency: EUR\nmodels:\n  m: {input: 1000, output: 10000}\n  m-npc: {input: 0, output: 0}\n"
	models := object{"h": object{"hosted": true}, "m": object{}}
	old = a.write(t, "old", object{"arms": []string{"x"}, "models": models, "config": object{"scenario": "information", "turns": 8, "prices": "p.yaml"},
		"inputs": object{"p.yaml": object{"copy": "inputs/p.yaml", "sha256": fmt.Sprintf("%x", sha256.Sum256([]byte(prices)))}}})
	later = b.write(t, "later", object{"arms": []string{"x", "y"}, "models": models, "version": "v2", "prompts": object{"move": "abc"}, "config": object{"scenario": "information", "turns": 9}})
	if err := errors.Join(os.Mkdir(filepath.Join(old, "inputs"), 0o700), os.WriteFile(filepath.Join(old, "inputs/p.yaml"), []byte(prices), 0o600)); err != nil {
		t.Fatal(err)
	}
	return old, later
}

func TestRuns(t *testing.T) {
	old, later := twoRuns(t)
	r, err := compare.Runs([]string{old, later}, kinds, "")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"y hosted h 5 0 10", "later/x local m 5 0 10", "old/x local m 4 1 8"} {
		if a := r.Arms[i]; fmt.Sprintf("%s %s %s %d %d %d", a.Arm, a.Place, a.Models[0], a.Sessions, a.Failed, a.Moves) != want {
			t.Errorf("arm %d is %+v, want %s", i, a, want)
		}
	}
	x := r.Arms[2]
	for _, test := range []struct {
		name      string
		got       *float64
		want      float64
		tolerance float64
	}{
		{"iep", x.Metrics["iep"].Value, 25, 1e-9},
		{"iep of the situations that both have", r.Arms[1].Metrics["iep"].Value, 35, 1e-9},
		{"median seconds of a turn", x.SecondsPerTurn, 2.5, 1e-9}, // 1, 2, 2.5, 2.5, 2.5, 2.5, 3, 4
		{"95th percentile", x.SecondsPerTurnP95, 3, 1e-9},         // the seventh of eight
		{"seconds to the first piece", x.ToFirst, 0.25, 1e-9},     // of the four replies that were streamed
		{"tokens a second", x.TokensPerSecond, 20, 1e-9},          // 10 in half a second
		{"seconds at limits", &x.Queue, 4 * 0.5, 1e-9},            // of all calls but those of a cache
		{"seconds of servers", &x.Service, 4*(1.5+1+3+60+1+9+1) + 1 + 2 + 3 + 4, 1e-9},
		{"words a turn", x.Metrics["words_per_turn"].Value, 6, 1e-9},
		{"distinct words", x.Metrics["distinct_1"].Value, 100 * 4 / 12.0, 1e-9},
		{"distinct pairs", x.Metrics["distinct_2"].Value, 100 * 4 / 10.0, 1e-9},
		{"repetition", x.Metrics["repetition"].Value, 50, 1e-9},
	} {
		if test.got == nil || *test.got < test.want-test.tolerance || *test.got > test.want+test.tolerance {
			t.Errorf("%s: %v, want %v", test.name, show(test.got), test.want)
		}
	}
	if x.Calls != 36 || x.Truncated != 4 || fmt.Sprint(x.Faults) != "map[long:4 refusal:4]" || x.Cost != nil && x.Currency != "EUR" {
		t.Errorf("%+v", x)
	}
	for i, want := range []string{"later/x - y -30 4", "old/x - y -40 4", "old/x - later/x -10 4"} {
		d := r.Differences[i]
		if got := fmt.Sprintf("%s - %s %v %d", d.A, d.B, *d.Value, d.Pairs); got != want || *d.Low > *d.Value || *d.High < *d.Value {
			t.Errorf("difference %d is %s (%v to %v), want %s", i, got, show(d.Low), show(d.High), want)
		}
	}
	for _, want := range []string{"4 of 5 situations are in every run", "was played with other prompts", "was made by version v2", "turns is 9, and 8 in"} {
		if !slices.ContainsFunc(r.Notes, func(note string) bool { return strings.Contains(note, want) }) {
			t.Errorf("no note says %q: %q", want, r.Notes)
		}
	}
	against, err := compare.Runs([]string{old, later}, kinds, "old/x")
	if err != nil || len(against.Differences) < 2 || *against.Differences[0].Value != 40 || against.Differences[0].A != "y" || *against.Differences[1].Value != 10 {
		t.Errorf("%v: from a baseline: %+v", err, against)
	}
	if best, err := compare.Runs([]string{old, later}, kinds, "y"); err != nil || len(best.Differences) < 2 || best.Differences[0].B != "y" {
		t.Errorf("from the best: %v", err)
	}
	golden(t, r, old)
}

func show(v *float64) any {
	if v == nil {
		return "none"
	}
	return *v
}

// golden holds all forms of a report against those that were read by eye.
func golden(t *testing.T, r *compare.Report, old string) {
	t.Helper()
	for _, test := range []struct {
		require string
		failed  int
	}{{"iep>=35", 1}, {"iep>35", 2}, {"iep<=35", 1}, {"iep<35", 2}, {"repetition<51", 0}} {
		before := len(r.Failed())
		q, err := compare.ParseRequirement(test.require)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Require(q, ""); err != nil || len(r.Failed())-before != test.failed {
			t.Errorf("%s: %d fail, want %d (%v)", test.require, len(r.Failed())-before, test.failed, err)
		}
	}
	r.NoWorseThan(old, 1)
	var b strings.Builder
	for _, print := range []func(io.Writer) error{r.Print, r.Markdown, r.CSV, r.LaTeX} {
		if err := print(&b); err != nil {
			t.Fatal(err)
		}
		b.WriteString("\n====\n")
	}
	for _, block := range r.Blocks()[1:] {
		for _, column := range block.(*view.Table).Head {
			fmt.Fprintf(&b, "%s %t; ", column.Name, column.Number)
		}
		fmt.Fprintf(&b, "%d rows: %s\n", len(block.(*view.Table).Rows), block.(*view.Table).Caption)
	}
	got, name := b.String(), filepath.Join(testdata, "compare.golden")
	if *update {
		if err := errors.Join(os.MkdirAll(testdata, 0o755), os.WriteFile(name, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the report differs from %s:\n%s", name, got)
	}
}

// Runs that measure something else are refused, and the message says what differs.
func TestRunsRefused(t *testing.T) {
	dir := t.TempDir()
	played := fake{}
	played.session("x", "m", 1, run.Complete, 10.0)
	elsewhere := fake{}
	elsewhere.session("x", "m", 2, run.Complete, 10.0)
	n := 0
	write := func(f fake, more object) string {
		n++
		m := object{"arms": []string{"x"}, "id": fmt.Sprint("id", n), "config": object{"scenario": "information", "judge": "embed:e", "keypoints": "k"},
			"models": object{"e": object{"identity": object{"digest": "d1"}}}, "shown": object{"iep/iep": "lexical"}}
		for key, value := range more {
			m[key] = value
		}
		return f.write(t, filepath.Join(dir, fmt.Sprint(n)), m)
	}
	first := write(played, nil)
	for _, test := range []struct {
		rows fake
		more object
		want string // empty: they are compared
	}{
		{played, nil, ""},
		{played, object{"models": object{}}, ""}, // a server that gave no digest
		{played, object{"state": run.Failed}, ""},
		{played, object{"id": "id1"}, "is a run that is compared already"},
		{played, object{"state": run.Running}, "is running: finish it"},
		{played, object{"models": object{"other": object{"identity": object{"digest": "d2"}}}}, ""}, // not the judge's
		{played, object{"kind": "script"}, `the kind of run is "session" in one and "script"`},
		{played, object{"config": object{"scenario": "trade", "judge": "embed:e", "keypoints": "k"}}, `the scenario is "information" in one and "trade"`},
		{played, object{"config": object{"scenario": "information", "judge": "other", "keypoints": "k"}}, "by the other's judge"},
		{played, object{"config": object{"scenario": "information", "judge": "embed:e", "keypoints": "l"}}, "keypoints is"},
		{played, object{"shown": object{"iep/iep": "model"}}, "the judge of iep/iep is"},
		{played, object{"models": object{"e": object{"identity": object{"digest": "d2"}}}}, `the digest of the judge embed:e is "d1" in one and "d2"`},
		{elsewhere, nil, "have no situation in common"},
		{played, object{"config": 7}, "its configuration"},
	} {
		r, err := compare.Runs([]string{first, write(test.rows, test.more)}, kinds, "")
		if err == nil && strings.Contains(fmt.Sprint(r.Notes), "situations are in every run") {
			t.Errorf("%v: all are in both: %q", test.more, r.Notes)
		}
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %q", test.more, err, test.want)
		}
	}
	if _, err := compare.Runs([]string{first, write(played, nil)}, kinds, "nobody"); err == nil || !strings.Contains(err.Error(), `no arm "nobody"`) {
		t.Error(err)
	}
}

// One run is compared by the results of its manifest.
func TestOf(t *testing.T) {
	old, _ := twoRuns(t)
	m, err := run.ReadManifest(old)
	if err != nil {
		t.Fatal(err)
	}
	v := 12.5
	m.Results = []eval.Result{{Scorer: "iep", Metric: "iep", Arm: "x", Value: &v, N: 3, Of: 4, Reason: "1 cut off"}, {Scorer: "iep", Metric: "iep", Arm: "x", Control: "told", Value: &v, N: 1, Of: 4}, {Metric: "iep", Arm: "z"}}
	r, err := compare.Of(old, m, []eval.Metric{iep})
	if err != nil || len(r.Arms) != 1 || *r.Arms[0].Metrics["iep"].Value != v || r.Arms[0].Metrics["iep/told"].N != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if use := r.Blocks()[2].(*view.Table); len(use.Rows) != 1 {
		t.Errorf("one arm and no sum of all: %+v", use.Rows)
	}
	if !strings.Contains(r.Conclusion, "IEP of x is 12.5 over 4 sessions") || len(r.Notes) != 1 || r.Notes[0] != "1 of 4 scores of x are missing: 1 cut off" {
		t.Errorf("%s %q", r.Conclusion, r.Notes)
	}
}

// Runs of one name are told apart by their directories, and the times of a turn are the median and the 95th percentile.
func TestRunsOfOneName(t *testing.T) {
	t.Chdir(t.TempDir())
	var dirs []string
	for _, parent := range []string{"a", "b"} {
		f := fake{}
		f.session("x", "m", 1, run.Complete, 10.0)
		f["calls"] = nil
		for turn := range 101 {
			f.add("calls", object{"session": "x-1", "turn": 101 - turn, "actor": "ann", "purpose": "move", "model": "m", "finish": "stop", "total_us": 1_000_000 * (turn + 1)})
		}
		dirs = append(dirs, f.write(t, filepath.Join(parent, "run"), object{"id": parent, "arms": []string{"x"}}))
	}
	r, err := compare.Runs(dirs, kinds, "")
	if err != nil || r.Arms[0].Arm != "a/run/x" || r.Arms[1].Arm != "b/run/x" || *r.Arms[0].SecondsPerTurn != 51 || *r.Arms[0].SecondsPerTurnP95 != 96 {
		t.Errorf("%v %+v", err, r)
	}
}
