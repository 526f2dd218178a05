package corpora

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// textHead is the head of a message in the text form: "[1/31/2025, 8:15:02 PM] Orla".
var textHead = regexp.MustCompile(`^\[(\d[^\]\n]{5,40})\] ?([^\r\n]*)`)

// ruled is the line between messages in the text form.
var ruled = regexp.MustCompile(`^-{10,}$`)

// formula is how the text form shows a roll: "1d20 + 3 = 14 + 3 = 17".
var formula = regexp.MustCompile(`^[^=]*\d*d\d+[^=]*=.*=\s*-?\d+$`)

// text reads the text form. Its messages have a head with the speaker, and lines of content.
func (f *File) text(r io.Reader) ([]post, error) {
	f.Tally.note("%s: this export does not say which messages are whispers, out of character or a player's: export the chat as JSON", f.Name)
	var posts []post
	var p *post
	var dates []string
	n := 0
	for line, err := range linesOf(r) {
		n++
		if err != nil {
			return nil, fmt.Errorf("%s:%d: read log: %w", f.Name, n, err)
		}
		text := string(line)
		head := textHead.FindStringSubmatch(text)
		switch {
		case ruled.MatchString(text):
			p = nil
		case head != nil && p == nil:
			posts = append(posts, post{number: n, name: strings.TrimSpace(head[2]), speech: true})
			dates = append(dates, head[1])
			p = &posts[len(posts)-1]
		case p == nil && text != "" && n == 1:
			return nil, fmt.Errorf("%s:%d: read log: this is no chat log of Foundry VTT", f.Name, n)
		case p == nil:
		case formula.MatchString(text):
			p.speech = false
		default:
			if s, ok := labelled(text); ok && checkWord.MatchString(text) {
				p.skill = s
			}
			p.text = strings.TrimSpace(p.text + " " + plain(text))
		}
	}
	month := slices.ContainsFunc(dates, func(d string) bool {
		return dated(d, true) != 0 && dated(d, false) == 0 || half.MatchString(d) && strings.Contains(d, "/")
	})
	for i := range posts {
		posts[i].at = dated(dates[i], month)
		switch p := &posts[i]; {
		case p.speech:
			p.skill = ""
		case p.skill == "":
			p.leave = "a roll that names no skill"
		}
	}
	return posts, nil
}

var (
	digits = regexp.MustCompile(`\d+`)
	half   = regexp.MustCompile(`(?i)\b([ap])\.?\s?m\b`)
)

// dated reads a date and a time as any locale writes them in digits; month says whether the month
// comes before the day where the year comes last. It returns 0 for what is no date then.
func dated(text string, month bool) time.Duration {
	var n []int
	found := digits.FindAllString(text, -1)
	for _, s := range found {
		v, _ := strconv.Atoi(s)
		n = append(n, v)
	}
	if len(n) < 5 {
		return 0
	}
	if len(n) < 6 {
		n = append(n, 0)
	}
	y, m, d := n[2], n[1], n[0]
	switch {
	case len(found[0]) == 4:
		y, d = n[0], n[2]
	case month:
		m, d = n[0], n[1]
	}
	if y < 100 {
		y += 2000
	}
	if h := half.FindStringSubmatch(text); h != nil {
		n[3] %= 12
		if strings.EqualFold(h[1], "p") {
			n[3] += 12
		}
	}
	t := time.Date(y, time.Month(m), d, n[3], n[4], n[5], 0, time.UTC)
	if t.Day() != d || int(t.Month()) != m || n[3] > 23 || y < 1970 || y > 2200 {
		return 0
	}
	return time.Duration(t.UnixMilli()) * time.Millisecond
}
