package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/finetune/gguf"
	"parley/finetune/serve"
)

// shelf is an Ollama server that keeps what it is told, and answers every prompt with reply.
type shelf struct {
	*httptest.Server
	mu     sync.Mutex
	blobs  map[string][]byte
	models map[string]map[string]any // by name, as /api/show tells it
	made   map[string]any            // the last /api/create
	reply  string
	loses  bool // the adapter of what is made
}

func newShelf(t *testing.T, arch string) *shelf {
	k := &shelf{blobs: map[string][]byte{}, reply: "At the \x1b[31mmill."}
	k.models = map[string]map[string]any{"small:latest": {
		"modelfile": "FROM /nowhere/blob\n", "template": "T {{ .Prompt }}", "system": "S", "parameters": "stop                           \"<end>\"\ntop_k                          20",
		"model_info": map[string]any{
			"general.architecture": arch, arch + ".block_count": 1, arch + ".embedding_length": 32, arch + ".feed_forward_length": 32, arch + ".attention.head_count": 2,
			arch + ".attention.head_count_kv": 2, arch + ".rope.freq_base": 10000,
		},
		"tensors": tinyTensors(),
	}}
	name := func(body map[string]any) string {
		n := fmt.Sprint(body["model"])
		if !strings.Contains(n, ":") {
			n += ":latest"
		}
		return n
	}
	fail := func(w http.ResponseWriter, status int, said string) {
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(map[string]string{"error": said})
	}
	handle := map[string]func(w http.ResponseWriter, body map[string]any){
		"/api/version": func(w http.ResponseWriter, _ map[string]any) { io.WriteString(w, `{"version":"0.17.4"}`) },
		"/api/tags": func(w http.ResponseWriter, _ map[string]any) {
			list := []map[string]any{}
			for name := range k.models {
				list = append(list, map[string]any{"name": name})
			}
			json.NewEncoder(w).Encode(map[string]any{"models": list})
		},
		"/api/show": func(w http.ResponseWriter, body map[string]any) {
			m := k.models[name(body)]
			if m == nil {
				fail(w, 404, "model not found")
				return
			}
			json.NewEncoder(w).Encode(m)
		},
		"/api/create": func(w http.ResponseWriter, body map[string]any) {
			k.made = body
			m := map[string]any{"modelfile": "FROM /nowhere/x\n", "template": "{{ .Prompt }}", "parameters": ""}
			if from, ok := body["from"].(string); ok {
				m = maps.Clone(k.models[name(map[string]any{"model": from})])
			}
			if a, ok := body["adapters"].(map[string]any); ok && !k.loses {
				m["modelfile"] = fmt.Sprint(m["modelfile"], strings.Repeat("ADAPTER /nowhere/a\n", len(a)))
			}
			if t, ok := body["template"]; ok {
				m["template"] = t
			}
			lines := ""
			for key, v := range body["parameters"].(map[string]any) {
				if list, ok := v.([]any); ok {
					for _, x := range list {
						lines += fmt.Sprintf("%-30s %#v\n", key, x)
					}
					continue
				}
				lines += fmt.Sprintf("%-30s %#v\n", key, v)
			}
			m["parameters"] = lines
			k.models[name(body)] = m
			io.WriteString(w, "{\"status\":\"success\"}\n")
		},
		"/api/chat": func(w http.ResponseWriter, body map[string]any) {
			json.NewEncoder(w).Encode(map[string]any{"model": body["model"], "created_at": "2026-01-01T00:00:00Z", "message": map[string]any{"role": "assistant", "content": k.reply}, "done": true, "done_reason": "stop", "prompt_eval_count": 9, "eval_count": 3})
		},
	}
	k.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k.mu.Lock()
		defer k.mu.Unlock()
		if digest, ok := strings.CutPrefix(r.URL.Path, "/api/blobs/"); ok {
			raw, _ := io.ReadAll(r.Body)
			sum := sha256.Sum256(raw)
			switch {
			case r.Method == http.MethodHead && k.blobs[digest] == nil:
				w.WriteHeader(404)
			case r.Method == http.MethodPost && digest == "sha256:"+hex.EncodeToString(sum[:]):
				k.blobs[digest] = raw
			}
			return
		}
		var body map[string]any
		json.NewDecoder(r.Body).Decode(&body)
		handle[r.URL.Path](w, body)
	}))
	t.Cleanup(k.Close)
	return k
}

