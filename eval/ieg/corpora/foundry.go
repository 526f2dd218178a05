package corpora

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/characters"
	"parley/eval/ieg"
)

// document is an entry of Foundry VTT's data base, as that and the modules that export chat write it: a
// chat message, or a user or an actor that an export holds beside them.
type document struct {
	ID      string          `json:"_id"`
	Name    string          `json:"name"`
	Role    int             `json:"role"`      // of a user; 3 and 4 lead games
	User    json.RawMessage `json:"user"`      // an id; an object in some exports
	Author  json.RawMessage `json:"author"`    // the same since version 12
	Type    json.RawMessage `json:"type"`      // a number until version 11, then a kind of message
	Style   int             `json:"style"`     // the number since version 12
	Time    json.RawMessage `json:"timestamp"` // milliseconds, or a date
	Flavor  string          `json:"flavor"`
	Content *string         `json:"content"`
	Speaker struct {
		Alias string `json:"alias"`
		Actor string `json:"actor"`
	} `json:"speaker"`
	Alias   string            `json:"alias"`
	Whisper []json.RawMessage `json:"whisper"`
	Blind   bool              `json:"blind"`
	Roll    json.RawMessage   `json:"roll"`  // one roll, until version 9
	Rolls   []json.RawMessage `json:"rolls"` // since version 10
	Flags   struct {
		Core struct {
			Initiative bool `json:"initiativeRoll"`
		} `json:"core"`
		DnD5e struct {
			Roll *struct {
				Type    string `json:"type"`
				Skill   string `json:"skill"`
				SkillID string `json:"skillId"`
			} `json:"roll"`
		} `json:"dnd5e"`
		PF2e struct {
			Modifier string `json:"modifierName"`
			Context  *struct {
				Type    string `json:"type"`
				Domains some   `json:"domains"`
				Options some   `json:"options"`
			} `json:"context"`
		} `json:"pf2e"`
	} `json:"flags"`
	Deleted  bool        `json:"$$deleted"` // of a data base that keeps what was deleted
	Messages []*document `json:"messages"`  // of an export that wraps them
	Users    []*document `json:"users"`
	Actors   []*document `json:"actors"`
	number   int
}

// some is a list of texts, which is empty where a module wrote something else.
type some []string

func (s *some) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*[]string)(s)) != nil {
		*s = nil
	}
	return nil
}

// Styles of messages.
const (
	styleOOC     = 1
	styleWhisper = 4
	styleRoll    = 5
	roleGM       = 3 // an assistant Gamemaster or more
)

// Foundry reads a chat of Foundry VTT: its messages one a line, as its data base has them, or as one
// list of JSON, or the text that "export chat log" writes. A message counts as its last edit left it,
// at its time, and not at all once it was deleted. A roll for a skill is known by the system's own mark
// (dnd5e, PF2e) or by its flavour text. The table hears no whispers and sees no private rolls.
func Foundry(f File) iter.Seq2[ieg.Interaction, error] {
	r, err := f.open()
	if err != nil {
		return failed(err)
	}
	b := bufio.NewReaderSize(r, 1<<12)
	head, _ := b.Peek(1 << 10)
	var posts []post
	if textHead.Match(bytes.TrimPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("\ufeff"))) {
		posts, err = f.text(b)
	} else {
		posts, err = f.documents(b)
	}
	if err != nil {
		return failed(err)
	}
	return f.windows("foundry", f.chat(posts))
}

// documents reads the JSON forms.
func (f *File) documents(b *bufio.Reader) ([]post, error) {
	var all []*document
	n := 0
	for value, err := range valuesOf(b) {
		n++
		var d document
		if err == nil {
			err = json.Unmarshal(value, &d)
		}
		if err == nil && !d.known() {
			err = errors.New("this is no chat message of Foundry VTT: it has neither an id nor a content")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: message %d: %w", f.Name, n, err)
		}
		d.number = n
		all = append(all, &d)
		for _, inner := range slices.Concat(d.Users, d.Actors, d.Messages) {
			if inner != nil {
				inner.number = n
				all = append(all, inner)
				n++
			}
		}
	}
	return f.posts(all), nil
}

func (d *document) known() bool {
	return d.ID != "" || d.Content != nil || d.Flavor != "" || len(d.Rolls) > 0 || d.Messages != nil
}

// posts puts the messages in order, each as its last edit left it.
func (f *File) posts(all []*document) []post {
	last, gms, called := map[string]*document{}, map[string]bool{}, map[string]string{}
	for _, d := range all {
		if d.Name != "" {
			called[d.ID] = d.Name
		}
		if d.Role >= roleGM && d.ID != "" {
			gms[d.ID] = true
		}
		if before := last[d.ID]; before != nil && d.ID != "" && !d.Deleted {
			f.Tally.leave("an earlier state of a message that was edited")
			d.number = before.number
		}
		last[d.ID] = d
	}
	var out []post
	var now time.Duration
	for _, d := range all {
		switch {
		case d.ID != "" && last[d.ID] != d:
			continue
		case d.Deleted:
			f.Tally.leave("a message that was deleted")
			continue
		case d.Content == nil && d.Flavor == "" && !d.rolls(): // a user, an actor, a wrapper
			continue
		}
		p := d.post()
		p.gm, p.called = p.gm || gms[p.user], called[p.actor]
		p.user = cmp.Or(called[p.user], p.user)
		if p.at == 0 {
			p.at = now
		}
		now = p.at
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b post) int { return cmp.Compare(a.at, b.at) })
	return out
}

