package session

import (
	"context"
	"slices"
	"strings"
	"time"

	"parley/characters/yamlfile"
	"parley/eval"
	"parley/eval/iep"
	"parley/eval/judge"
	"parley/eval/run"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/llm"
	"parley/sim/reference"
)

// Names of judges that are no chat models.
const (
	Lexical = "lexical" // the built-in judge, by words
	Embed   = "embed:"  // before a model that embeds texts
)

// Scoring is what scorers are made with.
type Scoring struct {
	Config *Config
	// Judge is the chat model of the configuration, nil where it judges by words or embeddings.
	Judge *judge.Judge
	// Embedder embeds texts for a judge that compares them; nil where there is none.
	Embedder llm.Model
	Now      func() time.Time
}

// scorers is the registry: a scorer is one file that implements eval.Scorer, and one line here. Its metrics
// appear in tables, differences, the report and datasets by themselves.
var scorers = []struct {
	name string
	make func(s *Scoring) (eval.Scorer, error)
}{
	{"iep", newIEP},
	{"words", func(*Scoring) (eval.Scorer, error) { return words{}, nil }},
	{"bargain", func(*Scoring) (eval.Scorer, error) { return bargain{}, nil }},
	{"play", func(*Scoring) (eval.Scorer, error) { return play{}, nil }},
}

// ScorerNames lists the scorers that a configuration may name.
func ScorerNames() []string {
	var names []string
	for _, s := range scorers {
		names = append(names, s.name)
	}
	return names
}

// scorerNames returns the scorers of a configuration: those that it names, else those of its kind of scenario;
// and always play, which costs nothing.
func (c *Config) scorerNames() []string {
	names := c.Scorers
	if len(names) == 0 {
		names = c.kind().Scorers
	}
	if !slices.Contains(names, "play") {
		names = append(slices.Clone(names), "play")
	}
	return names
}

// checkScorers checks the names of scorers, and that they have the judge that they need.
func (c *Config) checkScorers() error {
	for _, name := range c.Scorers {
		if !slices.Contains(ScorerNames(), name) {
			return run.Usagef("there is no scorer %q: %ssay one of %s", name, yamlfile.DidYouMean(name, ScorerNames()), strings.Join(ScorerNames(), ", "))
		}
	}
	if reference.Is(c.Judge) {
		return run.Usagef("%s cannot judge: say lexical, embed:MODEL or a chat model", c.Judge)
	}
	if c.Keypoints == "judge" && (c.Judge == Lexical || strings.HasPrefix(c.Judge, Embed)) {
		return run.Usagef("keypoints: judge needs a chat model as the judge; %s condenses nothing", c.Judge)
	}
	return nil
}

// makeScorers makes the scorers of a configuration.
func makeScorers(s *Scoring) ([]eval.Scorer, error) {
	var list []eval.Scorer
	for _, name := range s.Config.scorerNames() {
		for _, known := range scorers {
			if known.name != name {
				continue
			}
			scorer, err := known.make(s)
			if err != nil {
				return nil, err
			}
			list = append(list, scorer)
		}
	}
	return list, nil
}

// newIEP makes the scorer of information exchange with the judge that the configuration names.
func newIEP(s *Scoring) (eval.Scorer, error) {
	c := s.Config
	lexical := iep.NewLexical(LibraryFacts())
	scorer := &iep.Scorer{Judge: lexical, Condense: c.Keypoints == "judge", Lexical: lexical, Every: c.Curve}
	switch {
	case s.Judge != nil:
		scorer.Judge = &iep.Model{Judge: s.Judge}
	case s.Embedder != nil:
		scorer.Judge = &iep.Embedding{Model: s.Embedder, Spec: strings.TrimPrefix(c.Judge, Embed), Now: s.Now, Words: lexical}
	}
	return scorer, nil
}

// LibraryFacts returns the facts of the library, from which the lexical judge tells common words from rare
// ones.
func LibraryFacts() []string {
	var texts []string
	for _, piece := range scenarios.Exchange.Library() {
		if k, ok := piece.(*scenarios.Knowledge); ok {
			for i := range k.Facts {
				texts = append(texts, k.Facts[i].Text)
			}
		}
	}
	return texts
}

// play scores what every session shows without a judge: the share of each player's moves that were valid.
type play struct{}

func (play) Name() string { return "play" }

func (play) Metrics() []eval.Metric {
	return []eval.Metric{{
		Scorer: "play", Name: "valid_turns", Unit: "turns", Title: "valid turns", Short: "VALID", High: 100, Higher: true,
		Caption: "Percent of the players' moves that were not malformed.",
	}}
}

// Score returns the valid moves of each player in percent, weighted by their number.
func (play) Score(_ context.Context, ep *sim.Episode) ([]eval.Score, []llm.Call, error) {
	var scores []eval.Score
	for _, c := range ep.Scenario.Cast {
		if c.ID == ep.Scenario.NPC {
			continue
		}
		moves, valid := 0, 0
		for _, m := range ep.Moves() {
			if m.Actor != c.ID {
				continue
			}
			moves++
			if m.Fault == "" {
				valid++
			}
		}
		s := eval.Score{Session: ep.Session, Scorer: "play", Metric: "valid_turns", Subject: string(c.ID), Weight: moves, Method: "count"}
		if moves == 0 {
			s.Status, s.Reason = eval.NotApplicable, "the player had no move"
		} else {
			share := 100 * float64(valid) / float64(moves)
			s.Status, s.Value = eval.Scored, &share
		}
		scores = append(scores, s)
	}
	return scores, nil, nil
}
