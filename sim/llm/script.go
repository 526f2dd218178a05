package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"parley/characters/yamlfile"
)

// Script is a model that says what is written in a file: for tests, examples and rehearsals.
//
// What it says depends on the request alone, never on what was asked before, so that sessions may
// run side by side and be taken up again: of several replies, turn t gets number t, and another try
// or repeat of the same question one further down for each. The last is followed by the first.
//
// A file that ends in .yaml or .yml is a list of rules, of which the first that fits answers; Rule
// says what is in one. Any other file is replies, separated by lines of three hyphens:
//
//	Good evening. What brings you here?
//	---
//	I pour an ale and wait.
//
// It counts no tokens and draws nothing: sampling, schema and limits make no difference to it.
type Script struct {
	file   string
	digest string
	rules  []Rule

	mu    sync.Mutex
	times map[string]int // calls that a rule with Times answered: how often
}

// ScriptAdapter opens scripts, whose files the function opens: script:FILE.
func ScriptAdapter(open func(file string) (io.ReadCloser, error)) Adapter {
	return Adapter{
		Scheme: "script", Usage: "script:FILE  replies and faults from a file",
		Open: func(_ context.Context, spec Spec, _ Env) (Model, error) {
			f, err := open(spec.Name)
			if err != nil {
				return nil, fmt.Errorf("model %q: %w", spec, err)
			}
			defer f.Close()
			return OpenScript(f, spec.Name)
		},
	}
}

// OpenScript reads a script. The file's name decides on the format and stands in errors.
func OpenScript(r io.Reader, file string) (*Script, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	sum := sha256.Sum256(data)
	s := &Script{file: file, digest: hex.EncodeToString(sum[:]), times: map[string]int{}}
	switch strings.ToLower(filepath.Ext(file)) {
	case ".yaml", ".yml":
		err = yamlfile.Value(data, file, (*rules)(&s.rules))
	default:
		s.rules, err = readReplies(string(data), file)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func readReplies(text, file string) ([]Rule, error) {
	var replies []string
	var lines []string
	end := func() {
		replies = append(replies, strings.Trim(strings.Join(lines, "\n"), "\n"))
		lines = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimRight(line, " \t") == "---" {
			end()
			continue
		}
		lines = append(lines, line)
	}
	// A separator at the end of the file closes the last reply and opens no other.
	if len(lines) > 0 {
		end()
	}
	if len(replies) == 0 {
		return nil, fmt.Errorf("%s: the script is empty; write replies, with a line --- between", file)
	}
	return []Rule{{Replies: replies}}, nil
}

// Identify names the file and its digest.
func (s *Script) Identify(context.Context) (Identity, error) {
	return Identity{Name: "script:" + s.file, Digest: "sha256:" + s.digest}, nil
}

// Generate says what is written.
func (s *Script) Generate(ctx context.Context, req Request) (*Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	rule := s.rule(req)
	if rule == nil {
		return nil, &Error{Model: "script:" + s.file, Fault: NotFound,
			Err:  fmt.Errorf("no rule fits %s", CallID(req.Tag)),
			Hint: "a last rule without conditions fits all"}
	}
	if rule.Delay > 0 {
		if err := Sleep(ctx, rule.Delay); err != nil {
			return nil, err
		}
	}
	if rule.Fault != "" {
		return nil, &Error{Model: "script:" + s.file, Fault: rule.Fault, RetryAfter: rule.RetryAfter,
			Err: fmt.Errorf("as rule %d of the script says", rule.number)}
	}
	resp := &Response{Reasoning: rule.Reasoning, Finish: rule.Finish, ServedBy: "script:" + s.file,
		Timing: Timing{Generate: rule.Delay, Total: rule.Delay}}
	if resp.Finish == "" {
		resp.Finish = Stop
	}
	if rule.Reply != nil {
		resp.Text = *rule.Reply
	} else {
		resp.Text = rule.Replies[place(req.Tag, len(rule.Replies))]
	}
	return resp, nil
}

// place returns which of n replies the tag gets.
func place(t Tag, n int) int {
	i := (max(t.Turn, 1) - 1 + t.Try + t.Repeat) % n
	return max(i, 0)
}

func (s *Script) rule(req Request) *Rule {
	prompt, joined := "", false
	for i := range s.rules {
		r := &s.rules[i]
		if !r.placed(req.Tag) {
			continue
		}
		if r.when != nil {
			if !joined {
				prompt, joined = joinText(req.Messages), true
			}
			if !r.when.MatchString(prompt) {
				continue
			}
		}
		if r.Times > 0 && !s.again(i, r, req.Tag) {
			continue
		}
		return r
	}
	return nil
}

// again counts the rule's answer to the call, and reports whether it is still due.
func (s *Script) again(i int, r *Rule, t Tag) bool {
	key := fmt.Sprint(i, " ", CallID(t))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.times[key] == r.Times {
		return false
	}
	s.times[key]++
	return true
}

// joinText returns what a rule's expression is looked for in.
func joinText(messages []Message) string {
	texts := make([]string, len(messages))
	for i := range messages {
		texts[i] = messages[i].Content
	}
	return strings.Join(texts, "\n")
}
