// Package finetune makes of play what models learn from: examples, checked for what would spoil a
// training, and split so that nothing is tested that was learned.
//
// Sources are recorded runs (Run) and windows of play. Each trainer's files are written by
// finetune/formats.
package finetune

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Task names the thing to be learned.
type Task string

const (
	DM         Task = "dm"         // from a window of play to who tries which skill
	Roleplay   Task = "roleplay"   // from what a character is told and perceived to its turn
	Preference Task = "preference" // from the same view to the better of two turns
	Judge      Task = "judge"      // from a judge's question to its verdict
)

// Role says whose a message is.
type Role string

const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one piece of a conversation.
type Message struct {
	Role    Role   `json:"role" parquet:"role,dict"`
	Content string `json:"content" parquet:"content"`
}

// Example is one thing to learn: after Prompt comes Completion, of which the assistant's messages are
// learned and nothing else is.
type Example struct {
	ID       string // unique within a dataset, the same in every build
	Task     Task
	Group    string // kept in one split: a session's situation, an episode of a show
	Scenario string // title of the situation; empty where there is none, as in real people's play
	Split    Split  // where the example has to go, as its source says; empty: Build decides
	Source   string // the run or file it came from
	Model    string // who wrote what is learned, as the user named the model; empty for people
	// Prompt is at most one system message, then users' and assistants' messages in turn; it begins
	// (the system message aside) and ends with a user's.
	Prompt []Message
	// Completion begins and ends with an assistant's message. In a conversation users' messages come
	// between the assistant's, in turn.
	Completion []Message
	Rejected   string   // of a preference: the worse alternative to the completion's one message
	Labels     []string // what the balance of the dataset is counted by, such as skills
	Score      *float64 // of the play or of the verdict, where there is one
	// Body is the play without the instructions around it: duplicates and contamination are found by
	// it, as every example of a task has the instructions in common.
	Body string
}

// Validate returns an error for an example that trainers could not use.
func (x *Example) Validate() error {
	bad := func(what string, args ...any) error {
		return fmt.Errorf("example %s: %s", x.ID, fmt.Sprintf(what, args...))
	}
	if x.ID == "" || x.Group == "" {
		return errors.New("an example has no id or no group")
	}
	all := append(append(make([]Message, 0, len(x.Prompt)+len(x.Completion)), x.Prompt...), x.Completion...)
	if len(x.Prompt) > 0 && x.Prompt[0].Role == System {
		all = all[1:]
	}
	for i, m := range all {
		want := User
		if i%2 == 1 {
			want = Assistant
		}
		switch {
		case m.Role != want:
			return bad("message %d has the role %q and not %q", i+1, m.Role, want)
		case strings.TrimSpace(m.Content) == "":
			return bad("message %d is empty", i+1)
		case !utf8.ValidString(m.Content):
			return bad("message %d is not UTF-8", i+1)
		}
	}
	switch {
	case len(x.Prompt) == 0 || x.Prompt[len(x.Prompt)-1].Role != User:
		return bad("the prompt does not end with a user's message")
	case len(x.Completion) == 0 || x.Completion[len(x.Completion)-1].Role != Assistant:
		return bad("the completion does not end with the assistant's message")
	case x.Task == Preference && (len(x.Completion) != 1 || strings.TrimSpace(x.Rejected) == "" || x.Rejected == x.Completion[0].Content):
		return bad("a preference needs one chosen and another, rejected message")
	case x.Task != Preference && x.Rejected != "":
		return bad("only a preference has a rejected message")
	}
	return nil
}

// bodyOf returns the play in an example: its Body, or all its messages where it has none.
func bodyOf(x *Example) string {
	if x.Body != "" {
		return x.Body
	}
	var out strings.Builder
	for _, list := range [][]Message{x.Prompt, x.Completion} {
		for i := range list {
			out.WriteString(list[i].Content + "\n")
		}
	}
	return out.String() + x.Rejected
}

// Reason is why an example is not in a dataset.
type Reason string

const (
	Duplicate     Reason = "duplicate"      // the same messages came earlier
	NearDuplicate Reason = "near duplicate" // nearly the same play came earlier
	Contaminated  Reason = "contaminated"   // of train: it shares a passage with an evaluation example
	TooLong       Reason = "too long"       // more tokens than the limit
	Alike         Reason = "alike"          // of a preference: without personal data its messages are the same
)

// Dropped is an example that is not in the dataset, and why. A source that gives up an example yields
// one as its error, with a reason of its own, such as "malformed turn".
type Dropped struct {
	ID     string `json:"id"`
	Group  string `json:"group"`
	Source string `json:"source,omitempty"`
	Split  Split  `json:"split,omitempty"` // where it would have gone, if that was known
	Reason Reason `json:"reason"`
	Detail string `json:"detail,omitempty"`
	With   string `json:"with,omitempty"` // the example that it is a duplicate of, or shares a passage with
}

// Error makes a Dropped the error of a stream.
func (d *Dropped) Error() string {
	s := "example " + d.ID + " is left out: " + string(d.Reason)
	if d.Detail != "" {
		s += ": " + d.Detail
	}
	return s
}

// dropped reports whether an error of a stream is a *Dropped, after which the stream goes on.
func dropped(err error) bool {
	_, is := err.(*Dropped)
	return is
}
