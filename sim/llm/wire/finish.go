package wire

import (
	"strings"

	"parley/sim/llm"
)

// classes tell what finish reasons mean, by the words in them; the first that fits counts.
var classes = []struct {
	finish llm.Finish // empty: a failure, and the text is no reply
	words  []string
}{
	{llm.Filtered, []string{"filter", "safety", "sensitive", "recitation", "guardrail", "prohibited", "blocklist",
		"blocked", "spii", "moderation", "policy", "flagged", "harm", "violat"}},
	{"", []string{"error", "insufficient", "resource", "unavailable", "overload", "fail", "exception", "timeout",
		"timed_out", "disconnect"}},
	{llm.Refused, []string{"refus"}},
	{llm.Length, []string{"length", "token", "context", "limit", "truncat", "incomplete"}},
	{llm.Cut, []string{"abort", "cancel", "interrupt"}},
}

// Finish classes the reason that a server gives for the end of a reply, of which each has its own
// words: network_error, RECITATION, model_length, end_turn. failed reports that the server did not
// finish the reply. A reason that no class knows, and none at all, mean that the reply is whole.
func Finish(raw string) (finish llm.Finish, failed bool) {
	raw = strings.ToLower(strings.NewReplacer("-", "_", " ", "_").Replace(raw))
	for _, class := range classes {
		for _, word := range class.words {
			if strings.Contains(raw, word) {
				return class.finish, class.finish == ""
			}
		}
	}
	return llm.Stop, false
}
