package gguf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// peft is PEFT's adapter_config.json.
type peft struct {
	Kind   string      `json:"peft_type"`
	Base   string      `json:"base_model_name_or_path"`
	Rank   int         `json:"r"`
	Alpha  json.Number `json:"lora_alpha"`
	Root   bool        `json:"use_rslora"`
	Bias   string      `json:"bias"`
	Ranks  patterns    `json:"rank_pattern"`
	Alphas patterns    `json:"alpha_pattern"`
	Init   any         `json:"init_lora_weights"`

	refused []string // settings that no GGUF can hold
	alpha   float64
}

// What a LoRA can be that a GGUF adapter cannot say, and why.
var refusals = []struct{ key, why string }{
	{"use_dora", "it is a DoRA, whose magnitudes a GGUF adapter cannot hold"},
	{"use_qalora", "it is a QA-LoRA, which pools its inputs"},
	{"modules_to_save", "whole modules were trained beside it (modules_to_save), which a GGUF adapter cannot hold"},
	{"trainable_token_indices", "embeddings of tokens were trained beside it, which a GGUF adapter cannot hold"},
	{"layer_replication", "it copies layers of the base"},
	{"fan_in_fan_out", "its matrices are turned (fan_in_fan_out)"},
	{"lora_bias", "its lora_B have biases"},
	{"target_parameters", "it changes parameters that are no linear layers (target_parameters)"},
	{"alora_invocation_tokens", "it is an aLoRA, active only after certain tokens"},
	{"megatron_config", "it is of Megatron's parallel layers"},
	{"arrow_config", "it is a mixture of adapters (Arrow)"},
}

// Ways to begin a LoRA that change the base itself, so that the adapter fits only the changed one.
var changesBase = []string{"pissa", "olora", "loftq", "corda", "lora_ga"}

const mergeRemedy = "merge it into the model (merge_and_unload) and serve that with --merged"

// readPEFT reads the adapter_config.json of a directory.
func readPEFT(dir string) (*peft, error) {
	path := filepath.Join(dir, "adapter_config.json")
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		if below, _ := filepath.Glob(filepath.Join(dir, "*", "adapter_config.json")); len(below) > 0 {
			for i := range below {
				below[i] = filepath.Dir(below[i])
			}
			return nil, fmt.Errorf("there is no adapter_config.json in %s; there are adapters in %s", dir, listed(below))
		}
		if _, whole := os.Stat(filepath.Join(dir, "config.json")); whole == nil {
			return nil, fmt.Errorf("there is no adapter_config.json in %s: is it a whole model? then serve it with --merged", dir)
		}
	}
	if err != nil {
		return nil, err
	}
	p := &peft{}
	all := map[string]json.RawMessage{}
	if err := errors.Join(json.Unmarshal(raw, &all), json.Unmarshal(raw, p)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if !strings.EqualFold(p.Kind, "LORA") {
		p.refused = append(p.refused, fmt.Sprintf("it is of the kind %q, and only LORA has a GGUF form", p.Kind))
	}
	for _, r := range refusals {
		if says(all[r.key]) {
			p.refused = append(p.refused, r.why)
		}
		delete(all, r.key)
	}
	for _, key := range slices.Sorted(maps.Keys(all)) { // what PEFT may have learned since
		if strings.HasPrefix(key, "use_") && key != "use_rslora" && says(all[key]) {
			p.refused = append(p.refused, fmt.Sprintf("it is of a kind that is not known here (%q)", key))
		}
	}
	if p.Bias != "" && p.Bias != "none" {
		p.refused = append(p.refused, fmt.Sprintf("biases of the base were trained beside it (bias: %q)", p.Bias))
	}
	if init, ok := p.Init.(string); ok {
		for _, way := range changesBase {
			if strings.HasPrefix(strings.ToLower(init), way) {
				p.refused = append(p.refused, fmt.Sprintf("it was begun with %s, which changes the base: save it as a plain LoRA (path_initial_model_for_weight_conversion)", init))
			}
		}
	}
	return p, nil
}

// says tells whether a setting is there and says anything.
func says(raw json.RawMessage) bool {
	switch string(bytes.ReplaceAll(raw, []byte(" "), nil)) {
	case "", "null", "false", "[]", "{}", `""`:
		return false
	}
	return true
}

// checkAlpha reads lora_alpha. PEFT declares a whole number, and so does Ollama's own reader, which
// does not even take 16.0; as the GGUF keeps it as a float32, 16.0 is right here.
func (p *peft) checkAlpha() Check {
	const name = "lora_alpha"
	v, err := p.Alpha.Float64()
	switch {
	case p.Alpha == "":
		return failed(name, "adapter_config.json does not give it")
	case err != nil || v != math.Trunc(v):
		return failed(name, "is %s, and has to be a whole number: correct adapter_config.json", p.Alpha)
	case v == 0:
		return failed(name, "is 0: the adapter does nothing, and llama.cpp would read the 0 as no scale at all")
	case v < 0 || v > 1<<24:
		return failed(name, "is %s, which is no scale", p.Alpha)
	}
	p.alpha = v
	if strings.ContainsAny(p.Alpha.String(), ".eE") {
		return passed(name, "%g (written %s, which Ollama's own reader refuses; the GGUF made here keeps it as a float all the same)", v, p.Alpha)
	}
	return passed(name, "%g", v)
}

// scale returns the factor of the product of a module's matrices of a rank. The module is named as
// PEFT does, such as model.layers.0.self_attn.q_proj.
func (p *peft) scale(module string, rank int) (float64, error) {
	alpha := p.alpha
	if v, ok, err := p.Alphas.of(module); err != nil {
		return 0, fmt.Errorf("alpha_pattern: %w", err)
	} else if ok {
		alpha = v
	}
	if p.Root {
		return alpha / math.Sqrt(float64(rank)), nil
	}
	return alpha / float64(rank), nil
}

// rank is a module's, as the configuration has it.
func (p *peft) rank(module string) (int, error) {
	v, ok, err := p.Ranks.of(module)
	if err != nil {
		return 0, fmt.Errorf("rank_pattern: %w", err)
	}
	if ok {
		return int(v), nil
	}
	return p.Rank, nil
}

// patterns are values of modules that a regular expression matches, of which the first that does
// counts; so their order, which a map would lose, is kept.
type patterns []pattern

type pattern struct {
	expr  string
	value float64
	re    *regexp.Regexp
}

func (p *patterns) UnmarshalJSON(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	t, err := dec.Token()
	if err != nil || t == nil {
		return err
	}
	if t != json.Delim('{') {
		return fmt.Errorf("a pattern is no object but %v", t)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		var v float64
		if err := dec.Decode(&v); err != nil {
			return fmt.Errorf("pattern %v: %w", key, err)
		}
		*p = append(*p, pattern{expr: key.(string), value: v})
	}
	return nil
}

// of returns the value of the first pattern that matches the end of a module's name, as PEFT does it.
func (p patterns) of(module string) (float64, bool, error) {
	for i := range p {
		if p[i].re == nil {
			re, err := regexp.Compile(`^(.*\.)?(` + p[i].expr + `)$`)
			if err != nil {
				return 0, false, fmt.Errorf("the pattern %q is none that is understood here: %w; %s", p[i].expr, err, mergeRemedy)
			}
			p[i].re = re
		}
		if p[i].re.MatchString(module) {
			return p[i].value, true, nil
		}
	}
	return 0, false, nil
}
