package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/eval"
	"parley/eval/run"
	"parley/eval/session"
	"parley/sim"
	"parley/sim/llm"
)

// talk is a scorer of a program's own: the percent of all words that a player said.
type talk struct{}

func (talk) Name() string { return "talk" }

func (talk) Metrics() []eval.Metric {
	return []eval.Metric{{Scorer: "talk", Name: "words", Unit: "players", Title: "share of words", High: 100, Paired: true, Headline: true}}
}

func (talk) Score(_ context.Context, ep *sim.Episode) ([]eval.Score, []llm.Call, error) {
	said, all := map[string]int{}, 0
	for _, e := range ep.Moves() {
		said[string(e.Actor)] += len(strings.Fields(e.Speech))
		all += len(strings.Fields(e.Speech))
	}
	var scores []eval.Score
	for _, c := range ep.Scenario.Players() {
		share := 100 * float64(said[string(c.ID)]) / float64(max(1, all))
		scores = append(scores, eval.Score{Session: ep.Session, Scorer: "talk", Metric: "words", Subject: string(c.ID), Value: &share, Status: eval.Scored, Method: "count"})
	}
	return scores, nil, nil
}

// A program plays sessions, keeps them, verifies them and scores them again without the command.
func Example() {
	root, err := os.MkdirTemp("", "parley")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	c := session.Default()
	c.Sessions, c.Player = 4, []session.Arm{{Model: "reference:diligent"}, {Model: "reference:silent"}}
	if err := c.Complete(); err != nil {
		panic(err)
	}
	o := run.Options{Kinds: run.Kinds{session.Kind: session.Decode}, Now: time.Now, Version: "example"}
	dir := filepath.Join(root, "run")
	if _, err := run.Run(context.Background(), dir, session.New(c), o); err != nil {
		panic(err)
	}
	if _, err := run.Resume(context.Background(), dir, o); err != nil { // a complete run is left alone
		panic(err)
	}
	m, err := session.Score(context.Background(), dir, nil, "", o, talk{})
	if err != nil {
		panic(err)
	}
	findings, err := run.Verify(dir, o.Kinds)
	if err != nil {
		panic(err)
	}
	iep, words := m.Result("iep", "reference:diligent", ""), m.Result("words_difference", "reference:silent - reference:diligent", "")
	fmt.Printf("%s, %d findings, IEP %.0f, %d of %d players, words %+.0f\n", m.State, findings.Found, *iep.Value, iep.N, iep.Of, *words.Value)
	// Output: complete, 0 findings, IEP 100, 12 of 12 players, words -23
}
