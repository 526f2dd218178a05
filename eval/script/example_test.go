package script_test

import (
	"context"
	"fmt"

	"parley/eval/judge"
	"parley/eval/script"
	"parley/sim/llm"
)

func Example() {
	task := script.Library()[0]
	written := script.Read("Sure!\n\n1. Mash two bananas.\n2. Stir in flour and milk.\n3. Fry the pancakes.\n\nEnjoy!")
	sense := llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
		return &llm.Response{Text: withNonce(req, `{"explain": "all can be done", "senseless": [], "executable": true}`), Finish: llm.Stop}, nil
	})
	panel := script.Panel{Commonsense: &judge.Judge{Model: sense, Name: "test:sense", Now: clock}}
	findings, _, err := panel.Judge(context.Background(), script.Subject{Task: &task, Arm: "test:author", Script: written.Steps, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(task.Specific)
	for _, f := range findings {
		if f.Value != nil {
			fmt.Println(f.Metric.Title(), *f.Value)
		}
	}
	// Output:
	// Make pancakes without eggs
	// executable 1
}
