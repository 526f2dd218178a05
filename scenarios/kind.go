package scenarios

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/characters"
	"parley/characters/yamlfile"
)

// kinds is the registry: a kind of scenario is one file that defines a *Kind, and one line here. The first is
// played where an experiment names none.
var kinds = []*Kind{
	Exchange,
	Expression,
	Negotiation,
}

// Kind is a kind of scenario: what its scenarios are made of, who plays and how they are scored where
// an experiment says nothing else. Packages that play and score ask the kind; they do not compare it.
type Kind struct {
	Name  string // in files, tables and flags: "exchange"
	Title string // in sentences: "information exchange"

	Piece  string       // what one scenario is made of: "scene"
	Pieces string       // several of them; also the folder of the library and the name of their JSON schema
	New    func() Piece // an empty piece: a pointer to a struct with yaml tags, to be decoded into
	// Words lists what keys of a piece that take one of a few words may be, by their paths, such as "facts.aspect".
	Words map[string][]string
	// Generate has a model write a piece about a topic (empty: drawn) whose title is none of those
	// taken; nil where pieces are only written by hand. See WriteKnowledge.
	Generate func(ctx context.Context, w characters.Writer, r *rand.Rand, topic string, taken []string) (Piece, error)

	Scorers    []string // names of the scorers of its sessions; none: sessions are played and not scored
	Controls   []string // debriefs that mean something besides the real one
	Intentions bool     // Scenario.Intentions are set: what characters try can be predicted from the play
	Players    int      // the usual number of players beside the NPC
	MaxPlayers int      // the largest; 0: any
	Player     string   // the actor of players where none is named
	NPC        string   // the actor of the NPC where none is named
}

// The debriefs that are controls: the same questions under other conditions.
const (
	ControlNoConversation = "no-conversation" // before the first turn: what is guessed or leaked
	ControlTold           = "told"            // with the knowledge in hand: the ceiling
)

// Piece is what one scenario is made of, as it is written in a file: a piece of knowledge, a scene.
type Piece interface {
	Head() Head
	// Problems returns everything that makes the piece unfit to be played.
	Problems() []yamlfile.Problem
	// Review returns an error that lists where a valid piece falls short of the rules for the library.
	Review() error
	// Scenario makes a scenario with this cast, of which the last one is the NPC, if there is one.
	// All choices are drawn from r. Two calls with the same arguments make the same scenario.
	Scenario(cast []*characters.Sheet, r *rand.Rand) *Scenario
	// Print writes the piece to be read by people.
	Print(w io.Writer)
}

// Head is what a list of pieces shows.
type Head struct {
	ID, Title string
	Topic     string // empty: it has none
	Count     int    // of its parts
	Parts     string // "facts"
}

// Kinds returns every kind of scenario.
func Kinds() []*Kind { return slices.Clone(kinds) }

// FindKind returns the kind of that name. The error names those that exist.
func FindKind(name string) (*Kind, error) {
	var known []string
	for _, k := range kinds {
		if k.Name == name {
			return k, nil
		}
		known = append(known, k.Name)
	}
	return nil, fmt.Errorf("there is no kind of scenario %q; %swrite %s", name, yamlfile.DidYouMean(name, known), strings.Join(known, " or "))
}

// String returns the name; empty for a scenario without a kind.
func (k *Kind) String() string {
	if k == nil {
		return ""
	}
	return k.Name
}

// Equal reports whether the two are the same kind. Kinds hold functions, which do not compare.
func (k *Kind) Equal(other *Kind) bool { return k == other }

// MarshalText writes the name.
func (k *Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Library returns the pieces of the kind that come with parley, in a fixed order. They are parsed once
// and shared: callers do not change them.
func (k *Kind) Library() []Piece { return libraries()[k] }

// format describes files of pieces of the kind.
func (k *Kind) format() *yamlfile.Format[Piece] {
	return &yamlfile.Format[Piece]{Noun: k.Piece, Nouns: k.Pieces, New: k.New, Keys: func(p Piece) []yamlfile.Key {
		id := p.Head().ID
		return []yamlfile.Key{{Path: "id", Text: id, Value: id}}
	}}
}

// Read reads the pieces of the kind in a YAML file: one, or a list of them. Reading is strict.
// Everything that is wrong is reported, each as a *yamlfile.Finding with file and line, joined; there
// are then no pieces.
func (k *Kind) Read(r io.Reader, file string) ([]Piece, error) { return k.format().Read(r, file) }

// Read reads the pieces in a file of any kind. The kind is the one that finds least wrong with the file.
func Read(data []byte, file string) (kind *Kind, pieces []Piece, err error) {
	least := 0
	for _, k := range kinds {
		list, wrong := k.Read(bytes.NewReader(data), file)
		if wrong == nil {
			return k, list, nil
		}
		if n := strings.Count(wrong.Error(), "\n") + 1; kind == nil || n < least {
			kind, err, least = k, wrong, n
		}
	}
	return kind, nil, err
}

// Encode writes pieces of the kind as a YAML list that Read reads back to the same.
func (k *Kind) Encode(w io.Writer, pieces []Piece) error { return yamlfile.Encode(w, pieces) }

// Load returns the pieces of several files in order. The name "library" stands for the library, which
// is also what no names at all mean. Two pieces of one id are an error.
func (k *Kind) Load(names []string, open func(name string) (io.ReadCloser, error)) ([]Piece, error) {
	if len(names) == 0 {
		return k.Library(), nil
	}
	return k.format().Load(names, k.Library, open)
}
