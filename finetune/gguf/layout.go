package gguf

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// layout says how a family of models keeps its tensors: in Hugging Face's files and in a GGUF.
type layout struct {
	classes []string // Hugging Face's names of the architecture
	// turned: llama.cpp rotates neighbouring rows of the queries and keys, Hugging Face the halves of a
	// head; so the rows of their matrices are interleaved head by head.
	turned bool
	// shifted: the weight of a norm is kept plus one.
	shifted bool
	parts   map[string]string // of a layer: the GGUF's name to Hugging Face's
}

var projections = map[string]string{
	"attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
	"ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}

func with(norms map[string]string) map[string]string {
	all := maps.Clone(projections)
	maps.Copy(all, norms)
	return all
}

// layouts are those of the architectures that are converted, by the GGUF's name.
var layouts = map[string]*layout{
	"llama": {
		classes: []string{"LlamaForCausalLM", "MistralForCausalLM"}, turned: true,
		parts: with(map[string]string{"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm"}),
	},
	"gemma2": {
		classes: []string{"Gemma2ForCausalLM"}, shifted: true,
		parts: with(map[string]string{
			"attn_norm": "input_layernorm", "post_attention_norm": "post_attention_layernorm",
			"ffn_norm": "pre_feedforward_layernorm", "post_ffw_norm": "post_feedforward_layernorm",
		}),
	},
}

// Architectures returns the names of those that are converted, sorted.
func Architectures() []string { return slices.Sorted(maps.Keys(layouts)) }

// checkArchitecture says whether the base is of an architecture that is converted.
func checkArchitecture(b *Base) (*layout, Check) {
	const name = "architecture"
	l := layouts[b.Arch]
	if l == nil {
		return nil, failed(name, "the base is of the architecture %s, and %s are converted here: merge the adapter into the model, convert the merged model with llama.cpp's own convert_hf_to_gguf.py, and serve that with --gguf FILE",
			b.Arch, strings.Join(Architectures(), " and "))
	}
	if l.turned && (b.Heads == 0 || b.KVHeads == 0) {
		return nil, failed(name, "the base does not say how many heads its attention has, or they differ from layer to layer: the rows of queries and keys cannot be put in order")
	}
	if b.Experts > 0 {
		return nil, failed(name, "the base is a mixture of %d experts, which is not converted here: use llama.cpp's own script and --gguf FILE", b.Experts)
	}
	return l, passed(name, "%s", b.Arch)
}

// heads is how many blocks the rows of a part are interleaved in; 0: they stay in order.
func (l *layout) heads(part string, b *Base) int {
	switch {
	case !l.turned:
		return 0
	case part == "attn_q":
		return b.Heads
	case part == "attn_k":
		return b.KVHeads
	}
	return 0
}

var ofLayer = regexp.MustCompile(`^blk\.(\d+)\.(\w+)\.(weight|bias)$`)

// huggingFace returns Hugging Face's name of a GGUF's tensor, and which part of a layer it is.
func (l *layout) huggingFace(name string) (theirs, part string, ok bool) {
	switch name {
	case "token_embd.weight":
		return "model.embed_tokens.weight", "", true
	case "output_norm.weight":
		return "model.norm.weight", "output_norm", true
	case "output.weight":
		return "lm_head.weight", "", true
	}
	m := ofLayer.FindStringSubmatch(name)
	if m == nil || l.parts[m[2]] == "" {
		return "", "", false
	}
	return fmt.Sprintf("model.layers.%s.%s.%s", m[1], l.parts[m[2]], m[3]), m[2], true
}

// part makes a GGUF's tensor of Hugging Face's.
func (l *layout) part(s *Stored, name string, b *Base) part {
	p := part{from: s, heads: l.heads(name, b)}
	if l.shifted && strings.HasSuffix(name, "_norm") {
		p.shift = 1
	}
	return p
}
