package gguf

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Verdict is the result of a check.
type Verdict string

const (
	Pass    Verdict = "pass"
	Fail    Verdict = "fail"
	Unknown Verdict = "unknown" // it cannot be told from what there is
)

// Check is one question put before anything is converted, and its answer.
type Check struct {
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict"`
	Detail  string  `json:"detail"` // why, and what to do
}

// Failed returns the checks that failed as one error, nil where none did.
func Failed(checks []Check) error {
	var said []string
	for _, c := range checks {
		if c.Verdict == Fail {
			said = append(said, c.Name+": "+c.Detail)
		}
	}
	if said == nil {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(said, "; "))
}

func passed(name, format string, args ...any) Check {
	return Check{name, Pass, fmt.Sprintf(format, args...)}
}

func failed(name, format string, args ...any) Check {
	return Check{name, Fail, fmt.Sprintf(format, args...)}
}

func unknown(name, format string, args ...any) Check {
	return Check{name, Unknown, fmt.Sprintf(format, args...)}
}

// listed joins the first few of a list.
func listed(list []string) string {
	const most = 4
	var some []string
	for _, s := range list[:min(most, len(list))] {
		if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
			s = strconv.Quote(s) // a foreign file's name
		}
		some = append(some, s)
	}
	said := strings.Join(some, ", ")
	if len(list) > most {
		said += fmt.Sprintf(" and %d more", len(list)-most)
	}
	return said
}
