package corpora

import (
	"bytes"
	"encoding/base64"
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

// chat is a message of Roll20's chat archive.
type chat struct {
	Who      string          `json:"who"`
	Player   string          `json:"playerid"`
	Type     string          `json:"type"` // general, emote, desc, whisper, rollresult, gmrollresult, api
	Content  string          `json:"content"`
	Template string          `json:"rolltemplate"`
	Original string          `json:"origRoll"`
	Inline   json.RawMessage `json:"inlinerolls"`
	Priority json.Number     `json:".priority"` // milliseconds
}

// Roll20 reads a chat archive of Roll20: the page as it is saved, rendered or with the archive packed
// into it, or the archive as JSON (messages by id, a page each, or a list of them). It holds a page in
// memory. A roll for a skill is known by the template's fields, its caption, or the label of the
// dice. Whispers are not heard; a roll that is whispered to the GM counts, and is not a line.
func Roll20(f File) iter.Seq2[ieg.Interaction, error] {
	r, err := f.open()
	if err != nil {
		return failed(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return failed(fmt.Errorf("%s: byte %d: read chat: %w", f.Name, len(data), err))
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	switch trimmed := bytes.TrimLeft(data, " \t\r\n"); {
	case len(trimmed) == 0:
		return failed(fmt.Errorf("%s: byte 0: the file is empty", f.Name))
	case trimmed[0] == '[' || trimmed[0] == '{':
		return f.windows("roll20", f.archive(data))
	}
	if m := packed.FindSubmatchIndex(data); m != nil {
		archive, err := base64.StdEncoding.DecodeString(string(data[m[2]:m[3]]))
		if err != nil {
			return failed(fmt.Errorf("%s: byte %d: unpack the archive in the page: %w", f.Name, m[2], err))
		}
		return f.windows("roll20", f.archive(archive))
	}
	return f.windows("roll20", f.page(string(data)))
}

// packed is the archive inside of a page's script.
var packed = regexp.MustCompile(`\bmsgdata\s*=\s*["']([A-Za-z0-9+/=]{16,})["']`)

// archive reads messages from JSON: objects of messages by id, in any depth of lists.
func (f *File) archive(data []byte) iter.Seq2[message, error] {
	return func(yield func(message, error) bool) {
		gms := map[string]bool{}
		dec := json.NewDecoder(bytes.NewReader(data))
		n := 0
		err := chats(dec, 0, func(c *chat) bool {
			n++
			m, ok := c.message(f, gms)
			m.number = n
			return !ok || yield(m, nil)
		})
		switch {
		case errors.Is(err, errEnough):
		case err != nil:
			yield(message{}, fmt.Errorf("%s: byte %d: message %d: %w", f.Name, dec.InputOffset(), n+1, cutOff(err)))
		case len(bytes.TrimSpace(data[dec.InputOffset():])) > 0:
			yield(message{}, fmt.Errorf("%s: byte %d: something follows the archive", f.Name, dec.InputOffset()))
		}
	}
}

var errEnough = errors.New("enough")

// chats hands every message of a value to do.
func chats(dec *json.Decoder, depth int, do func(*chat) bool) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	if depth > 4 {
		return errors.New("this is no chat archive of Roll20: it is nested too deep")
	}
	switch token {
	case json.Delim('['):
		for dec.More() {
			if err := chats(dec, depth+1, do); err != nil {
				return err
			}
		}
	case json.Delim('{'):
		fields := map[string]json.RawMessage{}
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				return err
			}
			var value json.RawMessage
			if err := dec.Decode(&value); err != nil {
				return err
			}
			if len(value) > 0 && value[0] == '{' && key != "inlinerolls" && key != "selected" { // a message by its id
				if err := one(value, do); err != nil {
					return err
				}
				continue
			}
			fields[key.(string)] = value
		}
		if len(fields) > 0 {
			value, err := json.Marshal(fields)
			if err != nil {
				return err
			}
			if err := one(value, do); err != nil {
				return err
			}
		}
	default:
		return errors.New("this is no chat archive of Roll20: a message has to be an object")
	}
	_, err = dec.Token()
	return err
}

