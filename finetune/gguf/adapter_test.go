package gguf_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/finetune/gguf"
)

// adapt writes the adapter of a directory for the tiny base.
func adapt(t testing.TB, dir string, b *gguf.Base, typ gguf.Type) *gguf.File {
	t.Helper()
	a, err := gguf.OpenAdapter(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var out bytes.Buffer
	if err := a.Write(t.Context(), &out, b, typ, nil); err != nil {
		t.Fatal(err)
	}
	return read(t, out.Bytes())
}

// turned is the slow reference: row r of a head of n rows comes from row r/2 of its half r%2.
func turned(a array, heads int) []float32 {
	columns := a.shape[1]
	n := a.shape[0] / heads
	var out []float32
	for h := range heads {
		for r := range n {
			from := h*n + r%2*n/2 + r/2
			out = append(out, a.data[from*columns:(from+1)*columns]...)
		}
	}
	return out
}

func TestAdapter(t *testing.T) {
	arrays := lora(4, allModules()...)
	b, _ := base(t, "llama")
	f := adapt(t, peft(t, arrays, nil), b, gguf.F32)
	for key, want := range map[string]any{
		"general.architecture": "llama", "general.type": "adapter", "adapter.type": "lora", "adapter.lora.alpha": 8.0,
	} {
		if v, ok := f.Entry(key); !ok || v.Value() != want {
			t.Errorf("%s: got %v", key, v)
		}
	}
	if len(f.Tensors) != 2*7*layers {
		t.Errorf("got %d tensors", len(f.Tensors))
	}
	for l := range layers {
		for _, name := range allModules() {
			p := fmt.Sprintf("base_model.model.model.layers.%d.%s.lora_", l, name)
			to := fmt.Sprintf("blk.%d.%s.weight.lora_", l, ours[name])
			a, lb := arrays[p+"A.weight"], arrays[p+"B.weight"]
			want := lb.data
			switch ours[name] {
			case "attn_q":
				want = turned(lb, heads)
			case "attn_k":
				want = turned(lb, keys)
			}
			if !slices.Equal(floats(t, f, to+"a"), a.data) {
				t.Errorf("%s: lora_A is not as it was: nothing of it is permuted", to)
			}
			if !slices.Equal(floats(t, f, to+"b"), want) {
				t.Errorf("%s: lora_B has other rows than the reference", to)
			}
			ta, _ := f.Tensor(to + "a")
			tb, _ := f.Tensor(to + "b")
			if !slices.Equal(ta.Shape, []uint64{uint64(projection[name][1]), 4}) || !slices.Equal(tb.Shape, []uint64{4, uint64(projection[name][0])}) {
				t.Errorf("%s: shapes %v and %v", to, ta.Shape, tb.Shape)
			}
		}
	}
}

// The reason of the permutation: the attention that Hugging Face computes, rotating the halves of a
// head, is the one that llama.cpp computes of the permuted rows, rotating neighbours.
func TestPermutationKeepsAttention(t *testing.T) {
	arrays := lora(4, "self_attn.q_proj")
	b, _ := base(t, "llama")
	f := adapt(t, peft(t, arrays, nil), b, gguf.F32)
	theirs := arrays["base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight"].data
	mine := floats(t, f, "blk.0.attn_q.weight.lora_b")
	column := func(m []float32, head, c int) []float64 {
		v := make([]float64, headWidth)
		for i := range v {
			v[i] = float64(m[(head*headWidth+i)*4+c])
		}
		return v
	}
	rotate := func(v []float64, position int, neighbours bool) []float64 {
		out := make([]float64, len(v))
		for i := range len(v) / 2 {
			sin, cos := math.Sincos(float64(position) * math.Pow(10000, -2*float64(i)/float64(len(v))))
			x, y := i, i+len(v)/2
			if neighbours {
				x, y = 2*i, 2*i+1
			}
			out[x], out[y] = v[x]*cos-v[y]*sin, v[y]*cos+v[x]*sin
		}
		return out
	}
	dot := func(a, b []float64) (s float64) {
		for i := range a {
			s += a[i] * b[i]
		}
		return s
	}
	for head := range heads {
		want := dot(rotate(column(theirs, head, 0), 3, false), rotate(column(theirs, head, 1), 11, false))
		got := dot(rotate(column(mine, head, 0), 3, true), rotate(column(mine, head, 1), 11, true))
		raw := dot(rotate(column(theirs, head, 0), 3, true), rotate(column(theirs, head, 1), 11, true))
		if math.Abs(got-want) > 1e-9 || math.Abs(raw-want) < 1e-3 {
			t.Errorf("head %d: %g, want %g; without the permutation %g", head, got, want, raw)
		}
	}
}

func TestAdapterScales(t *testing.T) {
	two := lora(4, "self_attn.v_proj", "mlp.up_proj")
	mixed := lora(4, "self_attn.v_proj")
	for name, a := range lora(8, "mlp.up_proj") {
		mixed[name] = a
	}
	tests := []struct {
		name   string
		arrays map[string]array
		more   map[string]any
		scales map[string]float64 // of a module: alpha over rank, times what its lora_B was multiplied by
	}{
		{"plain", two, nil, map[string]float64{"attn_v": 2, "ffn_up": 2}},
		{"float alpha", two, map[string]any{"lora_alpha": 8.0}, map[string]float64{"attn_v": 2, "ffn_up": 2}},
		{"rsLoRA", two, map[string]any{"use_rslora": true}, map[string]float64{"attn_v": 4, "ffn_up": 4}},
		{"rank pattern", mixed, map[string]any{"rank_pattern": map[string]any{"up_proj": 8}}, map[string]float64{"attn_v": 2, "ffn_up": 1}},
		{"alpha pattern", two, map[string]any{"alpha_pattern": map[string]any{`layers\.\d+\.mlp\.up_proj`: 32}}, map[string]float64{"attn_v": 2, "ffn_up": 8}},
		{"rsLoRA of two ranks", mixed, map[string]any{"use_rslora": true, "rank_pattern": map[string]any{"mlp.up_proj": 8}}, map[string]float64{"attn_v": 4, "ffn_up": 8 / math.Sqrt(8)}},
	}
	b, _ := base(t, "llama")
	for _, tt := range tests {
		f := adapt(t, peft(t, tt.arrays, tt.more), b, gguf.F32)
		v, _ := f.Entry("adapter.lora.alpha")
		for part, want := range tt.scales {
			lb, _ := f.Tensor("blk.1." + part + ".weight.lora_b")
			name := map[string]string{"attn_v": "self_attn.v_proj", "ffn_up": "mlp.up_proj"}[part]
			was := tt.arrays["base_model.model.model.layers.1."+name+".lora_B.weight"].data
			is := floats(t, f, lb.Name)
			// As llama.cpp does it: alpha over the rank of the pair.
			got := v.Value().(float64) / float64(lb.Shape[0]) * float64(is[0]/was[0])
			if math.Abs(got/want-1) > 1e-6 {
				t.Errorf("%s: %s is scaled by %g, want %g", tt.name, part, got, want)
			}
		}
	}
}

func TestAdapterChecks(t *testing.T) {
	q := lora(4, "self_attn.q_proj")
	add := func(name string, a array) map[string]array {
		m := maps.Clone(q)
		m[name] = a
		return m
	}
	const layer0 = "base_model.model.model.layers.0.self_attn.q_proj."
	tests := []struct {
		name   string
		arrays map[string]array
		more   map[string]any
		check  string
		want   string
		reason string
	}{
		{"DoRA", q, map[string]any{"use_dora": true}, "adapter_config", "DoRA", "its magnitudes would be lost"},
		{"a kind to come", q, map[string]any{"use_newlora": true}, "adapter_config", "use_newlora", ""},
		{"bias", q, map[string]any{"bias": "all"}, "adapter_config", "biases", ""},
		{"lora_bias", q, map[string]any{"lora_bias": true}, "adapter_config", "biases", ""},
		{"modules_to_save", q, map[string]any{"modules_to_save": []string{"lm_head"}}, "adapter_config", "modules_to_save", ""},
		{"tokens", q, map[string]any{"trainable_token_indices": []int{3}}, "adapter_config", "embeddings of tokens", ""},
		{"copied layers", q, map[string]any{"layer_replication": [][]int{{0, 2}}}, "adapter_config", "copies layers", ""},
		{"turned", q, map[string]any{"fan_in_fan_out": true}, "adapter_config", "fan_in_fan_out", ""},
		{"PiSSA", q, map[string]any{"init_lora_weights": "pissa_niter_4"}, "adapter_config", "changes the base", "the adapter fits the residual model only"},
		{"IA3", q, map[string]any{"peft_type": "IA3"}, "adapter_config", `"IA3"`, ""},
		{"half an alpha", q, map[string]any{"lora_alpha": 16.5}, "lora_alpha", "whole number", ""},
		{"no alpha", q, map[string]any{"lora_alpha": nil}, "lora_alpha", "does not give it", ""},
		{"alpha 0", q, map[string]any{"lora_alpha": 0}, "lora_alpha", "does nothing", "llama.cpp takes 0 for not given, and scales by 1"},
		{"embeddings", add("base_model.model.model.embed_tokens.lora_embedding_A", noise(1, 4, vocabulary)), nil, "modules", "lora_embedding_A", ""},
		{"head", add("base_model.model.lm_head.lora_A.weight", noise(1, 4, width)), nil, "modules", "lm_head", ""},
		{"magnitudes", add(layer0+"lora_magnitude_vector", noise(1, 64)), nil, "modules", "lora_magnitude_vector", ""},
		{"an unknown module", add("base_model.model.model.layers.0.mlp.router.lora_A.weight", noise(1, 4, width)), nil, "modules", "router", ""},
		{"beyond the layers", add("base_model.model.model.layers.7.self_attn.q_proj.lora_A.weight", noise(1, 4, width)), nil, "shapes", "only one of lora_A", ""},
		{"a layer of another base", func() map[string]array {
			return map[string]array{"base_model.model.model.layers.2.self_attn.q_proj.lora_A.weight": noise(1, 4, width), "base_model.model.model.layers.2.self_attn.q_proj.lora_B.weight": noise(1, 64, 4)}
		}(), nil, "shapes", "the base has layers 0 to 1", ""},
		{"another width", add(layer0+"lora_A.weight", noise(1, 4, 80)), nil, "shapes", "takes 80 to 64", ""},
		{"other heads", add(layer0+"lora_B.weight", noise(1, 128, 4)), nil, "shapes", "takes 64 to 128", ""},
		{"two ranks", add(layer0+"lora_B.weight", noise(1, 64, 8)), nil, "shapes", "lora_B of rank 8", ""},
		{"another rank than it says", q, map[string]any{"r": 16}, "shapes", "says 16", "its scale would be wrong"},
		{"a vector", add(layer0+"lora_A.weight", noise(1, 256)), nil, "shapes", "no matrix", ""},
		{"F64", add(layer0+"lora_A.weight", array{"F64", []int{4, width}, make([]float32, 4*width)}), nil, "shapes", "F64", ""},
		{"a pattern of Python's", q, map[string]any{"alpha_pattern": map[string]any{"(?<=x)q_proj": 3}}, "shapes", "none that is understood", ""},
		{"two adapters", map[string]array{
			layer0 + "lora_A.one.weight": noise(1, 4, width), layer0 + "lora_B.one.weight": noise(1, 64, 4), layer0 + "lora_A.two.weight": noise(1, 4, width),
		}, nil, "one adapter", "one, two", ""},
	}
	b, _ := base(t, "llama")
	for _, tt := range tests {
		a, err := gguf.OpenAdapter(peft(t, tt.arrays, tt.more))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		checks := a.Check(b)
		i := slices.IndexFunc(checks, func(c gguf.Check) bool { return c.Verdict == gguf.Fail })
		if i < 0 || checks[i].Name != tt.check || !strings.Contains(checks[i].Detail, tt.want) {
			t.Errorf("%s: got %v, want %s to fail with %q (%s)", tt.name, checks, tt.check, tt.want, tt.reason)
		}
		var out bytes.Buffer
		if err := a.Write(t.Context(), &out, b, gguf.F32, nil); err == nil || out.Len() > 0 {
			t.Errorf("%s: it was written all the same (%v)", tt.name, err)
		}
		a.Close()
	}
	for _, arch := range []string{"qwen3", "phi3"} {
		b, _ := base(t, arch)
		a, err := gguf.OpenAdapter(peft(t, q, nil))
		if err != nil {
			t.Fatal(err)
		}
		if err := gguf.Failed(a.Check(b)); err == nil || !strings.Contains(err.Error(), "architecture "+arch) {
			t.Errorf("%s: got %v", arch, err)
		}
		a.Close()
	}
}

func TestAdapterIdentity(t *testing.T) {
	b, _ := base(t, "llama")
	dir := peft(t, lora(4, "self_attn.q_proj"), nil)
	verdicts := func() map[string]gguf.Verdict {
		a, err := gguf.OpenAdapter(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		m := map[string]gguf.Verdict{}
		for _, c := range a.Check(b) {
			m[c.Name] = c.Verdict
		}
		return m
	}
	if v := verdicts(); v["base"] != gguf.Pass || v["tokenizer"] != gguf.Unknown {
		t.Errorf("someone/tiny-base-1M is the base's Tiny Base 1M: %v", v)
	}
	write(t, dir, "tokenizer.json", []byte(`{"model":{"vocab":{"t0":0,"t39":39}},"added_tokens":[{"id":5,"content":"t5"}]}`))
	if v := verdicts(); v["tokenizer"] != gguf.Pass {
		t.Errorf("the same tokens: %v", v)
	}
	write(t, dir, "tokenizer.json", []byte(`{"model":{"vocab":{"t0":0,"t39":39}},"added_tokens":[{"id":40,"content":"<|new|>"}]}`))
	if v := verdicts(); v["tokenizer"] != gguf.Fail {
		t.Errorf("a token was added: %v", v)
	}
}

func TestOpenAdapterErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := gguf.OpenAdapter(dir); err == nil || !strings.Contains(err.Error(), "adapter_config.json") {
		t.Errorf("got %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "checkpoint-5"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "checkpoint-5/adapter_config.json", nil)
	if _, err := gguf.OpenAdapter(dir); err == nil || !strings.Contains(err.Error(), "adapters in "+dir) {
		t.Errorf("got %v", err)
	}
	write(t, dir, "adapter_config.json", []byte(`{"peft_type":"LORA"`))
	if _, err := gguf.OpenAdapter(dir); err == nil || !strings.Contains(err.Error(), "adapter_config.json: ") {
		t.Errorf("got %v", err)
	}
	write(t, dir, "adapter_config.json", []byte(`{"peft_type":"LORA","r":4,"lora_alpha":8}`))
	write(t, dir, "adapter_model.bin", nil)
	if _, err := gguf.OpenAdapter(dir); err == nil || !strings.Contains(err.Error(), "safe_serialization=True") {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "adapter_model.bin")); err != nil {
		t.Fatal(err)
	}
	if _, err := gguf.OpenAdapter(dir); err == nil || !strings.Contains(err.Error(), "there is no adapter_model.safetensors") {
		t.Errorf("got %v", err)
	}
}

// Numbers that are none are refused before they are served.
func TestNotANumber(t *testing.T) {
	b, _ := base(t, "llama")
	arrays := lora(4, "self_attn.v_proj")
	arrays["base_model.model.model.layers.0.self_attn.v_proj.lora_A.weight"].data[7] = float32(math.NaN())
	a, err := gguf.OpenAdapter(peft(t, arrays, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := a.Write(t.Context(), &bytes.Buffer{}, b, gguf.F32, nil); err == nil || !strings.Contains(err.Error(), "went astray") {
		t.Errorf("got %v", err)
	}
}

func BenchmarkAdapter(bm *testing.B) {
	b, _ := base(bm, "llama")
	a, err := gguf.OpenAdapter(peft(bm, lora(4096, allModules()...), map[string]any{"r": 4096}))
	if err != nil {
		bm.Fatal(err)
	}
	defer a.Close()
	for _, typ := range []gguf.Type{gguf.F32, gguf.F16} {
		bm.Run(typ.String(), func(bm *testing.B) {
			for bm.Loop() {
				var size int64
				err := a.Write(bm.Context(), io.Discard, b, typ, func(_, total int64) { size = total })
				if err != nil {
					bm.Fatal(err)
				}
				bm.SetBytes(size)
			}
		})
	}
}
