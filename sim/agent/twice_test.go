package agent_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
)

// Every token is paid for and waited for, so no stretch of text stands in a prompt twice, whatever the character, the
// knowledge or scene, the layout and the form.
func TestPromptsHoldNothingTwice(t *testing.T) {
	const run = 8 // words; a title may be seven, and stands wherever the thing is spoken of
	library := scenarios.Library()
	random := rand.New(rand.NewPCG(17, 4))
	var all []*scenarios.Scenario
	for i := range library.Knowledge {
		all = append(all, scenarios.NewExchange(&library.Knowledge[i], characters.Generate(random, 4)))
	}
	for i := range library.Scenes {
		all = append(all, scenarios.NewExpression(&library.Scenes[i], characters.Generate(random, 4), random))
	}
	prompts := 0
	for i, s := range all {
		ep := sim.NewEpisode("s", uint64(i), s, 12)
		for _, layout := range []agent.Layout{agent.SharedPrefix, agent.PersonaFirst} {
			for _, form := range []agent.Form{agent.JSON, agent.Lines} {
				scribe, err := agent.NewScribe(agent.Style{Layout: layout, Form: form, Checks: i%2 == 0})
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range s.Cast {
					prompt, err := scribe.Prompt(ep.View(c.ID, 1))
					if err != nil {
						t.Fatal(err)
					}
					prompts++
					if twice := repeated(prompt, run, s.Cast); twice != "" {
						t.Errorf("%s, %s, %s, %s: the prompt says twice: %s", s.ID, c.ID, layout, form, twice)
					}
				}
			}
		}
	}
	if prompts < 1000 {
		t.Errorf("only %d prompts were looked at", prompts)
	}
}

// repeated returns the first run of so many words that a prompt holds twice. What two characters look like is drawn
// for each, and may be alike; elsewhere it must not stand again.
func repeated(prompt []llm.Message, run int, cast []*characters.Sheet) string {
	plain := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	var text strings.Builder
	for _, m := range prompt {
		content := m.Content
		for _, c := range cast {
			if look := strings.TrimSuffix(c.Appearance, "."); strings.Contains(content, look) {
				content = strings.Replace(content, look, fmt.Sprintf("look-of-%s.", c.ID), 1)
			}
		}
		text.WriteString(content + "\n")
	}
	words := plain(text.String())
	seen := map[string]bool{}
	for _, c := range cast {
		look := plain(c.Appearance)
		for i := run; i <= len(look); i++ {
			seen[strings.Join(look[i-run:i], " ")] = true
		}
	}
	for i := run; i <= len(words); i++ {
		key := strings.Join(words[i-run:i], " ")
		if seen[key] {
			return key
		}
		seen[key] = true
	}
	return ""
}
