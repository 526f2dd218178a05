// Package iep measures Information Exchange Precision, AntEval's first measure: how much of what only
// the NPC knows did each player find out. After the play every player is asked what it learned; the
// answer is condensed to key points and matched one to one against the k key points of the NPC's
// knowledge; with s matches the player's precision is p = s/k, and IEP is the mean of p over players
// and sessions, on the paper's scale from 0 to 100.
//
// It knows no file and no command line. Who condenses and matches is a Judge.
package iep

import (
	"context"
	"errors"
	"fmt"

	"parley/eval"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/llm"
)

// The metrics of a score.
const (
	Metric = "iep"    // of a debrief
	Recall = "recall" // of what was said in a player's hearing up to a turn
	Heard  = "heard"  // of the facts that the NPC knows it gave a player
)

// Judge condenses texts to key points and says which points say the same.
type Judge interface {
	// Name says who judges and how, for a score's method.
	Name() string
	// Gold condenses a piece of knowledge to k key points.
	Gold(ctx context.Context, a Ask, k *scenarios.Knowledge, n int) ([]string, []llm.Call, error)
	// Match condenses a player's answer and matches it against the gold points. Each gold point and
	// each of the player's points is in at most one match.
	Match(ctx context.Context, a Ask, k *scenarios.Knowledge, gold []string, answer string) (Verdict, []llm.Call, error)
}

// Ask says what a judgement is for.
type Ask struct {
	Session string
	Subject string // the player
	Control string
	Seed    uint64
}

// suffix tells the calls of the debriefs of one player apart.
func (a Ask) suffix() string {
	if a.Control == "" {
		return ""
	}
	return ":" + a.Control
}

// Verdict is what a judge found.
type Verdict struct {
	Points  []string // the player's key points, as condensed
	Matches []Match
}

// Match is a pair of points that say the same.
type Match struct {
	Gold, Said int     // indexes
	Weight     float64 // how alike they are, 0 to 1; 1 for a judge that only says yes
}

// Unparsed is the error of a judge that answered without a verdict that could be read.
type Unparsed struct{ Reason string }

func (u Unparsed) Error() string { return "no verdict could be read: " + u.Reason }

// Scorer scores the debriefs of one session.
type Scorer struct {
	Judge    Judge
	Condense bool // the judge condenses the knowledge too; otherwise the authored facts serve
	// Lexical draws the recall curve from the transcript, every Every turns; 0 draws none.
	Lexical *Lexical
	Every   int
	// Heard scores what share of the facts each player was really given. Only an NPC that says what
	// it gives away, as the reference NPC does, can be measured so.
	Heard bool
}

// Name returns the scorer's name.
func (s *Scorer) Name() string { return "iep" }

// Score returns a score for every player and control, and the points of the recall curve. Its error is
// the context's, or that of a judge who would fail every other question too: then there are no scores.
func (s *Scorer) Score(ctx context.Context, ep *sim.Episode) ([]eval.Score, []llm.Call, error) {
	k := ep.Scenario.Knowledge
	if k == nil {
		return nil, nil, nil
	}
	var scores []eval.Score
	var calls []llm.Call
	gold := make([]string, len(k.Facts))
	for i := range k.Facts {
		gold[i] = k.Facts[i].Text
	}
	var goldErr error
	if s.Condense {
		ask := Ask{Session: ep.Session, Seed: sim.Mix(ep.Seed, sim.HashText("gold"))}
		points, made, err := s.Judge.Gold(ctx, ask, k, len(gold))
		calls = append(calls, made...)
		if err := over(ctx, made); err != nil {
			return nil, calls, err
		}
		gold, goldErr = points, err
	}
	for _, e := range ep.Events {
		if e.Kind != sim.KindDebrief {
			continue
		}
		score, made, err := s.debrief(ctx, ep, e, k, gold, goldErr)
		calls = append(calls, made...)
		if err != nil {
			return nil, calls, err
		}
		scores = append(scores, score)
	}
	if s.Heard {
		scores = append(scores, s.heard(ep)...)
	}
	if s.Lexical != nil && s.Every > 0 {
		scores = append(scores, s.curve(ep, k)...)
	}
	return scores, calls, nil
}

// over is why the judge need not be asked any more; nil: it may.
func over(ctx context.Context, calls []llm.Call) error {
	for i := range calls {
		if c := &calls[i]; c.Fault.Lasting() {
			return fmt.Errorf("%s of session %s: %s", c.Purpose, c.Session, c.Error)
		}
	}
	return ctx.Err()
}

