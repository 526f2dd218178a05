package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/dice"
	"parley/sim/llm"
)

// tried is an episode whose last event is a deed of Orla's, which only some may see.
func tried(t testing.TB, to ...characters.ID) (*sim.Episode, *sim.Event) {
	t.Helper()
	s := &scenarios.Scenario{
		Kind: scenarios.Exchange, Title: "the Ashen Bell", Premise: "Rain keeps four people in a chapel for the night.",
		Cast: sheets, NPC: "maud", Knowledge: knowledge, Briefs: map[characters.ID]string{"orla": "Find out about the bell."},
	}
	ep := sim.NewEpisode("s1", 99, s, 30)
	var events []sim.Event
	for i, e := range play()[:5] {
		c := *e
		c.Session, c.Seq, c.Last = "s1", i, true
		events = append(events, c)
	}
	if err := ep.Restore(events, 0); err != nil {
		t.Fatal(err)
	}
	return ep, &sim.Event{
		Kind: sim.KindAct, Actor: "orla", Turn: 5, Speech: "Hold the ladder: now!", Deed: `climbs [up] to the "bell"`,
		Skill: characters.Athletics, Audience: to,
	}
}

func master(t testing.TB, m llm.Model, cfg agent.Config) *agent.DM {
	t.Helper()
	cfg.Model, cfg.Name, cfg.Now = m, "script:test", now
	d, err := agent.NewDM(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestRefereePrompt(t *testing.T) {
	for name, to := range map[string][]characters.ID{
		"referee": nil, "referee-whisper": {"orla", "maud"}, "referee-whisper-shared": {"zephyrine-d-arc", "bren"},
	} {
		m := &model{reply: "{}"}
		ep, deed := tried(t, to...)
		if _, _, err := master(t, m, agent.Config{}).Resolve(t.Context(), ep, deed); err != nil {
			t.Fatal(err)
		}
		golden(t, name, m.prompt())
		for _, private := range []string{"sold a false map", "grave iron", "Find out", "brother's bow"} {
			if strings.Contains(m.prompt(), private) {
				t.Errorf("the referee is told %q", private)
			}
		}
		if got, want := strings.Contains(m.prompt(), "Follow me outside"), name == "referee-whisper-shared"; got != want {
			t.Errorf("%s: the referee knows what was whispered: %v, want %v", name, got, want)
		}
		var schema struct {
			Required   []string
			Properties struct {
				Check struct{ Enum []string }
			}
		}
		if err := json.Unmarshal(m.asked[0].Schema, &schema); err != nil || len(schema.Required) != 5 || len(schema.Properties.Check.Enum) != 19 {
			t.Errorf("the schema is %s, error %v", m.asked[0].Schema, err)
		}
	}
	m := &model{reply: "{}"}
	ep, deed := tried(t)
	if _, _, err := master(t, m, agent.Config{Form: agent.Lines}).Resolve(t.Context(), ep, deed); err != nil || m.asked[0].Schema != nil {
		t.Errorf("in the lines form a schema is sent: %s, error %v", m.asked[0].Schema, err)
	}
}

func TestVerdicts(t *testing.T) {
	const up, down = "She reaches the beam.", "Her foot slips."
	verdict := func(check, class, mode string) string {
		return `{"check": ` + check + `, "difficulty": ` + class + `, "mode": ` + mode + `, "success": "` + up + `", "failure": "` + down + `"}`
	}
	for _, test := range []struct {
		reason, raw string
		finish      llm.Finish
		skill       string // rolled for; empty: no roll
		class       int
		mode        dice.Mode
		fault       string
		mute        bool // nothing is told
	}{
		{reason: "a check", raw: verdict(`"Athletics"`, "15", `"straight"`), skill: "Athletics", class: 15, mode: dice.Straight},
		{reason: "advantage", raw: verdict(`"Sleight of Hand"`, "5", `"advantage"`), skill: "Sleight of Hand", class: 5, mode: dice.Advantage},
		{reason: "disadvantage", raw: verdict(`"Stealth"`, "25", `"Disadvantage"`), skill: "Stealth", class: 25, mode: dice.Disadvantage},
		{reason: "no check", raw: verdict(`"none"`, "10", `"straight"`)},
		{reason: "no check, and nothing made up for the rest", raw: `{"check": null, "success": "` + up + `"}`},
		{reason: "fences, prose and reasoning", raw: "<think>Hm.</think>Sure:\n```json\n" + verdict(`"Athletics"`, "12", `"straight"`) + "\n```", skill: "Athletics", class: 12, mode: dice.Straight},
		{reason: "numbers as text, skills as people write them", raw: verdict(`"athletics check"`, `"DC 12"`, `"straight"`), skill: "Athletics", class: 12, mode: dice.Straight},
		{reason: "no mode is the usual one", raw: `{"skill": "Athletics", "dc": 12, "success": "` + up + `", "failure": "` + down + `"}`, skill: "Athletics", class: 12, mode: dice.Straight},
		{reason: "an unknown skill", raw: verdict(`"Climbing the bell"`, "12", `"straight"`), fault: agent.FaultMalformed, mute: true},
		{reason: "no check is named", raw: `{"difficulty": 12, "mode": "straight", "success": "a b", "failure": "c d"}`, fault: agent.FaultMalformed, mute: true},
		{reason: "too hard", raw: verdict(`"Athletics"`, "30", `"straight"`), fault: agent.FaultMalformed, mute: true},
		{reason: "too easy", raw: verdict(`"Athletics"`, "4", `"straight"`), fault: agent.FaultMalformed, mute: true},
		{reason: "no number", raw: verdict(`"Athletics"`, `"hard"`, `"straight"`), fault: agent.FaultMalformed, mute: true},
		{reason: "an unknown mode", raw: verdict(`"Athletics"`, "12", `"heroic"`), fault: agent.FaultMalformed, mute: true},
		{reason: "no failure", raw: `{"check": "Athletics", "difficulty": 12, "mode": "straight", "success": "Up."}`, fault: agent.FaultMalformed, mute: true},
		{reason: "nothing to tell", raw: `{"check": "none", "success": ""}`, fault: agent.FaultMalformed, mute: true},
		{reason: "the placeholders", raw: `{"check": "none", "success": "<what comes of it>"}`, fault: agent.FaultMalformed, mute: true},
		{reason: "prose", raw: "Orla climbs up, no check needed.", fault: agent.FaultMalformed, mute: true},
		{reason: "empty", raw: "", fault: agent.FaultEmpty, mute: true},
		{reason: "cut", raw: `{"check": "Athletics", "difficulty": 12, "mo`, finish: llm.Length, fault: agent.FaultCutOff, mute: true},
		{reason: "refused", raw: "As an AI language model I cannot judge this.", fault: agent.FaultRefusal, mute: true},
		{reason: "said by the server", raw: "", finish: llm.Refused, fault: agent.FaultRefusal, mute: true},
		{reason: "filtered", raw: "", finish: llm.Filtered, fault: agent.FaultFiltered, mute: true},
		{reason: "a token behind it", raw: verdict(`"none"`, "10", `"straight"`) + "<|im_end|>user", fault: agent.FaultTemplateTokens},
		{reason: "a token instead", raw: "<|im_start|>user", fault: agent.FaultTemplateTokens, mute: true},
		{reason: "a flood", raw: strings.Repeat("The bell rings. ", 3000), fault: agent.FaultRepetition, mute: true},
		{reason: "another language", raw: `{"check": "none", "success": "Она поднимается наверх."}`, fault: agent.FaultOtherLanguage, mute: true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			audience := []characters.ID{"orla", "bren"}
			ep, deed := tried(t, audience...)
			m := &model{reply: test.raw, finish: test.finish}
			events, calls, err := master(t, m, agent.Config{}).Resolve(t.Context(), ep, deed)
			if err != nil {
				t.Fatal(err)
			}
			if len(calls) != 1 || calls[0].Reply != test.raw || calls[0].Purpose != "referee" || calls[0].ID != "s1/5//referee/0" {
				t.Errorf("calls %+v", calls)
			}
			for _, e := range events {
				if diff := cmp.Diff(audience, e.Audience); diff != "" {
					t.Errorf("the audience of %s differs: %s", e.Kind, diff)
				}
			}
			told := events[len(events)-1]
			want := up
			if test.skill != "" {
				roll := events[0].Roll
				if len(events) != 2 || events[0].Kind != sim.KindRoll || events[0].Actor != "orla" {
					t.Fatalf("events %+v", events)
				}
				skill := characters.Skill(test.skill)
				again := dice.Check(sim.Rand(sim.Mix(ep.Seed, sim.HashText("dice"), 5)), test.skill, sheets[0].Modifier(skill), test.class, test.mode)
				if diff := cmp.Diff(&again, roll); diff != "" {
					t.Errorf("the roll is not the seed's (-want +got):\n%s", diff)
				}
				if !roll.Success {
					want = down
				}
			} else if len(events) != 1 {
				t.Fatalf("events %+v", events)
			}
			if test.mute {
				want = ""
			}
			if told.Kind != sim.KindNarration || told.Text != want || told.Fault != test.fault || told.Actor != "" {
				t.Errorf("told %q with fault %q, want %q with %q", told.Text, told.Fault, want, test.fault)
			}
		})
	}
}

// A verdict that is none is counted, and shown to no agent.
func TestNoVerdictIsNoLine(t *testing.T) {
	with := append(play()[:6:6], &sim.Event{Kind: sim.KindNarration, Turn: 5, Fault: agent.FaultMalformed})
	a, b := &model{reply: "PASS"}, &model{reply: "PASS"}
	for m, events := range map[*model][]*sim.Event{a: with, b: play()[:6]} {
		if _, err := build(t, m, agent.Config{}).Act(t.Context(), view(0, scenarios.Exchange, events...)); err != nil {
			t.Fatal(err)
		}
	}
	if a.prompt() != b.prompt() {
		t.Errorf("a verdict that is none stands in a prompt:\n%s", a.prompt())
	}
}

func TestRefereeErrors(t *testing.T) {
	ep, deed := tried(t)
	gone := errors.New("gone")
	fail := func(err error) llm.Model {
		return llm.Func(func(context.Context, llm.Request) (*llm.Response, error) { return nil, err })
	}
	if events, calls, err := master(t, fail(gone), agent.Config{}).Resolve(t.Context(), ep, deed); !errors.Is(err, gone) || events != nil || len(calls) != 1 {
		t.Errorf("%d events, %d calls, error %v; want the model's error", len(events), len(calls), err)
	}
	events, calls, err := master(t, fail(&llm.Error{Fault: llm.Blocked}), agent.Config{}).Resolve(t.Context(), ep, deed)
	if err != nil || len(calls) != 1 || len(events) != 1 || events[0].Fault != agent.FaultFiltered {
		t.Errorf("a filter's error: events %+v, error %v; want a fault", events, err)
	}
	deed.Deed = ""
	if events, calls, err := master(t, fail(gone), agent.Config{}).Resolve(t.Context(), ep, deed); events != nil || calls != nil || err != nil {
		t.Errorf("without a deed: %d events, %d calls, error %v", len(events), len(calls), err)
	}
	if _, err := agent.NewDM(agent.Config{}); err == nil {
		t.Error("a game master without a model is set up")
	}
}

// One game master serves many sessions at once, and says the same to each as alone.
func TestOneRefereeForAll(t *testing.T) {
	m := llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
		return &llm.Response{Text: `{"check": "Stealth", "difficulty": 12, "mode": "advantage", "success": "Unseen.", "failure": "Seen."}`, Finish: llm.Stop}, nil
	})
	d := master(t, m, agent.Config{})
	ep, deed := tried(t)
	want, _, err := d.Resolve(t.Context(), ep, deed)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			ep, deed := tried(t)
			got, _, err := d.Resolve(t.Context(), ep, deed)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("differs (-want +got), error %v:\n%s", err, diff)
			}
		})
	}
	all.Wait()
}

