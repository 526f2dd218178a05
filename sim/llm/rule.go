package llm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// Rule says when it applies, by all of its conditions, and what happens then.
type Rule struct {
	When    string `yaml:"when"`    // regular expression, found in the prompt: the messages' texts, joined by newlines
	Purpose string `yaml:"purpose"` // as in the tag; judge also stands for judge:iep
	Actor   string `yaml:"actor"`
	Turn    *int   `yaml:"turn"`
	Try     *int   `yaml:"try"`
	// Times is how often the rule answers one and the same call, which only matters for calls that
	// are asked again after a fault. 0: always. It is the one thing that a script has to remember;
	// a run that is taken up again starts it afresh.
	Times int `yaml:"times"`

	Reply      *string       `yaml:"reply"`   // may be empty
	Replies    []string      `yaml:"replies"` // instead of reply: one of these, by turn and try
	Reasoning  string        `yaml:"reasoning"`
	Finish     Finish        `yaml:"finish"` // empty: stop
	Fault      Fault         `yaml:"fault"`  // instead of a reply
	RetryAfter time.Duration `yaml:"retry_after"`
	Delay      time.Duration `yaml:"delay"` // before the answer

	when *regexp.Regexp
	line int
}

// readRules reads a script in YAML.
func readRules(data []byte, file string) ([]Rule, error) {
	var rules []Rule
	if err := decodeYAML(data, file, &rules); err != nil {
		return nil, err
	}
	if len(rules) == 0 {
		return nil, fmt.Errorf("%s: no rules; write a list, such as - reply: Good evening", file)
	}
	for i := range rules {
		if err := rules[i].check(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, rules[i].line, err)
		}
	}
	return rules, nil
}

// UnmarshalYAML keeps the line.
func (r *Rule) UnmarshalYAML(node ast.Node) error {
	type plain Rule
	if err := yaml.NodeToValue(node, (*plain)(r), yaml.Strict()); err != nil {
		return err
	}
	r.line = node.GetToken().Position.Line
	return nil
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
		return fmt.Errorf("unknown fault %q; known are %s", r.Fault, names(faults))
	case r.Fault == "" && r.RetryAfter != 0:
		return fmt.Errorf("retry_after is for rules with a fault")
	case r.Fault != "" && (r.Reasoning != "" || r.Finish != ""):
		return fmt.Errorf("a rule with a fault has no reasoning and no finish")
	case r.Finish != "" && !slices.Contains(finishes, r.Finish):
		return fmt.Errorf("unknown finish %q; known are %s", r.Finish, names(finishes))
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

func names[T ~string](all []T) string {
	var b strings.Builder
	for i, v := range all {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(v))
	}
	return b.String()
}
