package judge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"parley/sim/llm/loose"
	"parley/sim/prose"
)

// A judge that changes its mind behind its verdict gives no verdict.
var (
	secondThought = regexp.MustCompile(`(?i)` + changed + `|\b(?:rather|instead)\b`)
	// changedMind matches words that take a value back within the reasons for it too, where another one stands beside it.
	changedMind = regexp.MustCompile(`(?i)^\W*actually\b|` + changed)
	numeral     = regexp.MustCompile(`(?i)-?\d+(?:\.\d+)?|\b(?:two|three|four|five|six|seven|eight|nine|ten)\b`)
	affirms     = regexp.MustCompile(`(?i)\b(?:true|yes)\b`)
	denies      = regexp.MustCompile(`(?i)\bfalse\b|\bno\b\W*$|\bno\b\s*[.,:;)"'*]`)
)

const changed = `\b(?:wait|scratch that|(?:disregard|ignore) (?:that|the above|my)|correction|i meant|oops|` +
	`on (?:reflection|second thoughts?|(?:closer|further|a second) (?:look|reading|inspection|thoughts?))|` +
	`(?:take|taking) (?:it|that) back|chang(?:e|ed|ing) my (?:mind|verdict|answer|score)|my mistake|` +
	`sorry\W+(?:i|that|this) was (?:wrong|mistaken|too \w+)|i (?:misread|misjudged|miscounted))\b`

var numerals = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10"}

// retracted says how the text behind a verdict takes it back; "": it does not. Words of second thought do. So
// does another value: anywhere where one value is asked for, else in a sentence that names the property. In reasons,
// the strings of the object behind its last value, it takes both in one sentence.
func (s *Schema) retracted(rest, reasons string, verdict any) string {
	if m := secondThought.FindString(rest); m != "" {
		return fmt.Sprintf("the verdict is followed by second thoughts: %q", m)
	}
	if s == nil {
		return ""
	}
	sentences := prose.Sentences(strings.ReplaceAll(rest, ";", "\n"))
	for _, sentence := range prose.Sentences(strings.ReplaceAll(reasons, ";", "\n")) {
		if changedMind.MatchString(sentence) {
			sentences = append(sentences, sentence)
		}
	}
	return s.another(sentences, verdict)
}

// another says which sentence holds another value than the verdict's; "": none.
func (s *Schema) another(sentences []string, verdict any) string {
	places := map[string]part{} // where a number or a label is asked for, by property
	root := s.part()
	object, isObject := verdict.(map[string]any)
	if !isObject {
		places[""], object = root, map[string]any{"": verdict}
	}
	for name, schema := range root.properties() {
		p := partOf(schema)
		if _, listed := p.choices(); listed || p.typed("integer") || p.typed("number") || p.typed("boolean") {
			places[name] = p
		}
	}
	for _, sentence := range sentences {
		sentence = strings.TrimRight(sentence, ".!?")
		said := " " + fold(sentence) + " "
		for name, p := range places {
			value, given := object[name]
			if !given || len(places) > 1 && !strings.Contains(said, " "+fold(name)+" ") {
				continue
			}
			if other := p.other(sentence, value); other != "" {
				return fmt.Sprintf("another value stands behind the verdict: %q", other)
			}
		}
	}
	return ""
}

// other returns a value that a sentence names and that differs from the one given.
func (p part) other(sentence string, value any) string {
	switch value := value.(type) {
	case json.Number:
		return p.otherNumber(sentence, value)
	case bool:
		if value {
			return denies.FindString(sentence)
		}
		return affirms.FindString(sentence)
	case string:
		return p.otherLabel(sentence, value)
	}
	return ""
}

// otherNumber returns another number of the scale.
func (p part) otherNumber(sentence string, value json.Number) string {
	low, hasLow := p.bound("minimum")
	high, hasHigh := p.bound("maximum")
	for _, text := range numeral.FindAllString(sentence, -1) {
		text = cmp.Or(numerals[strings.ToLower(text)], text)
		f, err := strconv.ParseFloat(text, 64)
		if err == nil && !(hasLow && f < low) && !(hasHigh && f > high) && value != decimal(json.Number(text)) {
			return text
		}
	}
	return ""
}

// otherLabel returns another label of the list.
func (p part) otherLabel(sentence, value string) string {
	choices, _ := p.choices()
	said := strings.ReplaceAll(" "+fold(sentence)+" ", " "+fold(value)+" ", " ")
	for _, choice := range choices {
		label, ok := choice.(string)
		if !ok || label == value || !strings.Contains(said, " "+fold(label)+" ") {
			continue
		}
		switch words := strings.Count(said, " ") - 1; {
		case strings.EqualFold(label, "no"):
			if denies.MatchString(sentence) {
				return label
			}
		case len(label) > 1 || words < 5: // a letter in a longer sentence is a word, such as I
			return label
		}
	}
	return ""
}

// show quotes the beginning of a value, for a reason.
func show(v *loose.Value) string {
	switch v.Kind {
	case loose.Object:
		return "an object"
	case loose.Array:
		return "a list"
	case loose.Null:
		return "null"
	}
	return fmt.Sprintf("%q", short(v.Text))
}
