// Package wire holds what the adapters of package llm share: how a prompt is made fit for strict
// servers, how failures are told apart, how reasoning is taken out of a reply, and how the options
// of a model spec are read.
//
// It knows HTTP and what servers say, and no protocol of any of them.
package wire

import (
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"parley/sim/llm"
)

// MaxReply is how many bytes of text a reply may have, where nothing else was asked for. A model
// that floods is cut there, as if it had run into its limit of tokens.
const MaxReply = 4 << 20

// ErrFlood is what reading a reply comes to when it is longer than was allowed.
var ErrFlood = errors.New("the reply is longer than allowed")

// Messages makes a prompt fit for servers with strict templates: neighbours of one role are one
// message, and there are no empty ones, which some servers refuse for ever after.
func Messages(prompt []llm.Message) []llm.Message {
	kept := make([]llm.Message, 0, len(prompt))
	for _, m := range llm.Join(prompt) {
		if strings.TrimSpace(m.Content) != "" {
			kept = append(kept, m)
		}
	}
	return llm.Join(kept)
}

// Seed fits a seed into the 31 bits that every server takes without rounding it (JSON numbers are
// often read as float64) or reading it as "choose one" (-1, or 32 ones).
func Seed(seed int64) int64 {
	const limit = 1<<31 - 1
	if seed >= 0 && seed < limit {
		return seed
	}
	return int64(uint64(seed^seed>>31) % limit)
}

// Cut reports whether a server that counts so many tokens for the prompt must have left out a part
// of it. Text runs to 4 bytes a token, and never to 8 in a prompt of some length; and a count that
// is just the size of a context, for a text of more, is no chance.
func Cut(prompt []llm.Message, tokens int) bool {
	n := 0
	for _, m := range prompt {
		n += len(m.Content)
	}
	full := tokens >= 2048 && tokens%1024 == 0 && n > 4*tokens
	return full || tokens > 0 && n > 4096 && n > 8*tokens
}

// Body reads a reply up to a limit. What went wrong on the way is kept, because not every kit
// passes it on.
type Body struct {
	io.ReadCloser
	Left int64
	Err  error // the first error other than io.EOF
}

func (b *Body) Read(p []byte) (int, error) {
	if b.Left <= 0 {
		b.Err = ErrFlood
		return 0, ErrFlood
	}
	if int64(len(p)) > b.Left {
		p = p[:b.Left]
	}
	n, err := b.ReadCloser.Read(p)
	b.Left -= int64(n)
	if err != nil && err != io.EOF && b.Err == nil {
		b.Err = err
	}
	return n, err
}

// Excerpt shortens what a server said to what fits an error.
func Excerpt(text string) string {
	const limit = 300
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if len(text) <= limit {
		return text
	}
	cut := limit
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + " ..."
}
