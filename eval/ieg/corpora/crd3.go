package corpora

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/eval/ieg"
)

// maxLines is how many turns a window holds: those right before the DM's request.
const maxLines = 30

// crowds are what transcripts call everybody at once.
var crowds = []string{"ALL", "EVERYONE", "EVERYBODY", "CROWD", "AUDIENCE"}

// spokenTurn is a turn as CRD3's authors publish it.
type spokenTurn struct {
	Names      []string `json:"NAMES"`
	Utterances []string `json:"UTTERANCES"`
	Number     *int     `json:"NUMBER"`
}

// CRD3 reads an episode of the Critical Role Dungeons and Dragons Dataset, in the format of its
// authors: an object with TURNS, or the list of chunks with TURNS that its aligned files are. The
// names file maps its players to characters and names the DM; everybody else is a numbered guest.
//
// A window is the 30 turns before a request of the DM that players answer with numbers. Players'
// names become their characters' also inside of what is said.
func CRD3(f File) iter.Seq2[ieg.Interaction, error] {
	return func(yield func(ieg.Interaction, error) bool) {
		said, err := f.transcript()
		if err == nil && (len(f.People.DMs) == 0 || len(f.People.Players) == 0) {
			for _, s := range said {
				for _, name := range s.Names {
					f.Tally.unknown(name)
				}
			}
			err = fmt.Errorf("%s: a transcript needs a names file that says who the DM is and who plays which character", f.Name)
		}
		if err != nil {
			yield(ieg.Interaction{}, err)
			return
		}
		turns, cast := f.cast(said)
		if len(turns) > 0 && !slices.ContainsFunc(turns, func(t turn) bool { return slices.Contains(t.speakers, ieg.DM) }) {
			yield(ieg.Interaction{}, fmt.Errorf("%s: %s, the DM by the names file, never speaks: is this the names file of this episode?", f.Name, strings.Join(f.People.DMs, " or ")))
			return
		}
		windows := f.before
		if f.Stretch {
			windows = f.whole
		}
		for _, x := range windows(turns, cast, mine(turns, f.Tally)) {
			if !yield(x, nil) {
				return
			}
		}
	}
}

// before returns the windows that end before a request.
func (f *File) before(turns []turn, cast []string, found [][]request) (out []ieg.Interaction) {
	for _, requests := range found {
		at := requests[0].at
		set, tier, ok := label(requests)
		switch {
		case !ok:
			f.Tally.leave(wholeTable)
			continue
		case at == 0:
			f.Tally.leave(noContext)
			continue
		}
		f.Tally.count(func(t *Tally) *map[string]int { return &t.Used }, "a request that is answered", len(requests))
		x := ieg.Interaction{
			ID: fmt.Sprintf("crd3:%s:%d", f.Group, turns[at].number), Group: f.Group,
			Cast: slices.Clone(cast), Intentions: set, Tier: tier, Source: "crd3",
		}
		for i := max(0, at-maxLines); i < at; i++ {
			x.Lines = append(x.Lines, turns[i].line())
		}
		out = append(out, x)
	}
	return out
}

// whole returns the stretches of an episode.
func (f *File) whole(turns []turn, cast []string, found [][]request) []ieg.Interaction {
	var lines []ieg.Line
	for i := range turns {
		lines = append(lines, turns[i].line())
	}
	var rolls []roll
	hidden := map[int]bool{}
	for _, r := range slices.Concat(found...) {
		hidden[r.at] = true
		for _, i := range r.said {
			hidden[i] = true
		}
		if _, _, ok := label([]request{r}); !ok {
			f.Tally.leave(wholeTable)
			continue
		}
		f.Tally.use("a request that is answered")
		for _, who := range r.who {
			rolls = append(rolls, roll{r.at, r.at, who, r.skill})
		}
	}
	return f.stretches(ieg.Interaction{Group: f.Group, Cast: cast, Tier: TierReply, Source: "crd3"}, lines, rolls, hidden)
}

// transcript reads the turns of an episode, in the order of their numbers.
func (f *File) transcript() ([]spokenTurn, error) {
	r, err := f.open()
	if err != nil {
		return nil, err
	}
	b := bufio.NewReader(r)
	first, err := firstByte(b)
	dec := json.NewDecoder(b)
	var turns []spokenTurn
	if err == nil {
		turns, err = chunks(dec, first)
	}
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("%s: byte %d: read transcript: %w", f.Name, dec.InputOffset(), err)
	}
	// Chunks of aligned files overlap.
	slices.SortStableFunc(turns, func(a, b spokenTurn) int { return *a.Number - *b.Number })
	return slices.CompactFunc(turns, func(a, b spokenTurn) bool { return *a.Number == *b.Number }), nil
}

