package session

import (
	"context"
	"strings"

	"parley/eval"
	"parley/sim"
	"parley/sim/llm"
)

// words scores how much each character says: its share of all words that are spoken, in percent. With k at the
// table an even talk gives each 100/k.
type words struct{}

func (words) Name() string { return "words" }

func (words) Metrics() []eval.Metric {
	return []eval.Metric{{
		Scorer: "words", Name: "word_share", Unit: "characters", Title: "share of words", High: 100, Paired: true,
		Caption: "Percent of the words spoken in a session that are a character's.",
	}}
}

// Score returns the share of every character, the NPC's too; a session without a word has none.
func (words) Score(_ context.Context, ep *sim.Episode) ([]eval.Score, []llm.Call, error) {
	spoken, all := map[string]int{}, 0
	for _, m := range ep.Moves() {
		n := len(strings.Fields(m.Speech))
		spoken[string(m.Actor)] += n
		all += n
	}
	var scores []eval.Score
	for _, c := range ep.Scenario.Cast {
		s := eval.Score{Session: ep.Session, Scorer: "words", Metric: "word_share", Subject: string(c.ID), Method: "count"}
		if share := 100 * float64(spoken[string(c.ID)]) / float64(max(1, all)); all > 0 {
			s.Value, s.Status = &share, eval.Scored
		} else {
			s.Status, s.Reason = eval.NotApplicable, "nothing was said in the session"
		}
		scores = append(scores, s)
	}
	return scores, nil, nil
}