func FuzzVerdict(f *testing.F) {
	for _, raw := range []string{
		`{"check": "Athletics", "difficulty": 15, "mode": "straight", "success": "Up.", "failure": "Down."}`,
		`{"check": null, "success": "Up."}`, "```json\n{'check': 'none', success: 'Up'}", "<think>", `{"dc": "DC 5", "skill": "stealth check"`,
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		ep, deed := tried(t)
		events, calls, err := master(t, &model{reply: raw}, agent.Config{}).Resolve(t.Context(), ep, deed)
		if err != nil || len(calls) != 1 || calls[0].Reply != raw || len(events) == 0 || len(events) > 2 {
			t.Fatalf("%d events, %d calls, error %v", len(events), len(calls), err)
		}
		told := events[len(events)-1]
		if told.Kind != sim.KindNarration || told.Text == "" && told.Fault == "" || len([]rune(told.Text)) > agent.MaxRunes || strings.Contains(told.Text, "\n") {
			t.Errorf("told %+v", told)
		}
		if len(events) == 2 {
			if r := events[0].Roll; r == nil || r.Class < 5 || r.Class > 25 || !characters.Skill(r.Skill).Valid() || told.Text == "" {
				t.Errorf("rolled %+v, told %+v", r, told)
			}
		}
	})
}
