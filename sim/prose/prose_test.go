package prose_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/sim/prose"
)

func TestSentences(t *testing.T) {
	tests := []struct {
		text, reason string
		want         []string
	}{
		{text: "It rains. Stay here! Why?", want: []string{"It rains.", "Stay here!", "Why?"}},
		{text: "one. two", want: []string{"one.", "two"}, reason: "chat has no capitals"},
		{text: "It weighs 1.5 kg.", want: []string{"It weighs 1.5 kg."}},
		{text: "Dr. Ames met J. Wu at St. Mary's.", want: []string{"Dr. Ames met J. Wu at St. Mary's."}},
		{text: `He said "Go." She went.`, want: []string{`He said "Go."`, "She went."}},
		{text: "Wait... what?! No.", want: []string{"Wait...", "what?!", "No."}, reason: "no alone is a word"},
		{text: "a line\r\nanother", want: []string{"a line", "another"}},
		{text: " \n ", want: nil},
		{text: "He left.† She stayed.", want: []string{"He left.† She stayed."}, reason: "the last byte of the sign is a space in Latin-1"},
	}
	for _, tt := range tests {
		if got := prose.Sentences(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q %s", tt.text, got, tt.want, tt.reason)
		}
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("It rains. (Stay here!) “Why?”\nNo.")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) { // a stray byte is found again within other characters
			return
		}
		rest := text
		for _, s := range prose.Sentences(text) {
			at := strings.Index(rest, s)
			if at < 0 || strings.TrimSpace(rest[:at]) != "" {
				t.Fatalf("%q was not cut in order", text)
			}
			rest = rest[at+len(s):]
		}
	})
}

func Example() {
	for _, s := range prose.Sentences("The gate is shut. Who has the key?") {
		fmt.Println(s)
	}
	// Output:
	// The gate is shut.
	// Who has the key?
}
