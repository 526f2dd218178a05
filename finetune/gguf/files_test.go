package gguf_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley/finetune/gguf"
)

// array is a tensor as trainers keep it: rows first.
type array struct {
	dtype string
	shape []int
	data  []float32
}

func count(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// noise is an array of numbers around 0.
func noise(seed uint64, shape ...int) array {
	r := rand.New(rand.NewPCG(seed, 1))
	a := array{"F32", shape, make([]float32, count(shape))}
	for i := range a.data {
		a.data[i] = float32(r.NormFloat64())
	}
	return a
}

func (a array) bytes() []byte {
	var out []byte
	for _, v := range a.data {
		switch bits := math.Float32bits(v); a.dtype {
		case "BF16":
			out = binary.LittleEndian.AppendUint16(out, uint16(bits>>16))
		case "F64":
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(float64(v)))
		default:
			out = binary.LittleEndian.AppendUint32(out, bits)
		}
	}
	return out
}

// safetensors makes a file of arrays.
func safetensors(arrays map[string]array) []byte {
	type entry struct {
		DType   string `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	header := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	var data []byte
	names := make([]string, 0, len(arrays))
	for name := range arrays {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		a := arrays[name]
		raw := a.bytes()
		header[name] = entry{a.dtype, a.shape, [2]int{len(data), len(data) + len(raw)}}
		data = append(data, raw...)
	}
	head, err := json.Marshal(header)
	if err != nil {
		panic(err)
	}
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head, data)
}

func write(t testing.TB, dir, name string, raw []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// The tiny model: 2 layers, width 64, 4 heads of 16, 2 of them for keys, 40 tokens.
const (
	layers, width, heads, keys, headWidth, inner, vocabulary = 2, 64, 4, 2, 16, 96, 40
)

// projection is the shape of a layer's matrix, rows first.
var projection = map[string][2]int{
	"self_attn.q_proj": {heads * headWidth, width}, "self_attn.k_proj": {keys * headWidth, width}, "self_attn.v_proj": {keys * headWidth, width},
	"self_attn.o_proj": {width, heads * headWidth}, "mlp.gate_proj": {inner, width}, "mlp.up_proj": {inner, width}, "mlp.down_proj": {width, inner},
}

var ours = map[string]string{
	"self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
	"mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}

// model is a whole tiny model, as Hugging Face names it.
func model(seed uint64) map[string]array {
	m := map[string]array{"model.embed_tokens.weight": noise(seed, vocabulary, width), "model.norm.weight": noise(seed+1, width)}
	for l := range layers {
		p := fmt.Sprintf("model.layers.%d.", l)
		m[p+"input_layernorm.weight"], m[p+"post_attention_layernorm.weight"] = noise(seed+2, width), noise(seed+3, width)
		for i, name := range slices.Sorted(keysOf(projection)) {
			shape := projection[name]
			m[p+name+".weight"] = noise(seed+uint64(10*l+i), shape[0], shape[1])
		}
	}
	return m
}

func keysOf[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

const modelConfig = `{"architectures":["LlamaForCausalLM"],"num_hidden_layers":2,"num_attention_heads":4,"num_key_value_heads":2,
"hidden_size":64,"intermediate_size":96,"vocab_size":40,"rms_norm_eps":1e-5,"rope_parameters":{"rope_theta":10000.0,"rope_type":"default"},"tie_word_embeddings":true}`

// merged writes a directory of a whole model.
func merged(t testing.TB, arrays map[string]array, config string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "config.json", []byte(config))
	write(t, dir, "model.safetensors", safetensors(arrays))
	return dir
}

// metadata is the tiny base's.
func metadata(arch string) []gguf.KV {
	var tokens []string
	for i := range vocabulary {
		tokens = append(tokens, fmt.Sprintf("t%d", i))
	}
	return []gguf.KV{
		gguf.Text("general.architecture", arch), gguf.Text("general.name", "Tiny Base 1M"), gguf.Uint32("general.file_type", 3),
		gguf.Uint32(arch+".block_count", layers), gguf.Uint32(arch+".embedding_length", width), gguf.Uint32(arch+".feed_forward_length", inner),
		gguf.Uint32(arch+".attention.head_count", heads), gguf.Uint32(arch+".attention.head_count_kv", keys),
		gguf.Float32(arch+".attention.layer_norm_rms_epsilon", 1e-5), gguf.Float32(arch+".rope.freq_base", 10000),
		gguf.Text("tokenizer.ggml.model", "gpt2"), gguf.Texts("tokenizer.ggml.tokens", tokens...), gguf.Int32s("tokenizer.ggml.token_type", 1, 2, 3),
		gguf.Bool("tokenizer.ggml.add_bos_token", false), gguf.Text("quantize.imatrix.file", "x"),
	}
}

// zeros is a tensor of nothing but zeros.
func zeros(name string, typ gguf.Type, shape ...uint64) gguf.Source {
	s := gguf.Source{Tensor: gguf.Tensor{Name: name, Type: typ, Shape: shape}}
	size, _ := s.Size()
	s.Fill = func(_ context.Context, w io.Writer) error {
		_, err := w.Write(make([]byte, size))
		return err
	}
	return s
}

// base writes the tiny base, without weights, and opens it.
func base(t testing.TB, arch string, more ...gguf.Source) (*gguf.Base, *gguf.File) {
	t.Helper()
	tensors := []gguf.Source{zeros("token_embd.weight", gguf.Q8_0, width, vocabulary), zeros("output_norm.weight", gguf.F32, width)}
	for l := range layers {
		p := fmt.Sprintf("blk.%d.", l)
		norms := []string{"attn_norm", "ffn_norm"}
		if arch == "gemma2" {
			norms = append(norms, "post_attention_norm", "post_ffw_norm")
		}
		for _, n := range norms {
			tensors = append(tensors, zeros(p+n+".weight", gguf.F32, width))
		}
		for _, name := range slices.Sorted(keysOf(projection)) {
			tensors = append(tensors, zeros(p+ours[name]+".weight", gguf.F16, uint64(projection[name][1]), uint64(projection[name][0])))
		}
	}
	path := write(t, t.TempDir(), "base.gguf", file(t, metadata(arch), append(tensors, more...)))
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	b, err := f.Base()
	if err != nil {
		t.Fatal(err)
	}
	return b, f
}

func file(t testing.TB, entries []gguf.KV, tensors []gguf.Source) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := gguf.Write(t.Context(), &out, entries, tensors, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func read(t testing.TB, raw []byte) *gguf.File {
	t.Helper()
	f, err := gguf.Read(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// data is a tensor's bytes.
func data(t testing.TB, f *gguf.File, name string) []byte {
	t.Helper()
	x, ok := f.Tensor(name)
	if !ok {
		t.Fatalf("there is no tensor %s", name)
	}
	r, err := f.Bytes(x)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// floats is a tensor of F32.
func floats(t testing.TB, f *gguf.File, name string) []float32 {
	t.Helper()
	raw := data(t, f, name)
	out := make([]float32, len(raw)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return out
}

// lora is an adapter of a rank on modules of all layers.
func lora(rank int, modules ...string) map[string]array {
	m := map[string]array{}
	for l := range layers {
		for i, name := range modules {
			p := fmt.Sprintf("base_model.model.model.layers.%d.%s.", l, name)
			m[p+"lora_A.weight"] = noise(uint64(100+10*l+i), rank, projection[name][1])
			m[p+"lora_B.weight"] = noise(uint64(200+10*l+i), projection[name][0], rank)
		}
	}
	return m
}

func allModules() []string { return slices.Sorted(keysOf(projection)) }

// peft writes a directory of an adapter; more is what its configuration says besides, or otherwise.
func peft(t testing.TB, arrays map[string]array, more map[string]any) string {
	t.Helper()
	config := map[string]any{
		"peft_type": "LORA", "r": 4, "lora_alpha": 8, "bias": "none", "base_model_name_or_path": "someone/tiny-base-1M", "use_rslora": false,
		"use_dora": false, "fan_in_fan_out": false, "modules_to_save": nil, "rank_pattern": map[string]any{}, "alpha_pattern": map[string]any{},
		"init_lora_weights": true, "target_modules": []string{"q_proj"}, "layer_replication": nil, "megatron_config": nil,
	}
	for k, v := range more {
		config[k] = v
	}
	raw, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir, "adapter_config.json", raw)
	write(t, dir, "adapter_model.safetensors", safetensors(arrays))
	return dir
}