// The tiny model has one layer of width 32, 2 heads and 8 tokens.
var tinyParts = map[string]string{
	"attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
	"ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}

func tinyTensors() []map[string]any {
	list := []map[string]any{{"name": "token_embd.weight", "shape": []int{32, 8}, "type": "F32"}, {"name": "output_norm.weight", "shape": []int{32}, "type": "F32"}}
	for _, part := range slices.Sorted(maps.Keys(tinyParts)) {
		list = append(list, map[string]any{"name": "blk.0." + part + ".weight", "shape": []int{32, 32}, "type": "F32"})
	}
	for _, norm := range []string{"attn_norm", "ffn_norm"} {
		list = append(list, map[string]any{"name": "blk.0." + norm + ".weight", "shape": []int{32}, "type": "F32"})
	}
	return list
}

// tensorFile writes a safetensors file of random numbers.
func tensorFile(t *testing.T, path string, shapes map[string][]int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	all := map[string]tensorOf{}
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		n := 1
		for _, d := range shapes[name] {
			n *= d
		}
		x := tensorOf{shapes[name], make([]float32, n)}
		for i := range x.numbers {
			x.numbers[i] = float32(r.NormFloat64())
		}
		all[name] = x
	}
	writeTensors(t, path, all)
}

func writeFile(t *testing.T, path string, raw []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
}

// tiny writes what is served into a directory: lora/, merged/ and base.gguf.
func tiny(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	lora, whole := map[string][]int{}, map[string][]int{"model.embed_tokens.weight": {8, 32}, "model.norm.weight": {32},
		"model.layers.0.input_layernorm.weight": {32}, "model.layers.0.post_attention_layernorm.weight": {32}}
	for _, theirs := range tinyParts {
		lora["base_model.model.model.layers.0."+theirs+".lora_A.weight"] = []int{4, 32}
		lora["base_model.model.model.layers.0."+theirs+".lora_B.weight"] = []int{32, 4}
		whole["model.layers.0."+theirs+".weight"] = []int{32, 32}
	}
	tensorFile(t, filepath.Join(dir, "lora", "adapter_model.safetensors"), lora)
	writeFile(t, filepath.Join(dir, "lora", "adapter_config.json"), []byte(`{"peft_type":"LORA","r":4,"lora_alpha":8.0,"base_model_name_or_path":"x/tiny"}`))
	tensorFile(t, filepath.Join(dir, "merged", "model.safetensors"), whole)
	writeFile(t, filepath.Join(dir, "merged", "config.json"), []byte(`{"architectures":["LlamaForCausalLM"],"num_hidden_layers":1,"num_attention_heads":2,"hidden_size":32,"intermediate_size":32,"vocab_size":8,"rope_theta":10000}`))
	var tensors []gguf.Source
	for _, x := range tinyTensors() {
		s := gguf.Source{Tensor: gguf.Tensor{Name: x["name"].(string)}}
		for _, d := range x["shape"].([]int) {
			s.Shape = append(s.Shape, uint64(d))
		}
		s.Fill = func(_ context.Context, w io.Writer) error {
			_, err := w.Write(make([]byte, 4*s.Count()))
			return err
		}
		tensors = append(tensors, s)
	}
	var out bytes.Buffer
	if err := gguf.Write(t.Context(), &out, []gguf.KV{
		gguf.Text("general.architecture", "llama"), gguf.Uint32("llama.block_count", 1), gguf.Uint32("llama.embedding_length", 32), gguf.Uint32("llama.feed_forward_length", 32),
		gguf.Uint32("llama.attention.head_count", 2), gguf.Float32("llama.rope.freq_base", 10000),
	}, tensors, nil); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "base.gguf"), out.Bytes())
	return dir
}

// serveWith runs the command with the shelf as the server.
func serveWith(t *testing.T, host string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = Main(t.Context(), append([]string{"parley", "finetune", "serve", "--host", host}, args...), &out, &errs)
	return status, out.String(), errs.String()
}

