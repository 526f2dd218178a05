package session

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"parley/eval/run"
	"parley/sim"
	"parley/sim/llm"
)

// PromptCost holds the tokens and the time that the prompts of the moves in a run took. A number that no server gave is nil.
type PromptCost struct {
	Layout  string `json:"layout"`
	Moves   int    `json:"moves"` // calls for one
	Valid   int    `json:"valid"` // moves without a fault
	Tokens  *int64 `json:"prompt_tokens"`
	Counted *int64 `json:"evaluated_tokens"` // less what the server says it had in its cache
	// Unshared is the share of the prompts' bytes behind the beginning that each has in common with the prompt
	// before it: what a server that keeps its last prompt has to evaluate.
	Unshared float64  `json:"unshared"`
	Seconds  *float64 `json:"prompt_seconds"` // evaluating prompts
}

// ReadPromptCost adds up the prompts of a run whose sessions were played one after another.
func ReadPromptCost(dir string) (*PromptCost, error) {
	_, config, err := Read(dir)
	if err != nil {
		return nil, err
	}
	content := map[string]string{}
	for m, err := range run.Messages.Read(dir) {
		if err != nil {
			return nil, err
		}
		content[m.Hash] = m.Content
	}
	var acts []llm.Call
	for c, err := range run.Calls.Read(dir) {
		if err != nil {
			return nil, err
		}
		if c.Purpose == "act" && c.Error == "" {
			acts = append(acts, c)
		}
	}
	slices.SortStableFunc(acts, func(a, b llm.Call) int { return a.Started.Compare(b.Started) })
	cost := &PromptCost{Layout: config.Layout, Moves: len(acts)}
	for e, err := range Events.Read(dir) {
		if err != nil {
			return nil, err
		}
		if (e.Kind == sim.KindAct || e.Kind == sim.KindPass) && e.Fault == "" {
			cost.Valid++
		}
	}
	cost.add(acts, content)
	return cost, nil
}

// add takes in the calls, in the order in which they were made.
func (p *PromptCost) add(acts []llm.Call, content map[string]string) {
	var tokens, evaluated, us int64
	counted, cached := len(acts) > 0, len(acts) > 0
	last, all, unshared := "", 0, 0
	for i := range acts {
		c := &acts[i]
		us += c.Read
		if counted = counted && c.Tokens != nil; counted {
			tokens += int64(*c.Tokens)
		}
		if cached = cached && counted && c.Cached != nil; cached {
			evaluated += int64(*c.Tokens - *c.Cached)
		}
		var b strings.Builder
		for _, hash := range c.Prompt {
			b.WriteString(content[hash] + "\n")
		}
		prompt := b.String()
		n := 0
		for n < min(len(prompt), len(last)) && prompt[n] == last[n] {
			n++
		}
		all, unshared, last = all+len(prompt), unshared+len(prompt)-n, prompt
	}
	if counted {
		p.Tokens = &tokens
	}
	if cached {
		p.Counted = &evaluated
	}
	if us > 0 {
		seconds := float64(us) / 1e6
		p.Seconds = &seconds
	}
	if all > 0 {
		p.Unshared = float64(unshared) / float64(all)
	}
}

// PrintPromptCosts prints a line for each layout, with how it compares with the last.
func PrintPromptCosts(w io.Writer, costs []*PromptCost) error {
	count := func(n *int64) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprint(*n)
	}
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tab, "LAYOUT\tPROMPT TOKENS\tEVALUATED\tUNSHARED\tPROMPT TIME\tVALID TURNS")
	for _, p := range costs {
		seconds := "-"
		if p.Seconds != nil {
			seconds = fmt.Sprintf("%.1f s", *p.Seconds)
			if last := costs[len(costs)-1].Seconds; last != nil && *last > 0 && p != costs[len(costs)-1] {
				seconds += fmt.Sprintf(" (%.0f %%)", 100**p.Seconds / *last)
			}
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\t%.0f %%\t%s\t%d of %d\n", p.Layout, count(p.Tokens), count(p.Counted), 100*p.Unshared, seconds, p.Valid, p.Moves)
	}
	return tab.Flush()
}
