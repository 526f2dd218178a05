package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/finetune/gguf"
	"parley/sim/llm"
	"parley/sim/llm/ollama"
)

// The first layers of the real model are enough to tell right from wrong, and quick.
const liveLayers = 8

// TestLiveServe serves a random LoRA of a real model in two ways that share no arithmetic: as an
// adapter over the base, and merged into it beforehand. Both have to say the same, and neither what
// the base says, nor what the adapter says whose queries and keys kept Hugging Face's order.
func TestLiveServe(t *testing.T) {
	_, name, address := liveModel(t, "PARLEY_TEST_MODEL")
	server, err := ollama.Connect(address, ollama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	shown, err := server.Show(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if shown.Arch != "llama" || !exists(shown.Weights) {
		t.Skipf("%s is of the architecture %s with its weights at %s, and a llama is needed that can be read from here", name, shown.Arch, shown.Weights)
	}
	dir := t.TempDir()
	models := liveFiles(t, shown.Weights, dir)
	base, lora, whole := filepath.Join(dir, "base.gguf"), filepath.Join(dir, "lora"), filepath.Join(dir, "merged")
	kept := filepath.Join(dir, "adapter.gguf")
	for _, m := range []struct {
		name string
		args []string
	}{
		{"parley-test-adapter", []string{"--adapter", lora, "--base", base, "--keep", kept}},
		{"parley-test-merged", []string{"--merged", whole, "--base", base, "--type", "f32"}},
		{"parley-test-half", []string{"--merged", whole, "--base", base}},
		{"parley-test-base", []string{"--gguf", base}},
		{"parley-test-wrong", []string{"--adapter", filepath.Join(dir, "wrong.gguf"), "--base", base}},
	} {
		if m.name == "parley-test-wrong" {
			models.unturn(t, kept, filepath.Join(dir, "wrong.gguf"))
		}
		t.Cleanup(func() {
			if err := server.Delete(context.WithoutCancel(t.Context()), m.name); err != nil {
				t.Error(err)
			}
		})
		args := append([]string{"--name", m.name, "--template", "chatml", "--num-thread", "1", "--force"}, m.args...)
		status, stdout, stderr := serveWith(t, address, args...)
		if status != exitOK {
			t.Fatalf("%s: status %d\n%s%s", m.name, status, stdout, stderr)
		}
	}
	says := func(name string) (texts []string, tops []map[string]float64) {
		m, err := openModel(t.Context(), "ollama:"+name+"?num_thread=1&num_ctx=512@"+address)
		if err != nil {
			t.Fatal(err)
		}
		for _, prompt := range []string{
			"Who keeps the mill?", "Describe the old bridge.", "What does the ferryman want?", "Name three herbs.", "The door is locked.",
			"Tell me about the storm.", "Why is the king afraid?", "Give the guard an order.", "What lies in the chest?", "Write one line of a song.",
		} {
			resp, err := m.Generate(t.Context(), llm.Request{
				Messages: []llm.Message{llm.NewMessage(llm.User, prompt)}, Sampling: llm.Sampling{Temperature: new(0.0), Seed: new(int64(1)), MaxTokens: 8}, TopLogprobs: 10,
			})
			if err != nil || len(resp.Logprobs) == 0 {
				t.Fatalf("%s: %v, %v", name, resp, err)
			}
			top := map[string]float64{}
			for _, p := range resp.Logprobs[0].Top {
				top[p.Token] = p.Value
			}
			texts, tops = append(texts, resp.Text), append(tops, top)
		}
		return texts, tops
	}
	texts, tops := says("parley-test-adapter")
	for _, tt := range []struct {
		name        string
		near        bool
		least, most float64 // of the mean difference of log-probabilities
	}{{"parley-test-merged", true, 0, 0.01}, {"parley-test-half", true, 0, 0.05}, {"parley-test-base", false, 0.2, 99}, {"parley-test-wrong", false, 0.2, 99}} {
		same, apart, n := 0, 0.0, 0
		other, others := says(tt.name)
		for i := range other {
			if other[i] == texts[i] {
				same++
			}
			for token, p := range tops[i] {
				if q, both := others[i][token]; both {
					apart += math.Abs(p - q)
					n++
				}
			}
		}
		apart /= float64(max(n, 1))
		t.Logf("%s: %d of 10 texts as the adapter's, log-probabilities %.5f apart", tt.name, same, apart)
		if n == 0 || apart < tt.least || apart > tt.most || tt.near && same < 8 {
			t.Errorf("%s: the log-probabilities are %.5f apart, want %g to %g", tt.name, apart, tt.least, tt.most)
		}
	}
}

// live is what the files of the test are made of.
type live struct{ heads, keys int }

var liveLayer = regexp.MustCompile(`^blk\.(\d+)\.(\w+)\.weight$`)

// liveFiles writes base.gguf, the first layers in F32; lora, a random adapter of them; and merged, the
// sum of both, as Hugging Face keeps it.
func liveFiles(t *testing.T, weights, dir string) live {
	t.Helper()
	f, err := gguf.Open(weights)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	entries := slices.Clone(f.KV)
	whole := func(key string) int {
		v, ok := f.Entry("llama." + key)
		n, is := v.Value().(uint64)
		if !ok || !is {
			t.Fatalf("%s does not say llama.%s", weights, key)
		}
		return int(n)
	}
	m := live{whole("attention.head_count"), whole("attention.head_count_kv")}
	for i := range entries {
		switch entries[i].Key {
		case "llama.block_count":
			entries[i] = gguf.Uint32("llama.block_count", liveLayers)
		case "general.file_type":
			entries[i] = gguf.Uint32("general.file_type", 0)
		}
	}
	r := rand.New(rand.NewPCG(3, 3))
	normal := func(n int, scale float64) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64() * scale)
		}
		return x
	}
	const rank, alpha = 8, 16
	var tensors []gguf.Source
	theirs, lora := map[string]tensorOf{}, map[string]tensorOf{}
	for i := range f.Tensors {
		x := f.Tensors[i]
		part := liveLayer.FindStringSubmatch(x.Name)
		layer := 0
		if part != nil {
			fmt.Sscan(part[1], &layer)
		}
		if layer >= liveLayers {
			continue
		}
		numbers := dequantised(t, f, &x)
		x.Type = gguf.F32
		tensors = append(tensors, gguf.Source{Tensor: x, Fill: func(_ context.Context, w io.Writer) error {
			_, err := w.Write(rawFloats(numbers))
			return err
		}})
		switch {
		case x.Name == "token_embd.weight":
			theirs["model.embed_tokens.weight"] = tensorOf{shape(x), numbers}
		case x.Name == "output_norm.weight":
			theirs["model.norm.weight"] = tensorOf{shape(x), numbers}
		case part[2] == "attn_norm":
			theirs[fmt.Sprintf("model.layers.%d.input_layernorm.weight", layer)] = tensorOf{shape(x), numbers}
		case part[2] == "ffn_norm":
			theirs[fmt.Sprintf("model.layers.%d.post_attention_layernorm.weight", layer)] = tensorOf{shape(x), numbers}
		default:
			rows, columns := int(x.Shape[1]), int(x.Shape[0])
			module := fmt.Sprintf("model.layers.%d.%s", layer, tinyParts[part[2]])
			sum := slices.Clone(numbers)
			scale := 0.05
			if n := m.turns(part[2]); n > 0 {
				sum, scale = unturned(numbers, rows/n, columns), 0.4
			}
			a, b := normal(rank*columns, 1/math.Sqrt(float64(columns))), normal(rows*rank, scale)
			lora["base_model.model."+module+".lora_A.weight"] = tensorOf{[]int{rank, columns}, a}
			lora["base_model.model."+module+".lora_B.weight"] = tensorOf{[]int{rows, rank}, b}
			for i := range rows {
				for k := range rank {
					f := alpha / float32(rank) * b[i*rank+k]
					for j, v := range a[k*columns : (k+1)*columns] {
						sum[i*columns+j] += f * v
					}
				}
			}
			theirs[module+".weight"] = tensorOf{shape(x), sum}
		}
	}
	var out bytes.Buffer
	if err := gguf.Write(t.Context(), &out, entries, tensors, nil); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "base.gguf"), out.Bytes())
	writeTensors(t, filepath.Join(dir, "merged", "model.safetensors"), theirs)
	writeFile(t, filepath.Join(dir, "merged", "config.json"), fmt.Appendf(nil,
		`{"architectures":["LlamaForCausalLM"],"num_hidden_layers":%d,"num_attention_heads":%d,"num_key_value_heads":%d,"hidden_size":%d,"intermediate_size":%d,"vocab_size":%d,"tie_word_embeddings":true}`,
		liveLayers, m.heads, m.keys, whole("embedding_length"), whole("feed_forward_length"), whole("vocab_size")))
	writeTensors(t, filepath.Join(dir, "lora", "adapter_model.safetensors"), lora)
	writeFile(t, filepath.Join(dir, "lora", "adapter_config.json"), fmt.Appendf(nil, `{"peft_type":"LORA","r":%d,"lora_alpha":%d}`, rank, alpha))
	return m
}

