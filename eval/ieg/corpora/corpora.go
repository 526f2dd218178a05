// Package corpora reads real people's play into windows: transcripts of CRD3, event logs of the bot
// Avrae (FIREBALL), and chat exports of Foundry VTT and Roll20.
//
// It knows each format and how a skill check shows in it, and does not know what windows are used for. Readers stop at
// the first thing that they cannot read with an error that says where it is, and count what they used and what they
// left out, by reason.
package corpora

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
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
	Stretch bool   // windows are stretches of play with all checks in them, and do not end at a check
	Tally   *Tally // nil: nothing is counted
}

// Tally counts what readers made of their files.
type Tally struct {
	Used    map[string]int  // lines of speech and rolls, by kind
	Unused  map[string]int  // what could be read and was left out, by reason
	Unknown map[string]int  // messages of speakers that neither the log nor a names file identifies
	Notes   []string        // what was decided without being certain
	DMs     map[string]bool // names under which the DM speaks
	Players map[string]bool // characters
}

func (t *Tally) count(to func(*Tally) *map[string]int, what string, n int) {
	if t == nil {
		return
	}
	m := to(t)
	if *m == nil {
		*m = map[string]int{}
	}
	(*m)[what] += n
}

func (t *Tally) use(what string) {
	t.count(func(t *Tally) *map[string]int { return &t.Used }, what, 1)
}

func (t *Tally) leave(reason string) {
	t.count(func(t *Tally) *map[string]int { return &t.Unused }, reason, 1)
}

func (t *Tally) unknown(name string) {
	t.count(func(t *Tally) *map[string]int { return &t.Unknown }, name, 1)
}

func (t *Tally) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); t != nil && !slices.Contains(t.Notes, text) {
		t.Notes = append(t.Notes, text)
	}
}

// met notes that a name is the DM's or a character's.
func (t *Tally) met(name string, dm bool) {
	if t == nil || name == "" {
		return
	}
	to := &t.Players
	if dm {
		to = &t.DMs
	}
	if *to == nil {
		*to = map[string]bool{}
	}
	(*to)[name] = true
}

// Template returns a names file to fill in: everyone that was met, and those who are unknown with the
// name that they have in the log.
func (t *Tally) Template() []byte {
	file := struct {
		DM      []string          `json:"dm"`
		Players map[string]string `json:"players"`
	}{slices.Sorted(maps.Keys(t.DMs)), map[string]string{}}
	if file.DM == nil {
		file.DM = []string{}
	}
	for name := range t.Players {
		file.Players[name] = name
	}
	for name := range t.Unknown {
		file.Players[name] = name
	}
	data, _ := json.MarshalIndent(file, "", "  ") // strings are always written
	return append(data, '\n')
}

// Reader reads the files of one import into windows. The windows are not split; they come in the order
// of the files.
type Reader func(files []File) iter.Seq2[ieg.Interaction, error]

// Readers are the formats of others' logs by name. The windows format is ieg.Read.
var Readers = map[string]Reader{"crd3": each(CRD3), "avrae": Avrae, "foundry": each(Foundry), "roll20": each(Roll20)}

// each makes a reader of a function that reads one file.
func each(read func(File) iter.Seq2[ieg.Interaction, error]) Reader {
	return func(files []File) iter.Seq2[ieg.Interaction, error] {
		return func(yield func(ieg.Interaction, error) bool) {
			for _, f := range files {
				for x, err := range read(f) {
					if !yield(x, err) || err != nil {
						return
					}
				}
			}
		}
	}
}

// maxFile is the most that one file may hold when it is unpacked, in bytes.
const maxFile = 1 << 30

// reach is how many turns after the first request or roll another one still belongs to its window.
const reach = 6

// maxActors is how many characters may try something in one window. Where more of them roll, the whole
// table does, and the check says nothing about one of them.
const maxActors = 4

const (
	wholeTable = "more than 4 characters roll: the whole table does"
	noContext  = "a check with nothing said before it"
)

// People says who is who in a log: its names file.
type People struct {
	// DMs are the speakers who lead the game, as the log writes them.
	DMs []string
	// Players maps speakers, as the log writes them, to their characters.
	Players map[string]string
}

// NamesFile is a file of names.
type NamesFile struct {
	DM      json.RawMessage   `json:"dm" doc:"name of the DM in the log, or a list of names"`
	Players map[string]string `json:"players" doc:"characters by the names of their players in the log"`
}

// ReadPeople reads a names file: a JSON object with "dm", a name or a list of names, and "players",
// an object that maps names to characters.
func ReadPeople(r io.Reader, name string) (People, error) {
	var file NamesFile
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

// dm reports whether one of the names is the DM's by the names file or, without one that says so, by
// its usual names.
func (p *People) dm(names ...string) bool {
	dms := p.DMs
	if len(dms) == 0 {
		dms = []string{"DM", "GM", "Gamemaster", "Game Master", "Dungeon Master", "Spielleiter", "Maître du jeu"}
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(dms, func(dm string) bool { return strings.EqualFold(dm, name) })
	})
}

// character returns the character that the names file gives to the first of the names that it has.
func (p *People) character(names ...string) (string, bool) {
	for _, speaker := range names {
		if speaker == "" {
			continue
		}
		if c, ok := p.Players[speaker]; ok {
			return c, true
		}
		for _, name := range slices.Sorted(maps.Keys(p.Players)) {
			if strings.EqualFold(name, speaker) {
				return p.Players[name], true
			}
		}
	}
	return "", false
}

// capped reads no more than maxFile bytes, unpacked, and says so when there are more.
type capped struct {
	r    io.Reader
	left int64
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, fmt.Errorf("the file holds more than %d MiB", maxFile>>20)
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
	return &capped{r, maxFile}, nil
}

// failed returns windows that are an error alone.
func failed(err error) iter.Seq2[ieg.Interaction, error] {
	return func(yield func(ieg.Interaction, error) bool) { yield(ieg.Interaction{}, err) }
}

// commonest returns the key with the highest count; of equals, the one that came first.
func commonest(keys []string) string {
	best, count := "", map[string]int{}
	for _, k := range keys {
		count[k]++
	}
	for _, k := range keys {
		if best == "" || count[k] > count[best] {
			best = cmp.Or(k, best)
		}
	}
	return best
}
