package corpora

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"parley/eval/ieg"
)

// entry is a message of Roll20's chat archive.
type entry struct {
	Who      string          `json:"who"`
	Player   string          `json:"playerid"`
	Type     string          `json:"type"` // general, emote, desc, whisper, rollresult, gmrollresult, api
	Content  string          `json:"content"`
	Template string          `json:"rolltemplate"`
	Original string          `json:"origRoll"`
	Inline   json.RawMessage `json:"inlinerolls"`
	Priority json.RawMessage `json:".priority"` // milliseconds
}

// Roll20 reads a chat archive of Roll20: the page as it is saved, rendered or with the archive packed
// into it, or the archive as JSON (messages by id, a page each, or a list of them). It holds a page in
// memory. A roll for a skill is known by the template's fields, its caption, or the label of the
// dice. The table hears no whispers and sees no rolls to the GM.
func Roll20(f File) iter.Seq2[ieg.Interaction, error] {
	posts, err := f.roll20()
	if err != nil {
		return failed(err)
	}
	return f.windows("roll20", f.chat(posts))
}

// packed is the archive inside of a page's script.
var packed = regexp.MustCompile(`\bmsgdata\s*=\s*["']([A-Za-z0-9+/=]{16,})["']`)

func (f *File) roll20() ([]post, error) {
	r, err := f.open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: byte %d: read chat: %w", f.Name, len(data), err)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	switch trimmed := bytes.TrimLeft(data, " \t\r\n"); {
	case len(trimmed) == 0:
		return nil, fmt.Errorf("%s: byte 0: the file is empty", f.Name)
	case trimmed[0] == '[' || trimmed[0] == '{':
		return f.archive(data)
	}
	if m := packed.FindSubmatchIndex(data); m != nil {
		archive, err := base64.StdEncoding.DecodeString(string(data[m[2]:m[3]]))
		if err != nil {
			return nil, fmt.Errorf("%s: byte %d: unpack the archive in the page: %w", f.Name, m[2], err)
		}
		return f.archive(archive)
	}
	return f.page(data)
}

