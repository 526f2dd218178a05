package gguf

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Merged is a whole model as Hugging Face keeps it: a directory with config.json and safetensors.
type Merged struct {
	dir     string
	config  modelConfig
	weights *Weights
}

// modelConfig holds the settings of config.json that have to agree with the base.
type modelConfig struct {
	Classes     []string        `json:"architectures"`
	Kind        string          `json:"model_type"`
	Layers      int             `json:"num_hidden_layers"`
	Heads       int             `json:"num_attention_heads"`
	KVHeads     int             `json:"num_key_value_heads"`
	Width       int             `json:"hidden_size"`
	FeedForward int             `json:"intermediate_size"`
	Vocabulary  int             `json:"vocab_size"`
	Epsilon     float64         `json:"rms_norm_eps"`
	Theta       float64         `json:"rope_theta"`
	Tied        *bool           `json:"tie_word_embeddings"`
	Scaling     *rope           `json:"rope_scaling"`
	Rope        *rope           `json:"rope_parameters"` // since transformers 5
	Quantised   json.RawMessage `json:"quantization_config"`
}

type rope struct {
	Theta float64 `json:"rope_theta"`
	Type  string  `json:"rope_type"`
	Old   string  `json:"type"`
}

// OpenMerged opens the directory of a whole model. Close it when it is written.
func OpenMerged(dir string) (*Merged, error) {
	m := &Merged{dir: dir}
	path := filepath.Join(dir, "config.json")
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("open a merged model: %w", err)
	}
	if err := json.Unmarshal(raw, &m.config); err != nil {
		return nil, fmt.Errorf("open a merged model: %s: %w", path, err)
	}
	if m.weights, err = openWeights(dir, "model"); err != nil {
		return nil, fmt.Errorf("open a merged model: %w", err)
	}
	return m, nil
}

// Close closes the model's files.
func (m *Merged) Close() error { return m.weights.Close() }

// Check says, question by question, whether the model can be written with the base's metadata.
func (m *Merged) Check(b *Base) []Check {
	_, checks := m.plan(b)
	return append(checks, b.checkTokenizer(m.dir))
}

// Write writes the model as a GGUF: all metadata, the tokenizer with it, are the base's, byte for
// byte; the tensors are the model's, matrices as F32, F16 or Q8_0 and vectors as F32. A matrix whose
// rows no block fits becomes F16 in place of Q8_0. The base has to be of a file.
func (m *Merged) Write(ctx context.Context, w io.Writer, b *Base, t Type, progress func(done, total int64)) error {
	planned, checks := m.plan(b)
	if err := Failed(checks); err != nil {
		return fmt.Errorf("write a merged model: %w", err)
	}
	if t != F32 && t != F16 && t != Q8_0 {
		return fmt.Errorf("write a merged model: %s cannot be written", t)
	}
	var tensors []Source
	for _, p := range planned {
		s := Source{Tensor: Tensor{Name: p.name}}
		if p.copied != nil {
			s.Type, s.Shape = p.copied.Type, p.copied.Shape
			s.Fill = func(_ context.Context, w io.Writer) error {
				r, err := b.file.Bytes(p.copied)
				if err == nil {
					_, err = io.Copy(w, r)
				}
				return err
			}
		} else {
			s.Shape = p.part.shape()
			s.Type = t
			if len(s.Shape) == 1 {
				s.Type = F32
			} else if t == Q8_0 && s.Shape[0]%blockNumbers != 0 {
				s.Type = F16
			}
			s.Fill = p.part.fill(s.Type)
		}
		tensors = append(tensors, s)
	}
	if err := Write(ctx, w, inherited(b.file.KV, t), tensors, progress); err != nil {
		return fmt.Errorf("write a merged model: %w", err)
	}
	return nil
}

// inherited is the base's metadata, with what says how its own tensors were kept put right.
func inherited(entries []KV, t Type) []KV {
	var out []KV
	typed := false
	for _, v := range entries {
		switch {
		case v.Key == "general.file_type":
			v, typed = Uint32(v.Key, t.fileType()), true
		case strings.HasPrefix(v.Key, "quantize."), strings.HasPrefix(v.Key, "split."):
			continue
		}
		out = append(out, v)
	}
	if !typed {
		out = append(out, Uint32("general.file_type", t.fileType()))
	}
	if !slices.ContainsFunc(out, func(v KV) bool { return v.Key == "general.quantization_version" }) {
		out = append(out, Uint32("general.quantization_version", 2))
	}
	return out
}

// planned is a tensor of the file to be written: of the model, or copied from the base.
type planned struct {
	name   string
	part   part
	copied *Tensor
}

// Tensors of a base that no Hugging Face file has, as they are made of the configuration.
var ofBase = []string{"rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight"}

// plan finds a tensor of the model for each of the base, and what is wrong.
func (m *Merged) plan(b *Base) ([]planned, []Check) {
	l, arch := checkArchitecture(b)
	if l != nil && len(m.config.Classes) > 0 && !slices.Contains(l.classes, m.config.Classes[0]) {
		arch = failed("architecture", "the model is a %q and the base's GGUF of the architecture %s, which is made of %s: convert such a model with llama.cpp's own convert_hf_to_gguf.py and serve it with --gguf FILE",
			m.config.Classes[0], b.Arch, strings.Join(l.classes, " or "))
		l = nil
	}
	checks := []Check{arch}
	if l == nil {
		return nil, checks
	}
	if b.file == nil {
		return nil, append(checks, failed("base file", "the base's GGUF cannot be read here, and its metadata and tokenizer are needed: give it with --base-gguf FILE"))
	}
	list, shapes := m.match(l, b)
	return list, append(checks, m.checkConfig(b), m.checkRope(b), shapes)
}

