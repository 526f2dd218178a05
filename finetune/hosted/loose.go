package hosted

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// Servers that follow OpenAI's protocol follow it loosely: null, {} or nothing where a value is
// missing, numbers as texts, times as dates. What is of another kind than expected counts as missing.

// object reads a JSON object; nil: it is none.
func object(raw json.RawMessage) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	return fields
}

// plain reads a text, a number or a truth value as text.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	switch text := strings.TrimSpace(string(raw)); {
	case text == "true", text == "false":
		return text
	case text != "" && (text[0] == '-' || text[0] >= '0' && text[0] <= '9'):
		return text
	}
	return ""
}

// number reads a finite number.
func number(raw json.RawMessage) (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(plain(raw)), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// whole reads a whole number; nil: there is none.
func whole(raw json.RawMessage) *int64 {
	n, err := strconv.ParseInt(plain(raw), 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// when reads a time: seconds of Unix, or a date as RFC 3339 writes it. The zero time means none, as 0 does.
func when(raw json.RawMessage) time.Time {
	if f, ok := number(raw); ok && f >= 1 && f < 2e11 { // a year of four digits
		return time.Unix(int64(f), 0).UTC()
	}
	t, err := time.Parse(time.RFC3339, plain(raw))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
