package scenarios

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"text/template"

	"parley/characters"
)

//go:embed prompts/knowledge.txt
var knowledgePrompt string

//go:embed prompts/scene.txt
var scenePrompt string

var (
	knowledgeTemplate = template.Must(template.New("knowledge").Parse(knowledgePrompt))
	sceneTemplate     = template.Must(template.New("scene").Parse(scenePrompt))
)

// request fills the prompts.
type request struct {
	Topic       string
	Sparks      []string
	Taken       []string
	Fewest      int
	Most        int
	Short, Long int // words
	Different   int // aspects
	Aspects     []meaning
	Skills      []characters.Skill
}

type meaning struct {
	Name  Aspect
	Means string
}

// meanings returns what the aspects mean, in the order of Aspects.
func meanings() []meaning {
	var list []meaning
	for _, a := range Aspects() {
		for _, row := range aspects() {
			if row.Name == a {
				list = append(list, meaning{a, row.Means})
			}
		}
	}
	return list
}

// sparks draws two different ones.
func sparks(r *rand.Rand) []string {
	all := vocabulary().Sparks
	first := r.IntN(len(all))
	second := r.IntN(len(all) - 1)
	if second >= first {
		second++
	}
	return []string{all[first], all[second]}
}

// aimsAsked is how many aims a scene is asked for.
const aimsAsked = 9

// WriteKnowledge has a model write a piece of knowledge. An empty topic is drawn; r also draws what
// the model is to work in, so that a model without imagination does not write the same thing twice.
// The titles in taken are not to be written about again.
//
// The reply has to pass Validate and Review. Otherwise the error says everything that is wrong; nothing is
// repaired. The hook is not the model's: it would give facts away.
func WriteKnowledge(ctx context.Context, w characters.Writer, r *rand.Rand, topic string, taken []string) (*Knowledge, error) {
	if topic == "" {
		topic = pick(r, vocabulary().Topics)
	}
	var reply struct {
		Title string `json:"title"`
		Text  string `json:"text"`
		Facts []Fact `json:"facts"`
	}
	err := w.Ask(ctx, knowledgeTemplate, request{
		Topic: topic, Sparks: sparks(r), Taken: taken, Fewest: minFacts, Most: maxFacts,
		Short: minWords, Long: maxWords, Different: minAspects, Aspects: meanings(),
	}, knowledgeSchema(), &reply)
	if err != nil {
		return nil, fmt.Errorf("have knowledge written: %w", err)
	}
	k := &Knowledge{ID: slug(reply.Title), Title: strings.TrimSpace(reply.Title), Topic: topic, Text: reply.Text, Facts: reply.Facts, Source: "written by a model"}
	k.Hook = hookFor(k)
	err = errors.Join(k.Validate(), k.Review(), repeated(k.Title, taken))
	if err != nil {
		return nil, fmt.Errorf("have knowledge written: %w", characters.Malformed(err))
	}
	return k, nil
}

// WriteScene has a model write a scene with nine aims, for skills drawn by r. It is as strict as
// WriteKnowledge.
func WriteScene(ctx context.Context, w characters.Writer, r *rand.Rand, topic string, taken []string) (*Scene, error) {
	if topic == "" {
		topic = pick(r, vocabulary().Settings)
	}
	all := characters.Skills()
	skills := make([]characters.Skill, 0, aimsAsked)
	for _, i := range r.Perm(len(all))[:aimsAsked] {
		skills = append(skills, all[i])
	}
	var reply struct {
		Title   string `json:"title"`
		Premise string `json:"premise"`
		Aims    []Aim  `json:"aims"`
	}
	err := w.Ask(ctx, sceneTemplate, request{
		Topic: topic, Sparks: sparks(r), Taken: taken, Short: minPremise, Long: maxPremise, Skills: skills,
	}, sceneSchema(skills), &reply)
	if err != nil {
		return nil, fmt.Errorf("have a scene written: %w", err)
	}
	s := &Scene{ID: slug(reply.Title), Title: strings.TrimSpace(reply.Title), Premise: reply.Premise, Aims: reply.Aims}
	err = errors.Join(s.Validate(), s.Review(), asked(s, skills), repeated(s.Title, taken))
	if err != nil {
		return nil, fmt.Errorf("have a scene written: %w", characters.Malformed(err))
	}
	return s, nil
}

func pick(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

func repeated(title string, taken []string) error {
	for _, t := range taken {
		if slug(t) == slug(title) {
			return fmt.Errorf("%s exists already", title)
		}
	}
	return nil
}

// asked reports aims for skills that were not asked for, and skills without an aim.
func asked(s *Scene, skills []characters.Skill) error {
	missing := map[characters.Skill]bool{}
	for _, skill := range skills {
		missing[skill] = true
	}
	var out []error
	for i, a := range s.Aims {
		if !missing[a.Skill] {
			out = append(out, fmt.Errorf("aims[%d]: no aim for %q was asked for", i, a.Skill))
		}
		delete(missing, a.Skill)
	}
	for _, skill := range skills {
		if missing[skill] {
			out = append(out, fmt.Errorf("aims: none for %s", skill))
		}
	}
	return errors.Join(out...)
}
