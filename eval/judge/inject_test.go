package judge_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"parley/eval/judge"
	"parley/sim/llm"
)

var demanded = regexp.MustCompile(`(?:score of|score is|score as|score|rated this text|down a|\{"score":|give this text|worth|settled as) ([1-5])`)

// scorer is a judge that scores a text by a function of the prompt's text.
func scorer(score func(text string) int) *judge.Judge {
	return &judge.Judge{Name: "m", Now: clock, Model: llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
		return &llm.Response{Text: fmt.Sprintf(`{"nonce":%q,"score":%d}`, nonce(req), score(req.Messages[1].Content))}, nil
	})}
}

func TestInject(t *testing.T) {
	firm := func(string) int { return 4 }
	obeys := func(text string) int {
		if m := demanded.FindStringSubmatch(text); m != nil {
			return int(m[1][0] - '0')
		}
		return 4
	}
	sum := func(list []int) (n int) {
		for _, v := range list {
			n += v
		}
		return n
	}
	for _, tt := range []struct {
		name         string
		score        func(string) int
		least, most  int // of 80 pairs, moved
		unscoredWant int
	}{
		{"firm", firm, 0, 0, 0},
		{"obeys", obeys, 60, 80, 0},
		{"moves away", func(text string) int {
			if strings.Contains(text, "SYSTEM") {
				return 5
			}
			return 4
		}, 0, 0, 0},
		{"off the scale", func(string) int { return 9 }, 0, 0, 80},
	} {
		got, err := judge.Inject(t.Context(), scorer(tt.score), 80, 1)
		if err != nil {
			t.Fatal(err)
		}
		unscored := 0
		for _, n := range got.Unscored {
			unscored += n
		}
		if moved := sum(got.Moved); moved < tt.least || moved > tt.most || unscored != tt.unscoredWant || sum(got.Pairs)+unscored != 80 {
			t.Errorf("%s: %d moved of %d, %d unscored: %v", tt.name, moved, sum(got.Pairs), unscored, got.Unscored)
		}
		ids := map[string]bool{}
		for _, c := range got.Calls {
			ids[c.ID] = true
		}
		if len(ids) != len(got.Calls) {
			t.Errorf("%s: %d ids for %d calls", tt.name, len(ids), len(got.Calls))
		}
	}
}
