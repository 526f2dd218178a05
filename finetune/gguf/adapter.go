package gguf

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Adapter is a LoRA as PEFT keeps it: a directory with adapter_config.json and
// adapter_model.safetensors.
type Adapter struct {
	dir     string
	config  *peft
	weights *Weights
}

// OpenAdapter opens a PEFT directory. Close it when it is written.
func OpenAdapter(dir string) (*Adapter, error) {
	config, err := readPEFT(dir)
	if err != nil {
		return nil, fmt.Errorf("open a PEFT adapter: %w", err)
	}
	w, err := openWeights(dir, "adapter_model")
	if err != nil {
		return nil, fmt.Errorf("open a PEFT adapter: %w", err)
	}
	return &Adapter{dir, config, w}, nil
}

// Close closes the adapter's files.
func (a *Adapter) Close() error { return a.weights.Close() }

// Check says, question by question, whether the adapter can be written for the base.
func (a *Adapter) Check(b *Base) []Check {
	_, checks := a.plan(b)
	return append(checks, b.checkName(a.config.Base), b.checkTokenizer(a.dir))
}

// Write writes the adapter as a GGUF for the base, its matrices as F32 or F16.
func (a *Adapter) Write(ctx context.Context, w io.Writer, b *Base, t Type, progress func(done, total int64)) error {
	if t != F32 && t != F16 {
		return fmt.Errorf("write an adapter: its matrices can be f32 or f16, and not %s", t)
	}
	pairs, checks := a.plan(b)
	if err := Failed(checks); err != nil {
		return fmt.Errorf("write an adapter: %w", err)
	}
	// The scale of a pair is alpha over its rank. The GGUF has one alpha for all: where a pair wants
	// another one, its lora_B makes up for it.
	counts := map[float32]int{}
	for _, p := range pairs {
		counts[float32(p.alpha)]++
	}
	alpha := float32(pairs[0].alpha)
	for _, p := range pairs {
		if own := float32(p.alpha); counts[own] > counts[alpha] {
			alpha = own
		}
	}
	entries := []KV{
		Text("general.architecture", b.Arch), Text("general.type", "adapter"),
		Text("adapter.type", "lora"), Float32("adapter.lora.alpha", alpha),
		Uint32("general.file_type", t.fileType()),
	}
	var tensors []Source
	for _, p := range pairs {
		if own := float32(p.alpha); own != alpha {
			p.b.scale = float32(p.alpha / float64(alpha))
		}
		for _, half := range []struct {
			name string
			part part
		}{{".lora_a", p.a}, {".lora_b", p.b}} {
			s := Source{Tensor: Tensor{Name: p.name + half.name, Type: t, Shape: half.part.shape()}}
			s.Fill = half.part.fill(t)
			tensors = append(tensors, s)
		}
	}
	if err := Write(ctx, w, entries, tensors, progress); err != nil {
		return fmt.Errorf("write an adapter: %w", err)
	}
	return nil
}

// pair is the sum added to a matrix of the base: B·A times alpha over rank.
type pair struct {
	name   string // of the base's matrix
	module string // as PEFT has it
	layer  int
	alpha  float64
	a, b   part
}

var ofLoRA = regexp.MustCompile(`^base_model\.model\.(.+)\.lora_([AB])(?:\.([^.]+))?\.weight$`)

// plan finds the pairs, and what is wrong with them.
func (a *Adapter) plan(b *Base) ([]*pair, []Check) {
	l, arch := checkArchitecture(b)
	checks := []Check{arch, a.checkOne(), a.checkConfig(), a.config.checkAlpha()}
	if l == nil {
		return nil, checks
	}
	byName := map[string]*pair{}
	var strange, wrong []string
	for _, name := range a.weights.names() {
		m := ofLoRA.FindStringSubmatch(name)
		target := ""
		if m != nil {
			target = l.target(m[1])
		}
		if target == "" {
			strange = append(strange, name)
			continue
		}
		p := byName[target]
		if p == nil {
			p = &pair{name: target, module: m[1]}
			p.layer, _ = strconv.Atoi(strings.Split(m[1], ".")[2])
			byName[target] = p
		}
		s := a.weights.tensors[name]
		if m[2] == "A" {
			p.a = part{from: s}
			continue
		}
		p.b = part{from: s, heads: l.heads(strings.Split(target, ".")[2], b)}
	}
	if len(strange) > 0 {
		checks = append(checks, failed("modules", "%s: only the seven projections of a layer (%s) can be changed by a GGUF adapter, not embeddings, norms, biases or the head; %s",
			listed(strange), projectionNames, mergeRemedy))
	}
	pairs := make([]*pair, 0, len(byName))
	for _, p := range byName {
		if err := a.fit(p, b); err != nil {
			wrong = append(wrong, err.Error())
		}
		pairs = append(pairs, p)
	}
	slices.Sort(wrong)
	slices.SortFunc(pairs, func(x, y *pair) int { return cmp.Or(x.layer-y.layer, strings.Compare(x.name, y.name)) })
	switch {
	case len(wrong) > 0:
		checks = append(checks, failed("shapes", "%s: is it the base that the adapter was trained from?", listed(wrong)))
	case len(pairs) == 0:
		checks = append(checks, failed("shapes", "the adapter holds not one matrix"))
	default:
		checks = append(checks, passed("shapes", "%s", describe(pairs, b)))
	}
	return pairs, checks
}

