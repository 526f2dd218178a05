package agent_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
)

// An agent shows a model what its character knows and turns the reply into a decision.
func Example() {
	model := llm.Func(func(context.Context, llm.Request) (*llm.Response, error) {
		return &llm.Response{
			Text:   "Ada: \"Who built this well?\" *leans over the edge*\nTom: \"My grandfather did.\"",
			Finish: llm.Stop,
		}, nil
	})
	factory, err := agent.New(agent.Config{Model: model, Name: "script:talkative", Form: agent.Lines, Now: time.Now})
	if err != nil {
		log.Fatal(err)
	}
	ada := &characters.Sheet{ID: "ada", Name: "Ada Reed", Race: "Human", Class: "Ranger"}
	tom := &characters.Sheet{ID: "tom", Name: "Tom Underhill", Race: "Halfling", Class: "Rogue"}
	view := &sim.View{
		Session: "1", Self: ada, Player: true, Cast: []characters.Public{ada.Public(), tom.Public()}, NPC: "tom",
		Kind: scenarios.Exchange, Title: "At the well", Premise: "Two travellers meet at noon.", Turn: 1, Turns: 2,
	}
	d, err := factory.Agent(nil).Act(context.Background(), view)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Speech)
	fmt.Println(d.Deed)
	fmt.Println(d.Fault)
	// Output:
	// Who built this well?
	// leans over the edge
	// speaks-for-others
}