// turns is how many heads the rows of a part are interleaved in.
func (m live) turns(part string) int {
	return map[string]int{"attn_q": m.heads, "attn_k": m.keys}[part]
}

// unturned puts the rows of each head back as Hugging Face has them: even ones first, then odd ones.
func unturned(x []float32, head, columns int) []float32 {
	out := make([]float32, 0, len(x))
	for from := 0; from < len(x); from += head * columns {
		for start := range 2 {
			for row := start; row < head; row += 2 {
				out = append(out, x[from+row*columns:from+(row+1)*columns]...)
			}
		}
	}
	return out
}

// unturn writes an adapter whose queries and keys are in Hugging Face's order.
func (m live) unturn(t *testing.T, from, to string) {
	t.Helper()
	f, err := gguf.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var tensors []gguf.Source
	for i := range f.Tensors {
		x := f.Tensors[i]
		numbers := dequantised(t, f, &x)
		if n := m.turns(strings.Split(x.Name, ".")[2]); n > 0 && strings.HasSuffix(x.Name, ".lora_b") {
			numbers = unturned(numbers, int(x.Shape[1])/n, int(x.Shape[0]))
		}
		tensors = append(tensors, gguf.Source{Tensor: x, Fill: func(_ context.Context, w io.Writer) error {
			_, err := w.Write(rawFloats(numbers))
			return err
		}})
	}
	var out bytes.Buffer
	if err := gguf.Write(t.Context(), &out, f.KV, tensors, nil); err != nil {
		t.Fatal(err)
	}
	writeFile(t, to, out.Bytes())
}

