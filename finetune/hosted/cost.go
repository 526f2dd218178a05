package hosted

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"parley/finetune"
	"parley/sim/llm"
)

// Tokens is how long the examples of a file are.
type Tokens struct {
	Examples int   `json:"examples"`
	Sum      int64 `json:"tokens"`  // of all examples, each cut at the limit
	Longest  int   `json:"longest"` // tokens of the longest example, uncut
	Cut      int   `json:"cut"`     // examples beyond the limit
	// Inexact is why the sum is approximate; empty: it is the trainer's own count.
	Inexact string `json:"approximate,omitempty"`
}

// longestLine is how many bytes one example may have.
const longestLine = 64 << 20

// CountTokens counts the tokens of a file of chat examples, or of preferences, in constant memory. An
// example beyond the limit is cut there, as trainers do; 0: there is no limit. The rule is the one of
// OpenAI's cookbook (Chat_finetuning_data_prep): the text of each message, its role included, 3 for
// each message, 1 for a name, and 3 for each example. The name is for errors.
func CountTokens(ctx context.Context, in io.Reader, name string, counter finetune.Counter, limit int) (Tokens, error) {
	var t Tokens
	if !counter.Exact {
		t.Inexact = "by " + counter.Name + ", not by the model's own tokenizer"
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 1<<16), longestLine)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\uFEFF"))
		if line == "" {
			continue
		}
		if ctx.Err() != nil {
			return t, ctx.Err()
		}
		tokens, odd, err := countExample([]byte(line), counter)
		if err != nil {
			return t, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if odd != "" && t.Inexact == "" {
			t.Inexact = odd
		}
		t.Examples++
		t.Longest = max(t.Longest, tokens)
		if limit > 0 && tokens > limit {
			t.Cut++
			tokens = limit
		}
		t.Sum += int64(tokens)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return t, fmt.Errorf("%s: line %d is longer than %d MiB", name, t.Examples+1, longestLine>>20)
	}
	if err := lines.Err(); err != nil {
		return t, fmt.Errorf("read %s: %w", name, err)
	}
	return t, nil
}

// countExample counts one example. Odd is why the count is not the trainer's.
func countExample(line []byte, counter finetune.Counter) (tokens int, odd string, err error) {
	var x struct {
		Messages []json.RawMessage
		Tools    json.RawMessage
		Input    *struct {
			Messages []json.RawMessage
			Tools    json.RawMessage
		}
		Preferred    []json.RawMessage `json:"preferred_output"`
		NonPreferred []json.RawMessage `json:"non_preferred_output"`
	}
	if err := json.Unmarshal(line, &x); err != nil {
		return 0, "", fmt.Errorf("not a JSON object of an example: %w", err)
	}
	messages, tools := x.Messages, []json.RawMessage{x.Tools}
	if x.Input != nil {
		messages = append(append(x.Input.Messages, x.Preferred...), x.NonPreferred...)
		tools = append(tools, x.Input.Tools)
		odd = "how preferences are billed is not published"
	}
	if len(messages) == 0 {
		return 0, "", errors.New(`neither "messages" nor "input" with messages`)
	}
	for _, raw := range messages {
		fields := object(raw)
		if fields == nil {
			return 0, "", errors.New("a message is no object")
		}
		tokens += counter.PerMessage
		for name, value := range fields {
			var text string
			switch {
			case name == "role" || name == "weight": // the role is part of what each message takes
			case json.Unmarshal(value, &text) == nil:
				tokens += counter.Count(text)
				if name == "name" {
					tokens++
				}
			case string(value) != "null": // parts of content, calls of tools
				tokens += counter.Count(string(value))
				odd = "how tools and parts are counted is not published"
			}
		}
	}
	for _, t := range tools {
		if len(t) > 0 && string(t) != "null" && string(t) != "[]" {
			tokens += counter.Count(string(t))
			odd = "how tools and parts are counted is not published"
		}
	}
	return tokens + counter.PerReply, odd, nil
}

// DefaultEpochs is how many epochs OpenAI's cookbook (Chat_finetuning_data_prep) expects the server to
// choose for so many examples: 3, more where there are fewer than 34, fewer where there are more than
// 8,333.
func DefaultEpochs(examples int) int {
	const target, least, most = 3, 100, 25000
	switch {
	case examples <= 0:
		return target
	case examples*target < least:
		return min(25, least/examples)
	case examples*target > most:
		return max(1, most/examples)
	}
	return target
}

// Estimate holds the tokens and the cost of a job.
type Estimate struct {
	Tokens
	Tokenizer string `json:"tokenizer"`
	Epochs    int    `json:"epochs"`
	// Assumed says that the server will choose the epochs, and that these are OpenAI's rule.
	Assumed  bool     `json:"epochs_assumed"`
	Billed   int64    `json:"billed_tokens"`             // tokens times epochs
	Price    *float64 `json:"price_per_million"`         // nil: unknown
	Cost     *float64 `json:"cost"`                      // nil: unknown
	Currency string   `json:"currency,omitempty"`        // of the user's price file
	Unknown  string   `json:"cost_unknown_as,omitempty"` // why there is no cost
}

// NewEstimate works out what a job costs. A price or epochs that are not known are said, not guessed:
// with no price there is no cost. The model has the names in the price file that it may go by.
func NewEstimate(t Tokens, counter finetune.Counter, epochs Setting, prices *llm.Prices, names ...string) Estimate {
	e := Estimate{Tokens: t, Tokenizer: counter.Name, Epochs: DefaultEpochs(t.Examples), Assumed: true}
	if f, err := strconv.ParseFloat(string(epochs), 64); err == nil && f >= 1 && f <= 1e6 {
		e.Epochs, e.Assumed = int(f), false
	}
	e.Billed = t.Sum * int64(e.Epochs)
	price, unknown := prices.TrainingOf(names...)
	if unknown != "" {
		e.Unknown = unknown
		return e
	}
	cost := price * float64(e.Billed) / 1e6
	e.Price, e.Cost, e.Currency = &price, &cost, prices.Currency
	return e
}
