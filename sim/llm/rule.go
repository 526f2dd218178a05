package llm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/characters/yamlfile"
)

// Rule says when it applies, by all of its conditions, and what happens then.
type Rule struct {
	When    string `yaml:"when" doc:"regular expression, found in the prompt: the messages' texts, joined by newlines"`
	Purpose string `yaml:"purpose" doc:"of the call: act, debrief, judge ...; judge also means judge:iep-match"`
	Actor   string `yaml:"actor" doc:"id of the character who is asked"`
	Turn    *int   `yaml:"turn" doc:"turn of the session"`
	Try     *int   `yaml:"try" doc:"0 for the first call of a turn, 1 for a second one"`
	// Times is the one thing that a script has to remember: a run that is resumed starts it afresh.
	Times int `yaml:"times" doc:"how often the rule answers one and the same call, for calls that are asked again after a fault; 0: always"`

	Reply      *string       `yaml:"reply" doc:"the reply, which may be empty"`
	Replies    []string      `yaml:"replies" doc:"instead of reply: one of these, by turn and try"`
	Reasoning  string        `yaml:"reasoning" doc:"what a reasoning model thinks before it replies"`
	Finish     Finish        `yaml:"finish" doc:"why the reply ended; stop where it is left out"`
	Fault      Fault         `yaml:"fault" doc:"instead of a reply: the call fails"`
	RetryAfter time.Duration `yaml:"retry_after" doc:"with a fault: when the server says to ask again, such as 2s"`
	Delay      time.Duration `yaml:"delay" doc:"time before the answer, such as 100ms"`

	when   *regexp.Regexp
	number int // from 1
}

// rules is a script in YAML.
type rules []Rule

// Problems reports rules that could never be carried out, and compiles the expressions of the others.
func (r *rules) Problems() (list []yamlfile.Problem) {
	if len(*r) == 0 {
		return []yamlfile.Problem{{Text: "no rules; write a list, such as - reply: Good evening"}}
	}
	for i := range *r {
		(*r)[i].number = i + 1
		if err := (*r)[i].check(); err != nil {
			list = append(list, yamlfile.Problem{Path: fmt.Sprintf("[%d]", i), Text: err.Error()})
		}
	}
	return list
}

// check reports a rule that could never be carried out, and compiles its expression.
func (r *Rule) check() error {
	answers := 0
	for _, given := range []bool{r.Reply != nil, len(r.Replies) > 0, r.Fault != ""} {
		if given {
			answers++
		}
	}
	switch {
	case answers == 0:
		return fmt.Errorf("a rule needs reply, replies or fault")
	case answers > 1:
		return fmt.Errorf("a rule has only one of reply, replies and fault")
	case r.Fault != "" && !slices.Contains(faults, r.Fault):
		return fmt.Errorf("unknown fault %q; known are %s", r.Fault, strings.Join(Faults(), ", "))
	case r.Fault == "" && r.RetryAfter != 0:
		return fmt.Errorf("retry_after is for rules with a fault")
	case r.Fault != "" && (r.Reasoning != "" || r.Finish != ""):
		return fmt.Errorf("a rule with a fault has no reasoning and no finish")
	case r.Finish != "" && !slices.Contains(finishes, r.Finish):
		return fmt.Errorf("unknown finish %q; known are %s", r.Finish, strings.Join(Finishes(), ", "))
	case r.Times < 0 || r.Delay < 0 || r.RetryAfter < 0:
		return fmt.Errorf("times, delay and retry_after may not be negative")
	}
	if r.When == "" {
		return nil
	}
	var err error
	if r.when, err = regexp.Compile(r.When); err != nil {
		return fmt.Errorf("when: %w", err)
	}
	return nil
}

// placed reports whether the rule's conditions on the tag hold.
func (r *Rule) placed(t Tag) bool {
	head, _, _ := strings.Cut(t.Purpose, ":")
	return (r.Purpose == "" || r.Purpose == t.Purpose || r.Purpose == head) &&
		(r.Actor == "" || r.Actor == t.Actor) &&
		(r.Turn == nil || *r.Turn == t.Turn) &&
		(r.Try == nil || *r.Try == t.Try)
}

var (
	faults = []Fault{TooLong, NotFound, Unreachable, Denied, RateLimited, Overloaded, TimedOut, Blocked,
		BadRequest, BadResponse, Unsupported, OverBudget}
	finishes = []Finish{Stop, Length, Filtered, Refused, Cut}
)

// Faults lists the faults that a rule may have, and Finishes why a reply may end.
func Faults() []string   { return texts(faults) }
func Finishes() []string { return texts(finishes) }

func texts[T ~string](all []T) []string {
	list := make([]string, len(all))
	for i, v := range all {
		list[i] = string(v)
	}
	return list
}
