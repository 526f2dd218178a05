package agent_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"parley/sim/agent"
)

// label folds what a reply says into a few letters: its kind, the words that are said, the words that are
// done.
func label(kind, speech, deed string) string {
	words := func(text string) string {
		return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" \t\n\"*“”,;.", r) }), " ")
	}
	sum := sha256.Sum256([]byte(kind + "|" + words(speech) + "|" + words(deed)))
	return hex.EncodeToString(sum[:4])
}

// TestLabels compares how 300 recorded replies are read with how a person read them. Each line of the file
// has the number of a reply, its kind, and the label of the person's reading; no text of a reply.
func TestLabels(t *testing.T) {
	type row struct {
		N       int
		Speaker string
		Others  []string
		Raw     string
	}
	replies := map[int]row{}
	for _, r := range rowsOf[row](t, "../../../shared/data/replies/replies.jsonl") {
		replies[r.N] = r
	}
	text, err := os.ReadFile("testdata/replies.labels")
	if err != nil {
		t.Fatal(err)
	}
	right, all := 0, 0
	for line := range strings.Lines(string(text)) {
		var n int
		var kind, want string
		if _, err := fmt.Sscan(line, &n, &kind, &want); err != nil {
			continue // a comment
		}
		r := replies[n]
		cast := castOf(append([]string{r.Speaker}, r.Others...))
		m := agent.Parse(r.Raw, cast[0].ID, cast)
		got := m.Fault
		switch {
		case got == "" && m.Speech+m.Deed == "":
			got = "pass"
		case got == "":
			got = "played"
		}
		all++
		if got == kind && label(kind, m.Speech, m.Deed) == want {
			right++
		} else {
			t.Logf("%d: read as %s, a person read %s: %.80q %.80q", n, got, kind, m.Speech, m.Deed)
		}
	}
	t.Logf("%d of %d replies are read as a person reads them", right, all)
	if all != 300 || right < all*95/100 {
		t.Errorf("%d of %d replies are read as a person reads them, want 95 %% of 300", right, all)
	}
}
