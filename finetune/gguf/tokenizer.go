package gguf

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

// checkTokenizer compares the tokenizer beside what was trained with the base's, which the served
// model will have: a token added or moved in training would mean something else.
func (b *Base) checkTokenizer(dir string) Check {
	const name = "tokenizer"
	raw, err := os.ReadFile(filepath.Join(dir, "tokenizer.json"))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return unknown(name, "there is no tokenizer.json beside what was trained; the base's tokenizer is taken")
	case err != nil:
		return failed(name, "%v", err)
	case b.tokens == nil:
		return unknown(name, "the server does not list the base's tokens; give its file with --base-gguf to compare them")
	}
	var t struct {
		Model struct {
			Vocab json.RawMessage `json:"vocab"`
		} `json:"model"`
		Added []struct {
			ID      int    `json:"id"`
			Content string `json:"content"`
		} `json:"added_tokens"`
	}
	if err := json.Unmarshal(raw, &t); err != nil {
		return failed(name, "tokenizer.json: %v", err)
	}
	vocab := map[string]int{}
	if json.Unmarshal(t.Model.Vocab, &vocab) != nil || len(vocab) == 0 {
		return unknown(name, "tokenizer.json is of a kind whose tokens are not compared; the base's tokenizer is taken")
	}
	for _, a := range t.Added {
		vocab[a.Content] = a.ID
	}
	differ, example := 0, ""
	for text, id := range vocab {
		if id >= 0 && id < len(b.tokens) && b.tokens[id] == text {
			continue
		}
		differ++
		if example == "" || text < example {
			example = text
		}
	}
	if differ == 0 {
		return passed(name, "its %d tokens are the base's", len(vocab))
	}
	if b.tokenizer != "gpt2" { // others write some tokens in two ways
		return unknown(name, "%d of %d tokens are written otherwise than in the base, such as %q; the base's tokenizer is taken", differ, len(vocab), example)
	}
	return failed(name, "%d of its %d tokens are not the base's %d, such as %q: tokens were added in training, or it is another base", differ, len(vocab), len(b.tokens), example)
}
