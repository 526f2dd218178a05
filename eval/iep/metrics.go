package iep

import (
	"parley/eval"
	"parley/scenarios"
)

// Metrics lists the numbers that the scorer gives, the headline first.
func (s *Scorer) Metrics() []eval.Metric { return Metrics() }

// Metrics lists the numbers of information exchange, the headline first.
func Metrics() []eval.Metric {
	list := []eval.Metric{
		{Name: Metric, Title: "IEP", Paired: true, Headline: true,
			Caption: "Information Exchange Precision: percent of the key points that only the NPC knew which a player's debrief names."},
		{Name: IEPHeard, Title: "IEP, heard", Paired: true, Headline: true,
			Caption: "Percent of the key points that a player's debrief names and that were said in its hearing."},
		{Name: Gain, Title: "IEP gained", Paired: true, Low: -100, Against: scenarios.ControlNoConversation,
			Caption: "What the conversation added: a player's IEP less that of the same player asked before it."},
		{Name: Precision, Title: "precision", Paired: true,
			Caption: "Percent of the points that a debrief asserts which are among the NPC's. Made-up points lower it."},
		{Name: F1, Title: "F1", Paired: true,
			Caption: "Twice the matches, in percent of the key points and the asserted points together."},
		{Name: Heard, Title: "heard", Paired: true,
			Caption: "Percent of the NPC's key points that were said in the player's hearing, by the same judge."},
		{Name: Unheard, Title: "unheard", Unit: "matches",
			Caption: "Percent of the matches that the player cannot have heard: guessed, known beforehand, or leaked."},
		{Name: Recall, Title: "recall",
			Caption: "Percent of the key points that had been said in a player's hearing after so many turns."},
	}
	for i := range list {
		m := &list[i]
		m.Scorer, m.High, m.Higher = "iep", 100, m.Name != Unheard
		if m.Unit == "" {
			m.Unit = "players"
		}
	}
	return list
}
