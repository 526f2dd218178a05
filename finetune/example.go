// Package finetune makes of play what models learn from: examples, checked for what would spoil a
// training, and split so that nothing is tested that was learned.
//
// It knows episodes, windows of play and verdicts. How a trainer wants its files stands in
// finetune/formats, how a run is kept on disk in cmd.
package finetune

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Task is what is to be learned.
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
	Group    string // what no split may tear apart: a session, an episode of a show
	Scenario string // which situation it is; empty where there is none, as in real people's play
	Split    Split  // where the example has to go, as its source says; empty: that is for Build to say
	Source   string // the run or file it came from
	Model    string // who wrote what is learned, as the user named the model; empty for people
	// Prompt is at most one system message, then users' and assistants' messages in turn; it begins
	// (the system message aside) and ends with a user's.
	Prompt []Message
	// Completion begins and ends with an assistant's message. In a conversation users' messages stand
	// between the assistant's, in turn.
	Completion []Message
	Rejected   string   // of a preference: the worse alternative to the completion's one message
	Labels     []string // what the balance of the dataset is counted by, such as skills
	Score      *float64 // of the play or of the verdict, where there is one
	// Body is the play itself without the instructions around it: what duplicates and contamination
	// are found by, as every example of a task has the instructions in common.
	Body string
}

// Validate says what is wrong with an example that a program made.
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
			return bad("message %d is of the role %q, where %q has to stand", i+1, m.Role, want)
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
