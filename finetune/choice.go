package finetune

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// Choice is a pair of turns that a person chooses between.
type Choice struct {
	ID     string `json:"id"`
	View   string `json:"view"` // what the character was told and perceived last
	A      string `json:"a"`
	B      string `json:"b"`
	Better string `json:"better"` // "a", "b", or empty: none is better
}

// Choices collects pairs for a person, and chooses as a person did.
type Choices struct {
	mu   sync.Mutex
	list []Choice
}

// Collect is a Chooser that keeps every pair and decides none.
func (c *Choices) Collect(_ context.Context, p *Pair) (Example, error) {
	view := ""
	if n := len(p.A.Prompt); n > 0 {
		view = p.A.Prompt[n-1].Content
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, Choice{ID: p.id(), View: view, A: p.A.Completion[0].Content, B: p.B.Completion[0].Content})
	return Example{}, p.drop(Undecided, "a person has to choose")
}

// Write writes the pairs as JSON lines, in the order of their ids, and returns how many there are.
func (c *Choices) Write(w io.Writer) (int, error) {
	slices.SortFunc(c.list, func(a, b Choice) int { return cmp.Compare(a.ID, b.ID) })
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, choice := range c.list {
		if err := enc.Encode(choice); err != nil {
			return 0, err
		}
	}
	return len(c.list), nil
}

// Read reads what a person chose; name is the file's, for errors.
func (c *Choices) Read(r io.Reader, name string) error {
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	for n := 1; ; n++ {
		var choice Choice
		switch err := dec.Decode(&choice); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: pair %d: %w", name, n, err)
		case !slices.Contains([]string{"", "a", "b"}, choice.Better):
			return fmt.Errorf(`%s: pair %d: "better" is %q: write "a", "b" or "" for neither`, name, n, choice.Better)
		}
		c.list = append(c.list, choice)
	}
}

// Choose is a Chooser: the turn that the person chose. It is called after all choices are read.
func (c *Choices) Choose(_ context.Context, p *Pair) (Example, error) {
	at := slices.IndexFunc(c.list, func(choice Choice) bool {
		return choice.ID == p.id() && choice.A == p.A.Completion[0].Content && choice.B == p.B.Completion[0].Content
	})
	switch {
	case at < 0:
		return Example{}, p.drop(Undecided, "the pair is not among the choices")
	case c.list[at].Better == "a":
		return p.example(&p.A, &p.B), nil
	case c.list[at].Better == "b":
		return p.example(&p.B, &p.A), nil
	}
	return Example{}, p.drop(Undecided, "the person chose neither")
}