const projectionNames = "q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj"

// target is the base's matrix that a module is, empty for none.
func (l *layout) target(module string) string {
	rest, ok := strings.CutPrefix(module, "model.layers.")
	layer, what, cut := strings.Cut(rest, ".")
	if n, err := strconv.Atoi(layer); !ok || !cut || err != nil || strconv.Itoa(n) != layer || n < 0 {
		return ""
	}
	for ours, theirs := range projections {
		if theirs == what {
			return "blk." + layer + "." + ours + ".weight"
		}
	}
	return ""
}

// fit compares a pair with the base and the configuration, and finds its alpha.
func (a *Adapter) fit(p *pair, b *Base) error {
	if p.a.from == nil || p.b.from == nil {
		return fmt.Errorf("%s has only one of lora_A and lora_B", p.module)
	}
	for _, s := range []*Stored{p.a.from, p.b.from} {
		if len(s.Shape) != 2 || s.Shape[0] == 0 || s.Shape[1] == 0 {
			return fmt.Errorf("%s has the shape %v, which is no matrix", s.Name, s.Shape)
		}
		if err := s.check(); err != nil {
			return err
		}
	}
	want := b.shapes[p.name]
	if want == nil {
		if p.layer >= b.Layers {
			return fmt.Errorf("%s is in layer %d, and the base has layers 0 to %d", p.module, p.layer, b.Layers-1)
		}
		return fmt.Errorf("the base has no %s, which %s would change", p.name, p.module)
	}
	rank := p.a.from.Shape[0]
	switch {
	case len(want) != 2 || p.a.from.Shape[1] != want[0] || p.b.from.Shape[0] != want[1]:
		return fmt.Errorf("%s takes %d to %d, and the base's %s has the shape %v", p.module, p.a.from.Shape[1], p.b.from.Shape[0], p.name, want)
	case p.b.from.Shape[1] != rank:
		return fmt.Errorf("%s has lora_A of rank %d and lora_B of rank %d", p.module, rank, p.b.from.Shape[1])
	}
	if err := p.b.check(); err != nil {
		return err
	}
	said, err := a.config.rank(p.module)
	if err != nil {
		return err
	}
	if said != int(rank) {
		return fmt.Errorf("%s has the rank %d, and adapter_config.json says %d", p.module, rank, said)
	}
	scale, err := a.config.scale(p.module, said)
	if err != nil {
		return err
	}
	p.alpha = scale * float64(rank)
	if !(p.alpha > 0) || math.IsInf(float64(float32(p.alpha)), 0) {
		return fmt.Errorf("%s has the scale %g, which is none", p.module, scale)
	}
	return nil
}

// checkConfig says what of the configuration a GGUF cannot say.
func (a *Adapter) checkConfig() Check {
	if len(a.config.refused) > 0 {
		return failed("adapter_config", "%s; %s", strings.Join(a.config.refused, "; "), mergeRemedy)
	}
	said := "a plain LoRA"
	if a.config.Root {
		said = "a LoRA scaled by the root of its rank (rsLoRA)"
	}
	if len(a.config.Ranks)+len(a.config.Alphas) > 0 {
		said += ", with ranks or alphas of their own for some modules"
	}
	return passed("adapter_config", "%s", said)
}

// checkOne says whether it is one adapter.
func (a *Adapter) checkOne() Check {
	var named []string
	for _, name := range a.weights.names() {
		if m := ofLoRA.FindStringSubmatch(name); m != nil && m[3] != "" && !slices.Contains(named, m[3]) {
			named = append(named, m[3])
		}
	}
	if len(named) > 1 {
		return failed("one adapter", "the file holds the adapters %s, and a model can have one: save one alone", listed(named))
	}
	return passed("one adapter", "one")
}

// describe says what the pairs are.
func describe(pairs []*pair, b *Base) string {
	layers, ranks, modules := map[int]bool{}, map[uint64]bool{}, map[string]bool{}
	for _, p := range pairs {
		layers[p.layer] = true
		ranks[p.a.from.Shape[0]] = true
		modules[p.module[strings.LastIndex(p.module, ".")+1:]] = true
	}
	return fmt.Sprintf("%d pairs of rank %s on %s in %d of %d layers fit the base",
		len(pairs), strings.Trim(fmt.Sprint(slices.Sorted(maps.Keys(ranks))), "[]"), strings.Join(slices.Sorted(maps.Keys(modules)), ", "), len(layers), b.Layers)
}
