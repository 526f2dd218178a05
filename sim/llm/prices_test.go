package llm_test

import (
	"strings"
	"testing"

	"parley/sim/llm"
)

func TestPrices(t *testing.T) {
	p := prices(t, priceFile)
	u := func(prompt, cached, completion int) llm.Usage {
		return llm.Usage{Prompt: count(prompt), Cached: count(cached), Completion: count(completion)}
	}
	for _, test := range []struct {
		model, served string
		usage         llm.Usage
		cost          float64
		unknown       string
	}{
		{model: "openai:big", usage: u(1_000_000, 0, 0), cost: 2},
		{model: "openai:big", usage: u(1_000_000, 1_000_000, 0), cost: 0.5},
		{model: "openai:big", usage: u(0, 0, 1_000_000), cost: 8},
		{model: "openai:big", served: "small-2025", usage: u(1_000_000, 0, 0), cost: 2},
		{model: "openai:small", served: "small-2025", usage: u(1_000_000, 500_000, 1_000_000), cost: 5},
		{model: "openai:big", usage: llm.Usage{Prompt: count(1_000_000), Completion: count(0)}, cost: 2},
		{model: "openai:big", usage: u(1_000_000, 2_000_000, 0), cost: 0.5},
		{model: "ollama:free", usage: u(5, 0, 5), cost: 0},
		{model: "openai:small", served: "small-2026", usage: u(5, 0, 5), unknown: "no price for openai:small"},
		{model: "openai:big?timeout=9s", usage: u(1_000_000, 0, 0), cost: 2},
		{model: "openai:big?timeout=9s@http://localhost/v1", usage: u(5, 0, 5), unknown: "no price for openai:big?timeout=9s@http://localhost/v1"},
		{model: "openai:big@http://localhost/v1", usage: u(5, 0, 5), unknown: "no price for openai:big@http://localhost/v1"},
		{model: "openai:big", usage: llm.Usage{Completion: count(5)}, unknown: "the server did not count the tokens"},
		{model: "openai:big", usage: llm.Usage{Prompt: count(5)}, unknown: "the server did not count the tokens"},
	} {
		cost, unknown := costOf(p, test.model, test.served, test.usage)
		if cost != test.cost || unknown != test.unknown {
			t.Errorf("%s (%s): cost is %v, unknown as %q; want %v, %q", test.model, test.served, cost, unknown, test.cost, test.unknown)
		}
	}
	if _, unknown := costOf(nil, "openai:big", "", u(1, 0, 1)); unknown != "no price file" {
		t.Errorf("without prices the cost is unknown as %q", unknown)
	}
}

func TestTrainingPrices(t *testing.T) {
	p := prices(t, "currency: EUR\nmodels:\n  openai:a: {input: 1, output: 2}\n  a: {input: 1, output: 2, training: 25}\n  b: {input: 0, output: 0, training: 0}\n")
	for _, test := range []struct {
		names   []string
		price   float64
		unknown string
	}{
		{names: []string{"openai:a", "a"}, price: 25},
		{names: []string{"b"}, price: 0},
		{names: []string{"openai:a"}, unknown: "no price for training openai:a; add training: to its prices"},
		{names: []string{"c"}, unknown: "no price for c"},
		{unknown: "no price for training"},
	} {
		price, unknown := p.TrainingOf(test.names...)
		if price != test.price || unknown != test.unknown {
			t.Errorf("%q: price is %v, unknown as %q; want %v, %q", test.names, price, unknown, test.price, test.unknown)
		}
	}
	if _, unknown := (*llm.Prices)(nil).TrainingOf("a"); unknown != "no price file" {
		t.Errorf("without prices the price is unknown as %q", unknown)
	}
}

func TestReadPricesErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "p.yaml:1: the file is empty",
		"currency: USD\n":                 "p.yaml:1: models: missing",
		"models:\n  a: {input: 1}\n":      "p.yaml:1: currency: missing",
		"currency: USD\nmodel: {}\n":      "p.yaml:2: unknown field",
		"currency: USD\nmodels: [a, b]\n": "p.yaml:2: ",
		"currency: USD\nmodels:\n  a:\n    input: 1\n    out: 2\n":                          "p.yaml:5: unknown field",
		"currency: USD\nmodels:\n  a:\n    input: 1\n":                                      "p.yaml:3: models.a: input and output are both needed",
		"currency: USD\nmodels:\n  a: {input: 1, output: 2}\n  b: {input: 1, output: -2}\n": "p.yaml:4: models.b: a price is -2",
		"currency: USD\nmodels:\n  a: {input: .inf, output: 2}\n":                           "p.yaml:3: models.a.input: no finite number",
		"currency: USD\nmodels:\n  a: {input: 1, output: 2, training: -1}\n":                "p.yaml:3: models.a: a price is -1",
		"currency: USD\nmodels:\n  a: {training: 3}\n":                                      "p.yaml:3: models.a: input and output are both needed",
		"currency: USD\nmodels:\n  a: {input: one, output: 2}\n":                            "p.yaml:3: ",
		"currency: USD\nmodels:\n  a: {input: 1, output: 2}\n  a: {input: 1, output: 2}\n":  "p.yaml:4: ",
		"currency: USD\nmodels:\n  a: {input: 1, output: 2}\n---\ncurrency: EUR\n":          "p.yaml:5: a second YAML document",
		"currency: USD\nmodels:\n  a: {input: 1, output: 2\n":                               "p.yaml:",
		"currency: USD\nmodels:\n  a: ~\n":                                                  "p.yaml:",
		"currency: USD\nmodels:\n  a: 3\n":                                                  "p.yaml:3: ",
	} {
		_, err := llm.ReadPrices(strings.NewReader(text), "p.yaml")
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error is %v, want %q", text, err, want)
		}
	}
}

func FuzzReadPrices(f *testing.F) {
	f.Add(priceFile)
	f.Add("currency: USD\nmodels:\n  a: &x {input: 1, output: 2}\n  b: *x\n")
	f.Add("? - 1\n: {a: [")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := llm.ReadPrices(strings.NewReader(text), "p.yaml")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "p.yaml:") {
				t.Errorf("error does not name the file: %v", err)
			}
			return
		}
		for name := range p.Models {
			if cost, unknown := costOf(p, name, "", llm.Usage{Prompt: count(1000), Completion: count(1000)}); unknown != "" || !(cost >= 0) {
				t.Errorf("%q costs %v, unknown as %q", name, cost, unknown)
			}
		}
	})
}

// costOf returns what one call costs.
func costOf(p *llm.Prices, model, served string, u llm.Usage) (cost float64, unknown string) {
	meter := llm.NewMeter()
	meter.Add(llm.Call{Model: model, Served: served, Finish: llm.Stop, Tokens: u.Prompt, Cached: u.Cached, Output: u.Completion})
	total := meter.Tally(p).Total().Cost
	for unknown := range total.Unknown {
		return 0, unknown
	}
	return *total.Amount, ""
}
