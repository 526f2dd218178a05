package compare

import (
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/run"
)

// talkMetrics describe how players talk, whatever was measured.
var talkMetrics = []eval.Metric{
	{Scorer: "talk", Name: "words_per_turn", Unit: "turns", Title: "words a turn", Caption: "Words of speech and deed in a player's turn that is no pass."},
	{Scorer: "talk", Name: "distinct_1", Unit: "sessions", Title: "distinct words", High: 100, Higher: true, Caption: "Percent of the words of a session's players that are different ones."},
	{Scorer: "talk", Name: "distinct_2", Unit: "sessions", Title: "distinct pairs of words", High: 100, Higher: true, Caption: "Percent of the neighbouring words of a session's players that are different pairs (distinct-2)."},
	{Scorer: "talk", Name: "repetition", Unit: "turns", Title: "repetition", High: 100, Caption: "Percent of the players' turns, passes apart, whose words the same player has used before in the session."},
}

// talked is how the players of one session talked so far.
type talked struct {
	session      string
	turns, again int
	words, pairs int
	distinct     map[string]bool // words, and pairs of words
	ones         int             // distinct words
	before       map[string]bool // what was said, by whom
}

// talk scores how the players of each session talked, and counts malformed turns by kind.
func (s *source) talk(add func(*eval.Score)) error {
	type row struct {
		Session string `json:"session" parquet:"session"`
		Kind    string `json:"kind" parquet:"kind"`
		Actor   string `json:"actor" parquet:"actor"`
		Speech  string `json:"speech" parquet:"speech"`
		Deed    string `json:"deed" parquet:"deed"`
		Fault   string `json:"fault" parquet:"fault"`
	}
	var t *talked
	for r, err := range (run.Rows[row]{Name: "events"}).Read(s.dir) {
		if err != nil {
			return err
		}
		where := s.sessions[r.Session]
		if where == nil || !slices.Contains(where.players, r.Actor) || r.Kind != "act" && r.Kind != "pass" {
			continue
		}
		if t == nil || t.session != r.Session { // a finished run has the events of a session together
			t.scores(add)
			t = &talked{session: r.Session, distinct: map[string]bool{}, before: map[string]bool{}}
		}
		if r.Fault != "" {
			where.arm.Faults[r.Fault]++
		}
		if r.Kind == "act" {
			t.act(r.Actor, strings.Fields(strings.ToLower(r.Speech+" "+r.Deed)))
		}
	}
	t.scores(add)
	return nil
}

// act takes in the words of one turn.
func (t *talked) act(actor string, words []string) {
	t.turns++
	t.words += len(words)
	t.pairs += max(0, len(words)-1)
	for i, word := range words {
		words[i] = strings.Trim(word, `.,;:!?"'()*`)
		if !t.distinct[words[i]] {
			t.distinct[words[i]] = true
			t.ones++
		}
		if i > 0 {
			t.distinct[words[i-1]+" "+words[i]] = true
		}
	}
	line := actor + " " + strings.Join(words, " ")
	if t.before[line] {
		t.again++
	}
	t.before[line] = true
}

// scores adds the scores of a session.
func (t *talked) scores(add func(*eval.Score)) {
	if t == nil {
		return
	}
	give := func(metric string, part, of float64, weight int) {
		if of > 0 {
			v := part / of
			add(&eval.Score{Session: t.session, Scorer: "talk", Metric: metric, Value: &v, Status: eval.Scored, Weight: weight, Method: "count"})
		}
	}
	give("words_per_turn", float64(t.words), float64(t.turns), t.turns)
	give("distinct_1", 100*float64(t.ones), float64(t.words), 1)
	give("distinct_2", 100*float64(len(t.distinct)-t.ones), float64(t.pairs), 1)
	give("repetition", 100*float64(t.again), float64(t.turns), t.turns)
}
