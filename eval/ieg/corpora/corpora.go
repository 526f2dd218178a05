// Package corpora reads real people's play into windows: transcripts of CRD3, event logs of the bot
// Avrae (FIREBALL), and chat exports of Foundry VTT and Roll20.
//
// It knows each format and how a skill check shows in it, and neither files nor what windows are used
// for. Readers stream, stop at the first thing that they cannot read with an error that says where it
// stands, and tally what they could read and not use.
package corpora

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"parley/eval/ieg"
)

// File is one file of a corpus.
type File struct {
	Name    string // for errors
	Group   string // of its windows, where the file itself does not tell: often the name without path and endings
	Content io.Reader
	People  People
	Unused  Unused // nil: nobody wants to know
}

// Unused counts what a reader could read and not use, by reason.
type Unused map[string]int

func (u Unused) add(reason string) {
	if u != nil {
		u[reason]++
	}
}

// Reader reads one file into windows. Its windows are not split, and their order is the file's.
type Reader func(File) iter.Seq2[ieg.Interaction, error]

// Readers are the formats of others' logs by name. The windows format is ieg.Read.
var Readers = map[string]Reader{"crd3": CRD3, "avrae": Avrae, "foundry": Foundry, "roll20": Roll20}

// biggest is the most that one file may hold when it is unpacked, in bytes.
const biggest = 1 << 30

// reach is how many turns after the first request or roll another one still belongs to its window.
const reach = 6

// most is how many characters may try something in one window. Where more of them roll, the whole
// table does, and the check says nothing about anybody.
const most = 4

const (
	everybody = "more than 4 characters roll: the whole table does"
	nothing   = "a check with nothing said before it"
)

// People says who is who in a log: its names file.
type People struct {
	// DMs are the speakers who lead the game, as the log writes them.
	DMs []string
	// Players maps speakers, as the log writes them, to their characters.
	Players map[string]string
}

// ReadPeople reads a names file: a JSON object with "dm", a name or a list of names, and "players",
// an object that maps names to characters.
func ReadPeople(r io.Reader, name string) (People, error) {
	var file struct {
		DM      json.RawMessage   `json:"dm"`
		Players map[string]string `json:"players"`
	}
	dec := json.NewDecoder(io.LimitReader(r, 1<<20))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return People{}, fmt.Errorf("%s: byte %d: read names: %w", name, dec.InputOffset(), err)
	}
	p := People{Players: file.Players}
	if len(file.DM) > 0 {
		var one string
		if err := json.Unmarshal(file.DM, &one); err == nil {
			p.DMs = []string{one}
		} else if err := json.Unmarshal(file.DM, &p.DMs); err != nil {
			return People{}, fmt.Errorf("%s: read names: \"dm\" has to be a name or a list of names", name)
		}
	}
	for speaker, character := range p.Players {
		if strings.TrimSpace(character) == "" || strings.TrimSpace(speaker) == "" || character == ieg.DM {
			return People{}, fmt.Errorf("%s: read names: %q cannot be the character of %q", name, character, speaker)
		}
	}
	return p, nil
}

// dm reports whether a speaker leads the game: it is named so, or it calls itself so.
func (p *People) dm(speaker string) bool {
	same := func(name string) bool { return strings.EqualFold(name, speaker) }
	if slices.ContainsFunc(p.DMs, same) {
		return true
	}
	return len(p.DMs) == 0 && slices.ContainsFunc([]string{"DM", "GM", "Gamemaster", "Game Master", "Dungeon Master"}, same)
}

// character returns the character of a player.
func (p *People) character(speaker string) (string, bool) {
	if c, ok := p.Players[speaker]; ok {
		return c, true
	}
	for name, c := range p.Players {
		if strings.EqualFold(name, speaker) {
			return c, true
		}
	}
	return "", false
}

// capped reads no more than biggest bytes, unpacked, and says so when there are more.
type capped struct {
	r    io.Reader
	left int64
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, fmt.Errorf("the file holds more than %d MiB", biggest>>20)
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// open unpacks a file and caps it.
func (f *File) open() (io.Reader, error) {
	r, err := ieg.Unpack(f.Content)
	if err != nil {
		return nil, fmt.Errorf("%s: byte 0: unpack: %w", f.Name, err)
	}
	return &capped{r, biggest}, nil
}

// failed is a reader that gets nowhere.
func failed(err error) iter.Seq2[ieg.Interaction, error] {
	return func(yield func(ieg.Interaction, error) bool) { yield(ieg.Interaction{}, err) }
}
