package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/llm"
)

// Experiment is the whole configuration of a run: what the YAML file holds, what flags overlay, and
// what the manifest keeps. A zero value is filled in by complete.
type Experiment struct {
	Name     string `yaml:"name,omitempty" json:"name,omitempty"`
	Scenario string `yaml:"scenario" json:"scenario"` // a kind of scenario
	Sessions int    `yaml:"sessions" json:"sessions"` // of each arm
	Players  int    `yaml:"players" json:"players"`
	Turns    int    `yaml:"turns" json:"turns"`
	Rounds   int    `yaml:"rounds,omitempty" json:"rounds,omitempty"` // another way to say turns
	Player   []Arm  `yaml:"player" json:"player"`
	NPC      string `yaml:"npc" json:"npc"`

	Order   string  `yaml:"order" json:"order"`     // fixed | shuffled | initiative | addressed
	Referee string  `yaml:"referee" json:"referee"` // none | dice | a model
	Endings Endings `yaml:"endings" json:"endings"`

	Judge          string   `yaml:"judge" json:"judge"`         // lexical | embed:MODEL | a model
	Keypoints      string   `yaml:"keypoints" json:"keypoints"` // authored | judge
	Control        []string `yaml:"control,omitempty" json:"control,omitempty"`
	Curve          int      `yaml:"curve" json:"curve"`                     // recall after every so many turns; 0: none
	Cache          string   `yaml:"cache,omitempty" json:"cache,omitempty"` // directory that keeps the judge's replies; none: they are not kept
	AllowSelfJudge bool     `yaml:"allow_self_judge,omitempty" json:"allow_self_judge,omitempty"`

	Layout   string                  `yaml:"layout" json:"layout"` // shared-prefix | persona-first
	Form     string                  `yaml:"form" json:"form"`     // auto | json | lines
	Sampling map[string]llm.Sampling `yaml:"sampling,omitempty" json:"sampling,omitempty"`

	Characters []string `yaml:"characters,omitempty" json:"characters,omitempty"` // files, or library; none: drawn anew for every session
	Knowledge  []string `yaml:"knowledge,omitempty" json:"knowledge,omitempty"`   // files; none: the library
	Scenes     []string `yaml:"scenes,omitempty" json:"scenes,omitempty"`         // files; none: the library
	Prompts    string   `yaml:"prompts,omitempty" json:"prompts,omitempty"`       // directory; none: the built-in ones
	Prices     string   `yaml:"prices,omitempty" json:"prices,omitempty"`         // file

	Seed   uint64                `yaml:"seed" json:"seed"`
	Jobs   int                   `yaml:"jobs" json:"jobs"`                         // sessions at once; 0: by the models
	Limits map[string]llm.Limits `yaml:"limits,omitempty" json:"limits,omitempty"` // by endpoint: ollama, openai, or a base URL
	Out    string                `yaml:"out,omitempty" json:"out,omitempty"`
	JSON   bool                  `yaml:"json,omitempty" json:"-"`
}

// Arm is what is compared: who plays the players. All arms play the same sessions.
type Arm struct {
	Name  string   `yaml:"name,omitempty" json:"name"`
	Model string   `yaml:"model,omitempty" json:"model,omitempty"` // plays every player
	Cast  []string `yaml:"cast,omitempty" json:"cast,omitempty"`   // or: one model a player
}

// UnmarshalYAML reads an arm as a mapping or as the model alone.
func (a *Arm) UnmarshalYAML(node ast.Node) error {
	if text, ok := specText(node); ok {
		a.Model = text
		return nil
	}
	type plain struct {
		Name  string     `yaml:"name"`
		Model specNode   `yaml:"model"`
		Cast  []specNode `yaml:"cast"`
	}
	var p plain
	if err := yaml.NodeToValue(node, &p, yaml.Strict()); err != nil {
		return err
	}
	a.Name, a.Model, a.Cast = p.Name, string(p.Model), nil
	for _, m := range p.Cast {
		a.Cast = append(a.Cast, string(m))
	}
	return nil
}

// specNode is a model in a YAML file.
type specNode string

// UnmarshalYAML reads a model.
func (s *specNode) UnmarshalYAML(node ast.Node) error {
	text, ok := specText(node)
	if !ok {
		return &yaml.SyntaxError{Message: "a model is written scheme:name[?key=value][@base-url]", Token: node.GetToken()}
	}
	*s = specNode(text)
	return nil
}

// specText returns the text of a model. Within [brackets] the YAML parser takes scheme:name for a
// mapping, of which the text is put together again.
func specText(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.MappingNode:
		if len(n.Values) == 1 {
			return specText(n.Values[0])
		}
	case *ast.MappingValueNode:
		key := n.Key.GetToken()
		if key.Next == nil || key.Next.Next == nil || key.Next.Next.Position.Offset != key.Next.Position.Offset+1 {
			return "", false // a space after the colon: a mapping is meant
		}
		rest, ok := specText(n.Value)
		if !ok {
			rest = n.Value.GetToken().Value
		}
		return key.Value + ":" + rest, true
	}
	return "", false
}

