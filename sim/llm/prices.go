package llm

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"parley/characters/yamlfile"
)

// Prices is what models cost, from a user's file:
//
//	currency: USD
//	models:
//	  openai:gpt-4.1-mini: {input: 0.40, cached: 0.10, output: 1.60}
//	  gpt-4.1-2025-04-14: {input: 2.00, cached: 0.50, output: 8.00, training: 25.00}
//
// A model is named as the user writes it, options and address included, or as its server names it;
// the first goes before the second. Prices are for a million tokens. Without cached, prompt tokens
// read from a cache cost what all others do. A model that costs nothing has to be listed with
// zeros: one that is not listed has an unknown cost. Training is optional: it is for a million tokens
// that a fine-tuning of the model goes through, each epoch counted.
type Prices struct {
	Currency string
	Models   map[string]Price
}

// Price is for a million tokens.
type Price struct {
	Input  float64 // of the prompt
	Cached float64 // of the prompt, read from a cache
	Output float64 // of the reply, reasoning included

	Training *float64 // of what a fine-tuning goes through; nil: not said, and so unknown
}

// ReadPrices reads a price file. Its errors name the file and the line.
func ReadPrices(r io.Reader, file string) (*Prices, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read prices: %w", err)
	}
	var doc PriceFile
	if err := yamlfile.Value(data, file, &doc); err != nil {
		return nil, err
	}
	p := &Prices{Currency: doc.Currency, Models: make(map[string]Price, len(doc.Models))}
	for name, m := range doc.Models {
		p.Models[name], _ = m.price()
	}
	return p, nil
}

// PriceFile is a file of prices.
type PriceFile struct {
	Currency string                `yaml:"currency" doc:"required; such as USD"`
	Models   map[string]pricedYAML `yaml:"models" doc:"required; prices of a million tokens, by model as it is written in flags, or as its server names it"`
}

// Problems reports what is missing and prices that are none.
func (f *PriceFile) Problems() (list []yamlfile.Problem) {
	if f.Currency == "" {
		list = append(list, yamlfile.Problem{Path: "currency", Text: "missing; write currency: USD, or another"})
	}
	if len(f.Models) == 0 {
		list = append(list, yamlfile.Problem{Path: "models", Text: "missing; write models:, and below it a price for each"})
	}
	for _, name := range slices.Sorted(maps.Keys(f.Models)) {
		m := f.Models[name]
		if _, why := m.price(); why != "" {
			list = append(list, yamlfile.Problem{Path: "models." + name, Text: why})
		}
	}
	return list
}

// pricedYAML is a price in a file.
type pricedYAML struct {
	Input    *float64 `yaml:"input" doc:"required; of the prompt"`
	Cached   *float64 `yaml:"cached" doc:"of the prompt, read from a cache; as input where it is left out"`
	Output   *float64 `yaml:"output" doc:"required; of the reply, reasoning included"`
	Training *float64 `yaml:"training" doc:"of what a fine-tuning goes through, each epoch counted"`
}

func (m *pricedYAML) price() (p Price, why string) {
	if m.Input == nil || m.Output == nil {
		return p, "input and output are both needed, for a million tokens; write 0 for what is free"
	}
	p = Price{Input: *m.Input, Cached: *m.Input, Output: *m.Output, Training: m.Training}
	if m.Cached != nil {
		p.Cached = *m.Cached
	}
	all := []float64{p.Input, p.Cached, p.Output}
	if p.Training != nil {
		all = append(all, *p.Training)
	}
	for _, v := range all {
		if !(v >= 0) || math.IsInf(v, 0) {
			return p, fmt.Sprintf("a price is %v, it has to be 0 or more", v)
		}
	}
	return p, ""
}

// uncounted is why a call with a known price has no known cost.
const uncounted = "the server did not count the tokens"

// Of returns the price of a model by its two names, the first with and without its options, or why there is none.
func (p *Prices) Of(model, served string) (price Price, unknown string) {
	if p == nil {
		return Price{}, "no price file"
	}
	bare, options, _ := strings.Cut(model, "?")
	if i := strings.IndexByte(options, '@'); i >= 0 {
		bare += options[i:]
	}
	for _, name := range []string{model, bare, served} {
		if price, ok := p.Models[name]; ok {
			return price, ""
		}
	}
	return Price{}, "no price for " + model
}

// TrainingOf returns the price of training a model for a million tokens, or why there is none. Of the
// names that the model may go by the first that is listed with such a price counts.
func (p *Prices) TrainingOf(names ...string) (price float64, unknown string) {
	if p == nil {
		return 0, "no price file"
	}
	listed := false
	for _, name := range names {
		m, ok := p.Models[name]
		if ok && m.Training != nil {
			return *m.Training, ""
		}
		listed = listed || ok
	}
	switch {
	case len(names) == 0:
		return 0, "no price for training"
	case listed:
		return 0, "no price for training " + names[0] + "; add training: to its prices"
	}
	return 0, "no price for " + names[0]
}

// of returns what the tokens cost; cached ones are part of the prompt's.
func (p Price) of(prompt, cached, output int64) float64 {
	return (p.Input*float64(prompt-cached) + p.Cached*float64(cached) + p.Output*float64(output)) / 1e6
}