// archive reads messages from JSON: objects of messages by id, in any depth of lists.
func (f *File) archive(data []byte) ([]post, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	var posts []post
	err := entries(dec, 0, func(e *entry) {
		p := e.post()
		p.number = len(posts) + 1
		posts = append(posts, p)
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: byte %d: message %d: %w", f.Name, dec.InputOffset(), len(posts)+1, cutOff(err))
	case len(bytes.TrimSpace(data[dec.InputOffset():])) > 0:
		return nil, fmt.Errorf("%s: byte %d: something follows the archive", f.Name, dec.InputOffset())
	}
	slices.SortStableFunc(posts, func(a, b post) int {
		if a.at == 0 || b.at == 0 {
			return 0
		}
		return cmp.Compare(a.at, b.at)
	})
	return posts, nil
}

// entries hands every message of a value to do.
func entries(dec *json.Decoder, depth int, do func(*entry)) error {
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
			if err := entries(dec, depth+1, do); err != nil {
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
			if value[0] == '{' && key != "inlinerolls" && key != "selected" { // a message by its id
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
func one(value json.RawMessage, do func(*entry)) error {
	var e entry
	if err := json.Unmarshal(value, &e); err != nil {
		return err
	}
	if e.Type == "" && e.Who == "" && e.Content == "" {
		return errors.New("this is no chat message of Roll20: it has neither type nor speaker nor content")
	}
	do(&e)
	return nil
}

// field is a field of a roll template: "{{rname=^{perception-u}}}".
var field = regexp.MustCompile(`\{\{\s*([^{}=]+?)\s*=((?:\^?\{[^{}]*\}|[^{}])*)\}\}`)

// inline finds a roll inside of a text, by its number or as it was typed.
var inline = regexp.MustCompile(`\$\[\[(\d+)\]\]|\[\[.*?\]\]`)

// captions and charnames are the parts of templates that say what is rolled and who rolls: fields of the
// archive, and classes of the page without "sheet-".
var (
	captions  = set("rname name title roll_name rollname skill header subheader subtitle label template-name caption heading subheading")
	charnames = set("charname character_name charactername character char_name char-name character-name")
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// post reads a message of the archive.
func (e *entry) post() post {
	p := newPost(e.Type, e.Who, e.Player)
	p.at = moment(e.Priority)
	var totals []struct {
		Expression string
		Results    struct{ Total json.Number }
	}
	known := json.Unmarshal(e.Inline, &totals) == nil
	d20 := !known || len(totals) == 0
	for _, t := range totals {
		d20 = d20 || strings.Contains(t.Expression, "d20")
	}
	switch {
	case p.leave != "":
	case strings.Contains(e.Content, "<rolltemplate"):
		root, err := html.Parse(strings.NewReader(e.Content))
		if err != nil {
			p.leave = "a roll that names no skill"
			return p
		}
		p.template(root)
	case e.Template != "" || strings.Contains(e.Content, "{{"):
		var labels []string
		for _, kv := range field.FindAllStringSubmatch(e.Content, -1) {
			name, value := strings.ToLower(kv[1]), plain(kv[2])
			switch {
			case charnames[name]:
				p.actor = value
			case captions[name]:
				labels = append(labels, value)
			case inline.MatchString(value):
				labels = append(labels, kv[1]) // default template: {{Stealth=[[1d20+5]]}}
			}
		}
		p.rolled(labels, d20)
	case e.Type == "rollresult":
		p.dice(e.Original + "#" + e.comments())
	default:
		p.said(plain(inline.ReplaceAllStringFunc(e.Content, func(roll string) string {
			n, err := strconv.Atoi(inline.FindStringSubmatch(roll)[1])
			if err != nil { // as it was typed
				return rollMark
			}
			if n >= len(totals) {
				return ""
			}
			return rollMark + totals[n].Results.Total.String()
		})), d20 && len(totals) > 0)
	}
	return p
}

// comments returns what a roll's own parts say beside the dice.
func (e *entry) comments() string {
	var roll struct{ Rolls []struct{ Type, Text string } }
	json.Unmarshal([]byte(e.Content), &roll) // without parts there are none
	var said []string
	for _, part := range roll.Rolls {
		if part.Type == "C" {
			said = append(said, part.Text)
		}
	}
	return strings.Join(said, "#")
}

// newPost begins a message with what its type says of it.
func newPost(kind, who, player string) post {
	who = strings.TrimSuffix(strings.TrimSpace(who), ":")
	p := post{user: player, name: who, gm: strings.HasSuffix(who, "(GM)")}
	switch kind {
	case "api", "error", "system":
		p.leave = "a message of the program"
	case "whisper", "private":
		p.leave = "a whisper or a roll that was whispered"
	case "gmrollresult":
		p.leave = "a private or blind roll"
	case "desc":
		p.gm = p.gm || player == ""
	}
	return p
}

// rolled makes the post a roll with captions.
func (p *post) rolled(labels []string, d20 bool) {
	if p.actor = strings.TrimSpace(p.actor); p.actor != "" {
		p.called = p.actor
	}
	for _, l := range labels {
		if p.skill == "" && d20 {
			p.skill, _ = labelled(strings.ReplaceAll(l, rollMark, ""))
		}
	}
	if p.skill == "" {
		p.leave = "a roll that names no skill"
	}
}

// diceOnly is the part of typed dice that is no label.
var diceOnly = regexp.MustCompile(`(?i)^(?:rolling\s+)?(?:\{?[\d\s+*/().,{}<>=!-]*(?:d\d+\w*|k[hl]?\d*|\d+)?)+`)

// dice reads what was typed beside the dice: "1d20+5 [Stealth]", "d20+3 Sleight of Hand".
func (p *post) dice(text string) {
	labels := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(`[]#\`, r) })
	for i := range labels {
		labels[i] = diceOnly.ReplaceAllString(strings.TrimSpace(labels[i]), "")
	}
	p.rolled(labels, strings.Contains(strings.ToLower(text), "d20"))
}

// rollMark marks an inline result until it is read.
const rollMark = "\x00"

// resultFor is what is said between an inline result and what it is for: up to two short words, as in "for my".
var resultFor = regexp.MustCompile(`^-?\d* *((?:\pL{1,4} ){0,2})`)

// said makes the post a line of speech, or a roll where an inline result follows the name of a skill
// and little else is said ("Stealth: 17"), or is said to be for one ("17 for stealth").
func (p *post) said(text string, d20 bool) {
	p.text = strings.TrimSpace(strings.ReplaceAll(text, rollMark, ""))
	if before, after, found := strings.Cut(text, rollMark); found && d20 {
		if len(strings.Fields(after)) <= 2 {
			p.skill, _ = labelled(strings.TrimRight(before, " :=("))
		}
		if name := resultFor.ReplaceAllString(strings.TrimSpace(after), ""); p.skill == "" && len(strings.Fields(name)) <= 4 {
			p.skill, _ = labelled(name)
		}
	}
	p.speech = p.skill == ""
}
