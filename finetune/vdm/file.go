package vdm

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"parley/characters"
)

const (
	kind          = "parley linear virtual DM"
	formatVersion = 2
	maxFile       = 2 << 30 // bytes of JSON
)

// saved is a linear virtual DM in a file: JSON, compressed by gzip, whose checksum tells damage.
type saved struct {
	Kind    string             `json:"kind"`
	Version int                `json:"version"`
	About   About              `json:"about"`
	Limits  limits             `json:"thresholds"`
	Skills  []characters.Skill `json:"skills"` // in the order of the classes
	Actor   *head              `json:"actor"`
	Skill   *head              `json:"skill"`
}

// check sets how many classes a head has that was read, and compares its numbers with that.
func (h *head) check(classes, hints int) error {
	if h == nil || len(h.IDF) != len(h.Keys) || len(h.Weights) != len(h.Keys)*classes || len(h.Bias) != classes || len(h.Hint) != hints {
		return errors.New("the numbers are not as many as those of a virtual DM")
	}
	for i := 1; i < len(h.Keys); i++ {
		if h.Keys[i-1] >= h.Keys[i] {
			return errors.New("the numbers are not those of a virtual DM: keys out of order")
		}
	}
	h.classes = classes
	return nil
}

// Save writes the virtual DM to w. The same virtual DM makes the same bytes.
func (l *Linear) Save(w io.Writer) error {
	out := gzip.NewWriter(w)
	err := json.NewEncoder(out).Encode(saved{
		Kind: kind, Version: formatVersion, About: l.About(), Limits: l.limits, Skills: characters.Skills(), Actor: l.actor, Skill: l.skill,
	})
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("save a virtual DM: %w", err)
	}
	return nil
}

// Load reads what Save wrote. Anything else is an error that says what is wrong with it.
func Load(r io.Reader) (*Linear, error) {
	l, err := load(r)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the file is cut off")
	case errors.Is(err, gzip.ErrChecksum):
		err = errors.New("the file is damaged: it does not have its checksum")
	}
	if err != nil {
		return nil, fmt.Errorf("load a virtual DM: %w", err)
	}
	return l, nil
}

func load(r io.Reader) (*Linear, error) {
	in, err := gzip.NewReader(r)
	if err != nil {
		return nil, errors.New("this is not a file of parley finetune train, or one of an earlier version: train anew")
	}
	var s saved
	dec := json.NewDecoder(io.LimitReader(in, maxFile))
	if err := dec.Decode(&s); err != nil {
		return nil, err
	}
	switch _, end := dec.Token(); {
	case end != io.EOF && errors.Is(end, gzip.ErrHeader), end == nil:
		return nil, errors.New("something stands behind the virtual DM")
	case end != io.EOF:
		return nil, end
	case s.Kind != kind:
		return nil, errors.New("this is not a file of parley finetune train")
	case s.Version != formatVersion:
		return nil, fmt.Errorf("the file is of version %d, and this parley reads version %d: train anew", s.Version, formatVersion)
	case !slices.Equal(s.Skills, characters.Skills()):
		return nil, errors.New("the file lists other skills than the 18 that this parley knows: train anew")
	case !s.Limits.sound():
		return nil, errors.New("the file holds a threshold that is no probability")
	}
	err = cmp.Or(s.Actor.check(1, 0), s.Skill.check(skills, hints))
	return &Linear{actor: s.Actor, skill: s.Skill, limits: s.Limits, about: s.About}, err
}

func (l limits) sound() bool {
	for _, p := range []float32{l.Beside, l.Alone, l.Second} {
		if !(p >= 0 && p <= 1) {
			return false
		}
	}
	return true
}
