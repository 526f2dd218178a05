package iep

import "parley/eval"

// Metrics lists the numbers that the scorer gives, the headline first.
func (s *Scorer) Metrics() []eval.Metric { return Metrics() }

// Metrics lists the numbers of information exchange, the headline first.
func Metrics() []eval.Metric {
	return []eval.Metric{
		{Scorer: "iep", Name: Metric, Unit: "players", Title: "IEP", High: 100, Higher: true, Paired: true, Headline: true,
			Caption: "Information Exchange Precision: percent of the key points that only the NPC knew which a player's debrief names."},
		{Scorer: "iep", Name: Heard, Unit: "players", Title: "heard", High: 100, Higher: true,
			Caption: "Percent of the NPC's key points that a player was given in play."},
		{Scorer: "iep", Name: Recall, Unit: "players", Title: "recall", High: 100, Higher: true,
			Caption: "Percent of the key points that had been said in a player's hearing after so many turns."},
	}
}
