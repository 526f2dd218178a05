package finetune

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"parley/characters"
	"parley/eval/ieg"
	"parley/eval/run"
	"parley/eval/session"
	"parley/sim/agent"
)

// Source is a recorded run, or a file of windows of play.
type Source struct {
	Path   string          // a directory or a file
	Name   string          // in ids and as the source of examples: never a path of this machine
	Run    *run.Manifest   // nil: a file of windows
	Config *session.Config // of a run of sessions; nil: the run evaluates something else than play
	Style  agent.Style     // in which its turns are written down
}

// Why the user's own filters leave something out.
const (
	notState    Reason = "filtered by status"
	notModel    Reason = "filtered by model"
	notScenario Reason = "filtered by scenario"
	notScore    Reason = "filtered by score"
	tooShort    Reason = "filtered by length"
)

// Selection says which examples are made of sources.
type Selection struct {
	Task             Task
	Inputs, Holdouts []Source

	Status    []string // states of sessions; "any" takes all
	Models    []string // who played, or which arm; none: all
	Scenarios []string // kinds, or words of the title; none: all
	Metric    string   // whose values examples are scored with; empty: the one that has its scorer's name, or the run's first
	Min, Max  *float64 // of the score
	MinTokens int      // of the answer

	Turns        int        // dm: in a window that is cut out of a run
	AtMoves      bool       // dm: windows end with a move
	KeepSplits   bool       // dm: windows stay in the splits that their files say
	Who          Seats      // whose turns are learned
	Conversation bool       // roleplay: an example is all turns of a character
	Form         agent.Form // of the answers; empty: what the run asked for
	Preferring   Preferring

	Counter Counter // the zero Counter is Estimate()
	// Progress is told how far the sources are read; it may be nil.
	Progress func(stage string, done, total int64)

	found     bool           // an example, or an error of its own
	undecided map[string]int // pairs without a better turn, by why
}

// remedy is what to do about pairs without a better turn.
func (s *Selection) remedy() string {
	most := slices.MaxFunc(slices.Sorted(maps.Keys(s.undecided)), func(a, b string) int { return s.undecided[a] - s.undecided[b] })
	switch {
	case most == byOrder || most == tied:
		return "name another --judge, or choose with --rollout N or --choices FILE"
	case most == tooClose && s.Preferring.Rollout != nil:
		return moreRollouts
	case most == tooClose || s.Preferring.Choose == nil:
		return moreScores
	}
	return "see dropped.jsonl of a build that has other examples, or --calls FILE, for why each is undecided"
}

// Fit returns an error for sources that cannot be learned from.
func (s *Selection) Fit() error {
	for _, in := range slices.Concat(s.Inputs, s.Holdouts) {
		switch {
		case in.Run == nil && s.Task != DM:
			return fmt.Errorf("%s is a file, and --task %s learns from runs: name the directory of a run", in.Path, s.Task)
		case in.Run != nil && in.Run.Kind != session.Kind && s.Task != Judge:
			return fmt.Errorf("%s holds no sessions but an evaluation: it serves --task judge only", in.Path)
		}
	}
	return nil
}

// Names are the names of sources in a line.
func Names(list []Source) string {
	var names []string
	for _, in := range list {
		names = append(names, in.Name)
	}
	return strings.Join(names, " ")
}

// Explain adds to an error of a build for which no example was found what to do about it.
func (s *Selection) Explain(err error) error {
	if s.found || errors.Is(err, context.Canceled) {
		return err
	}
	hint := "see with parley show whether the run has valid turns, and whether the filters let them pass"
	switch {
	case len(s.undecided) > 0:
		hint = s.remedy()
	case s.Task == DM:
		hint = "windows come from sessions of the scenario intention (parley run --scenario intention) and from files of windows"
	case s.Task == Judge:
		hint = "verdicts of models are in runs with --judge MODEL, and in those of eval script run and eval survey run; the lexical judge and reference actors ask no model"
	case s.Task == Preference && len(s.Preferring.Rivals) == 0:
		hint = "turns meet where several arms or runs of one seed play the same sessions, as with --player A --player B; --judge MODEL chooses where scores do not, and --against ACTOR has another one play in every view"
	}
	return fmt.Errorf("%w; %s", err, hint)
}

