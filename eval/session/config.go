package session

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"parley/characters/yamlfile"
	"parley/eval/run"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/llm"
	"parley/sim/reference"
)

// Config is the whole configuration of a run of sessions: what the experiment file holds, what flags
// overlay, and what the manifest keeps. Default makes one, Complete fills in what follows from the rest.
type Config struct {
	Name     string `yaml:"name,omitempty" json:"name,omitempty" doc:"title of the page"`
	Scenario string `yaml:"scenario" json:"scenario"` // a kind of scenario
	Sessions int    `yaml:"sessions" json:"sessions"` // of each arm
	Players  int    `yaml:"players" json:"players"`
	Turns    int    `yaml:"turns" json:"turns" min:"1"`
	Rounds   int    `yaml:"rounds,omitempty" json:"rounds,omitempty" min:"1"` // another way to say turns
	Player   []Arm  `yaml:"player" json:"player"`
	NPC      string `yaml:"npc" json:"npc"`

	Order   string  `yaml:"order" json:"order"`     // fixed | shuffled | initiative | addressed
	Referee string  `yaml:"referee" json:"referee"` // none | dice | a model
	Endings Endings `yaml:"endings" json:"endings" doc:"when a play ends before its turns are played"`

	Scorers   []string `yaml:"scorers,omitempty" json:"scorers,omitempty" doc:"names of scorers; left out: those of the kind of scenario"` // none: those of the kind of scenario
	Judge     string   `yaml:"judge" json:"judge"`                                                                                         // lexical | embed:MODEL | a model
	Keypoints string   `yaml:"keypoints" json:"keypoints"`                                                                                 // authored | judge
	Control   []string `yaml:"control" json:"control"`                                                                                     // debriefs besides the real one
	Curve     int      `yaml:"curve" json:"curve"`                                                                                         // recall after every so many turns; 0: none

	Layout   string                  `yaml:"layout" json:"layout"` // shared-prefix | persona-first
	Form     string                  `yaml:"form" json:"form"`     // auto | json | lines
	Sampling map[string]llm.Sampling `yaml:"sampling,omitempty" json:"sampling,omitempty" doc:"by role: player, npc, judge, referee"`

	Characters []string `yaml:"characters,omitempty" json:"characters,omitempty" path:"file" doc:"files, or library; left out: drawn for every session"` // files, or library; none: drawn anew for every session
	Knowledge  []string `yaml:"knowledge,omitempty" json:"knowledge,omitempty" path:"file" doc:"files, or library; left out: the library"`               // files, or library; none: the library
	Scenes     []string `yaml:"scenes,omitempty" json:"scenes,omitempty" path:"file" doc:"files, or library; left out: the library"`                     // likewise
	Pieces     []string `yaml:"pieces,omitempty" json:"pieces,omitempty" path:"file" doc:"files of the pieces of the kind of scenario, whichever it is"` // files of the pieces of any kind of scenario
	Prompts    string   `yaml:"prompts,omitempty" json:"prompts,omitempty" path:"file"`                                                                  // directory; none: the built-in ones

	run.Settings `yaml:",inline"`
}

// Arm is what is compared: who plays the players. All arms play the same sessions.
type Arm struct {
	Name  string   `yaml:"name,omitempty" json:"name"`
	Model string   `yaml:"model,omitempty" json:"model,omitempty"` // plays every player
	Cast  []string `yaml:"cast,omitempty" json:"cast,omitempty"`   // or: one model a player
}

// SetShort takes an arm that is written as the model alone.
func (a *Arm) SetShort(text string) { a.Model = text }

// Models returns the model of each player.
func (a *Arm) Models(players int) []string {
	if len(a.Cast) > 0 {
		return a.Cast
	}
	return slices.Repeat([]string{a.Model}, players)
}

// Endings say when a play ends before its turns are played.
type Endings struct {
	AllPass bool          `yaml:"all_pass" json:"all_pass" doc:"end when everybody passes"`
	Loop    bool          `yaml:"loop,omitempty" json:"loop,omitempty" doc:"end when the talk repeats itself"`
	Tokens  int           `yaml:"tokens,omitempty" json:"tokens,omitempty" doc:"end after this many tokens"`
	Wall    time.Duration `yaml:"wall,omitempty" json:"wall,omitempty" doc:"end after this time, such as 10m"`
}

// list returns the endings in the order in which they are asked.
func (e Endings) list() []sim.Ending {
	var list []sim.Ending
	if e.AllPass {
		list = append(list, sim.AllPass())
	}
	if e.Loop {
		list = append(list, sim.Loop())
	}
	if e.Tokens > 0 {
		list = append(list, sim.TokenBudget(e.Tokens))
	}
	if e.Wall > 0 {
		list = append(list, sim.WallClock(e.Wall))
	}
	return list
}

// roles are those that sampling can be set for.
var roles = []string{"player", "npc", "judge", "referee"}