// debrief scores one answer. Its error is that of over.
func (s *Scorer) debrief(ctx context.Context, ep *sim.Episode, e *sim.Event, k *scenarios.Knowledge, gold []string, goldErr error) (eval.Score, []llm.Call, error) {
	score := eval.Score{
		Session: ep.Session, Scorer: s.Name(), Metric: Metric, Subject: string(e.Actor),
		Control: e.Control, Method: s.Judge.Name(), Status: eval.Scored,
	}
	unscored := func(status eval.Status, reason string) {
		score.Status, score.Reason = status, reason
	}
	switch {
	case goldErr != nil:
		unscored(statusOf(goldErr), "the knowledge was not condensed: "+goldErr.Error())
		return score, nil, nil
	case len(gold) == 0:
		unscored(eval.NotApplicable, "the knowledge has no key points")
		return score, nil, nil
	case e.Fault != "" && e.Text == "":
		unscored(eval.Unparsed, "the player's debrief is malformed: "+e.Fault)
		return score, nil, nil
	}
	ask := Ask{Session: ep.Session, Subject: string(e.Actor), Control: e.Control,
		Seed: sim.Mix(ep.Seed, sim.HashText(string(e.Actor)), sim.HashText(e.Control))}
	v, calls, err := s.Judge.Match(ctx, ask, k, gold, e.Text)
	for i := range calls {
		score.Calls = append(score.Calls, calls[i].ID)
	}
	if err := over(ctx, calls); err != nil {
		return score, calls, err
	}
	if err == nil {
		err = v.check(len(gold))
	}
	if err != nil {
		unscored(statusOf(err), err.Error())
		return score, calls, nil
	}
	value := 100 * float64(len(v.Matches)) / float64(len(gold))
	score.Value = &value
	score.Evidence = v.evidence(gold)
	return score, calls, nil
}

// evidence lists every gold point with what was found for it.
func (v Verdict) evidence(gold []string) []eval.Evidence {
	evidence := make([]eval.Evidence, len(gold))
	for i := range gold {
		evidence[i].Want = gold[i]
	}
	for _, m := range v.Matches {
		evidence[m.Gold].Got, evidence[m.Gold].Weight = v.Points[m.Said], m.Weight
	}
	return evidence
}

// check holds a verdict against what was offered.
func (v Verdict) check(gold int) error {
	golds, saids := map[int]bool{}, map[int]bool{}
	for _, m := range v.Matches {
		switch {
		case m.Gold < 0 || m.Gold >= gold:
			return Unparsed{fmt.Sprintf("it matches key point %d of %d", m.Gold+1, gold)}
		case m.Said < 0 || m.Said >= len(v.Points):
			return Unparsed{fmt.Sprintf("it matches the player's point %d of %d", m.Said+1, len(v.Points))}
		case golds[m.Gold]:
			return Unparsed{fmt.Sprintf("it matches key point %d twice", m.Gold+1)}
		case saids[m.Said]:
			return Unparsed{fmt.Sprintf("it matches the player's point %d twice", m.Said+1)}
		}
		golds[m.Gold], saids[m.Said] = true, true
	}
	return nil
}

func statusOf(err error) eval.Status {
	var u Unparsed
	if errors.As(err, &u) {
		return eval.Unparsed
	}
	return eval.Failed
}

// heard scores what the journal knows to have been given away.
func (s *Scorer) heard(ep *sim.Episode) []eval.Score {
	var scores []eval.Score
	for _, c := range ep.Scenario.Players() {
		n, facts := 0, ep.Heard(c.ID)
		for _, h := range facts {
			if h {
				n++
			}
		}
		value := 100 * float64(n) / float64(len(facts))
		scores = append(scores, eval.Score{
			Session: ep.Session, Scorer: s.Name(), Metric: Heard, Subject: string(c.ID),
			Value: &value, Status: eval.Scored, Method: "journal",
		})
	}
	return scores
}

// curve scores what every player had heard after every few turns, whatever it said about it later.
func (s *Scorer) curve(ep *sim.Episode, k *scenarios.Knowledge) []eval.Score {
	var scores []eval.Score
	gold := make([]string, len(k.Facts))
	for i := range k.Facts {
		gold[i] = k.Facts[i].Text
	}
	m := s.Lexical.against(k.Title, gold)
	for _, c := range ep.Scenario.Players() {
		heard := m.listener()
		next := s.Every
		point := func(turn int) {
			value := 100 * float64(len(heard.matches())) / float64(len(gold))
			scores = append(scores, eval.Score{
				Session: ep.Session, Scorer: s.Name(), Metric: Recall, Subject: string(c.ID), Turn: turn,
				Value: &value, Status: eval.Scored, Method: s.Lexical.Name(),
			})
		}
		for _, e := range ep.Seen(c.ID) {
			for e.Turn > next {
				point(next)
				next += s.Every
			}
			if (e.Kind == sim.KindAct || e.Kind == sim.KindNarration) && e.Actor != c.ID {
				heard.hear(e.Speech)
				heard.hear(e.Deed)
				heard.hear(e.Text)
			}
		}
		for ; next <= ep.Turn(); next += s.Every {
			point(next)
		}
	}
	return scores
}
