package gguf_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/finetune/gguf"
)

// convert writes the whole model of a directory with the metadata of the base.
func convert(t testing.TB, dir string, b *gguf.Base, typ gguf.Type) []byte {
	t.Helper()
	m, err := gguf.OpenMerged(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var out bytes.Buffer
	if err := m.Write(t.Context(), &out, b, typ, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestMerged(t *testing.T) {
	arrays := model(1)
	b, bf := base(t, "llama", zeros("rope_freqs.weight", gguf.F32, headWidth/2))
	stretched := strings.Replace(modelConfig, `"rope_type":"default"`, `"rope_type":"llama3"`, 1) // what rope_freqs is made of
	f := read(t, convert(t, merged(t, arrays, stretched), b, gguf.F32))
	// All metadata is the base's, byte for byte and in its order, but for what says how its own tensors
	// were kept.
	var want []string
	for _, v := range bf.KV {
		if v.Key != "quantize.imatrix.file" {
			want = append(want, v.Key)
		}
	}
	want = append(want, "general.quantization_version")
	var got []string
	for _, v := range f.KV {
		got = append(got, v.Key)
		if old, ok := bf.Entry(v.Key); ok && v.Key != "general.file_type" && !slices.Equal(f.Texts(v.Key), bf.Texts(v.Key)) && old.Value() != v.Value() {
			t.Errorf("%s: %v became %v", v.Key, old.Value(), v.Value())
		}
	}
	if v, _ := f.Entry("general.file_type"); v.Value() != uint64(0) || !slices.Equal(got, want) {
		t.Errorf("file type %v, keys %q, want %q", v.Value(), got, want)
	}
	for name, want := range map[string][]float32{
		"token_embd.weight":      arrays["model.embed_tokens.weight"].data,
		"blk.1.attn_norm.weight": arrays["model.layers.1.input_layernorm.weight"].data,
		"blk.1.ffn_norm.weight":  arrays["model.layers.1.post_attention_layernorm.weight"].data,
		"blk.0.attn_q.weight":    turned(arrays["model.layers.0.self_attn.q_proj.weight"], heads),
		"blk.0.attn_k.weight":    turned(arrays["model.layers.0.self_attn.k_proj.weight"], keys),
		"blk.0.attn_v.weight":    arrays["model.layers.0.self_attn.v_proj.weight"].data,
		"blk.1.ffn_down.weight":  arrays["model.layers.1.mlp.down_proj.weight"].data,
		"rope_freqs.weight":      make([]float32, headWidth/2),
	} {
		if !slices.Equal(floats(t, f, name), want) {
			t.Errorf("%s differs", name)
		}
	}
	if _, tied := f.Tensor("output.weight"); tied {
		t.Error("a tied model got a head")
	}
}

func TestMergedHead(t *testing.T) {
	tied, untied := model(1), model(1)
	untied["lm_head.weight"] = noise(77, vocabulary, width)
	saved := maps.Clone(tied)
	saved["lm_head.weight"] = tied["model.embed_tokens.weight"]
	loose := strings.Replace(modelConfig, `"tie_word_embeddings":true`, `"tie_word_embeddings":false`, 1)
	tests := []struct {
		name    string
		arrays  map[string]array
		config  string
		headed  bool // the base has a head of its own
		want    []float32
		missing bool
	}{
		{"tied as the base", tied, modelConfig, false, nil, true},
		{"tied, and saved twice", saved, modelConfig, false, nil, true},
		{"untied by the training", untied, loose, false, untied["lm_head.weight"].data, false},
		{"untied as the base", untied, loose, true, untied["lm_head.weight"].data, false},
		{"tied, where the base is not", tied, modelConfig, true, tied["model.embed_tokens.weight"].data, false},
	}
	for _, tt := range tests {
		var more []gguf.Source
		if tt.headed {
			more = append(more, zeros("output.weight", gguf.F16, width, vocabulary))
		}
		b, _ := base(t, "llama", more...)
		f := read(t, convert(t, merged(t, tt.arrays, tt.config), b, gguf.F32))
		if _, has := f.Tensor("output.weight"); has == tt.missing || has && !slices.Equal(floats(t, f, "output.weight"), tt.want) {
			t.Errorf("%s: has a head %t", tt.name, has)
		}
	}
}

// A Gemma 2 keeps its norms less one, and its rows as they are.
func TestGemma2(t *testing.T) {
	arrays := map[string]array{}
	for name, a := range model(1) {
		arrays[strings.Replace(name, "post_attention_layernorm", "pre_feedforward_layernorm", 1)] = a
	}
	for _, l := range []string{"0", "1"} {
		arrays["model.layers."+l+".post_attention_layernorm.weight"] = noise(31, width)
		arrays["model.layers."+l+".post_feedforward_layernorm.weight"] = noise(32, width)
	}
	b, _ := base(t, "gemma2")
	f := read(t, convert(t, merged(t, arrays, strings.Replace(modelConfig, "Llama", "Gemma2", 1)), b, gguf.F32))
	if !slices.Equal(floats(t, f, "blk.0.attn_q.weight"), arrays["model.layers.0.self_attn.q_proj.weight"].data) {
		t.Error("the rows of the queries moved")
	}
	for ours, theirs := range map[string]string{
		"blk.1.ffn_norm": "model.layers.1.pre_feedforward_layernorm", "blk.1.post_attention_norm": "model.layers.1.post_attention_layernorm",
		"blk.0.post_ffw_norm": "model.layers.0.post_feedforward_layernorm", "output_norm": "model.norm",
	} {
		if got, was := floats(t, f, ours+".weight")[5], arrays[theirs+".weight"].data[5]; got != was+1 {
			t.Errorf("%s: %g became %g", ours, was, got)
		}
	}
	a := adapt(t, peft(t, lora(4, "self_attn.q_proj"), nil), b, gguf.F32)
	if want := lora(4, "self_attn.q_proj")["base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight"].data; !slices.Equal(floats(t, a, "blk.0.attn_q.weight.lora_b"), want) {
		t.Error("the rows of the adapter moved")
	}
}

func TestMergedChecks(t *testing.T) {
	config := func(old, new string) string { return strings.Replace(modelConfig, old, new, 1) }
	with := func(name string, a array) map[string]array {
		m := model(1)
		if a.shape == nil {
			delete(m, name)
		} else {
			m[name] = a
		}
		return m
	}
	tests := []struct {
		name   string
		arrays map[string]array
		config string
		check  string
		want   string
	}{
		{"another architecture", model(1), config("LlamaForCausalLM", "Qwen3ForCausalLM"), "architecture", "Qwen3ForCausalLM"},
		{"more layers", model(1), config(`"num_hidden_layers":2`, `"num_hidden_layers":3`), "config", "num_hidden_layers 3, base 2"},
		{"other heads", model(1), config(`"num_attention_heads":4`, `"num_attention_heads":8`), "config", "num_attention_heads 8, base 4"},
		{"more tokens", model(1), config(`"vocab_size":40`, `"vocab_size":42`), "config", "vocab_size 42, base 40"},
		{"another epsilon", model(1), config(`1e-5`, `1e-6`), "config", "rms_norm_eps 1e-06"},
		{"quantised", model(1), config(`"vocab_size"`, `"quantization_config":{"bits":4},"vocab_size"`), "config", "full precision"},
		{"another theta", model(1), config(`10000.0`, `500000.0`), "rope", "rope_theta 500000 and the base 10000"},
		{"a lost tensor", with("model.layers.1.mlp.up_proj.weight", array{}), modelConfig, "shapes", "has no model.layers.1.mlp.up_proj.weight"},
		{"one too many", with("model.layers.2.mlp.up_proj.weight", noise(1, inner, width)), modelConfig, "shapes", "no place"},
		{"embeddings that grew", with("model.embed_tokens.weight", noise(1, 42, width)), modelConfig, "shapes", "[42 64]"},
		{"F64", with("model.norm.weight", array{"F64", []int{width}, make([]float32, width)}), modelConfig, "shapes", "F64"},
	}
	b, _ := base(t, "llama")
	for _, tt := range tests {
		m, err := gguf.OpenMerged(merged(t, tt.arrays, tt.config))
		if err != nil {
			t.Fatal(err)
		}
		checks := m.Check(b)
		i := slices.IndexFunc(checks, func(c gguf.Check) bool { return c.Verdict == gguf.Fail })
		if i < 0 || checks[i].Name != tt.check || !strings.Contains(checks[i].Detail, tt.want) {
			t.Errorf("%s: got %v, want %s to fail with %q", tt.name, checks, tt.check, tt.want)
		}
		var out bytes.Buffer
		if err := m.Write(t.Context(), &out, b, gguf.F32, nil); err == nil || out.Len() > 0 {
			t.Errorf("%s: it was written all the same (%v)", tt.name, err)
		}
		m.Close()
	}
}

func TestShards(t *testing.T) {
	arrays := model(1)
	first, second := map[string]array{}, map[string]array{}
	var index []string
	for name, a := range arrays {
		shard := map[bool]string{true: "a.safetensors", false: "b.safetensors"}[strings.Contains(name, "layers.0")]
		map[string]map[string]array{"a.safetensors": first, "b.safetensors": second}[shard][name] = a
		index = append(index, `"`+name+`":"`+shard+`"`)
	}
	dir := t.TempDir()
	write(t, dir, "config.json", []byte(modelConfig))
	write(t, dir, "a.safetensors", safetensors(first))
	write(t, dir, "b.safetensors", safetensors(second))
	list := strings.Join(index, ",")
	write(t, dir, "model.safetensors.index.json", []byte(`{"weight_map":{`+list+`}}`))
	b, _ := base(t, "llama")
	if got := convert(t, dir, b, gguf.F16); !bytes.Equal(got, convert(t, merged(t, arrays, modelConfig), b, gguf.F16)) {
		t.Error("two shards make another file than one")
	}
	for _, tt := range []struct{ index, want string }{
		{list + `,"x":"../a.safetensors"`, "no file of the directory"},
		{list + `,"x":"c.safetensors"`, "c.safetensors"},
		{list + `,"x":"a.safetensors"`, `lacks the tensor "x"`},
		{strings.Replace(list, `"model.norm.weight":"b.safetensors"`, `"y":"b.safetensors"`, 1), "model.norm.weight"},
		{"", "not one tensor"},
	} {
		write(t, dir, "model.safetensors.index.json", []byte(`{"weight_map":{`+tt.index+`}}`))
		if _, err := gguf.OpenMerged(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}
}

// The three ways to keep numbers, held against what they promise.
func TestNumbers(t *testing.T) {
	arrays := model(5)
	up := arrays["model.layers.0.mlp.up_proj.weight"]
	for i, v := range []float32{0, float32(math.Copysign(0, -1)), 65504, -65504, 0x1p-24, 0x1p-25, 0x1.8p-25, -0x1p-14, 0x1.ffcp-15, 2049, 2051, 1e-30} {
		up.data[i] = v
	}
	clear(up.data[64:96]) // a block of zeros
	b, _ := base(t, "llama")
	dir := merged(t, arrays, modelConfig)
	f16 := data(t, read(t, convert(t, dir, b, gguf.F16)), "blk.0.ffn_up.weight")
	var halves []float64 // all of them that are finite and not negative, in order
	for h := range 0x7c00 {
		halves = append(halves, halfOf(uint16(h)))
	}
	for i, v := range up.data {
		got := halfOf(binary.LittleEndian.Uint16(f16[2*i:]))
		at, exact := slices.BinarySearch(halves, math.Abs(float64(v)))
		want := float64(0)
		switch {
		case exact:
			want = halves[at]
		default: // the nearer, or at a tie the one whose last bit is 0
			low, high := halves[at-1], halves[at]
			below, above := math.Abs(float64(v))-low, high-math.Abs(float64(v))
			want = low
			if above < below || above == below && at%2 == 0 {
				want = high
			}
		}
		if math.Abs(got) != want || math.Signbit(got) != math.Signbit(float64(v)) {
			t.Fatalf("f16 of %g is %g, want %g", v, got, want)
		}
	}
	q8 := read(t, convert(t, dir, b, gguf.Q8_0))
	raw := data(t, q8, "blk.0.ffn_up.weight")
	for i, v := range up.data {
		block := raw[i/32*34:]
		largest := float64(0)
		for _, x := range up.data[i/32*32 : i/32*32+32] {
			largest = max(largest, math.Abs(float64(x)))
		}
		d, q := halfOf(binary.LittleEndian.Uint16(block)), int8(block[2+i%32])
		if q == -128 || math.Abs(float64(q)*largest/127-float64(v)) > largest/254*1.00001 || math.Abs(d-largest/127) > largest/127/2000+0x1p-25 {
			t.Fatalf("q8_0 of %g is %d times %g, in a block up to %g", v, q, d, largest)
		}
	}
	for name, want := range map[string]gguf.Type{"blk.0.ffn_norm.weight": gguf.F32, "token_embd.weight": gguf.Q8_0, "blk.0.ffn_down.weight": gguf.Q8_0} {
		if x, _ := q8.Tensor(name); x.Type != want {
			t.Errorf("%s is %s, want %s", name, x.Type, want)
		}
	}
	up.data[3] = 70000
	m, err := gguf.OpenMerged(merged(t, arrays, modelConfig))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := m.Write(t.Context(), &bytes.Buffer{}, b, gguf.F16, nil); err == nil || !strings.Contains(err.Error(), "write it as f32") {
		t.Errorf("70000 as f16: %v", err)
	}
}

// halfOf reads a number of 16 bits by its definition.
func halfOf(h uint16) float64 {
	m, e := float64(h&0x3ff), int(h>>10&0x1f)
	v := math.Ldexp(m/1024, -14)
	if e > 0 {
		v = math.Ldexp(1+m/1024, e-15)
	}
	if h>>15 == 1 {
		v = -v
	}
	return v
}

func TestCompare(t *testing.T) {
	arrays := model(1)
	b, _ := base(t, "llama")
	dir := merged(t, arrays, modelConfig)
	for _, typ := range []gguf.Type{gguf.F32, gguf.F16, gguf.Q8_0} {
		path := write(t, t.TempDir(), "own.gguf", convert(t, dir, b, typ))
		f, err := gguf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		own, err := f.Base()
		if err != nil {
			t.Fatal(err)
		}
		if c, err := own.Compare(t.Context(), dir); err != nil || c.Verdict != gguf.Pass {
			t.Errorf("%s: %v, %v", typ, c, err)
		}
		other := model(1)
		other["model.layers.1.self_attn.k_proj.weight"] = noise(99, keys*headWidth, width)
		if c, err := own.Compare(t.Context(), merged(t, other, modelConfig)); err != nil || c.Verdict != gguf.Fail || !strings.Contains(c.Detail, "k_proj") {
			t.Errorf("%s of another model: %v, %v", typ, c, err)
		}
	}
}

func TestReadyFiles(t *testing.T) {
	b, bf := base(t, "llama")
	dir := peft(t, lora(4, "self_attn.q_proj"), nil)
	a := adapt(t, dir, b, gguf.F16)
	if err := gguf.Failed(a.CheckAdapter(b)); err != nil {
		t.Error(err)
	}
	if err := gguf.Failed(bf.CheckAdapter(b)); err == nil || !strings.Contains(err.Error(), "no LoRA adapter") {
		t.Errorf("a model as an adapter: %v", err)
	}
	if err := gguf.Failed(bf.CheckModel(b)); err != nil {
		t.Error(err)
	}
	if err := gguf.Failed(a.CheckModel(b)); err == nil || !strings.Contains(err.Error(), `type "adapter"`) {
		t.Errorf("an adapter as a model: %v", err)
	}
	gemma, _ := base(t, "gemma2")
	if err := gguf.Failed(a.CheckAdapter(gemma)); err == nil || !strings.Contains(err.Error(), "architecture") {
		t.Errorf("an adapter of another architecture: %v", err)
	}
	wide := read(t, file(t, []gguf.KV{
		gguf.Text("general.architecture", "llama"), gguf.Text("general.type", "adapter"), gguf.Text("adapter.type", "lora"), gguf.Float32("adapter.lora.alpha", 8),
	}, []gguf.Source{zeros("blk.0.attn_q.weight.lora_a", gguf.F32, 80, 4), zeros("blk.0.attn_q.weight.lora_b", gguf.F32, 4, 64)}))
	if err := gguf.Failed(wide.CheckAdapter(b)); err == nil || !strings.Contains(err.Error(), "does not fit") {
		t.Errorf("an adapter of another width: %v", err)
	}
}

func TestCancelled(t *testing.T) {
	b, _ := base(t, "llama")
	m, err := gguf.OpenMerged(merged(t, model(1), modelConfig))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	ctx, cancel := context.WithCancel(t.Context())
	err = m.Write(ctx, &bytes.Buffer{}, b, gguf.F32, func(done, _ int64) {
		if done > 0 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// What is written is what llama.cpp's own Python package reads, permutes and quantises.
func TestAgainstPython(t *testing.T) {
	python := os.Getenv("PARLEY_TEST_PYTHON")
	if python == "" {
		t.Skip("PARLEY_TEST_PYTHON does not name a Python with the packages gguf, numpy and safetensors")
	}
	if out, err := exec.CommandContext(t.Context(), python, "-c", "import gguf, numpy, safetensors").CombinedOutput(); err != nil {
		t.Skipf("%s lacks gguf, numpy or safetensors: %s", python, out)
	}
	arrays := model(9)
	for name, a := range arrays { // as most models are kept
		if len(a.shape) == 2 {
			a.dtype = "BF16"
			arrays[name] = a
		}
	}
	b, _ := base(t, "llama")
	dir := merged(t, arrays, modelConfig)
	args := []string{filepath.Join("testdata", "check.py"), filepath.Join(dir, "model.safetensors")}
	for _, typ := range []gguf.Type{gguf.F32, gguf.F16, gguf.Q8_0} {
		args = append(args, write(t, dir, typ.String()+".gguf", convert(t, dir, b, typ)))
	}
	out, err := exec.CommandContext(t.Context(), python, args...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "3 files agree") {
		t.Errorf("%v\n%s", err, out)
	}
}