// Examples yields the examples of all inputs that pass the filters.
func (s *Selection) Examples(ctx context.Context) iter.Seq2[Example, error] {
	examples := s.chained(s.Inputs, func(in *Source) iter.Seq2[Example, error] { return s.source(ctx, in, true) })
	if s.Task == Preference {
		examples = s.preferences(ctx)
	}
	counter := s.Counter
	if counter.Count == nil {
		counter = Estimate()
	}
	return func(yield func(Example, error) bool) {
		for x, err := range examples {
			if err == nil && s.MinTokens > 0 {
				if n := counter.Of(&x).Learned; n < s.MinTokens {
					err = x.drop(tooShort, fmt.Sprintf("the answer has %d tokens, and --min-tokens is %d", n, s.MinTokens))
				}
			}
			s.found = s.found || !dropped(err)
			if d := (*Dropped)(nil); errors.As(err, &d) && d.Reason == Undecided {
				if s.undecided == nil {
					s.undecided = map[string]int{}
				}
				s.undecided[d.Detail]++
			}
			if !yield(x, err) {
				return
			}
		}
	}
}

// Holdout yields the examples of the holdouts as they are, without filters.
func (s *Selection) Holdout(ctx context.Context) iter.Seq2[Example, error] {
	return s.chained(s.Holdouts, func(in *Source) iter.Seq2[Example, error] { return s.source(ctx, in, false) })
}

// drop is the error of a source that gives up an example.
func (x *Example) drop(r Reason, detail string) error {
	return &Dropped{ID: x.ID, Group: x.Group, Source: x.Source, Reason: r, Detail: detail}
}

// chained reads one source after the other.
func (s *Selection) chained(list []Source, open func(*Source) iter.Seq2[Example, error]) iter.Seq2[Example, error] {
	return func(yield func(Example, error) bool) {
		for i := range list {
			for x, err := range open(&list[i]) {
				if !yield(x, err) || err != nil && !dropped(err) {
					return
				}
			}
		}
	}
}

func (s *Selection) tell(stage string, done, total int64) {
	if s.Progress != nil {
		s.Progress(stage, done, total)
	}
}

// source yields the examples of one run or file; filtered says whether the filters count.
func (s *Selection) source(ctx context.Context, in *Source, filtered bool) iter.Seq2[Example, error] {
	switch {
	case in.Run == nil:
		return s.windows(ctx, in)
	case s.Task == Judge:
		return s.verdicts(ctx, in, filtered)
	case s.Task == DM:
		return each(s.sessions(ctx, in, filtered), s.games)
	}
	o := PlayOptions{Who: s.Who, Conversation: s.Conversation, Written: s.Form != "" || s.Task == Preference}
	return each(s.sessions(ctx, in, filtered), func(p *Session) iter.Seq2[Example, error] {
		return func(yield func(Example, error) bool) {
			for x, err := range p.Roleplay(ctx, o) {
				if err == nil && filtered {
					err = s.passes(&x, p.arm)
				}
				if !yield(x, err) {
					return
				}
			}
		}
	})
}

// each chains what is made of each session.
func each[T any](sessions iter.Seq2[*Session, error], of func(*Session) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for p, err := range sessions {
			if err != nil {
				if !yield(*new(T), err) || !dropped(err) {
					return
				}
				continue
			}
			for x, err := range of(p) {
				if !yield(x, err) || err != nil && !dropped(err) {
					return
				}
			}
		}
	}
}

