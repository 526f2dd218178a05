package vdm

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"parley/characters"
)

// magic is the first line of the file of a linear virtual DM. The manifest follows, one line of JSON,
// and then the numbers, little-endian: for each head its keys, rarities, weights, biases and hints.
const (
	magic         = "parley linear virtual DM"
	formatVersion = 1
)

// manifest says what the rest of a file holds.
type manifest struct {
	Version int                `json:"version"`
	About   About              `json:"about"`
	Limits  limits             `json:"thresholds"`
	Skills  []characters.Skill `json:"skills"` // in the order of the classes
	Actor   int                `json:"actor_features"`
	Skill   int                `json:"skill_features"`
	SHA256  string             `json:"sha256"` // of the numbers
}

const (
	maxManifest = 1 << 16 // bytes
	maxFeatures = 1 << 23 // of a head; hashes are drawn from 2^32
)

// Save writes the virtual DM to w. The same virtual DM makes the same bytes.
func (l *Linear) Save(w io.Writer) error {
	var body bytes.Buffer
	for _, h := range []*head{l.actor, l.skill} {
		for _, part := range h.parts() {
			if err := binary.Write(&body, binary.LittleEndian, part); err != nil {
				return fmt.Errorf("save a virtual DM: %w", err)
			}
		}
	}
	sum := sha256.Sum256(body.Bytes())
	line, err := json.Marshal(manifest{
		Version: formatVersion, About: l.About(), Limits: l.limits, Skills: characters.Skills(),
		Actor: len(l.actor.keys), Skill: len(l.skill.keys), SHA256: hex.EncodeToString(sum[:]),
	})
	if err != nil {
		return fmt.Errorf("save a virtual DM: %w", err)
	}
	if _, err = fmt.Fprintf(w, "%s\n%s\n", magic, line); err == nil {
		_, err = body.WriteTo(w)
	}
	if err != nil {
		return fmt.Errorf("save a virtual DM: %w", err)
	}
	return nil
}

func (h *head) parts() []any { return []any{h.keys, h.idf, h.weights, h.bias, h.hint} }

// blank makes a head of the shape that a file states.
func blank(classes, features, hints int) *head {
	return &head{
		classes: classes, keys: make([]uint32, features), idf: make([]float32, features),
		weights: make([]float32, features*classes), bias: make([]float32, classes), hint: make([]float32, hints),
	}
}

// size is how many bytes the numbers of a head take.
func size(classes, features, hints int) int {
	return 4 * (2*features + features*classes + classes + hints)
}

// Load reads what Save wrote. Anything else is an error that says what is wrong with it.
func Load(r io.Reader) (*Linear, error) {
	l, err := load(bufio.NewReader(r))
	if err != nil {
		return nil, fmt.Errorf("load a virtual DM: %w", err)
	}
	return l, nil
}

func load(in *bufio.Reader) (*Linear, error) {
	first, err := line(in, len(magic)+1)
	if err != nil || string(first) != magic {
		return nil, fmt.Errorf("this is not a file of parley finetune train: its first line is not %q", magic)
	}
	text, err := line(in, maxManifest)
	if err != nil {
		return nil, fmt.Errorf("the manifest on line 2: %w", err)
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("the manifest on line 2: %w", err)
	}
	switch {
	case m.Version != formatVersion:
		return nil, fmt.Errorf("the file is of version %d, and this parley reads version %d: train anew", m.Version, formatVersion)
	case !slices.Equal(m.Skills, characters.Skills()):
		return nil, errors.New("the manifest lists other skills than the 18 that this parley knows: train anew")
	case m.Actor < 0 || m.Skill < 0 || m.Actor > maxFeatures || m.Skill > maxFeatures:
		return nil, fmt.Errorf("the manifest states %d and %d features, which cannot be", m.Actor, m.Skill)
	case !m.Limits.sound():
		return nil, errors.New("the manifest holds a threshold that is no probability")
	}
	want := size(1, m.Actor, 0) + size(skills, m.Skill, hints)
	body, err := io.ReadAll(io.LimitReader(in, int64(want)+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) < want:
		return nil, fmt.Errorf("the file is cut off: %d of %d bytes of numbers are there", len(body), want)
	case len(body) > want:
		return nil, fmt.Errorf("something stands behind the %d bytes of numbers", want)
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != m.SHA256 {
		return nil, errors.New("the numbers do not have the checksum that the manifest states: the file is damaged")
	}
	l := &Linear{actor: blank(1, m.Actor, 0), skill: blank(skills, m.Skill, hints), limits: m.Limits, about: m.About}
	for _, h := range []*head{l.actor, l.skill} {
		for _, part := range h.parts() {
			n, err := binary.Decode(body, binary.LittleEndian, part)
			if err != nil {
				return nil, err
			}
			body = body[n:]
		}
		if !h.sound() {
			return nil, errors.New("the numbers are not those of a virtual DM: keys out of order, or a weight that is no number")
		}
	}
	return l, nil
}

// line reads a line of at most n bytes and returns it without its end.
func line(in *bufio.Reader, n int) ([]byte, error) {
	var out []byte
	for {
		c, err := in.ReadByte()
		switch {
		case err == io.EOF:
			return nil, errors.New("the file ends within it")
		case err != nil:
			return nil, err
		case c == '\n':
			return out, nil
		case len(out) == n:
			return nil, fmt.Errorf("it is longer than %d bytes", n)
		}
		out = append(out, c)
	}
}

func (l limits) sound() bool {
	for _, p := range []float32{l.Beside, l.Alone, l.Second} {
		if !(p >= 0 && p <= 1) {
			return false
		}
	}
	return true
}

func (h *head) sound() bool {
	for i := 1; i < len(h.keys); i++ {
		if h.keys[i-1] >= h.keys[i] {
			return false
		}
	}
	for _, part := range [][]float32{h.idf, h.weights, h.bias, h.hint} {
		for _, w := range part {
			if math.IsNaN(float64(w)) || math.IsInf(float64(w), 0) {
				return false
			}
		}
	}
	return true
}
