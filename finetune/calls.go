package finetune

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"parley/sim/llm"
)

// CallLog keeps calls of models as JSON lines, each with its messages. A nil one keeps none.
type CallLog struct {
	f     *os.File
	clean func(string) string
	mu    sync.Mutex
	err   error
}

// NewCallLog makes the new file of a path; for no path it returns nil. Clean takes keys out of the texts of errors.
func NewCallLog(path string, clean func(string) string) (*CallLog, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, fmt.Errorf("keep calls: %w", err)
	}
	return &CallLog{f: f, clean: clean}, nil
}

// Record writes a call. It is safe for many goroutines at once.
func (l *CallLog) Record(call llm.Call) {
	if l == nil {
		return
	}
	type message struct {
		Role    llm.Role `json:"role"`
		Content string   `json:"content"`
	}
	call.Error = l.clean(call.Error)
	row := struct {
		llm.Call
		Messages []message `json:"messages"`
	}{call, make([]message, len(call.Messages))}
	for i, m := range call.Messages {
		row.Messages[i] = message{m.Role, m.Content}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	enc := json.NewEncoder(l.f)
	enc.SetEscapeHTML(false)
	l.err = cmp.Or(l.err, enc.Encode(row))
}

// Close closes the file and returns the first error of writing.
func (l *CallLog) Close() error {
	if l == nil {
		return nil
	}
	if err := cmp.Or(l.err, l.f.Close()); err != nil {
		return fmt.Errorf("keep calls in %s: %w", l.f.Name(), err)
	}
	return nil
}
