package wire

import (
	"strconv"
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
		"timed_out", "disconnect", "rate_limit", "throttl", "quota", "capacity", "internal"}},
	{llm.Refused, []string{"refus"}},
	{llm.Length, []string{"length", "token", "context", "limit", "truncat", "incomplete"}},
	{llm.Cut, []string{"abort", "cancel", "interrupt"}},
	{llm.Stop, []string{"stop", "end", "eos", "complete", "done", "finish", "tool", "function"}},
}

// Finish classes the reason that a server gives for the end of a reply, of which each has its own
// words: network_error, RECITATION, model_length, end_turn. An empty class means that the server did
// not finish the reply. A reason that no class knows, and none at all, mean that the reply is whole;
// the note, which is empty otherwise, says so.
func Finish(raw string) (finish llm.Finish, note string) {
	words := strings.ToLower(strings.NewReplacer("-", "_", " ", "_").Replace(raw))
	for _, class := range classes {
		for _, word := range class.words {
			if strings.Contains(words, word) {
				return class.finish, ""
			}
		}
	}
	if raw == "" {
		return llm.Stop, "a reply ended without a reason and was taken as whole"
	}
	return llm.Stop, "a reply ended for the unknown reason " + strconv.Quote(llm.Excerpt(raw, 100)) + " and was taken as whole"
}
