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
	"slices"
	"strings"

	"parley/characters"
	"parley/eval"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/llm"
)

// The metrics of a score.
const (
	Metric    = "iep"       // of a debrief: key points told, of k
	Precision = "precision" // of a debrief: points that match, of those it asserts
	F1        = "f1"        // of a debrief: twice the matches, of key points and asserted points
	Heard     = "heard"     // key points that were said in the player's hearing, of k
	Unheard   = "unheard"   // of a debrief: matches that the player cannot have heard, of its matches
	IEPHeard  = "iep_heard" // of a debrief: key points both told and heard, of k
	Gain      = "iep_gain"  // iep less iep without the conversation: what the conversation added
	Recall    = "recall"    // of what was said in a player's hearing up to a turn
)

// Flag is the reason given with the scores of a debrief that tells what the player did not hear.
const Flag = "told without hearing it"

// Judge condenses texts to key points and says which points say the same.
type Judge interface {
	// Name says who judges and how, for a score's method.
	Name() string
	// Gold condenses a piece of knowledge to k key points.
	Gold(ctx context.Context, a Ask, k *scenarios.Knowledge, n int) ([]string, []llm.Call, error)
	// Match condenses a player's answer to at most as many points as there are gold points and matches
	// them. Each gold point and each of the player's points is in at most one match.
	Match(ctx context.Context, a Ask, k *scenarios.Knowledge, gold []string, answer string) (Verdict, []llm.Call, error)
	// Heard says which gold points are stated in what was said.
	Heard(ctx context.Context, a Ask, k *scenarios.Knowledge, gold, said []string) ([]bool, []llm.Call, error)
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

// Verdict holds the key points of an answer, and the pairs that a judge found.
type Verdict struct {
	Points  []string // the player's key points, as condensed: no more than gold points
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
}

// Name returns the scorer's name.
func (s *Scorer) Name() string { return "iep" }

// Score returns the scores of every player and control, and the points of the recall curve. Its error is
// the context's, or that of a judge who would fail every other question too: then there are no scores.
func (s *Scorer) Score(ctx context.Context, ep *sim.Episode) ([]eval.Score, []llm.Call, error) {
	k := ep.Scenario.Knowledge
	if k == nil {
		return nil, nil, nil
	}
	w := &work{Scorer: s, ep: ep, k: k, gold: texts(k), heard: map[string]hearing{}}
	if s.Condense {
		ask := Ask{Session: ep.Session, Seed: sim.Mix(ep.Seed, sim.HashText("gold"))}
		points, made, err := s.Judge.Gold(ctx, ask, k, len(w.gold))
		w.calls = append(w.calls, made...)
		if err := over(ctx, made); err != nil {
			return nil, w.calls, err
		}
		if w.gold = points; err != nil {
			w.goldErr = fmt.Errorf("the knowledge was not condensed: %w", err)
		}
	}
	var scores []eval.Score
	for _, e := range ep.Events {
		if e.Kind != sim.KindDebrief {
			continue
		}
		made, err := w.debrief(ctx, e)
		if err != nil {
			return nil, w.calls, err
		}
		scores = append(scores, made...)
	}
	scores = append(scores, gains(scores)...)
	if s.Lexical != nil && s.Every > 0 {
		scores = append(scores, s.curve(ep, k)...)
	}
	return scores, w.calls, nil
}

// gains returns what the conversation added to each player's IEP, where the control without it was held.
func gains(scores []eval.Score) []eval.Score {
	var list []eval.Score
	for _, told := range scores {
		if told.Metric != Metric || told.Control != "" {
			continue
		}
		i := slices.IndexFunc(scores, func(s eval.Score) bool {
			return s.Metric == Metric && s.Control == sim.ControlNoConversation && s.Subject == told.Subject
		})
		if i < 0 {
			continue
		}
		guessed, gain := scores[i], told
		gain.Metric, gain.Evidence, gain.Calls = Gain, nil, slices.Concat(told.Calls, guessed.Calls)
		switch {
		case told.Value == nil:
		case guessed.Value == nil:
			gain.Value, gain.Status, gain.Reason = nil, guessed.Status, guessed.Reason
		default:
			added := *told.Value - *guessed.Value
			gain.Value, gain.Reason = &added, ""
		}
		list = append(list, gain)
	}
	return list
}

// work is the scoring of one session.
type work struct {
	*Scorer
	ep      *sim.Episode
	k       *scenarios.Knowledge
	gold    []string
	goldErr error
	heard   map[string]hearing // by what was said
	calls   []llm.Call
}

// hearing says which key points a judge found in the conversation.
type hearing struct {
	facts []bool
	calls []string
	err   error
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

// debrief scores one answer, and what its player heard. Its error is that of over.
func (w *work) debrief(ctx context.Context, e *sim.Event) ([]eval.Score, error) {
	heard, err := w.hearing(ctx, e)
	if err != nil {
		return nil, err
	}
	scores := []eval.Score{w.score(e, Heard, heard.calls)}
	if heard.err != nil {
		miss(&scores[0], heard.err)
	} else {
		set(&scores[0], count(heard.facts), len(w.gold))
	}
	var v Verdict
	var ids []string
	err = w.goldErr
	switch {
	case err != nil:
	case len(w.gold) == 0:
		err = notApplicable{"the knowledge has no key points"}
	case e.Fault != "":
		err = Unparsed{"the player's debrief is malformed: " + e.Fault}
	default:
		ask := w.ask(e)
		var calls []llm.Call
		v, calls, err = w.Judge.Match(ctx, ask, w.k, w.gold, e.Text)
		w.calls = append(w.calls, calls...)
		ids = append(ids, llm.IDs(calls)...)
		if err := over(ctx, calls); err != nil {
			return nil, err
		}
		if err == nil {
			err = v.check(len(w.gold))
		}
	}
	first := len(scores)
	for _, metric := range []string{Metric, Precision, F1, Unheard, IEPHeard} {
		scores = append(scores, w.score(e, metric, ids))
	}
	told := scores[first:]
	if err != nil {
		for i := range told {
			miss(&told[i], err)
		}
		return scores, nil
	}
	w.measure(told, v, heard)
	return scores, nil
}

// measure fills in the scores of a debrief: recall, precision, F1, unheard, heard recall.
func (w *work) measure(told []eval.Score, v Verdict, heard hearing) {
	s, k, n := len(v.Matches), len(w.gold), len(v.Points)
	set(&told[0], s, k)
	told[0].Evidence = v.evidence(w.gold)
	set(&told[1], s, n)
	if n == 0 {
		miss(&told[1], notApplicable{"nothing is asserted"})
	}
	set(&told[2], 2*s, k+n)
	if heard.err != nil {
		miss(&told[3], heard.err)
		miss(&told[4], heard.err)
		return
	}
	both := 0
	for _, m := range v.Matches {
		if heard.facts[m.Gold] {
			both++
		}
	}
	set(&told[3], s-both, s)
	told[3].Weight = s
	if s == 0 {
		miss(&told[3], notApplicable{"nothing matches"})
	}
	set(&told[4], both, k)
	if both < s {
		told[0].Reason, told[3].Reason = Flag, Flag
	}
}

// hearing returns which key points were said in a player's hearing by others: none before the play, all
// with the knowledge in hand.
func (w *work) hearing(ctx context.Context, e *sim.Event) (hearing, error) {
	h := hearing{facts: make([]bool, len(w.gold)), err: w.goldErr}
	if h.err != nil || e.Control == sim.ControlNoConversation {
		return h, nil
	}
	if e.Control == sim.ControlTold {
		for i := range h.facts {
			h.facts[i] = true
		}
		return h, nil
	}
	said := saidTo(w.ep, e.Actor)
	key := strings.Join(said, "\n")
	if len(said) == 0 {
		return h, nil
	}
	if h, known := w.heard[key]; known {
		return h, nil
	}
	facts, calls, err := w.Judge.Heard(ctx, w.ask(e), w.k, w.gold, said)
	w.calls = append(w.calls, calls...)
	if err := over(ctx, calls); err != nil {
		return h, err
	}
	if err == nil && len(facts) != len(w.gold) {
		err = Unparsed{fmt.Sprintf("%d key points were asked about and %d answered", len(w.gold), len(facts))}
	}
	h = hearing{facts: facts, err: err}
	for i := range calls {
		h.calls = append(h.calls, calls[i].ID)
	}
	w.heard[key] = h
	return h, nil
}

// saidTo lists what others said, did or narrated in a player's hearing. Where an answer begins with a
// yes, what was asked before it counts as said.
func saidTo(ep *sim.Episode, player characters.ID) []string {
	var said []string
	asked := ""
	for _, e := range ep.Seen(player) {
		if e.Kind != sim.KindAct && e.Kind != sim.KindNarration {
			continue
		}
		if first, _, _ := strings.Cut(strings.ToLower(e.Speech), " "); asked != "" && yes[strings.Trim(first, ".,!;:-")] {
			said = append(said, asked)
		}
		if asked = ""; strings.HasSuffix(strings.TrimSpace(e.Speech), "?") {
			list := Sentences(e.Speech)
			asked = strings.TrimRight(list[len(list)-1], "? ") + "."
		}
		if e.Actor == player {
			continue
		}
		for _, text := range []string{e.Speech, e.Deed, e.Text} {
			if strings.TrimSpace(text) != "" {
				said = append(said, text)
			}
		}
	}
	return said
}

var yes = words(lists["yes"])

func (w *work) ask(e *sim.Event) Ask {
	return Ask{Session: w.ep.Session, Subject: string(e.Actor), Control: e.Control,
		Seed: sim.Mix(w.ep.Seed, sim.HashText(string(e.Actor)), sim.HashText(e.Control))}
}

func (w *work) score(e *sim.Event, metric string, calls []string) eval.Score {
	return eval.Score{
		Session: w.ep.Session, Scorer: w.Name(), Metric: metric, Subject: string(e.Actor),
		Control: e.Control, Method: w.Judge.Name(), Calls: calls,
	}
}

// set scores n of many in percent.
func set(score *eval.Score, n, many int) {
	value := 0.0
	if many > 0 {
		value = 100 * float64(n) / float64(many)
	}
	score.Value, score.Status = &value, eval.Scored
}

// notApplicable is the error of a measure that has nothing to measure.
type notApplicable struct{ reason string }

func (n notApplicable) Error() string { return n.reason }

// miss notes why there is no score.
func miss(score *eval.Score, err error) {
	score.Value, score.Reason = nil, err.Error()
	var u Unparsed
	switch {
	case errors.As(err, &notApplicable{}):
		score.Status = eval.NotApplicable
	case errors.As(err, &u):
		score.Status = eval.Unparsed
	default:
		score.Status = eval.Failed
	}
}

func count(list []bool) int {
	n := 0
	for _, b := range list {
		if b {
			n++
		}
	}
	return n
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

// curve scores what every player had heard after every few turns, whatever it said about it later.
func (s *Scorer) curve(ep *sim.Episode, k *scenarios.Knowledge) []eval.Score {
	var scores []eval.Score
	m := s.Lexical.against(k.Title, texts(k))
	memo := map[string][]int{}
	for _, c := range ep.Scenario.Players() {
		heard := make([]bool, len(k.Facts))
		next := s.Every
		point := func(turn int) {
			score := eval.Score{Session: ep.Session, Scorer: s.Name(), Metric: Recall, Subject: string(c.ID), Turn: turn, Method: s.Lexical.Name()}
			set(&score, count(heard), len(heard))
			scores = append(scores, score)
		}
		for _, e := range ep.Seen(c.ID) {
			for e.Turn > next {
				point(next)
				next += s.Every
			}
			if (e.Kind == sim.KindAct || e.Kind == sim.KindNarration) && e.Actor != c.ID {
				for _, text := range []string{e.Speech, e.Deed, e.Text} {
					m.note(heard, text, memo)
				}
			}
		}
		for ; next <= ep.Turn(); next += s.Every {
			point(next)
		}
	}
	return scores
}
