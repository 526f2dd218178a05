package llm

import (
	"iter"
	"slices"
	"strings"
)

// Recording is the calls of an earlier run. Their messages are not needed.
type Recording interface {
	// All goes through the calls in the order of their recording.
	All() iter.Seq2[Call, error]
	// At returns the call that All yields as number i, counted from 0. It is safe for concurrent use.
	At(i int) (Call, error)
}

// Calls is a recording in memory.
type Calls []Call

// Collect reads calls into memory, without their messages. The hashes of the prompts, of which most
// stand in many calls, are kept once each.
func Collect(calls iter.Seq2[Call, error]) (Calls, error) {
	var all Calls
	once := map[string]string{}
	for c, err := range calls {
		if err != nil {
			return nil, err
		}
		c.Messages = nil
		c.Prompt = slices.Clone(c.Prompt)
		for i, hash := range c.Prompt {
			if _, ok := once[hash]; !ok {
				hash = strings.Clone(hash)
				once[hash] = hash
			}
			c.Prompt[i] = once[hash]
		}
		all = append(all, c)
	}
	return all, nil
}

// All goes through the calls.
func (c Calls) All() iter.Seq2[Call, error] {
	return func(yield func(Call, error) bool) {
		for i := range c {
			if !yield(c[i], nil) {
				return
			}
		}
	}
}

// At returns call number i.
func (c Calls) At(i int) (Call, error) { return c[i], nil }
