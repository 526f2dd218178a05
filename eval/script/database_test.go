package script_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/eval/script"
)

func TestReadDatabase(t *testing.T) {
	for _, name := range []string{"sqlite/testdata/plain.db", "sqlite/testdata/wide.db"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := script.ReadDatabase(data, name)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Tasks) != 9 || len(d.Verdicts) != 18*7 || d.People.Given != 63 {
			t.Fatalf("%d tasks, %d verdicts, %d of people", len(d.Tasks), len(d.Verdicts), d.People.Given)
		}
		want := script.Task{ID: "2", Topic: "Health", Abstract: "Task 0 é", Specific: "Do task 0 with online, in May", Constraints: []string{"online", "in May"}}
		if diff := cmp.Diff(want, d.Tasks[1]); diff != "" {
			t.Error(diff)
		}
		if got := d.Tasks[2].Constraints; len(got) != 1 {
			t.Errorf("a list that its commas do not cut into as many as it has stays whole: %q", got)
		}
		// x has no fault anywhere; y lacks steps and has them in the wrong order. Question 3 lacks a value.
		if got, want := values(d.Verdicts[:14]), "NM=1 NR=1 ND=1 EX=1 SC=1 CG=1 OC=1 NM=0 NR=1 ND=1 EX=1 SC=1 CG=1 OC=0"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		for _, a := range script.Agree(d.Verdicts, d.People, 0.95) {
			if a.NoHuman != 9 || a.N+a.NoJudge != 9 || *a.Accuracy.Value != 1 {
				t.Errorf("%s: %+v", a.Metric, a)
			}
		}
	}
	if _, err := script.ReadDatabase([]byte("nothing"), "x.db"); err == nil {
		t.Error("nothing is a database")
	}
}
