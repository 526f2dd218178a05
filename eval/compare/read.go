package compare

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/run"
	"parley/sim/llm"
)

// source is a run with its arms.
type source struct {
	dir      string
	manifest *run.Manifest
	config   config
	arms     []*Arm
	sessions map[string]*seat
	// situations holds what is the same in two sessions that can be compared, by session.
	situations map[string]string
	items      map[string]string
}

// config is the part of a configuration that decides what runs can be compared.
type config struct {
	Judge     string `json:"judge"`
	Keypoints string `json:"keypoints"`
	Scenario  string `json:"scenario"`
	Prices    string `json:"prices"`
	modes     map[string]json.RawMessage
}

// noted are the settings in which compared runs may differ, which is said.
var noted = []string{"npc", "order", "referee", "endings", "turns", "layout", "form", "sampling", "prompts"}

// seat is where a session belongs.
type seat struct {
	arm     *Arm
	players []string
	turn    turn
}

// turn is the time that the calls of a player's move took so far.
type turn struct {
	number int
	actor  string
	us     int64
}

// spent is what the calls of an arm came to.
type spent struct {
	meter   *llm.Meter // of all calls
	players *llm.Meter
	seconds []float64 // by turn
}

// readSource reads what is known of the arms of a run beside their scores.
func readSource(dir string, m *run.Manifest) (*source, error) {
	s := &source{dir: dir, manifest: m, sessions: map[string]*seat{}}
	if err := json.Unmarshal(m.Config, &s.config); err != nil {
		return nil, fmt.Errorf("%s: its configuration: %w", dir, err)
	}
	if err := json.Unmarshal(m.Config, &s.config.modes); err != nil {
		return nil, fmt.Errorf("%s: its configuration: %w", dir, err)
	}
	for _, name := range m.Arms {
		s.arms = append(s.arms, &Arm{Arm: name, Run: dir, Place: "local", Metrics: map[string]Value{}, Faults: map[string]int{}, Models: []string{}})
	}
	if err := s.readSessions(); err != nil {
		return nil, err
	}
	return s, s.readCalls()
}

func (s *source) readSessions() error {
	type row struct {
		ID    string    `json:"id" parquet:"id"`
		Arm   string    `json:"arm" parquet:"arm"`
		State run.State `json:"state" parquet:"state"`
		Moves int       `json:"moves" parquet:"moves"`
		Cast  []struct {
			ID    string `json:"id" parquet:"id"`
			Role  string `json:"role" parquet:"role"`
			Model string `json:"model" parquet:"model"`
		} `json:"cast" parquet:"cast,list"`
	}
	for r, err := range (run.Rows[row]{Name: "sessions"}).Read(s.dir) {
		if err != nil {
			return err
		}
		at := slices.IndexFunc(s.arms, func(a *Arm) bool { return a.Arm == r.Arm })
		if at < 0 {
			continue
		}
		a := s.arms[at]
		a.Sessions++
		a.Moves += r.Moves
		if r.State == run.Failed {
			a.Failed++
		}
		where := &seat{arm: a}
		for _, c := range r.Cast {
			if c.Role != "player" {
				continue
			}
			where.players = append(where.players, c.ID)
			if !slices.Contains(a.Models, c.Model) {
				a.Models = append(a.Models, c.Model)
			}
			if served := s.manifest.Models[c.Model]; served != nil && served.Hosted {
				a.Place = "hosted"
			}
		}
		s.sessions[r.ID] = where
	}
	return nil
}

