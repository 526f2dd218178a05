package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"parley/characters"
	"parley/scenarios"
)

// newStage reads the files that scenarios are drawn from. The libraries wait until they are needed.
// Characters that may sit at one table have different IDs and names, whichever files they are from.
func newStage(m *manifest) (*stage, error) {
	e, st := m.Experiment, &stage{}
	var errs []error
	read := func(files []string, each func(r io.Reader, file string) error) {
		for _, file := range files {
			data, err := m.read(file)
			if err == nil {
				err = each(bytes.NewReader(data), file)
			}
			errs = append(errs, err)
		}
	}
	var err error
	st.pieces, err = e.kind().Load(e.files(), func(name string) (io.ReadCloser, error) {
		data, err := m.read(name)
		return io.NopCloser(bytes.NewReader(data)), err
	})
	errs = append(errs, err)
	from := map[string]string{} // ID or folded name -> file
	add := func(sheets []*characters.Sheet, file string) error {
		for _, s := range sheets {
			name := cmp.Or(string(characters.Slug(s.Name)), strings.ToLower(s.Name)) // without a Latin letter
			for _, key := range []string{"id " + string(s.ID), "name " + name} {
				if other, taken := from[key]; taken {
					return fmt.Errorf("characters: %s and %s both have somebody of the %s: keep one of the two", other, file, key)
				}
				from[key] = file
			}
		}
		st.sheets = append(st.sheets, sheets...)
		return nil
	}
	for _, name := range e.Characters {
		if name == "library" {
			errs = append(errs, add(characters.Library(), name))
			continue
		}
		read([]string{name}, func(r io.Reader, file string) error {
			sheets, err := characters.Read(r, file)
			if err != nil {
				return err
			}
			return add(sheets, file)
		})
	}
	err = errors.Join(errs...)
	if err == nil && st.sheets != nil && len(st.sheets) < e.Players+1 {
		err = usagef("characters: %d for a cast of %d", len(st.sheets), e.Players+1)
	}
	return st, err
}

// sample returns scenarios with which prompts become as long as the run's can: the first hundred, and
// one of the largest pieces and sheets that there are.
func (e *Experiment) sample(st *stage) ([]*scenarios.Scenario, error) {
	var all []*scenarios.Scenario
	for i := range min(e.Sessions, 100) {
		all = append(all, e.scenario(st, i))
	}
	sheets, err := largest(st.sheets, e.Players+1)
	if err != nil {
		return nil, err
	}
	pieces, err := largest(st.pieces, 1)
	if err != nil {
		return nil, err
	}
	return append(all, e.scenario(&stage{sheets, pieces}, 0)), nil
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
