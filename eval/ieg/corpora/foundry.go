package corpora

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strings"
	"time"

	"parley/characters"
	"parley/eval/ieg"
)

// post is a chat message of Foundry VTT, as its data base and its modules that export chat have it.
type post struct {
	ID      string          `json:"_id"`
	User    json.RawMessage `json:"user"`   // an id; an object in some exports
	Author  json.RawMessage `json:"author"` // the same since version 12
	Time    json.Number     `json:"timestamp"`
	Flavor  string          `json:"flavor"`
	Content string          `json:"content"`
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
		DnD5e struct {
			Roll struct {
				Type    string `json:"type"`
				Skill   string `json:"skill"`
				SkillID string `json:"skillId"`
			} `json:"roll"`
		} `json:"dnd5e"`
	} `json:"flags"`
	Deleted  bool    `json:"$$deleted"` // of a data base that keeps what was deleted
	Messages []*post `json:"messages"`  // of an export that wraps them
}

// Foundry reads a chat of Foundry VTT: its messages one a line, as its data base has them, or as one
// list of JSON, or the text that "export chat log" writes. A roll for a skill is known by the system's
// own mark, by its flavour text, or in the text form by a line such as "Wisdom (Perception) Check".
// The table does not hear whispers; a roll that only the Gamemaster sees counts, and is not a line.
func Foundry(f File) iter.Seq2[ieg.Interaction, error] {
	r, err := f.open()
	if err != nil {
		return failed(err)
	}
	b := bufio.NewReaderSize(r, 1<<12)
	head, _ := b.Peek(1 << 10)
	if logged.Match(bytes.TrimPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("\ufeff"))) {
		return f.windows("foundry", f.logged(b))
	}
	return f.windows("foundry", func(yield func(message, error) bool) {
		gms := map[string]bool{}
		for n, err := range f.posts(b, func(n int, p *post) bool {
			m, ok := p.message(&f, gms)
			m.number = n
			return !ok || yield(m, nil)
		}) {
			if err != nil {
				yield(message{}, fmt.Errorf("%s: %w", n, err))
			}
		}
	})
}

// posts reads messages and hands each to do, until that says no. It yields what ends it and where.
func (f *File) posts(b *bufio.Reader, do func(n int, p *post) bool) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		dec := json.NewDecoder(b)
		list := false
		if first, err := firstByte(b); err == nil && first == '[' {
			dec.Token()
			list = true
		}
		for n := 1; ; n++ {
			where := fmt.Sprintf("%s: byte %d: message %d", f.Name, dec.InputOffset(), n)
			if list && !dec.More() {
				if _, err := dec.Token(); err != nil {
					yield(where, cutOff(err))
				}
				return
			}
			var p post
			err := dec.Decode(&p)
			if err == io.EOF && !list {
				if n == 1 {
					yield(where, errors.New("the file is empty"))
				}
				return
			}
			for _, inner := range p.Messages {
				if inner != nil && !do(n, inner) {
					return
				}
				n++
			}
			if err == nil && p.Messages == nil && p.ID == "" && p.Content == "" && p.Flavor == "" && len(p.Rolls) == 0 && !p.Deleted {
				err = errors.New("this is no chat message of Foundry VTT: it has neither an id nor a content")
			}
			if err != nil {
				yield(where, cutOff(err))
				return
			}
			if p.Messages == nil && !do(n, &p) {
				return
			}
		}
	}
}

// message is what the table gets of a post.
func (p *post) message(f *File, gms map[string]bool) (message, bool) {
	if p.Deleted {
		return message{}, false
	}
	user := p.user()
	alias := strings.TrimSpace(p.Speaker.Alias)
	if alias == "" {
		alias = strings.TrimSpace(p.Alias)
	}
	m := message{at: millis(p.Time), speaker: f.speaker(alias, user, gms)}
	if m.speaker == "" {
		f.Unused.add("a message of nobody: it has neither an alias nor a known user")
		return m, false
	}
	if p.rolls() {
		m.skill = p.skill()
		if m.skill == "" {
			f.Unused.add("a roll that names no skill")
		}
		return m, m.skill != ""
	}
	if len(p.Whisper) > 0 || p.Blind {
		f.Unused.add("a whisper")
		return m, false
	}
	m.text = plain(p.Content)
	return m, m.text != ""
}

// rolls reports whether a post is a roll.
func (p *post) rolls() bool {
	one := string(p.Roll)
	return len(p.Rolls) > 0 || p.Flags.DnD5e.Roll.Type != "" || one != "" && one != "null" && one != `""`
}