// passes is why the filters leave out an example.
func (s *Selection) passes(x *Example, arm string) error {
	if len(s.Models) > 0 && !slices.Contains(s.Models, x.Model) && !slices.Contains(s.Models, arm) {
		return x.drop(notModel, x.Model)
	}
	if why := s.scored(x.Score); why != "" {
		return x.drop(notScore, why)
	}
	return nil
}

// scored is why a score is left out; empty: it is not.
func (s *Selection) scored(score *float64) string {
	switch {
	case s.Min == nil && s.Max == nil:
		return ""
	case score == nil:
		return strings.TrimSpace("it has no score " + s.Metric)
	case s.Min != nil && *score < *s.Min, s.Max != nil && *score > *s.Max:
		return fmt.Sprintf("%s is %.4g", s.Metric, *score)
	}
	return ""
}

// sessions yields the sessions of a run that the filters let pass, and a *Dropped for each other one.
func (s *Selection) sessions(ctx context.Context, in *Source, filtered bool) iter.Seq2[*Session, error] {
	return func(yield func(*Session, error) bool) {
		values, metric, known, err := in.scores(s.Metric)
		if err == nil && s.Metric != "" && !slices.Contains(known, s.Metric) {
			if err = fmt.Errorf("%s has no score %s of whole sessions; it has %s", in.Path, s.Metric, strings.Join(known, ", ")); len(known) == 0 {
				err = fmt.Errorf("%s has no scores, so none called %s", in.Path, s.Metric)
			}
		}
		if err != nil {
			yield(nil, err)
			return
		}
		found, prompts := &messages{dir: in.Path}, newAsked(in.Path)
		defer prompts.stop()
		done := int64(0)
		for p, err := range session.Episodes(in.Path) {
			done++
			s.tell("read sessions of "+in.Name, done, in.sessions())
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, fmt.Errorf("%s: %w", in.Path, err))
				return
			}
			var next *Session
			if why := s.refuse(in, &p.Row, values.mean(p.Row.ID), filtered); why != nil {
				err = why
			} else if next, err = s.session(in, p, prompts); err == nil {
				next.Metric, next.Scores, next.mean, next.Message = metric, values.of(p.Row.ID, p.Episode.Scenario), values.mean(p.Row.ID), found.find
			}
			if !yield(next, err) || err != nil && !dropped(err) {
				return
			}
		}
	}
}

// session makes a session of a record, without its scores.
func (s *Selection) session(in *Source, p *session.Played, prompts *asked) (next *Session, err error) {
	next = &Session{
		Episode: p.Episode, ID: in.Name + "/" + p.Row.ID, Group: situation(&p.Row), Scenario: p.Row.Title, Source: in.Name,
		Style: in.Style, Forms: map[characters.ID]agent.Form{}, Models: map[characters.ID]string{}, arm: p.Row.Arm,
	}
	if s.Form != "" {
		next.Style.Form = s.Form
	}
	for at, seat := range p.Row.Cast {
		id := characters.ID(seat.ID)
		next.Models[id] = seat.Model
		if s.Form == "" && s.Task != Preference && in.Config != nil {
			next.Forms[id] = agent.Form(in.Config.FormOf(in.Run, p.Row.Arm, seat.Role, at))
		}
	}
	next.Asked, err = prompts.of(p.Row.ID)
	return next, err
}

