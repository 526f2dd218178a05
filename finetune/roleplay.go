package finetune

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"parley/characters"
	"parley/sim/llm"
)

// PlayOptions say how examples of the task roleplay are made of a session.
type PlayOptions struct {
	Who Seats // empty: Players
	// Conversation makes one example of all turns of a character, the assistant's messages being its
	// own moves. Otherwise each turn is one, with the whole prompt of that turn.
	Conversation bool
	// Written takes prompts as they are written down from the views, in the form that the session says,
	// also where a model was asked otherwise.
	Written bool
}

// Roleplay makes examples of a session: from what a character is told and perceives to its turn. A
// turn that was malformed is no example, and in a conversation it is a line of the play like other
// people's. It comes as a *Dropped.
func (s *Session) Roleplay(ctx context.Context, o PlayOptions) iter.Seq2[Example, error] {
	if o.Who == "" {
		o.Who = Players
	}
	if o.Conversation {
		return s.conversations(ctx, o)
	}
	return func(yield func(Example, error) bool) {
		for t, err := range s.turns(ctx, o.Who) {
			var x Example
			if err == nil {
				x, err = s.play(&t, o)
			}
			if !yield(x, err) {
				return
			}
		}
	}
}

// play makes an example of a turn.
func (s *Session) play(t *turn, o PlayOptions) (Example, error) {
	x := s.example(Roleplay, t)
	prompt, err := t.scribe.Prompt(t.view)
	if err == nil && !o.Written {
		prompt, err = s.asked(t, prompt)
	}
	if err != nil {
		return x, err
	}
	x.Prompt, x.Completion, x.Labels = joined(prompt), []Message{{Assistant, t.reply}}, labels(t.event)
	x.Body, err = t.body()
	return x, err
}

// asked returns the prompt that a model was really asked with: mostly the one that was written down.
func (s *Session) asked(t *turn, written []llm.Message) ([]llm.Message, error) {
	if s.Asked == nil {
		return written, nil
	}
	hashes := s.Asked(t.event)
	same := func(m llm.Message, hash string) bool { return m.Hash() == hash }
	if len(hashes) == 0 || slices.EqualFunc(written, hashes, same) {
		return written, nil
	}
	prompt := make([]llm.Message, len(hashes))
	for i, hash := range hashes {
		m, err := s.Message(hash)
		if err != nil {
			return nil, fmt.Errorf("find what was asked in %s: %w", s.id(t.event), err)
		}
		prompt[i] = m
	}
	return prompt, nil
}

// conversations makes an example of each character.
func (s *Session) conversations(ctx context.Context, o PlayOptions) iter.Seq2[Example, error] {
	return func(yield func(Example, error) bool) {
		held := map[characters.ID]*Example{}
		for t, err := range s.turns(ctx, o.Who) {
			if err == nil {
				err = s.converse(held, &t)
			}
			if err != nil && !yield(Example{}, err) {
				return
			}
		}
		for _, c := range s.Episode.Scenario.Cast {
			if x := held[c.ID]; x != nil {
				x.Labels = unique(x.Labels)
				if !yield(*x, nil) {
					return
				}
			}
		}
	}
}

// converse goes on with the example of the turn's character, or begins it.
func (s *Session) converse(held map[characters.ID]*Example, t *turn) error {
	question, err := t.scribe.Question(t.view, t.news, t.first)
	if err != nil {
		return err
	}
	body, err := t.body()
	if err != nil {
		return err
	}
	x := held[t.event.Actor]
	if x == nil {
		opening, err := t.scribe.Opening(t.view)
		if err != nil {
			return err
		}
		begun := s.example(Roleplay, t)
		x = &begun
		x.ID = fmt.Sprintf("%s/%s", s.ID, t.event.Actor)
		x.Prompt = []Message{{System, opening}, {User, question}}
		held[t.event.Actor] = x
	} else {
		x.Completion = append(x.Completion, Message{User, question})
	}
	x.Completion = append(x.Completion, Message{Assistant, t.reply})
	x.Labels = append(x.Labels, labels(t.event)...)
	x.Body += body
	return nil
}
