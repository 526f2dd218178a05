package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"parley/characters"
	"parley/eval/run"
	"parley/scenarios"
	"parley/sim"
)

// material is what scenarios are drawn from.
type material struct {
	sheets []*characters.Sheet // nil: drawn anew for every session
	pieces []scenarios.Piece
}

// load reads the files that scenarios are drawn from. Characters that may meet have different ids and names,
// whichever files they are from.
func (c *Config) load(open func(path string) ([]byte, error)) (*material, error) {
	read := func(name string) (io.ReadCloser, error) {
		data, err := open(name)
		return io.NopCloser(bytes.NewReader(data)), err
	}
	pieces, wrong := c.kind().Load(c.files(), read)
	sheets, err := characters.Load(c.Characters, read)
	m := &material{sheets, pieces}
	err = errors.Join(wrong, err)
	if err == nil && m.sheets != nil && len(m.sheets) < c.Players+1 {
		err = run.Usagef("characters: %d for a cast of %d", len(m.sheets), c.Players+1)
	}
	return m, err
}

// seed returns the seed of the i-th session, the same for every arm.
func (c *Config) seed(i int) uint64 { return sim.Mix(c.Seed, uint64(i)) }

// scenario makes the situation of the i-th session, the same for every arm. Every piece is played once before
// any is played again.
func (c *Config) scenario(m *material, i int) *scenarios.Scenario {
	seed := c.seed(i)
	r := sim.Rand(sim.Mix(seed, sim.HashText("cast")))
	var cast []*characters.Sheet
	if m.sheets == nil {
		cast = characters.Generate(r, c.Players+1)
	} else {
		for _, at := range r.Perm(len(m.sheets))[:c.Players+1] {
			cast = append(cast, m.sheets[at])
		}
	}
	n := len(m.pieces)
	round := sim.Rand(sim.Mix(c.Seed, sim.HashText("stage"), uint64(i/n)))
	return m.pieces[round.Perm(n)[i%n]].Scenario(cast, sim.Rand(sim.Mix(seed, sim.HashText("aims"))))
}

// sample returns scenarios with which prompts become as long as the run's can: the first hundred, and one of
// the largest pieces and sheets that there are.
func (c *Config) sample(m *material) ([]*scenarios.Scenario, error) {
	var all []*scenarios.Scenario
	for i := range min(c.Sessions, 100) {
		all = append(all, c.scenario(m, i))
	}
	sheets, err := largest(m.sheets, c.Players+1)
	if err != nil {
		return nil, err
	}
	pieces, err := largest(m.pieces, 1)
	if err != nil {
		return nil, err
	}
	return append(all, c.scenario(&material{sheets, pieces}, 0)), nil
}

// largest returns the n longest values of a list, as JSON; nil where there is no list.
func largest[T any](list []T, n int) ([]T, error) {
	size := make([]int, len(list))
	order := make([]int, len(list))
	for i := range list {
		text, err := json.Marshal(list[i])
		if err != nil {
			return nil, err
		}
		size[i], order[i] = len(text), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return size[b] - size[a] })
	var most []T
	for _, i := range order[:min(n, len(list))] {
		most = append(most, list[i])
	}
	return most, nil
}
