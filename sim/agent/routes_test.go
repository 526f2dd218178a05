package agent_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
	"parley/sim/llm/llmtest"
	"parley/sim/llm/ollama"
	"parley/sim/llm/openai"
)

// TestRoutes has each case said by a model on every route: both adapters' servers, a script, and a replay of
// what was recorded. All are read alike, and the record holds the reply exactly as the server sent it.
func TestRoutes(t *testing.T) {
	cases := replyCases(t)
	server := httptest.NewServer(&llmtest.FaultServer{Reply: func(model string, _ []llm.Message) string {
		var n int
		if _, err := fmt.Sscanf(model, "case%d", &n); err != nil {
			t.Error(err)
		}
		return cases[n].Reply
	}})
	t.Cleanup(server.Close)
	registry := llm.Registry{openai.Adapter(), ollama.Adapter()}
	models := map[string]func(n int) (llm.Model, error){
		"script": func(n int) (llm.Model, error) {
			reply, err := json.Marshal(cases[n].Reply)
			if err != nil {
				return nil, err
			}
			return llm.OpenScript(strings.NewReader("- reply: "+string(reply)), "case.yaml")
		},
	}
	for name, spec := range map[string]string{"stream": "openai:case%d?dialect=openai@%s/v1", "plain": "openai:case%d?dialect=openai&stream=false@%s/v1", "ollama": "ollama:case%d@%s"} {
		models[name] = func(n int) (llm.Model, error) {
			return registry.Open(t.Context(), fmt.Sprintf(spec, n, server.URL), llm.Env{Now: time.Now})
		}
	}
	for name, open := range models {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad := 0
			for n, r := range cases {
				m, err := open(n)
				if err != nil {
					t.Fatalf("%s: %v", r.ID, err)
				}
				d := played(t, m, &r)
				wrong := r.wrong(d.Speech, d.Deed, d.Fault)
				if call := d.Calls[0]; call.Reply != r.Reply {
					t.Errorf("%s: recorded as %q, and the server sent %q", r.ID, call.Reply, r.Reply)
				}
				again := played(t, llm.NewReplay("replay", d.Calls), &r)
				if again.Speech != d.Speech || again.Deed != d.Deed || again.Fault != d.Fault {
					wrong = fmt.Sprintf("replayed as %q, %q with kind %q", again.Speech, again.Deed, again.Fault)
				}
				if wrong != "" {
					bad++
					t.Errorf("%s: %.200q: %s", r.ID, r.Reply, wrong)
				}
			}
			t.Logf("%d of %d are read as noted", len(cases)-bad, len(cases))
		})
	}
}

// played asks a model for the move of a case's character.
func played(t *testing.T, m llm.Model, r *replyCase) sim.Decision {
	t.Helper()
	form := agent.Lines
	if r.Form == "json" {
		form = agent.JSON
	}
	f, err := agent.New(agent.Config{Model: m, Name: "m", Form: form, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	cast := castOf(r.Cast)
	d, err := f.Agent(nil).Act(t.Context(), &sim.View{
		Session: "s", Seed: 1, Self: &characters.Sheet{ID: characters.Slug(r.Actor), Name: r.Actor}, Player: true, Cast: cast,
		Kind: scenarios.Exchange, Title: "At the gate", Premise: "Some people meet.", NPC: cast[len(cast)-1].ID, Turn: 1, Turns: 2,
	})
	if err != nil {
		t.Fatalf("%s: %v", r.ID, err)
	}
	return d
}
