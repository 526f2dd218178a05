package session

import (
	"context"
	"strings"

	"parley/eval"
	"parley/sim"
	"parley/sim/llm"
)

// words scores how much each character says: its share of all words that are spoken, in percent. Players and NPC have
// metrics of their own, since the mean over everybody at a table would be the same whatever is said.
type words struct{}

func (words) Name() string { return "words" }

func (words) Metrics() []eval.Metric {
	return []eval.Metric{
		{Scorer: "words", Name: "word_share", Unit: "players", Title: "share of words", High: 100, Higher: true, Paired: true,
			Caption: "Percent of the words spoken in a session that are a player's."},
		{Scorer: "words", Name: "npc_word_share", Unit: "sessions", Title: "NPC's share of words", High: 100, Paired: true,
			Caption: "Percent of the words spoken in a session that are the NPC's."},
	}
}

// Score returns the share of every character; a session without a word has none.
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
		if c.ID == ep.Scenario.NPC {
			s.Metric = "npc_word_share"
		}
		if all > 0 {
			share := 100 * float64(spoken[s.Subject]) / float64(all)
			s.Value, s.Status = &share, eval.Scored
		} else {
			s.Status, s.Reason = eval.NotApplicable, "nothing was said in the session"
		}
		scores = append(scores, s)
	}
	return scores, nil, nil
}