// post reads a message.
func (d *document) post() post {
	style := d.Style
	if n, err := strconv.Atoi(string(d.Type)); err == nil {
		style = n
	}
	p := post{
		number: d.number, at: moment(d.Time), actor: d.Speaker.Actor,
		name: strings.TrimSpace(cmp.Or(d.Speaker.Alias, d.Alias)), ooc: style == styleOOC,
	}
	p.user, p.gm = d.user()
	private := len(d.Whisper) > 0 || d.Blind || style == styleWhisper
	switch content := d.content(); {
	case (d.rolls() || style == styleRoll) && private:
		p.leave = "a private or blind roll"
	case private:
		p.leave = "a whisper"
	case d.rolls() || style == styleRoll:
		if p.skill = d.skill(); p.skill == "" {
			p.leave = "a roll that names no skill"
		}
	case strings.Contains(content, "chat-card"):
		p.leave = "a card of an item, a spell or a request: no speech"
	default:
		p.said(plain(inlineRoll.ReplaceAllStringFunc(content, func(tag string) string { return tag + rollMark })), strings.Contains(content, "d20"))
	}
	return p
}

func (d *document) content() string {
	if d.Content == nil {
		return ""
	}
	return *d.Content
}

// rolls reports whether a message is a roll.
func (d *document) rolls() bool {
	one := string(d.Roll)
	return len(d.Rolls) > 0 || d.Flags.DnD5e.Roll != nil || one != "" && one != "null" && one != `""`
}

// skill returns the skill that a roll is for, or "".
func (d *document) skill() characters.Skill {
	if d.Flags.Core.Initiative {
		return ""
	}
	if c := d.Flags.PF2e.Context; c != nil && c.Type != "" {
		if !slices.Contains([]string{"check", "skill-check", "perception-check"}, c.Type) {
			return ""
		}
		for _, name := range slices.Concat([]string{c.Type}, c.Domains, []string{d.Flags.PF2e.Modifier}, c.Options) {
			name = strings.TrimPrefix(strings.TrimPrefix(name, "check:statistic:"), "base:")
			if s, ok := pf2e[strings.TrimSuffix(name, "-check")]; ok {
				return s
			}
		}
	}
	if mark := d.Flags.DnD5e.Roll; mark != nil {
		if s, ok := dnd5e[cmp.Or(mark.SkillID, mark.Skill)]; ok && (mark.Type == "" || mark.Type == "skill" || mark.Type == "check") {
			return s
		}
		if mark.Type != "" && mark.Type != "skill" {
			return ""
		}
	}
	skill, _ := labelled(cmp.Or(heading(d.Flavor), heading(d.content())))
	return skill
}

// inlineRoll is the tag of a result within a text.
var inlineRoll = regexp.MustCompile(`<a\b[^<>]*\binline-result\b[^<>]*>`)

// block is a tag that ends a line of text.
var block = regexp.MustCompile(`(?i)</?(?:h\d|div|header|section|p|hr|br|ul|li)\b[^>]*>`)

// heading returns the first line of a text with tags: a caption may have tags and notes of its own below it.
func heading(text string) string {
	for _, line := range block.Split(text, -1) {
		if line = plain(line); line != "" {
			return line
		}
	}
	return ""
}

// user returns the account behind a message, and whether it is known to lead the game.
func (d *document) user() (id string, gm bool) {
	for _, raw := range []json.RawMessage{d.User, d.Author} {
		if json.Unmarshal(raw, &id) == nil && id != "" {
			return id, false
		}
		var object struct {
			ID   string `json:"_id"`
			Name string `json:"name"`
			Role int    `json:"role"`
			GM   bool   `json:"isGM"`
		}
		if json.Unmarshal(raw, &object) == nil && object.ID+object.Name != "" {
			return cmp.Or(object.Name, object.ID), object.GM || object.Role >= roleGM
		}
	}
	return "", false
}

// moment reads a time: milliseconds since 1970, or a date.
func moment(raw json.RawMessage) time.Duration {
	text := strings.Trim(string(raw), `"`)
	if ms, err := strconv.ParseFloat(text, 64); err == nil {
		if ms > 0 && ms < 1e13 {
			return time.Duration(ms) * time.Millisecond
		}
		return 0
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return time.Duration(t.UnixMilli()) * time.Millisecond
	}
	return dated(text, false)
}

// firstByte is the first byte that is not blank; the blanks before it are read over.
func firstByte(b *bufio.Reader) (byte, error) {
	for {
		c, err := b.ReadByte()
		if err != nil {
			return 0, err
		}
		if bytes.IndexByte([]byte(" \t\r\n\ufeff"), c) < 0 { // a mark of byte order counts as blank
			return c, b.UnreadByte()
		}
	}
}

// cutOff says of an error at the end of a file what it means.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file is cut off")
	}
	return err
}
