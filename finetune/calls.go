package finetune

import (
	"encoding/json"
	"io"
	"sync"

	"parley/sim/llm"
)

// CallLog keeps calls of models as JSON lines, each with its messages.
type CallLog struct {
	W     io.Writer
	Clean func(string) string // takes keys out of the texts of errors

	mu  sync.Mutex
	err error
}

// Record writes a call. It is safe for many goroutines at once.
func (l *CallLog) Record(call llm.Call) {
	type message struct {
		Role    llm.Role `json:"role"`
		Content string   `json:"content"`
	}
	call.Error = l.Clean(call.Error)
	row := struct {
		llm.Call
		Messages []message `json:"messages"`
	}{call, make([]message, len(call.Messages))}
	for i, m := range call.Messages {
		row.Messages[i] = message{m.Role, m.Content}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	enc := json.NewEncoder(l.W)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(row); l.err == nil {
		l.err = err
	}
}

// Err returns the first error of writing.
func (l *CallLog) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}
