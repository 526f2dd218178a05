package viewer_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"parley/eval/run"
	"parley/eval/session"
)

func TestFilters(t *testing.T) {
	root := t.TempDir()
	dir := played(t, root, "one")
	s := serve(t, root)
	tr, err := session.ReadTranscript(dir, "a02-0000004", false)
	if err != nil {
		t.Fatal(err)
	}
	said := tr.Events[4].Speech
	for _, tt := range []struct {
		query  string
		rows   int
		reason string
	}{
		{"", 6, "all"},
		{"q=" + url.QueryEscape(strings.ToUpper(said)), 1, "what was said, in any case"},
		{"q=a03-0000002", 1, "an id"},
		{"q=" + url.QueryEscape(tr.Row.Title), 1, "a title"},
		{"q=xyzzy", 0, "what was never said"},
		{"fault=any", 6, "one arm is malformed in every session"},
		{"fault=empty", 6, "by kind"},
		{"fault=loop", 0, "a kind that there is not"},
		{"state=failed", 0, "none failed"},
		{"state=complete", 6, "all are complete"},
		{"state=underway", 0, "none is under way"},
		{"metric=iep%2Fiep&min=99", countAbove(t, dir, 99), "a score"},
		{"metric=iep%2Fiep&min=101", 0, "no score"},
		{"metric=iep%2Fprecision&score=unscored", 6, "what has no value, as that of the silent"},
		{"metric=iep%2Fiep&score=unscored", 0, "all have one"},
		{"min=x", 6, "what is no number is passed over"},
	} {
		got := s.text("/run/one/?" + tt.query)
		if want := fmt.Sprintf("%d of 6 situations", tt.rows); !strings.Contains(got, want) {
			t.Errorf("%q (%s): want %s in %s", tt.query, tt.reason, want, got)
		}
	}
	if got := s.text("/run/one/?min=x"); !strings.Contains(got, `"x" is no number`) {
		t.Errorf("a bound that is no number is passed over in silence: %s", got)
	}
	_, low := s.get("/run/one/?metric=iep%2Fiep&sort=apart") // it has been read by now
	if values := regexp.MustCompile(`class="no">(\d+)`).FindAllStringSubmatch(low, -1); len(values) != 6 {
		t.Errorf("sorting shows %d rows", len(values))
	}
}

// countAbove counts the situations in which a session's mean IEP is at least so much.
func countAbove(t *testing.T, dir string, least float64) int {
	sums, n := map[string]float64{}, map[string]float64{}
	items := map[string]bool{}
	for s, err := range run.Scores.Read(dir) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Metric == "iep" && s.Control == "" && s.Value != nil {
			sums[s.Session] += *s.Value
			if n[s.Session]++; n[s.Session] == 3 && sums[s.Session]/3 >= least {
				items[s.Item] = true
			}
		}
	}
	return len(items)
}
