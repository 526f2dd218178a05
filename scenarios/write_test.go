package scenarios_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"parley/characters"
	"parley/scenarios"
)

// replying makes a writer of a fixed reply and keeps what it was asked.
func replying(reply string, prompt *string, schema *[]byte) characters.Writer {
	return func(_ context.Context, p string, s []byte) (string, error) {
		if prompt != nil {
			*prompt, *schema = p, s
		}
		return reply, nil
	}
}

// reply is the model's part of a library piece.
func knowledgeReply(t *testing.T, change func(map[string]any)) string {
	k := findKnowledge("widow-needle")
	fields := map[string]any{"title": k.Title, "text": k.Text, "facts": slices.Clone(k.Facts)}
	if change != nil {
		change(fields)
	}
	data, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWriteKnowledge(t *testing.T) {
	var prompt string
	var schema []byte
	w := replying(knowledgeReply(t, nil), &prompt, &schema)
	k, err := scenarios.WriteKnowledge(t.Context(), w, rand.New(rand.NewPCG(1, 1)), "weapon", []string{"the Ashen Bell"})
	if err != nil {
		t.Fatal(err)
	}
	want := findKnowledge("widow-needle")
	if k.ID != "widow-needle" || k.Topic != "weapon" || k.Text != want.Text || !slices.Equal(k.Facts, want.Facts) || !strings.Contains(k.Hook, k.Title) {
		t.Errorf("wrote %+v", k)
	}
	if given := k.Leaks(k.Hook); len(given) > 0 {
		t.Errorf("the hook %q gives away %v", k.Hook, given)
	}
	for _, part := range []string{"Topic: weapon", "the Ashen Bell", "6 to 10 facts", "80 to 220 words", "keeper: who has, guards or serves it"} {
		if !strings.Contains(prompt, part) {
			t.Errorf("the prompt lacks %q:\n%s", part, prompt)
		}
	}
	var parsed map[string]any
	if err := json.Unmarshal(schema, &parsed); err != nil || parsed["additionalProperties"] != false {
		t.Errorf("schema %s: %v", schema, err)
	}
}

func TestWriteKnowledgeDiffersBySeed(t *testing.T) {
	prompts := map[string]bool{}
	for seed := range uint64(10) {
		for range 2 {
			var prompt string
			var schema []byte
			_, _ = scenarios.WriteKnowledge(t.Context(), replying("", &prompt, &schema), rand.New(rand.NewPCG(seed, 1)), "", nil)
			prompts[prompt] = true
		}
	}
	if n := len(prompts); n < 8 || n > 10 {
		t.Errorf("%d prompts of 10 seeds asked twice", n)
	}
}

func TestWriteKnowledgeRefuses(t *testing.T) {
	good := knowledgeReply(t, nil)
	fact := func(i int, f scenarios.Fact) func(map[string]any) {
		return func(m map[string]any) { m["facts"].([]scenarios.Fact)[i] = f }
	}
	tests := []struct{ reason, reply, want string }{
		{"nothing", " \n", "it is empty"},
		{"chatter", "Sure! Here it is.", "it is not the JSON object asked for"},
		{"cut", good[:200], "the JSON breaks off"},
		{"more behind it", good + " I hope you like it!", "after top-level value"},
		{"a field that was not asked for", `{"name": "a"}`, `unknown object member name "name"`},
		{"a list for a text", `{"title": ["a"]}`, `within "/title"`},
		{"no facts", knowledgeReply(t, func(m map[string]any) { delete(m, "facts") }), "facts: none"},
		{"no title", knowledgeReply(t, func(m map[string]any) { m["title"] = "!" }), `id: "" is no id`},
		{"too few facts", knowledgeReply(t, func(m map[string]any) { m["facts"] = m["facts"].([]scenarios.Fact)[:5] }), "facts: 5, where 6 to 10 are wanted"},
		{"an aspect of its own", knowledgeReply(t, fact(0, scenarios.Fact{Text: "The Widow Needle is thin.", Aspect: "size"})), `"size" is no aspect`},
		{"a fact twice", knowledgeReply(t, fact(0, findKnowledge("widow-needle").Facts[1])), "says the same as facts[0]"},
		{"a fact that is not in the text", knowledgeReply(t, fact(0, scenarios.Fact{Text: "The Widow Needle belongs to Emperor Zog.", Aspect: "keeper"})), "facts[0]: is not in the text"},
		{"taken", knowledgeReply(t, nil), "the Widow Needle exists already"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			var taken []string
			if tt.reason == "taken" {
				taken = []string{"The Widow Needle"}
			}
			k, err := scenarios.WriteKnowledge(t.Context(), replying(tt.reply, nil, nil), rand.New(rand.NewPCG(1, 1)), "item", taken)
			if err == nil || k != nil {
				t.Fatalf("wrote %v with error %v", k, err)
			}
			if !strings.Contains(err.Error(), "the reply is malformed: ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, where %q is wanted", err, tt.want)
			}
		})
	}
	broken := func(context.Context, string, []byte) (string, error) { return "", errNoServer }
	if _, err := scenarios.WriteKnowledge(t.Context(), broken, rand.New(rand.NewPCG(1, 1)), "", nil); !errors.Is(err, errNoServer) {
		t.Errorf("a writer's failure becomes %v", err)
	}
}