func TestServeAdapter(t *testing.T) {
	k, dir := newShelf(t, "llama"), tiny(t)
	status, stdout, stderr := serveWith(t, k.URL, "--name", "tuned", "--adapter", filepath.Join(dir, "lora"), "--base", "small", "--stop", ",", "--stop", "a b")
	if status != exitOK {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	for _, want := range []string{
		"pass    lora_alpha: 8 (written 8.0", "unknown base: trained from \"x/tiny\"", "7 pairs of rank 4",
		`it says: "At the \x1b[31mmill." (stop)`, "--model tuned:ollama:tuned@" + k.URL, `stop ["," "a b"]`,
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
	parameters := map[string]any{"stop": []any{",", "a b"}, "temperature": 0.0, "repeat_penalty": 1.0, "top_k": 20.0}
	if k.made["from"] != "small" || k.made["template"] != nil || fmt.Sprint(k.made["parameters"]) != fmt.Sprint(parameters) {
		t.Errorf("made of %v", k.made)
	}
	for _, raw := range k.blobs {
		f, err := gguf.Read(bytes.NewReader(raw), int64(len(raw)))
		if err != nil || f.Text("general.type") != "adapter" || len(f.Tensors) != 14 {
			t.Errorf("uploaded was %d bytes: %v", len(raw), err)
		}
	}
	// A second time the name is taken.
	again := []string{"--name", "tuned", "--adapter", filepath.Join(dir, "lora"), "--base", "small"}
	if status, stdout, stderr := serveWith(t, k.URL, again...); status != exitFailed || !strings.Contains(stderr, "--force replaces it") || len(k.blobs) != 1 {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	k.reply = " "
	if status, stdout, stderr := serveWith(t, k.URL, append(again, "--yes")...); status != exitOK || !strings.Contains(stdout, "nothing (an empty reply") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	if status, _, stderr := serveWith(t, k.URL, "--name", "more", "--adapter", filepath.Join(dir, "lora"), "--base", "tuned"); status != exitFailed || !strings.Contains(stderr, "one only") {
		t.Errorf("status %d\n%s", status, stderr)
	}
	k.loses = true
	if status, _, stderr := serveWith(t, k.URL, append(again, "--force")...); status != exitFailed || !strings.Contains(stderr, "with 0 adapters, where 1 were told") {
		t.Errorf("status %d\n%s", status, stderr)
	}
}

func TestServeMerged(t *testing.T) {
	k, dir := newShelf(t, "llama"), tiny(t)
	merged, base := filepath.Join(dir, "merged"), filepath.Join(dir, "base.gguf")
	if status, _, stderr := serveWith(t, k.URL, "--name", "whole", "--merged", merged, "--base", "small"); status != exitFailed || !strings.Contains(stderr, "--base-gguf FILE") {
		t.Errorf("without the base's file: status %d\n%s", status, stderr)
	}
	keep := filepath.Join(dir, "kept.gguf")
	status, stdout, stderr := serveWith(t, k.URL, "--name", "whole", "--merged", merged, "--base", "small", "--base-gguf", base, "--base-dir", merged, "--type", "q8_0", "--keep", keep)
	if status != exitFailed || !strings.Contains(stderr, "base weights: ") || exists(keep) || len(k.blobs) > 0 {
		t.Errorf("a base of zeros is not the model: status %d\n%s%s", status, stdout, stderr)
	}
	status, stdout, stderr = serveWith(t, k.URL, "--name", "whole", "--merged", merged, "--base", "small", "--base-gguf", base, "--type", "q8_0", "--keep", keep, "--temperature", "0.5", "--json")
	var did serve.Result
	if err := json.Unmarshal([]byte(stdout), &did); status != exitOK || err != nil || !did.OK || !did.Created || did.Smoke == nil || did.File != keep || did.Type != "q8_0" {
		t.Fatalf("status %d, %v\n%s%s", status, err, stdout, stderr)
	}
	f, err := gguf.Open(keep)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if x, _ := f.Tensor("blk.0.attn_q.weight"); x.Type != gguf.Q8_0 || k.made["template"] != "T {{ .Prompt }}" || k.made["system"] != "S" {
		t.Errorf("kept %v, made of %v", x, k.made)
	}
	if p := k.made["parameters"].(map[string]any); fmt.Sprint(p["stop"]) != "[<end>]" || p["temperature"] != 0.5 {
		t.Errorf("parameters %v", p)
	}
	// The file itself, as the base of an adapter and as a model.
	status, stdout, stderr = serveWith(t, k.URL, "--name", "both", "--adapter", filepath.Join(dir, "lora"), "--base", keep, "--template", "chatml")
	if status != exitOK || k.made["files"] == nil || k.made["adapters"] == nil || k.made["from"] != nil || !strings.Contains(fmt.Sprint(k.made["parameters"]), "<|im_end|>") {
		t.Errorf("status %d, made of %v\n%s%s", status, k.made, stdout, stderr)
	}
	if status, stdout, stderr = serveWith(t, k.URL, "--name", "alone", "--gguf", keep); status != exitOK || !strings.Contains(stderr, "no template") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	check := []string{"--name", "other", "--gguf", keep, "--dry-run"}
	if status, stdout, stderr = serveWith(t, k.URL, check...); status != exitOK || !strings.Contains(stdout, "pass    weights: ") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	raw, err := os.ReadFile(keep)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []gguf.Type{gguf.F32, gguf.Q8_0} {
		for _, tensor := range f.Tensors {
			if tensor.Type == of {
				spoiled := slices.Clone(raw)
				copy(spoiled[f.Data+tensor.Offset:], map[gguf.Type]string{gguf.F32: "\x00\x00\xc0\x7f", gguf.Q8_0: "\x00\xfc"}[of])
				writeFile(t, keep, spoiled)
				if status, stdout, stderr = serveWith(t, k.URL, check...); status != exitFailed || !strings.Contains(stdout, tensor.Name) {
					t.Errorf("%s: status %d\n%s%s", of, status, stdout, stderr)
				}
				break
			}
		}
	}
}

func TestServeRefuses(t *testing.T) {
	dir := tiny(t)
	lora, base := filepath.Join(dir, "lora"), filepath.Join(dir, "base.gguf")
	bad := filepath.Join(dir, "jinja.txt")
	writeFile(t, bad, []byte("{% for m in messages %}"))
	llama, qwen := newShelf(t, "llama"), newShelf(t, "qwen3")
	gone := httptest.NewServer(nil)
	gone.Close()
	tests := []struct {
		host   string
		args   []string
		status int
		want   string
	}{
		{llama.URL, nil, exitUsage, "--name"},
		{llama.URL, []string{"--name", "a b", "--adapter", lora, "--base", "small"}, exitUsage, "no name of a model"},
		{llama.URL, []string{"--name", "x", "--base", "small"}, exitUsage, "one of --adapter, --merged and --gguf"},
		{llama.URL, []string{"--name", "x", "--adapter", lora, "--gguf", base}, exitUsage, "one of --adapter, --merged and --gguf"},
		{llama.URL, []string{"--name", "x", "--adapter", lora}, exitUsage, "--base"},
		{llama.URL, []string{"--name", "x", "--adapter", lora, "--adapter", lora, "--base", "small"}, exitUsage, "one adapter only"},
		{llama.URL, []string{"--name", "x", "--adapter", lora, "--base", "small", "--type", "q8_0"}, exitUsage, "f32 or f16"},
		{llama.URL, []string{"--name", "x", "--adapter", lora, "--base", "small", "--type", "q4"}, exitUsage, `no type "q4"`},
		{llama.URL, []string{"--name", "x", "--adapter", lora, "--base", "small", "--repeat-penalty", "0"}, exitUsage, "--repeat-penalty"},
		{llama.URL, []string{"--name", "x", "--adapter", lora, "--base", "small", "--keep", base}, exitUsage, "is there already"},
		{llama.URL, []string{"--name", "x", "--adapter", lora, "--base", "small", "--template", bad}, exitFailed, "Jinja"},
		{llama.URL, []string{"--name", "x", "--adapter", lora, "--base", "absent"}, exitFailed, "ollama pull absent"},
		{llama.URL, []string{"--name", "small", "--adapter", lora, "--base", "small", "--force"}, exitFailed, "is the base itself"},
		{llama.URL, []string{"--name", "x", "--adapter", dir, "--base", "small"}, exitFailed, "adapter_config.json"},
		{llama.URL, []string{"--name", "x", "--adapter", base, "--base", "small"}, exitFailed, "no LoRA adapter"},
		{qwen.URL, []string{"--name", "x", "--adapter", lora, "--base", "small"}, exitFailed, "takes no adapters"},
		{gone.URL, []string{"--name", "x", "--adapter", lora, "--base", base}, exitFailed, "unreachable"},
	}
	for _, tt := range tests {
		status, stdout, stderr := serveWith(t, tt.host, tt.args...)
		if status != tt.status || !strings.Contains(stderr, tt.want) {
			t.Errorf("%q: status %d, want %d with %q\n%s%s", tt.args, status, tt.status, tt.want, stdout, stderr)
		}
	}
	if n := len(llama.blobs) + len(qwen.blobs); n > 0 || llama.made != nil {
		t.Errorf("%d files were uploaded all the same, %v made", n, llama.made)
	}
	// Without a server a file can be checked against a file, and converted.
	keep := filepath.Join(dir, "adapter.gguf")
	status, stdout, stderr := serveWith(t, gone.URL, "--name", "x", "--adapter", lora, "--base", base, "--dry-run", "--keep", keep, "--type", "f16")
	if status != exitOK || !exists(keep) || !strings.Contains(stdout, "unknown server") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	status, stdout, _ = serveWith(t, qwen.URL, "--name", "x", "--adapter", lora, "--base", "small", "--json")
	var did serve.Result
	if err := json.Unmarshal([]byte(stdout), &did); err != nil || status != exitFailed || did.OK || did.Created {
		t.Errorf("status %d, %v\n%s", status, err, stdout)
	}
	// A dry run reads the weights, and refuses those that are none.
	check := []string{"--name", "x", "--adapter", lora, "--base", base, "--dry-run"}
	if status, stdout, stderr := serveWith(t, llama.URL, check...); status != exitOK || !strings.Contains(stdout, "pass    weights: ") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	weights := filepath.Join(lora, "adapter_model.safetensors")
	raw, err := os.ReadFile(weights)
	if err != nil {
		t.Fatal(err)
	}
	copy(raw[len(raw)-4:], "\xff\xff\xff\x7f") // the last number becomes NaN
	writeFile(t, weights, raw)
	if status, stdout, stderr := serveWith(t, llama.URL, check...); status != exitFailed || !strings.Contains(stdout, "fail    weights: ") || !strings.Contains(stdout, "NaN") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
}
