package corpora

import (
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

// transcript reads the turns of an episode.
func (f *File) transcript() ([]spokenTurn, error) {
	r, err := f.open()
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(r)
	fail := func(err error) error {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("%s: byte %d: read transcript: %w", f.Name, dec.InputOffset(), err)
	}
	var turns []spokenTurn
	depth, chunks := 0, false
	for {
		token, err := dec.Token()
		if err == io.EOF && depth == 0 && chunks {
			break
		}
		if err != nil {
			return nil, fail(err)
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			if depth == 0 && chunks || depth == 1 && token == json.Delim('[') || depth == 2 {
				return nil, fail(errors.New("this is no episode: it is not an object with TURNS or a list of them"))
			}
			depth++
		case json.Delim(']'), json.Delim('}'):
			if depth--; depth == 0 {
				chunks = true
			}
		case "TURNS":
			if err := f.turns(dec, &turns); err != nil {
				return nil, fail(err)
			}
		default:
			if _, key := token.(string); !key || depth == 0 {
				return nil, fail(errors.New("this is no episode: it is not an object with TURNS or a list of them"))
			}
			if err := skip(dec); err != nil {
				return nil, fail(err)
			}
		}
	}
	if turns == nil {
		return nil, fail(errors.New("there are no TURNS"))
	}
	// Chunks of aligned files overlap.
	sort.SliceStable(turns, func(i, j int) bool { return *turns[i].Number < *turns[j].Number })
	return slices.CompactFunc(turns, func(a, b spokenTurn) bool { return *a.Number == *b.Number }), nil
}

// turns reads the list of turns that follows.
func (f *File) turns(dec *json.Decoder, turns *[]spokenTurn) error {
	if token, err := dec.Token(); err != nil {
		return err
	} else if token != json.Delim('[') {
		return errors.New("TURNS is no list")
	}
	if *turns == nil {
		*turns = []spokenTurn{}
	}
	for n := 0; dec.More(); n++ {
		var t spokenTurn
		if err := dec.Decode(&t); err != nil {
			return fmt.Errorf("turn %d: %w", n, err)
		}
		if len(t.Names) == 0 || slices.Contains(t.Names, "") {
			return fmt.Errorf("turn %d: NAMES is missing or empty", n)
		}
		if t.Utterances == nil {
			return fmt.Errorf("turn %d: UTTERANCES is missing", n)
		}
		if t.Number == nil {
			number := n
			t.Number = &number
		}
		*turns = append(*turns, t)
	}
	_, err := dec.Token()
	return err
}

// skip reads over a value, whatever it is.
func skip(dec *json.Decoder) error {
	for depth := 0; ; {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
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
