package finetune

import (
	"fmt"
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer"

	"parley/sim/llm"
)

// Counter counts the tokens of a text as a trainer does.
type Counter struct {
	Name  string                // such as o200k_base
	Exact bool                  // it is the tokenizer of the model that is trained
	Count func(text string) int // safe for many goroutines at once
	// What a chat template adds: to each message, role included, and to an example as a whole.
	PerMessage, PerReply int
}

// Estimate is the Counter for models whose tokenizer is not at hand: about a token for every three
// letters, which leaves some room (see llm.EstimateTokens).
func Estimate() Counter {
	return Counter{Name: "estimate", Count: llm.EstimateTokens, PerMessage: 5, PerReply: 8}
}

// OpenAI is the Counter of a model of OpenAI by its name, a tuned one's included: cl100k_base for
// those up to gpt-4, o200k_base for the later ones and for a name that is not known or empty.
// A message costs three tokens and its role, and an example three more, as OpenAI's own guide counts.
func OpenAI(model string) Counter {
	name := strings.TrimPrefix(model, "ft:")
	encoding := tokenizer.O200kBase
	for _, old := range []string{"gpt-3.5", "gpt-35", "gpt-4-", "gpt-4:", "babbage-002", "davinci-002"} {
		if strings.HasPrefix(name, old) || name == "gpt-4" {
			encoding = tokenizer.Cl100kBase
		}
	}
	open := encodings[encoding]
	return Counter{
		Name: string(encoding), Exact: true, PerMessage: 4, PerReply: 3,
		Count: func(text string) int { return open().count(text) },
	}
}

// encodings are opened when they are first used, as a vocabulary takes a while and some memory.
var encodings = map[tokenizer.Encoding]func() *pieces{
	tokenizer.O200kBase:  sync.OnceValue(func() *pieces { return newPieces(tokenizer.O200kBase) }),
	tokenizer.Cl100kBase: sync.OnceValue(func() *pieces { return newPieces(tokenizer.Cl100kBase) }),
}

// pieces counts tokens by pieces of a text that it remembers. Play says the same words again and
// again, and the tokenizer by itself reads a megabyte a second only.
type pieces struct {
	codec tokenizer.Codec
	mu    sync.RWMutex
	known map[string]int32
}

const (
	maxPieces = 1 << 17
	maxPiece  = 32 // bytes
)

func newPieces(encoding tokenizer.Encoding) *pieces {
	codec, err := tokenizer.Get(encoding)
	if err != nil {
		panic(err) // the encodings are part of the program
	}
	return &pieces{codec: codec, known: make(map[string]int32)}
}

// count returns the number of a text's tokens. Both encodings first cut a text into pieces, and in no
// piece a space comes after anything but white space; so a cut before such a space changes nothing.
func (p *pieces) count(text string) (total int) {
	var missing []string
	p.mu.RLock()
	for from := 0; from < len(text); {
		to := from + 1
		for to < len(text) && !(text[to] == ' ' && '!' <= text[to-1] && text[to-1] <= '~') {
			to++
		}
		piece := text[from:to]
		if n, ok := p.known[piece]; ok {
			total += int(n)
		} else {
			missing = append(missing, piece)
		}
		from = to
	}
	p.mu.RUnlock()
	if len(missing) == 0 {
		return total
	}
	counts := make([]int32, len(missing))
	for i, piece := range missing {
		n, err := p.codec.Count(piece)
		if err != nil {
			panic(fmt.Sprintf("finetune: count the tokens of %q: %v", piece, err)) // a time limit, of which none is set
		}
		counts[i] = int32(n)
		total += n
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, piece := range missing {
		if len(piece) <= maxPiece && len(p.known) < maxPieces {
			p.known[strings.Clone(piece)] = counts[i]
		}
	}
	return total
}

// Tokens are the lengths of an example for a trainer.
type Tokens struct {
	Length  int // of the longest sequence that is trained: prompt and completion, or prompt and the longer alternative
	All     int // of the prompt, the completion and the rejected message, the prompt counted once
	Learned int // of the assistant's messages of the completion, and of the rejected one
}

// Of counts an example.
func (c Counter) Of(x *Example) (t Tokens) {
	t.All = c.PerReply
	for i := range x.Prompt {
		t.All += c.Count(x.Prompt[i].Content) + c.PerMessage
	}
	for i := range x.Completion {
		n := c.Count(x.Completion[i].Content)
		t.All += n + c.PerMessage
		if x.Completion[i].Role == Assistant {
			t.Learned += n
		}
	}
	t.Length = t.All
	if x.Rejected != "" {
		chosen, rejected := t.Learned, c.Count(x.Rejected)
		t.Length += max(rejected-chosen, 0)
		t.All += rejected + c.PerMessage
		t.Learned += rejected
	}
	return t
}