// skill returns the skill that a roll is for.
func (p *post) skill() characters.Skill {
	mark := p.Flags.DnD5e.Roll
	if mark.Type == "skill" || mark.Type == "" {
		for _, id := range []string{mark.Skill, mark.SkillID} {
			if s, ok := short[id]; ok {
				return s
			}
		}
	}
	if mark.Type != "" && mark.Type != "skill" {
		return ""
	}
	skill, _ := labelled(plain(p.Flavor))
	return skill
}

// user is the account behind a post.
func (p *post) user() string {
	for _, raw := range []json.RawMessage{p.User, p.Author} {
		var id string
		if json.Unmarshal(raw, &id) == nil && id != "" {
			return id
		}
		var object struct {
			ID   string `json:"_id"`
			Name string `json:"name"`
		}
		if json.Unmarshal(raw, &object) == nil && object.ID+object.Name != "" {
			if object.Name != "" {
				return object.Name
			}
			return object.ID
		}
	}
	return ""
}

// speaker returns whose words a post is. An account that once spoke as the Gamemaster is the DM's,
// whatever creature it speaks for.
func (f *File) speaker(alias, user string, gms map[string]bool) string {
	if f.People.dm(alias) || user != "" && f.People.dm(user) {
		if user != "" {
			gms[user] = true
		}
		return ieg.DM
	}
	for _, name := range []string{alias, user} {
		if c, ok := f.People.character(name); ok && name != "" {
			return c
		}
	}
	if user != "" && gms[user] {
		return ieg.DM
	}
	return alias
}

// millis is a time in milliseconds.
func millis(n json.Number) time.Duration {
	if ms, err := n.Float64(); err == nil && ms > 0 && ms < 1e13 {
		return time.Duration(ms) * time.Millisecond
	}
	return 0
}

// logged is the head of a message in the text form: "[1/31/2025, 8:15:02 PM] Orla".
var logged = regexp.MustCompile(`^\[(\d[^\]\n]{5,40})\] ?([^\r\n]*)`)

// ruled is the line between messages in the text form.
var ruled = regexp.MustCompile(`^-{10,}$`)

// formula is how the text form shows a roll: "1d20 + 3 = 14 + 3 = 17".
var formula = regexp.MustCompile(`^[^=]*\d*d\d+[^=]*=.*=\s*-?\d+$`)

// logged reads the text form. Its messages have a head with the speaker, and lines of content.
func (f *File) logged(r io.Reader) iter.Seq2[message, error] {
	return func(yield func(message, error) bool) {
		gms := map[string]bool{}
		var m message
		var skill characters.Skill
		open, rolls := false, false
		shut := func() bool {
			if !open {
				return true
			}
			open = false
			if rolls {
				m.text, m.skill = "", skill
				if skill == "" {
					f.Unused.add("a roll that names no skill")
					return true
				}
			}
			return m.text == "" && m.skill == "" || yield(m, nil)
		}
		n := 0
		for line, err := range linesOf(r) {
			n++
			if err != nil {
				yield(message{}, fmt.Errorf("%s:%d: read log: %w", f.Name, n, err))
				return
			}
			text := strings.TrimPrefix(string(line), "\ufeff")
			head := logged.FindStringSubmatch(text)
			switch {
			case ruled.MatchString(text):
				if !shut() {
					return
				}
			case head != nil && !open:
				alias := strings.TrimSpace(head[2])
				m = message{number: n, at: dated(head[1]), speaker: f.speaker(alias, "", gms)}
				open, rolls, skill = m.speaker != "", false, ""
			case !open && text != "" && n == 1:
				yield(message{}, fmt.Errorf("%s:%d: read log: this is no chat log of Foundry VTT", f.Name, n))
				return
			case formula.MatchString(text):
				rolls = true
			default:
				if s, ok := labelled(text); ok && strings.Contains(strings.ToLower(text), "check") {
					skill = s
				}
				m.text = strings.TrimSpace(m.text + " " + plain(text))
			}
		}
		shut()
	}
}

// dated reads the time of a message in the text form.
func dated(text string) time.Duration {
	text = strings.ReplaceAll(text, "\u202f", " ")
	for _, layout := range []string{"1/2/2006, 3:04:05 PM", "1/2/2006, 3:04 PM", "2/1/2006, 15:04:05", "2006-01-02, 15:04:05", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return time.Duration(t.UnixMilli()) * time.Millisecond
		}
	}
	return 0
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