var errNoServer = errors.New("no server")

// obedient is a model that writes the aims that its schema asks for.
func obedient(t *testing.T, change func([]scenarios.Aim) []scenarios.Aim) characters.Writer {
	return func(_ context.Context, prompt string, schema []byte) (string, error) {
		var s struct {
			Properties struct {
				Aims struct {
					Items struct {
						Properties struct {
							Skill struct{ Enum []characters.Skill }
						}
					}
				}
			}
		}
		if err := json.Unmarshal(schema, &s); err != nil {
			t.Fatal(err)
		}
		var aims []scenarios.Aim
		for i, skill := range s.Properties.Aims.Items.Properties.Skill.Enum {
			if !strings.Contains(prompt, string(skill)) {
				t.Errorf("the prompt lacks %s", skill)
			}
			aims = append(aims, scenarios.Aim{Skill: skill, Brief: "You want the " + strings.Repeat("very ", i) + "best of it."})
		}
		if change != nil {
			aims = change(aims)
		}
		reply, err := json.Marshal(map[string]any{"title": "The Last Lamp", "premise": strings.Repeat("You wait for it ", 15) + ".", "aims": aims})
		return "```json\n" + string(reply) + "\n```", err
	}
}

func TestWriteScene(t *testing.T) {
	skills := map[characters.Skill]bool{}
	for seed := range uint64(20) {
		s, err := scenarios.WriteScene(t.Context(), obedient(t, nil), rand.New(rand.NewPCG(seed, 1)), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if s.ID != "last-lamp" || len(s.Aims) != 9 {
			t.Fatalf("wrote %+v", s)
		}
		for _, a := range s.Aims {
			skills[a.Skill] = true
		}
	}
	if len(skills) != 18 {
		t.Errorf("of 20 scenes only %v", slices.Collect(maps.Keys(skills)))
	}
	tests := []struct {
		reason string
		change func([]scenarios.Aim) []scenarios.Aim
		want   string
	}{
		{"an aim too few", func(a []scenarios.Aim) []scenarios.Aim { return a[1:] }, "aims: none for"},
		{"the skill is named", func(a []scenarios.Aim) []scenarios.Aim {
			a[0] = scenarios.Aim{Skill: a[0].Skill, Brief: "Use " + string(a[0].Skill) + " handling."}
			return a
		}, "gives the skill away"},
		{"a skill that was not asked for", func(a []scenarios.Aim) []scenarios.Aim {
			for _, skill := range characters.Skills() {
				if !slices.ContainsFunc(a, func(a scenarios.Aim) bool { return a.Skill == skill }) {
					a[0].Skill = skill
					return a
				}
			}
			return a
		}, "was asked for"},
	}
	for _, tt := range tests {
		_, err := scenarios.WriteScene(t.Context(), obedient(t, tt.change), rand.New(rand.NewPCG(1, 1)), "a trial", nil)
		if err == nil || !strings.Contains(err.Error(), "the reply is malformed: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v", tt.reason, err)
		}
	}
}
