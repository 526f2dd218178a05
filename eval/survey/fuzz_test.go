package survey_test

import (
	"bytes"
	"testing"

	"parley/eval/survey"
)

func FuzzReadRubric(f *testing.F) {
	f.Add([]byte("version: 1\naspects:\n  - {name: a, title: A, definition: d, labels: [x, y]}\n"))
	f.Add([]byte("version: 2\naspects: [{name: a-1, title: A, definition: \"d\\n\", since: 2, steps: [s]}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := survey.ReadRubric(data, "r")
		if err != nil {
			return
		}
		text, err := r.YAML()
		if err != nil {
			t.Fatal(err)
		}
		back, err := survey.ReadRubric(text, "r")
		if err != nil || len(back.Aspects) != len(r.Aspects) || back.Version != r.Version {
			t.Fatalf("%v: %q came back as %q", err, data, text)
		}
	})
}

func FuzzReadHuman(f *testing.F) {
	f.Add([]byte("document,annotator,aspect,score\na,p,fairness,3\nb,p,sentiment,neutral\n"))
	f.Add([]byte("\ufeffscore,aspect,annotator,document\n,fairness,p,a\n\"5\",Fairness,\"p\nq\",b"))
	rubric := survey.Builtin()
	f.Fuzz(func(t *testing.T, data []byte) {
		people, err := survey.ReadHuman(bytes.NewReader(data), "h", rubric)
		if err != nil {
			return
		}
		for _, h := range people {
			if h.Label == "" && !(h.Value >= 1 && h.Value <= 5) {
				t.Fatalf("a score off the scale: %+v", h)
			}
		}
		survey.Match(people, map[string]string{"a.md": "d1"})
		survey.Ceilings(people, rubric)
	})
}