// one hands over one message.
func one(value json.RawMessage, do func(*chat) bool) error {
	var c chat
	if err := json.Unmarshal(value, &c); err != nil {
		return err
	}
	if c.Type == "" && c.Who == "" && c.Content == "" {
		return errors.New("this is no chat message of Roll20: it has neither type nor speaker nor content")
	}
	if !do(&c) {
		return errEnough
	}
	return nil
}

// field is a field of a roll template: "{{rname=^{perception-u}}}".
var field = regexp.MustCompile(`\{\{\s*([\w -]+?)\s*=((?:\^?\{[^{}]*\}|[^{}])*)\}\}`)

// inline stands for a roll inside of a text.
var inline = regexp.MustCompile(`\$?\[\[.*?\]\]`)

// captions and actors are the fields of templates that say what is rolled and by whom.
var (
	captions = map[string]bool{"rname": true, "name": true, "title": true, "roll_name": true, "rollname": true, "skill": true, "header": true, "subtitle": true}
	actors   = map[string]bool{"charname": true, "character_name": true, "charactername": true, "character": true, "char_name": true}
)

// message is what the table gets of a chat message.
func (c *chat) message(f *File, gms map[string]bool) (message, bool) {
	m := message{at: millis(c.Priority), speaker: f.sitter(c.Who, c.Player, gms)}
	if c.Type == "desc" {
		m.speaker = ieg.DM
	}
	switch {
	case c.Type == "api" || c.Type == "error" || c.Type == "system":
		return m, false
	case c.Template != "" || strings.Contains(c.Content, "{{"):
		for _, kv := range field.FindAllStringSubmatch(c.Content, -1) {
			name, value := strings.ToLower(kv[1]), plain(kv[2])
			if skill, ok := labelled(value); ok && captions[name] && m.skill == "" {
				m.skill = skill
			}
			if actors[name] && value != "" && m.speaker != ieg.DM {
				m.speaker = f.sitter(value, "", gms)
			}
		}
	case c.Type == "rollresult" || c.Type == "gmrollresult":
		m.skill, _ = diceLabel(c.Original)
	case c.Type == "whisper":
		f.Unused.add("a whisper")
		return m, false
	default:
		m.text = plain(inline.ReplaceAllString(c.Content, ""))
		if m.speaker == "" && m.text != "" {
			f.Unused.add("a message of nobody: it has neither an alias nor a known user")
		}
		return m, m.text != "" && m.speaker != ""
	}
	if m.skill == "" || m.speaker == "" {
		f.Unused.add("a roll that names no skill")
		return m, false
	}
	return m, true
}

// diceLabel reads what somebody typed beside the dice: "1d20+5 [Stealth]", "d20+3 perception check".
func diceLabel(dice string) (characters.Skill, bool) {
	for _, part := range strings.FieldsFunc(dice, func(r rune) bool { return r == '[' || r == ']' }) {
		if skill, ok := labelled(part); ok {
			return skill, true
		}
	}
	if _, label, ok := strings.Cut(dice, " "); ok {
		return labelled(label)
	}
	return "", false
}

// sitter returns whose words a message of Roll20 is. The GM's own name ends with "(GM)".
func (f *File) sitter(who, player string, gms map[string]bool) string {
	who = strings.TrimSuffix(strings.TrimSpace(who), ":")
	if strings.HasSuffix(who, "(GM)") {
		if player != "" {
			gms[player] = true
		}
		return ieg.DM
	}
	return f.speaker(who, player, gms)
}