// The values of Order, with the orders that they name.
var orders = map[string]sim.Order{
	"fixed": sim.Fixed{}, "shuffled": sim.Shuffled{}, "initiative": sim.Initiative{}, "addressed": sim.Addressed{},
}

// Default returns what runs where nothing is said: 12 sessions of the first kind of scenario between reference
// actors.
func Default() *Config {
	return &Config{
		Scenario: scenarios.Kinds()[0].Name, Sessions: 12,
		Order: "fixed", Referee: "none", Endings: Endings{AllPass: true},
		Judge: Lexical, Keypoints: "authored", Curve: 10, Layout: "shared-prefix", Form: "auto",
		Settings: run.Settings{Seed: 1},
	}
}

// Complete fills in what follows from the rest and returns an error for what is wrong. Own are the endpoints
// of the models that the file names: flags may have put others in their place, and then limits of them are
// dropped.
func (c *Config) Complete(own ...string) error {
	kind, err := scenarios.FindKind(c.Scenario)
	if err != nil {
		return run.Usagef("scenario: %w", err)
	}
	if c.Players == 0 {
		c.Players = kind.Players
	}
	if kind.MaxPlayers > 0 && c.Players > kind.MaxPlayers {
		return run.Usagef("players is %d: the scenario %s takes at most %d", c.Players, kind, kind.MaxPlayers)
	}
	switch {
	case c.Rounds > 0 && c.Turns > 0 && c.Turns != c.Rounds*(c.Players+1):
		return run.Usagef("turns is %d and rounds is %d (of %d turns each): say one of the two", c.Turns, c.Rounds, c.Players+1)
	case c.Rounds > 0:
		c.Turns = c.Rounds * (c.Players + 1)
	case c.Turns == 0:
		c.Turns = 30
	}
	c.Rounds = 0
	if len(c.Player) == 0 {
		c.Player = []Arm{{Model: kind.Player}}
	}
	c.NPC, c.Referee = cmp.Or(c.NPC, kind.NPC), cmp.Or(c.Referee, "none")
	if c.Control == nil {
		c.Control = append([]string{}, kind.Controls...) // not nil, which is another value in the manifest
	}
	if err := c.completeArms(); err != nil {
		return err
	}
	for _, check := range []func() error{c.checkWords, c.checkNumbers, c.checkScorers, func() error { return c.checkLimits(own) }} {
		if err := check(); err != nil {
			return err
		}
	}
	c.completeSampling()
	return nil
}

// completeArms names the arms.
func (c *Config) completeArms() error {
	names := map[string]bool{}
	for i := range c.Player {
		a := &c.Player[i]
		if (a.Model == "") == (len(a.Cast) == 0) {
			return run.Usagef("player %d: say either model (plays every player) or cast (one model a player)", i+1)
		}
		if len(a.Cast) > 0 && len(a.Cast) != c.Players {
			return run.Usagef("player %d: its cast has %d models for %d players", i+1, len(a.Cast), c.Players)
		}
		a.Name = cmp.Or(a.Name, a.Model, strings.Join(a.Cast, "+"))
		if names[a.Name] {
			return run.Usagef("two arms are called %q: give them names in the experiment file, or by --player NAME=MODEL", a.Name)
		}
		names[a.Name] = true
	}
	return nil
}

// Words lists what settings that take one of a few words may be, by their keys.
func Words() map[string][]string {
	var names []string
	for _, kind := range scenarios.Kinds() {
		names = append(names, kind.Name)
	}
	return map[string][]string{
		"scenario": names, "order": slices.Sorted(maps.Keys(orders)), "keypoints": {"authored", "judge"}, "layout": {"shared-prefix", "persona-first"},
		"form": {"auto", "json", "lines"}, "control": {scenarios.ControlNoConversation, scenarios.ControlTold},
	}
}

// checkWords checks the settings that take one of a few words, and the models.
func (c *Config) checkWords() error {
	oneOf := func(what, value string, allowed []string) error {
		if slices.Contains(allowed, value) {
			return nil
		}
		return run.Usagef("%s is %q: %ssay one of %s", what, value, yamlfile.DidYouMean(value, allowed), strings.Join(allowed, ", "))
	}
	words := Words()
	checks := []error{
		oneOf("order", c.Order, words["order"]), oneOf("keypoints", c.Keypoints, words["keypoints"]),
		oneOf("layout", c.Layout, words["layout"]), oneOf("form", c.Form, words["form"]),
	}
	for _, control := range c.Control {
		checks = append(checks, oneOf("control", control, words["control"]))
	}
	for _, role := range slices.Sorted(maps.Keys(c.Sampling)) {
		checks = append(checks, oneOf("sampling", role, roles))
		if err := c.Sampling[role].Validate(); err != nil {
			checks = append(checks, run.Usagef("sampling of %s: %w", role, err))
		}
	}
	for _, spec := range c.specs() {
		if _, err := llm.ParseSpec(spec); err != nil {
			checks = append(checks, run.UsageError{Err: err})
		}
	}
	return cmp.Or(checks...)
}

