package session_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/characters"
	"parley/eval/run"
	"parley/eval/run/runtest"
	"parley/eval/session"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
	"parley/sim/simtest"
)

// scripts are models that speak in JSON and in lines, and a judge.
var scripts = map[string]string{
	"json.yaml":  "- {purpose: debrief, reply: It is old.}\n- reply: '{\"say\": \"What is it?\", \"do\": \"\", \"to\": []}'\n",
	"lines.yaml": "- reply: 'SAY: Ask me.'\n", "judge.yaml": "- reply: '{}'\n",
}

// sized is a server that takes a size of context; asked gets that of the last call for each purpose.
func sized(asked map[string]int) llm.Adapter {
	return llm.Adapter{Scheme: "sized", Defaults: llm.Defaults{Context: 3000}, Open: func(context.Context, llm.Spec, llm.Env) (llm.Model, error) {
		return llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
			purpose, _, _ := strings.Cut(req.Tag.Purpose, ":")
			asked[purpose] = req.Sampling.NumCtx
			return &llm.Response{Text: `{"say": "Well.", "do": "", "to": []}`, Finish: llm.Stop}, nil
		}), nil
	}}
}

// write writes a file in a directory of the test's own, and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// piece is knowledge in YAML, with a text of so many words.
func piece(id string, words int) string {
	return fmt.Sprintf("- {id: %s, title: the %[1]s, topic: creature, hook: Nobody hangs out a coat., text: The %[1]s is old. %s, facts: [{aspect: nature, text: The %[1]s is old.}]}\n", id, strings.Repeat("It hums. ", words))
}

// people are characters in YAML, of whom the last has a description of so many words.
func people(n, words int) string {
	var b strings.Builder
	for i := range n {
		said := "A tanner."
		if i == n-1 {
			said = strings.Repeat("hums ", words)
		}
		fmt.Fprintf(&b, "- {name: Bo %c Tanner, description: %s}\n", 'A'+i, said)
	}
	return b.String()
}

// The size of context is that of the longest prompts of a run, and every call asks for it.
func TestContexts(t *testing.T) {
	var b strings.Builder
	for _, test := range []struct {
		reason string
		change func(*session.Config)
	}{
		{"as it is", func(*session.Config) {}},
		{"many turns", func(c *session.Config) { c.Turns, c.Endings.Tokens = 100, 1 }},
		{"long replies of another role", func(c *session.Config) {
			c.NPC, c.Sampling = "sized:m", map[string]llm.Sampling{"npc": {MaxTokens: 5000}}
		}},
		{"long replies of a role that another model plays", func(c *session.Config) { c.Sampling = map[string]llm.Sampling{"npc": {MaxTokens: 5000}} }},
		{"a referee", func(c *session.Config) {
			c.Referee, c.Sampling = "sized:m", map[string]llm.Sampling{"referee": {MaxTokens: 5000}}
		}},
		{"a size that is asked for", func(c *session.Config) { c.Sampling = map[string]llm.Sampling{"player": {NumCtx: 1234}} }},
		{"another judges", func(c *session.Config) { c.Judge, c.Scorers = "sized:j", nil }},
		{"another judges in a size that is asked for", func(c *session.Config) {
			c.Judge, c.Scorers, c.Sampling = "sized:j", nil, map[string]llm.Sampling{"judge": {NumCtx: 2222}}
		}},
		{"no controls", func(c *session.Config) { c.Control = []string{} }},
		{"short pieces and people", func(c *session.Config) {
			c.Knowledge, c.Characters = []string{write(t, "k.yaml", piece("moth", 1)+piece("heron", 1))}, []string{write(t, "c.yaml", people(9, 1))}
		}},
		{"it judges too, which needs more than short prompts", func(c *session.Config) {
			c.Knowledge, c.Characters = []string{write(t, "k.yaml", piece("moth", 1))}, []string{write(t, "c.yaml", people(9, 1))}
			c.Judge, c.AllowSelfJudge = "sized:m", true
		}},
		{"a long piece among short ones, in one session", func(c *session.Config) {
			c.Knowledge, c.Characters = []string{write(t, "k.yaml", piece("moth", 1)+piece("heron", 1)+piece("lamp", 900))}, []string{write(t, "c.yaml", people(9, 1))}
		}},
		{"a long sheet among short ones, in one session", func(c *session.Config) {
			c.Knowledge, c.Characters = []string{write(t, "k.yaml", piece("moth", 1)+piece("heron", 1))}, []string{write(t, "c.yaml", people(9, 395))}
		}},
	} {
		asked := map[string]int{}
		p := plan(t, func(c *session.Config) {
			c.Sessions, c.Turns, c.Form, c.Scorers, c.Player, c.Seed = 1, 4, "json", []string{"play"}, []session.Arm{{Model: "sized:m"}}, 3
			test.change(c)
		})()
		m, err := run.Run(t.Context(), filepath.Join(t.TempDir(), "run"), p, run.Options{Kinds: kinds, Registry: llm.Registry{sized(asked)}, Now: time.Now, Jobs: 1})
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		fmt.Fprintf(&b, "%s:", test.reason)
		for _, spec := range slices.Sorted(maps.Keys(m.Models)) {
			fmt.Fprintf(&b, " %s %d", spec, m.Models[spec].NumCtx)
		}
		fmt.Fprintf(&b, ", asked %v\n", asked)
	}
	runtest.Golden(t, "contexts.txt", b.String())
}