// page reads a rendered page. A message is a div of class "message"; it names its speaker only where
// that changes.
func (f *File) page(text string) iter.Seq2[message, error] {
	return func(yield func(message, error) bool) {
		gms := map[string]bool{}
		n, who := 0, ""
		var c *rendered
		shut := func() bool {
			if c == nil {
				return true
			}
			if c.by != "" {
				who = c.by
			}
			m, ok := c.chat(who).message(f, gms)
			m.number, m.at = n, c.at
			c = nil
			return !ok || yield(m, nil)
		}
		last := 0
		for e := range elements(text) {
			last = e.at
			if c != nil {
				c.add(&e)
			}
			if !e.end && e.name == "div" && has(e.classes, "message") {
				if !shut() {
					return
				}
				n++
				c = &rendered{classes: e.classes, depth: 1}
			}
		}
		if n == 0 {
			yield(message{}, fmt.Errorf("%s: byte %d: this is no chat archive of Roll20: it holds no messages", f.Name, last))
			return
		}
		if c != nil && c.depth > 0 {
			yield(message{}, fmt.Errorf("%s: byte %d: message %d: the file is cut off", f.Name, len(text), n))
			return
		}
		shut()
	}
}

// rendered is a message of a rendered page.
type rendered struct {
	classes        []string
	depth          int
	inside         []string // what each open element is, of those that matter
	by, stamp      string
	label, name    string
	body           strings.Builder
	template, done bool
	at             time.Duration
}

// parts maps the classes of a rendered message to what they hold; "-" is not for reading.
var parts = map[string]string{
	"by": "by", "tstamp": "stamp", "sheet-label": "label", "sheet-charname": "name", "sheet-title": "label",
	"sheet-template-name": "label", "spacer": "-", "avatar": "-", "formula": "formula", "rolled": "-",
	"inlinerollresult": "-", "clear": "-", "sheet-result": "-", "flyout": "-",
}

// void are the elements that nothing closes.
var void = map[string]bool{"br": true, "img": true, "hr": true, "input": true, "wbr": true, "link": true, "meta": true}

// add takes what comes before a tag, and the tag.
func (c *rendered) add(e *element) {
	if c.done {
		return
	}
	in := ""
	if len(c.inside) > 0 {
		in = c.inside[len(c.inside)-1]
	}
	switch in {
	case "by":
		c.by = strings.TrimSuffix(strings.TrimSpace(c.by+e.text), ":")
	case "stamp":
		c.stamp += e.text
	case "label":
		c.label += e.text
	case "name":
		c.name += e.text
	case "", "formula":
		c.body.WriteString(e.text)
	}
	switch {
	case void[e.name] || e.name == "":
		c.body.WriteByte(' ')
	case e.end:
		if len(c.inside) == 0 { // the end of the message
			c.done = true
			c.depth = 0
			return
		}
		c.inside = c.inside[:len(c.inside)-1]
	default:
		for _, class := range e.classes {
			if p, ok := parts[class]; ok && in == "" {
				in = p
			}
			c.template = c.template || strings.HasPrefix(class, "sheet-rolltemplate-")
		}
		c.inside = append(c.inside, in)
	}
	c.depth = len(c.inside) + 1
}

// chat is the message as the archive would have it.
func (c *rendered) chat(who string) *chat {
	out := &chat{Who: who, Type: "general", Content: c.body.String()}
	for _, t := range []string{"emote", "desc", "rollresult", "api", "error", "system"} {
		if has(c.classes, t) {
			out.Type = t
		}
	}
	if has(c.classes, "private") || has(c.classes, "whisper") {
		out.Type = "whisper"
		out.Who = strings.TrimSuffix(strings.TrimPrefix(out.Who, "(From "), ")")
	}
	for _, layout := range []string{"January 2, 2006 3:04PM", "January 02, 2006 3:04PM"} {
		if t, err := time.Parse(layout, strings.TrimSpace(c.stamp)); err == nil {
			c.at = time.Duration(t.UnixMilli()) * time.Millisecond
		}
	}
	switch {
	case c.template:
		out.Template, out.Content = "rendered", fmt.Sprintf("{{rname=%s}} {{charname=%s}}", braceless(c.label), braceless(c.name))
	case out.Type == "rollresult":
		out.Original = strings.TrimPrefix(strings.TrimSpace(out.Content), "rolling ")
	}
	return out
}

func braceless(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("{", " ", "}", " ").Replace(text)), " ")
}

func has(classes []string, class string) bool {
	for _, c := range classes {
		if c == class {
			return true
		}
	}
	return false
}