// refuse is why the filters leave out a session.
func (s *Selection) refuse(in *Source, row *session.Row, mean *float64, filtered bool) *Dropped {
	d := &Dropped{ID: in.Name + "/" + row.ID, Group: situation(row), Source: in.Name}
	drop := func(reason Reason, detail string) *Dropped {
		d.Reason, d.Detail = reason, detail
		return d
	}
	states := s.Status
	if !filtered {
		states = []string{"complete"}
	}
	if !slices.Contains(states, "any") && !slices.Contains(states, string(row.State)) {
		return drop(notState, string(row.State))
	}
	if !filtered {
		return nil
	}
	named := func(word string) bool {
		return strings.EqualFold(word, row.Kind) || strings.Contains(strings.ToLower(row.Title), strings.ToLower(word))
	}
	played := func(seat session.Seat) bool { return slices.Contains(s.Models, seat.Model) }
	switch {
	case len(s.Scenarios) > 0 && !slices.ContainsFunc(s.Scenarios, named):
		return drop(notScenario, row.Title)
	case len(s.Models) > 0 && !slices.Contains(s.Models, row.Arm) && !slices.ContainsFunc(row.Cast, played):
		return drop(notModel, row.Arm)
	case s.Task == DM: // of other tasks, each turn has its own score
		if why := s.scored(mean); why != "" {
			return drop(notScore, why)
		}
	}
	return nil
}

// windows yields the windows of a file.
func (s *Selection) windows(ctx context.Context, in *Source) iter.Seq2[Example, error] {
	return func(yield func(Example, error) bool) {
		f, err := os.Open(in.Path)
		if err != nil {
			yield(Example{}, fmt.Errorf("open a source: %w", err))
			return
		}
		defer f.Close()
		n := int64(0)
		for x, err := range ieg.Read(f, in.Path) {
			if n++; n%1024 == 0 {
				s.tell("read windows of "+in.Name, n, 0)
				err = errors.Join(err, ctx.Err())
			}
			if err != nil {
				yield(Example{}, err)
				return
			}
			e := FromWindow(&x)
			e.Source = in.Name
			if !s.KeepSplits {
				e.Split = ""
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// OwnSplits reports whether all inputs are files of windows, every window has a split, and not all the
// same. What is wrong with a file is said when it is built of.
func (s *Selection) OwnSplits() bool {
	found := map[string]bool{}
	for _, in := range s.Inputs {
		f, err := os.Open(in.Path)
		if in.Run != nil || err != nil {
			return false
		}
		defer f.Close()
		for x, err := range ieg.Read(f, in.Path) {
			if err != nil {
				return false
			}
			found[x.Split] = true
		}
	}
	return len(found) > 1 && !found[""]
}

// Apart returns an error where a group is on both sides: what was learned cannot be tested.
func Apart(a, b []ieg.Interaction, nameA, nameB string) error {
	seen := map[string]bool{}
	for i := range a {
		seen[a[i].Group] = true
	}
	for i := range b {
		if seen[b[i].Group] {
			return fmt.Errorf("group %q is in %s and in %s: split by group, so that nothing is tested that was learned", b[i].Group, nameA, nameB)
		}
	}
	return nil
}

// games yields the windows of a game of intention expression.
func (s *Selection) games(p *Session) iter.Seq2[Example, error] {
	return func(yield func(Example, error) bool) {
		if kind := p.Episode.Scenario.Kind; !kind.Intentions {
			yield(Example{}, &Dropped{ID: p.ID, Group: p.Group, Source: p.Source, Reason: notScenario, Detail: "no character has intentions in a session of the kind " + kind.Name})
			return
		}
		cut := s.Turns
		if s.AtMoves {
			cut = math.MaxInt
		}
		windows := ieg.FromEpisode(p.Episode, cut)
		if s.AtMoves && len(windows) > 0 {
			windows = ieg.AtMoves(&windows[0], nil, s.Turns)
		}
		var players []string
		for _, c := range p.Episode.Scenario.Cast {
			if model := p.Models[c.ID]; c.ID != p.Episode.Scenario.NPC && !slices.Contains(players, model) {
				players = append(players, model)
			}
		}
		for i := range windows {
			w := &windows[i]
			w.ID = strings.Replace(w.ID, p.Episode.Session, p.ID, 1)
			e := FromWindow(w)
			e.Group, e.Scenario, e.Source, e.Model, e.Score = p.Group, p.Scenario, p.Source, strings.Join(players, "+"), p.mean
			if !yield(e, nil) {
				return
			}
		}
	}
}