// A replay plays every seat in the form and the context of the recorded run, and gives its judge's verdicts; who
// judges itself is seen through replays of replays.
func TestReplay(t *testing.T) {
	registry := append(registry(scripts), sized(map[string]int{}))
	o := run.Options{Kinds: kinds, Registry: registry, Now: time.Now, Jobs: 1}
	record := func(change func(*session.Config)) (string, *run.Manifest, error) {
		dir := filepath.Join(t.TempDir(), "run")
		m, err := run.Run(t.Context(), dir, plan(t, func(c *session.Config) {
			c.Sessions, c.Turns, c.Players, c.Scorers = 1, 3, 2, []string{"play"}
			change(c)
		})(), o)
		return dir, m, err
	}
	every := func(c *session.Config, spec string) {
		c.Player, c.NPC, c.Judge = []session.Arm{{Model: spec}}, spec, spec
	}
	for _, test := range []struct {
		reason         string
		record, replay func(c *session.Config, spec string)
		want, err      string
	}{
		{"forms that differ", func(c *session.Config, _ string) {
			c.Player, c.NPC, c.Judge = []session.Arm{{Model: "script:json.yaml"}}, "script:lines.yaml", "script:judge.yaml"
		}, every, "npc lines 0, player 1 of arm 1 json 0, player 2 of arm 1 json 0, place by place, as recorded in DIR", ""},
		{"one form", func(c *session.Config, _ string) { c.Player = []session.Arm{{Model: "script:lines.yaml"}} },
			func(c *session.Config, spec string) { c.Player = []session.Arm{{Model: spec}} }, "lines 0 as recorded in DIR", ""},
		{"contexts that differ", func(c *session.Config, _ string) {
			c.Player, c.NPC = []session.Arm{{Cast: []string{"script:json.yaml", "sized:m"}}}, "script:json.yaml"
		}, func(c *session.Config, spec string) {
			c.Player, c.NPC = []session.Arm{{Cast: []string{spec, spec}}}, spec
		}, "npc json 0, player 1 of arm 1 json 0, player 2 of arm 1 json 3072, place by place, as recorded in DIR", ""},
		{"an arm more than was recorded", func(c *session.Config, _ string) { c.Player = []session.Arm{{Model: "script:lines.yaml"}} },
			func(c *session.Config, spec string) {
				c.Player = []session.Arm{{Model: "reference:silent"}, {Model: spec}}
			}, "lines 0 as recorded in DIR", ""},
		{"seats that reference actors had", func(c *session.Config, _ string) {
			c.Player = []session.Arm{{Cast: []string{"reference:silent", "script:lines.yaml"}}}
		}, func(c *session.Config, spec string) {
			c.Player = []session.Arm{{Cast: []string{"reference:silent", spec}}}
		}, "lines 0 as recorded in DIR", ""},
		{"another form than was recorded", func(c *session.Config, _ string) { c.Player = []session.Arm{{Model: "script:lines.yaml"}} },
			func(c *session.Config, spec string) { c.Player, c.Form = []session.Arm{{Model: spec}}, "json" }, "", "it was recorded, but"},
		{"nothing judged", func(c *session.Config, _ string) { c.Player = []session.Arm{{Model: "script:json.yaml"}} }, every, "", "has no replies of a judge: it was judged by lexical"},
		{"the judge is the player", func(c *session.Config, _ string) {
			c.Player, c.Judge, c.AllowSelfJudge = []session.Arm{{Model: "script:json.yaml"}}, "script:json.yaml", true
		}, func(c *session.Config, spec string) { c.Player, c.Judge = []session.Arm{{Model: spec}}, spec }, "", "is the model under test (script:json.yaml)"},
		{"a replay of a replay is judged by its player", func(c *session.Config, _ string) {
			inner, _, err := record(func(c *session.Config) { c.Player = []session.Arm{{Model: "script:json.yaml"}} })
			if err != nil {
				t.Fatal(err)
			}
			c.Player = []session.Arm{{Model: "replay:" + inner}}
		}, func(c *session.Config, spec string) {
			c.Player, c.Judge = []session.Arm{{Model: spec}}, "script:json.yaml"
		}, "", "the judge script:json.yaml is the model under test (script:json.yaml)"},
	} {
		dir, was, err := record(func(c *session.Config) { test.record(c, "") })
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		spec := "replay:" + dir
		again, m, err := record(func(c *session.Config) { test.replay(c, spec) })
		if test.err != "" || err != nil {
			if test.err == "" || err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: %v, want %s", test.reason, err, test.err)
			}
			continue
		}
		got, served := "", m.Models[spec]
		for _, at := range slices.Sorted(maps.Keys(served.Places)) {
			got += fmt.Sprintf("%s %s %d, ", at, served.Places[at].Form, served.Places[at].NumCtx)
		}
		if served.Form != "" {
			got += fmt.Sprintf("%s %d ", served.Form, served.NumCtx)
		}
		if got = strings.ReplaceAll(got+served.Why, dir, "DIR"); got != test.want {
			t.Errorf("%s: %s, want %s", test.reason, got, test.want)
		}
		_, c, err := session.Read(again)
		if err != nil {
			t.Fatal(err)
		}
		_, recorded, err := session.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		arm := c.Player[len(c.Player)-1].Name
		for at, role := range []string{"player", "player", "npc"} {
			if a, b := c.FormOf(m, arm, role, at), recorded.FormOf(was, recorded.Player[0].Name, role, at); a != b {
				t.Errorf("%s: %s %d plays in the form %q, and played in %q", test.reason, role, at+1, a, b)
			}
		}
	}
}

