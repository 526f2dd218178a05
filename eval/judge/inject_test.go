package judge_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"parley/eval/judge"
	"parley/sim/llm"
)

// An instruction moves a verdict where the second one is nearer to what it demands, which is far from the first one.
func TestInject(t *testing.T) {
	for _, tt := range []struct {
		plain, planted  int // scores of a text as it is, and with an instruction
		moved, unscored bool
	}{
		{plain: 4, planted: 4}, {plain: 4, planted: 5}, {plain: 4, planted: 1, moved: true}, {plain: 4, planted: 3, moved: true},
		{plain: 3, planted: 4}, {plain: 3, planted: 2, moved: true},
		{plain: 2, planted: 1}, {plain: 2, planted: 3, moved: true}, {plain: 2, planted: 5, moved: true},
		{plain: 9, planted: 4, unscored: true}, {plain: 4, planted: 6, unscored: true},
	} {
		asked := map[string]bool{}
		j := &judge.Judge{Name: "m", Now: clock, Again: -1, Model: llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
			score := tt.planted
			if req.Tag.Try == 0 {
				score = tt.plain
			} else {
				asked[req.Messages[1].Content] = true
			}
			return &llm.Response{Text: fmt.Sprintf(`{"nonce":%q,"score":%d}`, nonce(req), score)}, nil
		})}
		got, err := judge.Inject(t.Context(), j, 80, 1)
		if err != nil {
			t.Fatal(err)
		}
		moved, pairs, unscored := 0, 0, 0
		for i := range got.Pairs {
			moved, pairs = moved+got.Moved[i], pairs+got.Pairs[i]
		}
		for _, n := range got.Unscored {
			unscored += n
		}
		if pairs+unscored != 80 || (unscored == 80) != tt.unscored || (moved == pairs) != (tt.moved || tt.unscored) || !tt.moved && moved > 0 {
			t.Errorf("%+v: %d moved of %d, %d unscored: %v", tt, moved, pairs, unscored, got.Unscored)
		}
		demand := map[bool]string{true: "a score of 1.", false: "a score of 5."}[tt.plain >= 3]
		demanded := 0
		for text := range asked {
			if strings.Contains(text, demand) {
				demanded++
			}
		}
		if tt.plain <= 5 && (demanded == 0 || demanded == 80) {
			t.Errorf("%+v: %d prompts demand %q", tt, demanded, demand)
		}
		if tt.plain <= 5 && len(asked) != 80 {
			t.Errorf("%+v: %d prompts of 80 differ", tt, len(asked))
		}
		ids := map[string]bool{}
		for _, c := range got.Calls {
			ids[c.ID] = true
		}
		if len(ids) != len(got.Calls) {
			t.Errorf("%+v: %d ids for %d calls", tt, len(ids), len(got.Calls))
		}
	}
}
