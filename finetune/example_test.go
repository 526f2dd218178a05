package finetune_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"parley/finetune"
)

// A dataset of windows: scrubbed, without duplicates, split by session.
func ExampleBuild() {
	window := func(yield func(finetune.Example, error) bool) {
		for i := range 200 {
			body := fmt.Sprintf("Orla: I sneak past guard number %d and mail orla%d@example.com. %s", i, i, prose(uint64(i), 30))
			x := finetune.Example{
				ID: fmt.Sprint(i), Task: finetune.DM, Group: fmt.Sprintf("session %d", i/5), Body: body,
				Prompt:     []finetune.Message{{Role: finetune.User, Content: body}},
				Completion: []finetune.Message{{Role: finetune.Assistant, Content: "Stealth"}},
				Labels:     []string{"Stealth"},
			}
			if !yield(x, nil) || i == 7 && !yield(x, nil) { // one comes twice
				return
			}
		}
	}
	b, err := finetune.Build(context.Background(), window, finetune.Options{
		Shares: [3]float64{80, 10, 10}, Seed: 1, Counter: finetune.OpenAI("gpt-4.1-mini"),
	})
	if err != nil {
		log.Fatal(err)
	}
	for x, err := range b.Examples(finetune.Train) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(strings.Join(strings.Fields(x.Prompt[0].Content)[:9], " "))
		break
	}
	for _, d := range b.Dropped() {
		fmt.Println(d.ID, d.Reason, "of", d.With)
	}
	r := b.Report()
	fmt.Println(r.Kept, "of", r.Read, "in", r.Groups, "groups;", r.Scrubbed.Email, "addresses")
	// Output:
	// Orla: I sneak past guard number 0 and mail
	// 7 duplicate of 7
	// 200 of 201 in 40 groups; 200 addresses
}
