package gguf

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
)

// Base describes the model that was trained from, as it is served.
type Base struct {
	Arch                 string
	Layers               int
	Heads, KVHeads       int // 0: unknown, or not the same in all layers
	Width, FeedForward   int // 0: unknown
	Vocabulary           int
	Experts              int
	Theta, Epsilon       float64 // of the rotary embedding and of the norms; 0: unknown
	Names                []string
	shapes               map[string][]uint64
	tokens               []string // nil: unknown
	tokenizer, preTokens string
	file                 *File // nil: only a server's word is there
}

// Base says what the file is as a base. An adapter is none.
func (f *File) Base() (*Base, error) {
	value := func(key string) any {
		if v, ok := f.Entry(key); ok {
			return v.Value()
		}
		return nil
	}
	if kind := f.Text("general.type"); kind != "" && kind != "model" {
		return nil, fmt.Errorf("is a GGUF of the type %q, and a base has to be a model", kind)
	}
	if n, _ := asFloat(value("split.count")); n > 1 {
		return nil, fmt.Errorf("is one of %v pieces of a model: join them with llama.cpp's gguf-split --merge", n)
	}
	b, err := baseOf(value, f.Tensors)
	if err != nil {
		return nil, err
	}
	b.tokens, b.file = f.Texts("tokenizer.ggml.tokens"), f
	return b, nil
}

// BaseOf says what a base is by what a server tells of it: its metadata by key, numbers as any kind of
// number, and its tensors.
func BaseOf(info map[string]any, tensors []Tensor) (*Base, error) {
	return baseOf(func(key string) any { return info[key] }, tensors)
}

func baseOf(value func(string) any, tensors []Tensor) (*Base, error) {
	text := func(key string) string { s, _ := value(key).(string); return s }
	b := &Base{Arch: text("general.architecture"), shapes: map[string][]uint64{}}
	if b.Arch == "" {
		return nil, fmt.Errorf("does not say its architecture (general.architecture)")
	}
	if len(tensors) == 0 {
		return nil, fmt.Errorf("does not list its tensors")
	}
	get := func(key string) float64 { n, _ := asFloat(value(b.Arch + "." + key)); return n }
	whole := func(key string) int {
		n := get(key)
		if n != math.Trunc(n) || n < 0 || n > 1<<31-1 {
			return 0
		}
		return int(n)
	}
	b.Layers, b.Experts = whole("block_count"), whole("expert_count")
	b.Heads, b.KVHeads = whole("attention.head_count"), whole("attention.head_count_kv")
	if value(b.Arch+".attention.head_count_kv") == nil {
		b.KVHeads = b.Heads
	}
	b.Width, b.FeedForward = whole("embedding_length"), whole("feed_forward_length")
	b.Theta, b.Epsilon = get("rope.freq_base"), get("attention.layer_norm_rms_epsilon")
	b.tokenizer, b.preTokens = text("tokenizer.ggml.model"), text("tokenizer.ggml.pre")
	for _, t := range tensors {
		b.shapes[t.Name] = t.Shape
	}
	if s := b.shapes["token_embd.weight"]; len(s) == 2 && s[1] < 1<<31 {
		b.Vocabulary = int(s[1])
	}
	for _, key := range []string{
		"general.name", "general.source.url", "general.source.repo_url", "general.source.huggingface.repository", "general.repo_url", "general.url",
	} {
		b.Names = append(b.Names, text(key))
	}
	if base := text("general.basename"); base != "" {
		b.Names = append(b.Names, strings.Join([]string{base, text("general.size_label"), text("general.finetune")}, "-"))
	}
	b.Names = slices.DeleteFunc(b.Names, func(s string) bool { return s == "" })
	return b, nil
}

// asFloat returns a number of any kind.
func asFloat(v any) (float64, bool) {
	switch n := v.(type) {
	case uint64:
		return float64(n), true
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// plain keeps of a name what different writers of it agree on: its last piece's letters and digits.
func plain(name string) string {
	name = path.Base(strings.ReplaceAll(strings.TrimRight(name, `/\`), `\`, "/"))
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

// checkName compares the name of what was trained from with what the base calls itself.
func (b *Base) checkName(trained string) Check {
	const name = "base"
	if trained == "" {
		return unknown(name, "the adapter does not say what it was trained from; --base-dir DIR compares its weights")
	}
	for _, n := range b.Names {
		if p := plain(n); len(p) > 4 && p == plain(trained) {
			return passed(name, "trained from %q, and the base calls itself %q", trained, n)
		}
	}
	calls := "does not give its name"
	if len(b.Names) > 0 {
		calls = fmt.Sprintf("calls itself %q", b.Names[0])
	}
	return unknown(name, "trained from %q, and the base %s: names cannot tell whether they are the same; --base-dir DIR compares the weights", trained, calls)
}

// Same says how the tensors of two bases differ, nil where they have the same names and shapes.
func (b *Base) Same(other *Base) error {
	if b.Arch != other.Arch {
		return fmt.Errorf("one is of the architecture %s and the other of %s", b.Arch, other.Arch)
	}
	if len(b.shapes) != len(other.shapes) {
		return fmt.Errorf("one has %d tensors and the other %d", len(b.shapes), len(other.shapes))
	}
	for name, shape := range b.shapes {
		if !slices.Equal(shape, other.shapes[name]) {
			return fmt.Errorf("%s has the shape %v in one and %v in the other", name, shape, other.shapes[name])
		}
	}
	return nil
}