// chunks reads an episode that begins with the byte: an object with TURNS, or a list of such.
func chunks(dec *json.Decoder, first byte) (turns []spokenTurn, err error) {
	type chunk struct {
		Turns json.RawMessage `json:"TURNS"`
	}
	none := errors.New("this is no episode: it is not an object with TURNS or a list of them")
	list := []chunk{{}}
	switch first {
	case '{':
		err = dec.Decode(&list[0])
	case '[':
		err = dec.Decode(&list)
	default:
		err = none
	}
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		err = none
	}
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, cmp.Or(err, none)
	}
	found := false
	for _, c := range list {
		var raw []json.RawMessage
		if found = found || c.Turns != nil; c.Turns != nil && (json.Unmarshal(c.Turns, &raw) != nil || raw == nil) {
			return nil, errors.New("TURNS is no list")
		}
		for n, one := range raw {
			t := spokenTurn{Number: &n}
			switch err := json.Unmarshal(one, &t); {
			case err != nil:
				return nil, fmt.Errorf("turn %d: %w", n, err)
			case len(t.Names) == 0 || slices.Contains(t.Names, ""):
				return nil, fmt.Errorf("turn %d: NAMES is missing or empty", n)
			case t.Utterances == nil:
				return nil, fmt.Errorf("turn %d: UTTERANCES is missing", n)
			}
			if t.Number == nil { // null
				t.Number = &n
			}
			turns = append(turns, t)
		}
	}
	if !found {
		return nil, errors.New("there are no TURNS")
	}
	return turns, nil
}

// cast gives the turns their characters, and returns who could act: every character and guest that
// speaks in the episode, in alphabetical order.
func (f *File) cast(said []spokenTurn) ([]turn, []string) {
	replace := f.People.replacer()
	guests := map[string]string{}
	var cast []string
	var turns []turn
	for _, s := range said {
		t := turn{number: *s.Number, text: replace(strings.TrimSpace(strings.Join(s.Utterances, " ")))}
		for _, name := range s.Names {
			name = strings.TrimSpace(name)
			character, player := f.People.character(name)
			crowd := slices.Contains(crowds, strings.ToUpper(name))
			switch {
			case f.People.dm(name):
				character = ieg.DM
			case !player:
				if guests[name] == "" { // a crowd takes a number, as in the windows that there are of CRD3
					guests[name] = fmt.Sprintf("Guest%d", len(guests)+1)
				}
				character = guests[name]
				f.Tally.unknown(name)
			}
			t.crowd = t.crowd || crowd
			f.Tally.met(name, character == ieg.DM)
			if !slices.Contains(t.speakers, character) {
				t.speakers = append(t.speakers, character)
			}
			if character != ieg.DM && !crowd && !slices.Contains(cast, character) {
				cast = append(cast, character)
			}
		}
		if t.text == "" {
			f.Tally.leave("a turn in which nothing is said")
			continue
		}
		turns = append(turns, t)
	}
	slices.Sort(cast)
	return turns, cast
}

// ordinary are names that start sentences as plain words, too.
var ordinary = []string{"will", "mark", "may", "art", "grace", "hope", "joy", "rose", "pat", "bill", "rob", "chance", "dm", "gm", "all"}

// replacer returns what puts characters for the players' names inside of what is said. A name that is
// written in capitals also means the name as people write it.
func (p *People) replacer() func(string) string {
	character := map[string]string{}
	add := func(name, by string) {
		name = strings.TrimSpace(name)
		if utf8.RuneCountInString(name) < 3 || slices.Contains(ordinary, strings.ToLower(name)) {
			return
		}
		character[name] = by
		if name == strings.ToUpper(name) && strings.IndexFunc(name, unicode.IsDigit) < 0 {
			character[titled(name)] = by
		}
	}
	for name, by := range p.Players {
		add(name, by)
	}
	for _, name := range p.DMs {
		add(name, ieg.DM)
	}
	if len(character) == 0 {
		return func(text string) string { return text }
	}
	var names []string
	for name := range character {
		names = append(names, regexp.QuoteMeta(name))
	}
	sort.Slice(names, func(i, j int) bool { // the longest first: Laura Bailey before Laura
		if len(names[i]) != len(names[j]) {
			return len(names[i]) > len(names[j])
		}
		return names[i] < names[j]
	})
	find := regexp.MustCompile(`\b(?:` + strings.Join(names, "|") + `)\b`)
	return func(text string) string {
		return find.ReplaceAllStringFunc(text, func(name string) string { return character[name] })
	}
}

// titled is a name in capitals as people write it.
func titled(name string) string {
	words := strings.Fields(strings.ToLower(name))
	for i, w := range words {
		r, n := utf8.DecodeRuneInString(w)
		words[i] = string(unicode.ToUpper(r)) + w[n:]
	}
	return strings.Join(words, " ")
}
