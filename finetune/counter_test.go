package finetune_test

import (
	"sync"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"parley/finetune"
)

// plain counts without cutting and remembering.
func plain(t testing.TB, encoding tokenizer.Encoding) func(string) int {
	codec, err := tokenizer.Get(encoding)
	if err != nil {
		t.Fatal(err)
	}
	return func(text string) int {
		n, err := codec.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

func TestOpenAI(t *testing.T) {
	tests := []struct{ model, want, reason string }{
		{"", "o200k_base", "the default"},
		{"gpt-4o-mini-2024-07-18", "o200k_base", ""},
		{"gpt-4.1", "o200k_base", ""},
		{"ft:gpt-4o-mini-2024-07-18:org::abc", "o200k_base", "a tuned model; the tokenizer's own table takes it for a gpt-4"},
		{"gpt-4", "cl100k_base", ""},
		{"gpt-4-0613", "cl100k_base", ""},
		{"gpt-35-turbo-0125", "cl100k_base", "as Azure spells it"},
		{"ft:gpt-3.5-turbo:org", "cl100k_base", ""},
		{"something-of-2031", "o200k_base", "an unknown model"},
	}
	for _, test := range tests {
		if got := finetune.OpenAI(test.model); got.Name != test.want || !got.Exact {
			t.Errorf("%q is counted with %s, want %s: %s", test.model, got.Name, test.want, test.reason)
		}
	}
}

func TestTokens(t *testing.T) {
	x := example("id", "g", "I sneak past the guard.")
	count := finetune.OpenAI("")
	got := count.Of(&x)
	learned := count.Count(x.Completion[0].Content)
	all := count.Count(x.Prompt[0].Content) + count.Count(x.Prompt[1].Content) + learned + 3*4 + 3
	if want := (finetune.Tokens{Length: all, All: all, Learned: learned}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	x.Task, x.Rejected = finetune.Preference, x.Completion[0].Content+" and a good deal more than that"
	rejected := count.Count(x.Rejected)
	if want := (finetune.Tokens{Length: all - learned + rejected, All: all + rejected + 4, Learned: learned + rejected}); count.Of(&x) != want {
		t.Errorf("a preference: got %+v, want %+v", count.Of(&x), want)
	}
}

func TestCountIsSafe(t *testing.T) {
	count, want := finetune.OpenAI("").Count, plain(t, tokenizer.O200kBase)
	var group sync.WaitGroup
	for i := range 8 {
		text := prose(uint64(i), 300)
		n := want(text)
		group.Go(func() {
			for range 3 {
				if got := count(text); got != n {
					t.Errorf("got %d tokens, want %d", got, n)
				}
			}
		})
	}
	group.Wait()
}

// Cutting a text into pieces changes no count.
func FuzzCount(f *testing.F) {
	for _, text := range []string{
		"Orla's lamp goes out; she'll roll 2d6 + 3 (Dexterity).",
		"a  b \n c\t d  \n\n  e !? f ' s 's '  s", "word \u00a0 x \u2003y\u3000z. \u0085 q", "<|endoftext|> x", "{\"a\": [1, 2000, 3]}\n",
		"é à ß 忍び足 で 進む 👩‍👩‍👧 x\u0301 y", " leading", "trailing ", "   ", "\xff \xfe a",
	} {
		f.Add(text)
	}
	o200k, cl100k := plain(f, tokenizer.O200kBase), plain(f, tokenizer.Cl100kBase)
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := finetune.OpenAI("gpt-4o").Count(text), o200k(text); got != want {
			t.Errorf("o200k: %q is %d tokens, want %d", text, got, want)
		}
		if got, want := finetune.OpenAI("gpt-4").Count(text), cl100k(text); got != want {
			t.Errorf("cl100k: %q is %d tokens, want %d", text, got, want)
		}
	})
}

func BenchmarkCount(b *testing.B) {
	text := prose(1, 400)
	count := finetune.OpenAI("").Count
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		count(text)
	}
}