// match finds a tensor of the model for each of the base, and says whether all fit.
func (m *Merged) match(l *layout, b *Base) ([]planned, Check) {
	p := &planning{m: m, l: l, b: b, used: map[string]bool{}}
	const head, embedding = "lm_head.weight", "model.embed_tokens.weight"
	tied := m.weights.tensors[head] == nil || m.config.Tied != nil && *m.config.Tied
	for i := range b.file.Tensors {
		t := &b.file.Tensors[i]
		theirs, kind, ok := l.huggingFace(t.Name)
		switch {
		case slices.Contains(ofBase, t.Name):
			p.list = append(p.list, planned{name: t.Name, copied: t})
		case !ok:
			p.wrong = append(p.wrong, fmt.Sprintf("the base has the tensor %s, which is not known here", t.Name))
		case theirs == head && tied:
			p.take(t.Name, embedding, kind, t.Shape)
		default:
			p.take(t.Name, theirs, kind, t.Shape)
		}
	}
	if _, has := b.file.Tensor("output.weight"); !has && !tied && b.Arch == "llama" {
		p.take("output.weight", head, "", b.shapes["token_embd.weight"]) // the training untied the head
	}
	left := slices.DeleteFunc(m.weights.names(), func(name string) bool {
		return p.used[name] || name == head || strings.HasSuffix(name, "rotary_emb.inv_freq")
	})
	if p.missing != nil {
		p.wrong = append(p.wrong, "the model has no "+listed(p.missing))
	}
	if len(left) > 0 {
		p.wrong = append(p.wrong, "the model has "+listed(left)+", for which the base has no place")
	}
	if p.wrong != nil {
		return nil, failed("shapes", "%s: is it the base that the model was trained from?", listed(p.wrong))
	}
	return p.list, passed("shapes", "%d tensors fit the base's", len(p.list))
}

// planning collects the tensors of a file to be written, and what is wrong.
type planning struct {
	m              *Merged
	l              *layout
	b              *Base
	list           []planned
	missing, wrong []string
	used           map[string]bool // tensors of the model
}

// take plans a tensor of the model, which has to have a shape.
func (p *planning) take(name, theirs, kind string, want []uint64) {
	s := p.m.weights.tensors[theirs]
	p.used[theirs] = true
	if s == nil {
		p.missing = append(p.missing, theirs)
		return
	}
	part := p.l.part(s, kind, p.b)
	err := s.check()
	if err == nil && !slices.Equal(part.shape(), want) {
		err = fmt.Errorf("%s has the shape %v and the base's %s, turned round, %v", theirs, s.Shape, name, want)
	}
	if err == nil {
		err = part.check()
	}
	if err != nil {
		p.wrong = append(p.wrong, err.Error())
	}
	p.list = append(p.list, planned{name: name, part: part})
}

// checkConfig compares config.json with the base.
func (m *Merged) checkConfig(b *Base) Check {
	const name = "config"
	c := m.config
	if q := string(c.Quantised); q != "" && q != "null" {
		return failed(name, "the model is quantised (quantization_config): save it in full precision before it is merged")
	}
	if c.KVHeads == 0 {
		c.KVHeads = c.Heads
	}
	var differ []string
	for _, x := range []struct {
		what       string
		mine, base int
	}{
		{"num_hidden_layers", c.Layers, b.Layers}, {"num_attention_heads", c.Heads, b.Heads}, {"num_key_value_heads", c.KVHeads, b.KVHeads},
		{"hidden_size", c.Width, b.Width}, {"intermediate_size", c.FeedForward, b.FeedForward}, {"vocab_size", c.Vocabulary, b.Vocabulary},
	} {
		if x.mine != x.base && x.base != 0 {
			differ = append(differ, fmt.Sprintf("%s %d, base %d", x.what, x.mine, x.base))
		}
	}
	if c.Epsilon != 0 && b.Epsilon != 0 && math.Abs(c.Epsilon/b.Epsilon-1) > 1e-5 {
		differ = append(differ, fmt.Sprintf("rms_norm_eps %g, base %g", c.Epsilon, b.Epsilon))
	}
	if differ != nil {
		return failed(name, "config.json and the base differ: %s", strings.Join(differ, "; "))
	}
	return passed(name, "%d layers, %d heads (%d for keys), width %d, %d tokens, as the base", c.Layers, c.Heads, c.KVHeads, c.Width, c.Vocabulary)
}

// checkRope compares the rotary embedding with the base's, which the served model will have.
func (m *Merged) checkRope(b *Base) Check {
	const name = "rope"
	theta, kind := m.config.Theta, ""
	for _, r := range []*rope{m.config.Scaling, m.config.Rope} {
		if r == nil {
			continue
		}
		if r.Theta != 0 {
			theta = r.Theta
		}
		if r.Type+r.Old != "" {
			kind = r.Type
			if kind == "" {
				kind = r.Old
			}
		}
	}
	base := b.Theta
	if base == 0 {
		base = 10000 // as llama.cpp has it
	}
	_, stretched := b.shapes["rope_freqs.weight"]
	switch {
	case theta == 0:
		return unknown(name, "config.json gives no rope_theta; the base's %g is taken", base)
	case math.Abs(theta/base-1) > 1e-5:
		return failed(name, "config.json has the rope_theta %g and the base %g", theta, base)
	case kind == "" || kind == "default":
		if stretched {
			return failed(name, "the base stretches its rotary embedding (rope_freqs), and config.json does not")
		}
		return passed(name, "theta %g, as the base", theta)
	case kind == "llama3" && stretched:
		return passed(name, "theta %g, stretched as llama3, as the base", theta)
	}
	return unknown(name, "config.json stretches the rotary embedding as %q; the base's own way is taken", kind)
}
