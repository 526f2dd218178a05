package corpora

import (
	"regexp"
	"strconv"
	"strings"
)

// maxTotal is the highest total that is taken for a roll.
const maxTotal = 45

var numbers = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty")

// How a player says what it rolled. A number in the middle of a sentence is mostly something else:
// gold, feet, a modifier. So a total has to open the turn, after a few small words, or, in digits, to
// close it.
const small = `(?i)^(?:\([^)]*\) ?)?(?:(?:okay|oh|um+|uh|ooh|h?m+|ugh|eh|an?|that's|that is|it's|it is|i got|with my bonus|natural|nat|another|dirty|cool|(?:for a )?total(?: of| is)?)[,.!-]*\s+)*`

var (
	opensInWords  = regexp.MustCompile(small + `(` + strings.Join(numbers, "|") + `)(?:[ .!?,-]|$)`)
	opensInDigits = regexp.MustCompile(small + `(\d{1,2})\b`)
	closes        = regexp.MustCompile(`(?:^|[^\w+-])(\d{1,2})[.!?\s]*(?:\([^)]*\)\s*)?$`)
	measured      = regexp.MustCompile(`(?i)^ ?(?:feet|foot|ft|gold|silver|copper|ki|hit|points?|damage|minutes?|hours?|days?|years?)\b`)
	modifies      = regexp.MustCompile(`(?i)(?:\bplus|\bminus|\bof|\bdc) ?$`)
	totalOf       = regexp.MustCompile(`(?i)\btotal of ?$`)
	spoken        = regexp.MustCompile(`(?i)\b(?:\d{1,2}|` + strings.Join(numbers, "|") + `)\b`)
)

// total returns what a turn says was rolled.
func total(text string) (int, bool) {
	at := opensInDigits.FindStringSubmatchIndex(text)
	if at == nil {
		at = closes.FindStringSubmatchIndex(text)
	}
	if at != nil && !measured.MatchString(text[at[3]:]) && (totalOf.MatchString(text[:at[2]]) || !modifies.MatchString(text[:at[2]])) {
		if n := value(text[at[2]:at[3]]); n <= maxTotal {
			return n, true
		}
	}
	if at := opensInWords.FindStringSubmatch(text); at != nil {
		return value(at[1]), true
	}
	return 0, false
}

// says reports whether a turn holds the number, in digits or in words.
func says(text string, number int) bool {
	for _, said := range spoken.FindAllString(text, -1) {
		if value(said) == number {
			return true
		}
	}
	return false
}

// value is the number that digits or a word say.
func value(said string) int {
	if n, err := strconv.Atoi(said); err == nil {
		return n
	}
	said = strings.ToLower(said)
	for n, word := range numbers {
		if word == said {
			return n
		}
	}
	return -1
}