// models returns the model of each player.
func (a *Arm) models(players int) []string {
	if len(a.Cast) > 0 {
		return a.Cast
	}
	return slices.Repeat([]string{a.Model}, players)
}

// Endings say when a play ends before its turns are played.
type Endings struct {
	AllPass bool          `yaml:"all_pass" json:"all_pass"`
	Loop    bool          `yaml:"loop,omitempty" json:"loop,omitempty"`
	Tokens  int           `yaml:"tokens,omitempty" json:"tokens,omitempty"`
	Wall    time.Duration `yaml:"wall,omitempty" json:"wall,omitempty"`
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

// The roles that sampling can be set for.
var samplingRoles = []string{"player", "npc", "judge", "referee"}

// defaultExperiment is what runs without a file or a flag.
func defaultExperiment() *Experiment {
	return &Experiment{
		Scenario: scenarios.Exchange.Name, Sessions: 12, Players: 3, Turns: 30,
		Order: "fixed", Referee: "none", Endings: Endings{AllPass: true},
		Judge: "lexical", Keypoints: "authored", Curve: 10, Layout: "shared-prefix", Form: "auto", Seed: 1,
	}
}

// complete fills in what follows from the rest and says what is wrong. Own are the endpoints of the
// models that the file names: flags may have put others in their place, and then limits of them count
// for nothing.
func (e *Experiment) complete(own ...string) error {
	kind, err := scenarios.FindKind(e.Scenario)
	if err != nil {
		return usagef("scenario: %w", err)
	}
	if kind.MaxPlayers > 0 && e.Players > kind.MaxPlayers {
		return usagef("players is %d: the scenario %s takes at most %d", e.Players, kind, kind.MaxPlayers)
	}
	switch {
	case e.Rounds > 0 && e.Turns > 0 && e.Turns != e.Rounds*(e.Players+1):
		return usagef("turns is %d and rounds is %d (of %d turns each): say one of the two", e.Turns, e.Rounds, e.Players+1)
	case e.Rounds > 0:
		e.Turns = e.Rounds * (e.Players + 1)
	case e.Turns == 0:
		e.Turns = 30
	}
	e.Rounds = 0
	if len(e.Player) == 0 {
		e.Player = []Arm{{Model: kind.Player}}
	}
	if e.NPC == "" {
		e.NPC = kind.NPC
	}
	names := map[string]bool{}
	for i := range e.Player {
		a := &e.Player[i]
		if (a.Model == "") == (len(a.Cast) == 0) {
			return usagef("player %d: say either model (plays every player) or cast (one model a player)", i+1)
		}
		if len(a.Cast) > 0 && len(a.Cast) != e.Players {
			return usagef("player %d: its cast has %d models for %d players", i+1, len(a.Cast), e.Players)
		}
		if a.Name == "" {
			a.Name = a.Model
			if a.Name == "" {
				a.Name = strings.Join(a.Cast, "+")
			}
		}
		if names[a.Name] {
			return usagef("two arms are called %q: give them names in the experiment file", a.Name)
		}
		names[a.Name] = true
	}
	oneOf := func(what, value string, allowed ...string) error {
		if slices.Contains(allowed, value) {
			return nil
		}
		return usagef("%s is %q: say one of %s", what, value, strings.Join(allowed, ", "))
	}
	checks := []error{
		oneOf("order", e.Order, "fixed", "shuffled", "initiative", "addressed"),
		oneOf("keypoints", e.Keypoints, "authored", "judge"),
		oneOf("layout", e.Layout, "shared-prefix", "persona-first"),
		oneOf("form", e.Form, "auto", "json", "lines"),
	}
	for _, c := range e.Control {
		checks = append(checks, oneOf("control", c, sim.ControlNoConversation, sim.ControlTold))
	}
	for _, role := range slices.Sorted(maps.Keys(e.Sampling)) {
		checks = append(checks, oneOf("sampling", role, samplingRoles...))
		if err := e.Sampling[role].Validate(); err != nil {
			checks = append(checks, usagef("sampling of %s: %w", role, err))
		}
	}
	atLeastOne := func(what string, n int) error {
		if n < 1 {
			return usagef("%s is %d: at least 1 is needed", what, n)
		}
		return nil
	}
	checks = append(checks, atLeastOne("sessions", e.Sessions), atLeastOne("players", e.Players), atLeastOne("turns", e.Turns))
	if e.Jobs < 0 || e.Curve < 0 || e.Endings.Tokens < 0 || e.Endings.Wall < 0 {
		checks = append(checks, usagef("jobs, curve and the tokens and wall of endings cannot be negative"))
	}
	if e.Keypoints == "judge" && (e.Judge == "lexical" || strings.HasPrefix(e.Judge, "embed:")) {
		checks = append(checks, usagef("keypoints: judge needs a chat model as the judge; %s condenses nothing", e.Judge))
	}
	for _, spec := range e.models() {
		if _, err := llm.ParseSpec(spec); err != nil {
			checks = append(checks, usageError{err})
		}
	}
	used := e.endpoints()
	named := slices.Compact(slices.Sorted(slices.Values(slices.Concat(used, own))))
	limits := map[string]llm.Limits{}
	for _, key := range slices.Sorted(maps.Keys(e.Limits)) {
		endpoint := strings.TrimRight(key, "/") // as base URLs are read
		if err := e.Limits[key].Validate(); err != nil {
			checks = append(checks, usagef("limits of %s: %w", key, err))
		}
		if _, twice := limits[endpoint]; twice {
			checks = append(checks, usagef("limits: %s stands there twice", endpoint))
		}
		if !slices.Contains(named, endpoint) {
			checks = append(checks, usagef("limits: no model of the experiment is at %s; there are models at: %s", key, cmp.Or(strings.Join(named, ", "), "none")))
		}
		limits[endpoint] = e.Limits[key]
	}
	for _, err := range checks {
		if err != nil {
			return err
		}
	}
	if e.Limits != nil {
		maps.DeleteFunc(limits, func(endpoint string, _ llm.Limits) bool { return !slices.Contains(used, endpoint) })
		e.Limits = limits
	}
	e.completeSampling()
	return nil
}

// completeSampling writes down what is left to the defaults of each role that a model plays.
func (e *Experiment) completeSampling() {
	plays := map[string]bool{
		"npc":     !isReference(e.NPC),
		"referee": e.Referee != "none" && e.Referee != "dice",
		"judge":   e.Judge != "lexical" && !strings.HasPrefix(e.Judge, "embed:"),
	}
	for i := range e.Player {
		plays["player"] = plays["player"] || slices.ContainsFunc(e.Player[i].models(e.Players), func(spec string) bool { return !isReference(spec) })
	}
	completed := map[string]llm.Sampling{}
	for _, role := range samplingRoles {
		s, said := e.Sampling[role]
		if role == "judge" && s.Temperature == nil {
			s.Temperature = new(float64)
		}
		if plays[role] || said {
			completed[role] = s.Complete()
		}
	}
	if len(completed) > 0 {
		e.Sampling = completed
	}
}

// endpoints lists what the models of the experiment are at.
func (e *Experiment) endpoints() []string {
	var list []string
	for _, spec := range e.models() {
		if s, err := llm.ParseSpec(spec); err == nil && !isReference(spec) {
			list = append(list, s.Endpoint())
		}
	}
	return list
}

// models lists every model that the experiment names, the judge's too.
func (e *Experiment) models() []string {
	var specs []string
	add := func(s string) {
		if !slices.Contains(specs, s) {
			specs = append(specs, s)
		}
	}
	for i := range e.Player {
		for _, m := range e.Player[i].models(1) {
			add(m)
		}
	}
	add(e.NPC)
	if e.Referee != "none" && e.Referee != "dice" {
		add(e.Referee)
	}
	if e.Judge != "lexical" {
		add(strings.TrimPrefix(e.Judge, "embed:"))
	}
	return specs
}

// order returns who moves when.
func (e *Experiment) order() sim.Order {
	switch e.Order {
	case "shuffled":
		return sim.Shuffled{}
	case "initiative":
		return sim.Initiative{}
	case "addressed":
		return sim.Addressed{}
	}
	return sim.Fixed{}
}

// sessionSeed is the seed of the i-th session, the same for every arm.
func (e *Experiment) sessionSeed(i int) uint64 { return sim.Mix(e.Seed, uint64(i)) }

// kind is the kind of scenario; nil where there is none of that name.
func (e *Experiment) kind() *scenarios.Kind {
	kind, _ := scenarios.FindKind(e.Scenario)
	return kind
}

// files are those that the pieces of its kind are read from.
func (e *Experiment) files() []string {
	return map[string][]string{"knowledge": e.Knowledge, "scenes": e.Scenes}[e.kind().Pieces]
}

// stage is what scenarios are drawn from.
type stage struct {
	sheets []*characters.Sheet // nil: drawn anew for every session
	pieces []scenarios.Piece   // of the experiment's kind; nil: the library
}

// scenario makes the situation of the i-th session, the same for every arm.
func (e *Experiment) scenario(st *stage, i int) *scenarios.Scenario {
	seed := e.sessionSeed(i)
	r := sim.Rand(sim.Mix(seed, sim.HashText("cast")))
	var cast []*characters.Sheet
	if st.sheets == nil {
		cast = characters.Generate(r, e.Players+1)
	} else {
		for _, at := range r.Perm(len(st.sheets))[:e.Players+1] {
			cast = append(cast, st.sheets[at])
		}
	}
	// Every piece of the library is played once before any is played again.
	pick := func(n int) int {
		round := sim.Rand(sim.Mix(e.Seed, sim.HashText("stage"), uint64(i/n)))
		return round.Perm(n)[i%n]
	}
	pieces := st.pieces
	if pieces == nil {
		pieces = e.kind().Library()
	}
	piece := pieces[pick(len(pieces))]
	return piece.Scenario(cast, sim.Rand(sim.Mix(seed, sim.HashText("aims"))))
}
