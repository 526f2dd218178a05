package run

import (
	"cmp"
	"time"

	"parley/eval"
	"parley/logs"
	"parley/sim/llm"
)

// Message is a distinct message of the prompts.
type Message struct {
	Hash    string   `json:"hash" parquet:"hash"`
	Role    llm.Role `json:"role" parquet:"role,dict"`
	Content string   `json:"content" parquet:"content"`
}

// The tables that every run has. Calls of Prepare have no session.
var (
	Messages = Rows[Message]{
		Name: "messages", Keep: logs.KeepFirst,
		Compare: func(a, b *Message) int { return cmp.Compare(a.Hash, b.Hash) },
		Check: Each(func(r *Message, finding func(string, ...any)) {
			if want := (llm.Message{Role: r.Role, Content: r.Content}).Hash(); r.Hash != want {
				finding("%s has the content of %s", r.Hash, want)
			}
		}),
	}
	Calls = Rows[llm.Call]{
		Name: "calls", Job: func(c *llm.Call) string { return c.Session },
		Untimed: func(c *llm.Call) {
			c.Started = time.Time{}
			c.Queue, c.Load, c.First, c.Read, c.Write, c.Total = 0, 0, 0, 0, 0, 0
		},
	}
	Scores = Rows[eval.Score]{
		Name: "scores", Job: func(s *eval.Score) string { return s.Session },
		Calls: func(s *eval.Score) []string { return s.Calls },
		Check: Each(func(s *eval.Score, finding func(string, ...any)) {
			if (s.Value != nil) != (s.Status == eval.Scored) || s.Value == nil && s.Reason == "" {
				finding("%s of %s in %s: status %q with reason %q", s.Metric, s.Subject, s.Session, s.Status, s.Reason)
			}
		}),
	}
)

// tablesOf returns all tables of a plan in the order in which their rows become durable.
func tablesOf(p Plan) []Table {
	return append([]Table{Messages, Calls, Scores}, p.Tables()...)
}
