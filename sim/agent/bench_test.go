package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
)

// BenchmarkAgentTurn measures one turn of one agent with a model that answers at once, in a game of
// four: every turn makes an event that all perceive. A session is played up to the number of events,
// then new agents begin the next one.
func BenchmarkAgentTurn(b *testing.B) {
	for _, n := range []int{30, 300} {
		for _, form := range []agent.Form{agent.JSON, agent.Lines} {
			b.Run(fmt.Sprintf("%s/%d", form, n), func(b *testing.B) {
				reply := &llm.Response{Text: `{"speech": "Then tell me who rang it last, and why the others left.", "deed": "leans closer", "to": []}`, Finish: llm.Stop}
				if form == agent.Lines {
					reply = &llm.Response{Text: "SAY: Then tell me who rang it last, and why the others left.\nDO: leans closer", Finish: llm.Stop}
				}
				instant := llm.Func(func(context.Context, llm.Request) (*llm.Response, error) { return reply, nil })
				factory, err := agent.New(agent.Config{Model: instant, Name: "script:instant", Form: form, Now: now})
				if err != nil {
					b.Fatal(err)
				}
				events := make([]*sim.Event, n)
				for i := range events {
					events[i] = &sim.Event{Seq: i, Turn: i + 1, Kind: sim.KindAct, Actor: sheets[i%4].ID,
						Speech: fmt.Sprintf("Line %d: I heard that the bell was cast from grave iron.", i), Deed: "shrugs"}
				}
				var views [4]*sim.View
				for i := range views {
					views[i] = view(i, scenarios.Exchange)
				}
				var agents [4]*agent.Agent
				turn := n
				b.ReportAllocs()
				for b.Loop() {
					if turn++; turn > n {
						turn = 1
						table := new(agent.Table)
						for i := range agents {
							agents[i] = factory.Agent(table)
						}
					}
					v := views[turn%4]
					v.Turn, v.Events = turn, events[:turn-1]
					if d, err := agents[turn%4].Act(context.Background(), v); err != nil || d.Fault != "" {
						b.Fatal(d.Fault, err)
					}
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
			})
		}
	}
}

func BenchmarkParse(b *testing.B) {
	cast := public()
	for name, raw := range map[string]string{
		"json":  `{"speech": "Then tell me who rang it last, and why the others left.", "deed": "leans closer", "to": ["Bren"]}`,
		"plain": `Orla: "Then tell me who rang it last, and why the others left." *leans closer*`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				agent.Parse(raw, characters.ID("orla"), cast)
			}
		})
	}
}

// BenchmarkParseHostile shows that the time grows with the length of a reply and not with its square:
// ns/byte has to be of one order at both sizes.
func BenchmarkParseHostile(b *testing.B) {
	for name, piece := range hostile {
		for _, size := range []int{10_000, 100_000} {
			var text strings.Builder
			for i := 0; text.Len() < size; i++ {
				text.WriteString(strings.ReplaceAll(piece, "%", fmt.Sprintf("%x", uint32(i)*2654435761)))
			}
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				for b.Loop() {
					agent.Parse(text.String(), "orla", public())
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(text.Len()), "ns/byte")
			})
		}
	}
}

// hostile are pieces to repeat, with a number in place of each %, so that they are no flood.
var hostile = map[string]string{
	"objects":  `{"k%":"v%" "x%"} `,
	"nested":   `{"k%":`,
	"open":     `{"k%":"v%`,
	"keys":     `{'a% `,
	"lists":    `{"to":["%",`,
	"labels":   `SAY: x% `,
	"lines":    "SAY: x%\n",
	"dos":      "SAY: x% DO: y% ",
	"stars":    "*a% b* c%",
	"quotes":   `"%" `,
	"angles":   `<think%><think>`,
	"tokens":   `<|%`,
	"brackets": "[%\n",
	"colons":   "A%: b\n",
	"heads":    "Orla: SAY: %\n",
	"words":    "%aaa bbb% ",
	"escapes":  `{"speech":"\\n%`,
	"colon":    "A%: ",
	"and":      "TO: % and ",
	"commas":   `{"to":"%,%,%,`,
	"whispers": "(whispers to %) ",
	"asides":   `"%" I whisper to %, `,
}
