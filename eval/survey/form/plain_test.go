//go:build !race

package form_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"parley/eval/survey/form"
)

// The planted benchmark: every rule finds nearly all of what is planted, at its place, and the good
// forms are nearly free of findings.
func TestPlanted(t *testing.T) {
	library := form.Library()
	questions, wrong := 0, 0
	for _, e := range library {
		questions += e.Form.Questions()
		found := form.Check(&form.Document{Kind: form.Survey, Form: e.Form})
		wrong += len(found)
		for _, f := range found {
			t.Logf("%s: %v", e.Theme, f)
		}
	}
	if 50*wrong > questions {
		t.Errorf("%d false findings on %d good questions, more than 2 %%", wrong, questions)
	}
	t.Logf("good forms: %d findings, %d questions", wrong, questions)
	r := rand.New(rand.NewPCG(8, 1))
	for _, rule := range form.Rules {
		planted, hit, elsewhere := 0, 0, 0
		for _, e := range library {
			for range 3 {
				spoiled, where, ok := form.Spoil(e.Form, rule, r)
				if !ok {
					continue
				}
				planted++
				found := form.Check(&form.Document{Kind: form.Survey, Form: spoiled})
				if slices.ContainsFunc(found, func(f form.Finding) bool { return f.Rule == rule && f.Where == where }) {
					hit++
				}
				for _, f := range found {
					if f.Rule != rule {
						elsewhere++
					}
				}
			}
		}
		if planted < 50 || 100*hit < 95*planted {
			t.Errorf("%s: found %d of %d planted", rule, hit, planted)
		}
		t.Logf("%-20s %3d of %3d found; %d findings of other rules", rule, hit, planted, elsewhere)
	}
	if _, _, ok := form.Spoil(library[0].Form, form.OffTopic, r); !ok {
		t.Error("no section off the topic")
	}
}