// checkNumbers checks the settings that are numbers.
func (c *Config) checkNumbers() error {
	for what, n := range map[string]int{"sessions": c.Sessions, "players": c.Players, "turns": c.Turns} {
		if n < 1 {
			return run.Usagef("%s is %d: at least 1 is needed", what, n)
		}
	}
	if c.Jobs < 0 || c.Curve < 0 || c.Endings.Tokens < 0 || c.Endings.Wall < 0 {
		return run.Usagef("jobs, curve and the tokens and wall of endings cannot be negative")
	}
	return nil
}

// checkLimits drops limits of models that flags have replaced, and refuses those of no model at all.
func (c *Config) checkLimits(own []string) error {
	used := c.Endpoints()
	named := slices.Compact(slices.Sorted(slices.Values(slices.Concat(used, own))))
	if err := c.Limits.Budget.Validate(); err != nil {
		return run.UsageError{Err: err}
	}
	limits := map[string]llm.Limits{}
	for _, key := range slices.Sorted(maps.Keys(c.Limits.Endpoints)) {
		endpoint := strings.TrimRight(key, "/") // as base URLs are read
		if err := c.Limits.Endpoints[key].Validate(); err != nil {
			return run.Usagef("limits of %s: %w", key, err)
		}
		if _, twice := limits[endpoint]; twice {
			return run.Usagef("limits: %s is there twice", endpoint)
		}
		if !slices.Contains(named, endpoint) {
			return run.Usagef("limits: no model of the experiment is at %s; there are models at: %s", key, cmp.Or(strings.Join(named, ", "), "none"))
		}
		limits[endpoint] = c.Limits.Endpoints[key]
	}
	if c.Limits.Endpoints != nil {
		maps.DeleteFunc(limits, func(endpoint string, _ llm.Limits) bool { return !slices.Contains(used, endpoint) })
		if c.Limits.Endpoints = limits; len(limits) == 0 {
			c.Limits.Endpoints = nil // as it is read back
		}
	}
	return nil
}

// completeSampling writes down what is left to the defaults of each role that a model plays.
func (c *Config) completeSampling() {
	plays := map[string]bool{}
	for _, use := range c.uses() {
		plays[use.Role] = plays[use.Role] || !use.Embeds
	}
	completed := map[string]llm.Sampling{}
	for _, role := range roles {
		s, said := c.Sampling[role]
		if role == "judge" && s.Temperature == nil {
			s.Temperature = new(float64)
		}
		if plays[role] || said {
			completed[role] = s.Complete()
		}
	}
	c.Sampling = completed
}

// Endpoints lists what the models of the configuration are at, as limits name them.
func (c *Config) Endpoints() []string {
	var list []string
	for _, use := range c.uses() {
		if s, err := llm.ParseSpec(use.Model); err == nil {
			list = append(list, s.Endpoint())
		}
	}
	return list
}

// uses lists the language models of the configuration with what they are opened for.
func (c *Config) uses() []run.Use {
	var list []run.Use
	add := func(u run.Use) {
		if u.Model != "" && !reference.Is(u.Model) && !slices.Contains(list, u) {
			list = append(list, u)
		}
	}
	for i := range c.Player {
		for _, m := range c.Player[i].Models(1) {
			add(run.Use{Model: m, Role: "player", Tested: true})
		}
	}
	add(run.Use{Model: c.NPC, Role: "npc"})
	if c.refereed() {
		add(run.Use{Model: c.Referee, Role: "referee"})
	}
	if name, embeds := strings.CutPrefix(c.Judge, Embed); embeds {
		add(run.Use{Model: name, Role: "judge", Embeds: true})
	} else if c.Judge != Lexical {
		add(run.Use{Model: c.Judge, Role: "judge", Judges: true})
	}
	return list
}

// refereed reports whether a model referees.
func (c *Config) refereed() bool {
	return c.Referee != "none" && c.Referee != "dice"
}

// specs lists every model that the configuration names, reference actors too.
func (c *Config) specs() []string {
	list := []string{c.NPC}
	for i := range c.Player {
		list = append(list, c.Player[i].Models(1)...)
	}
	for _, u := range c.uses() {
		list = append(list, u.Model)
	}
	return list
}

// kind returns the kind of scenario, which Complete has found to exist.
func (c *Config) kind() *scenarios.Kind {
	kind, _ := scenarios.FindKind(c.Scenario)
	return kind
}

// files returns the files that the pieces of the kind are read from.
func (c *Config) files() []string {
	own, _ := yamlfile.Get(c, c.kind().Pieces).([]string)
	if len(c.Pieces) > 0 {
		return c.Pieces
	}
	return own
}