func shape(x gguf.Tensor) []int {
	var s []int
	for _, d := range slices.Backward(x.Shape) {
		s = append(s, int(d))
	}
	return s
}

// dequantised reads a tensor of F32, Q4_1 or Q8_0.
func dequantised(t *testing.T, f *gguf.File, x *gguf.Tensor) []float32 {
	t.Helper()
	r, err := f.Bytes(x)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	half := func(b []byte) float32 {
		h := le.Uint16(b)
		v := math.Ldexp(float64(h&0x3ff)/1024, -14)
		if e := int(h >> 10 & 0x1f); e > 0 {
			v = math.Ldexp(1+float64(h&0x3ff)/1024, e-15)
		}
		if h>>15 == 1 {
			v = -v
		}
		return float32(v)
	}
	out := make([]float32, x.Count())
	switch x.Type.String() {
	case "F32":
		for i := range out {
			out[i] = math.Float32frombits(le.Uint32(raw[4*i:]))
		}
	case "Q8_0":
		for i := range out {
			b := raw[i/32*34:]
			out[i] = half(b) * float32(int8(b[2+i%32]))
		}
	case "Q4_1": // 16 low halves of bytes, then 16 high ones
		for i := range out {
			b := raw[i/32*20:]
			q := b[4+i%16] >> (i % 32 / 16 * 4) & 15
			out[i] = half(b)*float32(q) + half(b[2:])
		}
	default:
		t.Skipf("%s is of %s, which this test does not read", x.Name, x.Type)
	}
	return out
}

func rawFloats(x []float32) []byte {
	out := make([]byte, 0, 4*len(x))
	for _, v := range x {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

// tensorOf is a tensor as Hugging Face keeps it.
type tensorOf struct {
	shape   []int
	numbers []float32
}

// writeTensors writes a safetensors file.
func writeTensors(t *testing.T, path string, all map[string]tensorOf) {
	t.Helper()
	header, data := map[string]any{}, []byte{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		from := len(data)
		data = append(data, rawFloats(all[name].numbers)...)
		header[name] = map[string]any{"dtype": "F32", "shape": all[name].shape, "data_offsets": []int{from, len(data)}}
	}
	head, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head, data))
}