// readCalls adds up what the calls of each arm cost and took.
func (s *source) readCalls() error {
	type row struct {
		Session   string     `json:"session" parquet:"session"`
		Turn      int        `json:"turn" parquet:"turn"`
		Actor     string     `json:"actor" parquet:"actor"`
		Purpose   string     `json:"purpose" parquet:"purpose"`
		Model     string     `json:"model" parquet:"model"`
		Served    string     `json:"served" parquet:"served"`
		Finish    llm.Finish `json:"finish" parquet:"finish"`
		Tokens    *int       `json:"prompt_tokens" parquet:"prompt_tokens,optional"`
		Cached    *int       `json:"cached_tokens" parquet:"cached_tokens,optional"`
		Output    *int       `json:"completion_tokens" parquet:"completion_tokens,optional"`
		Queue     int64      `json:"queue_us" parquet:"queue_us"`
		First     int64      `json:"first_us" parquet:"first_us"`
		Write     int64      `json:"generate_us" parquet:"generate_us"`
		Total     int64      `json:"total_us" parquet:"total_us"`
		FromCache bool       `json:"from_cache" parquet:"from_cache"`
		Fault     llm.Fault  `json:"fault" parquet:"fault"`
		Error     string     `json:"error" parquet:"error"`
	}
	all := map[*Arm]*spent{}
	for _, a := range s.arms {
		all[a] = &spent{meter: llm.NewMeter(), players: llm.NewMeter()}
	}
	for r, err := range (run.Rows[row]{Name: run.Calls.Name}).Read(s.dir) {
		if err != nil {
			return err
		}
		where := s.sessions[r.Session]
		if where == nil {
			continue
		}
		sp := all[where.arm]
		where.arm.Calls++
		plays := slices.Contains(where.players, r.Actor) && !strings.HasPrefix(r.Purpose, "judge:") && r.Purpose != "referee"
		if plays && r.Finish == llm.Length {
			where.arm.Truncated++
		}
		served := s.manifest.Models[r.Model]
		if r.FromCache || served != nil && served.Recorded {
			continue // no server was asked
		}
		call := llm.Call{
			Purpose: r.Purpose, Model: r.Model, Served: r.Served, Finish: r.Finish, Tokens: r.Tokens, Cached: r.Cached, Output: r.Output,
			Queue: r.Queue, First: r.First, Write: r.Write, Total: r.Total, Fault: r.Fault, Error: r.Error,
		}
		sp.meter.Add(call)
		if !plays || r.Error != "" {
			continue
		}
		sp.players.Add(call)
		if strings.HasPrefix(r.Purpose, "debrief") {
			continue
		}
		if t := &where.turn; t.number != r.Turn || t.actor != r.Actor {
			sp.end(t)
			*t = turn{number: r.Turn, actor: r.Actor}
		}
		where.turn.us += call.Service()
	}
	for _, where := range s.sessions {
		all[where.arm].end(&where.turn)
	}
	prices, err := s.prices()
	if err != nil {
		return err
	}
	for a, sp := range all {
		sp.note(a, prices)
	}
	return nil
}

// end takes in the time of a turn, where there was one.
func (sp *spent) end(t *turn) {
	if t.us > 0 {
		sp.seconds = append(sp.seconds, float64(t.us)/1e6)
	}
}

// prices reads the run's copy of its price file; nil where it had none.
func (s *source) prices() (*llm.Prices, error) {
	if s.config.Prices == "" {
		return nil, nil
	}
	data, err := s.manifest.ReadInput(s.dir, s.config.Prices)
	if err != nil {
		return nil, err
	}
	return llm.ReadPrices(bytes.NewReader(data), s.config.Prices)
}

// note fills in what the calls came to.
func (sp *spent) note(a *Arm, prices *llm.Prices) {
	tally := sp.meter.Tally(prices)
	total := tally.Total()
	a.Currency, a.PromptTokens, a.CompletionTokens = tally.Currency, total.Prompt.Sum, total.Completion.Sum
	switch {
	case total.Cost.Known < total.Cost.Of:
		a.CostUnknown = strings.Join(tally.CostNotes(), "; ")
	case a.Sessions > 0:
		sum := 0.0 // nothing that costs was asked
		if total.Cost.Amount != nil {
			sum = *total.Cost.Amount
		}
		each := sum / float64(a.Sessions)
		a.Cost, a.CostTotal = &each, &sum
	}
	if n := len(sp.seconds); n > 0 {
		slices.Sort(sp.seconds)
		median, p95 := sp.seconds[(n-1)/2], sp.seconds[(n-1)*95/100]
		a.SecondsPerTurn, a.SecondsPerTurnP95 = &median, &p95
	}
	a.Queue, a.Service = float64(total.Queue)/1e6, float64(total.Service())/1e6
	players := sp.players.Tally(nil).Total()
	if rate, ok := players.Rate(); ok {
		a.TokensPerSecond = &rate
	}
	if first, ok := players.ToFirst(); ok {
		a.ToFirst = &first
	}
}

