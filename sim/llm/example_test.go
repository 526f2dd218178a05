package llm_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/sim/llm"
)

func ExampleWrap() {
	// A model that is busy at first, and says how many tokens it took.
	busy := true
	base := llm.Func(func(ctx context.Context, req llm.Request) (*llm.Response, error) {
		if busy {
			busy = false
			return nil, &llm.Error{Model: "openai:small", Fault: llm.Overloaded}
		}
		prompt, reply := 1200, 30
		return &llm.Response{Text: "The bell tolls at midnight.", Finish: llm.Stop,
			Usage: llm.Usage{Prompt: &prompt, Completion: &reply}}, nil
	})
	prices, err := llm.ReadPrices(strings.NewReader("currency: USD\nmodels:\n  openai:small: {input: 0.4, output: 1.6}\n"), "prices.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}

	// Each attempt passes the limiter; the meter counts calls with their attempts.
	meter := llm.NewMeter()
	limiter := llm.NewLimiter(llm.Limits{Concurrent: 4, Requests: 60}, time.Now)
	model := llm.Wrap(base,
		llm.Retry(llm.Retrier{Base: time.Millisecond}),
		limiter.Limit,
	)

	resp, call, err := llm.Ask(context.Background(), model, "openai:small", llm.Request{
		Messages: []llm.Message{{Role: llm.User, Content: "When does the bell toll?"}},
		Tag:      llm.Tag{Session: "s1", Actor: "mara", Purpose: "act", Turn: 1},
	}, time.Now)
	meter.Add(call)
	if err != nil {
		fmt.Println(err)
		return
	}
	total := meter.Tally(prices).Total()
	fmt.Println(resp.Text)
	fmt.Printf("%d call, %d requests, %d prompt tokens, %.6f USD\n", total.Calls, total.Asked, *total.Prompt.Sum, *total.Cost.Amount)
	// Output:
	// The bell tolls at midnight.
	// 1 call, 2 requests, 1200 prompt tokens, 0.000528 USD
}

func ExampleOpenScript() {
	script, err := llm.OpenScript(strings.NewReader(`
- purpose: debrief
  reply: The bell tolls at midnight.
- replies: [Good evening., What do you know of the bell?]
`), "player.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tag := range []llm.Tag{{Purpose: "act", Turn: 1}, {Purpose: "act", Turn: 2}, {Purpose: "debrief"}} {
		resp, err := script.Generate(context.Background(), llm.Request{Tag: tag})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(resp.Text)
	}
	// Output:
	// Good evening.
	// What do you know of the bell?
	// The bell tolls at midnight.
}