// Actors play outside of a run as they would in it.
func TestOpenActors(t *testing.T) {
	c := session.Default()
	c.Player, c.NPC = []session.Arm{{Model: "script:json.yaml"}}, "script:lines.yaml"
	if err := c.Complete(); err != nil {
		t.Fatal(err)
	}
	s := simtest.Exchange(3)
	open := func() (*session.Actors, error) {
		return session.OpenActors(t.Context(), c, func() ([]*scenarios.Scenario, error) { return []*scenarios.Scenario{s}, nil }, run.Options{Registry: registry(scripts), Now: time.Now})
	}
	a, err := open()
	if err != nil {
		t.Fatal(err)
	}
	table, actors := new(agent.Table), map[characters.ID]sim.Actor{}
	for _, sheet := range s.Cast {
		if actors[sheet.ID] = a.Player(table); sheet.ID == s.NPC {
			actors[sheet.ID] = a.NPC(table)
		}
	}
	ep := sim.NewEpisode("s", 1, s, 3)
	for _, err := range (&sim.Game{Episode: ep, Actors: actors, Now: simtest.Clock()}).Play(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	var said []string
	for _, m := range ep.Moves() {
		said = append(said, m.Speech)
	}
	if got := strings.Join(said, " "); got != "What is it? What is it? Ask me." {
		t.Errorf("%s", got)
	}
	c.Referee = "reference:npc"
	if _, err := open(); err == nil || err.Error() != "reference:npc cannot referee: say none, dice or a chat model" {
		t.Errorf("%v", err)
	}
	if _, err := session.ScorerOf(c, "charm"); err == nil || err.Error() != `the scorers iep, play give no metric "charm"` {
		t.Errorf("%v", err)
	}
	if first, err := session.ScorerOf(c, ""); err != nil || first.Name() != "iep" {
		t.Errorf("%v, %v", first, err)
	}
}

// Characters and pieces come from the files that are named, and every piece is played before one is played again.
func TestMaterial(t *testing.T) {
	pieces := write(t, "k.yaml", piece("moth", 1)+piece("heron", 1)+piece("lamp", 1))
	for cast, want := range map[int]string{4: "characters: 4 for a cast of 5", 5: "", 9: ""} {
		dir := filepath.Join(t.TempDir(), "run")
		_, err := run.Run(t.Context(), dir, plan(t, func(c *session.Config) {
			c.Sessions, c.Turns, c.Players, c.Scorers, c.Control, c.Knowledge, c.Characters = 9, 1, 4, []string{"play"}, []string{}, []string{pieces}, []string{write(t, "c.yaml", people(cast, 1))}
		})(), run.Options{Kinds: kinds, Registry: registry(nil), Now: time.Now})
		if want != "" {
			if err == nil || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
			continue
		}
		rows, err := session.Sessions.All(dir)
		if err != nil {
			t.Fatal(err)
		}
		played, seated := map[string]int{}, map[string]bool{}
		for i, row := range rows {
			if played[row.Title]++; played[row.Title] != i/3+1 {
				t.Errorf("session %d plays %s for the %d. time", i+1, row.Title, played[row.Title])
			}
			ids := map[string]bool{}
			for _, seat := range row.Cast {
				ids[seat.ID], seated[seat.ID] = true, true
			}
			if len(ids) != 5 {
				t.Errorf("the cast of session %d is %v", i+1, row.Cast)
			}
		}
		if len(seated) != cast {
			t.Errorf("%d of %d characters played", len(seated), cast)
		}
	}
}