// readSituations finds what each session has in common with the sessions of other runs: its seed and whole
// situation.
func (s *source) readSituations() error {
	type row struct {
		ID       string `json:"id" parquet:"id"`
		Seed     string `json:"seed" parquet:"seed"`
		Scenario string `json:"scenario" parquet:"scenario"`
	}
	s.items, s.situations = map[string]string{}, map[string]string{}
	for r, err := range (run.Rows[row]{Name: "sessions"}).Read(s.dir) {
		if err != nil {
			return err
		}
		situation := fmt.Sprintf("%x", sha256.Sum256([]byte(r.Seed+"\n"+r.Scenario)))
		s.items[r.ID], s.situations[situation] = situation, r.ID
	}
	return nil
}

// score adds the scores of the shared situations to a summary, and those of how the players talked.
func (s *source) score(sum *eval.Summary, shared map[string]bool) error {
	add := func(score *eval.Score) {
		where, situation := s.sessions[score.Session], s.items[score.Session]
		if where == nil || !shared[situation] || !s.manifest.Shows(score) {
			return
		}
		score.Arm, score.Item = where.arm.Arm, situation
		sum.Add(score)
	}
	for score, err := range run.Scores.Read(s.dir) {
		if err != nil {
			return err
		}
		add(&score)
	}
	return s.talk(add)
}

// check refuses runs that are judged otherwise, and lists in what else they differ from the first.
func check(sources []*source) (notes []string, err error) {
	first := sources[0]
	for _, s := range sources[1:] {
		differ := func(what, a, b string) error {
			return fmt.Errorf("%s and %s cannot be compared: %s is %q in one and %q in the other", first.dir, s.dir, what, a, b)
		}
		a, b := &first.config, &s.config
		switch {
		case first.manifest.Kind != s.manifest.Kind:
			return nil, differ("the kind of run", first.manifest.Kind, s.manifest.Kind)
		case a.Scenario != b.Scenario:
			return nil, differ("the scenario", a.Scenario, b.Scenario)
		case a.Judge != b.Judge:
			return nil, fmt.Errorf("%w; score one of them again by the other's judge", differ("the judge", a.Judge, b.Judge))
		case a.Keypoints != b.Keypoints:
			return nil, differ("keypoints", a.Keypoints, b.Keypoints)
		}
		for scorer := range first.manifest.Shown {
			if first.manifest.Shown[scorer] != s.manifest.Shown[scorer] {
				return nil, differ("the judge of "+scorer, first.manifest.Shown[scorer], s.manifest.Shown[scorer])
			}
		}
		if x, y := first.digest(a.Judge), s.digest(b.Judge); x != "" && y != "" && x != y {
			return nil, differ("the digest of the judge "+a.Judge, x, y)
		}
		for _, mode := range noted {
			if x, y := a.modes[mode], b.modes[mode]; !bytes.Equal(compact(x), compact(y)) {
				notes = append(notes, fmt.Sprintf("%s: %s is %s, and %s in %s", s.dir, mode, said(y), said(x), first.dir))
			}
		}
		if !maps.Equal(first.manifest.Prompts, s.manifest.Prompts) {
			notes = append(notes, fmt.Sprintf("%s was played with other prompts than %s", s.dir, first.dir))
		}
		if first.manifest.Version != s.manifest.Version {
			notes = append(notes, fmt.Sprintf("%s was made by version %s, and %s by %s", s.dir, s.manifest.Version, first.dir, first.manifest.Version))
		}
	}
	return notes, nil
}

// digest returns the digest of a judge's model, where its server gave one. How the model is used may be said before it.
func (s *source) digest(judge string) string {
	for model, served := range s.manifest.Models {
		if (model == judge || strings.HasSuffix(judge, ":"+model)) && served.Identity != nil {
			return served.Identity.Digest
		}
	}
	return ""
}

func compact(text json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return nil
	}
	return b.Bytes()
}

// said is a setting in a note.
func said(text json.RawMessage) string {
	if len(text) == 0 {
		return "unset"
	}
	return llm.Clean(string(compact(text)))
}
