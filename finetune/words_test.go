package finetune_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"parley/finetune"
)

func TestFold(t *testing.T) {
	tests := []struct{ a, b, reason string }{
		{"Roll  for\n\tStealth. ", "roll for stealth.", "white space and case"},
		{"ＲＯＬＬ ﬁre", "roll fire", "full width and ligatures are one in NFKC"},
		{"cafe\u0301", "CAFÉ", "a combining accent"},
		{"a\u00a0b\u2003c", "a b c", "spaces that are not ASCII"},
	}
	for _, test := range tests {
		if a, b := finetune.Fold(test.a), finetune.Fold(test.b); a != b {
			t.Errorf("%q and %q are folded to %q and %q: %s", test.a, test.b, a, b, test.reason)
		}
	}
	if a, b := finetune.Fold("I attack!"), finetune.Fold("I attack?"); a == b {
		t.Error("marks are no white space, and folded away")
	}
}

func TestWords(t *testing.T) {
	tests := []struct {
		a, b, reason string
		words        int
	}{
		{"Don't you dare, Orla!", "dont you dare orla", "marks and apostrophes do not count", 4},
		{"don’t you dare orla", "don't—you (dare) ORLA", "nor do typographic ones", 4},
		{"忍び足で進む", "忍び足で、進む。", "without spaces each letter is a word", 6},
		{"Ａ １２ b", "a 12 B", "full width", 3},
		{"", " ... !", "nothing", 0},
	}
	for _, test := range tests {
		a, n := finetune.Grams(test.a, 2)
		b, m := finetune.Grams(test.b, 2)
		if n != test.words || m != n || !cmp.Equal(a, b) {
			t.Errorf("%q has %d words and %q has %d, want %d and the same: %s", test.a, n, test.b, m, test.words, test.reason)
		}
	}
}

// Grams are told apart by what stands in them and not by what stood before them.
func TestGrams(t *testing.T) {
	text := "the door is shut and the door is shut again"
	hashes, words := finetune.Grams(text, 4)
	if words != 10 || len(hashes) != 7 {
		t.Fatalf("%d words and %d grams, want 10 and 7", words, len(hashes))
	}
	if hashes[0] != hashes[5] {
		t.Error("the same gram has two hashes")
	}
	distinct := slices.Clone(hashes)
	slices.Sort(distinct)
	if len(slices.Compact(distinct)) != 6 {
		t.Error("different grams have one hash")
	}
}

func FuzzGrams(f *testing.F) {
	f.Add("It is a dark and stormy night, and Orla's lamp goes out as she climbs the stairs to the attic.")
	f.Add("ＲＯＬＬ 忍び足 don’t \xff\xfe e\u0301")
	f.Fuzz(func(t *testing.T, text string) {
		folded := finetune.Fold(text)
		if utf8.ValidString(text) && strings.TrimSpace(folded) != folded {
			t.Errorf("%q is folded to %q", text, folded)
		}
		hashes, words := finetune.Grams(text, 12)
		if want := max(0, words-11); len(hashes) != want {
			t.Fatalf("%q has %d words and %d grams, want %d", text, words, len(hashes), want)
		}
		for _, h := range hashes {
			part := finetune.Passage(text, h)
			again, n := finetune.Grams(part, 12)
			if n != 12 || len(again) != 1 || again[0] != h {
				t.Fatalf("the passage %q of %q has other words than its gram", part, text)
			}
		}
		if h, _ := finetune.Grams(strings.ToUpper(text), 12); isASCII(text) && !cmp.Equal(h, hashes) {
			t.Errorf("%q is another text in capitals", text)
		}
	})
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}
